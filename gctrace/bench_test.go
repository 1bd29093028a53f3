package gctrace

import (
	"bytes"
	"strings"
	"testing"
)

// BenchmarkScan reads each format, and a log that is mostly the program's own.
func BenchmarkScan(b *testing.B) {
	for _, c := range samples {
		b.Run(c.name, func(b *testing.B) { scan(b, c.line+"\n") })
	}
	b.Run("other output", func(b *testing.B) {
		scan(b, `{"level":"info","ts":1764000000.1,"msg":"request served","path":"/agc/objects/17","status":200,"bytes":48211}`+"\n")
	})
}

func scan(b *testing.B, line string) {
	log := []byte(strings.Repeat(line, 1<<20/len(line)))
	r := bytes.NewReader(log)
	s := NewScanner(r)
	b.SetBytes(int64(len(log)))
	b.ReportAllocs()
	for b.Loop() {
		r.Reset(log)
		s.r.Reset(r)
		s.err = nil
		for s.Scan() {
		}
	}
	if s.Counts().Corrupt+s.Counts().Truncated > 0 {
		b.Fatalf("%+v", s.Counts())
	}
}

// BenchmarkSummarize is all that a report does with a cycle once it is read.
func BenchmarkSummarize(b *testing.B) {
	var z Summarizer
	var timeline Timeline
	e := samples[8].want
	b.ReportAllocs()
	for b.Loop() {
		e.Seq++
		e.At += 1e9
		z.Add(e)
		timeline.Add(e)
	}
}
