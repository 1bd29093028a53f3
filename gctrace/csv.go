package gctrace

import (
	"strconv"
	"time"
)

// CSVHeader names the columns of [AppendCSV]. Times are in seconds, sizes in bytes.
const CSVHeader = "line,process,package,format,gc,at_s,wall_s,stopped_s,mark_s,gc_cpu_s,assist_s,background_s,idle_s,heap_start_bytes,heap_end_bytes,live_bytes,goal_bytes,stacks_bytes,globals_bytes,procs,forced,objects"

// AppendCSV appends a cycle as one row, without the end of the line. An import path never needs quoting.
func AppendCSV(b []byte, e *Event) []byte {
	b = strconv.AppendInt(b, e.Line, 10)
	b = appendInt(b, int64(e.Process))
	b = append(b, ',')
	for i := range len(e.Package) {
		if ch := e.Package[i]; ch > ' ' && ch != '"' && ch != ',' { // a hostile header must not break the row
			b = append(b, ch)
		}
	}
	b = append(b, ',')
	b = append(b, e.Format.String()...)
	b = appendInt(b, e.Seq)
	for _, d := range [...]time.Duration{e.At, e.Wall(), e.Stopped(), e.Clock.Scan + e.Clock.Mark, e.CPU.Total(), e.CPU.Assist, e.CPU.Background, e.CPU.Idle} {
		b = append(b, ',')
		b = strconv.AppendFloat(b, float64(d)/1e9, 'g', -1, 64)
	}
	h := &e.Heap
	for _, n := range [...]int64{h.Start, h.End, live(e), h.Goal, h.Stacks, h.Globals, int64(e.Procs)} {
		b = appendInt(b, n)
	}
	b = append(b, ',')
	b = strconv.AppendBool(b, e.Forced)
	return appendInt(b, e.Objects.After)
}

func appendInt(b []byte, n int64) []byte {
	return strconv.AppendInt(append(b, ','), n, 10)
}
