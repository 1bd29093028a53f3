//go:build unheapdebug

package game

import (
	"strings"
	"sync"
	"testing"
)

// caught returns what f panics with.
func caught(f func()) (message string) {
	defer func() { message, _ = recover().(string) }()
	f()
	return ""
}

// insert adds a user to a table and returns the handle.
func insert(t *testing.T, table *UserTable, id int64) UserHandle {
	t.Helper()
	h, err := table.Insert(&User{ID: id})
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func TestMisuse(t *testing.T) {
	table, other := NewUserTable(), NewUserTable()
	h, stale, foreign := insert(t, table, 1), insert(t, table, 2), insert(t, other, 1)
	table.DeleteByID(2)
	insert(t, table, 3) // in the place of 2
	kept := func() (v UserView) {
		table.View(func(x UserReader) { v, _ = x.Get(h) })
		return v
	}()
	var reader UserReader
	table.View(func(x UserReader) { reader = x })
	for name, tt := range map[string]struct {
		do   func()
		want []string // in the message
	}{
		"stale get":    {func() { table.Get(stale) }, []string{"stale handle", "deleted at:", "DeleteByID", "used at:", "Get"}},
		"stale update": {func() { table.Update(stale, &User{}) }, []string{"stale handle", "DeleteByID", "Update"}},
		"stale delete": {func() { table.Delete(stale) }, []string{"stale handle", "DeleteByID", "Delete"}},
		"stale set":    {func() { table.SetGold(stale, 1) }, []string{"stale handle", "SetGold"}},
		"stale view":   {func() { table.View(func(x UserReader) { x.Get(stale) }) }, []string{"stale handle", "UserReader"}},
		"stale pack":   {func() { table.Pack(stale, nil) }, []string{"stale handle", "Pack"}},
		"zero handle":  {func() { table.Get(UserHandle{}) }, []string{"stale handle"}},
		"foreign get":  {func() { table.Get(foreign) }, []string{"foreign handle", "NewUserTable", "Get"}},
		"foreign set":  {func() { table.SetGold(foreign, 1) }, []string{"foreign handle", "SetGold"}},
		"late view":    {func() { kept.Gold() }, []string{"view used after its scope", "View", "Gold"}},
		"late copy":    {func() { kept.Copy() }, []string{"view used after its scope"}},
		"late reader":  {func() { reader.ByID(1) }, []string{"view used after its scope"}},
		"late all": {func() {
			for range reader.All() {
				t.Error("a reader shows rows after its scope")
			}
		}, []string{"view used after its scope"}},
		"zero view":        {func() { UserView{}.Gold() }, []string{"zero view"}},
		"write in a view":  {func() { table.View(func(UserReader) { table.SetGold(h, 1) }) }, []string{"inside a view", "SetGold"}},
		"view in a view":   {func() { table.View(func(UserReader) { table.Get(h) }) }, []string{"inside a view", "Get"}},
		"call from a load": {func() { table.Load(1, func(func(*User) bool) { table.Len() }) }, []string{"inside a write", "Load", "Len"}},
	} {
		t.Run(name, func(t *testing.T) {
			got := caught(tt.do)
			for _, w := range tt.want {
				if !strings.Contains(got, w) {
					t.Errorf("the panic lacks %q:\n%s", w, got)
				}
			}
			if !strings.HasPrefix(got, "rows: ") {
				t.Errorf("the panic begins otherwise: %q", got)
			}
			// A program that recovers can go on.
			if _, err := table.Get(h); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestConcurrentWrite: two writers overlap for certain, since the second comes
// while the first asks for its next value.
func TestConcurrentWrite(t *testing.T) {
	table := NewUserTable()
	var message string
	table.Load(1, func(yield func(*User) bool) {
		var second sync.WaitGroup
		second.Add(1)
		go func() {
			defer second.Done()
			message = caught(func() { table.Insert(&User{ID: 9}) })
		}()
		second.Wait()
		yield(&User{ID: 1})
	})
	for _, want := range []string{"rows: concurrent write", "the other writer began at:", "Load", "written at:", "Insert"} {
		if !strings.Contains(message, want) {
			t.Errorf("the panic lacks %q:\n%s", want, message)
		}
	}
	if table.Len() != 1 {
		t.Errorf("the table has %d rows", table.Len())
	}
}
