package gctrace

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
	"time"
)

// cycle is what a test says of a line in one glance.
type cycle struct {
	process int
	pkg     string
	seq     int64
}

func cycles(t *testing.T, log string) ([]cycle, Counts) {
	t.Helper()
	var got []cycle
	s := NewScanner(strings.NewReader(log))
	for s.Scan() {
		if e := s.Event(); e.Kind == Cycle {
			got = append(got, cycle{e.Process, e.Package, e.Seq})
		}
	}
	if err := s.Err(); err != nil {
		t.Fatal(err)
	}
	return got, s.Counts()
}

func read(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// TestRealLogs reads logs of six Go releases: every line is the runtime's, and every log is one process.
func TestRealLogs(t *testing.T) {
	logs, err := filepath.Glob("testdata/go1.*.txt")
	if err != nil || len(logs) < 9 {
		t.Fatalf("found %d logs, %v", len(logs), err)
	}
	for _, log := range logs {
		name := filepath.Base(log)
		if strings.Contains(name, "build") {
			continue
		}
		got, counts := cycles(t, read(t, name))
		// One of the programs exited while the runtime was printing.
		if len(got) == 0 || counts.Lines != counts.Cycles+counts.Notices+counts.Truncated || counts.Truncated > 1 {
			t.Errorf("%s: %+v", name, counts)
		}
		for _, c := range got {
			if c.process != 0 { // although the samples leave out the middle of each log
				t.Errorf("%s: gc %d is given to process %d", name, c.seq, c.process)
			}
		}
		for s := NewScanner(strings.NewReader(read(t, name))); s.Scan(); {
			if e := s.Event(); e.Kind == Cycle && (e.Format != Go118 || e.Procs != 2 || e.Wall() <= 0) {
				t.Errorf("%s: %+v", name, e)
			}
		}
	}
}

// TestCompilerLines splits a log of a real `GODEBUG=gctrace=1 go build`: go command, then three compilers.
func TestCompilerLines(t *testing.T) {
	got, counts := cycles(t, read(t, "go1.26.8-build.txt"))
	var want []cycle
	for _, p := range []struct {
		process  int
		pkg      string
		from, to int64
	}{{0, "", 1, 8}, {1, "runtime", 1, 10}, {0, "", 9, 9}, {2, "strconv", 1, 3}, {3, "sort", 1, 5}} {
		for seq := p.from; seq <= p.to; seq++ {
			want = append(want, cycle{p.process, p.pkg, seq})
		}
	}
	equal(t, got, want)
	if counts.Headers != 3 || counts.Other != 4 {
		t.Errorf("counts: %+v", counts)
	}
}

func TestServerAndCompilers(t *testing.T) {
	const vendor = "refresh_agent/vendor/github.com/"
	got, _ := cycles(t, read(t, "server-and-compilers.txt"))
	var want []cycle
	for seq := int64(45); seq <= 53; seq++ {
		want = append(want, cycle{0, "", seq})
	}
	want = append(want, cycle{1, vendor + "garyburd/redigo/redis", 1}, cycle{2, vendor + "imroc/req", 1}, cycle{3, vendor + "BurntSushi/toml", 1},
		cycle{4, vendor + "modern-go/reflect2", 1}, cycle{4, vendor + "modern-go/reflect2", 2},
		cycle{5, vendor + "json-iterator/go", 1}, cycle{5, vendor + "json-iterator/go", 2})
	equal(t, got, want)
}

// TestGameServer: three lines of three servers. gc 14 does not continue gc 13, which had allocated more objects.
func TestGameServer(t *testing.T) {
	got, _ := cycles(t, read(t, "game-server.txt"))
	equal(t, got, []cycle{{0, "", 16}, {1, "", 13}, {2, "", 14}})
}

func equal(t *testing.T, got, want []cycle) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("got %d cycles, want %d: %v", len(got), len(want), got)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("cycle %d: got %v, want %v", i, got[i], want[i])
		}
	}
}

// TestInterleaved mixes the logs of two programs that started together, line by line. Nothing
// but the heap's size tells them apart.
func TestInterleaved(t *testing.T) {
	const small = "gc %d @0.%03ds 4%%: 0.05+1.3+0.002 ms clock, 0.11+0.66/0.066/0.14+0.005 ms cpu, 9->10->5 MB, 10 MB goal, 0 MB stacks, 0 MB globals, 2 P\n"
	const large = "gc %d @0.%03ds 4%%: 0.05+2.4+0.002 ms clock, 0.11+0.66/0.066/0.14+0.005 ms cpu, 90->99->50 MB, 100 MB goal, 0 MB stacks, 0 MB globals, 2 P\n"
	var log strings.Builder
	var want []cycle
	for seq := 1; seq < 60; seq++ {
		// The order of the two changes, as it does in life.
		first, second, p := small, large, 0
		if seq%3 == 0 {
			first, second, p = large, small, 1
		}
		log.WriteString(fmt.Sprintf(first, seq, 10*seq) + fmt.Sprintf(second, seq, 10*seq+3))
		want = append(want, cycle{p, "", int64(seq)}, cycle{1 - p, "", int64(seq)})
	}
	got, _ := cycles(t, log.String())
	equal(t, got, want)
}

func TestGaps(t *testing.T) {
	const line = "gc %d @%d.000s 4%%: 0.05+130+0.002 ms clock, 0.11+0.66/0.066/0.14+0.005 ms cpu, 9->10->5 MB, %d MB goal, 0 MB stacks, 0 MB globals, %d P\n"
	for _, c := range []struct {
		name string
		next string
		want int
	}{
		{"one lost", fmt.Sprintf(line, 12, 20, 10, 2), 0},
		{"many lost", fmt.Sprintf(line, 1200, 200, 12, 2), 0},
		{"many lost, other goal", fmt.Sprintf(line, 1200, 200, 300, 2), 1},
		{"many lost, other processors", fmt.Sprintf(line, 1200, 200, 10, 8), 1},
		{"next, other processors", fmt.Sprintf(line, 11, 20, 10, 8), 0}, // GOMAXPROCS was called
		{"same number", fmt.Sprintf(line, 10, 20, 10, 2), 1},
		{"time runs back", fmt.Sprintf(line, 11, 9, 10, 2), 1},
		{"right after the last one ended", "gc 11 @10.131s 4%: 0+0+0 ms clock, 0+0/0/0+0 ms cpu, 9->10->5 MB, 10 MB goal, 0 MB stacks, 0 MB globals, 2 P\n", 0},
		{"before the last one ended", "gc 11 @10.050s 4%: 0+0+0 ms clock, 0+0/0/0+0 ms cpu, 9->10->5 MB, 10 MB goal, 0 MB stacks, 0 MB globals, 2 P\n", 1},
		{"other format", "gc 11 @20.001s 4%: 0+0+0 ms clock, 0+0/0/0+0 ms cpu, 9->10->5 MB, 10 MB goal, 2 P\n", 1},
	} {
		got, _ := cycles(t, fmt.Sprintf(line, 10, 10, 10, 2)+c.next)
		if len(got) != 2 || got[1].process != c.want {
			t.Errorf("%s: got %v, want process %d", c.name, got, c.want)
		}
	}
}

func TestManyProcesses(t *testing.T) {
	var log strings.Builder
	for i := range 1000 {
		log.WriteString(fmt.Sprintf("# example.com/p%d\n", i))
		log.WriteString("gc 1 @0.078s 5%: 0.075+24+0.040 ms clock, 0.15+0.15/11/17+0.081 ms cpu, 16->16->11 MB, 42 MB goal, 2 P\n")
	}
	got, _ := cycles(t, log.String())
	for i, c := range got {
		if c.process != i {
			t.Fatalf("line %d: process %d", i, c.process)
		}
	}
	r, err := Read(strings.NewReader(log.String()))
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Processes) != MaxProcesses || r.Others.Processes != 1000-MaxProcesses || r.Others.Cycles != 1000-MaxProcesses {
		t.Errorf("got %d processes and %+v", len(r.Processes), r.Others)
	}
}

func TestCounts(t *testing.T) {
	log := "listening\r\n" +
		strings.Repeat("x", MaxLine+1) + "\n" +
		"gc 1 @0.078s 5%: 0.075+24+0.040 ms clock, 0.15+0.15/11/17+0.081 ms cpu, 16->16->11 MB, 42 MB goal, 2 P\r\n" +
		"gc 2 @0.178s 5%: 0.075+24\n" +
		"gc 3 @0.278s 5%: 0.075+!!\n" +
		"# cmd/go [cmd/go.test]\n" +
		"# a heading of the program's\n" +
		"GC forced\n" +
		"gc 4 @0.378s 5%: 0.075+24+0.040 ms clock, 0.15+0.15/11/17+0.081 ms cpu, 16->16->11 MB, 42 MB go"
	want := Counts{Lines: 9, Cycles: 1, Notices: 1, Headers: 1, Other: 2, Corrupt: 1, Truncated: 2, Long: 1}
	for _, wrap := range []struct {
		name string
		log  *bufio.Reader
	}{
		{"whole", bufio.NewReader(strings.NewReader(log))},
		{"byte by byte", bufio.NewReaderSize(iotest.OneByteReader(strings.NewReader(log)), 16)},
	} {
		s := NewScanner(wrap.log)
		lines := []int64{}
		for s.Scan() {
			lines = append(lines, s.Event().Line)
		}
		if got := s.Counts(); got != want || s.Err() != nil {
			t.Errorf("%s: got %+v, %v; want %+v", wrap.name, got, s.Err(), want)
		}
		if len(lines) != 2 || lines[0] != 3 || lines[1] != 8 {
			t.Errorf("%s: events on lines %v, want 3 and 8", wrap.name, lines)
		}
	}
}

func TestReadError(t *testing.T) {
	broken := errors.New("broken pipe")
	s := NewScanner(iotest.ErrReader(broken))
	if s.Scan() || !errors.Is(s.Err(), broken) {
		t.Errorf("got %v, want %v", s.Err(), broken)
	}
	if _, err := Read(iotest.TimeoutReader(strings.NewReader("gc\n"))); !errors.Is(err, iotest.ErrTimeout) {
		t.Errorf("got %v, want %v", err, iotest.ErrTimeout)
	}
}

// TestOldPauses: the old and the new layout of one server's data, in wall time and in work.
func TestOldPauses(t *testing.T) {
	var events []Event
	for s := NewScanner(strings.NewReader(read(t, "game-server.txt"))); s.Scan(); {
		events = append(events, s.Event())
	}
	for i, want := range []struct {
		stopped, low, high time.Duration
	}{
		{45 * time.Millisecond, 45 * time.Millisecond, (8*40 + 5) * time.Millisecond},
		{401 * time.Millisecond, 401 * time.Millisecond, 401 * time.Millisecond},
		{32 * time.Millisecond, 32 * time.Millisecond, (6*31 + 1) * time.Millisecond},
	} {
		low, high := events[i].Work()
		if got := events[i].Stopped(); got != want.stopped || low != want.low || high != want.high {
			t.Errorf("gc %d: stopped %v, work %v to %v; want %+v", events[i].Seq, got, low, high, want)
		}
	}
}

// FuzzScanner: any stream is read to its end, every line is counted once, and events never exceed lines.
func FuzzScanner(f *testing.F) {
	for _, c := range samples {
		f.Add([]byte(c.line))
	}
	f.Add([]byte("gc 1 @1s 1%: gc1(1): 1+gc #2 @\n\n\r\n# x\nscvg"))
	f.Add(bytes.Repeat([]byte("gc"), MaxLine))
	f.Fuzz(func(t *testing.T, log []byte) {
		s := NewScanner(bytes.NewReader(log))
		var z Summarizer
		var timeline Timeline
		events := int64(0)
		for s.Scan() {
			e := s.Event()
			if events++; events > e.Line {
				t.Fatalf("%d events in %d lines", events, e.Line)
			}
			if e.Kind == Cycle && (e.Process < 0 || e.Wall() < 0 || e.CPU.Total() < 0 || e.Heap.Start < 0 || e.Heap.Goal < 0) {
				t.Fatalf("out of range: %+v", e)
			}
			z.Add(e)
			timeline.Add(e)
			AppendCSV(nil, &e)
		}
		if s.Err() != nil {
			t.Fatal(s.Err())
		}
		c := s.Counts()
		if sum := c.Cycles + c.Notices + c.Headers + c.Other + c.Corrupt + c.Truncated + c.Long; sum != c.Lines || events != c.Cycles+c.Notices {
			t.Fatalf("%d events, %+v", events, c)
		}
		lines := int64(bytes.Count(log, []byte("\n")))
		if len(log) > 0 && log[len(log)-1] != '\n' {
			lines++
		}
		if c.Lines != lines {
			t.Fatalf("counted %d lines, want %d", c.Lines, lines)
		}
		if len(timeline.Buckets) > timelineBuckets {
			t.Fatalf("%d buckets", len(timeline.Buckets))
		}
		z.Summary()
	})
}
