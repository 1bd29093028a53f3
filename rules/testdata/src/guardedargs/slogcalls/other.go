package slogcalls

import "log/slog"

func noContext(l *slog.Logger, n int) {
	l.Debug("x", "n", n) // review // want `arguments of Debug are boxed`
}
