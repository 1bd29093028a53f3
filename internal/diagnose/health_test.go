package diagnose

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/unheap/unheap/gctrace"
)

func TestTraceHealth(t *testing.T) {
	base := gctrace.Summary{
		Format: gctrace.Go118, Procs: 4, Cycles: 100, GoalLast: 200 << 20, EffectiveGOGC: 100,
		Rates:   gctrace.Rates{Span: 10 * time.Second, CyclesPerSecond: 10, GCCPUShare: 0.2, AllocBytesPerSecond: 1 << 30},
		MarkCPU: gctrace.Quantiles{P50: 20 * time.Millisecond},
	}
	long := func(s *gctrace.Summary) { s.Span = 2 * time.Minute }
	rising, flat, filled := make([]int64, 40), make([]int64, 40), make([]int64, 40)
	for i := range rising {
		rising[i], flat[i], filled[i] = int64(100+10*i)<<20, 100<<20, int64(min(10+20*i, 300))<<20
	}
	for _, tt := range []struct {
		name   string
		change func(*gctrace.Summary)
		live   []int64
		want   string
		reason string
	}{
		{"allocation", func(*gctrace.Summary) {}, nil, VerdictAllocation, "1024 MiB/s"},
		{"live data", func(s *gctrace.Summary) { s.MarkCPU.P50 = heavyMark }, nil, VerdictLive, "threshold 200 ms"},
		{"fine", func(s *gctrace.Summary) { s.GCCPUShare = notAProblem - 0.001 }, nil, VerdictFine, "threshold 5 %"},
		{"lost cycles", func(s *gctrace.Summary) { s.GCCPUShare, s.Lost = 0.01, 20 }, nil, VerdictUnknown, "20 of 120 cycles are missing"},
		{"few lost cycles", func(s *gctrace.Summary) { s.GCCPUShare, s.Lost = 0.01, 5 }, nil, VerdictFine, ""},
		{"at the threshold", func(s *gctrace.Summary) { s.GCCPUShare = notAProblem }, nil, VerdictAllocation, "5.0 %"},
		{"limit", func(s *gctrace.Summary) { s.EffectiveGOGC = 12 }, nil, VerdictThrash, "effective GOGC is 12"},
		{"limit without load", func(s *gctrace.Summary) { s.EffectiveGOGC, s.GCCPUShare = 12, muchGC-0.01 }, nil, VerdictAllocation, ""},
		{"small goal", func(s *gctrace.Summary) { s.GoalLast, s.EffectiveGOGC = 4<<20, 300 }, nil, VerdictThrash, "raise GOGC"},
		{"few cycles", func(s *gctrace.Summary) { s.Cycles = enoughCycles - 1 }, nil, VerdictUnknown, "too few"},
		{"no time", func(s *gctrace.Summary) { s.Span = 0 }, nil, VerdictUnknown, ""},
		{"no clock", func(s *gctrace.Summary) { s.Format = gctrace.Go11 }, nil, VerdictUnknown, "neither the time"},
		{"leak", long, rising, VerdictLeak, "from 245 MiB in the second to 445 MiB in the last"},
		{"leak under no load", func(s *gctrace.Summary) { long(s); s.GCCPUShare = 0.001 }, rising, VerdictLeak, "heap profiles"},
		{"growth in a short trace", func(*gctrace.Summary) {}, rising, VerdictAllocation, ""},
		{"steady", long, flat, VerdictAllocation, ""},
		{"cache filled at the start", long, filled, VerdictAllocation, ""},
		{"too few buckets", long, rising[:2], VerdictAllocation, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := base
			tt.change(&s)
			var timeline gctrace.Timeline
			for _, live := range tt.live {
				timeline.Buckets = append(timeline.Buckets, gctrace.Bucket{Cycles: 1, LiveMax: live})
			}
			h, reasons := TraceHealth(s, timeline)
			if h.Verdict != tt.want {
				t.Errorf("verdict = %q (%q), want %q", h.Verdict, reasons, tt.want)
			}
			if len(reasons) == 0 || !strings.Contains(strings.Join(reasons, "; "), tt.reason) {
				t.Errorf("reasons = %q, want %q in them", reasons, tt.reason)
			}
			if h.GCCPUShare != s.GCCPUShare || h.AllocBytesPerS != s.AllocBytesPerSecond || h.CyclesPerS != s.CyclesPerSecond {
				t.Errorf("health = %+v does not hold the summary's figures", h)
			}
		})
	}
}

// A server of 2018 whose collector marks 300 MiB of pointers for more than a second of processor time.
func TestTraceHealthOfLog(t *testing.T) {
	f, err := os.Open(filepath.Join("..", "..", "gctrace", "testdata", "server-and-compilers.txt"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r, err := gctrace.Read(f)
	if err != nil {
		t.Fatal(err)
	}
	p := r.Busiest()
	if h, reasons := TraceHealth(p.Summary, p.Timeline); h.Verdict != VerdictLive || h.LiveBytes != 351<<20 {
		t.Errorf("health = %+v (%q), want %q with 351 MiB live", h, reasons, VerdictLive)
	}
}
