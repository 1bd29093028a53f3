package gctrace

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// summarize reads a log and returns its processes.
func summarize(t *testing.T, log string) []Process {
	t.Helper()
	r, err := Read(strings.NewReader(log))
	if err != nil {
		t.Fatal(err)
	}
	return r.Processes
}

// TestServer works the agent's trace out by hand. The runtime prints 13 %, the share since the
// start; over the trace's own window it is 18 %.
func TestServer(t *testing.T) {
	s := summarize(t, read(t, "server-and-compilers.txt"))[0].Summary
	// From the end of gc 45 (37.801 + 0.19 + 627 + 0.29 ms) to the end of gc 53.
	from, to := 38428480*time.Microsecond, 53871460*time.Microsecond
	if s.From != from || s.To != to || s.Span != to-from {
		t.Errorf("from %v to %v, want %v to %v", s.From, s.To, from, to)
	}
	// gc 46 to 53: both stops, assists and background workers.
	cpu := []float64{
		5.8 + 342 + 925 + 0.33, 0.49 + 291 + 1007 + 0.24, 0.52 + 377 + 830 + 0.24, 6.2 + 492 + 833 + 0.81,
		0.47 + 624 + 1158 + 0.27, 0.52 + 358 + 1336 + 0.28, 0.55 + 403 + 805 + 1.0, 0.21 + 467 + 851 + 0.73,
	}
	sum := 0.0
	for _, ms := range cpu {
		sum += ms / 1e3
	}
	near(t, "GC CPU share", s.GCCPUShare, sum/(4*(to-from).Seconds()))
	near(t, "cycles/s", s.CyclesPerSecond, 8/(to-from).Seconds())
	// Heap at each end less the live heap before: 460-225, 559-275, ...
	near(t, "allocation rate", s.AllocBytesPerSecond, mb*(235+284+242+257+285+297+314+326)/(to-from).Seconds())
	near(t, "effective GOGC", s.EffectiveGOGC, 100*float64(225+276+319+272+295+323+344+341)/(225+275+319+271+294+323+343+340))
	near(t, "assist share", s.AssistShare, (.424+.342+.291+.377+.492+.624+.358+.403+.467)/s.GCCPU.Seconds())
	if s.LiveFirst != 225*mb || s.LiveLast != 351*mb || s.LiveMax != 351*mb || s.HeapMax != 666*mb || s.GoalLast != 681*mb {
		t.Errorf("heap: %+v", s)
	}
	if s.Pauses.Count != 18 || s.Pauses.Max != 3100*time.Microsecond || s.MarkWall.Max != 1410*time.Millisecond {
		t.Errorf("pauses %+v, mark %+v", s.Pauses, s.MarkWall)
	}
	if diff := cmp.Diff(s.Rates, s.Window); diff != "" {
		t.Errorf("eight cycles are all in the last window:\n%s", diff)
	}
	warned(t, s, "only 9 cycles")
}

// TestWindow doubles the cost of a cycle half way: only the last window shows it in full.
func TestWindow(t *testing.T) {
	var z Summarizer
	for i := range int64(200) {
		e := Event{Kind: Cycle, Format: Go118, Seq: i + 1, At: time.Duration(i) * time.Second, Procs: 2, Heap: Heap{Start: 90 * mb, End: 100 * mb, Live: 50 * mb, Goal: 100 * mb}}
		if e.CPU.Background = 100 * time.Millisecond; i >= 100 {
			e.CPU.Background *= 2
		}
		z.Add(e)
	}
	s := z.Summary()
	near(t, "whole share", s.GCCPUShare, (100*0.1+100*0.2)/(2*199))
	near(t, "window's share", s.Window.GCCPUShare, 0.1)
	near(t, "window's cycles", s.Window.CyclesPerSecond, 1)
	near(t, "window's allocation", s.Window.AllocBytesPerSecond, 50*mb)
	near(t, "effective GOGC", s.EffectiveGOGC, 100)
	if s.Window.Span != windowCycles*time.Second || len(s.Warnings) != 0 {
		t.Errorf("span %v, warnings %q", s.Window.Span, s.Warnings)
	}
}

func TestWarnings(t *testing.T) {
	game := summarize(t, read(t, "game-server.txt"))
	warned(t, game[1].Summary, "Go 1.1-1.2 carry no time")
	if s := game[1].Summary; s.WorkHigh != 401*time.Millisecond || s.ObjectsLast != 1659922 || s.LiveLast != 107*mb || s.GCCPUShare != 0 {
		t.Errorf("%+v", s)
	}
	lost := summarize(t, read(t, "go1.26.8.txt"))[0].Summary
	if lost.Lost != lost.LastSeq-lost.FirstSeq+1-lost.Cycles || lost.Lost == 0 {
		t.Errorf("%+v", lost)
	}
	warned(t, lost, "are missing")
	warned(t, summarize(t, read(t, "go1.26.8-leak.txt"))[0].Summary, "most cycles were forced")
	warned(t, summarize(t, read(t, "go1.26.8-build.txt"))[0].Summary, "least heap goal")
	var none Summarizer
	warned(t, none.Summary(), "no cycles")
}

func warned(t *testing.T, s Summary, text string) {
	t.Helper()
	if !slices.ContainsFunc(s.Warnings, func(w string) bool { return strings.Contains(w, text) }) {
		t.Errorf("no warning of %q in %q", text, s.Warnings)
	}
}

func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 1e-9*math.Abs(want) {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

// TestQuantiles holds the histogram against sorted values.
func TestQuantiles(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, scale := range []float64{10, 1e3, 1e6, 1e9} { // µs
		var h histogram
		var all []time.Duration
		for range 5000 {
			d := time.Duration(scale*r.ExpFloat64()) * time.Microsecond
			h.add(d)
			all = append(all, d)
		}
		slices.Sort(all)
		q := h.quantiles()
		for _, c := range []struct {
			got   time.Duration
			share float64
		}{{q.P50, 0.5}, {q.P90, 0.9}, {q.P99, 0.99}, {q.Max, 1}} {
			want := all[int(math.Ceil(c.share*5000))-1]
			if d := c.got - want; d.Abs() > want/64+time.Microsecond/2 {
				t.Errorf("scale %v, quantile %v: got %v, want %v", scale, c.share, c.got, want)
			}
		}
	}
}

func TestTimeline(t *testing.T) {
	clocked := Event{Kind: Cycle, Format: Go118, Procs: 2, CPU: CPU{Assist: 1, Background: 2}, Clock: Clock{SweepTerm: 3}, Heap: Heap{Start: 1, End: 7, Live: 5, Goal: 6}}
	old := Event{Kind: Cycle, Format: Go11, Procs: 2}
	for _, c := range []struct {
		name  string
		event Event
		n     int64
	}{{"short", clocked, 3}, {"long", clocked, 10000}, {"old", old, 10000}} {
		var tl Timeline
		for i := range c.n {
			e := c.event
			e.Seq, e.At = 41+i, time.Hour+time.Duration(i)*7*time.Millisecond
			tl.Add(e)
		}
		total := Bucket{}
		for _, b := range tl.Buckets {
			total.merge(b)
		}
		if len(tl.Buckets) > timelineBuckets || c.n > 1000 && len(tl.Buckets) <= timelineBuckets/2 {
			t.Errorf("%s: %d buckets", c.name, len(tl.Buckets))
		}
		if total.Cycles != c.n || total.GCCPU != c.event.CPU.Total()*time.Duration(c.n) || total.HeapMax != c.event.Heap.End || total.LongestSTW != c.event.Stopped() {
			t.Errorf("%s: %+v", c.name, total)
		}
		if c.event.Format.Clocked() {
			if end := tl.Start + tl.Width*time.Duration(len(tl.Buckets)); tl.Start != time.Hour || end < time.Hour+time.Duration(c.n-1)*7*time.Millisecond {
				t.Errorf("%s: from %v to %v", c.name, tl.Start, end)
			}
		} else if tl.Width != 0 || tl.FirstSeq != 41 || tl.Seqs*int64(len(tl.Buckets)) < c.n {
			t.Errorf("%s: from gc %d, %d each", c.name, tl.FirstSeq, tl.Seqs)
		}
	}
}

func TestReportJSON(t *testing.T) {
	for _, name := range []string{"server-and-compilers.txt", "game-server.txt", "go1.26.8-all.txt"} {
		want, err := Read(strings.NewReader(read(t, name)))
		if err != nil {
			t.Fatal(err)
		}
		b, err := json.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		var got Report
		if err := json.Unmarshal(b, &got); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: lost on the way through JSON:\n%s", name, diff)
		}
	}
	r, _ := Read(strings.NewReader(read(t, "server-and-compilers.txt")))
	if p := r.Busiest(); p == nil || p.Process != 0 {
		t.Errorf("busiest: %+v", p)
	}
	if (&Report{}).Busiest() != nil {
		t.Error("an empty report has a busiest process")
	}
}

func TestEventJSON(t *testing.T) {
	for _, c := range samples {
		b, err := json.Marshal(c.want)
		if err != nil {
			t.Fatal(err)
		}
		var got Event
		if err := json.Unmarshal(b, &got); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s:\n%s", c.name, diff)
		}
	}
	if err := new(Kind).UnmarshalText([]byte("x")); err == nil {
		t.Error("an unknown kind was accepted")
	}
	if err := new(Format).UnmarshalText([]byte("x")); err == nil {
		t.Error("an unknown format was accepted")
	}
}

func TestCSV(t *testing.T) {
	e := samples[8].want
	e.Line, e.Package = 7, "a,\"b\n"
	got := string(AppendCSV(nil, &e))
	want := `7,0,ab,1.6-1.17,51,48.252,1.4104,0.0004,1.41,1.6948,0.358,1.336,0.0099,530579456,650117120,359661568,677380096,0,0,4,false,0`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if strings.Count(got, ",") != strings.Count(CSVHeader, ",") {
		t.Error("the row and the header differ in columns")
	}
}
