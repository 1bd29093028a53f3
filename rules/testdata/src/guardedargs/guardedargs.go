package guardedargs

import (
	"fmt"

	lg "guardedargs/logger"
)

type partitioner struct {
	log  *lg.Logger
	name string
	n    int
}

type request struct {
	id   int
	user *user
}

type user struct{ name string }

func next() int { return 0 }

func (p *partitioner) partition(r *request, keys []string, ch chan int) int {
	p.log.Debug2("hit", "n", p.n) // safe // want `arguments of Debug2 are boxed`
	// A comment before stays before.
	p.log.Debugf("%s %d", // safe // want `arguments of Debugf are boxed`
		p.name,
		p.n, // the number
	)
	p.log.Debugf( // safe // want `arguments of Debugf are boxed`
		`raw
	text %d`, p.n)
	p.log.Outer("x", p.n)              // review // want `arguments of Outer are boxed`
	p.log.Infof("x", p.n)              // safe // want `arguments of Infof are boxed`
	p.log.Logf(lg.ErrorLevel, "", p.n) // safe // want `arguments of Logf are boxed`
	p.log.Sinkf("x", p.n)              // review // want `arguments of Sinkf are boxed`
	p.log.Nilf("x", p.n)               // safe // want `arguments of Nilf are boxed`
	p.log.Value("x", p.n)              // safe // want `arguments of Value are boxed`
	lg.Tracef("x", p.n)                // safe // want `arguments of Tracef are boxed`

	// Arguments with effects: review.
	p.log.Debugf("%d", next()) // review // want `arguments of Debugf are boxed`
	// r may be nil: review. The second time it is certain not to be.
	p.log.Debugf("%d", r.id) // review // want `arguments of Debugf are boxed`
	_ = r.id
	p.log.Debugf("%d", r.id) // safe // want `arguments of Debugf are boxed`
	for i := range keys {
		p.log.Debugf("%s", keys[i]) // safe // want `arguments of Debugf are boxed`
	}

	// Nothing is boxed.
	p.log.Debugf("constant")
	p.log.Debugf("%d %s", 3, "x")
	p.log.Debugf("%v", p)
	p.log.Debugf("%v %v", ch, keys == nil)
	var err error
	p.log.Debugf("%v", err)
	args := []any{p}
	p.log.Debugf("%v", args...)

	// Tested already.
	if p.log.Level >= lg.DebugLevel {
		p.log.Debugf("%d", p.n)
	}
	if r != nil && p.log.Level >= lg.DebugLevel {
		fmt.Println()
		for range keys {
			p.log.Debugf("%d", p.n)
		}
	}

	// No rewrite.
	p.log.Hiddenf("%d", p.n)             // none // want `which reads unexported sink: give it an Enabled method`
	p.log.Debugf("%d", <-ch)             // none // want `receive from the channel in a statement of its own`
	func() { p.log.Debugf("%d", p.n) }() // none // want `put the call on a line of its own`
	defer p.log.Debugf("%d", p.n)
	go p.log.Debugf("%d", p.n)

	// Not guarded.
	p.log.Counted(p.n)
	p.log.Else(p.n)
	p.log.Kept(p.n)
	p.log.After(p.n)
	p.log.NotNil(p.n)
	p.log.Sampled(p.n)
	return 0
}

func (p *partitioner) early() {
	if p.log.Level < lg.DebugLevel {
		return
	}
	p.log.Debugf("%d", p.n)
}

func (p *partitioner) otherBranch() {
	if p.log.Level >= lg.DebugLevel {
		return
	}
	p.log.Debugf("%d", p.n) // safe // want `arguments of Debugf are boxed`
}

func get() *lg.Logger { return nil }

func hoisted(n int, v lg.Logger) {
	get().Debugf("%d", n) // safe // want `arguments of Debugf are boxed`
	v.Debugf("%d", n)     // safe // want `arguments of Debugf are boxed`
	v.Nilf("%d", n)       // none // want `test it in an if statement around the call`
	switch n {
	case 1:
		v.Debugf("%d", n) // safe // want `arguments of Debugf are boxed`
	}
}

// The embedded logger's level is not the outer one's.
type service struct {
	*lg.Logger
	Level string
}

func (s *service) embedded(n int) {
	s.Debugf("%d", n) // safe // want `arguments of Debugf are boxed`
}

func shadowed(l *lg.Logger, n int) {
	lg := 3
	l.Debugf("%d", n+lg) // safe // want `arguments of Debugf are boxed`
}

type number interface{ ~int | ~string }

func generic[T number](l *lg.Logger, v T) {
	l.Debugf("%v", v) // safe // want `arguments of Debugf are boxed`
}
