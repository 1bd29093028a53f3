package gctrace

import "time"

// timelineBuckets is the most buckets that a timeline has.
const timelineBuckets = 128

// A Timeline is a process's history in at most 128 buckets of equal width, as many as needed. When the trace outgrows
// them, neighbours merge and the width doubles. The zero value is ready for use.
type Timeline struct {
	// Start is the left end of the first bucket and Width the width of each: since the program's start. Formats
	// without a clock (Go 1.4 and earlier) count cycles instead: FirstSeq and Seqs.
	Start    time.Duration `json:"start_ns"`
	Width    time.Duration `json:"width_ns,omitempty"`
	FirstSeq int64         `json:"first_seq"`
	Seqs     int64         `json:"width_seqs,omitempty"`
	Buckets  []Bucket      `json:"buckets"`
}

// A Bucket sums up the cycles that began in it.
type Bucket struct {
	Cycles     int64         `json:"cycles"`
	GCCPU      time.Duration `json:"gc_cpu_ns"` // Go 1.5 and later
	Assist     time.Duration `json:"assist_ns"`
	Wall       time.Duration `json:"wall_ns"`
	LongestSTW time.Duration `json:"longest_stop_ns"` // largest [Event.Stopped]
	HeapMax    int64         `json:"heap_max_bytes"`
	LiveMax    int64         `json:"live_max_bytes"`
	GoalMax    int64         `json:"goal_max_bytes"`
}

func (b *Bucket) merge(c Bucket) {
	b.Cycles += c.Cycles
	b.GCCPU += c.GCCPU
	b.Assist += c.Assist
	b.Wall += c.Wall
	b.LongestSTW = max(b.LongestSTW, c.LongestSTW)
	b.HeapMax = max(b.HeapMax, c.HeapMax)
	b.LiveMax = max(b.LiveMax, c.LiveMax)
	b.GoalMax = max(b.GoalMax, c.GoalMax)
}

// Add takes the next event of the process. Events other than cycles are ignored.
func (t *Timeline) Add(e Event) {
	if e.Kind != Cycle {
		return
	}
	if t.Buckets == nil {
		t.begin(&e)
	}
	i := t.index(&e)
	for i >= timelineBuckets {
		t.halve()
		i = t.index(&e)
	}
	for int64(len(t.Buckets)) <= i {
		t.Buckets = append(t.Buckets, Bucket{})
	}
	t.Buckets[i].merge(Bucket{
		Cycles: 1, GCCPU: e.CPU.Total(), Assist: e.CPU.Assist, Wall: e.Wall(), LongestSTW: e.Stopped(),
		HeapMax: max(e.Heap.Start, e.Heap.End), LiveMax: live(&e), GoalMax: e.Heap.Goal,
	})
}

func (t *Timeline) begin(e *Event) {
	t.Buckets = make([]Bucket, 0, timelineBuckets)
	t.FirstSeq = e.Seq
	if !e.Format.Clocked() {
		t.Seqs = 1
		return
	}
	t.Width = 10 * time.Millisecond
	if e.Seq > 1 {
		t.Start = e.At
	}
}

func (t *Timeline) index(e *Event) int64 {
	if t.Seqs > 0 {
		return max(0, e.Seq-t.FirstSeq) / t.Seqs
	}
	return int64(max(0, e.At-t.Start) / t.Width)
}

func (t *Timeline) halve() {
	for i := range t.Buckets {
		if b := t.Buckets[i]; i%2 == 0 {
			t.Buckets[i/2] = b
		} else {
			t.Buckets[i/2].merge(b)
		}
	}
	t.Buckets = t.Buckets[:(len(t.Buckets)+1)/2]
	t.Width *= 2
	t.Seqs *= 2
}
