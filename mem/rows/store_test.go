package rows

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

type textRow struct {
	text Ref
	list Ref
}

// TestStoresAgainstModel changes strings and lists at random while pages are
// evacuated, and reads all of them every now and then.
func TestStoresAgainstModel(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	text, runs := NewText(), NewRuns[int32]()
	table := NewTable(func(r *textRow) { r.text, r.list = text.Move(r.text), runs.Move(r.list) }, text, runs)
	type want struct {
		text string
		list []int32
	}
	var model []want
	sweeps := 0
	for step := range 60_000 {
		table.BeginWrite()
		was := table.sweep.on
		switch n := len(model); {
		case n == 0 || n < 1000 && r.IntN(8) == 0:
			slot, err := table.Add()
			if err != nil || int(slot) != n {
				t.Fatalf("Add = %d, %v", slot, err)
			}
			model = append(model, want{})
		case r.IntN(20) == 0:
			i := r.IntN(n)
			row := table.At(uint32(i))
			text.Free(row.text)
			runs.Free(row.list)
			table.Remove(uint32(i))
			model[i] = model[n-1]
			model = model[:n-1]
		case r.IntN(2) == 0:
			i := r.IntN(n)
			s := strings.Repeat(string(rune('a'+r.IntN(26))), r.IntN(60))
			if r.IntN(100) == 0 {
				s = strings.Repeat(s, 100)
			}
			row := table.At(uint32(i))
			row.text = text.Replace(row.text, s)
			model[i].text = s
		default:
			i := r.IntN(n)
			row, m := table.At(uint32(i)), &model[i]
			if k := len(m.list); k > 0 && r.IntN(3) == 0 {
				at := r.IntN(k)
				row.list = runs.Remove(row.list, at)
				m.list = slices.Delete(m.list, at, at+1)
			} else {
				row.list = runs.Append(row.list)
				if v := runs.At(row.list)[k]; v != 0 {
					t.Fatalf("step %d: an appended element is %d", step, v)
				}
				runs.At(row.list)[k] = int32(step)
				m.list = append(m.list, int32(step))
			}
		}
		table.tend(7)
		if was && !table.sweep.on {
			sweeps++
		}
		table.EndWrite()
		if step%500 != 0 {
			continue
		}
		live := 0
		for i, m := range model {
			row := table.At(uint32(i))
			if got := text.Get(row.text); got != m.text {
				t.Fatalf("step %d: row %d has text %q, want %q", step, i, got, m.text)
			}
			if got := runs.At(row.list); !slices.Equal(got, m.list) {
				t.Fatalf("step %d: row %d has list %v, want %v", step, i, got, m.list)
			}
			live += len(m.text)
		}
		if u := text.usage(); u.Live != live {
			t.Fatalf("step %d: %d bytes are live by the account, %d in truth", step, u.Live, live)
		}
	}
	if sweeps < 5 {
		t.Errorf("only %d evacuations were seen to an end: the test tests too little", sweeps)
	}
	table.Compact()
	if u := text.usage(); u.Dead > u.Live/2+1<<17 {
		t.Errorf("after Compact: %+v", u)
	}
	for table.Len() > 0 {
		row := table.At(0)
		text.Free(row.text)
		runs.Free(row.list)
		table.Remove(0)
	}
	for _, s := range []Store{text, runs} {
		if u := s.usage(); u.Live != 0 || u.Objects > 1 {
			t.Errorf("with no rows, %T holds %+v", s, u)
		}
	}
}

// TestStringsOutliveTheirPages: a string that was read without a copy stays
// what it is after its page is gone.
func TestStringsOutliveTheirPages(t *testing.T) {
	text := NewText()
	var refs []Ref
	for i := range 20_000 {
		refs = append(refs, text.Put(strings.Repeat(string(rune('a'+i%26)), 10)))
	}
	held := text.Get(refs[3])
	for _, r := range refs {
		text.Free(r)
	}
	for range 20_000 {
		text.Put("0123456789")
	}
	if held != "dddddddddd" {
		t.Errorf("a string that was read became %q", held)
	}
}

func TestBytesKeepNil(t *testing.T) {
	text := NewText()
	for _, b := range [][]byte{nil, {}, {0}, []byte("text")} {
		for _, before := range [][]byte{nil, {}, {0}, []byte("next")} {
			got := text.GetBytes(text.ReplaceBytes(text.PutBytes(before), b))
			if !bytes.Equal(got, b) || (got == nil) != (b == nil) {
				t.Errorf("%#v in place of %#v is read as %#v", b, before, got)
			}
		}
	}
}

func TestReplaceKeepsWhatIsTheSame(t *testing.T) {
	text := NewText()
	for _, s := range []string{"", "a", "ab", "1234567", "12345678", "a longer text than that"} {
		r := text.Put(s)
		if got := text.Replace(r, strings.Clone(s)); got != r {
			t.Errorf("replacing %q by itself moved it", s)
		}
		if got := text.Get(text.Replace(r, s+"!")); got != s+"!" {
			t.Errorf("replacing %q gave %q", s, got)
		}
	}
}

func TestTooLongPanics(t *testing.T) {
	text := NewText()
	s := strings.Repeat("x", MaxLen)
	if got := text.Get(text.Put(s)); got != s {
		t.Error("the longest string is not what it was")
	}
	defer func() {
		if recover() != ErrTooLong {
			t.Error("a string that is too long was taken")
		}
	}()
	text.Put(s + "x")
}

func TestRoom(t *testing.T) {
	for n := 1; n < 5000; n++ {
		if got := room(n); got < n || got > n+n/4 || got < room(n-1) {
			t.Fatalf("room(%d) = %d", n, got)
		}
	}
	if got := room(MaxLen); got > maxPage {
		t.Errorf("the longest list takes %d elements, a page has %d", got, maxPage)
	}
}
