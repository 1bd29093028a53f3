package rows

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// numbers returns all numbers with a hash.
func (x *Index) numbers(hash uint32) []uint32 {
	var out []uint32
	for i := x.First(hash); ; i++ {
		n, ok := x.Next(&i, hash)
		if !ok {
			slices.Sort(out)
			return out
		}
		out = append(out, n)
	}
}

// TestIndexAgainstMap uses few hashes, many of them equal or next to each
// other and to the ends.
func TestIndexAgainstMap(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	hashes := map[string]func() uint32{
		"spread": r.Uint32,
		"few":    func() uint32 { return r.Uint32N(40) << 26 },
		"low":    func() uint32 { return r.Uint32N(300) },
		"high":   func() uint32 { return ^r.Uint32N(300) },
	}
	for name, hash := range hashes {
		t.Run(name, func(t *testing.T) {
			x, model := NewIndex(), map[uint32][]uint32{}
			type pair struct{ hash, number uint32 }
			var all []pair
			for step := range 6_000 {
				grow := step/750%2 == 0
				switch {
				case len(all) == 0 || r.IntN(10) < 4 || grow && r.IntN(2) == 0:
					p := pair{hash(), uint32(step)}
					x.Add(p.hash, p.number)
					all = append(all, p)
					model[p.hash] = append(model[p.hash], p.number)
				case r.IntN(3) == 0:
					i := r.IntN(len(all))
					from, to := all[i].number, uint32(step)
					x.Replace(all[i].hash, from, to)
					m := model[all[i].hash]
					m[slices.Index(m, from)] = to
					all[i].number = to
				default:
					i := r.IntN(len(all))
					p := all[i]
					x.Remove(p.hash, p.number)
					m := model[p.hash]
					model[p.hash] = slices.Delete(m, slices.Index(m, p.number), slices.Index(m, p.number)+1)
					all = slices.Delete(all, i, i+1)
				}
				if x.Len() != len(all) {
					t.Fatalf("step %d: Len = %d, want %d", step, x.Len(), len(all))
				}
				h := hash()
				if len(all) > 0 && step%2 == 0 {
					h = all[r.IntN(len(all))].hash
				}
				want := slices.Sorted(slices.Values(model[h]))
				if got := x.numbers(h); !slices.Equal(got, want) {
					t.Fatalf("step %d: hash %#x has %v, want %v", step, h, got, want)
				}
			}
			for len(all) > 0 {
				p := all[len(all)-1]
				x.Remove(p.hash, p.number)
				all = all[:len(all)-1]
			}
			if len(x.entries) > fewPlaces+overflow || x.Len() != 0 {
				t.Errorf("the empty index has %d places, %d entries", len(x.entries), x.Len())
			}
		})
	}
}

func TestIndexIsFull(t *testing.T) {
	x, s := NewIndex(), NewSeed()
	const n = 200_000
	for i := range n {
		x.Add(s.Number(uint64(i)), uint32(i))
	}
	if held := len(x.entries); held > n*3/2+overflow {
		t.Errorf("%d entries take %d places", n, held)
	}
	farthest := 0
	for i, e := range x.entries {
		if e != 0 {
			farthest = max(farthest, i-x.First(uint32(e>>32)))
		}
	}
	if farthest > 200 {
		t.Errorf("an entry is %d places from where its search begins: consecutive keys are not hashed well", farthest)
	}
}

func TestRemoveOfAbsentPanics(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("removing what is not there went unnoticed")
		}
	}()
	NewIndex().Remove(1, 1)
}

func TestMultiAgainstMap(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	links, keys := map[uint32]*Link{}, map[uint32]int{}
	m := NewMulti(func(id uint32) *Link { return links[id] })
	hash := func(key int) uint32 { return uint32(key%7) << 28 } // some collide
	same := func(key int) func(uint32) bool { return func(id uint32) bool { return keys[id] == key } }
	model := map[int][]uint32{} // newest last
	for step := range uint32(20_000) {
		key := r.IntN(20)
		if ids := model[key]; len(ids) > 0 && r.IntN(100) < 52 {
			i := r.IntN(len(ids))
			m.Remove(hash(key), ids[i])
			delete(links, ids[i])
			model[key] = slices.Delete(ids, i, i+1)
		} else {
			links[step], keys[step] = new(Link), key
			m.Add(hash(key), step, same(key))
			model[key] = append(ids, step)
		}
		var got []uint32
		for id, ok := m.Head(hash(key), same(key)); ok; id, ok = m.Older(id) {
			got = append(got, id)
		}
		slices.Reverse(got)
		if !slices.Equal(got, model[key]) {
			t.Fatalf("step %d: key %d has %v, want %v", step, key, got, model[key])
		}
	}
}
