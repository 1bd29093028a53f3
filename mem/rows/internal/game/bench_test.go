package game

import (
	"fmt"
	"iter"
	"math/rand/v2"
	"runtime"
	"syscall"
	"testing"
	"time"
	"unsafe"
)

// million is the number of rows of the benchmarks.
const million = 1_000_000

func hero(i int) Hero {
	return Hero{ID: int64(i), X: float64(i), Health: int32(i), Gold: int64(i)}
}

func user(i int) User {
	return User{ID: int64(i), Name: fmt.Sprintf("player %08d", i), City: fmt.Sprintf("city %d", i*7919%100_000), Gold: int64(i)}
}

func each[T any](n int, make func(int) T) iter.Seq[*T] {
	return func(yield func(*T) bool) {
		for i := range n {
			if v := make(i); !yield(&v) {
				return
			}
		}
	}
}

func heroTable(b *testing.B) *HeroTable {
	t := NewHeroTable()
	if _, err := t.Load(million, each(million, hero)); err != nil {
		b.Fatal(err)
	}
	return t
}

func userTable(b *testing.B) *UserTable {
	t := NewUserTable()
	if _, err := t.Load(million, each(million, user)); err != nil {
		b.Fatal(err)
	}
	return t
}

// keys returns keys in random order, so that every look-up misses the caches.
func keys() []int {
	keys := make([]int, 1<<20)
	r := rand.New(rand.NewPCG(1, 2))
	for i := range keys {
		keys[i] = r.IntN(million)
	}
	return keys
}

var sum int64 // keeps the compiler from leaving look-ups out

// BenchmarkGet compares a look-up by key with a plain map's.
func BenchmarkGet(b *testing.B) {
	keys := keys()
	b.Run("numbers/map", func(b *testing.B) {
		m := make(map[int]Hero)
		for i := range million {
			m[i] = hero(i)
		}
		b.ReportAllocs()
		b.ResetTimer()
		for i := range b.N {
			h := m[keys[i&(len(keys)-1)]]
			sum += h.Gold
		}
	})
	b.Run("numbers/view", func(b *testing.B) {
		t := heroTable(b)
		b.ReportAllocs()
		b.ResetTimer()
		t.View(func(x HeroReader) {
			for i := range b.N {
				h, _ := x.ByID(int64(keys[i&(len(keys)-1)]))
				sum += h.Gold()
			}
		})
	})
	b.Run("numbers/view-each", func(b *testing.B) {
		t := heroTable(b)
		b.ReportAllocs()
		b.ResetTimer()
		for i := range b.N {
			t.View(func(x HeroReader) {
				h, _ := x.ByID(int64(keys[i&(len(keys)-1)]))
				sum += h.Gold()
			})
		}
	})
	b.Run("numbers/copy", func(b *testing.B) {
		t := heroTable(b)
		b.ReportAllocs()
		b.ResetTimer()
		for i := range b.N {
			h, _ := t.GetByID(int64(keys[i&(len(keys)-1)]))
			sum += h.Gold
		}
	})
	b.Run("strings/map", func(b *testing.B) {
		m := make(map[int]User)
		for i := range million {
			m[i] = user(i)
		}
		b.ReportAllocs()
		b.ResetTimer()
		for i := range b.N {
			u := m[keys[i&(len(keys)-1)]]
			sum += u.Gold + int64(u.Name[0]) + int64(u.City[0])
		}
	})
	b.Run("strings/view", func(b *testing.B) {
		t := userTable(b)
		b.ReportAllocs()
		b.ResetTimer()
		t.View(func(x UserReader) {
			for i := range b.N {
				u, _ := x.ByID(int64(keys[i&(len(keys)-1)]))
				sum += u.Gold() + int64(u.Name()[0]) + int64(u.City()[0])
			}
		})
	})
	b.Run("strings/view-each", func(b *testing.B) {
		t := userTable(b)
		b.ReportAllocs()
		b.ResetTimer()
		for i := range b.N {
			t.View(func(x UserReader) {
				u, _ := x.ByID(int64(keys[i&(len(keys)-1)]))
				sum += u.Gold() + int64(u.Name()[0]) + int64(u.City()[0])
			})
		}
	})
	b.Run("strings/copy", func(b *testing.B) {
		t := userTable(b)
		b.ReportAllocs()
		b.ResetTimer()
		for i := range b.N {
			u, _ := t.GetByID(int64(keys[i&(len(keys)-1)]))
			sum += u.Gold + int64(u.Name[0]) + int64(u.City[0])
		}
	})
}

// A linkedUser is an element of the linked list that a table replaces.
type linkedUser struct {
	User
	next *linkedUser
}

// BenchmarkMark measures the processor time that a collection takes for a
// million records, beyond that of one without them, and their memory.
func BenchmarkMark(b *testing.B) {
	b.Run("linked", func(b *testing.B) {
		measureMark(b, func() any {
			var head *linkedUser
			for i := range million {
				head = &linkedUser{user(i), head}
			}
			return head
		})
	})
	b.Run("slice", func(b *testing.B) {
		measureMark(b, func() any {
			s := make([]User, 0, million)
			for i := range million {
				s = append(s, user(i))
			}
			return s
		})
	})
	b.Run("map", func(b *testing.B) {
		measureMark(b, func() any {
			m := make(map[int64]User, million)
			for i := range million {
				m[int64(i)] = user(i)
			}
			return m
		})
	})
	b.Run("table", func(b *testing.B) {
		measureMark(b, func() any {
			t := userTable(b)
			s := t.Stats()
			text := 0
			for i := range million {
				u := user(i)
				text += len(u.Name) + len(u.City)
			}
			row := int(unsafe.Sizeof(userRow{}))
			b.Logf("row %d B, strings %.1f B a row; %+v; total %+v", row, float64(text)/million, s, s.Total())
			b.ReportMetric(float64(s.Total().Objects), "parts")
			b.ReportMetric(float64(s.Total().Held)/float64(million*(row+8+12)+text), "held/needed")
			return t
		})
	})
}

func measureMark(b *testing.B, fill func() any) {
	runtime.GC()
	runtime.GC()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	empty := collectionCPU(20)
	data := fill()
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&after)
	for range b.N {
		cycle := collectionCPU(20)
		b.ReportMetric(float64(cycle.Microseconds())/1e3, "cycle-ms")
		b.ReportMetric(float64((cycle-empty).Microseconds())/1e3, "mark-ms")
	}
	b.ReportMetric(float64(after.HeapObjects)-float64(before.HeapObjects), "objects")
	b.ReportMetric((float64(after.HeapAlloc)-float64(before.HeapAlloc))/1e6, "MB")
	b.ReportMetric(0, "ns/op")
	runtime.KeepAlive(data)
}

// collectionCPU returns the processor time of one collection, in all threads.
func collectionCPU(n int) time.Duration {
	start := processorTime()
	for range n {
		runtime.GC()
	}
	return (processorTime() - start) / time.Duration(n)
}

func processorTime() time.Duration {
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		panic(err)
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}

// BenchmarkChurn measures the processor time, that of the collector included,
// of changing random records: new strings (update), and a record for another
// (replace); by itself, and in a program that allocates 4 KiB besides for each
// change, as a server's requests do (busy).
func BenchmarkChurn(b *testing.B) {
	keys := keys()
	measure := func(b *testing.B, change func(i, k int)) {
		runtime.GC()
		b.ReportAllocs()
		b.ResetTimer()
		start := processorTime()
		for i := range b.N {
			change(i, keys[i&(len(keys)-1)])
		}
		b.ReportMetric(float64(processorTime()-start)/float64(b.N), "cpu-ns/op")
	}
	name := func(i int) (string, string) {
		return fmt.Sprintf("player %08d", i), fmt.Sprintf("city %d", i%100_000)
	}
	for _, garbage := range []int{0, 4096} {
		prefix := ""
		if garbage > 0 {
			prefix = "busy-"
		}
		measure := func(b *testing.B, change func(i, k int)) {
			measure(b, func(i, k int) {
				if garbage > 0 {
					request = make([]byte, garbage)
				}
				change(i, k)
			})
		}
		b.Run(prefix+"update/slice", func(b *testing.B) {
			s, at := indexedSlice()
			measure(b, func(i, k int) {
				u := &s[at[int64(k)]]
				u.Name, u.City = name(i)
			})
		})
		b.Run(prefix+"update/table", func(b *testing.B) {
			t := userTable(b)
			measure(b, func(i, k int) {
				u := User{ID: int64(k)}
				u.Name, u.City = name(i)
				if err := t.Put(&u); err != nil {
					b.Fatal(err)
				}
			})
		})
		b.Run(prefix+"replace/slice", func(b *testing.B) {
			s, at := indexedSlice()
			measure(b, func(i, k int) {
				// Delete as the table does: the last record fills the gap.
				if gone, ok := at[int64(k)]; ok {
					delete(at, int64(k))
					last := len(s) - 1
					s[gone] = s[last]
					at[s[gone].ID] = gone
					s = s[:last]
				}
				u := user(k)
				u.Name, u.City = name(i)
				at[u.ID] = len(s)
				s = append(s, u)
			})
		})
		b.Run(prefix+"replace/table", func(b *testing.B) {
			t := userTable(b)
			measure(b, func(i, k int) {
				t.DeleteByID(int64(k))
				u := user(k)
				u.Name, u.City = name(i)
				if _, err := t.Insert(&u); err != nil {
					b.Fatal(err)
				}
			})
		})
	}
}

var request []byte // keeps garbage on the heap

// indexedSlice returns a million records as a slice, and where each key is.
func indexedSlice() ([]User, map[int64]int) {
	s, at := make([]User, million), make(map[int64]int)
	for i := range s {
		s[i] = user(i)
		at[int64(i)] = i
	}
	return s, at
}
