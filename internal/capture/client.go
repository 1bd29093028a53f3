package capture

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// TLS are the settings of HTTPS connections; the zero value uses the system's.
type TLS struct {
	CACert    string // PEM file of the authorities to trust instead of the system's
	Cert, Key string // PEM files of the client's certificate
	Insecure  bool   // believe any server
}

func (t TLS) config() (*tls.Config, error) {
	c := &tls.Config{InsecureSkipVerify: t.Insecure}
	if t.CACert != "" {
		data, err := os.ReadFile(t.CACert)
		if err != nil {
			return nil, fmt.Errorf("--cacert: %w; name a PEM file", err)
		}
		c.RootCAs = x509.NewCertPool()
		if !c.RootCAs.AppendCertsFromPEM(data) {
			return nil, fmt.Errorf("--cacert: no certificate in %s: give a PEM file", t.CACert)
		}
	}
	if t.Cert != "" {
		pair, err := tls.LoadX509KeyPair(t.Cert, t.Key)
		if err != nil {
			return nil, fmt.Errorf("--cert and --key: %w; give the PEM files of one pair", err)
		}
		c.Certificates = []tls.Certificate{pair}
	}
	return c, nil
}

// A client asks programs, within bounds.
type client struct {
	http        *http.Client
	header      http.Header
	maxResponse int64
	left        atomic.Int64 // bytes that may still be read in all
	total       int64
	patience    time.Duration // beyond the seconds asked for
	// parsing is held while an answer is checked: one at a time, so that a fleet of hostile answers does not unfold in
	// memory at once.
	parsing sync.Mutex
}

// maxRedirects is how many are followed for one request.
const maxRedirects = 5

func newClient(o *Options) (*client, error) {
	cfg, err := o.TLS.config()
	if err != nil {
		return nil, err
	}
	c := &client{header: o.Header, maxResponse: o.MaxResponse, total: o.MaxTotal, patience: o.Patience}
	c.left.Store(o.MaxTotal)
	tr := http.DefaultTransport.(*http.Transport).Clone()
	tr.TLSClientConfig = cfg
	tr.MaxResponseHeaderBytes = 256 << 10
	c.http = &http.Client{Transport: tr, CheckRedirect: func(req *http.Request, via []*http.Request) error {
		first := via[0].URL
		switch {
		case req.URL.Scheme != "http" && req.URL.Scheme != "https":
			return &redirectError{fmt.Sprintf("scheme %q", req.URL.Scheme), "is never followed"}
		case len(via) > maxRedirects:
			return &redirectError{redact(req.URL), fmt.Sprintf("is the end of more than %d redirects; give the URL they should lead to", maxRedirects)}
		case req.URL.Scheme == first.Scheme && req.URL.Host == first.Host:
			return nil
		case !o.Follow:
			return &redirectError{redact(req.URL), "is another server; give its URL, or --follow"}
		}
		// What was meant for one server is not told to another.
		for name := range o.Header {
			req.Header.Del(name)
		}
		req.Header.Del("Referer") // with the query
		return nil
	}}
	return c, nil
}

// A redirectError is a redirect that was not followed.
type redirectError struct{ to, why string }

func (e *redirectError) Error() string { return "redirect to " + e.to + " " + e.why }

// A statusError is an answer other than 200.
type statusError struct {
	code int
	text string // first line of the body
}

func (e *statusError) Error() string {
	s := fmt.Sprintf("%d %s", e.code, http.StatusText(e.code))
	switch e.code {
	case http.StatusUnauthorized, http.StatusForbidden:
		return s + "; give what it wants, as -H 'Authorization: ...'"
	}
	if e.text != "" {
		s += fmt.Sprintf(" (%s)", e.text)
	}
	return s
}

// get asks for u and gives the body to keep, which may read it in part. The time is when the request had been sent.
// The server may take wait beyond the client's patience.
func (c *client) get(ctx context.Context, u *url.URL, wait time.Duration, limit int64, keep func(io.Reader) error) (sent time.Time, err error) {
	// Bodies that trickle count too, so the limit is on all of the request.
	ctx, cancel := context.WithTimeoutCause(ctx, wait+c.patience, errSlow)
	defer cancel()
	sent = time.Now()
	req, err := http.NewRequestWithContext(httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		WroteRequest: func(httptrace.WroteRequestInfo) { sent = time.Now() },
	}), http.MethodGet, u.String(), nil)
	if err != nil {
		return sent, err
	}
	for name, values := range c.header {
		req.Header[name] = values
		if name == "Host" {
			req.Host = values[0]
		}
	}
	// Without this a Prometheus handler may choose protocol buffers.
	req.Header.Set("Accept", "text/plain;version=0.0.4, */*;q=0.1")
	resp, err := c.http.Do(req)
	if err != nil {
		return sent, c.explain(ctx, u, err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(io.LimitReader(resp.Body, 512))
		if !isText(resp) {
			text = nil
		}
		line, _, _ := strings.Cut(strings.TrimSpace(string(text)), "\n")
		return sent, &statusError{resp.StatusCode, line}
	}
	body := &boundedReader{c: c, r: resp.Body, limit: limit, left: limit}
	err = keep(body)
	if body.err != nil { // the cause, whatever keep made of it
		err = body.err
	}
	if err != nil {
		return sent, c.explain(ctx, u, err)
	}
	return sent, nil
}

func isText(resp *http.Response) bool {
	return strings.HasPrefix(resp.Header.Get("Content-Type"), "text/plain")
}

// errSlow is the cause when a server used up the client's patience.
var errSlow = errors.New("no complete answer in time")

// explain turns what went wrong on the wire into what to do about it.
func (c *client) explain(ctx context.Context, u *url.URL, err error) error {
	if context.Cause(ctx) == errSlow {
		return fmt.Errorf("%w: it took %v longer than asked; try again, or give --timeout", errSlow, c.patience)
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var redirect *redirectError
	if errors.As(err, &redirect) {
		return redirect
	}
	var outer *url.Error // names the URL, which may hold secrets
	if errors.As(err, &outer) {
		err = outer.Err
	}
	var unknown x509.UnknownAuthorityError
	var record tls.RecordHeaderError
	var lookup *net.DNSError
	var dial *net.OpError
	switch {
	case errors.As(err, &unknown):
		return fmt.Errorf("%w; give --cacert FILE with its authority, or --insecure", err)
	case errors.As(err, &record), strings.Contains(err.Error(), "server gave HTTP response to HTTPS client"):
		return fmt.Errorf("%s speaks plain HTTP: give an http:// URL", u.Host)
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return errors.New("the server closed the connection before the answer was complete; it may limit how long an answer takes: try fewer --seconds")
	case errors.As(err, &lookup), errors.As(err, &dial) && dial.Op == "dial":
		return fmt.Errorf("%w; check that the program runs and serves net/http/pprof there", err)
	}
	return err
}

// A boundedReader reads a body within the bounds of a response and of the capture.
type boundedReader struct {
	c           *client
	r           io.Reader
	limit, left int64
	err         error
}

func (b *boundedReader) Read(p []byte) (int, error) {
	if b.err != nil {
		return 0, b.err
	}
	n, err := b.r.Read(p)
	b.left -= int64(n)
	switch {
	case b.left < 0:
		b.err = fmt.Errorf("answer of more than %s; give fewer seconds or a larger --max-response", size(b.limit))
		return 0, b.err
	case b.c.left.Add(-int64(n)) < 0:
		b.err = fmt.Errorf("all answers together are more than %s; give fewer seconds or a larger --max-total", size(b.c.total))
		return 0, b.err
	case err != nil && err != io.EOF:
		b.err = err
	}
	return n, err
}

// size writes a bound in whole MiB where it is at least one.
func size(n int64) string {
	if n >= 1<<20 {
		return fmt.Sprintf("%d MiB", n>>20)
	}
	return fmt.Sprintf("%d bytes", n)
}

// looksLikeHTML reports whether a body is a page: of a login, or of a proxy.
func looksLikeHTML(head []byte) bool {
	head = bytes.ToLower(bytes.TrimSpace(head))
	return bytes.HasPrefix(head, []byte("<!doctype")) || bytes.HasPrefix(head, []byte("<html"))
}
