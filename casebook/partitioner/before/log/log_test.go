package log

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

func TestHelpersObeyLevel(t *testing.T) {
	for _, c := range []struct {
		level Level
		want  string
	}{
		{ErrorLevel, ""},
		{InfoLevel, ""},
		{DebugLevel, "level=debug msg=\"two \\\"quoted\\\"\" a=1 b=x\nlevel=debug msg=\"three\" a=1 b=x c=<nil>\n"},
	} {
		var out strings.Builder
		l := New(&out, c.level)
		Debug2(l, "a", 1, "b", "x", `two "quoted"`)
		Debug3(l, "a", 1, "b", "x", "c", nil, "three")
		if out.String() != c.want {
			t.Errorf("at level %v the log is\n%swant\n%s", c.level, out.String(), c.want)
		}
	}
}

func TestEntryObeysLevel(t *testing.T) {
	var out strings.Builder
	l := New(&out, InfoLevel)
	l.WithField("a", 1).Debug("unseen")
	if out.Len() != 0 || len(l.Recent()) != 0 {
		t.Errorf("an entry below the level was logged: %q, %d kept", out.String(), len(l.Recent()))
	}
}

func TestWithFieldLeavesEntryAlone(t *testing.T) {
	e := New(&strings.Builder{}, DebugLevel).WithField("a", 1)
	b, c := e.WithField("b", 2), e.WithField("c", 3)
	for _, x := range []struct {
		e    *Entry
		want string
	}{{e, " a=1"}, {b, " a=1 b=2"}, {c, " a=1 c=3"}} {
		if !strings.HasSuffix(x.e.String(), `msg=""`+x.want) {
			t.Errorf("entry is %q, want fields%s", x.e, x.want)
		}
	}
}

func TestRecentKeepsTheLast(t *testing.T) {
	l := New(&strings.Builder{}, DebugLevel)
	for _, logged := range []int{1, keep - 1, keep, keep + 3, 3 * keep} {
		for l.logged < logged {
			l.WithField("n", l.logged).Debug("")
		}
		got := l.Recent()
		want := logged
		if want > keep {
			want = keep
		}
		if len(got) != want {
			t.Fatalf("after %d entries %d are kept, want %d", logged, len(got), want)
		}
		for i, e := range got {
			if n := e.fields[0].Value; n != logged-want+i {
				t.Errorf("after %d entries, entry %d is number %v, want %d", logged, i, n, logged-want+i)
			}
		}
	}
}

type brokenWriter struct{ err error }

func (w brokenWriter) Write([]byte) (int, error) { return 0, w.err }

func TestBrokenWriterKeepsEntries(t *testing.T) {
	l := New(brokenWriter{errors.New("disk full")}, DebugLevel)
	l.WithField("a", 1).Debug("kept")
	if got := l.Recent(); len(got) != 1 || got[0].Message != "kept" {
		t.Errorf("entries kept: %v, want the one logged", got)
	}
}

func TestLevelNames(t *testing.T) {
	if got := fmt.Sprint(ErrorLevel, InfoLevel, DebugLevel, Level(7)); got != "error info debug level(7)" {
		t.Errorf("levels print as %q", got)
	}
}
