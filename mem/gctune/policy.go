package gctune

const (
	// minHeap is the live heap below which the runtime's goal is no longer
	// proportional to it: GOGC/100 of 4 MiB is the least (defaultHeapMinimum
	// in the runtime).
	minHeap = 4 << 20

	// deadBand is how far the goal may be from where it belongs, as a part
	// of it, before GOGC is changed.
	deadBand = 0.02

	// smoothGrowth is how much larger the runway may be from one cycle to
	// the next.
	smoothGrowth = 1.25
)

// A policy turns the size of a heap into a value of GOGC.
type policy struct {
	floor, ceiling int
	smooth         bool
}

// A heap is what a cycle found, in bytes.
type heap struct {
	live  float64 // L
	roots float64 // R
}

// goal returns the runtime's heap goal under the given GOGC.
func (h heap) goal(gogc float64) float64 {
	return max(h.live+gogc/100*(h.live+h.roots), gogc/100*minHeap)
}

// gogc returns the GOGC that puts the goal at target, below zero if the live
// heap is already larger.
func (h heap) gogc(target float64) float64 {
	return min(100*(target-h.live)/max(h.live+h.roots, 1), 100*target/minHeap)
}

// A decision is what a policy makes of a cycle.
type decision struct {
	gogc   int
	runway float64 // bytes that can be allocated until the goal is reached
	state  State   // Steady, Ceiling, Smoothing or Tight
}

// decide returns the GOGC for a heap that may grow to target bytes. last is the
// decision after the cycle before.
func (p policy) decide(h heap, target float64, last decision) decision {
	d := decision{state: Steady}
	aim := h.gogc(target)
	tight := aim < float64(p.floor)
	if aim > float64(p.ceiling) {
		aim, d.state = float64(p.ceiling), Ceiling
	}
	if p.smooth {
		if slow := h.gogc(h.live + smoothGrowth*last.runway); slow < aim {
			aim, d.state = slow, Smoothing
		}
	}
	if aim < float64(p.floor) {
		aim = float64(p.floor)
	}
	if tight {
		d.state = Tight
	}
	d.runway = h.goal(aim) - h.live
	d.gogc = int(aim) // down: the goal must not exceed the target
	atBound := aim == float64(p.floor) || aim == float64(p.ceiling)
	if !atBound && p.floor <= last.gogc && last.gogc <= p.ceiling {
		goal := h.goal(aim)
		if off := h.goal(float64(last.gogc)) - goal; -deadBand*goal <= off && off <= deadBand*goal {
			d.gogc = last.gogc
		}
	}
	return d
}
