// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package progress

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/ethereum/go-ethereum/log"
	"github.com/mattn/go-isatty"
)

// Time between two log lines of a task, and between two pictures of a bar.
const (
	LinePeriod = 8 * time.Second
	barPeriod  = 250 * time.Millisecond
)

// Show prints how far a task is until end is called: a bar where out is a terminal, log lines elsewhere. Logs of
// WrapLog do not break the bar. A source without a stage shows nothing.
func Show(source func() State, out *os.File) (end func()) {
	if isatty.IsTerminal(out.Fd()) {
		return Bar(source, out)
	}
	return Lines(source)
}

// Lines writes a log line every eight seconds until end is called.
func Lines(source func() State) (end func()) {
	return every(LinePeriod, func() {
		if s := source(); s.Stage != "" {
			s.Log()
		}
	}, func() {})
}

// Bar draws a bar on a terminal until end is called, which removes it. On anything else it draws nothing.
func Bar(source func() State, out *os.File) (end func()) {
	if !isatty.IsTerminal(out.Fd()) {
		return func() {}
	}
	return draw(source, out, func() int { return columns(out) })
}

// draw is Bar on an output with a given number of columns.
func draw(source func() State, out io.Writer, columns func() int) (end func()) {
	return every(barPeriod, func() { terminal.show(out, source().line(columns())) }, func() { terminal.show(out, "") })
}

// every calls f again and again until end is called, which calls last and returns after it.
func every(period time.Duration, f, last func()) (end func()) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		ticker := time.Tick(period)
		for {
			select {
			case <-ticker:
				f()
			case <-ctx.Done():
				last()
				return
			}
		}
	}()
	return func() {
		cancel()
		<-done
	}
}

// line returns the picture of a state with at most the given columns, less one for the cursor. It is "" without a
// stage.
func (s State) line(columns int) string {
	const bar = 24
	if s.Stage == "" || columns < 2 {
		return ""
	}
	parts := []string{s.Stage}
	if s.Total > 0 {
		full := int(s.fraction() * bar)
		parts = append(parts, "["+strings.Repeat("#", full)+strings.Repeat("-", bar-full)+"]", s.percent())
	}
	if s.Unit != "" {
		parts = append(parts, fmt.Sprintf("%d %s", s.Items, s.Unit))
	}
	if rate := s.rate(); rate != "" {
		parts = append(parts, rate+"/s")
	}
	switch {
	case s.Left > 0:
		parts = append(parts, "eta "+s.Left.Round(time.Second).String())
	case s.Total == 0:
		parts = append(parts, s.Took.Round(time.Second).String())
	}
	text := strings.Join(parts, "  ")
	return text[:min(len(text), columns-1)] // names of stages are ASCII
}

// clearLine moves the cursor to the begin of its line and empties the line.
const clearLine = "\r\x1b[K"

// screen is a terminal with at most one bar, in its last line.
type screen struct {
	mu   sync.Mutex
	out  io.Writer
	text string // the bar, "" without one
}

// terminal is the one of this process.
var terminal screen

// show replaces the bar. An error of the terminal is no error of the task.
func (s *screen) show(out io.Writer, text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if text != "" || s.text != "" {
		io.WriteString(out, clearLine+text) //nolint:errcheck // the task goes on without a bar
	}
	s.out, s.text = out, text
}

// logHandler keeps log lines and the bar apart.
type logHandler struct{ slog.Handler }

// WrapLog has the lines of the process's log take the place of a bar, which is drawn again below them.
func WrapLog() { log.SetDefault(log.NewLogger(logHandler{log.Root().Handler()})) }

// Handle implements slog.Handler.
func (h logHandler) Handle(ctx context.Context, r slog.Record) error {
	s := &terminal
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.text == "" {
		return h.Handler.Handle(ctx, r)
	}
	io.WriteString(s.out, clearLine)                 //nolint:errcheck // the task goes on without a bar
	defer func() { io.WriteString(s.out, s.text) }() //nolint:errcheck // the task goes on without a bar
	return h.Handler.Handle(ctx, r)
}

// WithAttrs implements slog.Handler.
func (h logHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return logHandler{h.Handler.WithAttrs(attrs)}
}

// WithGroup implements slog.Handler.
func (h logHandler) WithGroup(name string) slog.Handler { return logHandler{h.Handler.WithGroup(name)} }
