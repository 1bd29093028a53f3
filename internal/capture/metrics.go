package capture

import (
	"errors"
	"io"
	"math"
	"strconv"
	"strings"
)

// Metrics are the Go collector's own figures from a Prometheus endpoint, by metric name. Names with several series
// (histograms, summaries) are left out.
//
// The parser is a small one of our own: of the text format (Prometheus exposition format 0.0.4) only sample lines of
// two name prefixes matter, and the usual library brings protocol buffers along.
type Metrics struct {
	Values    map[string]float64
	GoVersion string // of go_info; empty: unknown
}

// ours reports whether a metric is the runtime's or the process's.
func ours(line string) bool {
	return strings.HasPrefix(line, "go_") || strings.HasPrefix(line, "process_")
}

const (
	maxMetricLine  = 4 << 10
	maxMetricLines = 20_000
	maxValue       = 1e30 // beyond what any process counts, and far from overflow; neither NaN nor Inf is below it
)

// keepMetrics copies the lines that parseMetrics would read.
func keepMetrics(w io.Writer, r io.Reader) error {
	n := 0
	err := eachLine(r, func(line []byte) error {
		if len(line) > maxMetricLine || n == maxMetricLines || !ours(string(line)) {
			return nil
		}
		n++
		_, err := io.WriteString(w, string(line)+"\n")
		return err
	})
	if err == nil && n == 0 {
		err = errors.New("no go_* metrics in it")
	}
	return err
}

// parseMetrics reads sample lines: name{label="value",...} value [timestamp]. Lines that are not such are passed over.
func parseMetrics(r io.Reader) (*Metrics, error) {
	m := &Metrics{Values: make(map[string]float64)}
	series := make(map[string]int)
	n := 0
	err := eachLine(r, func(line []byte) error {
		if len(line) > maxMetricLine || n == maxMetricLines || !ours(string(line)) {
			return nil
		}
		n++
		name, labels, value, ok := sample(string(line))
		if !ok {
			return nil
		}
		series[name]++
		m.Values[name] = value
		if v, ok := labels["version"]; ok && name == "go_info" {
			m.GoVersion = goVersion(v)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	for name, n := range series {
		if n > 1 {
			delete(m.Values, name)
		}
	}
	if len(m.Values) == 0 {
		return nil, errors.New("no go_* metrics")
	}
	return m, nil
}

// sample takes one line apart.
func sample(line string) (name string, labels map[string]string, value float64, ok bool) {
	end := strings.IndexAny(line, "{ \t")
	if end < 0 {
		return "", nil, 0, false
	}
	name, rest := line[:end], line[end:]
	if rest[0] == '{' {
		if labels, rest, ok = labelSet(rest[1:]); !ok {
			return "", nil, 0, false
		}
	}
	fields := strings.Fields(rest)
	if len(fields) < 1 || len(fields) > 2 {
		return "", nil, 0, false
	}
	value, err := strconv.ParseFloat(fields[0], 64)
	return name, labels, value, err == nil && math.Abs(value) < maxValue
}

// labelSet reads `a="x",b="y"}` and returns what follows it.
func labelSet(s string) (labels map[string]string, rest string, ok bool) {
	labels = make(map[string]string)
	for {
		s = strings.TrimLeft(s, ", \t")
		if rest, ok := strings.CutPrefix(s, "}"); ok {
			return labels, rest, true
		}
		name, after, ok := strings.Cut(s, `="`)
		if !ok {
			return nil, "", false
		}
		var value strings.Builder
		i := 0
		for ; i < len(after) && after[i] != '"'; i++ {
			if after[i] == '\\' && i+1 < len(after) {
				if i++; after[i] == 'n' {
					value.WriteByte('\n')
					continue
				}
			}
			value.WriteByte(after[i])
		}
		if i == len(after) {
			return nil, "", false
		}
		labels[strings.TrimSpace(name)] = value.String()
		s = after[i+1:]
	}
}
