// Package game is an example of generated tables, with tests that hold for all.
package game

import (
	"image"
	"net/netip"
	"time"
)

//go:generate unheap rows -type Player,Mark,Hero,User

// Name has a type of its own, as in many programs.
type Name string

// Level too.
type Level uint16

// A Player has a field of each kind.
type Player struct {
	ID      int64  `rows:"key"`
	Account Name   `rows:"key"`
	Level   Level  `rows:"index"`
	Guild   string `rows:"index"`
	online  bool
	Rate    float32
	Score   float64
	Wave    complex64
	Quick   [8]uint32
	Titles  [3]string
	Avatar  []byte
	Seen    time.Time
	From    netip.Addr
	Home    image.Point
	Pet     Pet
	Mount   *Pet
	Bank    *Purse
	Items   []*Item
	Friends []int64
	Notes   []string
	Visits  []time.Time
	Quests  *Quest
	session chan struct{} `rows:"-"`
}

// A Pet is a nested struct with a string.
type Pet struct {
	Name string
	Age  int
	Toys []Item
}

// A Purse has no pointers.
type Purse struct {
	Gold, Silver int64
	locked       bool
}

// An Item is one of many.
type Item struct {
	Kind  int32
	Count uint8
	Label string
	Until *Period
	Gems  []Purse
}

// A Period is an optional part of one of many.
type Period struct {
	From, To time.Time
}

// A Quest is an element of a linked list.
type Quest struct {
	Number int
	Text   string
	next   *Quest
}

// A Mark is as small as a row gets.
type Mark struct {
	X, Y int32
}

// A Hero has numbers only.
type Hero struct {
	ID            int64 `rows:"key"`
	X, Y, Z       float64
	Health, Power int32
	Gold          int64
	Kills         [4]uint32
}

// A User has numbers and strings.
type User struct {
	ID          int64 `rows:"key"`
	Name        string
	City        string
	X, Y        float64
	Level, Rank int32
	Gold        int64
	Seen        int64
}
