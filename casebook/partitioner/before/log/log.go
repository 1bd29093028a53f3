// Package log is a small levelled logger in the style of its time: fields are
// chained on an entry, values are kept as they were given, and helpers with a
// fixed number of fields test the level before they build the chain.
package log

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"
)

// A Level says how much is logged: everything up to and including it.
type Level int32

// The levels, from the least to the most that is logged.
const (
	ErrorLevel Level = iota
	InfoLevel
	DebugLevel
)

// String returns the level's name as it appears in a line of the log.
func (l Level) String() string {
	switch l {
	case ErrorLevel:
		return "error"
	case InfoLevel:
		return "info"
	case DebugLevel:
		return "debug"
	}
	return "level(" + strconv.Itoa(int(l)) + ")"
}

// keep is how many recent entries a logger holds for diagnosis.
const keep = 64

// A Logger writes entries as text and keeps the most recent ones.
// Level must be set before the logger is shared; everything else is safe for
// concurrent use.
type Logger struct {
	Level Level

	mu     sync.Mutex
	w      io.Writer
	recent [keep]*Entry
	logged int // entries logged so far; the next one goes to recent[logged%keep]
}

// New returns a logger that writes to w.
func New(w io.Writer, level Level) *Logger {
	return &Logger{Level: level, w: w}
}

// WithField starts an entry with one field.
func (l *Logger) WithField(key string, value any) *Entry {
	return &Entry{logger: l, fields: []Field{{key, value}}}
}

// Recent returns the entries that the logger still holds, oldest first.
func (l *Logger) Recent() []*Entry {
	l.mu.Lock()
	defer l.mu.Unlock()
	first := 0
	if l.logged > keep {
		first = l.logged - keep
	}
	entries := make([]*Entry, 0, l.logged-first)
	for i := first; i < l.logged; i++ {
		entries = append(entries, l.recent[i%keep])
	}
	return entries
}

// log keeps e and writes it as one line.
func (l *Logger) log(e *Entry) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.recent[l.logged%keep] = e
	l.logged++
	// A log that cannot be written must not stop the program it describes.
	_, _ = io.WriteString(l.w, e.String()+"\n")
}

// A Field is one key and value of an entry.
type Field struct {
	Key   string
	Value any
}

// An Entry is one line of the log. WithField leaves the entry it is called on
// as it was.
type Entry struct {
	Level   Level
	Message string

	logger *Logger
	fields []Field
}

// WithField returns a copy of e with one more field.
func (e *Entry) WithField(key string, value any) *Entry {
	fields := make([]Field, len(e.fields), len(e.fields)+1)
	copy(fields, e.fields)
	return &Entry{logger: e.logger, fields: append(fields, Field{key, value})}
}

// Debug logs e with a message if the logger's level is at least DebugLevel.
func (e *Entry) Debug(message string) {
	if e.logger.Level < DebugLevel {
		return
	}
	e.Level, e.Message = DebugLevel, message
	e.logger.log(e)
}

// String returns the entry's line, without the newline.
func (e *Entry) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "level=%v msg=%q", e.Level, e.Message)
	for _, f := range e.fields {
		fmt.Fprintf(&b, " %s=%v", f.Key, f.Value)
	}
	return b.String()
}

// Debug2 logs a message with two fields. It tests the level first, so that no
// entry is built when debug logging is off.
func Debug2(l *Logger, key string, value any, key2 string, value2 any, message string) {
	if l.Level >= DebugLevel {
		l.WithField(key, value).WithField(key2, value2).Debug(message)
	}
}

// Debug3 is [Debug2] with three fields.
func Debug3(l *Logger, key string, value any, key2 string, value2 any, key3 string, value3 any, message string) {
	if l.Level >= DebugLevel {
		l.WithField(key, value).WithField(key2, value2).WithField(key3, value3).Debug(message)
	}
}
