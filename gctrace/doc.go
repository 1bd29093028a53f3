// Package gctrace reads the lines that a Go program prints about its garbage
// collections, in the format of every Go release, from a stream of any length
// and in constant memory.
//
// # Lines
//
// One line is one collection (a cycle). The runtime prints it to standard error when
// GODEBUG=gctrace=1 is set (GOGCTRACE=1 in the first releases). Its shape changed
// with the collector:
//
//	1.0        gc3(2): 5+1+0 ms 40 -> 21 MB 90 -> 50 (99-49) objects 8 handoff
//	1.1, 1.2   gc3(2): 5+1+0 ms, 40 -> 21 MB 90 -> 50 (99-49) objects, 4(9) handoff, ...
//	1.3        gc3(2): 5+0+186+0 us, 0 -> 0 MB, 18 (19-1) objects, 0/0/0 sweeps, ...
//	1.4        gc3(2): 5+0+186+0 us, 0 -> 0 MB, 18 (19-1) objects, 3 goroutines, 0/0/0 sweeps, ...
//	1.5 betas  gc #3 @0.1s 2%: ...
//	1.5        gc 3 @0.1s 2%: five clocks
//	1.6-1.17   gc 3 @0.1s 2%: three clocks
//	1.18+      the same, with "N MB stacks, N MB globals"
//
// From Go 1.26 on, " (checking for goroutine leaks)" may stand before the colon.
// Other lines of the runtime are read as well: the scavenger's (scvg, scav), the pacer's
// (pacer:), the mark statistics of gctrace=2 (scan:), and "GC forced". Everything else in the
// stream, such as the program's own log, is counted and skipped. A cycle is also
// found behind other text on its line, because a program that has written half a line does
// not stop the runtime from writing.
//
// # Several processes in one log
//
// GODEBUG is inherited: `GODEBUG=gctrace=1 go test` mixes the lines of the go command, of every
// compiler it starts and of the test. Nothing in a line names its process, so the [Scanner] infers it.
// A line continues a process when it has the same format, a higher gc number, and a timeline
// that moves forward: the cycle starts no earlier than the last one ended, or, where the format has
// no clock (1.0 to 1.4), the count of allocated objects has not fallen. Among several such
// processes the next gc number beats a gap, the same number of processors beats another, and the
// process whose last live heap explains this heap goal beats the others. A gap of more than
// eight cycles is accepted only with the same number of processors and a goal within a factor
// of two of the last. gc 1 always starts a process, and a
// "# import/path" header, which the go command prints before a compiler's output, ends the
// processes seen under the header before it. The go command keeps a compiler's output in the build cache and prints
// it again, so such lines may be those of an earlier build.
//
// # Units
//
// Sizes are bytes. The runtime prints whole mebibytes, rounded down, so every size is a multiple of 1<<20 and up to
// 1 MiB under the truth. Times are [time.Duration]. From Go 1.5 on they carry two significant digits under 10 ms
// and whole milliseconds above, rounded down. Sources: runtime/mgc.go (gcMarkTermination), and
// before 1.5 runtime/mgc0.c and mgc0.go.
package gctrace
