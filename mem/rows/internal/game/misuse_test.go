package game

import (
	"os"
	"os/exec"
	"runtime"
	"testing"

	"github.com/unheap/unheap/mem/rows"
)

// TestDebugBuild runs this package's tests in the build that checks for
// misuse.
func TestDebugBuild(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a build")
	}
	cmd := exec.Command("go", "test", "-short", "-tags=unheapdebug", ".")
	cmd.Env = append(os.Environ(), "ROWS_OPERATIONS=5000")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// FuzzUnpack reads hostile bytes. What can be read is stored, and packed in
// the same way.
func FuzzUnpack(f *testing.F) {
	r := fixedRand()
	for id := range int64(4) {
		p := randomPlayer(r, id)
		b, err := AppendPlayer(nil, &p)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b[7 : len(b)-4])
	}
	f.Add([]byte{})
	f.Add([]byte("no player"))
	f.Fuzz(func(t *testing.T, body []byte) {
		// The header and the checksum would keep all else out.
		b := append(rows.AppendHeader(nil, playerLayout), body...)
		b = rows.AppendChecksum(b, 0)
		if _, err := UnpackPlayer(body); err == nil {
			t.Error("bytes without a header were taken")
		}
		p, err := UnpackPlayer(b)
		if err != nil {
			return
		}
		table := NewPlayerTable()
		h, err := table.Insert(&p)
		if err != nil {
			t.Fatalf("%+v cannot be stored: %v", p, err)
		}
		first, err := table.Pack(h, nil)
		if err != nil {
			t.Fatal(err)
		}
		if h, err = table.Unpack(first); err != rows.ErrDuplicate {
			t.Fatalf("unpacking the same row twice: %v, %v", h, err)
		}
		p, err = UnpackPlayer(first)
		if err != nil {
			t.Fatal(err)
		}
		second, err := AppendPlayer(nil, &p)
		if err != nil || string(first) != string(second) {
			t.Fatalf("packing again gives other bytes: %v\n%x\n%x", err, first, second)
		}
	})
}

// TestUnpackTakesMemoryInProportion: a short input cannot ask for much.
func TestUnpackTakesMemoryInProportion(t *testing.T) {
	p := randomPlayer(fixedRand(), 1)
	whole, err := AppendPlayer(nil, &p)
	if err != nil {
		t.Fatal(err)
	}
	body := whole[7 : len(whole)-4]
	for at := range body {
		// A length of two million in the place of each byte.
		b := append(rows.AppendHeader(nil, playerLayout), body[:at]...)
		b = append(b, 0xff, 0xff, 0x7f)
		b = append(b, body[at:]...)
		b = rows.AppendChecksum(b, 0)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, _ = UnpackPlayer(b)
		runtime.ReadMemStats(&after)
		allocated := after.TotalAlloc - before.TotalAlloc
		if allocated > 1<<20 {
			t.Fatalf("%d bytes with a great length at %d allocate %d bytes", len(b), at, allocated)
		}
	}
}
