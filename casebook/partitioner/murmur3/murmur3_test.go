package murmur3

import "testing"

func TestVectors(t *testing.T) {
	for _, c := range []struct {
		data string
		seed uint32
		want uint32
	}{
		{"", 0, 0},
		{"", 1, 0x514e28b7},
		{"", 0xffffffff, 0x81f16f39},
		{"\x00\x00\x00\x00", 0, 0x2362f9de},
		{"\x21", 0, 0x72661cf4},
		{"\x21\x43", 0, 0xa0f7b07a},
		{"\x21\x43\x65", 0, 0x7e4a8634},
		{"\x21\x43\x65\x87", 0, 0xf55b516b},
		{"\x21\x43\x65\x87", 0x5082edee, 0x2362f9de},
		{"\xff\xff\xff\xff", 0, 0x76293b50},
		{"test", 0x9747b28c, 0x704b81dc},
		{"Hello, world!", 0x9747b28c, 0x24884cba},
		{"The quick brown fox jumps over the lazy dog", 0x9747b28c, 0x2fa826cd},
	} {
		if got := Sum32([]byte(c.data), c.seed); got != c.want {
			t.Errorf("Sum32(%q, %#x) = %#08x, want %#08x", c.data, c.seed, got, c.want)
		}
	}
}
