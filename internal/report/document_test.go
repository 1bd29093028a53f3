package report

import "github.com/unheap/unheap/finding"

// document is a run of fix with every outcome in it.
func document() *finding.Document {
	const guard = `--- a/partition/partition.go
+++ b/partition/partition.go
@@ -39,5 +39,7 @@
 func (p *Partitioner) Partition(key []byte) int {
 	n := hash(key) % p.n
-	p.log.Debug("partition", "key", key, "n", n)
+	if p.log.Enabled(context.Background(), slog.LevelDebug) {
+		p.log.Debug("partition", "key", key, "n", n)
+	}
 	return n
 }
`
	patch := func(file, before, after string) string {
		return "--- a/" + file + "\n+++ b/" + file + "\n@@ -15,1 +15,1 @@\n-\t" + before + "\n+\t" + after + "\n"
	}
	itoa := patch("encode.go", `return fmt.Sprintf("%d", n)`, "return strconv.Itoa(n)")
	return &finding.Document{
		Schema: finding.Schema,
		Tool:   finding.Tool{Name: "unheap", Version: "v0.1.0"},
		Target: finding.Target{
			Module: "example.com/feed", Root: "/src/feed", GoVersion: "go1.26.8", GOOS: "linux", GOARCH: "amd64",
			Packages: []string{"example.com/feed", "example.com/feed/partition"},
			Benchmarks: []finding.Benchmark{
				{Package: "example.com/feed/partition", Name: "BenchmarkPartition", Measure: finding.Measure{NsPerOp: 202, BytesPerOp: 64, AllocsPerOp: 3.75}, AttributedBytes: 1,
					Outcome: &finding.Verdict{Status: finding.Accepted, Benchmark: "BenchmarkPartition",
						Before: &finding.Measure{NsPerOp: 202, BytesPerOp: 64, AllocsPerOp: 3.75}, After: &finding.Measure{NsPerOp: 40.5}, Ratio: 4.98, RatioLow: 4.61, RatioHigh: 5.13, P: 0.00001}},
				{Package: "example.com/feed", Name: "BenchmarkEncode/small", Measure: finding.Measure{NsPerOp: 1834.2, BytesPerOp: 36032, AllocsPerOp: 14}, AttributedBytes: 0.92, TestBytes: 0.05},
				{Package: "example.com/feed", Name: "BenchmarkLoad", Measure: finding.Measure{NsPerOp: 31_200_000, BytesPerOp: 14_680_064, AllocsPerOp: 126_097}, AttributedBytes: 0.7, TestBytes: 0.21},
			},
		},
		Findings: []finding.Finding{
			{
				ID: "3f1c9a52b7e0",
				Site: finding.Site{Package: "example.com/feed/partition", File: "partition/partition.go", Line: 41, Column: 14,
					Function: "(*Partitioner).Partition", Source: `p.log.Debug("partition", "key", key, "n", n)`},
				Leaf:      []finding.Frame{{Function: "log/slog.(*Logger).Debug", File: "log/slog/logger.go", Line: 200}},
				Alloc:     finding.Alloc{Kind: finding.KindBox, Type: "[]uint8", ObjectsPerOp: 3.75, BytesPerOp: 64, ObjectsShare: 0.621, BytesShare: 0.4312, Estimated: true},
				Benchmark: "BenchmarkPartition",
				Saving:    &finding.Saving{CPUShare: 0.31, Low: 0.28, High: 0.35},
				Reason: []finding.Step{
					{File: "partition/partition.go", Line: 41, Text: "key is stored in an interface"},
					{File: "partition/partition.go", Line: 41, Text: "the interface is stored in the slice of ...any"},
					{File: "log/slog/logger.go", Line: 200, Text: "the slice is passed to (*Logger).log, which keeps it"},
				},
				ReasonSource: finding.FromFlow,
				Parts: []finding.Part{
					{
						Leaf:  nil,
						Alloc: finding.Alloc{Kind: finding.KindBox, Type: "[]uint8", ObjectsPerOp: 2, BytesPerOp: 48, ObjectsShare: 0.4, BytesShare: 0.35},
						Reason: []finding.Step{
							{File: "partition/partition.go", Line: 41, Text: "key is stored in an interface"},
							{File: "partition/partition.go", Line: 41, Text: "the interface is stored in the slice of ...any"},
							{File: "log/slog/logger.go", Line: 200, Text: "the slice is passed to (*Logger).log, which keeps it"},
						},
						ReasonSource: finding.FromFlow,
					},
					{
						Leaf: []finding.Frame{
							{Function: "log/slog.(*Record).Add", File: "log/slog/record.go", Line: 131},
							{Function: "log/slog.(*Logger).log", File: "log/slog/logger.go", Line: 241},
							{Function: "log/slog.(*Logger).Debug", File: "log/slog/logger.go", Line: 200},
						},
						Alloc:        finding.Alloc{Kind: finding.KindAppend, Type: "[]log/slog.Attr", ObjectsPerOp: 1.75, BytesPerOp: 16, ObjectsShare: 0.221, BytesShare: 0.0812},
						Reason:       []finding.Step{{Text: "append grows the slice past its capacity"}},
						ReasonSource: finding.FromKind,
					},
				},
				Rule: "loglevel",
				Fixes: []finding.Fix{
					{Rule: "loglevel", Class: finding.Safe, Title: "ask for the level before the call", Diff: guard,
						Verdict: &finding.Verdict{Status: finding.Accepted, Tests: "14 tests of 2 packages", Covered: true, Benchmark: "BenchmarkPartition",
							Before: &finding.Measure{NsPerOp: 202, BytesPerOp: 64, AllocsPerOp: 3.75}, After: &finding.Measure{NsPerOp: 40.5},
							Ratio: 4.98, RatioLow: 4.61, RatioHigh: 5.13, P: 0.00001}},
				},
				Verdict: finding.Verdict{Status: finding.Accepted},
			},
			{
				ID:     "a1b2c3d4e5f6",
				Saving: &finding.Saving{CPUShare: 0.041, Low: 0.02, High: 0.06},
				Site: finding.Site{Package: "example.com/feed", File: "encode.go", Line: 15, Function: "label",
					Source: `return fmt.Sprintf("%d", n)`, Inline: []finding.Frame{{Function: "example.com/feed.Encode", File: "encode.go", Line: 31}}},
				Leaf:         []finding.Frame{{Function: "fmt.Sprintf", File: "fmt/print.go", Line: 240}},
				Alloc:        finding.Alloc{Kind: finding.KindString, Type: "string", ObjectsPerOp: 12, BytesPerOp: 192, ObjectsShare: 0.2, BytesShare: 0.2},
				Benchmark:    "BenchmarkEncode/small",
				Reason:       []finding.Step{{File: "fmt/print.go", Line: 240, Text: "string(p.buf) is returned"}},
				ReasonSource: finding.FromLibrary,
				Rule:         "sprintint",
				Fixes: []finding.Fix{
					{Rule: "sprintint", Class: finding.Safe, Title: "format the integer with strconv", Diff: itoa,
						Verdict: &finding.Verdict{Status: finding.Accepted, Tests: "TestLabel", Benchmark: "BenchmarkEncode/small",
							Before: &finding.Measure{NsPerOp: 1834.2, BytesPerOp: 36032, AllocsPerOp: 14}, After: &finding.Measure{NsPerOp: 1790, BytesPerOp: 35840, AllocsPerOp: 2},
							Ratio: 1.02, RatioLow: 0.99, RatioHigh: 1.06, P: 0.071}},
					{Rule: "appendint", Class: finding.Review, Title: "append the digits to the caller's buffer", Diff: patch("encode.go", `return fmt.Sprintf("%d", n)`, "return string(strconv.AppendInt(buf, int64(n), 10))"),
						Verdict: &finding.Verdict{Status: finding.Rejected, Oracle: "tests", Why: "TestLabel fails: got \"7\\n\", want \"7\""}},
				},
				Verdict: finding.Verdict{Status: finding.Accepted},
			},
			{
				ID: "0011223344ff",
				Site: finding.Site{Package: "example.com/feed", File: "internal/very/deeply/nested/directory/加载/loader.go", Line: 1204,
					Function: "(*Loader[go.shape.string,go.shape.*uint8]).加载所有行", Source: `行 := append(行, Row{名称: 名称, Value: v, Next: nil, Previous: nil, Comment: "a long one"})`},
				Alloc:        finding.Alloc{Kind: finding.KindAppend, Type: "[]feed.Row", ObjectsPerOp: 126_097, BytesPerOp: 14_680_064, ObjectsShare: 0.12, BytesShare: 0.3},
				Benchmark:    "BenchmarkLoad",
				Reason:       []finding.Step{{Text: "append grows the slice 41 times; its final length is known before the loop"}},
				ReasonSource: finding.FromKind,
				Rule:         "prealloc",
				Fixes: []finding.Fix{
					{Rule: "prealloc", Class: finding.Review, Title: "size the slice before the loop", Diff: patch("internal/very/deeply/nested/directory/加载/loader.go", "var 行 []Row", "行 := make([]Row, 0, n)"),
						Verdict: &finding.Verdict{Status: finding.Inconclusive, Oracle: "time", Why: "10 rounds do not tell the times apart", Benchmark: "BenchmarkLoad",
							Before: &finding.Measure{NsPerOp: 31_200_000, BytesPerOp: 14_680_064, AllocsPerOp: 126_097}, After: &finding.Measure{NsPerOp: 31_000_000, BytesPerOp: 9_000_000, AllocsPerOp: 126_060},
							Ratio: 1.01, RatioLow: 0.9, RatioHigh: 1.1, P: 0.4}},
				},
				Verdict:  finding.Verdict{Status: finding.Inconclusive},
				Warnings: []string{"BenchmarkLoad allocates a different number of objects each time: its counts are means of 6 runs"},
			},
			{
				ID:           "deadbeef0001",
				Site:         finding.Site{Package: "example.com/feed", File: "encode.go", Line: 88, Function: "Encode", Source: "return errors.New(msg)"},
				Alloc:        finding.Alloc{Kind: finding.KindNew, Type: "errors.errorString", ObjectsPerOp: 1, BytesPerOp: 16, ObjectsShare: 0.03, BytesShare: 0.0004},
				Benchmark:    "BenchmarkEncode/small",
				Reason:       []finding.Step{{File: "encode.go", Line: 88, Text: "the error is returned"}},
				ReasonSource: finding.FromFlow,
				Rule:         "errornew",
				Fixes: []finding.Fix{
					{Rule: "errornew", Class: finding.Review, Title: "make the error once", Diff: patch("encode.go", "return errors.New(msg)", "return errFailed"),
						Verdict: &finding.Verdict{Status: finding.Rejected, Oracle: "time", Why: "1.20x slower", Ratio: 0.83, RatioLow: 0.8, RatioHigh: 0.86}},
				},
				Verdict: finding.Verdict{Status: finding.Rejected},
			},
			{
				ID:        "deadbeef0002",
				Site:      finding.Site{Package: "example.com/feed", File: "cache.go", Line: 9, Function: "(*Cache).Put", Source: "c.m[k] = v"},
				Alloc:     finding.Alloc{Kind: finding.KindMapAssign, ObjectsPerOp: 0.02, BytesPerOp: 41.5, ObjectsShare: 0.001, BytesShare: 0.01},
				Benchmark: "BenchmarkLoad",
				Verdict:   finding.Verdict{Status: finding.Unverified},
			},
			{
				ID:           "deadbeef0003",
				Site:         finding.Site{Package: "example.com/feed", File: "cache.go", Line: 30, Function: "Open", Source: "go c.sweep()"},
				Alloc:        finding.Alloc{Kind: finding.KindGo, ObjectsPerOp: 1, BytesPerOp: 4096, ObjectsShare: 0.001, BytesShare: 0.01},
				Benchmark:    "BenchmarkLoad",
				Reason:       []finding.Step{{Text: "a new goroutine needs a stack"}},
				ReasonSource: finding.FromKind,
				Rule:         "workers",
				Advice:       "start the goroutine once and send it work",
				Verdict:      finding.Verdict{Status: finding.Unverified},
			},
		},
		Combined: guard + itoa,
		Warnings: []string{"types are not known: the binary is stripped; build without -ldflags=-s"},
	}
}
