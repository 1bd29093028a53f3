package rows

import (
	"encoding/binary"
	"net/netip"
	"time"
)

// A Time is a time.Time without pointers. It keeps the instant, and of the
// location whether it is UTC, time.Local or another; of another, the offset at
// that instant, as a zone without a name. It does not keep the monotonic
// clock. The zero Time is the zero time.Time.
type Time struct {
	seconds int64 // since January 1, year 1, 00:00 UTC
	nanos   int32
	zone    int32 // offset in seconds east of UTC, times 4, plus the kind
}

// Kinds of zones.
const (
	zoneUTC = iota
	zoneLocal
	zoneFixed
)

// yearOne is the Unix time of the zero time.Time.
const yearOne = -62135596800

// maxOffset limits the offsets of zones to what a Time can tell. Times of
// zones beyond it become UTC.
const maxOffset = 1<<29 - 1

// MakeTime returns t as a Time.
func MakeTime(t time.Time) Time {
	out := Time{seconds: t.Unix() - yearOne, nanos: int32(t.Nanosecond())}
	switch t.Location() {
	case time.UTC:
	case time.Local:
		out.zone = zoneLocal
	default:
		if _, offset := t.Zone(); -maxOffset <= offset && offset <= maxOffset {
			out.zone = int32(offset)<<2 | zoneFixed
		}
	}
	return out
}

// Time returns t as a time.Time.
func (t Time) Time() time.Time {
	out := time.Unix(t.seconds+yearOne, int64(t.nanos))
	switch t.zone & 3 {
	case zoneUTC:
		return out.UTC()
	case zoneLocal:
		return out
	}
	return out.In(time.FixedZone("", int(t.zone>>2)))
}

// An Addr is a netip.Addr without pointers. An address with a zone, such as
// fe80::1%eth0, is kept in a [Text] instead.
type Addr struct {
	bytes [16]byte
	kind  uint8
}

// Kinds of addresses. The zero Addr is the zero netip.Addr.
const (
	addrNone = iota
	addr4
	addr6
	addrZoned // bytes begin with the Ref of the address in binary form
)

// PutAddr stores a.
func (t *Text) PutAddr(a netip.Addr) Addr {
	switch {
	case !a.IsValid():
		return Addr{}
	case a.Is4():
		out := Addr{kind: addr4}
		b := a.As4()
		copy(out.bytes[:], b[:])
		return out
	case a.Zone() == "":
		return Addr{a.As16(), addr6}
	}
	b, _ := a.MarshalBinary() // cannot fail
	return zonedAddr(t.PutBytes(b))
}

func zonedAddr(r Ref) Addr {
	out := Addr{kind: addrZoned}
	binary.LittleEndian.PutUint64(out.bytes[:], uint64(r))
	return out
}

func (a Addr) ref() Ref { return Ref(binary.LittleEndian.Uint64(a.bytes[:])) }

// GetAddr returns an address.
func (t *Text) GetAddr(a Addr) netip.Addr {
	switch a.kind {
	case addr4:
		return netip.AddrFrom4([4]byte(a.bytes[:4]))
	case addr6:
		return netip.AddrFrom16(a.bytes)
	case addrZoned:
		var out netip.Addr
		if err := out.UnmarshalBinary([]byte(t.Get(a.ref()))); err == nil { // never another
			return out
		}
	}
	return netip.Addr{}
}

// FreeAddr gives up an address.
func (t *Text) FreeAddr(a Addr) {
	if a.kind == addrZoned {
		t.Free(a.ref())
	}
}

// ReplaceAddr gives up an address for b, and does nothing if they are the
// same.
func (t *Text) ReplaceAddr(a Addr, b netip.Addr) Addr {
	if t.GetAddr(a) == b {
		return a
	}
	t.FreeAddr(a)
	return t.PutAddr(b)
}

// MoveAddr is Move for an address.
func (t *Text) MoveAddr(a Addr) Addr {
	if a.kind == addrZoned {
		return zonedAddr(t.Move(a.ref()))
	}
	return a
}
