package capture

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/unheap/unheap/finding"
	"github.com/unheap/unheap/internal/run"
)

// Options say what is captured. Every bound must be positive; [Defaults] has usual ones.
type Options struct {
	URLs         []string
	Seconds      int         // of the window, 1 to 3600
	TraceSeconds int         // 0: no trace
	Header       http.Header // sent with every request, to the servers named in URLs only
	TLS          TLS
	Follow       bool // follow redirects to other servers, without Header
	MaxResponse  int64
	MaxTotal     int64         // bytes read from all programs
	Patience     time.Duration // for an answer, beyond the seconds asked for
	Tool         finding.Tool
	Progress     run.Progress // may be nil
}

// Defaults returns the usual bounds.
func Defaults() Options {
	return Options{Seconds: 10, TraceSeconds: 2, MaxResponse: 256 << 20, MaxTotal: 2 << 30, Patience: 30 * time.Second}
}

const maxSeconds = 3600

// Check returns what is wrong with the options in themselves, before anything is asked.
func (o *Options) Check() error {
	_, err := o.addresses()
	switch {
	case err != nil:
		return err
	case o.Seconds < 1 || o.Seconds > maxSeconds:
		return fmt.Errorf("--seconds %d: give 1 to %d", o.Seconds, maxSeconds)
	case o.TraceSeconds < 0 || o.TraceSeconds > maxSeconds:
		return fmt.Errorf("--trace %d: give 0, for none, to %d seconds", o.TraceSeconds, maxSeconds)
	case o.MaxResponse < 1 || o.MaxTotal < 1:
		return errors.New("--max-response and --max-total: give more than 0")
	case o.Patience <= 0:
		return errors.New("--timeout: give more than 0")
	case (o.TLS.Cert == "") != (o.TLS.Key == ""):
		return errors.New("--cert and --key go together: give both")
	}
	return nil
}

func (o *Options) addresses() ([]*address, error) {
	if len(o.URLs) == 0 || len(o.URLs) > maxTargets {
		return nil, fmt.Errorf("%d programs to capture: give 1 to %d URLs", len(o.URLs), maxTargets)
	}
	seen := make(map[string]bool)
	list := make([]*address, len(o.URLs))
	for i, s := range o.URLs {
		a, err := parseAddress(s)
		if err != nil {
			return nil, err
		}
		if key := redact(a.pprof); seen[key] {
			return nil, fmt.Errorf("%s is given twice: give each program once", key)
		} else {
			seen[key] = true
		}
		list[i] = a
	}
	return list, nil
}

// ParseHeaders reads headers written as "Name: value".
func ParseHeaders(lines []string) (http.Header, error) {
	h := make(http.Header)
	for _, line := range lines {
		name, value, ok := strings.Cut(line, ":")
		name, value = strings.TrimSpace(name), strings.TrimSpace(value)
		// The value may be a secret: it is not repeated.
		if !ok || name == "" || strings.ContainsFunc(name, notToken) || strings.ContainsAny(value, "\r\n\x00") {
			return nil, errors.New("a header cannot be read: write it as 'Name: value'")
		}
		h.Add(name, value)
	}
	return h, nil
}

// notToken reports whether a header name must not hold r; source: RFC 9110, 5.6.2.
func notToken(r rune) bool {
	return r <= ' ' || r >= 0x7f || strings.ContainsRune("\"(),/:;<=>?@[\\]{}", r)
}

// A Capture is what was had, in temporary files. The caller must close it.
type Capture struct {
	Manifest Manifest
	scratch  *run.Scratch
}

// Write writes the capture as a bundle.
func (c *Capture) Write(ctx context.Context, w io.Writer) error {
	return Write(ctx, w, c.Manifest, os.DirFS(c.scratch.Dir))
}

// Close removes the temporary files.
func (c *Capture) Close() error { return c.scratch.Close() }

// Run captures the programs, all at the same time. What could not be had is a warning of its target. The error is not
// nil when nothing could be had from any, or when the context ended.
func Run(ctx context.Context, o Options) (*Capture, error) {
	if err := o.Check(); err != nil {
		return nil, err
	}
	addresses, err := o.addresses()
	if err != nil {
		return nil, err
	}
	cl, err := newClient(&o)
	if err != nil {
		return nil, err
	}
	defer cl.http.CloseIdleConnections()
	scratch, err := run.NewScratch()
	if err != nil {
		return nil, err
	}
	c := &Capture{scratch: scratch, Manifest: Manifest{
		Version: manifestVersion, Tool: o.Tool, Created: time.Now().UTC(),
		Seconds: o.Seconds, TraceSeconds: o.TraceSeconds, Targets: make([]Target, len(addresses)),
	}}
	stop := showProgress(&o, len(addresses))
	causes := make([]error, len(addresses))
	taken := make(map[string]bool)
	var wg sync.WaitGroup
	for i, a := range addresses {
		t := &c.Manifest.Targets[i]
		t.Name, t.URL, t.Entries = a.folder(taken), redact(a.pprof), []Entry{}
		v := &visit{client: cl, address: a, options: &o, target: t, dir: scratch.Dir}
		wg.Go(func() { causes[i] = v.run(ctx) })
	}
	wg.Wait()
	stop()
	if err := c.outcome(ctx, causes); err != nil {
		scratch.Close()
		return nil, err
	}
	return c, nil
}

// outcome notes why programs could not be asked, and returns the error of a capture that has nothing.
func (c *Capture) outcome(ctx context.Context, causes []error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	some := false
	for i, cause := range causes {
		t := &c.Manifest.Targets[i]
		if cause != nil {
			t.Warnings = append(t.Warnings, cause.Error())
		}
		some = some || len(t.Entries) > 0
	}
	if some {
		return nil
	}
	var first error
	for i, cause := range causes {
		t := &c.Manifest.Targets[i]
		if cause == nil {
			cause = errors.New("no profiles there; the program must import net/http/pprof and serve its handlers")
			if len(t.Warnings) > 0 {
				cause = fmt.Errorf("%w: %s", cause, t.Warnings[0])
			}
		}
		if first == nil {
			first = fmt.Errorf("%s: %w", t.URL, cause)
		}
	}
	if len(causes) > 1 {
		return fmt.Errorf("nothing could be had from any of %d programs: %w", len(causes), first)
	}
	return first
}

// showProgress tells o.Progress every second how far the time is; the function that it returns ends it.
func showProgress(o *Options, targets int) (stop func()) {
	if o.Progress == nil {
		return func() {}
	}
	stage, total := "capturing 1 program", o.Seconds+o.TraceSeconds
	if targets > 1 {
		stage = fmt.Sprintf("capturing %d programs", targets)
	}
	o.Progress(stage, 0, total)
	done := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		tick := time.NewTicker(time.Second)
		defer tick.Stop()
		for n := 1; ; n++ {
			select {
			case <-done:
				return
			case <-tick.C:
				o.Progress(stage, min(n, total), total)
			}
		}
	})
	return func() { close(done); wg.Wait() }
}
