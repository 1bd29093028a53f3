package rows

import "testing"

func TestLocateIsDense(t *testing.T) {
	for _, steps := range []uint8{3, 4} {
		chunk, offset := 0, 0
		for i := range 1 << 21 {
			if offset == chunkSize(chunk, steps) {
				chunk, offset = chunk+1, 0
			}
			if c, o := locate(i, steps); c != chunk || o != offset {
				t.Fatalf("steps %d: element %d is at %d, %d, want %d, %d", steps, i, c, o, chunk, offset)
			}
			offset++
		}
	}
}

func TestVectorGrowsAndShrinks(t *testing.T) {
	v := vector[int]{steps: 4}
	const n = 300_000
	for i := range n {
		v.grow()
		if *v.at(i) != 0 {
			t.Fatalf("element %d is new and not zero", i)
		}
		*v.at(i) = i
	}
	if c := v.capacity(); c > n*17/16+1 {
		t.Errorf("%d elements take room for %d", n, c)
	}
	if len(v.chunks) > 90 {
		t.Errorf("%d elements take %d chunks", n, len(v.chunks))
	}
	for i := n - 1; i >= 0; i-- {
		if *v.at(i) != i {
			t.Fatalf("element %d is %d", i, *v.at(i))
		}
		v.shrink()
	}
	if c := v.capacity(); c > 2*chunkSize(0, 4) {
		t.Errorf("an empty vector holds room for %d", c)
	}
}

func TestSmallVectorIsSmall(t *testing.T) {
	v := vector[int]{steps: 4}
	v.grow()
	if c := v.capacity(); c > 16 {
		t.Errorf("one element takes room for %d", c)
	}
}
