package gcmodel_test

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"runtime"
	"runtime/metrics"
	"testing"
	"time"

	"github.com/unheap/unheap/gctrace"
	"github.com/unheap/unheap/internal/gcmodel"
)

const mib = 1 << 20

// memory is what the child says of itself after its last cycle, in bytes.
type memory struct{ Live, Roots, Goal, NonHeap, Mapped int64 }

func TestMain(m *testing.M) {
	if os.Getenv("GCMODEL_CHILD") != "" {
		child()
		return
	}
	os.Exit(m.Run())
}

// child keeps 24 MiB, allocates 600 MiB of garbage, and reports.
func child() {
	deadline := time.Now().Add(2 * time.Second)
	live := make([]*[1 << 10]byte, 24<<10)
	for i := range live {
		live[i] = new([1 << 10]byte)
	}
	var sink []byte
	for i := 0; i < 600 && time.Now().Before(deadline); i++ {
		for range 256 {
			sink = make([]byte, 4<<10)
		}
	}
	runtime.GC()
	runtime.KeepAlive(sink)

	samples := []metrics.Sample{
		{Name: "/gc/heap/live:bytes"}, {Name: "/gc/scan/stack:bytes"}, {Name: "/gc/scan/globals:bytes"}, {Name: "/gc/heap/goal:bytes"},
		{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"},
		{Name: "/memory/classes/heap/free:bytes"}, {Name: "/memory/classes/heap/objects:bytes"},
	}
	metrics.Read(samples)
	v := func(i int) int64 { return int64(samples[i].Value.Uint64()) }
	mapped := v(4) - v(5)
	json.NewEncoder(os.Stdout).Encode(memory{Live: v(0), Roots: v(1) + v(2), Goal: v(3), Mapped: mapped, NonHeap: mapped - v(6) - v(7)})
	runtime.KeepAlive(live)
}

// TestGoalOfRealProgram holds the equations against the running Go release: every heap goal of the
// trace within its rounding, and the last one, from exact figures, to the byte (GOGC) or to 1 % (memory limit,
// whose inputs can move between the goal and the reading).
func TestGoalOfRealProgram(t *testing.T) {
	for _, c := range []struct {
		name  string
		env   []string
		gogc  int
		limit int64
	}{
		{"GOGC=50", []string{"GOGC=50"}, 50, gcmodel.Unlimited},
		{"GOGC=100", nil, 100, gcmodel.Unlimited},
		{"GOGC=200", []string{"GOGC=200"}, 200, gcmodel.Unlimited},
		{"GOGC=off, 64 MiB", []string{"GOGC=off", "GOMEMLIMIT=64MiB"}, -1, 64 * mib},
		{"GOGC=100, 40 MiB", []string{"GOMEMLIMIT=40MiB"}, 100, 40 * mib},
		{"GOGC=100, 1 GiB", []string{"GOMEMLIMIT=1GiB"}, 100, 1 << 30},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			self, trace := runChild(t, c.env)
			want := min(gcmodel.GoalGOGC(self.Live, self.Roots, c.gogc), gcmodel.GoalLimit(self.Live, c.limit, self.NonHeap, self.Mapped))
			slack := int64(0)
			if limited := gcmodel.GoalGOGC(self.Live, self.Roots, c.gogc) != want; limited {
				slack = want / 100
			}
			if d := self.Goal - want; d < -slack || d > slack {
				t.Errorf("the runtime's goal is %d, the model's %d: %d bytes apart", self.Goal, want, d)
			}
			compareGoals(t, trace, self.NonHeap, c.gogc, c.limit)
		})
	}
}

func runChild(t *testing.T, env []string) (memory, []byte) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "GCMODEL_CHILD=1", "GODEBUG=gctrace=1", "GOGC=100", "GOMEMLIMIT=off")
	cmd.Env = append(cmd.Env, env...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		t.Fatalf("the child program: %v\n%s", err, stderr.Bytes())
	}
	var self memory
	if err := json.Unmarshal(stdout.Bytes(), &self); err != nil {
		t.Fatalf("the child program's report: %v", err)
	}
	return self, stderr.Bytes()
}

// compareGoals predicts each cycle's goal from the cycle before it.
func compareGoals(t *testing.T, trace []byte, nonHeap int64, gogc int, limit int64) {
	compared, steady := 0, 0
	var last gctrace.Event
	for s := gctrace.NewScanner(bytes.NewReader(trace)); s.Scan(); {
		e := s.Event()
		if e.Kind != gctrace.Cycle {
			continue
		}
		if last.Seq > 0 && last.Heap.Live >= 24*mib {
			live, roots := last.Heap.Live, last.Heap.Stacks+last.Heap.Globals
			// Whole MiB, rounded down, on both sides. What is not heap varies from cycle to cycle, so
			// all that bounds a limited goal from above is the limit itself.
			low := min(gcmodel.GoalGOGC(live, roots, gogc), gcmodel.GoalLimit(live, limit, nonHeap+2*mib, 0)) - mib
			high := min(gcmodel.GoalGOGC(live+mib, roots+2*mib, gogc), gcmodel.GoalLimit(live+mib, limit, 0, 0))
			compared++
			if e.Heap.Goal >= low {
				steady++
			}
			floor := low
			if low < gcmodel.GoalGOGC(live, roots, gogc)-mib {
				floor = live // mapped memory that is over the limit for a moment lowers one goal, and no trace tells by how much
			}
			if e.Heap.Goal < floor || e.Heap.Goal > high {
				t.Errorf("gc %d: goal %d MiB, want %.1f to %.1f MiB", e.Seq, e.Heap.Goal/mib, float64(floor)/mib, float64(high)/mib)
			}
		}
		last = e
	}
	if compared < 3 || steady == 0 {
		t.Errorf("%d of %d goals are the steady ones, want some of at least three", steady, compared)
	}
}
