package compiler

import (
	"bufio"
	"errors"
	"io"
)

const (
	maxFile = 512 << 20 // bytes read of one file of diagnostics, or of the compiler's text
	maxLine = 16 << 20  // bytes of one line; a long inline chain in a big function reaches a few hundred KiB
)

// readLines calls yield with each line, without its end. Lines of more than limit bytes
// are left out and counted. The slice is only valid during the call.
func readLines(r io.Reader, limit int, yield func([]byte) error) (skipped int, err error) {
	br := bufio.NewReaderSize(r, 64<<10)
	var long []byte // a line that the buffer does not hold
	tooLong := false
	for {
		part, err := br.ReadSlice('\n')
		full := errors.Is(err, bufio.ErrBufferFull)
		if err != nil && !full && err != io.EOF {
			return skipped, err
		}
		line := part
		if full || len(long) > 0 || tooLong {
			if len(long)+len(part) > limit {
				tooLong, long = true, long[:0]
			} else if !tooLong {
				long = append(long, part...)
			}
			if full {
				continue
			}
			line = long
		}
		switch {
		case tooLong || len(line) > limit:
			skipped++
		case len(line) > 0:
			if line[len(line)-1] == '\n' {
				line = line[:len(line)-1]
			}
			if err := yield(line); err != nil {
				return skipped, err
			}
		}
		if err == io.EOF {
			return skipped, nil
		}
		long, tooLong = long[:0], false
	}
}
