package logrus

type Level uint32

const DebugLevel Level = 5

type Logger interface {
	IsLevelEnabled(Level) bool
	Debugf(format string, args ...any)
	Fatalf(format string, args ...any)
}
