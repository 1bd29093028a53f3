package slogcalls

import (
	"context"
	"log/slog"
)

func calls(ctx context.Context, l *slog.Logger, level slog.Level, n int, s string) {
	l.Debug("x", "n", n)              // review // want `arguments of Debug are boxed`
	l.DebugContext(ctx, "x", "n", n)  // review // want `arguments of DebugContext are boxed`
	l.Log(ctx, level, "x", "n", n)    // review // want `arguments of Log are boxed`
	slog.Info("x", "n", n)            // review // want `arguments of Info are boxed`
	l.With("a", 1).Debug("x", "s", s) // review // want `arguments of Debug are boxed`
	l.Debug("x", "n", 3)
	l.Debug("x", slog.Int("n", n)) // review // want `arguments of Debug are boxed`
	l.LogAttrs(ctx, level, "x", slog.Int("n", n))
	if l.Enabled(ctx, slog.LevelDebug) {
		l.Debug("x", "n", n)
	}
	if !l.Enabled(ctx, slog.LevelDebug) {
		return
	}
	l.Debug("x", "n", n)
}
