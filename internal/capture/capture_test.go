package capture

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"io"
	"log"
	"maps"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/unheap/unheap/internal/run"
)

// TestProgram captures a real program that allocates at a known rate and has a known live heap.
func TestProgram(t *testing.T) {
	const perSecond, live = 2000, 256 // 125 MiB/s, 16 MiB
	o := options(program(t, perSecond, live))
	o.Seconds, o.TraceSeconds = 2, 1
	var mu sync.Mutex
	var stages []int
	o.Progress = func(_ string, done, total int) {
		mu.Lock()
		defer mu.Unlock()
		if total != 3 {
			t.Errorf("progress of %d, want 3", total)
		}
		stages = append(stages, done)
	}
	b := capture(t, o)
	tg := &b.Manifest.Targets[0]
	if len(tg.Warnings) > 0 {
		t.Errorf("warnings: %q", tg.Warnings)
	}
	want := map[Kind]int{CPU: 1, Allocs: 1, Heap: 1, Goroutine: 1, Trace: 1, Vars: 2, Prom: 2}
	got := make(map[Kind]int)
	for _, e := range tg.Entries {
		got[e.Kind]++
	}
	if !maps.Equal(got, want) {
		t.Errorf("entries %v, want %v", got, want)
	}
	if tg.Program != filepath.Base(os.Args[0]) || tg.GoVersion != goVersion(runtime.Version()) {
		t.Errorf("program %q of Go %q", tg.Program, tg.GoVersion)
	}
	h, err := b.Health(tg)
	if err != nil {
		t.Fatal(err)
	}
	if len(h.Warnings) > 0 {
		t.Errorf("health warnings: %q", h.Warnings)
	}
	// The program catches up with its schedule, so its rate over seconds is what was asked for. The bounds leave room
	// for the capture's own allocations and for a machine that is late.
	between(t, "allocated bytes/s", h.AllocBytesPerS, 0.6*perSecond*block, 1.6*perSecond*block)
	between(t, "mallocs/s", h.MallocsPerS, 0.6*perSecond, 40*perSecond)
	between(t, "cycles/s", h.CyclesPerS, 1, 100)
	between(t, "live heap", h.LiveBytes, 0.8*live*block, 1.5*live*block)
	between(t, "heap goal", h.GoalBytes, 1.8*live*block, 3*live*block)
	between(t, "GC CPU", h.GCCPU, 0, 1)
	between(t, "GC CPU since the start", h.GCCPUTotal, 0, 1)
	between(t, "GOGC", h.GOGC, 100, 100)

	p, err := b.Profile(tg, Allocs)
	if err != nil {
		t.Fatal(err)
	}
	sum, i := 0.0, column(p, "alloc_space")
	for _, s := range p.Sample {
		for _, l := range s.Location {
			if l.Line[0].Function.Name == "github.com/unheap/unheap/internal/capture.(*kept).allocateBlock" {
				sum += float64(s.Value[i])
			}
		}
	}
	// Sampling adds about 1/sqrt(500) to the above.
	between(t, "bytes in the profile", Figure{sum, "profile"}, 2*0.5*perSecond*block, 2*1.7*perSecond*block)
	mu.Lock()
	defer mu.Unlock()
	if !slices.IsSorted(stages) || len(stages) < 3 {
		t.Errorf("progress %v", stages)
	}
}

func between(t *testing.T, what string, f Figure, low, high float64) {
	t.Helper()
	if !f.Known() || f.Value < low || f.Value > high {
		t.Errorf("%s = %v (%q), want %v to %v", what, f.Value, f.Source, low, high)
	}
}

// TestNothingSecret looks for what must not travel.
func TestNothingSecret(t *testing.T) {
	o := options(strings.Replace(program(t, 10, 1), "http://", "http://joe:secret-password@", 1) + "?token=secret-token")
	o.Header = http.Header{"X-Key": {"secret-header"}}
	b := capture(t, o)
	tg := &b.Manifest.Targets[0]
	for i := range tg.Entries {
		r, err := b.Open(&tg.Entries[i])
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(data, []byte("secret-")) {
			t.Errorf("%s holds a secret", tg.Entries[i].Name)
		}
		if strings.Contains(tg.Entries[i].Source, "secret-") {
			t.Errorf("source %s holds a secret", tg.Entries[i].Source)
		}
	}
	if strings.Contains(tg.URL, "joe") || strings.Contains(tg.URL, "token") {
		t.Errorf("URL %s", tg.URL)
	}
}

// TestFleet captures three programs, one of which allocates ten times as much.
func TestFleet(t *testing.T) {
	o := options(program(t, 300, 64), program(t, 300, 64), program(t, 3000, 64))
	b := capture(t, o)
	var fleet []*Health
	for i := range b.Manifest.Targets {
		h, err := b.Health(&b.Manifest.Targets[i])
		if err != nil {
			t.Fatal(err)
		}
		fleet = append(fleet, h)
	}
	third := b.Manifest.Targets[2].Name
	if !slices.ContainsFunc(Outliers(fleet), func(o Outlier) bool { return o.Target == third && o.Figure == "allocation rate" }) {
		t.Errorf("outliers %+v, want the allocation rate of %s", Outliers(fleet), third)
	}
	merged, warnings, err := b.Merged(Allocs)
	if err != nil || len(warnings) > 0 {
		t.Fatalf("%v, warnings %q", err, warnings)
	}
	var sum int64
	for i := range b.Manifest.Targets {
		p, err := b.Profile(&b.Manifest.Targets[i], Allocs)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range p.Sample {
			sum += s.Value[column(p, "alloc_space")]
		}
	}
	for _, s := range merged.Sample {
		sum -= s.Value[column(merged, "alloc_space")]
	}
	if sum != 0 {
		t.Errorf("merged profile lacks %d bytes", sum)
	}
}

// TestPartly captures a server that has little; what it lacks is a warning that says why.
func TestPartly(t *testing.T) {
	f := newFake(t, map[string]http.HandlerFunc{
		"/debug/pprof/heap": heapOnly,
		"/debug/pprof/profile": func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/plain; charset=utf-8")
			w.WriteHeader(500)
			io.WriteString(w, "Could not enable CPU profiling: in use\n")
		},
		"/debug/pprof/allocs":    heapOnly, // no difference
		"/debug/pprof/goroutine": func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "<!DOCTYPE html><h1>Log in") },
		"/debug/pprof/trace":     func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "tracing is off") },
	})
	o := options(f.URL)
	o.TraceSeconds = 1
	b := capture(t, o)
	tg := &b.Manifest.Targets[0]
	if len(tg.Entries) != 1 || tg.Entries[0].Kind != Heap {
		t.Errorf("entries %+v, want the heap profile", tg.Entries)
	}
	all := strings.Join(tg.Warnings, "\n")
	for _, want := range []string{
		"no cpu profile: 500 Internal Server Error (Could not enable CPU profiling: in use)",
		"no allocs-delta profile: the server ignores seconds=",
		"no goroutine profile: the answer is a web page, not a profile",
		"no execution trace: the answer is not a trace",
		"no memory statistics: no runtime.MemStats in it",
		"the Go release is not known",
	} {
		if !strings.Contains(all, want) {
			t.Errorf("warnings lack %q:\n%s", want, all)
		}
	}
	if tg.Program != "service" || tg.BuildID != "c0ffee" || tg.GOOS != "linux" || tg.GOARCH != "arm64" {
		t.Errorf("identity %+v", tg)
	}
	h, err := b.Health(tg)
	if err != nil || h.AllocBytesPerS.Known() {
		t.Errorf("health %+v, %v", h, err)
	}
	between(t, "live heap", h.LiveBytes, 50, 50)
	if _, err := b.Profile(tg, CPU); !errors.Is(err, ErrNone) {
		t.Errorf("err = %v, want ErrNone", err)
	}
}

func TestNothingThere(t *testing.T) {
	empty := newFake(t, nil)
	locked := newFake(t, map[string]http.HandlerFunc{"/debug/pprof/": func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(401) }})
	closed := newFake(t, nil)
	closed.Close()
	secure := httptest.NewUnstartedServer(http.NotFoundHandler())
	secure.Config.ErrorLog = log.New(io.Discard, "", 0) // of handshakes that the client ends
	secure.StartTLS()
	defer secure.Close()
	for _, tt := range []struct{ what, url, want string }{
		{"no profiles", empty.URL, "must import net/http/pprof"},
		{"login", locked.URL, "401 Unauthorized; give what it wants, as -H"},
		{"refused", closed.URL, "connection refused; check that the program runs"},
		{"unknown authority", secure.URL, "give --cacert FILE with its authority, or --insecure"},
		{"plain HTTP", strings.Replace(empty.URL, "http:", "https:", 1), "give an http:// URL"},
	} {
		t.Run(tt.what, func(t *testing.T) {
			_, err := Run(t.Context(), options(tt.url))
			if err == nil || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("err = %v, want %q", err, tt.want)
			}
		})
	}
	_, err := Run(t.Context(), options(empty.URL, locked.URL))
	if err == nil || !strings.Contains(err.Error(), "nothing could be had from any of 2 programs") {
		t.Errorf("err = %v", err)
	}
	// One is enough, wherever it stands, and the others' warnings are there.
	b := capture(t, options(closed.URL, newFake(t, map[string]http.HandlerFunc{"/debug/pprof/heap": heapOnly}).URL, locked.URL))
	for i, want := range map[int]string{0: "connection refused", 2: "401 Unauthorized"} {
		if tg := b.Manifest.Targets[i]; len(tg.Entries) != 0 || !strings.Contains(strings.Join(tg.Warnings, "\n"), want) {
			t.Errorf("target %+v, want a warning of %q", tg, want)
		}
	}
	if _, warnings, err := b.Merged(Heap); err != nil || !slices.Equal(warnings, []string{"the heap profile is of 1 of 3 programs"}) {
		t.Errorf("merged: %q, %v", warnings, err)
	}
}

// TestBounds sends more than is asked for, for longer than is waited.
func TestBounds(t *testing.T) {
	var sent, trickled bool
	endless := func(w http.ResponseWriter, r *http.Request) {
		chunk := make([]byte, 64<<10)
		for {
			if _, err := w.Write(chunk); err != nil {
				sent = true
				return
			}
		}
	}
	trickle := func(w http.ResponseWriter, r *http.Request) {
		for {
			if _, err := io.WriteString(w, "x"); err != nil {
				return
			}
			if err := http.NewResponseController(w).Flush(); err != nil || r.Context().Err() != nil {
				trickled = true
				return
			}
			time.Sleep(5 * time.Millisecond)
		}
	}
	t.Run("endless", func(t *testing.T) {
		f := newFake(t, map[string]http.HandlerFunc{"/debug/pprof/heap": heapOnly, "/debug/pprof/profile": endless, "/debug/vars": endless, "/debug/pprof/cmdline": endless})
		o := options(f.URL)
		o.MaxResponse = 1 << 20
		b := capture(t, o)
		f.Close()
		if w := strings.Join(b.Manifest.Targets[0].Warnings, "\n"); !sent || !strings.Contains(w, "no cpu profile: answer of more than 1 MiB; give fewer seconds or a larger --max-response") {
			t.Errorf("warnings:\n%s", w)
		}
	})
	t.Run("total", func(t *testing.T) {
		f := newFake(t, map[string]http.HandlerFunc{"/debug/pprof/heap": heapOnly, "/debug/pprof/goroutine": endless, "/debug/pprof/trace": endless})
		o := options(f.URL)
		o.MaxTotal, o.TraceSeconds = 2<<20, 1
		b := capture(t, o)
		w := strings.Join(b.Manifest.Targets[0].Warnings, "\n")
		for _, what := range []string{"no goroutine profile", "no execution trace"} {
			if want := what + ": all answers together are more than 2 MiB; give fewer seconds or a larger --max-total"; !strings.Contains(w, want) {
				t.Errorf("warnings lack %q:\n%s", want, w)
			}
		}
	})
	t.Run("slow", func(t *testing.T) {
		f := newFake(t, map[string]http.HandlerFunc{"/debug/pprof/heap": heapOnly, "/debug/pprof/goroutine": trickle})
		o := options(f.URL)
		o.Patience = 300 * time.Millisecond
		b := capture(t, o)
		f.Close()
		if w := strings.Join(b.Manifest.Targets[0].Warnings, "\n"); !trickled || !strings.Contains(w, "no goroutine profile: no complete answer in time: it took 300ms longer than asked") {
			t.Errorf("warnings:\n%s", w)
		}
	})
	t.Run("bomb", func(t *testing.T) {
		f := newFake(t, map[string]http.HandlerFunc{"/debug/pprof/heap": heapOnly, "/debug/pprof/goroutine": func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			w.Write(gzipped(make([]byte, 4<<20)))
		}})
		o := options(f.URL)
		o.MaxResponse = 1 << 20
		b := capture(t, o)
		if w := strings.Join(b.Manifest.Targets[0].Warnings, "\n"); !strings.Contains(w, "no goroutine profile: answer of more than 1 MiB") {
			t.Errorf("warnings:\n%s", w)
		}
	})
	t.Run("cut", func(t *testing.T) {
		f := newFake(t, map[string]http.HandlerFunc{"/debug/pprof/heap": heapOnly, "/debug/pprof/goroutine": func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Length", "1000")
			w.Write(tinyProfile(0))
		}})
		b := capture(t, options(f.URL))
		if w := strings.Join(b.Manifest.Targets[0].Warnings, "\n"); !strings.Contains(w, "no goroutine profile: the server closed the connection") {
			t.Errorf("warnings:\n%s", w)
		}
	})
}

func TestRedirects(t *testing.T) {
	other := newFake(t, map[string]http.HandlerFunc{"/debug/pprof/heap": func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("X-Key") != "" || r.Header.Get("Referer") != "" {
			t.Errorf("another server was told %v", r.Header)
		}
		heapOnly(w, r)
	}})
	to := func(url string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("X-Key") != "k" {
				t.Errorf("headers %v", r.Header)
			}
			w.Header().Set("Location", url)
			w.WriteHeader(302)
		}
	}
	f := newFake(t, map[string]http.HandlerFunc{
		"/moved/debug/pprof/heap":   to("/here/debug/pprof/heap"),
		"/here/debug/pprof/heap":    heapOnly,
		"/other/debug/pprof/heap":   to(other.URL + "/debug/pprof/heap"),
		"/file/debug/pprof/heap":    to("file:///etc/passwd"),
		"/circle/debug/pprof/heap":  to("/circle/debug/pprof/heap"),
		"/index/debug/pprof/":       to(other.URL),
		"/circle/debug/pprof/trace": nil,
	})
	for _, tt := range []struct {
		path   string
		follow bool
		want   string // "" for a heap profile
	}{
		{"/moved", false, ""},
		{"/other", false, "is another server; give its URL, or --follow"},
		{"/other", true, ""},
		{"/file", true, `redirect to scheme "file" is never followed`},
		{"/circle", true, "more than 5 redirects"},
		{"/index", false, "is another server"},
	} {
		t.Run(tt.path, func(t *testing.T) {
			o := options(f.URL + tt.path + "?token=x")
			o.Header, o.Follow = http.Header{"X-Key": {"k"}}, tt.follow
			c, err := Run(t.Context(), o)
			if c != nil {
				defer c.Close()
			}
			if tt.want == "" {
				if err != nil || c.Manifest.Targets[0].entry(Heap, "") == nil {
					t.Errorf("no heap profile: %v", err)
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("err = %v, want %q", err, tt.want)
			}
		})
	}
}

func TestTLS(t *testing.T) {
	srv := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/debug/pprof/heap" {
			heapOnly(w, r)
			return
		}
		http.NotFound(w, r)
	}))
	defer srv.Close()
	ca := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(ca, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: srv.Certificate().Raw}), 0o666); err != nil {
		t.Fatal(err)
	}
	for name, settings := range map[string]TLS{"cacert": {CACert: ca}, "insecure": {Insecure: true}} {
		t.Run(name, func(t *testing.T) {
			o := options(srv.URL)
			o.TLS = settings
			if b := capture(t, o); b.Manifest.Targets[0].entry(Heap, "") == nil {
				t.Errorf("no heap profile: %q", b.Manifest.Targets[0].Warnings)
			}
		})
	}
	// The server's own pair serves as the client's: the server wants any.
	key, err := x509.MarshalPKCS8PrivateKey(srv.TLS.Certificates[0].PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	keyFile := filepath.Join(t.TempDir(), "key.pem")
	if err := os.WriteFile(keyFile, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: key}), 0o600); err != nil {
		t.Fatal(err)
	}
	mutual := httptest.NewUnstartedServer(srv.Config.Handler)
	mutual.TLS = &tls.Config{ClientAuth: tls.RequireAnyClientCert}
	mutual.Config.ErrorLog = log.New(io.Discard, "", 0)
	mutual.StartTLS()
	defer mutual.Close()
	o := options(mutual.URL)
	o.TLS = TLS{CACert: ca, Cert: ca, Key: keyFile}
	if b := capture(t, o); b.Manifest.Targets[0].entry(Heap, "") == nil {
		t.Errorf("no heap profile: %q", b.Manifest.Targets[0].Warnings)
	}
	o.TLS = TLS{CACert: ca}
	if _, err := Run(t.Context(), o); err == nil {
		t.Error("no error without the client's certificate")
	}

	bad := filepath.Join(t.TempDir(), "bad.pem")
	if err := os.WriteFile(bad, []byte("no certificate"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, settings := range []TLS{{CACert: bad}, {CACert: bad + "x"}, {Cert: bad, Key: bad}} {
		o := options(srv.URL)
		o.TLS = settings
		if _, err := Run(t.Context(), o); err == nil || !strings.Contains(err.Error(), "--c") {
			t.Errorf("%+v: err = %v", settings, err)
		}
	}
}

// TestInterrupt ends a capture in its window: nothing stays behind.
func TestInterrupt(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	ctx, cancel := context.WithCancel(t.Context())
	f := newFake(t, map[string]http.HandlerFunc{"/debug/pprof/profile": func(w http.ResponseWriter, r *http.Request) {
		cancel()
		<-r.Context().Done()
	}})
	_, err := Run(ctx, options(f.URL))
	if !run.Interrupted(ctx, err) {
		t.Errorf("err = %v", err)
	}
	if left, err := os.ReadDir(os.Getenv("TMPDIR")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
	if err := Write(ctx, io.Discard, sampleManifest(), sampleFiles()); !errors.Is(err, context.Canceled) {
		t.Errorf("err = %v", err)
	}
}

// TestHeaders sends a server what it was told to, with its name.
func TestHeaders(t *testing.T) {
	f := newFake(t, map[string]http.HandlerFunc{"/debug/pprof/heap": func(w http.ResponseWriter, r *http.Request) {
		user, password, _ := r.BasicAuth()
		if r.Host != "service.internal" || r.Header.Get("X-Key") != "k" || user != "joe" || password != "p" || r.FormValue("token") != "x" {
			t.Errorf("asked of %s with %v, query %s", r.Host, r.Header, r.URL.RawQuery)
		}
		heapOnly(w, r)
	}})
	o := options(strings.Replace(f.URL, "http://", "http://joe:p@", 1) + "/debug/pprof/?token=x")
	header, err := ParseHeaders([]string{"host: service.internal", "X-Key: k"})
	if err != nil {
		t.Fatal(err)
	}
	o.Header = header
	if b := capture(t, o); b.Manifest.Targets[0].entry(Heap, "") == nil {
		t.Errorf("no heap profile: %q", b.Manifest.Targets[0].Warnings)
	}
}

func TestAddress(t *testing.T) {
	for in, want := range map[string]string{
		"localhost:6060":       "http://localhost:6060/debug/pprof/",
		":6060":                "http://localhost:6060/debug/pprof/",
		"http://h":             "http://h/debug/pprof/",
		"https://h:8443/":      "https://h:8443/debug/pprof/",
		"http://h/debug/pprof": "http://h/debug/pprof/",
		"http://h/a/debug/pprof/heap?seconds=3&debug=1": "http://h/a/debug/pprof/",
		"h/admin":               "http://h/admin/debug/pprof/",
		"http://h/pprof/":       "http://h/pprof/",
		"http://[::1]:6060":     "http://[::1]:6060/debug/pprof/",
		"http://u:p@h/?token=x": "http://h/debug/pprof/",
	} {
		a, err := parseAddress(in)
		if err != nil {
			t.Errorf("%s: %v", in, err)
			continue
		}
		if got := redact(a.pprof); got != want {
			t.Errorf("%s: %s, want %s", in, got, want)
		}
		if a.query.Has("seconds") || a.query.Has("debug") || strings.Contains(in, "token") != a.query.Has("token") {
			t.Errorf("%s: query %v", in, a.query)
		}
	}
	a, _ := parseAddress("http://h/a/debug/pprof")
	if len(a.side) != 2 || a.side[0].Path != "/a/" || a.side[1].Path != "/" {
		t.Errorf("side = %v", a.side)
	}
	taken := make(map[string]bool)
	for in, want := range map[string]string{"h:1": "h_1", "https://../": "_443", "http://[::1]": "ipv6-__1_80"} {
		a, err := parseAddress(in)
		if err != nil {
			t.Fatal(err)
		}
		if got := a.folder(taken); got != want {
			t.Errorf("folder of %s = %s, want %s", in, got, want)
		}
		if got := a.folder(taken); got != want+"-2" {
			t.Errorf("second folder of %s = %s", in, got)
		}
	}
}

func TestCheck(t *testing.T) {
	for _, tt := range []struct {
		want   string
		change func(*Options)
	}{
		{"give 1 to 1000 URLs", func(o *Options) { o.URLs = nil }},
		{"neither http nor https", func(o *Options) { o.URLs = []string{"file:///etc/passwd"} }},
		{"no host", func(o *Options) { o.URLs = []string{"http://"} }},
		{"not a port", func(o *Options) { o.URLs = []string{"h:99999"} }},
		{"a URL cannot be read", func(o *Options) { o.URLs = []string{"http://u:secret@h:port/"} }},
		{"given twice", func(o *Options) { o.URLs = []string{"h", "http://h/debug/pprof"} }},
		{"--seconds 0", func(o *Options) { o.Seconds = 0 }},
		{"--trace -1", func(o *Options) { o.TraceSeconds = -1 }},
		{"--max-response", func(o *Options) { o.MaxResponse = 0 }},
		{"--timeout", func(o *Options) { o.Patience = 0 }},
		{"give both", func(o *Options) { o.TLS.Key = "k" }},
	} {
		o := options("localhost:1")
		tt.change(&o)
		if err := o.Check(); err == nil || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "secret") {
			t.Errorf("err = %v, want %q", err, tt.want)
		}
		if _, err := Run(t.Context(), o); err == nil {
			t.Errorf("%s: Run takes what Check refuses", tt.want)
		}
	}
	if h, err := ParseHeaders([]string{"a-b: c: d", "A-B:e"}); err != nil || !slices.Equal(h["A-B"], []string{"c: d", "e"}) {
		t.Errorf("%v %v", h, err)
	}
	for _, bad := range []string{"x", ": y", "a b: c", "a: b\nc: d"} {
		if _, err := ParseHeaders([]string{bad}); err == nil {
			t.Errorf("no error for header %q", bad)
		}
	}
}

func TestOutliers(t *testing.T) {
	known := func(v float64) Figure { return Figure{v, "test"} }
	fleet := func(rates ...float64) (hs []*Health) {
		for i, r := range rates {
			hs = append(hs, &Health{Target: string(rune('a' + i)), AllocBytesPerS: known(r)})
		}
		return hs
	}
	for _, tt := range []struct {
		rates []float64
		want  string
	}{
		{[]float64{100, 1000}, ""},
		{[]float64{100, 110, 1000}, "c"},
		{[]float64{100, 100.1, 100.2, 101}, ""}, // far in deviations, near in percent
		{[]float64{100, 100, 100, 10}, "d"},
		{[]float64{10, 30, 50, 70, 90}, ""},
		{[]float64{0, 0, 5}, "c"},
	} {
		var got string
		for _, o := range Outliers(fleet(tt.rates...)) {
			got += o.Target
			if o.Figure != "allocation rate" || math.IsInf(o.Deviations, 0) || math.IsNaN(o.Deviations) {
				t.Errorf("%+v", o)
			}
		}
		if got != tt.want {
			t.Errorf("outliers of %v = %q, want %q", tt.rates, got, tt.want)
		}
	}
	mixed := fleet(100, 110, 1000)
	mixed[0].AllocBytesPerS = Figure{}
	if got := Outliers(mixed); len(got) > 0 {
		t.Errorf("outliers with two known: %v", got)
	}
}

// TestZipIsPlain reads a bundle as any other tool would.
func TestZipIsPlain(t *testing.T) {
	var buf bytes.Buffer
	if err := Write(t.Context(), &buf, sampleManifest(), sampleFiles()); err != nil {
		t.Fatal(err)
	}
	zr, err := zip.NewReader(bytes.NewReader(buf.Bytes()), int64(buf.Len()))
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(must(zr.Open("host_6060/heap.pb.gz")))
	if err != nil || !bytes.Equal(data, tinyProfile(0)) {
		t.Errorf("heap profile of %d bytes, %v", len(data), err)
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
