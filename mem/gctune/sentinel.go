package gctune

import "runtime"

// A sentinel is garbage that lets its finalizer know of each cycle, which
// brings it back for the next one. A finalizer that is set again costs no
// allocation, unlike a cleanup.
//
// Finalizers run once marking has ended, while sweeping goes on. The next cycle
// starts only after the sweep, so that there is time for a step in between,
// unless goroutines that never wait keep all processors busy.
type sentinel struct {
	wake chan<- struct{}
	stop <-chan struct{}
}

// watch sends to wake after each cycle, unless it is full, until stop is
// closed.
func watch(wake chan<- struct{}, stop <-chan struct{}) {
	runtime.SetFinalizer(&sentinel{wake, stop}, (*sentinel).collected)
}

func (s *sentinel) collected() {
	select {
	case <-s.stop:
		return
	case s.wake <- struct{}{}:
	default: // a step is due already
	}
	runtime.SetFinalizer(s, (*sentinel).collected)
}
