package capture

import (
	"bytes"
	"expvar"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/pprof"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	gprofile "github.com/google/pprof/profile"
)

// The tests' program is this test binary, started again: it serves net/http/pprof and allocates block by block, so many a
// second, of which it keeps as many as asked.
func TestMain(m *testing.M) {
	if rate := os.Getenv("CAPTURE_TEST_BLOCKS"); rate != "" {
		allocate(rate, os.Getenv("CAPTURE_TEST_LIVE"))
		return
	}
	os.Exit(m.Run())
}

const block = 64 << 10

// kept keeps blocks alive.
type kept struct{ blocks [][]byte }

//go:noinline
func (k *kept) allocateBlock(i int) {
	k.blocks[i%len(k.blocks)] = make([]byte, block)
}

func allocate(rate, live string) {
	perSecond, _ := strconv.Atoi(rate)
	n, _ := strconv.Atoi(live)
	srv := httptest.NewServer(handlers())
	// So that there has been a collection before the window: the share of the time since the last one is tested.
	time.Sleep(50 * time.Millisecond)
	runtime.GC()
	fmt.Println(srv.URL)
	// The parent's end of stdin closes when it dies.
	go func() {
		os.Stdin.Read(make([]byte, 1))
		os.Exit(0)
	}()
	k := &kept{make([][]byte, max(1, n))}
	start := time.Now()
	for i := 0; ; {
		for due := int(time.Since(start).Seconds() * float64(perSecond)); i < due; i++ {
			k.allocateBlock(i)
		}
		time.Sleep(2 * time.Millisecond)
	}
}

func handlers() *http.ServeMux {
	mux := http.NewServeMux()
	mux.HandleFunc("/debug/pprof/", pprof.Index)
	mux.HandleFunc("/debug/pprof/cmdline", pprof.Cmdline)
	mux.HandleFunc("/debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("/debug/pprof/trace", pprof.Trace)
	mux.Handle("/debug/vars", expvar.Handler())
	start := float64(time.Now().UnixMilli()) / 1e3
	mux.HandleFunc("/metrics", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "# HELP go_info x\ngo_info{version=%q} 1\ngo_gc_gogc_percent 100\ngo_gc_gomemlimit_bytes 9.223372036854776e+18\n"+
			"process_start_time_seconds %.3f\nhttp_requests_total{user=\"secret-user\"} 5\n", runtime.Version(), start)
	})
	return mux
}

// program starts the tests' program and returns its URL.
func program(t *testing.T, blocksPerSecond, live int) string {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-secret-flag")
	cmd.Env = append(os.Environ(), fmt.Sprintf("CAPTURE_TEST_BLOCKS=%d", blocksPerSecond), fmt.Sprintf("CAPTURE_TEST_LIVE=%d", live), "GOGC=100", "GOMAXPROCS=1")
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { stdin.Close(); cmd.Wait() })
	line := make([]byte, 200)
	n, err := out.Read(line)
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(line[:n]))
}

// options returns options for a short capture of the URLs.
func options(urls ...string) Options {
	o := Defaults()
	o.URLs, o.Seconds, o.TraceSeconds, o.Patience = urls, 1, 0, 10*time.Second
	return o
}

// capture runs a capture and returns its bundle, written and opened again.
func capture(t *testing.T, o Options) *Bundle {
	t.Helper()
	c, err := Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	var buf bytes.Buffer
	err = c.Write(t.Context(), &buf)
	if closeErr := c.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		t.Fatal(err)
	}
	b, err := NewBundle(bytes.NewReader(buf.Bytes()), int64(buf.Len()))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// tinyProfile returns a valid heap profile, of a difference where seconds is not 0.
func tinyProfile(seconds int) []byte {
	fn := &gprofile.Function{ID: 1, Name: "runtime.main", Filename: "/go/src/runtime/os_linux_arm64.go"}
	m := &gprofile.Mapping{ID: 1, Start: 1, Limit: 1000, File: "/opt/service", BuildID: "c0ffee"}
	loc := &gprofile.Location{ID: 1, Address: 10, Mapping: m, Line: []gprofile.Line{{Function: fn, Line: 1}}}
	p := &gprofile.Profile{
		SampleType: []*gprofile.ValueType{{Type: "alloc_space", Unit: "bytes"}, {Type: "inuse_space", Unit: "bytes"}},
		Sample:     []*gprofile.Sample{{Location: []*gprofile.Location{loc}, Value: []int64{100, 50}}},
		Location:   []*gprofile.Location{loc}, Function: []*gprofile.Function{fn}, Mapping: []*gprofile.Mapping{m},
		DurationNanos: int64(seconds) * 1e9,
	}
	var buf bytes.Buffer
	if err := p.Write(&buf); err != nil {
		panic(err)
	}
	return buf.Bytes()
}

// A fake is a server that answers at once and in its own way. Paths without an answer are not found.
type fake struct {
	*httptest.Server
	asked atomic.Int64
}

func newFake(t *testing.T, answers map[string]http.HandlerFunc) *fake {
	t.Helper()
	f := new(fake)
	f.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		f.asked.Add(1)
		if h := answers[r.URL.Path]; h != nil {
			h(w, r)
			return
		}
		http.NotFound(w, r)
	}))
	t.Cleanup(f.Close)
	return f
}

// heapOnly answers the heap profile.
func heapOnly(w http.ResponseWriter, r *http.Request) { w.Write(tinyProfile(0)) }
