package rows

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"math/bits"
	"net/netip"
	"time"
)

// The packed form of a value is
//
//	"uh" version(1) layout(4, little-endian) fields... checksum(4, little-endian)
//
// where layout identifies the struct that was packed, as the generator sees
// it, and the checksum is CRC-32C of all before it. Fields follow in the
// struct's order without names: integers as varints of encoding/binary, floats
// as their bits, strings and lists with their length before them.
const (
	packMagic   = "uh"
	packVersion = 1
	packHeader  = len(packMagic) + 1 + 4
	packTrailer = 4
)

// IntBits is the number of bits of an int.
const IntBits = bits.UintSize

// ErrPacked is the cause of all errors in packed data.
var ErrPacked = errors.New("rows: packed data cannot be read")

// castagnoli makes the checksum's table; crc32 makes it once.
func castagnoli() *crc32.Table { return crc32.MakeTable(crc32.Castagnoli) }

// AppendHeader begins the packed form of a value.
func AppendHeader(b []byte, layout uint32) []byte {
	b = append(append(b, packMagic...), packVersion)
	return binary.LittleEndian.AppendUint32(b, layout)
}

// AppendChecksum ends the packed form that begins at b[start].
func AppendChecksum(b []byte, start int) []byte {
	return binary.LittleEndian.AppendUint32(b, crc32.Checksum(b[start:], castagnoli()))
}

// AppendInt packs a signed integer.
func AppendInt(b []byte, v int64) []byte { return binary.AppendVarint(b, v) }

// AppendUint packs an unsigned integer.
func AppendUint(b []byte, v uint64) []byte { return binary.AppendUvarint(b, v) }

// AppendBool packs a bool.
func AppendBool(b []byte, v bool) []byte {
	if v {
		return append(b, 1)
	}
	return append(b, 0)
}

// AppendFloat32 packs a float32.
func AppendFloat32(b []byte, v float32) []byte {
	return binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
}

// AppendFloat64 packs a float64.
func AppendFloat64(b []byte, v float64) []byte {
	return binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
}

// AppendString packs a string.
func AppendString(b []byte, v string) []byte {
	return append(AppendUint(b, uint64(len(v))), v...)
}

// AppendBytes packs a byte slice, and whether it is nil.
func AppendBytes(b, v []byte) []byte {
	return append(AppendLen(b, len(v), v == nil), v...)
}

// AppendLen packs the length of a list, and whether it is nil.
func AppendLen(b []byte, n int, isNil bool) []byte {
	if isNil {
		return append(b, 0)
	}
	return AppendUint(b, uint64(n)+1)
}

// AppendTime packs a time as a [Time].
func AppendTime(b []byte, v time.Time) []byte {
	t := MakeTime(v)
	return AppendInt(AppendInt(AppendInt(b, t.seconds), int64(t.nanos)), int64(t.zone))
}

// AppendAddr packs an address.
func AppendAddr(b []byte, v netip.Addr) []byte {
	form, _ := v.MarshalBinary() // cannot fail
	return AppendString(b, string(form))
}

// An Unpacker reads the packed form of a value. The bytes may come from
// anywhere: reading them never panics, takes memory in proportion to their
// number, and ends in an error if they are not what AppendHeader and its like
// make. After the first error all methods return zero values.
type Unpacker struct {
	rest []byte
	err  error
}

// NewUnpacker begins to read a value of the given layout, which takes up all of
// b.
func NewUnpacker(b []byte, layout uint32) *Unpacker {
	u := new(Unpacker)
	switch {
	case len(b) < packHeader+packTrailer || string(b[:len(packMagic)]) != packMagic:
		u.fail("this is not a packed row")
	case b[len(packMagic)] != packVersion:
		u.fail("format version %d is not version %d: unpack with the release that packed", b[len(packMagic)], packVersion)
	case binary.LittleEndian.Uint32(b[len(packMagic)+1:]) != layout:
		u.fail("another struct was packed, or this one has changed since: unpack with the code that packed")
	case binary.LittleEndian.Uint32(b[len(b)-packTrailer:]) != crc32.Checksum(b[:len(b)-packTrailer], castagnoli()):
		u.fail("the checksum is wrong: the data was damaged, take it from a backup")
	default:
		u.rest = b[packHeader : len(b)-packTrailer]
	}
	return u
}

func (u *Unpacker) fail(format string, args ...any) {
	if u.err == nil {
		u.err = fmt.Errorf("%w: %s", ErrPacked, fmt.Sprintf(format, args...))
	}
	u.rest = nil
}

// Close returns the first error. Bytes that are left over are one.
func (u *Unpacker) Close() error {
	if len(u.rest) > 0 {
		u.fail("%d bytes are left over: the data was damaged, take it from a backup", len(u.rest))
	}
	return u.err
}

// Uint reads an unsigned integer of up to the given number of bits.
func (u *Unpacker) Uint(bits int) uint64 {
	v, n := binary.Uvarint(u.rest)
	if n <= 0 || bits < 64 && v>>bits != 0 {
		u.fail("an integer is cut off or too large: the data was damaged, take it from a backup")
		return 0
	}
	u.rest = u.rest[n:]
	return v
}

// Int reads a signed integer of up to the given number of bits.
func (u *Unpacker) Int(bits int) int64 {
	v, n := binary.Varint(u.rest)
	if n <= 0 || v>>(bits-1) != v>>63 {
		u.fail("an integer is cut off or too large: the data was damaged, take it from a backup")
		return 0
	}
	u.rest = u.rest[n:]
	return v
}

// Bool reads a bool.
func (u *Unpacker) Bool() bool { return u.Uint(1) == 1 }

// Float32 reads a float32.
func (u *Unpacker) Float32() float32 {
	if b := u.take(4); b != nil {
		return math.Float32frombits(binary.LittleEndian.Uint32(b))
	}
	return 0
}

// Float64 reads a float64.
func (u *Unpacker) Float64() float64 {
	if b := u.take(8); b != nil {
		return math.Float64frombits(binary.LittleEndian.Uint64(b))
	}
	return 0
}

// take returns the next n bytes, nil if there are fewer.
func (u *Unpacker) take(n int) []byte {
	if n > len(u.rest) {
		u.fail("it ends early: the data was damaged, take it from a backup")
		return nil
	}
	b := u.rest[:n:n]
	u.rest = u.rest[n:]
	return b
}

// String reads a string.
func (u *Unpacker) String() string {
	n := u.Uint(lenBits)
	return string(u.take(int(n)))
}

// Bytes reads a byte slice.
func (u *Unpacker) Bytes() []byte {
	n, isNil := u.Len(1)
	if isNil {
		return nil
	}
	return append([]byte{}, u.take(n)...)
}

// Len reads the length of a list whose elements take at least the given number
// of bytes each, at least 1. There are enough bytes left for as many.
func (u *Unpacker) Len(bytes int) (n int, isNil bool) {
	v := u.Uint(lenBits + 1)
	if v == 0 {
		return 0, true
	}
	if v-1 > MaxLen || int(v-1) > len(u.rest)/bytes {
		u.fail("a list is longer than the data: it was damaged, take it from a backup")
		return 0, true
	}
	return int(v - 1), false
}

// Time reads a time.
func (u *Unpacker) Time() time.Time {
	t := Time{seconds: u.Int(64), nanos: int32(u.Int(32)), zone: int32(u.Int(32))}
	offset := t.zone >> 2
	if t.nanos < 0 || t.nanos >= 1e9 || t.zone&3 > zoneFixed || t.zone&3 != zoneFixed && offset != 0 {
		u.fail("a time is not valid: the data was damaged, take it from a backup")
		return time.Time{}
	}
	return t.Time()
}

// Addr reads an address.
func (u *Unpacker) Addr() netip.Addr {
	var out netip.Addr
	if err := out.UnmarshalBinary([]byte(u.String())); err != nil {
		u.fail("an address is not valid (%v): the data was damaged, take it from a backup", err)
		return netip.Addr{}
	}
	return out
}
