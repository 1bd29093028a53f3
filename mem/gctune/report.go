package gctune

import "encoding/json"

// A State says what holds the heap goal where it is.
type State string

const (
	Steady     State = "steady"     // the goal is at the target
	Ceiling    State = "ceiling"    // GOGC is at Options.Ceiling; the goal is below the target
	Smoothing  State = "smoothing"  // the goal rises to the target step by step
	Limited    State = "limited"    // the memory limit keeps the goal below the target
	Tight      State = "tight"      // the target or the memory limit leaves less room than Options.Floor asks for
	Overridden State = "overridden" // the program has set GOGC itself
	Off        State = "off"        // UNHEAP_GCTUNE=off, or stopped
)

// A Report is what the controller saw and did after a cycle. Sizes are in
// bytes.
type Report struct {
	State State `json:"state"`

	// GOGC is what the controller decided on, in percent. It is in force
	// unless this is a dry run or the state is Overridden.
	GOGC int `json:"gogc"`

	// Effective is the GOGC that Goal amounts to, in percent: 100 (N - L) /
	// (L + R). It is below GOGC if the memory limit holds the goal down,
	// and -1 if there is no goal because the collector is off.
	Effective float64 `json:"effectiveGOGC"`

	Live   uint64 `json:"liveBytes"`   // L, the live heap with all that was allocated during marking; 0 before the first cycle
	Roots  uint64 `json:"rootBytes"`   // R, stacks and globals scanned
	Target uint64 `json:"targetBytes"` // T, no more than Limit
	Goal   uint64 `json:"goalBytes"`   // N, the runtime's heap goal once GOGC was set
	Limit  uint64 `json:"limitBytes"`  // the runtime's memory limit, 0 if there is none

	Cycles      uint64 `json:"cycles"`      // completed by the collector since the program began
	TightCycles uint64 `json:"tightCycles"` // how many of the last reported cycles in a row were Tight

	DryRun bool `json:"dryRun,omitempty"`

	// Warning says why the target could not be read again, if it could not.
	// The last one then stays.
	Warning string `json:"warning,omitempty"`
}

// String returns r as a JSON object.
func (r Report) String() string {
	b, err := json.Marshal(r)
	if err != nil {
		return "{}" // cannot be: there is no NaN or infinity in a report
	}
	return string(b)
}
