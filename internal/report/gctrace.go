package report

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/unheap/unheap/finding"
	"github.com/unheap/unheap/gctrace"
	"github.com/unheap/unheap/internal/diagnose"
)

// A Trace is what a log of GC trace lines tells.
type Trace struct {
	Tool   finding.Tool
	Name   string // of the log
	Report gctrace.Report
}

// traceJSON is a Trace with verdicts, in its form for programs.
type traceJSON struct {
	Schema    int            `json:"schema"`
	Tool      finding.Tool   `json:"tool"`
	Name      string         `json:"name"`
	Counts    gctrace.Counts `json:"counts"`
	Processes []processJSON  `json:"processes"` // in the order of their first line
	Others    gctrace.Others `json:"others,omitzero"`
}

type processJSON struct {
	gctrace.Process
	Health  finding.Health `json:"health"`
	Reasons []string       `json:"reasons"` // of the verdict
}

// TraceJSON writes the trace as one JSON document.
func TraceJSON(w io.Writer, tr *Trace) error {
	doc := traceJSON{Schema: finding.Schema, Tool: tr.Tool, Name: Clean(tr.Name), Counts: tr.Report.Counts, Others: tr.Report.Others}
	for _, p := range tr.Report.Processes {
		p.Package = Clean(p.Package)
		health, reasons := diagnose.TraceHealth(p.Summary, p.Timeline)
		doc.Processes = append(doc.Processes, processJSON{p, health, reasons})
	}
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(&doc)
}

// TraceCSV copies the cycles of a log as rows under [gctrace.CSVHeader] while it
// reads them, in constant memory, and returns their number. Process -1 stands
// for all. Nothing is written for a log without cycles.
func TraceCSV(w io.Writer, r io.Reader, process int) (rows int64, err error) {
	out := bufio.NewWriter(w)
	var row []byte
	s := gctrace.NewScanner(r)
	for s.Scan() {
		e := s.Event()
		if e.Kind != gctrace.Cycle || process >= 0 && e.Process != process {
			continue
		}
		row = row[:0]
		if rows == 0 {
			row = append(row, gctrace.CSVHeader+"\n"...)
		}
		rows++
		row = append(gctrace.AppendCSV(row, &e), '\n')
		if _, err := out.Write(row); err != nil {
			return rows, err
		}
	}
	if err := out.Flush(); err != nil {
		return rows, err
	}
	return rows, s.Err()
}

// Trace renders a trace: its processes, those that collected longest first, as
// many as fit into t.Lines in full.
func (t Text) Trace(w io.Writer, tr *Trace) error {
	processes := slices.Clone(tr.Report.Processes)
	slices.SortStableFunc(processes, func(a, b gctrace.Process) int { return cmp.Compare(b.Summary.Wall, a.Summary.Wall) })
	lines := t.traceHeader(tr)
	if len(processes) > 1 {
		lines = append(lines, t.processes(processes, tr.Report.Others)...)
	}
	for i := range processes {
		block := append([]line{{}}, t.process(&processes[i])...)
		if t.Lines > 0 && i > 0 && len(lines)+len(block)+2 > t.Lines {
			hidden := fmt.Sprintf("%d of %d processes in short", len(processes)-i, len(processes))
			lines = append(lines, line{}, line{{caution, hidden}, {plain, ": --all shows all, --process N shows one"}})
			break
		}
		lines = append(lines, block...)
	}
	return t.print(w, lines)
}

// traceHeader says what the lines were.
func (t Text) traceHeader(tr *Trace) []line {
	c := &tr.Report.Counts
	parts := []string{fmt.Sprintf("%s GC cycles in %s lines", number(c.Cycles), number(c.Lines))}
	for _, n := range []struct {
		n    int64
		what string
	}{{c.Notices, "other lines of the runtime"}, {c.Headers, "headers"}, {c.Other, "lines of something else"}} {
		if n.n > 0 {
			parts = append(parts, number(n.n)+" "+n.what)
		}
	}
	lines := wrap([]span{{bold, Clean(tr.Name) + ":"}, {plain, strings.Join(parts, ", ")}}, t.width(), 0)
	if lost := c.Corrupt + c.Truncated + c.Long; lost > 0 {
		lines = append(lines, t.warnings([]string{fmt.Sprintf("%s lines were not read: %s corrupt, %s truncated, %s too long; what cycles they held is missing from the figures",
			number(lost), number(c.Corrupt), number(c.Truncated), number(c.Long))}, "")...)
	}
	return lines
}

const mostProcesses = 12 // in the table, of a report that is to fit a screen

// processes lists the processes in one line each.
func (t Text) processes(ps []gctrace.Process, others gctrace.Others) []line {
	lines := []line{{}, {{dim, "process  cycles  threads      wall  processor time in GC       live  verdict"}}}
	for i := range ps {
		if t.Lines > 0 && i == mostProcesses {
			lines = append(lines, line{{dim, fmt.Sprintf("%7s  and %d more: --all", "", len(ps)-i)}})
			break
		}
		p := &ps[i]
		s := &p.Summary
		health, _ := diagnose.TraceHealth(*s, p.Timeline)
		l := line{{plain, fmt.Sprintf("%7d  %6s  %7d  %s  %s  %s  ", p.Process, number(s.Cycles), s.Procs,
			padLeft(duration(float64(s.Wall)), 8), padLeft(work(s), 20), padLeft(size(float64(s.LiveLast)), 9))}, {bold, health.Verdict}}
		if p.Package != "" {
			l = append(l, span{dim, "  " + fitTail(Clean(p.Package), t.width()-l.columns()-2)})
		}
		lines = append(lines, l)
	}
	lines = append(lines, t.ratios(ps)...)
	if others.Processes > 0 {
		lines = append(lines, t.warnings([]string{fmt.Sprintf("%d more processes with few cycles each (%s in all, %s of GC CPU) are not told apart",
			others.Processes, number(others.Cycles), duration(float64(others.GCCPU)))}, "")...)
	}
	return lines
}

// ratios compares the longest with the shortest of the processes whose lines
// tell threads, not processor time: by the clock on the wall and by the work
// done they compare differently. ps is sorted.
func (t Text) ratios(ps []gctrace.Process) []line {
	var long, short *gctrace.Process
	for i := range ps {
		if s := &ps[i].Summary; s.Format.Clocked() || s.Cycles == 0 || s.WorkLow == 0 {
			continue
		}
		if long == nil {
			long = &ps[i]
		}
		short = &ps[i]
	}
	if long == short {
		return nil
	}
	a, b := &long.Summary, &short.Summary
	return t.warnings([]string{fmt.Sprintf("process %d to process %d: %s to 1 by wall time, between %s and %s to 1 by thread time, as several threads do more work than a pause lasts",
		long.Process, short.Process, factor(float64(a.Wall)/float64(b.Wall)),
		factor(float64(a.WorkLow)/float64(b.WorkHigh)), factor(float64(a.WorkHigh)/float64(b.WorkLow)))}, "")
}

// work returns the processor time of the collections or, for old formats, its bounds.
func work(s *gctrace.Summary) string {
	low, high := duration(float64(s.WorkLow)), duration(float64(s.WorkHigh))
	if low == high {
		return low
	}
	return low + " to " + high
}

// process renders one process in full.
func (t Text) process(p *gctrace.Process) []line {
	s := &p.Summary
	health, reasons := diagnose.TraceHealth(*s, p.Timeline)
	title := fmt.Sprintf("lines of Go %v, gc %d to %d, ", s.Format, s.FirstSeq, s.LastSeq)
	if s.Format.Clocked() {
		title += plural(s.Procs, "processor")
	} else {
		title += "at most " + plural(s.Procs, "thread")
	}
	spans := []span{{bold, "process " + strconv.Itoa(p.Process) + ":"}}
	if p.Package != "" {
		spans = append(spans, span{plain, Clean(p.Package)})
	}
	lines := wrap(append(spans, span{dim, title}), t.width(), 0)
	st := caution
	if health.Verdict == diagnose.VerdictFine {
		st = good
	}
	lines = append(lines, t.row("verdict", []span{{st, health.Verdict + "."}, {plain, strings.Join(reasons, "; ")}})...)
	fs := figures(s)
	values := 0
	for _, f := range fs {
		values = max(values, columns(f.value))
	}
	for _, f := range fs {
		lines = append(lines, t.figure(f, values)...)
	}
	lines = append(lines, t.quantiles(s)...)
	lines = append(lines, t.sparks(p)...)
	return append(lines, t.warnings(s.Warnings, "  ")...)
}

// A figure is a number and where it is from.
type figure struct{ label, value, source string }

func figures(s *gctrace.Summary) []figure {
	cycles := plural(int(s.Cycles), "line")
	if s.Forced > 0 {
		cycles += fmt.Sprintf(", %s (forced)", number(s.Forced))
	}
	if s.Lost > 0 {
		cycles += fmt.Sprintf(", %s numbers missing", number(s.Lost))
	}
	var fs []figure
	add := func(label, value, source string) { fs = append(fs, figure{label, value, source}) }
	bytes := func(n int64) string { return size(float64(n)) }
	if !s.Format.Clocked() {
		add("cycles", number(s.Cycles), cycles)
		add("pauses", duration(float64(s.Wall)), "wall time, sum of all phases: the program stood still")
		add("threads", number(int64(s.Procs)), "most threads of a cycle, in brackets after its number")
		add("thread time", work(s), "from one thread at work to all of them while marking and sweeping")
		add("live heap", bytes(s.LiveLast), fmt.Sprintf("after the last cycle; %s after the first, %s at most", bytes(s.LiveFirst), bytes(s.LiveMax)))
		add("peak heap", bytes(s.HeapMax), "largest heap at the start or end of a cycle")
		return fs
	}
	add("GC CPU", share(s.GCCPUShare), fmt.Sprintf("cpu clocks without idle marking, %s of %d processors x %s (%s to %s after the start)",
		duration(float64(s.GCCPU)), s.Procs, duration(float64(s.Span)), duration(float64(s.From)), duration(float64(s.To))))
	if s.Window.Span < s.Span {
		add("  lately", share(s.Window.GCCPUShare), fmt.Sprintf("the same over the last %s", duration(float64(s.Window.Span))))
	}
	add("assists", share(s.AssistShare), "of GC CPU, paid by goroutines while they allocated: cpu clock, a of a/b/c")
	add("idle mark", duration(float64(s.IdleCPU)), "on processors with nothing else to do, in no share: cpu clock, c of a/b/c")
	add("cycles", rate(s.CyclesPerSecond), cycles)
	add("allocates", size(s.AllocBytesPerSecond)+"/s", "heap at each cycle's end less the live heap before it, over time")
	add("live heap", bytes(s.LiveLast), fmt.Sprintf("last of a->b->c MB; %s after the first cycle, %s at most", bytes(s.LiveFirst), bytes(s.LiveMax)))
	add("peak heap", bytes(s.HeapMax), "largest heap at the start or end of a cycle, a->b MB")
	add("heap goal", bytes(s.GoalLast), "MB goal of the last cycle")
	if s.EffectiveGOGC > 0 {
		add("GOGC", count(float64(int64(s.EffectiveGOGC+0.5))), "in effect: room of the goals over live heap, stacks and globals")
	}
	return fs
}

func rate(x float64) string { return count(x) + "/s" }

func number(n int64) string { return thousands(strconv.FormatInt(n, 10)) }

const figureLabel = 15 // columns

// figure renders a number, in a column of some width, and beside it its source.
func (t Text) figure(f figure, width int) []line {
	value := pad(f.value, width) + "  "
	room := t.width() - figureLabel - columns(value)
	if room < 20 {
		return t.row(f.label, []span{{bold, f.value}, {dim, "(" + f.source + ")"}})
	}
	lead := span{bold, value}
	label := f.label
	var lines []line
	for _, l := range wrap([]span{{dim, f.source}}, room, 0) {
		lines = append(lines, append(line{{dim, pad("  "+label, figureLabel)}, lead}, l...))
		label, lead = "", span{plain, pad("", columns(value))}
	}
	return lines
}

// row renders a label and wrapped text beside it.
func (t Text) row(label string, spans []span) []line {
	lines := wrap(spans, t.width()-figureLabel, 0)
	for i := range lines {
		lines[i] = append(line{{dim, pad("  "+label, figureLabel)}}, lines[i]...)
		label = ""
	}
	return lines
}

// quantiles shows how long what took.
func (t Text) quantiles(s *gctrace.Summary) []line {
	lines := []line{{{dim, pad("", figureLabel) + "     p50       p90       p99       max  of"}}}
	for _, q := range []struct {
		label string
		of    string
		q     gctrace.Quantiles
	}{
		{"pause", "stops", s.Pauses},
		{"mark, wall", "cycles", s.MarkWall},
		{"mark, CPU", "cycles, idle marking left out", s.MarkCPU},
	} {
		if q.q.Count == 0 {
			continue
		}
		l := line{{dim, pad("  "+q.label, figureLabel)}}
		text := ""
		for _, d := range []float64{float64(q.q.P50), float64(q.q.P90), float64(q.q.P99), float64(q.q.Max)} {
			text += padLeft(duration(d), 8) + "  "
		}
		lines = append(lines, append(l, span{plain, text}, span{dim, number(q.q.Count) + " " + q.of}))
	}
	return lines
}

// sparks draws the timeline.
func (t Text) sparks(p *gctrace.Process) []line {
	h := newHistory(p)
	if len(h.live) < 2 {
		return nil
	}
	const tail = 20 // "  up to 1,023 MiB"
	room := t.width() - figureLabel - tail
	if room < 8 {
		return nil
	}
	load, text := "GC CPU", share
	if !h.clocked {
		load, text = "longest stop", duration
	}
	var lines []line
	for _, s := range []struct {
		label string
		xs    []float64
		text  func(float64) string
	}{{"live heap", h.live, size}, {load, h.load, text}} {
		chart, top := spark(peaks(s.xs, room))
		lines = append(lines, line{{dim, pad("  "+s.label, figureLabel)}, {plain, chart}, {dim, "  up to " + s.text(top)}})
	}
	end := h.start + h.step*float64(len(h.live))
	from, to := duration(1e9*h.start), duration(1e9*end)
	if !h.clocked {
		from, to = "gc "+count(h.start), "gc "+count(end-1)
	}
	axis := padLeft(to, max(0, len(peaks(h.live, room))-columns(from)-1))
	return append(lines, line{{dim, pad("", figureLabel) + from + " " + axis}})
}
