// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package devnet

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"gwon/internal/expect"
	"gwon/internal/must"
)

// Each line carries its node's name, whole lines only, and the reason of a death is found among the lines.
func TestCopyLog(t *testing.T) {
	for _, test := range []struct {
		name, output, shown, last string
		color                     bool
	}{
		{"plain", "one\ntwo\n", "n      | one\nn      | two\n", "two", false},
		{"no line end", "one", "n      | one\n", "one", false},
		{"trouble first", "Fatal: port taken\nbye\n", "n      | Fatal: port taken\nn      | bye\n", "Fatal: port taken",
			false},
		{"news alone", "INFO [11-21] Block committed\n", "n      | INFO [11-21] Block committed\n", "", false},
		{"color", "one\n", "\x1b[33mn      | \x1b[0mone\n", "one", true},
		{"nothing", "", "", "", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			var shown bytes.Buffer
			sink := &logSink{w: &shown, all: true, color: test.color, width: 6}
			node := &Node{Name: "n", Dir: t.TempDir()}
			last, err := sink.copyLog(node, 1, strings.NewReader(test.output))
			expect.That(t, err == nil && last == test.last, "last line %q, error %v, want %q", last, err, test.last)
			expect.Equal(t, shown.String(), test.shown, "shown")
			kept, err := os.ReadFile(node.LogFile())
			expect.That(t, err == nil && string(kept) == test.output, "file %q, error %v, want %q", kept, err, test.output)
		})
	}
}

// A line longer than the buffer is passed on in pieces and nothing is lost.
func TestLongLogLine(t *testing.T) {
	line := strings.Repeat("x", 3*maxLogLine)
	node := &Node{Name: "n", Dir: t.TempDir()}
	must.Get(new(logSink).copyLog(node, 0, strings.NewReader(line)))(t)
	kept, err := os.ReadFile(node.LogFile())
	expect.That(t, err == nil && string(kept) == line, "%d bytes kept of %d, error %v", len(kept), len(line), err)
}

// A watcher sees trouble. Blocks are printed from the chain.
func TestIsNews(t *testing.T) {
	for line, want := range map[string]bool{
		"INFO [11-21|10:38:28.061] Block committed  number=18 own=true":  false,
		"INFO [11-21|10:38:28.061] Block committed  number=18 own=false": false,
		"INFO [11-21|10:38:28.061] Looking for peers":                    false,
		"WARN [11-21|10:38:28.061] Peer dropped":                         true,
		"WARN [11-21|10:38:28.061] Proposal missed":                      false,
		"ERROR[11-21|10:38:28.061] Bad block":                            true,
		"DEBUG[11-21|10:38:28.061] Message":                              false,
		"panic: runtime error":                                           true,
	} {
		t.Run(line, func(t *testing.T) { expect.Equal(t, isNews(line), want, "%q", line) })
	}
}
