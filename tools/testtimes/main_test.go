// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package main

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"
)

// stream has two packages: in the first a subtest fails beside a test that passes, the second does not compile.
const stream = `{"Action":"start","Package":"m/a"}
{"Action":"run","Package":"m/a","Test":"TestGood"}
{"Action":"output","Package":"m/a","Test":"TestGood","Output":"=== RUN   TestGood\n"}
{"Action":"output","Package":"m/a","Test":"TestGood","Output":"    a_test.go:1: quiet\n"}
{"Action":"pass","Package":"m/a","Test":"TestGood","Elapsed":3}
{"Action":"run","Package":"m/a","Test":"TestBad"}
{"Action":"run","Package":"m/a","Test":"TestBad/row"}
{"Action":"output","Package":"m/a","Test":"TestBad/row","Output":"    a_test.go:2: loud\n"}
{"Action":"fail","Package":"m/a","Test":"TestBad/row","Elapsed":9}
{"Action":"output","Package":"m/a","Test":"TestBad","Output":"--- FAIL: TestBad (7.00s)\n"}
{"Action":"fail","Package":"m/a","Test":"TestBad","Elapsed":7}
{"Action":"output","Package":"m/a","Output":"FAIL\tm/a\t10.0s\n"}
{"Action":"fail","Package":"m/a","Elapsed":10}
{"Action":"run","Package":"m/c","Test":"TestPanic"}
{"Action":"output","Package":"m/c","Test":"TestPanic","Output":"panic: gone\n"}
{"Action":"output","Package":"m/c","Output":"FAIL\tm/c\t1.0s\n"}
{"Action":"fail","Package":"m/c","Elapsed":1}
{"ImportPath":"m/b","Action":"build-output","Output":"b.go:1:1: no\n"}
{"ImportPath":"m/b","Action":"build-fail"}
`

func TestPrintsFailuresAndTable(t *testing.T) {
	var out bytes.Buffer
	r := newReport(&out, false)
	if err := r.read(strings.NewReader(stream + "not an event\n")); err != nil {
		t.Fatal(err)
	}
	r.printTable(&out)
	want := `    a_test.go:2: loud
--- FAIL: TestBad (7.00s)
FAIL	m/a	10.0s
FAIL	m/c	1.0s
panic: gone
b.go:1:1: no
not an event
  wall s    CPU s  packages with the most CPU time
    10.0      0.0  m/a
     1.0      0.0  m/c
  wall s    CPU s  slowest tests
     7.0      0.0  m/a TestBad
     3.0      0.0  m/a TestGood
`
	if out.String() != want {
		t.Errorf("printed\n%s\nwant\n%s", out.String(), want)
	}
}

// What a package uses is charged to the tests that run, not to those that wait for t.Parallel.
func TestSharesBetweenRunningTests(t *testing.T) {
	r := newReport(&bytes.Buffer{}, false)
	for _, e := range []event{
		{Action: "run", Package: "p", Test: "TestA"}, {Action: "run", Package: "p", Test: "TestB"},
		{Action: "run", Package: "p", Test: "TestC"}, {Action: "pause", Package: "p", Test: "TestC"},
	} {
		r.handle(e)
	}
	r.share(map[string]float64{"p": 4})
	r.handle(event{Action: "pass", Package: "p", Test: "TestB", Elapsed: 1})
	r.handle(event{Action: "cont", Package: "p", Test: "TestC"})
	r.share(map[string]float64{"p": 10})
	for test, want := range map[string]float64{"TestA": 5, "TestB": 2, "TestC": 3} {
		if got := r.timesOf(name{"p", test}).cpu; got != want {
			t.Errorf("%s: %v CPU seconds, want %v", test, got, want)
		}
	}
}

func TestParseStat(t *testing.T) {
	head := "7 (a ) b) S 3 7 7 0 -1 4194560 1 2 3 4 "
	for _, row := range []struct {
		name, line string
		want       process
		ok         bool
	}{
		{"whole", head + "10 20 30 40 20 0 5", process{parent: 3, ticks: 100}, true},
		{"cut short", head + "10 20", process{}, false},
		{"no name", "7 S 3", process{}, false},
		{"no number", head + "10 x 30 40 20 0 5", process{}, false},
	} {
		t.Run(row.name, func(t *testing.T) {
			if got, ok := parseStat(row.line); got != row.want || ok != row.ok {
				t.Errorf("got %v %t, want %v %t", got, ok, row.want, row.ok)
			}
		})
	}
}

func TestReadsOwnProcess(t *testing.T) {
	if _, err := os.Stat(fmt.Sprintf("/proc/%d/stat", os.Getpid())); err != nil {
		t.Skip("this system has no /proc")
	}
	if p, ok := readProcesses()[os.Getpid()]; !ok || p.parent != os.Getppid() {
		t.Errorf("got %v %t, want parent %d", p, ok, os.Getppid())
	}
}

func TestWithJSON(t *testing.T) {
	for want, args := range map[string][]string{
		"test -json ./...":             {"./..."},
		"test -C build -json ./... -v": {"-C", "build", "./...", "-v"},
	} {
		if got := strings.Join(withJSON(args), " "); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
