package rows

import (
	"errors"
	"math"
	"net/netip"
	"reflect"
	"testing"
	"time"
)

func times() []time.Time {
	return []time.Time{
		{},
		time.Unix(0, 0),
		time.Unix(0, 0).UTC(),
		time.Date(2024, 2, 29, 23, 59, 59, 999_999_999, time.UTC),
		time.Date(2024, 7, 1, 0, 0, 0, 1, time.FixedZone("", 5*3600+1800)),
		time.Date(-5, 7, 1, 0, 0, 0, 1, time.FixedZone("", -(9*3600+59))),
		time.Date(2024, 7, 1, 0, 0, 0, 1, time.FixedZone("", 0)),
		time.Unix(math.MaxInt64, 0).UTC(),
		time.Unix(math.MinInt64, 0).UTC(),
	}
}

func addrs() []netip.Addr {
	return []netip.Addr{
		{},
		netip.MustParseAddr("0.0.0.0"),
		netip.MustParseAddr("192.0.2.1"),
		netip.MustParseAddr("::"),
		netip.MustParseAddr("2001:db8::1"),
		netip.MustParseAddr("::ffff:192.0.2.1"),
		netip.MustParseAddr("fe80::1%eth0"),
	}
}

func TestTimes(t *testing.T) {
	for _, want := range times() {
		if got := MakeTime(want).Time(); !reflect.DeepEqual(got, want) {
			t.Errorf("%v is read as %v", want, got)
		}
	}
	if got := MakeTime(time.Now()).Time(); got.Location() != time.Local || got != got.Round(0) {
		t.Errorf("the present is read as %#v", got)
	}
	if (MakeTime(time.Time{}) != Time{}) {
		t.Error("the zero time is not the zero Time")
	}
	// A zone's name and rules are not kept, its offset is.
	named := time.Date(2024, 7, 1, 12, 0, 0, 0, time.FixedZone("CEST", 7200))
	got := MakeTime(named).Time()
	if _, offset := got.Zone(); !got.Equal(named) || offset != 7200 || got.Hour() != 12 {
		t.Errorf("%v is read as %v", named, got)
	}
	far := time.Date(2024, 7, 1, 12, 0, 0, 0, time.FixedZone("", math.MaxInt32))
	if got := MakeTime(far).Time(); !got.Equal(far) || got.Location() != time.UTC {
		t.Errorf("%v is read as %v", far, got)
	}
}

func TestAddrs(t *testing.T) {
	for _, want := range addrs() {
		text := NewText()
		a := text.PutAddr(want)
		if got := text.GetAddr(a); got != want {
			t.Errorf("%v is read as %v", want, got)
		}
		for _, next := range addrs() {
			a = text.ReplaceAddr(a, next)
			if got := text.GetAddr(a); got != next {
				t.Errorf("%v in place of another is read as %v", next, got)
			}
		}
		text.FreeAddr(a)
		if u := text.usage(); u.Live != 0 {
			t.Errorf("%v leaves %d bytes behind", want, u.Live)
		}
	}
}

func TestPackedValues(t *testing.T) {
	b := AppendHeader(nil, 7)
	b = AppendInt(b, math.MinInt64)
	b = AppendInt(b, -128)
	b = AppendUint(b, math.MaxUint64)
	b = AppendUint(b, 255)
	b = AppendBool(b, true)
	b = AppendFloat32(b, -1.5)
	b = AppendFloat64(b, math.Inf(1))
	b = AppendString(b, "text")
	b = AppendBytes(b, nil)
	b = AppendBytes(b, []byte{})
	b = AppendBytes(b, []byte{1})
	for _, x := range times() {
		b = AppendTime(b, x)
	}
	for _, x := range addrs() {
		b = AppendAddr(b, x)
	}
	b = AppendChecksum(b, 0)

	u := NewUnpacker(b, 7)
	for i, ok := range []bool{
		u.Int(64) == math.MinInt64, u.Int(8) == -128, u.Uint(64) == math.MaxUint64, u.Uint(8) == 255, u.Bool(),
		u.Float32() == -1.5, u.Float64() == math.Inf(1), u.String() == "text",
		u.Bytes() == nil, reflect.DeepEqual(u.Bytes(), []byte{}), reflect.DeepEqual(u.Bytes(), []byte{1}),
	} {
		if !ok {
			t.Errorf("value %d is not what was packed", i)
		}
	}
	for _, want := range times() {
		if got := u.Time(); !reflect.DeepEqual(got, want) {
			t.Errorf("%v is unpacked as %v", want, got)
		}
	}
	for _, want := range addrs() {
		if got := u.Addr(); got != want {
			t.Errorf("%v is unpacked as %v", want, got)
		}
	}
	if err := u.Close(); err != nil {
		t.Error(err)
	}
}

func TestUnpackerRefuses(t *testing.T) {
	body := func(b ...byte) []byte { return AppendChecksum(append(AppendHeader(nil, 7), b...), 0) }
	broken := body(1)
	broken[len(broken)-1]++
	newer := body()
	newer[2]++
	for name, tt := range map[string]struct {
		data []byte
		read func(*Unpacker)
	}{
		"empty":         {nil, func(*Unpacker) {}},
		"magic":         {make([]byte, 20), func(*Unpacker) {}},
		"version":       {newer, func(*Unpacker) {}},
		"layout":        {AppendChecksum(AppendHeader(nil, 8), 0), func(*Unpacker) {}},
		"checksum":      {broken, func(u *Unpacker) { u.Int(64) }},
		"left over":     {body(1), func(*Unpacker) {}},
		"cut off":       {body(0x80), func(u *Unpacker) { u.Int(64) }},
		"int range":     {body(0x80, 0x02), func(u *Unpacker) { u.Int(8) }},
		"uint range":    {body(0x80, 0x02), func(u *Unpacker) { u.Uint(8) }},
		"bool":          {body(2), func(u *Unpacker) { u.Bool() }},
		"float":         {body(1, 2, 3), func(u *Unpacker) { u.Float32() }},
		"string":        {body(5, 'a'), func(u *Unpacker) { _ = u.String() }},
		"list":          {body(200, 1, 'a'), func(u *Unpacker) { u.Len(1) }},
		"list elements": {body(4, 1, 2, 3), func(u *Unpacker) { u.Len(2) }},
		"nanoseconds":   {body(0, 1, 0), func(u *Unpacker) { u.Time() }},
		"zone kind":     {body(0, 0, 6), func(u *Unpacker) { u.Time() }},
		"zone offset":   {body(0, 0, 8), func(u *Unpacker) { u.Time() }},
		"address":       {body(3, 1, 2, 3), func(u *Unpacker) { u.Addr() }},
	} {
		u := NewUnpacker(tt.data, 7)
		tt.read(u)
		u.Float64()
		if err := u.Close(); !errors.Is(err, ErrPacked) {
			t.Errorf("%s: error = %v, want ErrPacked", name, err)
		}
	}
}
