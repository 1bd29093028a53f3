package gctune

import (
	"errors"
	"fmt"
)

// Options say what a [Controller] aims at and how far it may go.
type Options struct {
	// Target is the size to which the heap may grow. It must be set.
	Target Target

	// Floor and Ceiling bound GOGC, in percent. Zero means 25 and 500, or
	// the other bound if that is beyond it.
	// Floor keeps a large live heap from being collected all the time,
	// Ceiling keeps a small one from taking memory that gains it little:
	// the work of the collector goes with 1/GOGC.
	Floor, Ceiling int

	// Smooth lets the room for new objects, goal less live heap, grow by no
	// more than a quarter a cycle; it still shrinks at once if the target
	// demands it. With a live heap that goes up and down, cycles then come
	// at regular intervals, at the price of more of them.
	Smooth bool

	// DryRun makes the controller report what it would do, and do nothing.
	DryRun bool

	// Report, if set, is called when the controller starts, after each cycle
	// and when the target changes between cycles, in a goroutine of the
	// controller: one call at a time, and while it runs the controller does
	// nothing else. It may call Stop, panic or end the program.
	Report func(Report)
}

const (
	defaultFloor   = 25
	defaultCeiling = 500
	maxGOGC        = 1_000_000
)

// policy checks the options and fills in the defaults.
func (o Options) policy() (policy, error) {
	p := policy{floor: o.Floor, ceiling: o.Ceiling, smooth: o.Smooth}
	if p.floor == 0 {
		p.floor = defaultFloor
	}
	if p.ceiling == 0 {
		p.ceiling = max(defaultCeiling, p.floor)
	}
	if o.Floor == 0 && p.ceiling > 0 {
		p.floor = min(p.floor, p.ceiling)
	}
	if p.floor < 1 || p.ceiling < p.floor || p.ceiling > maxGOGC {
		return p, fmt.Errorf("gctune: Floor %d and Ceiling %d: want 1 <= Floor <= Ceiling <= %d", o.Floor, o.Ceiling, maxGOGC)
	}
	return p, o.Target.check()
}

// A Target is a size of the heap in bytes. Make one with [Bytes], [Cgroup] or
// [MemoryLimit].
type Target struct {
	source   source
	bytes    int64
	fraction float64
}

type source int

const (
	unset source = iota
	fixed
	cgroupLimit
	memoryLimit
)

// Bytes is a target of n bytes.
func Bytes(n int64) Target { return Target{source: fixed, bytes: n} }

// Cgroup is the given fraction, above 0 and up to 1, of the memory limit of the
// process's control group, version 1 or 2, or of the lowest limit among the
// groups around it. The limit is read again after each cycle and every ten
// seconds, so that a container which is resized keeps its fraction. What is
// left must hold stacks, memory from outside Go and the page cache: 0.8 is a
// fair start.
func Cgroup(fraction float64) Target { return Target{source: cgroupLimit, fraction: fraction} }

// MemoryLimit is the given fraction, above 0 and up to 1, of the runtime's
// memory limit, set by GOMEMLIMIT or [debug.SetMemoryLimit]. It follows a limit
// that is changed, as Cgroup does.
func MemoryLimit(fraction float64) Target { return Target{source: memoryLimit, fraction: fraction} }

var errNoTarget = errors.New("gctune: no target: set Options.Target to Bytes, Cgroup or MemoryLimit")

func (t Target) check() error {
	switch {
	case t.source == unset:
		return errNoTarget
	case t.source == fixed && t.bytes <= 0:
		return fmt.Errorf("gctune: target of %d bytes: must be positive", t.bytes)
	case t.source != fixed && !(t.fraction > 0 && t.fraction <= 1): // so that NaN fails
		return fmt.Errorf("gctune: target of %v of the limit: must be above 0 and at most 1", t.fraction)
	}
	return nil
}
