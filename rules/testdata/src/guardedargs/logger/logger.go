// Package logger holds callees of the shapes that have a guard.
package logger

import "sync/atomic"

type Level uint32

const (
	ErrorLevel Level = iota
	InfoLevel
	DebugLevel
)

type Entry struct{ fields []any }

func (e *Entry) With(kv ...any) *Entry { e.fields = append(e.fields, kv...); return e }

func (e *Entry) Write(msg string) {}

type Logger struct {
	Level  Level
	Nested struct{ On bool }
	atomic atomic.Uint32
	sink   Sink
	Sink   Sink
	count  int
}

type Sink interface{ Enabled(Level) bool }

func (l *Logger) Debug2(msg, key string, val any) {
	if l.Level >= DebugLevel {
		e := new(Entry)
		e.With(key, val).Write(msg)
	}
}

func (l *Logger) Debugf(format string, args ...any) {
	if l.Level < DebugLevel {
		return
	}
	new(Entry).With(args...).Write(format)
}

// Two and three calls deep.
func (l *Logger) Outer(msg string, args ...any)  { l.Middle(msg, args...) }
func (l *Logger) Middle(msg string, args ...any) { l.Debugf(msg, append(args, "end")...) }

// The level is a parameter that a wrapper fixes.
func (l *Logger) IsEnabled(level Level) bool { return l.level() >= level }

func (l *Logger) level() Level { return Level(l.atomic.Load()) }

func (l *Logger) Logf(level Level, format string, args ...any) {
	if !l.IsEnabled(level) {
		return
	}
	new(Entry).With(args...).Write(format)
}

func (l *Logger) Infof(format string, args ...any) { l.Logf(InfoLevel, format, args...) }

// A nil logger is off.
func (l *Logger) Nilf(format string, args ...any) {
	if l == nil || !l.Nested.On {
		return
	}
	new(Entry).With(args...).Write(format)
}

// The sink may be anything.
func (l *Logger) Sinkf(format string, args ...any) {
	if l.Sink.Enabled(DebugLevel) {
		new(Entry).With(args...).Write(format)
	}
}

// The guard reads what callers elsewhere cannot.
func (l *Logger) Hiddenf(format string, args ...any) {
	if l.sink.Enabled(DebugLevel) {
		new(Entry).With(args...).Write(format)
	}
}

var Verbose bool

// A function with a package variable.
func Tracef(format string, args ...any) {
	if !Verbose {
		return
	}
	new(Entry).With(args...).Write(format)
}

// Not guarded: something else happens when the level is off.
func (l *Logger) Counted(args ...any) {
	l.count++
	if l.Level >= DebugLevel {
		new(Entry).With(args...).Write("")
	}
}

func (l *Logger) Else(args ...any) {
	if l.Level >= DebugLevel {
		new(Entry).With(args...).Write("")
	} else {
		l.count++
	}
}

func (l *Logger) Kept(args ...any) []any {
	if l.Level < DebugLevel {
		return args
	}
	return nil
}

func (l *Logger) After(arg any) {
	if l.Level >= DebugLevel {
		new(Entry).Write("")
	}
	new(Entry).With(arg)
}

// The guard is about the argument itself.
func (l *Logger) NotNil(arg any) {
	if arg != nil {
		new(Entry).With(arg)
	}
}

// A guard that has an effect.
func (l *Logger) Sampled(args ...any) {
	if !l.Sample() {
		return
	}
	new(Entry).With(args...).Write("")
}

func (l *Logger) Sample() bool {
	l.count++
	return l.count%10 == 0
}

func (l Logger) Value(args ...any) {
	if l.Level >= DebugLevel {
		new(Entry).With(args...).Write("")
	}
}
