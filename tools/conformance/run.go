// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"reflect"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
)

// caseLimit is how long an adapter may take for a case.
const caseLimit = time.Minute

// errTimeout means that an adapter took too long.
var errTimeout = errors.New("the adapter took too long")

// outcome is what became of a case.
type outcome struct {
	vector
	verdict verdict
	rule    string // of the deviation that explains it
	detail  string
}

type verdict int

const (
	passed verdict = iota
	explained
	failed
	noSupport
)

func runCommand(args []string, out io.Writer) error {
	flags := flag.NewFlagSet("run", flag.ContinueOnError)
	verbose := flags.Bool("v", false, "list explained and unsupported cases too")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() != 1 {
		return errors.New("run needs one directory of vectors: conformance run DIR")
	}
	vectors, err := readVectors(flags.Arg(0))
	if err != nil {
		return err
	}
	d := &driver{start: startChild}
	defer d.end()
	var outcomes []outcome
	for i, v := range vectors {
		o, err := d.judge(int64(i+1), v)
		if err != nil {
			return err
		}
		outcomes = append(outcomes, o)
	}
	return report(out, outcomes, *verbose)
}

// adapter is a running adapter: its ends of the two pipes, and how to be rid of it.
type adapter struct {
	in    io.WriteCloser
	lines *bufio.Scanner
	stop  func()
	wait  func() error
}

// startChild starts this program as an adapter.
func startChild() (*adapter, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	child := exec.Command(program, "adapter")
	child.Stderr = os.Stderr
	in, err := child.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := child.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := child.Start(); err != nil {
		return nil, err
	}
	return &adapter{in, newLines(out), func() { _ = child.Process.Kill() }, child.Wait}, nil
}

// driver drives adapters one after the other: one that has died or taken too long is replaced.
type driver struct {
	start func() (*adapter, error)
	peer  *adapter
}

// open makes sure that an adapter runs and has said hello.
func (d *driver) open() error {
	if d.peer != nil {
		return nil
	}
	peer, err := d.start()
	if err != nil {
		return fmt.Errorf("start an adapter: %w", err)
	}
	d.peer = peer
	var answer hello
	err = d.exchange(record{
		"type": "hello", "protocol": protocolName, "runner": program{Name: "gwon-conformance", Version: "1"},
		"spec_commit": "unknown",
	}, &answer)
	if err != nil {
		d.drop()
		return fmt.Errorf("greet the adapter: %w", err)
	}
	if answer.Protocol != protocolName {
		d.drop()
		return fmt.Errorf("the adapter speaks %q, want %q", answer.Protocol, protocolName)
	}
	return nil
}

// exchange sends a message and reads the answer, for at most the limit of a case.
func (d *driver) exchange(message, answer any) error {
	if err := writeLine(d.peer.in, message); err != nil {
		return err
	}
	read := make(chan error, 1)
	lines := d.peer.lines
	go func() {
		if !lines.Scan() {
			read <- errors.Join(io.ErrUnexpectedEOF, lines.Err())
			return
		}
		read <- json.Unmarshal(lines.Bytes(), answer)
	}()
	limit := time.NewTimer(caseLimit)
	defer limit.Stop()
	select {
	case err := <-read:
		return err
	case <-limit.C:
		d.peer.stop()
		_ = <-read // that of a peer that was stopped
		return errTimeout
	}
}

func (d *driver) drop() {
	d.peer.stop()
	_ = d.peer.wait() // it was stopped
	d.peer = nil
}

func (d *driver) end() {
	if d.peer == nil {
		return
	}
	if writeLine(d.peer.in, record{"type": "bye"}) != nil || d.peer.in.Close() != nil {
		d.peer.stop()
	}
	late := time.AfterFunc(5*time.Second, d.peer.stop)
	defer late.Stop()
	_ = d.peer.wait() // how it ends does not change the results
}

// judge hands a case to the adapter and compares what comes back.
func (d *driver) judge(id int64, v vector) (outcome, error) {
	if err := d.open(); err != nil {
		return outcome{}, err
	}
	var r result
	err := d.exchange(record{
		"type": "case", "id": id, "runner": v.runner, "handler": v.handler, "case": v.name, "kind": v.kind, "input": v.input,
	}, &r)
	if err == nil && (r.Type != "result" || r.ID != id) {
		err = fmt.Errorf("message of type %q about case %d is not the result of case %d", r.Type, r.ID, id)
	}
	if err != nil {
		d.drop()
		r = result{Status: statusError, ErrorClass: "adapter", Message: err.Error()}
	}
	return compare(v, r), nil
}

// compare decides a case: the output must have the same keys and values at every level, or the operation must have
// failed.
func compare(v vector, r result) outcome {
	o := outcome{vector: v, verdict: failed}
	switch {
	case r.Status == statusUnsupported:
		o.verdict, o.detail = noSupport, r.Message
		return o
	case v.note != "":
		o.detail = "the list of cases expects what this runner cannot read: " + v.note
		return o
	case v.expected == nil && r.Status == statusError:
		o.verdict = passed
		if r.ErrorClass != operationClass {
			o.detail = "failed as it must, by " + r.ErrorClass + ": " + r.Message
		}
		return o
	case v.expected == nil:
		o.detail = "must fail, but gave " + short(r.Output)
	case r.Status != statusOK:
		o.detail = r.ErrorClass + ": " + r.Message
	default:
		if o.detail = difference("", v.expected, r.Output); o.detail == "" {
			o.verdict = passed
			return o
		}
	}
	if rule := explain(v, r); rule != "" {
		o.verdict, o.rule = explained, rule
	}
	return o
}

// difference names the first place where two values are not equal; empty when they are.
func difference(path string, want, got any) string {
	at := path
	if at == "" {
		at = "output"
	}
	switch want := want.(type) {
	case map[string]any:
		other, ok := got.(map[string]any)
		if !ok {
			return fmt.Sprintf("%s: want an object, got %s", at, short(got))
		}
		for _, key := range slices.Sorted(maps.Keys(want)) {
			value, present := other[key]
			if !present {
				return fmt.Sprintf("%s: key %q is missing", at, key)
			}
			if d := difference(strings.TrimPrefix(path+"."+key, "."), want[key], value); d != "" {
				return d
			}
		}
		for _, key := range slices.Sorted(maps.Keys(other)) {
			if _, wanted := want[key]; !wanted {
				return fmt.Sprintf("%s: key %q is not expected", at, key)
			}
		}
	case []any:
		other, ok := got.([]any)
		if !ok || len(other) != len(want) {
			return fmt.Sprintf("%s: want a list of %d, got %s", at, len(want), short(got))
		}
		for i := range want {
			if d := difference(fmt.Sprintf("%s[%d]", path, i), want[i], other[i]); d != "" {
				return d
			}
		}
	default:
		if !reflect.DeepEqual(want, got) {
			return fmt.Sprintf("%s: want %s, got %s", at, short(want), short(got))
		}
	}
	return ""
}

// short is a value as JSON, cut where it becomes long.
func short(value any) string {
	const most = 200
	text, err := json.Marshal(value)
	if err != nil {
		return err.Error()
	}
	if len(text) > most {
		return string(text[:most]) + "..."
	}
	return string(text)
}

// report prints a table by handler and lists what did not pass. It fails when a case did that no deviation explains.
func report(out io.Writer, outcomes []outcome, verbose bool) error {
	type counts [noSupport + 1]int
	var total counts
	byHandler := make(map[string]counts)
	for _, o := range outcomes {
		name := o.runner + "/" + o.handler
		c := byHandler[name]
		c[o.verdict]++
		total[o.verdict]++
		byHandler[name] = c
	}
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	row := func(name string, c counts) {
		fmt.Fprintf(table, "%d\t%d\t%d\t%d\t  %s\n", c[passed], c[explained], c[failed], c[noSupport], name)
	}
	fmt.Fprintln(table, "passed\texplained\tfailed\tunsupported\t  handler")
	for _, name := range slices.Sorted(maps.Keys(byHandler)) {
		row(name, byHandler[name])
	}
	row("total", total)
	if err := table.Flush(); err != nil {
		return err
	}
	for _, o := range outcomes {
		switch {
		case o.verdict == failed:
			fmt.Fprintf(out, "FAILED       %s: %s\n", o.id, o.detail)
		case o.verdict == passed && o.detail != "":
			fmt.Fprintf(out, "passed       %s: %s\n", o.id, o.detail)
		case verbose && o.verdict == explained:
			fmt.Fprintf(out, "explained    %s: %s: %s\n", o.id, o.rule, o.detail)
		case verbose && o.verdict == noSupport:
			fmt.Fprintf(out, "unsupported  %s: %s\n", o.id, o.detail)
		}
	}
	if total[failed] > 0 {
		return fmt.Errorf("%d of %d cases failed without an explanation", total[failed], len(outcomes))
	}
	return nil
}
