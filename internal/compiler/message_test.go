package compiler

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseMessage(t *testing.T) {
	tests := []struct {
		msg  string
		want Record
	}{
		{"m.Key escapes to heap", Record{Subject: "m.Key"}},
		{"m.Key escapes to heap:", Record{Subject: "m.Key"}},
		{"&T{...} escapes to heap in (*S).F:", Record{Subject: "&T{...}", Func: "(*S).F"}},
		{`"x escapes to heap" escapes to heap in F:`, Record{Subject: `"x escapes to heap"`, Func: "F"}},
		{"parameter v leaks to {heap} with derefs=0", Record{Code: Leak, Subject: "v", Target: "{heap}"}},
		{"parameter v leaks to {heap} for (*S).F with derefs=2:", Record{Code: Leak, Subject: "v", Target: "{heap}", Func: "(*S).F", Derefs: 2}},
		{"parameter v leaks to {storage for a for b} with derefs=1:", Record{Code: Leak, Subject: "v", Target: "{storage for a for b}", Derefs: 1}},
		{"parameter v leaks to ~r0 for F with derefs=0:", Record{Code: Leak, Subject: "v", Target: "~r0", Func: "F"}},
	}
	for _, tt := range tests {
		got, ok := parseMessage(tt.msg)
		if !ok {
			t.Errorf("%q: not understood", tt.msg)
		} else if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", tt.msg, diff)
		}
	}
	for _, msg := range []string{"", "moved to heap: x", " escapes to heap", "x escapes to heap later", "parameter v leaks to {heap} with derefs=many"} {
		if got, ok := parseMessage(msg); ok {
			t.Errorf("%q: got %+v, want nothing", msg, got)
		}
	}
}

func TestParseFlow(t *testing.T) {
	tests := []struct {
		msg  string
		want FlowStep
	}{
		{"flow: {heap} ← &x:", FlowStep{Dst: "{heap}", Src: "x", Derefs: -1}},
		{"flow: {heap} = &x:", FlowStep{Dst: "{heap}", Src: "x", Derefs: -1}},
		{"flow: b ← **a:", FlowStep{Dst: "b", Src: "a", Derefs: 2}},
		{"flow: {storage for m[k] = v} = x:", FlowStep{Dst: "{storage for m[k] = v}", Src: "x"}},
		{"flow: x = {storage for m[k] = v}:", FlowStep{Dst: "x", Src: "{storage for m[k] = v}"}},
	}
	for _, tt := range tests {
		got, ok := parseFlow(tt.msg)
		if !ok {
			t.Errorf("%q: not understood", tt.msg)
		} else if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", tt.msg, diff)
		}
	}
	for _, msg := range []string{"", "flow: ", "flow: x", "flow: {storage for a = b:", "from x (spill)"} {
		if got, ok := parseFlow(msg); ok {
			t.Errorf("%q: got %+v, want nothing", msg, got)
		}
	}
}

func TestParseNote(t *testing.T) {
	got, ok := parseNote("from f(x (y)) (call parameter)")
	if want := (Note{What: "f(x (y))", Why: "call parameter"}); !ok || !cmp.Equal(got, want) {
		t.Errorf("got %+v, %v; want %+v", got, ok, want)
	}
	for _, msg := range []string{"", "from x", "from ()", "flow: a ← b:"} {
		if got, ok := parseNote(msg); ok {
			t.Errorf("%q: got %+v, want nothing", msg, got)
		}
	}
}

func TestCutCall(t *testing.T) {
	tests := []struct{ text, callee, args string }{
		{"f(x)", "f", "x"},
		{"(*T).M(t, 1)", "(*T).M", "t, 1"},
		{`a.b(c)(d, "e)(")`, "a.b(c)", `d, "e)("`},
		{"f(func(x int) { g(x) })", "f", "func(x int) { g(x) }"},
	}
	for _, tt := range tests {
		if callee, args, ok := cutCall(tt.text); !ok || callee != tt.callee || args != tt.args {
			t.Errorf("cutCall(%q) = %q, %q, %v; want %q, %q", tt.text, callee, args, ok, tt.callee, tt.args)
		}
	}
	for _, text := range []string{"", "x", "(x)", ")", "f(x"} {
		if callee, _, ok := cutCall(text); ok {
			t.Errorf("cutCall(%q) = %q, want nothing", text, callee)
		}
	}
}

func TestUnqualify(t *testing.T) {
	for text, want := range map[string]string{
		"log.val":                     "val",
		"log.e.fields[log.key]":       "e.fields[key]",
		"log.Default(log.msg)":        "log.Default(msg)",
		"x.log.val + catalog.log":     "x.log.val + catalog.log",
		"make([]T, log.n, log.n + 8)": "make([]T, n, n + 8)",
		"log.":                        "log.",
	} {
		if got := unqualify(text, "log."); got != want {
			t.Errorf("unqualify(%q) = %q, want %q", text, got, want)
		}
	}
}

func TestKind(t *testing.T) {
	for subject, want := range map[string]string{
		"&T{...}": "new", "new(T)": "new", "make([]int, n)": "make slice", "make(map[int]int)": "make map",
		"make(chan int)": "make chan", "make(Names, n)": "", "func literal": "closure", "append(xs, x)": "append",
		"([]byte)(s)": "bytes", "string(b)": "string", "m.Key": "box", "f(x)": "box", `"text"`: "box", "-3": "box",
		"a + b": "", `"a" + b`: "", "[]int{...}": "make slice", "go.shape.[]int{}": "make slice", "... argument": "make slice", "T{...}": "box",
	} {
		if got := kindOf(subject, false); got != want {
			t.Errorf("kindOf(%q) = %q, want %q", subject, got, want)
		}
	}
	if got := kindOf("x", true); got != "new" {
		t.Errorf("a moved variable is %q, want new", got)
	}
}
