// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Command testtimes runs go test, prints what go test prints, and then the packages that used the most CPU time and the
// tests that took the most time, with their wall and CPU seconds. Its exit status is that of go test.
//
//	go run ./tools/testtimes [-table FILE] GO-TEST-ARGUMENT...
//
// The CPU seconds are those of the test's process and of all processes below it, shared in equal parts between the
// tests of a package that run at the same time. They are read from /proc every half second, so that a system without
// it shows none. With -table the table is also appended to FILE.
package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"time"
)

const (
	testRows    = 20
	packageRows = 10
	period      = 500 * time.Millisecond
)

func main() {
	code, err := run(os.Args[1:], os.Stdout)
	if err != nil {
		fmt.Fprintln(os.Stderr, "testtimes:", err)
	}
	os.Exit(code)
}

// run executes go test with args and returns the exit status for the caller.
func run(args []string, out io.Writer) (code int, err error) {
	table := ""
	if len(args) >= 2 && args[0] == "-table" {
		table, args = args[1], args[2:]
	}
	if len(args) == 0 {
		return 2, errors.New("give the arguments of go test, such as the packages ./... of a module")
	}
	directories, err := listDirectories(args)
	if err != nil {
		return 1, err
	}
	cmd := exec.Command("go", withJSON(args)...)
	cmd.Stderr = os.Stderr
	events, err := cmd.StdoutPipe()
	if err != nil {
		return 1, err
	}
	if err := cmd.Start(); err != nil {
		return 1, err
	}
	r := newReport(out, slices.Contains(args, "-v"))
	stop := r.sampleEvery(period, func() map[string]float64 { return packageSeconds(cmd.Process.Pid, directories) })
	readErr := r.read(events)
	waitErr := cmd.Wait()
	stop()
	r.printTable(out)
	if table != "" {
		if err := appendTo(table, r.printTable); err != nil {
			return 1, err
		}
	}
	if exit := (*exec.ExitError)(nil); errors.As(waitErr, &exit) && exit.ExitCode() > 0 {
		return exit.ExitCode(), readErr
	}
	if err := errors.Join(readErr, waitErr); err != nil {
		return 1, err
	}
	return 0, nil
}

// withJSON returns the arguments of the go command that make it report events. -C has to stay the first flag.
func withJSON(args []string) []string {
	if args[0] == "-C" && len(args) > 1 {
		return slices.Concat([]string{"test", "-C", args[1], "-json"}, args[2:])
	}
	return append([]string{"test", "-json"}, args...)
}

// listDirectories returns the import path of each package that args name, by its directory.
func listDirectories(args []string) (map[string]string, error) {
	list := []string{"list", "-e"}
	var tags, packages []string
	for i, arg := range args {
		switch {
		case arg == "-C" && i == 0 && len(args) > 1:
			list = []string{"list", "-C", args[1], "-e"}
		case arg == "-tags" && i+1 < len(args):
			tags = []string{"-tags", args[i+1]}
		case arg == "." || strings.HasPrefix(arg, "./"):
			packages = append(packages, arg)
		}
	}
	list = slices.Concat(list, tags, []string{"-f", "{{.Dir}}\t{{.ImportPath}}"}, packages)
	out, err := exec.Command("go", list...).Output()
	if err != nil {
		return nil, fmt.Errorf("list the packages %v: %w", packages, err)
	}
	directories := make(map[string]string)
	for line := range strings.Lines(string(out)) {
		if dir, path, ok := strings.Cut(strings.TrimSpace(line), "\t"); ok {
			directories[dir] = path
		}
	}
	return directories, nil
}

// appendTo writes with print at the end of a file.
func appendTo(file string, print func(io.Writer)) error {
	f, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	print(f)
	return f.Close()
}

// event is one line of go test -json, see go doc test2json.
type event struct {
	Action, Package, Test, ImportPath, Output string
	Elapsed                                   float64
}

// name is a top-level test of a package, or the package itself.
type name struct{ pkg, test string }

func (n name) compare(m name) int {
	return cmp.Or(strings.Compare(n.pkg, m.pkg), strings.Compare(n.test, m.test))
}

// took is what a test used, in seconds.
type took struct{ wall, cpu float64 }

// report prints events as go test does without -json, and adds up times.
type report struct {
	out     io.Writer
	verbose bool
	output  map[name][]string // of tests that have not ended, by test and subtest

	mu      sync.Mutex
	running map[string]map[string]bool // top-level tests by package
	used    map[string]float64         // CPU seconds of a package at the last sample
	times   map[name]*took
}

func newReport(out io.Writer, verbose bool) *report {
	return &report{
		out: out, verbose: verbose, output: make(map[name][]string),
		running: make(map[string]map[string]bool), used: make(map[string]float64), times: make(map[name]*took),
	}
}

// read handles the events of a stream up to its end. A line that is no event is printed as it is.
func (r *report) read(stream io.Reader) error {
	lines := bufio.NewReader(stream)
	for {
		line, err := lines.ReadString('\n')
		if line != "" {
			var e event
			if json.Unmarshal([]byte(line), &e) == nil {
				r.handle(e)
			} else {
				fmt.Fprint(r.out, line)
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return fmt.Errorf("read the events of go test: %w", err)
		}
	}
}

func (r *report) handle(e event) {
	r.track(e)
	key := name{e.Package, e.Test}
	switch e.Action {
	case "build-output":
		fmt.Fprint(r.out, e.Output)
	case "output":
		switch {
		case r.verbose:
			fmt.Fprint(r.out, e.Output)
		case e.Test == "" && e.Output != "PASS\n":
			fmt.Fprint(r.out, e.Output)
		case e.Test != "" && !strings.HasPrefix(e.Output, "=== "):
			r.output[key] = append(r.output[key], e.Output)
		}
	case "fail":
		// A subtest ends before its parent, which repeats none of its lines.
		r.printOutput(key)
		if e.Test == "" { // a test that has ended the process has no event of its own
			for _, other := range slices.SortedFunc(maps.Keys(r.output), name.compare) {
				if other.pkg == e.Package {
					r.printOutput(other)
				}
			}
		}
	case "pass", "skip":
		delete(r.output, key)
	}
}

// printOutput prints what a test has written, once.
func (r *report) printOutput(key name) {
	for _, line := range r.output[key] {
		fmt.Fprint(r.out, line)
	}
	delete(r.output, key)
}

// track keeps which top-level tests run now, and what they took.
func (r *report) track(e event) {
	if e.Package == "" || strings.Contains(e.Test, "/") {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	switch e.Action {
	case "run", "cont": // of a test
		if r.running[e.Package] == nil {
			r.running[e.Package] = make(map[string]bool)
		}
		r.running[e.Package][e.Test] = true
	case "pause":
		delete(r.running[e.Package], e.Test)
	case "pass", "fail", "skip":
		delete(r.running[e.Package], e.Test)
		r.timesOf(name{e.Package, e.Test}).wall = e.Elapsed
	}
}

func (r *report) timesOf(key name) *took {
	if r.times[key] == nil {
		r.times[key] = new(took)
	}
	return r.times[key]
}

// sampleEvery takes the CPU seconds of packages each period, until stop is called.
func (r *report) sampleEvery(period time.Duration, seconds func() map[string]float64) (stop func()) {
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		ticker := time.NewTicker(period)
		defer ticker.Stop()
		for {
			select {
			case <-ticker.C:
				r.share(seconds())
			case <-done:
				return
			}
		}
	}()
	return func() { close(done); <-ended }
}

// share charges what each package used since the last sample to its tests that run now, in equal parts.
func (r *report) share(seconds map[string]float64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for pkg, now := range seconds {
		used := now - r.used[pkg]
		r.used[pkg] = now
		for test := range r.running[pkg] {
			r.timesOf(name{pkg, test}).cpu += max(used, 0) / float64(len(r.running[pkg]))
		}
	}
}

// printTable writes the packages with the most CPU time, and the tests with the most wall time, the most first.
func (r *report) printTable(w io.Writer) {
	r.mu.Lock()
	defer r.mu.Unlock()
	packages, tests := make(map[string]took), make(map[string]took)
	for key, t := range r.times {
		switch {
		case key.test != "" && t.wall > 0:
			tests[key.pkg+" "+key.test] = *t
		case key.test == "":
			packages[key.pkg] = took{t.wall, r.used[key.pkg]}
		}
	}
	byCPU := func(a, b took) int { return cmp.Compare(b.cpu, a.cpu) }
	byWall := func(a, b took) int { return cmp.Compare(b.wall, a.wall) }
	printRows(w, "packages with the most CPU time", packages, packageRows, byCPU)
	printRows(w, "slowest tests", tests, testRows, byWall)
}

// printRows writes the first n of the named times in the order given.
func printRows(w io.Writer, title string, times map[string]took, n int, order func(a, b took) int) {
	if len(times) == 0 {
		return
	}
	names := slices.SortedFunc(maps.Keys(times), func(a, b string) int {
		return cmp.Or(order(times[a], times[b]), strings.Compare(a, b))
	})
	fmt.Fprintf(w, "%8s %8s  %s\n", "wall s", "CPU s", title)
	for _, name := range names[:min(n, len(names))] {
		fmt.Fprintf(w, "%8.1f %8.1f  %s\n", times[name].wall, times[name].cpu, name)
	}
}
