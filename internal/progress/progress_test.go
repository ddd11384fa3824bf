// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package progress

import (
	"bytes"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ethereum/go-ethereum/log"

	"gwon/internal/expect"
	"gwon/internal/must"
)

// capture sends the log of the process into a buffer for as long as a test.
func capture(t *testing.T) *bytes.Buffer {
	t.Helper()
	earlier := log.Root()
	t.Cleanup(func() { log.SetDefault(earlier) })
	out := new(bytes.Buffer)
	log.SetDefault(log.NewLogger(log.NewTerminalHandler(out, false)))
	return out
}

// Time left follows from the rate of what was done, and not of what needed no work.
func TestTimeLeft(t *testing.T) {
	for _, row := range []struct {
		name       string
		skip, done uint64 // of 100
		left       time.Duration
	}{
		{"quarter", 0, 25, 30 * time.Second},
		{"nothing yet", 0, 0, 0},
		{"all", 0, 100, 0},
		{"more than all", 0, 120, 0},
		{"half was there", 56, 60, 100 * time.Second},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m := new(Meter)
				m.Begin("Working", 100)
				time.Sleep(time.Hour)
				m.Skip(row.skip)
				time.Sleep(10 * time.Second)
				m.At(row.done)
				expect.Equal(t, m.State().Left, row.left, "left")
			})
		})
	}
}

// A meter that is nil counts nothing and fails nowhere.
func TestNoMeter(t *testing.T) {
	var m *Meter
	m.BeginItems("Working", 10, "blocks")
	m.Skip(1)
	m.At(2)
	m.Add(3)
	m.AddItems(4)
	m.End()
	expect.Equal(t, m.State(), State{}, "state")
}

// Where no terminal is, a line is written every eight seconds, with rate and time left, and none without a stage.
func TestLines(t *testing.T) {
	out := capture(t)
	synctest.Test(t, func(t *testing.T) {
		m := new(Meter)
		end := Lines(m.State)
		time.Sleep(20 * time.Second) // without a stage
		m.BeginItems("Importing", 1000, "blocks")
		for range 3 { // lines at 24 and 32 seconds
			time.Sleep(5 * time.Second)
			m.At(m.State().Done + 100)
			m.AddItems(50)
		}
		end()
		time.Sleep(time.Minute)
	})
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	must.Equal(t, len(lines), 2, "lines %q", lines)
	for _, want := range []string{"Importing", "done=20.0%", "blocks=100", "perSecond=8", "eta=48s"} {
		expect.Contains(t, lines[1], want, "no %q in", want)
	}
}

// On a terminal the bar is drawn again and again in one line, never wider than the terminal, and removed at the
// end.
func TestBar(t *testing.T) {
	for _, row := range []struct {
		name    string
		columns int
		want    string
	}{
		{"wide", 100, "Writing state  [############------------]  50.0%  1.00 KiB/s  eta 10s"},
		{"narrow", 30, "Writing state  [############-"},
		{"no width", 0, ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			var out bytes.Buffer
			synctest.Test(t, func(t *testing.T) {
				m := new(Meter)
				m.Begin("Writing state", 100)
				m.At(50)
				m.Add(10 << 10)
				time.Sleep(10*time.Second - barPeriod)
				end := draw(m.State, &out, func() int { return row.columns })
				time.Sleep(barPeriod)
				synctest.Wait()
				end()
			})
			want := ""
			if row.want != "" {
				want = clearLine + row.want + clearLine
			}
			expect.Equal(t, out.String(), want, "drawn")
		})
	}
}

// A stage of unknown length shows the time that it took, and no percentage.
func TestBarOfUnknownLength(t *testing.T) {
	s := State{Stage: "Hashing 5 accounts", Took: 12 * time.Second}
	expect.Equal(t, s.line(80), "Hashing 5 accounts  12s", "line")
}

// A log line takes the place of the bar, which is drawn again below it.
func TestLogBesideBar(t *testing.T) {
	out := capture(t)
	WrapLog()
	named := log.New("module", "x")
	terminal.show(out, "bar")
	named.Info("Something happened")
	terminal.show(out, "")
	named.Info("Something else")
	text := out.String()
	first, rest, found := strings.Cut(text, "INFO ")
	must.That(t, found && first == clearLine+"bar"+clearLine, "before the line: %q", text)
	expect.That(t, strings.Contains(rest, "module=x\nbar"+clearLine+"INFO ") && !strings.HasSuffix(rest, "bar"),
		"after the line: %q", rest)
}
