//go:build unheapdebug && !asan

package pool

func poison(extent)   {}
func unpoison(extent) {}
func reportFaults()   {}
