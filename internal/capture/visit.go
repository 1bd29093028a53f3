package capture

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/unheap/unheap/internal/profile"
)

// A visit captures one program into its target and its folder.
type visit struct {
	client  *client
	address *address
	options *Options
	target  *Target
	dir     string // the folders' parent

	mu sync.Mutex // guards target where requests run side by side
}

// run makes all requests in the order that the package comment gives. The error says that the program
// cannot be asked at all.
func (v *visit) run(ctx context.Context) error {
	if err := os.Mkdir(filepath.Join(v.dir, v.target.Name), 0o777); err != nil {
		return err
	}
	if err := v.greet(ctx); err != nil {
		return err
	}
	metrics, memory := v.countersBefore(ctx)
	v.window(ctx)
	v.again(ctx, metrics)
	v.again(ctx, memory)
	v.profile(ctx, Heap, "heap", 0)
	v.profile(ctx, Goroutine, "goroutine", 0)
	v.program(ctx)
	v.buildInfo(ctx)
	if v.options.TraceSeconds > 0 {
		v.trace(ctx)
	}
	v.summarise()
	return nil
}

// smallAnswer bounds answers that are kept in memory or in small part.
const smallAnswer = 16 << 20

// greet sees whether anybody is there, so that the user is told at once. A server without an index may yet have profiles.
func (v *visit) greet(ctx context.Context) error {
	_, err := v.client.get(ctx, v.url(v.address.pprof, "", nil), 0, smallAnswer, func(r io.Reader) error { return nil })
	var status *statusError
	if errors.As(err, &status) && status.code != 401 && status.code != 403 {
		return nil
	}
	return err
}

// url returns the URL of name beside base, with the query that all requests carry.
func (v *visit) url(base *url.URL, name string, query url.Values) *url.URL {
	u := *base
	u.Path += name
	all := url.Values{}
	for _, q := range []url.Values{v.address.query, query} {
		for k, values := range q {
			all[k] = values
		}
	}
	u.RawQuery = all.Encode()
	return &u
}

func (v *visit) warn(format string, args ...any) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.target.Warnings = append(v.target.Warnings, fmt.Sprintf(format, args...))
}

// A question is one request whose answer becomes an entry.
type question struct {
	kind  Kind
	phase Phase
	base  *url.URL
	name  string // below base
	query url.Values
	wait  time.Duration // that the server takes by design
	limit int64         // of the answer
	file  string        // in the target's folder
	keep  func(io.Writer, io.Reader) error
	// valid says what is wrong with the file that was written.
	valid func(name string) error
}

// ask makes the request and adds the entry.
func (v *visit) ask(ctx context.Context, q question) error {
	entry := path.Join(v.target.Name, q.file)
	name := filepath.Join(v.dir, v.target.Name, q.file)
	sent, err := v.store(ctx, q, name)
	if err == nil {
		v.client.parsing.Lock()
		err = q.valid(name)
		v.client.parsing.Unlock()
	}
	if err != nil {
		os.Remove(name) // what is not an entry is not in the bundle
		return err
	}
	source := url.URL{Path: q.base.Path + q.name, RawQuery: q.query.Encode()}
	v.mu.Lock()
	defer v.mu.Unlock()
	v.target.Entries = append(v.target.Entries, Entry{Name: entry, Kind: q.kind, Phase: q.phase, Source: source.String(), At: sent.UTC()})
	return nil
}

// store writes what q keeps of the answer to the named file.
func (v *visit) store(ctx context.Context, q question, name string) (sent time.Time, err error) {
	f, err := os.Create(name)
	if err != nil {
		return sent, err
	}
	defer f.Close()
	w := bufio.NewWriter(f)
	sent, err = v.client.get(ctx, v.url(q.base, q.name, q.query), q.wait, q.limit, func(r io.Reader) error { return q.keep(w, r) })
	if err == nil {
		err = w.Flush()
	}
	return sent, err
}

func keepAll(w io.Writer, r io.Reader) error {
	_, err := io.Copy(w, r)
	return err
}

// countersBefore asks for the counters, and returns the questions that were answered, nil where none was. Statistics
// that /debug/vars does not give, for whatever reason, are asked of the heap profile.
func (v *visit) countersBefore(ctx context.Context) (metrics, memory *question) {
	for _, base := range v.address.side {
		q := question{kind: Prom, phase: Before, base: base, name: "metrics", limit: smallAnswer, file: "metrics.before.txt",
			keep: keepMetrics, valid: parses(parseMetrics)}
		if err := v.ask(ctx, q); err == nil {
			metrics = &q
			break
		} else if !missing(err) {
			v.warn("no Prometheus metrics from %s: %v", base.Path+q.name, err)
		}
	}
	for _, base := range v.address.side {
		q := question{kind: Vars, phase: Before, base: base, name: "debug/vars", limit: smallAnswer, file: "vars.before.json",
			keep: keepVars, valid: parses(parseVars)}
		if err := v.ask(ctx, q); err == nil {
			return metrics, &q
		}
	}
	q := question{kind: Trailer, phase: Before, base: v.address.pprof, name: "heap", query: url.Values{"debug": {"1"}},
		limit: v.options.MaxResponse, file: "memstats.before.txt", keep: keepTrailer, valid: parses(parseTrailer)}
	if err := v.ask(ctx, q); err != nil {
		v.warn("no memory statistics: %v", err)
		return metrics, nil
	}
	return metrics, &q
}

// again asks once more, after the window.
func (v *visit) again(ctx context.Context, q *question) {
	if q == nil {
		return
	}
	after := *q
	after.phase, after.file = After, strings.Replace(q.file, string(Before), string(After), 1)
	if err := v.ask(ctx, after); err != nil {
		v.warn("no rates: %s after the window: %v", q.kind, err)
	}
}

// missing reports whether the server merely does not offer what was asked for.
func missing(err error) bool {
	var status *statusError
	return errors.As(err, &status) && status.code == 404
}

// parses returns a check that a file reads with the function that reports will use.
func parses[T any](parse func(io.Reader) (T, error)) func(string) error {
	return func(name string) error {
		f, err := os.Open(name)
		if err != nil {
			return err
		}
		defer f.Close()
		_, err = parse(f)
		return err
	}
}

// window asks for what is measured over the seconds of the capture.
func (v *visit) window(ctx context.Context) {
	var wg sync.WaitGroup
	wg.Go(func() { v.profile(ctx, CPU, "profile", v.options.Seconds) })
	wg.Go(func() { v.profile(ctx, Allocs, "allocs", v.options.Seconds) })
	wg.Wait()
}

// profile asks for a profile, over a window where seconds is not 0.
func (v *visit) profile(ctx context.Context, kind Kind, name string, seconds int) {
	q := question{kind: kind, base: v.address.pprof, name: name, limit: v.options.MaxResponse,
		wait: time.Duration(seconds) * time.Second, file: string(kind) + ".pb.gz", keep: keepAll,
		valid: func(name string) error { return v.validProfile(kind, name) }}
	if seconds > 0 {
		q.query = url.Values{"seconds": {fmt.Sprint(seconds)}}
	}
	if err := v.ask(ctx, q); err != nil {
		v.warn("no %s profile: %v", kind, err)
	}
}

// validProfile checks the profile in a file, and learns from it what the program is.
func (v *visit) validProfile(kind Kind, name string) error {
	p, err := profile.ReadFile(name)
	if err != nil {
		return notWhatItSeems(name, "profile")
	}
	// Only a difference has a duration: net/http/pprof.serveDeltaProfile sets it.
	if kind == Allocs && p.DurationNanos == 0 {
		return errors.New("the server ignores seconds= and sent the profile since its start; let it serve net/http/pprof's own handler")
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	v.target.learn(p)
	return nil
}

// notWhatItSeems says what a file holds that should hold something else.
func notWhatItSeems(name, what string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	head, _ := io.ReadAll(io.LimitReader(f, 512))
	if looksLikeHTML(head) {
		return fmt.Errorf("the answer is a web page, not a %s: is there a login or a proxy in between? Give what it wants with -H 'Name: value'", what)
	}
	return fmt.Errorf("the answer is not a %s; check the URL", what)
}

// program asks for the command line, of which only the name is kept.
func (v *visit) program(ctx context.Context) {
	var args []byte
	_, err := v.client.get(ctx, v.url(v.address.pprof, "cmdline", nil), 0, smallAnswer, func(r io.Reader) (err error) {
		args, err = io.ReadAll(io.LimitReader(r, 64<<10))
		return err
	})
	if err != nil || looksLikeHTML(args) {
		return // no loss: the profiles' mappings name it too
	}
	first, _, _ := bytes.Cut(args, []byte{0})
	if name := baseName(string(first)); name != "" {
		v.target.Program = name
	}
}

// buildInfo asks for what some programs serve there; there is no standard place.
func (v *visit) buildInfo(ctx context.Context) {
	for _, base := range v.address.side {
		err := v.ask(ctx, question{kind: BuildInfo, base: base, name: "debug/buildinfo", limit: smallAnswer, file: "buildinfo.txt",
			keep: keepBuild, valid: parses(v.target.learnBuild)})
		if err == nil {
			return
		}
	}
}

func (v *visit) trace(ctx context.Context) {
	s := v.options.TraceSeconds
	err := v.ask(ctx, question{kind: Trace, base: v.address.pprof, name: "trace", query: url.Values{"seconds": {fmt.Sprint(s)}},
		limit: v.options.MaxResponse, wait: time.Duration(s) * time.Second, file: "trace.out", keep: keepAll, valid: validTrace})
	if err != nil {
		v.warn("no execution trace: %v", err)
	}
}

// validTrace checks for the header "go 1.N trace\0\0\0"; source: runtime/trace.go, internal/trace/tracev2.
func validTrace(name string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	var head [16]byte
	if _, err := io.ReadFull(f, head[:]); err != nil || !bytes.HasPrefix(head[:], []byte("go 1.")) || !bytes.Contains(head[:], []byte(" trace\x00")) {
		return notWhatItSeems(name, "trace")
	}
	return nil
}

// summarise adds what the target's entries say together.
func (v *visit) summarise() {
	t := v.target
	if e := t.entry(Prom, Before); e != nil && t.GoVersion == "" {
		if f, err := os.Open(filepath.Join(v.dir, filepath.FromSlash(e.Name))); err == nil {
			if m, err := parseMetrics(f); err == nil {
				t.GoVersion = m.GoVersion
			}
			f.Close()
		}
	}
	if len(t.Entries) > 0 && t.GoVersion == "" {
		t.Warnings = append(t.Warnings, "the Go release is not known: only go_info in /metrics or /debug/buildinfo tells it")
	}
}
