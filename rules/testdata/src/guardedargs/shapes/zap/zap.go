package zap

type Level int8

func (l Level) Enabled(o Level) bool { return o >= l }

const DebugLevel Level = -1

type SugaredLogger struct{ level Level }

func (s *SugaredLogger) Level() Level { return s.level }

func (s *SugaredLogger) Debugw(msg string, keysAndValues ...any) {
	s.log(DebugLevel, msg, keysAndValues)
}

func (s *SugaredLogger) log(l Level, msg string, kv []any) { println(l, msg, len(kv)) }
