// Package capture collects the evidence of live Go programs over HTTP and keeps it in one file, the
// bundle, from which reports can be made later and elsewhere.
//
// # What is asked, and when
//
// Each program that serves net/http/pprof is asked, over loopback or across a network, in this order:
//
//	is anybody there    /debug/pprof/
//	counters before     /metrics; memstats of /debug/vars, or the end of heap?debug=1
//	the window          profile?seconds=N and allocs?seconds=N, at the same time
//	counters after      as before
//	state               heap, goroutine, cmdline, /debug/buildinfo
//	trace               trace?seconds=N, by itself
//
// The programs of a fleet go through this side by side.
//
// The CPU profile and the profile difference share the window: the latter works only at its two ends. The runtime
// lets an execution trace run at the same time, but a trace is megabytes a second that the program itself must
// write and send: on a busy server it shows in the CPU profile and in the allocation rate. It comes last, alone.
//
// The heap and allocs endpoints give the same four columns and differ only in which one is shown first
// (runtime/pprof.writeHeapInternal), so one difference is taken, and one heap profile as it stands, for what is live.
// No collection is forced: a heap profile is as of a recent cycle, and a difference counts only what was
// allocated up to one; a window without several cycles says little, and [Health] then warns.
//
// Goroutines are taken as a profile (stacks with counts), which stops the world for a moment, and not as the text of
// debug=2, which stops it for as long as it takes to print every stack.
//
// Statistics come from /debug/vars rather than heap?debug=1 where both are there: reading them costs the program
// tens of kilobytes of allocation, not a full profile.
//
// # What is not kept
//
// Bundles travel. Of the command line only the program's name is kept, of /debug/vars only memstats, of /metrics only
// go_* and process_*, of build information all but linker flags; URLs lose user, password and query; headers are never kept. Profiles and traces hold
// function and file names, goroutine labels, and no values of variables.
//
// # The bundle
//
// A bundle is a zip file: a folder for each program, and manifest.json ([Manifest]) with the size and SHA-256 of
// every entry. [Open] trusts none of it.
package capture
