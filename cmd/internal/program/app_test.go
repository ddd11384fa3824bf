// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package program

import (
	"bytes"
	"io"
	"log/slog"
	"testing"

	"github.com/ethereum/go-ethereum/log"

	"gwon/internal/expect"
)

// The log goes on in a file of each form that this program writes, and in no other file.
func TestLogLines(t *testing.T) {
	for name, handler := range map[string]func(io.Writer) slog.Handler{
		"terminal": func(w io.Writer) slog.Handler { return log.NewTerminalHandler(w, false) },
		"color":    func(w io.Writer) slog.Handler { return log.NewTerminalHandler(w, true) },
		"logfmt":   log.LogfmtHandler,
		"json":     log.JSONHandler,
	} {
		for _, write := range []func(log.Logger, string, ...any){log.Logger.Info, log.Logger.Warn, log.Logger.Error} {
			var out bytes.Buffer
			write(log.NewLogger(handler(&out)), "Block committed", "number", 1)
			expect.That(t, isLogLine(out.Bytes(), true), "%s: %q is no log", name, &out)
		}
	}
	for _, other := range []string{"0123456789abcdef", `{"address":"00"}`, "[Node]", "t = 1", "INFORMATION"} {
		expect.That(t, !isLogLine([]byte(other), true), "%q is a log", other)
	}
}
