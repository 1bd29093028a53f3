package report

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

func TestFit(t *testing.T) {
	for _, tt := range []struct{ got, want string }{
		{fit("abc", 3), "abc"},
		{fit("abcd", 3), "ab…"},
		{fit("日本語", 6), "日本語"},
		{fit("日本語", 5), "日本…"},
		{fit("日本語", 4), "日…"},
		{fit("abc", 1), "…"},
		{fit("abc", 0), ""},
		{fit("abc", -4), ""},
		{fitTail("a/b/c.go:1", 20), "a/b/c.go:1"},
		{fitTail("a/b/c.go:1", 7), "…c.go:1"},
		{fitTail("日本語", 5), "…本語"},
		{fitTail("日本語", 4), "…語"},
		{fitTail("abc", 0), ""},
		{pad("日", 4), "日  "},
		{padLeft("日", 4), "  日"},
		{pad("long", 2), "long"},
	} {
		if tt.got != tt.want {
			t.Errorf("got %q, want %q", tt.got, tt.want)
		}
	}
}

func TestWrap(t *testing.T) {
	text := func(lines []line) string {
		var b strings.Builder
		for _, l := range lines {
			for _, s := range l {
				fmt.Fprintf(&b, "%d%s", s.style, s.text)
			}
			b.WriteByte('/')
		}
		return b.String()
	}
	for _, tt := range []struct {
		spans       []span
		width, most int
		want        string
	}{
		{[]span{{plain, "one two three four"}}, 9, 0, "0one two/0three/0four/"},
		{[]span{{good, "ok"}, {plain, "then more"}}, 12, 0, "3ok0 then more/"},
		{[]span{{good, "ok"}, {plain, "then more"}}, 9, 0, "3ok0 then/0more/"},
		{[]span{{plain, "one two three four"}}, 9, 2, "0one two/0three …/"},
		{[]span{{plain, "one twotwo three"}}, 10, 1, "0one twotw…/"},
		{[]span{{plain, "abcdefghijklmnopq"}}, 8, 0, "0abcdefgh/0ijklmnop/0q/"},
		{[]span{{plain, "日本語日本"}}, 9, 0, "0日本語日/0本/"},
		{nil, 9, 0, ""},
	} {
		if got := text(wrap(tt.spans, tt.width, tt.most)); got != tt.want {
			t.Errorf("wrap(%v, %d, %d) = %q, want %q", tt.spans, tt.width, tt.most, got, tt.want)
		}
	}
}

func TestClean(t *testing.T) {
	for in, want := range map[string]string{
		"a  b\t\n c ":     "a b c",
		"\x1b[31mred":     `\x1b[31mred`,
		"\u202eevil":      `\u202eevil`,
		"\u009bm":         `\u009bm`,
		"\U000e0041":      `\U000e0041`,
		"\xff":            `\xff`,
		"\ufffd":          "\ufffd",
		"日本語 µ":           "日本語 µ",
		" \u2028 ":        "",
		"tab\tat\u00a0it": "tab at it",
	} {
		if got := Clean(in); got != want {
			t.Errorf("Clean(%q) = %q, want %q", in, got, want)
		}
	}
	if got := Clean(strings.Repeat("界", 9999)); len(got) > maxText+8 || !strings.HasSuffix(got, "…") {
		t.Errorf("Clean of a huge text has %d bytes", len(got))
	}
}

// One finding is always shown; the rest keep to the lines asked for.
func TestLines(t *testing.T) {
	var whole bytes.Buffer
	if err := (Text{Width: 80}).Write(&whole, document()); err != nil {
		t.Fatal(err)
	}
	all := strings.Count(whole.String(), "\n")
	for most := 1; most < all+5; most++ {
		var out bytes.Buffer
		if err := (Text{Width: 80, Lines: most}).Write(&out, document()); err != nil {
			t.Fatal(err)
		}
		n := strings.Count(out.String(), "\n")
		// Header, totals, one finding, what is hidden and the document's warning.
		if least := 3 + 2 + 1 + 7 + 1 + 1; n > max(most, least) {
			t.Errorf("%d lines where %d were asked for:\n%s", n, most, out.String())
		}
		if !strings.Contains(out.String(), "stripped") {
			t.Errorf("with %d lines the document's warning is dropped", most)
		}
		if hint := strings.Contains(out.String(), "--all"); hint != (most < all) {
			t.Errorf("with %d lines of %d a hint that there is more: %t", n, most, hint)
		}
	}
}
