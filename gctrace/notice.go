package gctrace

// parseNotice reads the runtime's lines that are not cycles. They are told by how the line begins.
func parseNotice(line []byte, e *Event) outcome {
	if len(line) < 5 {
		return noMatch
	}
	c := &cursor{line: line}
	switch line[0] {
	case 's':
		switch {
		case c.skip("scav "):
			return parseScav(c, e)
		case c.skip("scvg"):
			return parseScvg(c, e)
		case c.skip("scan: "):
			*e = Event{Kind: Detail, Process: -1}
			return matched
		}
	case 'p':
		if c.skip("pacer: ") {
			return parsePacer(c, e)
		}
	case 'G':
		if c.skip("GC forced") {
			*e = Event{Kind: Notice, Process: -1, Forced: true}
			return matched
		}
	}
	return noMatch
}

const kibi = 10 // log2 of a KiB

// parseScav reads
//
//	scav 7 16 KiB work, 640 KiB total, 80% util                        with a generation, which is not kept
//	scav 16 KiB work, 640 KiB total, 80% util
//	scav 16 KiB work (bg), 0 KiB work (eager), 640 KiB now, 80% util   1.21 and later
func parseScav(c *cursor, e *Event) outcome {
	*e = Event{Kind: Scavenge, Process: -1}
	if c.peek()-'0' > 9 {
		return noMatch
	}
	e.Memory.Work = c.size(kibi)
	if c.want(" "); c.peek()-'0' <= 9 {
		e.Memory.Work = c.size(kibi)
		c.want(" ")
	}
	c.want("KiB work")
	if c.skip(" (bg)") {
		c.want(", ")
		e.Memory.Work += c.size(kibi)
		c.want(" KiB work (eager)")
	}
	c.want(", ")
	e.Memory.Released = c.size(kibi)
	c.want(" KiB ")
	if !c.skip("total") {
		c.want("now")
	}
	c.want(", ")
	e.Memory.Percent = c.small()
	c.want("% util")
	e.Forced = c.forced()
	return c.outcome()
}

// parseScvg reads
//
//	scvg3: inuse: 1, idle: 62, sys: 63, released: 57, consumed: 6 (MB)     up to 1.12
//	scvg: inuse: 1, idle: 62, sys: 63, released: 57, consumed: 6 (MB)      1.13
//	scvg3: 5 MB released                                                   (0x5 up to 1.2)
//	scvg: 80 KB released                                                   1.12 and 1.13
//	scvg3: GC forced                                                       up to 1.3
func parseScvg(c *cursor, e *Event) outcome {
	*e = Event{Kind: Scavenge, Process: -1}
	c.skip("-") // scvg-1 is a scavenge that the program asked for
	if c.peek() != ':' {
		c.int()
	}
	if c.want(": "); c.bad {
		return noMatch
	}
	switch {
	case c.skip("GC forced"):
		*e = Event{Kind: Notice, Process: -1, Forced: true}
	case c.skip("inuse: "):
		e.Memory.InUse = c.size(mebi)
		c.want(", idle: ")
		e.Memory.Idle = c.size(mebi)
		c.want(", sys: ")
		e.Memory.Sys = c.size(mebi)
		c.want(", released: ")
		e.Memory.Released = c.size(mebi)
		c.want(", consumed: ")
		c.int()
		c.want(" (MB)")
	case c.skip("0x"):
		e.Memory.Work = c.hex() << mebi
		c.want(" MB released")
	default:
		n := c.size(kibi)
		if c.skip(" KB released") {
			e.Memory.Work = n
		} else {
			c.want(" MB released")
			e.Memory.Work = min(n, limit>>kibi) << kibi
		}
	}
	return c.outcome()
}

// hex reads up to eight hexadecimal digits.
func (c *cursor) hex() int64 {
	n, start := int64(0), c.pos
	for ; c.pos < len(c.line) && c.pos-start < 8; c.pos++ {
		d := c.line[c.pos]
		switch {
		case d-'0' <= 9:
			d -= '0'
		case d-'a' <= 5:
			d -= 'a' - 10
		default:
			c.bad = c.pos == start
			return n
		}
		n = n<<4 | int64(d)
	}
	return n
}

// parsePacer takes the exact bytes from the pacer's last line of a cycle (1.18 and later),
//
//	pacer: 45% CPU (25 exp.) for 408896+1968+154154 B work (154154 B exp.) in 4014080 B -> 4587520 B (...)
//
// and accepts every other pacer line as it is.
func parsePacer(c *cursor, e *Event) outcome {
	*e = Event{Kind: Pacer, Process: -1}
	if c.peek()-'0' > 9 {
		return matched
	}
	p := &e.Pacing
	p.Percent = c.small()
	c.want("% CPU (")
	c.int()
	c.want(" exp.) for ")
	p.HeapScan = c.int()
	c.want("+")
	p.StackScan = c.int()
	c.want("+")
	p.GlobalsScan = c.int()
	c.want(" B work (")
	c.int()
	c.want(" B exp.) in ")
	p.Trigger = c.int()
	c.want(" B -> ")
	p.End = c.int()
	c.want(" B ")
	return c.outcome()
}
