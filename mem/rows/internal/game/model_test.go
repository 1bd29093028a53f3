package game

import (
	"errors"
	"math/rand/v2"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/unheap/unheap/mem/rows"
)

// operations returns how many random operations a test is to do: what the
// environment variable ROWS_OPERATIONS says, or else a number that is done in
// seconds.
func operations(t *testing.T) int {
	if s := os.Getenv("ROWS_OPERATIONS"); s != "" {
		n, err := strconv.Atoi(s)
		if err != nil {
			t.Fatalf("ROWS_OPERATIONS=%s: %v", s, err)
		}
		return n
	}
	if testing.Short() {
		return 20_000
	}
	return 100_000
}

// A model is what a table of players should be: an ordinary map.
type model struct {
	t       *testing.T
	r       *rand.Rand
	table   *PlayerTable
	players map[int64]*Player
	handles map[int64]PlayerHandle
	ids     []int64          // keys of both, to choose from
	packed  map[int64][]byte // those evicted
	gone    []PlayerHandle   // some of deleted rows
	nextID  int64
}

// TestAgainstMap does random operations on a table and on a map.
func TestAgainstMap(t *testing.T) {
	m := &model{
		t: t, r: rand.New(rand.NewPCG(4, 4)), table: NewPlayerTable(),
		players: map[int64]*Player{}, handles: map[int64]PlayerHandle{}, packed: map[int64][]byte{},
	}
	n := operations(t)
	for step := range n {
		// The table grows and shrinks by turns.
		limit := 2000
		if step/20_000%2 == 1 {
			limit = 200
		}
		m.step(limit)
		if step%max(2000, n/50) == 0 {
			m.compareAll()
		}
	}
	m.compareAll()
	for len(m.ids) > 0 {
		m.delete(len(m.ids) - 1)
	}
	m.table.Compact()
	if total := m.table.Stats().Total(); total.Live != 0 || total.Objects > 30 {
		t.Errorf("the empty table holds %+v", total)
	}
}

func (m *model) step(limit int) {
	if len(m.ids) == 0 || len(m.ids) < limit && m.r.IntN(4) == 0 {
		m.insert()
		return
	}
	i := m.r.IntN(len(m.ids))
	id := m.ids[i]
	h, p := m.handles[id], m.players[id]
	if len(m.ids) > limit {
		m.delete(i)
		return
	}
	switch m.r.IntN(16) {
	case 0:
		m.delete(i)
	case 1:
		v := randomPlayer(m.r, id)
		m.ok(m.table.Update(h, &v))
		*p = v
	case 2: // with another key
		m.nextID++
		v := randomPlayer(m.r, m.nextID)
		m.ok(m.table.Update(h, &v))
		delete(m.players, id)
		delete(m.handles, id)
		m.ids[i], m.players[v.ID], m.handles[v.ID] = v.ID, &v, h
	case 3:
		v := randomPlayer(m.r, id)
		m.ok(m.table.Put(&v))
		*p = v
	case 4:
		p.Level = Level(m.r.IntN(50))
		m.ok(m.table.SetLevel(h, p.Level))
	case 5:
		p.Guild = []string{"", "red", "green", "blue"}[m.r.IntN(4)]
		m.ok(m.table.SetGuild(h, p.Guild))
	case 6:
		item := randomItem(m.r)
		p.Items = append(p.Items, &item)
		m.ok(m.table.AppendItems(h, &item))
	case 7:
		if len(p.Items) > 0 {
			at := m.r.IntN(len(p.Items))
			p.Items = slices.Delete(p.Items, at, at+1)
			m.ok(m.table.RemoveItemsAt(h, at))
		}
	case 8:
		if len(p.Notes) > 0 {
			at := m.r.IntN(len(p.Notes))
			p.Notes[at] = randomText(m.r)
			m.ok(m.table.SetNotesAt(h, at, p.Notes[at]))
		}
	case 9:
		q := &Quest{Number: m.r.IntN(9), Text: randomText(m.r)}
		m.ok(m.table.AppendQuests(h, q))
		end := &p.Quests
		for *end != nil {
			end = &(*end).next
		}
		*end = q
	case 10:
		b, err := m.table.Evict(h, nil)
		m.ok(err)
		m.packed[id] = b
		m.forget(i)
	case 11:
		for id, b := range m.packed {
			h, err := m.table.Unpack(b)
			m.ok(err)
			v, err := UnpackPlayer(b)
			m.ok(err)
			m.remember(&v, h)
			delete(m.packed, id)
			break
		}
	case 12:
		v := randomPlayer(m.r, id) // both keys are taken
		if _, err := m.table.Insert(&v); err != rows.ErrDuplicate {
			m.t.Fatalf("inserting a second player %d: error = %v", id, err)
		}
	case 13:
		if len(m.gone) > 0 && m.table.Has(m.gone[m.r.IntN(len(m.gone))]) {
			m.t.Fatal("a deleted row is back")
		}
	default:
		m.compare(id)
	}
}

func (m *model) ok(err error) {
	if err != nil {
		m.t.Helper()
		m.t.Fatal(err)
	}
}

func (m *model) insert() {
	m.nextID++
	v := randomPlayer(m.r, m.nextID)
	h, err := m.table.Insert(&v)
	m.ok(err)
	m.remember(&v, h)
}

func (m *model) remember(v *Player, h PlayerHandle) {
	m.players[v.ID], m.handles[v.ID] = v, h
	m.ids = append(m.ids, v.ID)
}

func (m *model) delete(i int) {
	id := m.ids[i]
	if m.r.IntN(2) == 0 {
		m.ok(m.table.Delete(m.handles[id]))
	} else if !m.table.DeleteByID(id) {
		m.t.Fatalf("player %d is not there to be deleted", id)
	}
	m.forget(i)
}

func (m *model) forget(i int) {
	id := m.ids[i]
	if len(m.gone) < 1000 {
		m.gone = append(m.gone, m.handles[id])
	} else {
		m.gone[m.r.IntN(len(m.gone))] = m.handles[id]
	}
	delete(m.players, id)
	delete(m.handles, id)
	last := len(m.ids) - 1
	m.ids[i] = m.ids[last]
	m.ids = m.ids[:last]
}

// compare reads a player in all ways.
func (m *model) compare(id int64) {
	m.t.Helper()
	want, h := m.players[id], m.handles[id]
	got, err := m.table.Get(h)
	m.ok(err)
	if !reflect.DeepEqual(&got, want) {
		m.t.Fatalf("player %d is\n%+v, want\n%+v", id, got, *want)
	}
	if got, ok := m.table.GetByAccount(want.Account); !ok || got.ID != id {
		m.t.Fatalf("account %q is of player %d, %v; want %d", want.Account, got.ID, ok, id)
	}
	if got, ok := m.table.HandleByID(id); !ok || got != h {
		m.t.Fatalf("player %d has handle %v, %v; want %v", id, got, ok, h)
	}
	m.table.View(func(x PlayerReader) {
		v, ok := x.ByID(id)
		if !ok || v.Handle() != h {
			m.t.Fatalf("the view of player %d has handle %v, want %v", id, v.Handle(), h)
		}
		m.compareView(v, want)
	})
}

func (m *model) compareView(v PlayerView, p *Player) {
	m.t.Helper()
	mount, hasMount := v.Mount()
	bank, hasBank := v.Bank()
	for name, ok := range map[string]bool{
		"numbers": v.ID() == p.ID && v.Level() == p.Level && v.Online() == p.online && v.Rate() == p.Rate && v.Wave() == p.Wave,
		"arrays":  v.Quick() == p.Quick && v.TitlesAt(2) == p.Titles[2],
		"text":    v.Account() == p.Account && v.Guild() == p.Guild && v.Avatar() == string(p.Avatar),
		"time":    v.Seen().Equal(p.Seen),
		"address": v.From() == p.From,
		"struct":  v.Home() == p.Home && v.Pet().Name() == p.Pet.Name && v.Pet().ToysLen() == len(p.Pet.Toys),
		"parts":   hasMount == (p.Mount != nil) && hasBank == (p.Bank != nil) && (!hasBank || bank == *p.Bank) && (!hasMount || mount.Age() == p.Mount.Age),
		"lists":   v.ItemsLen() == len(p.Items) && v.NotesLen() == len(p.Notes) && v.FriendsLen() == len(p.Friends),
	} {
		if !ok {
			m.t.Fatalf("the view of player %d differs in %s", p.ID, name)
		}
	}
	for i, item := range p.Items {
		at := v.ItemsAt(i)
		until, ok := at.Until()
		if at.Label() != item.Label || at.GemsLen() != len(item.Gems) || ok != (item.Until != nil) || ok && !until.From().Equal(item.Until.From) {
			m.t.Fatalf("the view of player %d differs in item %d", p.ID, i)
		}
	}
	for i, note := range p.Notes {
		if v.NotesAt(i) != note || !v.VisitsAt(i).Equal(p.Visits[i]) || v.FriendsLen() > i && v.FriendsAt(i) != p.Friends[i] {
			m.t.Fatalf("the view of player %d differs in note %d", p.ID, i)
		}
	}
}

// compareAll compares all players, by iteration and by the indexes.
func (m *model) compareAll() {
	m.t.Helper()
	for _, id := range m.ids {
		m.compare(id)
	}
	if m.table.Len() != len(m.ids) {
		m.t.Fatalf("the table has %d rows, want %d", m.table.Len(), len(m.ids))
	}
	m.table.View(func(x PlayerReader) {
		seen := map[int64]bool{}
		for v := range x.All() {
			seen[v.ID()] = true
		}
		levels := 0
		for level := range Level(50) {
			for v := range x.ByLevel(level) {
				if v.Level() != level || !seen[v.ID()] {
					m.t.Fatalf("player %d has level %d, found among those of %d", v.ID(), v.Level(), level)
				}
				levels++
			}
		}
		guilds := 0
		for _, guild := range []string{"", "red", "green", "blue", "none"} {
			for v := range x.ByGuild(guild) {
				if v.Guild() != guild {
					m.t.Fatalf("player %d has guild %q, found among those of %q", v.ID(), v.Guild(), guild)
				}
				guilds++
			}
		}
		if n := len(m.ids); len(seen) != n || x.Len() != n || levels != n || guilds != n {
			m.t.Fatalf("of %d players, all show %d, levels %d, guilds %d", n, len(seen), levels, guilds)
		}
	})
}

// TestReadersAndWriter reads while one goroutine writes. Every player is
// written so that its parts tell whether they belong together.
func TestReadersAndWriter(t *testing.T) {
	table := NewUserTable()
	const users = 200
	user := func(id int64, version int64) *User {
		name := strconv.FormatInt(id, 10) + " " + strconv.FormatInt(version, 10)
		return &User{ID: id, Name: name, City: name, Gold: version}
	}
	done := make(chan struct{})
	var readers sync.WaitGroup
	for range 4 {
		readers.Add(1)
		go func() {
			defer readers.Done()
			for i := int64(0); ; i++ {
				select {
				case <-done:
					return
				default:
				}
				var kept string
				var want *User
				table.View(func(x UserReader) {
					if v, ok := x.ByID(i % users); ok {
						kept, want = v.Name(), user(v.ID(), v.Gold())
						if kept != want.Name || v.City() != want.Name {
							t.Errorf("a view shows %q and %q for %q", kept, v.City(), want.Name)
						}
					}
				})
				if want != nil && kept != want.Name {
					t.Errorf("a string from a view became %q, was %q", kept, want.Name)
				}
				if u, ok := table.GetByID(i % users); ok && (u.Name != user(u.ID, u.Gold).Name || u.City != u.Name) {
					t.Errorf("a copy is %+v", u)
				}
			}
		}()
	}
	for i := range int64(operations(t)) / 2 {
		switch id := i * 7919 % users; {
		case i%5 == 0:
			table.DeleteByID(id)
		default:
			if err := table.Put(user(id, i)); err != nil {
				t.Error(err)
			}
		}
	}
	close(done)
	readers.Wait()
}

func TestErrors(t *testing.T) {
	table := NewPlayerTable()
	p := Player{ID: 1, Account: "a", Items: []*Item{{}, nil}}
	if _, err := table.Insert(&p); !errors.Is(err, rows.ErrNilElement) || !strings.HasPrefix(err.Error(), "field Items[1]: ") {
		t.Errorf("a nil item: error = %v", err)
	}
	p.Items = []*Item{{}, {Label: string(make([]byte, rows.MaxLen+1))}}
	if _, err := table.Insert(&p); !errors.Is(err, rows.ErrTooLong) || !strings.HasPrefix(err.Error(), "field Items[1]: field Label: ") {
		t.Errorf("a long label: error = %v", err)
	}
	p.Items = nil
	p.Quests = &Quest{}
	p.Quests.next = p.Quests
	if _, err := table.Insert(&p); !errors.Is(err, rows.ErrTooLong) {
		t.Errorf("a cycle: error = %v", err)
	}
	if table.Len() != 0 || table.Stats().Total().Live != 0 {
		t.Errorf("failed inserts left %+v", table.Stats())
	}
	p.Quests = nil
	h, err := table.Insert(&p)
	if err != nil {
		t.Fatal(err)
	}
	if err := table.RemoveItemsAt(h, 0); err != rows.ErrRange {
		t.Errorf("removing an item that is not there: error = %v", err)
	}
	other := Player{ID: 2, Account: "b"}
	if _, err := table.Insert(&other); err != nil {
		t.Fatal(err)
	}
	other.Account = "a"
	if err := table.Put(&other); err != rows.ErrDuplicate {
		t.Errorf("taking another's account: error = %v", err)
	}
	if got, _ := table.GetByID(2); got.Account != "b" {
		t.Errorf("after a failed Put, the account is %q", got.Account)
	}
}

// TestLoad loads many rows, deletes most, and looks at what is left in memory.
func TestLoad(t *testing.T) {
	const n = 100_000
	table := NewUserTable()
	loaded, err := table.Load(n, each(n, user))
	if loaded != n || err != nil {
		t.Fatalf("Load = %d, %v", loaded, err)
	}
	full := table.Stats().Total()
	if slack := float64(full.Held) / float64(full.Live); slack > 1.15 {
		t.Errorf("memory held is %.2f times what is live: %+v", slack, table.Stats())
	}
	if full.Objects > 200 {
		t.Errorf("the table is made of %d objects", full.Objects)
	}
	if loaded, err := table.Load(2, each(2, user)); loaded != 0 || err != rows.ErrDuplicate {
		t.Errorf("loading the same again: %d, %v", loaded, err)
	}
	for i := range n {
		if i%20 != 0 {
			table.DeleteByID(int64(i))
		}
	}
	table.Compact()
	s := table.Stats()
	small := s.Total()
	small.Held -= s.Directory.Held // stays, for handles that are stale
	if small.Held > full.Held/8 {
		t.Errorf("with a twentieth of the rows the table holds %+v of %+v", small, full)
	}
	for i := range n {
		if u, ok := table.GetByID(int64(i)); ok != (i%20 == 0) || ok && u != user(i) {
			t.Fatalf("user %d: %+v, %v", i, u, ok)
		}
	}
}

// TestMarks covers a table without keys, strings and lists.
func TestMarks(t *testing.T) {
	table := NewMarkTable()
	a, _ := table.Insert(&Mark{1, 2})
	b, _ := table.Insert(&Mark{3, 4})
	if err := table.Delete(a); err != nil {
		t.Fatal(err)
	}
	if table.Has(a) || !table.Has(b) {
		t.Error("the wrong mark was deleted")
	}
	if err := table.SetX(b, 9); err != nil {
		t.Fatal(err)
	}
	if got, err := table.Get(b); err != nil || got != (Mark{9, 4}) {
		t.Errorf("Get = %v, %v", got, err)
	}
}

// TestLeftOut: a field with the tag "-" is not stored.
func TestLeftOut(t *testing.T) {
	table := NewPlayerTable()
	h, err := table.Insert(&Player{session: make(chan struct{})})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := table.Get(h); err != nil || got.session != nil {
		t.Errorf("Get = %v, %v", got, err)
	}
}
