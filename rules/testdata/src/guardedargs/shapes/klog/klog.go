package klog

type Verbose struct {
	enabled bool
}

var level int

func V(n int) Verbose { return Verbose{n <= level} }

func (v Verbose) Enabled() bool { return v.enabled }

func (v Verbose) Infof(format string, args ...any) {
	println(format)
	if v.enabled {
		println(len(args))
	}
}
