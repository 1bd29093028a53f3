// Package review holds what a person has to decide.
package review

import (
	"encoding/binary"
	"hash"
	"io"
)

type message []byte

func header(r io.Reader) (uint32, error) {
	buf := make([]byte, 4) // want `must not keep it`
	if _, err := io.ReadFull(r, buf); err != nil {
		return 0, err
	}
	return binary.BigEndian.Uint32(buf), nil
}

func forward(w io.Writer, r io.Reader, n int) error {
	buf := make([]byte, n) // want `must not keep it`
	for {
		got, err := r.Read(buf)
		if _, err := w.Write(buf[:got]); err != nil {
			return err
		}
		if err != nil {
			return err
		}
	}
}

func number(h hash.Hash, n uint64) {
	b := make([]byte, 8) // want `must not keep it`
	binary.LittleEndian.PutUint64(b, n)
	h.Write(b)
}

// The rule knows nothing of these.
func unknown(n int, parse func([]byte) message) int {
	buf := make([]byte, n)
	return len(parse(buf))
}

func sum(h hash.Hash) string {
	buf := make([]byte, 0, 32)
	return string(h.Sum(buf))
}
