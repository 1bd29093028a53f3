package game

import (
	"fmt"
	"image"
	"math/rand/v2"
	"net/netip"
	"strings"
	"time"
)

func fixedRand() *rand.Rand { return rand.New(rand.NewPCG(5, 5)) }

// randomPlayer returns a player who differs from others in everything but a
// few common values, and who is the same after being stored.
func randomPlayer(r *rand.Rand, id int64) Player {
	p := Player{
		ID: id, Account: Name(fmt.Sprintf("account %d", id)),
		Level: Level(r.IntN(50)), Guild: []string{"", "red", "green", "blue"}[r.IntN(4)],
		online: r.IntN(2) == 0, Rate: r.Float32(), Score: r.NormFloat64(), Wave: complex(r.Float32(), 1),
		Home: image.Pt(r.IntN(100), -r.IntN(100)),
		Pet:  randomPet(r),
		Seen: time.Unix(r.Int64N(1<<40)-1<<39, r.Int64N(1e9)).UTC(),
	}
	for i := range p.Quick {
		p.Quick[i] = r.Uint32()
	}
	for i := range p.Titles {
		p.Titles[i] = randomText(r)
	}
	if r.IntN(2) == 0 {
		p.Avatar = []byte(randomText(r))
		p.Seen = p.Seen.In(time.FixedZone("", r.IntN(80000)-40000))
	}
	switch r.IntN(4) {
	case 0:
		p.From = netip.AddrFrom4([4]byte{10, 0, byte(r.IntN(256)), 1})
	case 1:
		p.From = netip.AddrFrom16([16]byte{0x20, 1, 15: byte(r.IntN(256))})
	case 2:
		p.From = netip.AddrFrom16([16]byte{0xfe, 0x80, 15: byte(r.IntN(256))}).WithZone(fmt.Sprint("eth", r.IntN(9)))
	}
	if r.IntN(3) == 0 {
		pet := randomPet(r)
		p.Mount = &pet
	}
	if r.IntN(3) == 0 {
		purse := randomPurse(r)
		p.Bank = &purse
	}
	for range r.IntN(4) {
		item := randomItem(r)
		p.Items = append(p.Items, &item)
		p.Friends = append(p.Friends, r.Int64())
		p.Quests = &Quest{Number: r.IntN(1000), Text: randomText(r), next: p.Quests}
	}
	if r.IntN(3) == 0 {
		p.Notes, p.Visits = []string{}, []time.Time{}
	}
	for range r.IntN(3) {
		p.Notes = append(p.Notes, randomText(r))
		p.Visits = append(p.Visits, time.Unix(r.Int64N(1<<33), 0).UTC())
	}
	return p
}

func randomText(r *rand.Rand) string {
	n := r.IntN(30)
	if r.IntN(50) == 0 {
		n *= 40
	}
	return strings.Repeat(string(rune('a'+r.IntN(26))), n)
}

func randomPurse(r *rand.Rand) Purse {
	return Purse{Gold: r.Int64(), Silver: -r.Int64(), locked: r.IntN(2) == 0}
}

func randomItem(r *rand.Rand) Item {
	item := Item{Kind: r.Int32(), Count: uint8(r.UintN(256)), Label: randomText(r)}
	if r.IntN(2) == 0 {
		item.Until = &Period{From: time.Unix(r.Int64N(1<<33), 0).UTC()}
		item.Gems = []Purse{}
	}
	for range r.IntN(3) {
		item.Gems = append(item.Gems, randomPurse(r))
	}
	return item
}

func randomPet(r *rand.Rand) Pet {
	pet := Pet{Name: randomText(r), Age: r.IntN(20)}
	for range r.IntN(3) {
		pet.Toys = append(pet.Toys, randomItem(r))
	}
	return pet
}
