package capture

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// MemStats are the scalars of runtime.MemStats, bytes unless their name says otherwise; see there for their meaning.
type MemStats struct {
	Alloc, TotalAlloc, Sys, Mallocs, Frees                                  uint64
	HeapAlloc, HeapSys, HeapIdle, HeapInuse, HeapReleased, HeapObjects      uint64
	StackInuse, StackSys, MSpanInuse, MSpanSys, MCacheInuse, MCacheSys      uint64
	BuckHashSys, GCSys, OtherSys, NextGC, LastGC /* ns since 1970 */, NumGC uint64
	NumForcedGC                                                             uint64
	GCCPUFraction                                                           float64
	MaxRSS                                                                  uint64 // in heap?debug=1 of some systems only
}

// field returns where the number goes that the runtime prints under a name, nil for those that are not kept.
func (m *MemStats) field(name string) *uint64 {
	switch name {
	case "Alloc":
		return &m.Alloc
	case "TotalAlloc":
		return &m.TotalAlloc
	case "Sys":
		return &m.Sys
	case "Mallocs":
		return &m.Mallocs
	case "Frees":
		return &m.Frees
	case "HeapAlloc":
		return &m.HeapAlloc
	case "HeapSys":
		return &m.HeapSys
	case "HeapIdle":
		return &m.HeapIdle
	case "HeapInuse":
		return &m.HeapInuse
	case "HeapReleased":
		return &m.HeapReleased
	case "HeapObjects":
		return &m.HeapObjects
	case "BuckHashSys":
		return &m.BuckHashSys
	case "GCSys":
		return &m.GCSys
	case "OtherSys":
		return &m.OtherSys
	case "NextGC":
		return &m.NextGC
	case "LastGC":
		return &m.LastGC
	case "NumGC":
		return &m.NumGC
	case "NumForcedGC":
		return &m.NumForcedGC
	case "MaxRSS":
		return &m.MaxRSS
	}
	return nil
}

// pair returns where the two numbers go that the runtime prints as "in use / from the system".
func (m *MemStats) pair(name string) (inuse, sys *uint64) {
	switch name {
	case "Stack":
		return &m.StackInuse, &m.StackSys
	case "MSpan":
		return &m.MSpanInuse, &m.MSpanSys
	case "MCache":
		return &m.MCacheInuse, &m.MCacheSys
	}
	return nil, nil
}

// trailerMark begins the statistics in heap?debug=1; source: runtime/pprof.writeHeapInternal.
const trailerMark = "# runtime.MemStats"

// parseTrailer reads the "# Name = value" lines at the end of heap?debug=1.
func parseTrailer(r io.Reader) (*MemStats, error) {
	m := new(MemStats)
	seen := make(map[string]bool)
	err := eachLine(r, func(line []byte) error {
		text, ok := strings.CutPrefix(string(line), "# ")
		name, value, eq := strings.Cut(text, " = ")
		if !ok || !eq {
			return nil
		}
		if err := m.set(name, strings.TrimSpace(value)); err != nil {
			return err
		}
		seen[name] = true
		return nil
	})
	if err != nil {
		return nil, err
	}
	// Without these two no rate can be told.
	if !seen["TotalAlloc"] || !seen["NumGC"] {
		return nil, errors.New("no runtime.MemStats at the end of heap?debug=1")
	}
	return m, nil
}

func (m *MemStats) set(name, value string) error {
	if name == "GCCPUFraction" {
		f, err := strconv.ParseFloat(value, 64)
		if err != nil || !(f >= 0 && f <= 1) {
			return fmt.Errorf("memory statistics: %s = %.40q is not 0 to 1", name, value)
		}
		m.GCCPUFraction = f
		return nil
	}
	a, b := m.field(name), (*uint64)(nil)
	if a == nil {
		if a, b = m.pair(name); a == nil {
			return nil
		}
	}
	first, second, _ := strings.Cut(value, " / ")
	var err error
	if *a, err = strconv.ParseUint(first, 10, 64); err == nil && b != nil {
		*b, err = strconv.ParseUint(second, 10, 64)
	}
	if err != nil {
		return fmt.Errorf("memory statistics: %s = %.40q is not a number", name, value)
	}
	return nil
}

// keepTrailer copies the statistics at the end of heap?debug=1 and leaves the profile out.
func keepTrailer(w io.Writer, r io.Reader) error {
	found := false
	err := eachLine(r, func(line []byte) error {
		found = found || string(line) == trailerMark
		if !found {
			return nil
		}
		_, err := fmt.Fprintf(w, "%s\n", line)
		return err
	})
	if err == nil && !found {
		err = errors.New("no runtime.MemStats in it")
	}
	return err
}

// maxLine is the longest line that is looked at. The runtime's longest of use, PauseNs, has under 6 KiB.
const maxLine = 64 << 10

// eachLine calls f for each line, without its end; lines over maxLine are passed over.
func eachLine(r io.Reader, f func(line []byte) error) error {
	br := bufio.NewReaderSize(r, maxLine)
	long := false
	for {
		line, err := br.ReadSlice('\n')
		if err == bufio.ErrBufferFull {
			long = true
			continue
		}
		if err != nil && err != io.EOF {
			return err
		}
		if line = bytes.TrimRight(line, "\r\n"); !long && len(line) > 0 {
			if err := f(line); err != nil {
				return err
			}
		}
		if long = false; err == io.EOF {
			return nil
		}
	}
}

// parseVars reads what keepVars wrote.
func parseVars(r io.Reader) (*MemStats, error) {
	var v struct {
		MemStats *MemStats `json:"memstats"`
	}
	if err := json.NewDecoder(r).Decode(&v); err != nil {
		return nil, fmt.Errorf("memory statistics of /debug/vars: %w", err)
	}
	if v.MemStats == nil || v.MemStats.TotalAlloc == 0 {
		return nil, errors.New("/debug/vars has no memstats")
	}
	if f := v.MemStats.GCCPUFraction; f < 0 || f > 1 {
		return nil, fmt.Errorf("memory statistics of /debug/vars: GCCPUFraction = %v is not 0 to 1", f)
	}
	return v.MemStats, nil
}

// keepVars copies memstats of a /debug/vars document and leaves all else out: the command line and what the
// program publishes are its own business.
func keepVars(w io.Writer, r io.Reader) error {
	dec := json.NewDecoder(r)
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return errors.New("not the JSON of expvar")
	}
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return fmt.Errorf("not the JSON of expvar: %w", err)
		}
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return fmt.Errorf("not the JSON of expvar: %w", err)
		}
		if key == "memstats" {
			_, err := fmt.Fprintf(w, "{\"memstats\": %s}\n", value)
			return err
		}
	}
	return errors.New("no memstats in it")
}
