package hard

import "guardedargs/hard/lib"

type holder struct{ log *lib.Logger }

// The guard is no use of the receiver: a nil holder must go on panicking.
func receiver(h *holder, n int) {
	h.log.Note("n is %d", n) // review // want `arguments of Note`
}

func second(h *holder, n int) {
	h.log.Both("n is %d", n) // review // want `arguments of Both`
}

func steady(l *lib.Logger, n int) {
	l.Note("n is %d", n) // safe // want `arguments of Note`
}

// A nil pointer in an interface is not nil.
func nilPointer(f *lib.Failure, n int) {
	lib.Failed(f, n) // none // want `arguments of Failed`
	lib.FailedWith(f, n)
}

func sameInterface(err error, n int) {
	lib.Failed(err, n) // safe // want `arguments of Failed`
}

// The guard divides as floating-point numbers, 1/2 does not.
func constant(n int) {
	lib.Half(1, n) // none // want `arguments of Half`
}

func tagged(n int) {
	lib.Tagged(n) // review // want `arguments of Tagged`
}

func shadowed(err error, n int) {
	nil := lib.Failure{}
	lib.Failed(err, n) // none // want `arguments of Failed`
	_ = nil
}
