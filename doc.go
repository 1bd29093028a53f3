// Package unheap takes a Go program from "the garbage collector is eating us"
// to a fix that is measured. This file is a map; the program is cmd/unheap.
//
// Data flows one way:
//
//	benchmarks, profiles, compiler, binary
//	        |  evidence    internal/run, profile, compiler, binary, measure
//	        v
//	    diagnose           internal/diagnose: which of your lines, how much, why
//	        |              internal/recognise, rules: which idiom, what rewrite
//	        v
//	    fix                internal/fix: try each rewrite against its oracles
//	        |              internal/measure: before and after, side by side
//	        v
//	    report             internal/report: text, JSON, Markdown
//
// What one stage hands to the next is a finding
// ([github.com/unheap/unheap/finding]): a line of the user's own code, what it
// costs, the compiler's reason for putting that memory on the heap, the rule
// that knows the idiom, the fixes tried and the verdict on them.
//
// A rule ([github.com/unheap/unheap/rules]) is a plain analyzer that knows
// nothing of profiles. Diagnosis joins rule and weight on the site; fix keeps
// a rewrite only if it compiles, the compiler confirms the effect, benchmarks
// allocate less, tests pass and nothing slows down. What was not measured is
// called unverified.
//
// Every trial runs on overlays and copies. The user's files change only on
// request, each atomically.
package unheap
