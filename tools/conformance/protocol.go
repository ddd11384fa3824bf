// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"runtime/debug"
	"slices"
)

// protocolName names the protocol of this adapter and its runner.
const protocolName = "wbft-vector/1"

// maxLine is the longest line in bytes that either side takes.
const maxLine = 64 << 20

// Statuses of a result.
const (
	statusOK          = "ok"
	statusError       = "error"
	statusUnsupported = "unsupported"
)

// message is any of the objects that the runner sends, as far as an adapter reads them.
type message struct {
	Type     string         `json:"type"`
	Protocol string         `json:"protocol"`
	ID       int64          `json:"id"`
	Runner   any            `json:"runner"` // of a case its name; of a hello a program
	Handler  string         `json:"handler"`
	Input    map[string]any `json:"input"`
}

// program says which program speaks.
type program struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	Commit  string `json:"commit,omitempty"`
	Lang    string `json:"lang,omitempty"`
	Build   string `json:"build,omitempty"`
}

// hello is the adapter's first message.
type hello struct {
	Type         string   `json:"type"`
	Protocol     string   `json:"protocol"`
	Impl         program  `json:"impl"`
	Handlers     []string `json:"handlers"`
	Improvements []string `json:"improvements"`
}

// result answers a case.
type result struct {
	Type       string `json:"type"`
	ID         int64  `json:"id"`
	Status     string `json:"status"`
	Output     any    `json:"output,omitempty"`
	ErrorClass string `json:"error_class,omitempty"`
	Message    string `json:"message,omitempty"`
}

// handler carries out one case.
type handler func(in reader) (any, error)

// unsupported is the error of a case that this implementation has no operation for.
type unsupported struct{ reason string }

func (u unsupported) Error() string { return u.reason }

// operationClass and panicClass tell how an operation failed.
const (
	operationClass = "operation"
	panicClass     = "panic"
)

// serve answers the runner until it says goodbye.
func serve(in io.Reader, out io.Writer) error {
	lines := newLines(in)
	greeted := false
	for lines.Scan() {
		var m message
		if err := json.Unmarshal(lines.Bytes(), &m); err != nil {
			return fmt.Errorf("line from the runner is no JSON object: %w", err)
		}
		var answer any
		switch {
		case m.Type == "bye":
			return nil
		case m.Type == "hello" && !greeted:
			if m.Protocol != protocolName {
				return fmt.Errorf("the runner speaks %q, this adapter %q", m.Protocol, protocolName)
			}
			greeted, answer = true, greeting()
		case m.Type == "case" && greeted:
			runner, _ := m.Runner.(string)
			answer = answerCase(m.ID, runner+"/"+m.Handler, m.Input)
		default:
			return fmt.Errorf("message of type %q is not expected here", m.Type)
		}
		if err := writeLine(out, answer); err != nil {
			return err
		}
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("read from the runner: %w", err)
	}
	return errors.New("the runner ended the session without a goodbye")
}

func greeting() hello {
	return hello{
		Type: "hello", Protocol: protocolName, Impl: implementation(),
		Handlers: slices.Sorted(maps.Keys(handlers)), Improvements: improvements,
	}
}

// answerCase carries out a case. A panic of the code under test is the failure of this case alone.
func answerCase(id int64, name string, input map[string]any) (r result) {
	r = result{Type: "result", ID: id}
	defer func() {
		if p := recover(); p != nil {
			r = result{Type: "result", ID: id, Status: statusError, ErrorClass: panicClass, Message: fmt.Sprintf("%v\n%s",
				p, debug.Stack())}
		}
	}()
	run, known := handlers[name]
	if !known {
		r.Status, r.Message = statusUnsupported, "no such handler"
		return r
	}
	in := newReader(input)
	output, err := run(in)
	var none unsupported
	switch {
	case *in.err != nil:
		// Not an error of the operation: a case that must fail would pass by it.
		r.Status, r.Message = statusUnsupported, (*in.err).Error()
	case errors.As(err, &none):
		r.Status, r.Message = statusUnsupported, none.reason
	case err != nil:
		r.Status, r.ErrorClass, r.Message = statusError, operationClass, err.Error()
	default:
		r.Status, r.Output = statusOK, output
	}
	return r
}

func newLines(in io.Reader) *bufio.Scanner {
	s := bufio.NewScanner(in)
	s.Buffer(make([]byte, 0, 64<<10), maxLine+1)
	return s
}

func writeLine(out io.Writer, value any) error {
	line, err := json.Marshal(value)
	if err != nil {
		return err
	}
	if len(line) > maxLine {
		return fmt.Errorf("a line of %d bytes is longer than %d", len(line), maxLine)
	}
	_, err = out.Write(append(line, '\n'))
	return err
}
