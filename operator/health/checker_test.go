// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package health

import (
	"bufio"
	"errors"
	"fmt"
	"math/rand"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/log"

	"gwon/internal/expect"
	"gwon/internal/must"
)

const limit = 6 * time.Second

var limits = Limits{HeadAge: limit, Behind: 6, Peers: 1, Disk: 1000}

// fixture is a checker on a clock that a test moves.
type fixture struct {
	*Checker
	clock time.Time
	facts Facts
	age   time.Duration // of the head at each look
}

func newFixture() *fixture {
	f := &fixture{clock: time.Unix(1_800_000_000, 0), facts: Facts{Head: 100, Peers: 3, Free: 5000}}
	f.Checker = NewChecker(limits, func() Facts {
		facts := f.facts
		facts.HeadTime = f.clock.Add(-f.age)
		return facts
	})
	f.now = func() time.Time { return f.clock }
	return f
}

// look moves the clock by a second, sets the age of the head and returns whether the node is ready then.
func (f *fixture) look(age time.Duration) bool {
	f.clock, f.age = f.clock.Add(time.Second), age
	f.check()
	_, ready := f.Ready()
	return ready
}

// failed returns the names of the criteria that fail.
func (f *fixture) failed() (names []string) {
	criteria, _ := f.Ready()
	for _, c := range criteria {
		if !c.OK {
			names = append(names, c.Name)
		}
	}
	return names
}

// A head beyond the limit fails at once. Recovery takes a head of half the age, for the whole of settle.
func TestHeadHysteresis(t *testing.T) {
	f := newFixture()
	must.That(t, f.look(limit), "a head of exactly the limit is not ready")
	must.That(t, !f.look(limit+time.Millisecond), "a head above the limit is ready")
	for n := range 20 {
		must.That(t, !f.look(limit/2+time.Millisecond), "look %d: a head between the thresholds made the node ready", n)
	}
	for at := time.Duration(0); at < settle; at += time.Second {
		must.That(t, !f.look(limit/2), "ready %v after the head was young again, before %v", at, settle)
	}
	must.That(t, f.look(limit/2), "not ready after %v of a young head", settle)
	expect.That(t, f.look(limit), "a ready node lost readiness between the thresholds")
}

// One bad look restarts the time of recovery.
func TestRecoveryIsUnbroken(t *testing.T) {
	f := newFixture()
	f.look(2 * limit)
	for range 10 {
		for range 4 {
			f.look(0)
		}
		must.That(t, !f.look(limit/2+1), "ready although no five seconds in a row were good")
	}
}

// Readiness changes at most once in settle, whatever the ages of the head are.
func TestNoFlapping(t *testing.T) {
	f, random := newFixture(), rand.New(rand.NewSource(1))
	was, changed, changes := f.look(0), time.Time{}, 0
	for range 100_000 {
		ready := f.look(time.Duration(random.Int63n(int64(limit + limit/20))))
		if ready && !was {
			since := f.clock.Sub(changed)
			must.That(t, since >= settle, "ready again after %v", since)
		}
		if ready != was {
			was, changed, changes = ready, f.clock, changes+1
		}
	}
	must.That(t, changes >= 10, "%d changes: the ages do not try the thresholds", changes)
}

// Without a quorum, the missing validators are named at the loss and then once a minute, until there are blocks again.
// At a start and during a sync they are not.
func TestLostQuorum(t *testing.T) {
	for name, row := range map[string]struct {
		ready bool // before the loss
		sync  uint64
		want  int
	}{"running": {true, 0, 3}, "start": {false, 0, 2}, "sync": {true, 200, 0}} {
		t.Run(name, func(t *testing.T) {
			var text strings.Builder
			expect.Log(t, log.LogfmtHandler(&text))
			f := newFixture()
			f.facts.Quorum, f.facts.Target = "SENTENCE", row.sync
			if row.ready {
				f.look(0)
			}
			for range 2*again/time.Second + 1 {
				f.look(2 * limit)
			}
			expect.Equal(t, strings.Count(text.String(), "SENTENCE"), row.want, "lines")
			for range settle/time.Second + 1 {
				f.look(0)
			}
			f.look(2 * limit)
			expect.Equal(t, strings.Count(text.String(), "SENTENCE"), row.want+min(row.want, 1), "lines after blocks")
		})
	}
}

// Each criterion alone makes the node unready, and names itself.
func TestCriteria(t *testing.T) {
	for _, row := range []struct {
		name   string
		change func(*Facts)
		want   []string
		detail string
	}{
		{"all well", func(*Facts) {}, nil, ""},
		{"behind within the limit", func(f *Facts) { f.Target = 106 }, nil, ""},
		{"behind", func(f *Facts) { f.Target = 107 }, []string{Sync}, "7 blocks behind block 107"},
		{"no peers", func(f *Facts) { f.Peers = 0 }, []string{Peers}, "0 connected, at least 1"},
		{"no peers needed", func(f *Facts) { f.Peers, f.Alone = 0, true }, nil, ""},
		{"halted", func(f *Facts) { f.Halted = "REASON" }, []string{Consensus}, "halted: REASON"},
		{"disk", func(f *Facts) { f.Free = 999 }, []string{Disk}, "999.00 B free, at least 1000.00 B"},
		{"disk unknown", func(f *Facts) { f.DiskErr = errors.New("BROKEN") }, []string{Disk}, "free space unknown: BROKEN"},
	} {
		t.Run(row.name, func(t *testing.T) {
			f := newFixture()
			row.change(&f.facts)
			expect.Equal(t, f.look(0), row.want == nil, "ready")
			expect.Slice(t, f.failed(), row.want, "failed")
			criteria, _ := f.Ready()
			for _, c := range criteria {
				expect.That(t, c.OK || c.Detail == row.detail, "%s: %q, want %q", c.Name, c.Detail, row.detail)
				expect.Equal(t, gauges[c.Name].Snapshot().Value(), gauge(c.OK), "metric of %s is not %d", c.Name, gauge(c.OK))
			}
			expect.Equal(t, readyGauge.Snapshot().Value(), gauge(row.want == nil),
				"metric of readiness is not %d", gauge(row.want == nil))
		})
	}
}

// A zero limit turns its criterion off.
func TestNoLimits(t *testing.T) {
	c := NewChecker(Limits{}, func() Facts { return Facts{} })
	c.check()
	criteria, ready := c.Ready()
	expect.That(t, ready, "not ready: %v", criteria)
}

// Before the first look a process is alive and not ready. One that does not look any more is neither.
func TestStuck(t *testing.T) {
	f := newFixture()
	if _, ready := f.Ready(); ready || !f.Alive() {
		t.Errorf("before the first look: ready %v, alive %v", ready, f.Alive())
	}
	f.look(0)
	f.clock = f.clock.Add(stuck - 1)
	if _, ready := f.Ready(); !ready || !f.Alive() {
		t.Errorf("a moment before: ready %v, alive %v", ready, f.Alive())
	}
	f.clock = f.clock.Add(1)
	if _, ready := f.Ready(); ready || f.Alive() {
		t.Errorf("stuck: ready %v, alive %v", ready, f.Alive())
	}
}

// A halted node is alive: a restart mends nothing.
func TestHaltedIsAlive(t *testing.T) {
	f := newFixture()
	f.facts.Halted = "REASON"
	f.look(0)
	expect.That(t, f.Alive(), "a halted node is not alive")
}

// Probes answer with status, names and, for those who may see them, figures.
func TestHandlers(t *testing.T) {
	f := newFixture()
	f.look(0)
	f.facts.Peers = 0
	down := newFixture()
	down.facts.Halted = "SECRET"
	down.look(0)
	stale := newFixture()
	stale.look(0)
	stale.clock = stale.clock.Add(stuck)

	noted := newFixture()
	noted.facts.Notes = []Note{{"index of logs", "blocks 7 to 9"}}
	noted.look(0)

	hide := func(*http.Request) bool { return false }
	for _, row := range []struct {
		name    string
		handler http.Handler
		target  string
		status  int
		has     []string
		lacks   string
	}{
		{"live", f.LiveHandler(), LivePath, 200, []string{"alive\n"}, ""},
		{"live while halted", down.LiveHandler(), LivePath, 200, []string{"alive\n"}, ""},
		{"stuck", stale.LiveHandler(), LivePath, 503, []string{"stuck\n"}, ""},
		{"ready", f.ReadyHandler(nil), ReadyPath, 200, []string{"ready\n"}, "["},
		{"verbose", f.ReadyHandler(nil), ReadyPath + "?verbose", 200,
			[]string{"[+] head: block 100 is 0s old, at most 6s\n", "\nready\n"}, "[-]"},
		{"note", noted.ReadyHandler(nil), ReadyPath + "?verbose", 200, []string{"[ ] index of logs: blocks 7 to 9\n"}, "[-]"},
		{"note withheld", noted.ReadyHandler(hide), ReadyPath + "?verbose", 200, []string{"ready\n"}, "index"},
		{"not ready", down.ReadyHandler(nil), ReadyPath, 503, []string{"not ready: consensus\n"}, "SECRET"},
		{"not ready, verbose", down.ReadyHandler(nil), ReadyPath + "?verbose", 503,
			[]string{"[-] consensus: halted: SECRET\n", "not ready: consensus\n"}, ""},
		{"withheld", down.ReadyHandler(hide), ReadyPath + "?verbose", 503,
			[]string{"[-] consensus: " + withheld, "[+] head: ok\n"}, "SECRET"},
		{"stuck is not ready", stale.ReadyHandler(nil), ReadyPath, 503, []string{"not ready: no state yet"}, ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			w := httptest.NewRecorder()
			row.handler.ServeHTTP(w, httptest.NewRequest(http.MethodGet, row.target, nil))
			text := w.Body.String()
			expect.That(t, w.Code == row.status, "status %d, want %d: %s", w.Code, row.status, text)
			for _, part := range row.has {
				expect.That(t, strings.Contains(text, part), "%q lacks %q", text, part)
			}
			expect.That(t, row.lacks == "" || !strings.Contains(text, row.lacks), "%q has %q", text, row.lacks)
			expect.Equal(t, w.Header().Get("Cache-Control"), "no-store", "the answer may be stored by a proxy")
		})
	}
}

// Figures are for requests of this machine alone: no proxy, no foreign name in the header Host.
func TestLocal(t *testing.T) {
	for _, row := range []struct {
		from, host, header string
		want               bool
	}{
		{"127.0.0.1:5000", "127.0.0.1:8545", "", true},
		{"127.0.0.1:5000", "localhost:8545", "", true},
		{"[::1]:5000", "[::1]:8545", "", true},
		{"127.0.0.1:5000", "", "", true}, // HTTP 1.0
		{"127.0.0.1:5000", "rebound.example:8545", "", false},
		{"127.0.0.1:5000", "127.0.0.1:8545", "X-Forwarded-For", false},
		{"127.0.0.1:5000", "127.0.0.1:8545", "Forwarded", false},
		{"10.0.0.7:5000", "127.0.0.1:8545", "", false},
		{"10.0.0.7:5000", "10.0.0.1:8545", "", false},
		{"@", "localhost", "", false},
	} {
		t.Run(fmt.Sprint(row), func(t *testing.T) {
			r := httptest.NewRequest(http.MethodGet, ReadyPath, nil)
			r.RemoteAddr, r.Host = row.from, row.host
			if row.header != "" {
				r.Header.Set(row.header, "1.2.3.4")
			}
			expect.Equal(t, Local(r), row.want, "local")
		})
	}
}

// The probe of HAProxy in its oldest form, HTTP 1.0 without the header Host, is answered.
func TestHTTP10(t *testing.T) {
	f := newFixture()
	f.look(0)
	mux := http.NewServeMux()
	mux.Handle("GET "+ReadyPath, f.ReadyHandler(Local))
	server := httptest.NewServer(mux)
	defer server.Close()
	conn := must.Get(net.Dial("tcp", server.Listener.Addr().String()))(t)
	t.Cleanup(func() { _ = conn.Close() })
	fmt.Fprintf(conn, "GET %s HTTP/1.0\r\n\r\n", ReadyPath)
	answer := must.Get(http.ReadResponse(bufio.NewReader(conn), nil))(t)
	expect.Error(t, answer.Body.Close(), nil, "answer.Body.Close")
	expect.Equal(t, answer.StatusCode, http.StatusOK, "status %s", answer.Status)
}

// Start and Stop begin and end the looks.
func TestLifecycle(t *testing.T) {
	looks := make(chan struct{}, 1)
	c := NewChecker(limits, func() Facts {
		select {
		case looks <- struct{}{}:
		default:
		}
		return Facts{}
	})
	must.Do(t, c.Start())
	select {
	case <-looks:
	case <-time.After(30 * time.Second):
		t.Error("no look after the start")
	}
	must.Do(t, c.Stop())
}
