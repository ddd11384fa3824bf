// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package devnet

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
)

// maxLogLine is the largest number of bytes of an undivided log line.
const maxLogLine = 64 << 10

// colors are the terminal colors of the nodes' prefixes.
var colors = []string{"\x1b[36m", "\x1b[33m", "\x1b[35m", "\x1b[32m", "\x1b[34m", "\x1b[31m"}

const plain = "\x1b[0m"

// logSink writes the output of all processes to one writer, line by line, with the name of the node first.
type logSink struct {
	mu     sync.Mutex
	w      io.Writer // nil for no output
	all    bool      // every line; otherwise those of isNews
	errors bool      // the lines of isError, whatever all is
	color  bool
	width  int
}

// copyLog copies a process's output to its log file and the sink until it ends. It returns the last line about an
// error, or else the last line that is no news of a node that runs; empty where there is none.
func (s *logSink) copyLog(n *Node, number int, output io.Reader) (last string, err error) {
	file, err := os.OpenFile(n.LogFile(), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return "", fmt.Errorf("open log of %s: %w", n.Name, err)
	}
	defer file.Close() //nolint:errcheck // writes report errors
	prefix := fmt.Sprintf("%-*s | ", s.width, n.Name)
	if s.color {
		prefix = colors[number%len(colors)] + prefix + plain
	}
	lines := bufio.NewReaderSize(output, maxLogLine)
	trouble := ""
	for {
		line, err := lines.ReadSlice('\n')
		if len(line) > 0 {
			if text := strings.TrimSpace(string(line)); text != "" {
				if isTrouble(text) {
					trouble = text
				} else if isReason(text) {
					last = text
				}
			}
			if _, err := file.Write(line); err != nil {
				return last, fmt.Errorf("write log of %s: %w", n.Name, err)
			}
			if s.shows(string(line)) {
				s.write(prefix, line)
			}
		}
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			if trouble != "" {
				last = trouble
			}
			return last, nil
		}
	}
}

// shows reports whether a line is for the terminal.
func (s *logSink) shows(line string) bool {
	if s.errors {
		return isError(line)
	}
	return s.all || isNews(line)
}

// isError reports whether a line is an error of a node.
func isError(line string) bool { return strings.HasPrefix(line, "ERROR") || isTrouble(line) }

// isNews reports whether a line is a warning, an error, or no log line. The command itself prints blocks.
func isNews(line string) bool {
	if strings.HasPrefix(line, "INFO") {
		return strings.Contains(line, "Signing resumed")
	}
	if strings.Contains(line, "Proposal missed") { // in each of the nodes, and at every turn of one that is stopped
		return false
	}
	return !strings.HasPrefix(line, "DEBUG") && !strings.HasPrefix(line, "TRACE")
}

// isReason reports whether a line can tell why a process ended. What a node logs while all is well does not.
func isReason(line string) bool {
	return !strings.HasPrefix(line, "INFO") && !strings.HasPrefix(line, "DEBUG") && !strings.HasPrefix(line, "TRACE")
}

// isTrouble reports whether a line has the reason for the end of a process.
func isTrouble(line string) bool {
	return slices.ContainsFunc([]string{"Fatal:", "gwon:", "CRIT", "panic:", "fatal error:"},
		func(start string) bool { return strings.HasPrefix(line, start) })
}

// write writes one line. Errors are dropped, because a closed terminal must not stop the network and the log file has
// the line.
func (s *logSink) write(prefix string, line []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.w == nil {
		return
	}
	fmt.Fprintf(s.w, "%s%s", prefix, line)
	if line[len(line)-1] != '\n' {
		fmt.Fprintln(s.w)
	}
}
