package capture

import (
	"fmt"
	"net"
	"net/url"
	"strconv"
	"strings"
)

// An address is where a program serves its profiles, as URLs without a query.
type address struct {
	pprof *url.URL   // directory of the profiles, ends in a slash
	side  []*url.URL // where /debug/vars and /metrics may lie: beside the profiles, then at the root
	query url.Values // sent with every request, as tokens may be
}

// parseAddress reads what a user gives to name a program: host:port, a base URL, or the URL of
// /debug/pprof or of a profile below it.
func parseAddress(s string) (*address, error) {
	full := strings.TrimSpace(s)
	if !strings.Contains(full, "://") {
		if strings.HasPrefix(full, ":") {
			full = "localhost" + full
		}
		full = "http://" + full
	}
	const form = "give host:port or http://host:port, with the path of /debug/pprof where it is not at the root"
	u, err := url.Parse(full)
	if err != nil {
		// The parser's error quotes the URL with its password.
		return nil, fmt.Errorf("a URL cannot be read: %s", form)
	}
	if u.Scheme != "http" && u.Scheme != "https" {
		return nil, fmt.Errorf("%s: scheme %q is neither http nor https: %s", redact(u), u.Scheme, form)
	}
	if u.Hostname() == "" {
		return nil, fmt.Errorf("%s: no host: %s", redact(u), form)
	}
	if p := u.Port(); p != "" {
		if n, err := strconv.Atoi(p); err != nil || n < 1 || n > 65535 {
			return nil, fmt.Errorf("%s: %q is not a port: %s", redact(u), p, form)
		}
	}
	a := &address{query: u.Query()}
	for _, ours := range []string{"seconds", "debug", "gc"} {
		a.query.Del(ours)
	}
	u.RawQuery, u.Fragment, u.RawPath = "", "", ""
	u.ForceQuery = false
	prefix, dir := splitPath(u.Path)
	at := func(path string) *url.URL {
		c := *u
		c.Path = path
		return &c
	}
	a.pprof = at(dir)
	a.side = []*url.URL{at(prefix + "/")}
	if prefix != "" {
		a.side = append(a.side, at("/"))
	}
	return a, nil
}

// splitPath returns the path that a URL's path puts before /debug/pprof/, and the directory of the profiles.
func splitPath(path string) (prefix, dir string) {
	path = strings.TrimRight(path, "/")
	if before, _, ok := strings.Cut(path+"/", "/debug/pprof/"); ok {
		return before, before + "/debug/pprof/"
	}
	// Some routers mount the handlers as /pprof.
	if before, ok := strings.CutSuffix(path, "/pprof"); ok {
		return before, path + "/"
	}
	return path, path + "/debug/pprof/"
}

// redact returns the URL as it may be shown and kept.
func redact(u *url.URL) string {
	c := url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}
	return c.String()
}

// port returns the URL's port, also where it goes without saying.
func port(u *url.URL) string {
	switch p := u.Port(); {
	case p != "":
		return p
	case u.Scheme == "https":
		return "443"
	}
	return "80"
}

// folder returns a name for the address's folder in the bundle that taken does not have yet.
func (a *address) folder(taken map[string]bool) string {
	host := a.pprof.Hostname()
	if ip := net.ParseIP(host); ip != nil && ip.To4() == nil {
		host = "ipv6-" + host
	}
	base := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '.' || r == '-' {
			return r
		}
		return '_'
	}, strings.TrimLeft(host, "."))
	base = base[:min(len(base), 100)] + "_" + port(a.pprof)
	name := base
	for n := 2; taken[name]; n++ {
		name = fmt.Sprintf("%s-%d", base, n)
	}
	taken[name] = true
	return name
}
