// Package gcmodel is the arithmetic of the Go garbage collector's pacing: when it runs, what it
// costs, and what another GOGC, GOMEMLIMIT, live heap or allocation rate would change.
//
// # Symbols
//
//	L   live heap: bytes that the last cycle found reachable
//	R   roots: bytes of scannable stacks and globals
//	A   allocation rate, bytes/s
//	N   heap goal: the heap size at which the next cycle is to end
//	S   scanned per cycle, L + R
//	c   processor seconds per scanned byte
//	F   processor seconds that a cycle costs whatever its size
//
// # Equations
//
//	N_gogc   = max(L + (L+R)·GOGC/100, 4 MiB·GOGC/100)      runtime/mgcpacer.go: commit, heapMinimum
//	X        = limit - nonheap - max(mapped - limit, 0)     runtime/mgcpacer.go: memoryLimitHeapGoal
//	N_limit  = X - max(3 % of X, 1 MiB), at least L         the same
//	N        = min(N_gogc, N_limit)                         runtime/mgcpacer.go: heapGoalInternal
//	GOGC_eff = 100·(N - L)/(L + R)                          the first line solved for GOGC
//	cycles/s = A/(N - L)                                    GC guide (go.dev/doc/gc-guide), "GOGC"
//	GC CPU/s = A·(c·S + F)/(N - L)                          the same: cycles/s times the cost of one
//	peak     = N + nonheap                                  the pacer aims to end a cycle at N
//
// The guide's model holds in a steady state: L, R and A stay what they are. c is a property
// of the data's shape and of the Go release, so it must be fitted to the program itself
// ([Fit]); it does not carry over.
//
// Under a memory limit single goals lie below N_limit: whenever mapped memory is over the limit for a moment, the
// excess is taken off (third term of X). Predictions use the steady goal, without an excess, and so are
// optimistic close to the cliff.
//
// # The cliff
//
// As N comes close to L, cycles/s grows without bound. The runtime's limiter (runtime/mgclimit.go)
// then holds the collector to 50 % of the processors and lets the heap pass the
// memory limit instead. The program is at half speed and still growing: a death spiral.
package gcmodel
