package gcmodel

import "math"

const (
	mib = 1 << 20

	// Unlimited is the heap goal when nothing triggers a cycle, and the memory limit when there is none.
	// It is the runtime's own default of GOMEMLIMIT.
	Unlimited = math.MaxInt64

	heapMinimum     = 4 * mib // at GOGC=100 (defaultHeapMinimum)
	headroomPercent = 3       // memoryLimitHeapGoalHeadroomPercent
	minHeadroom     = 1 * mib // memoryLimitMinHeapGoalHeadroom
)

// GoalGOGC returns the heap goal in bytes that GOGC sets for a live heap and roots of so many bytes. A negative
// gogc is GOGC=off and gives [Unlimited]. Source: runtime/mgcpacer.go, commit and setGCPercent.
// Before Go 1.18 roots did not count: pass 0.
func GoalGOGC(live, roots int64, gogc int) int64 {
	if gogc < 0 {
		return Unlimited
	}
	goal := float64(live) + float64(live+roots)*float64(gogc)/100
	return clamp(max(goal, heapMinimum*float64(gogc)/100))
}

// GoalLimit returns the heap goal in bytes that GOMEMLIMIT sets. nonHeap is all memory of the runtime that neither holds nor can hold
// heap objects: from runtime/metrics, /memory/classes/total less heap/released, heap/free and heap/objects. mapped is
// total less heap/released; only what it has above the limit matters, so 0 stands for a
// program within its limit. Source: runtime/mgcpacer.go, memoryLimitHeapGoal.
func GoalLimit(live, limit, nonHeap, mapped int64) int64 {
	if limit == Unlimited {
		return Unlimited
	}
	x := limit - nonHeap - max(mapped-limit, 0)
	if x <= 0 {
		return live
	}
	headroom := max(x/100*headroomPercent, minHeadroom)
	return max(x-headroom, headroom, live)
}

// limitFor is the inverse of GoalLimit for a program within its limit.
func limitFor(goal, nonHeap float64) int64 {
	x := max(goal/(1-headroomPercent/100.0), goal+minHeadroom)
	return clamp(math.Ceil(x + nonHeap))
}

// EffectiveGOGC returns the GOGC that would give the same heap goal without a memory limit: -1, the
// runtime's word for off, when there is no goal, and 0 for an empty heap.
func EffectiveGOGC(live, roots, goal int64) float64 {
	switch {
	case goal == Unlimited:
		return -1
	case live+roots <= 0:
		return 0
	}
	return 100 * float64(goal-live) / float64(live+roots)
}

// minRunway is the least that a program allocates from one cycle to the next. The runtime has the same figure for
// heaps that GOGC bounds (runtime/mgcpacer.go, heapGoalInternal); here it keeps rates finite when the goal is the live heap.
const minRunway = 64 << 10

// CyclesPerSecond returns how often a program that allocates so many bytes a second collects.
func CyclesPerSecond(allocRate float64, live, goal int64) float64 {
	if goal == Unlimited {
		return 0
	}
	return allocRate / float64(max(goal-live, minRunway))
}

func clamp(bytes float64) int64 {
	if bytes >= Unlimited {
		return Unlimited
	}
	return int64(bytes)
}
