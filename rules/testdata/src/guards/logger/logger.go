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

func (l *Logger) Debug2(msg, key string, val any) { // want Debug2:"guard .0.Level >= .{guards/logger}DebugLevel"
	if l.Level >= DebugLevel {
		e := new(Entry)
		e.With(key, val).Write(msg)
	}
}

func (l *Logger) Debugf(format string, args ...any) { // want Debugf:"guard .0.Level >= "
	if l.Level < DebugLevel {
		return
	}
	new(Entry).With(args...).Write(format)
}

// Two and three calls deep.
func (l *Logger) Outer(msg string, args ...any)  { l.Middle(msg, args...) }                // want Outer:"guard .0.Level >= "
func (l *Logger) Middle(msg string, args ...any) { l.Debugf(msg, append(args, "end")...) } // want Middle:"guard .0.Level >= "

// The level is a parameter that a wrapper fixes.
func (l *Logger) IsEnabled(level Level) bool { return l.level() >= level } // want IsEnabled:"reads"

func (l *Logger) level() Level { return Level(l.atomic.Load()) } // want level:"reads"

func (l *Logger) Logf(level Level, format string, args ...any) { // want Logf:"guard .0.IsEnabled..1."
	if !l.IsEnabled(level) {
		return
	}
	new(Entry).With(args...).Write(format)
}

func (l *Logger) Infof(format string, args ...any) { l.Logf(InfoLevel, format, args...) } // want Infof:"guard .0.IsEnabled...guards/logger.InfoLevel."

// A nil logger is off.
func (l *Logger) Nilf(format string, args ...any) { // want Nilf:"guard .0 != nil && .0.Nested.On"
	if l == nil || !l.Nested.On {
		return
	}
	new(Entry).With(args...).Write(format)
}

// The sink may be anything.
func (l *Logger) Sinkf(format string, args ...any) { // want Sinkf:"guard .0.Sink.Enabled"
	if l.Sink.Enabled(DebugLevel) {
		new(Entry).With(args...).Write(format)
	}
}

// The guard reads what callers elsewhere cannot.
func (l *Logger) Hiddenf(format string, args ...any) { // want Hiddenf:"guard .0.sink.Enabled"
	if l.sink.Enabled(DebugLevel) {
		new(Entry).With(args...).Write(format)
	}
}

var Verbose bool

// A function with a package variable.
func Tracef(format string, args ...any) { // want Tracef:"guard .{guards/logger}Verbose"
	if !Verbose {
		return
	}
	new(Entry).With(args...).Write(format)
}

// A plain parameter.
func If(on bool, args ...any) { // want If:"guard .1"
	if on {
		new(Entry).With(args...).Write("")
	}
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

func (l *Logger) Sample() bool { // want Sample:"writes"
	l.count++
	return l.count%10 == 0
}

func (l Logger) Value(args ...any) { // want Value:"guard .0.Level >= "
	if l.Level >= DebugLevel {
		new(Entry).With(args...).Write("")
	}
}
