// Package gctune sets GOGC after every garbage collection so that the heap
// grows to a target in bytes before the next one: a small live heap gets a high
// GOGC and few collections, a large one a low GOGC and no surprise.
//
//	c, err := gctune.Start(gctune.Options{Target: gctune.Cgroup(0.8)})
//
// # How it decides
//
// The runtime starts each cycle so that it ends near the heap goal
//
//	N = L + GOGC/100 * (L + R)
//
// where L is the live heap, which the last cycle marked, and R the stacks and
// globals that it scanned (https://go.dev/doc/gc-guide). For a target T the
// controller therefore sets
//
//	GOGC = 100 * (T - L) / (L + R)
//
// between [Options].Floor and [Options].Ceiling, and leaves GOGC alone while
// the goal is within 2 % of where it belongs. A live heap of less than 4 MiB
// counts as one, as it does in the runtime.
//
// L is /gc/heap/live:bytes of [runtime/metrics], which is final when marking
// ends. A tuner that runs at the end of a cycle must not take a figure such as
// HeapInuse or HeapAlloc for it: garbage not yet swept is still part of those.
// L does contain what was allocated while marking went on, garbage or not. It
// goes up and down with the speed of marking, and GOGC with it; the goal stays.
//
// In the package's tests, a program with 32 MiB of pointers live and a target of
// 120 MiB had its heap grow to between 119 and 122 MiB before each collection; to
// more, in single cycles, where other programs slowed marking down. A step takes
// about a microsecond, three with [Cgroup], and allocates nothing.
//
// The step is taken by a goroutine that a finalizer wakes. Where goroutines that
// never wait keep all processors busy, it can come after the next cycle has
// begun; that cycle then has the GOGC of the one before.
//
// # When the target cannot be held
//
// If the live heap comes so near to the target that GOGC would have to go below
// Floor, the controller sets Floor and lets the heap exceed the target: a
// program that runs out of memory fails clearly, one that collects all the time
// does not. The state is then [Tight], and [Report].TightCycles counts how long
// it has lasted, for a callback that wants to shed load or end the program.
//
// # With a memory limit
//
// GOMEMLIMIT, or [debug.SetMemoryLimit], stays in force: the controller never
// changes it, and treats a target above it as one equal to it. The runtime
// keeps all of its memory below the limit, stacks and free pages included, so
// its heap goal can be lower than the target; the state is then [Limited], or
// [Tight] if that leaves less than Floor. The runtime then collects as often as
// the limit demands, whatever GOGC is; only the callback can put an end to it.
//
// # With other users of GOGC
//
// While GOGC is not what the controller has set, because the program called
// [debug.SetGCPercent], the controller stands aside ([Overridden]). It goes on
// once its own value is back, as it is after the usual pair of calls around a
// section that must not be disturbed. For the same reason a second controller
// takes over from the first until it is stopped.
//
// # In production
//
// The environment variable UNHEAP_GCTUNE=off makes [Start] return a controller
// that does nothing. [Options].DryRun only reports. A [Controller] is an
// expvar.Var.
package gctune
