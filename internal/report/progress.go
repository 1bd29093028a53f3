package report

import (
	"fmt"
	"io"
	"sync"
	"time"
)

// A ProgressLine shows on one line of a terminal, rewritten in place, how far
// long work has come. Close takes it away.
type ProgressLine struct {
	w     io.Writer
	width int
	start time.Time
	stop  chan struct{}
	done  sync.WaitGroup

	mu    sync.Mutex
	stage string
	n, of int
}

// interval is the time between two redraws.
const interval = 200 * time.Millisecond

// NewProgressLine starts a line on w, a terminal of the given width.
func NewProgressLine(w io.Writer, width int) *ProgressLine {
	p := &ProgressLine{w: w, width: width, start: time.Now(), stop: make(chan struct{})}
	p.done.Go(p.redraw)
	return p
}

// Update tells the line where the work is; it may be used as a run.Progress.
func (p *ProgressLine) Update(stage string, done, total int) {
	p.mu.Lock()
	p.stage, p.n, p.of = stage, done, total
	p.mu.Unlock()
}

// Close removes the line. Update may still be called after it, to no effect.
func (p *ProgressLine) Close() {
	close(p.stop)
	p.done.Wait()
}

func (p *ProgressLine) redraw() {
	tick := time.NewTicker(interval)
	defer tick.Stop()
	shown := false
	for {
		select {
		case <-p.stop:
			if shown {
				io.WriteString(p.w, eraseLine)
			}
			return
		case now := <-tick.C:
			if text := p.text(now.Sub(p.start)); text != "" {
				io.WriteString(p.w, eraseLine+fit(text, p.width-1))
				shown = true
			}
		}
	}
}

// eraseLine returns to the first column and clears the row (ECMA-48 EL).
const eraseLine = "\r\x1b[K"

// text returns the line's content, empty before the first Update.
func (p *ProgressLine) text(elapsed time.Duration) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.stage == "" {
		return ""
	}
	text := Clean(p.stage)
	if p.of > 0 {
		text += fmt.Sprintf(" %d/%d", p.n, p.of)
	}
	return fmt.Sprintf("%s  %s", text, elapsed.Truncate(time.Second))
}
