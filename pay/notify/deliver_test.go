// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package notify

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/log"
	"pgregory.net/rapid"

	"gwon/consensus/finality/remotestate"
	"gwon/consensus/finality/remotestate/remotetest"
	"gwon/internal/expect"
	"gwon/internal/follow"
	"gwon/internal/must"
)

// The error of a receiver that is away does not tell its URL, which /status would show.
func TestErrorTellsNoURL(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	server.Close()
	w := &Webhook{URL: server.URL + "/hidden", secret: []byte(testSecret)}
	err := w.post(t.Context(), newDeliverer(), nil)
	expect.That(t, err != nil && !strings.Contains(err.Error(), "hidden"), "error %v, want one without the path", err)
}

// picky is a receiver with a bound of bytes, which refuses some notices in any form.
type picky struct {
	most    int
	proxy   int            // bytes above which something before it fails; 0 for none
	refused map[string]int // status by ID; 0 for one at which it ends without an answer
	down    int            // requests that are not answered as they should be

	taken   []*Event
	failed  map[string]bool // IDs that came alone in vain
	fails   int             // requests
	largest int             // request in bytes
	longest int             // request in notices
}

func (p *picky) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.largest = max(p.largest, int(r.ContentLength))
	body, err := io.ReadAll(r.Body)
	var d Delivery
	if err == nil {
		err = json.Unmarshal(body, &d)
	}
	if err != nil || len(d.Events) == 0 || len(d.Events) > maxTransfers {
		panic(fmt.Sprintf("body of %d events: %v", len(d.Events), err))
	}
	status, ends := http.StatusOK, false
	switch {
	case p.down > 0:
		p.down--
		status = http.StatusBadGateway
	case p.proxy > 0 && len(body) > p.proxy:
		status = http.StatusBadGateway
	case len(body) > p.most:
		status = http.StatusRequestEntityTooLarge
	default:
		p.longest = max(p.longest, len(d.Events))
		for _, e := range d.Events {
			if refused, found := p.refused[e.ID]; found {
				status, ends = refused, refused == 0
				break
			}
		}
	}
	if status == http.StatusOK {
		p.taken = append(p.taken, d.Events...)
		return
	}
	p.fails++
	if len(d.Events) == 1 {
		if p.failed == nil {
			p.failed = make(map[string]bool)
		}
		p.failed[d.Events[0].ID] = true
	}
	if ends {
		panic(http.ErrAbortHandler)
	}
	w.WriteHeader(status)
}

// newPicky returns a service whose webhook has a receiver.
func newPicky(p *picky, state string) (*Service, *httptest.Server) {
	server := httptest.NewServer(p)
	s := &Service{client: newDeliverer(), store: &store{directory: state}}
	w := &Webhook{Label: "shop", URL: server.URL, secret: []byte(testSecret), Event: make([]EventFilter, 1)}
	s.webhooks = []*webhook{newWebhook(w, node{})}
	s.config = &Config{State: state, Webhook: []Webhook{*w}}
	return s, server
}

// eventsOf returns events of one block with data of some sizes.
func eventsOf(sizes ...int) (list []notice) {
	for i, size := range sizes {
		list = append(list, eventAt(i, size))
	}
	return list
}

func eventAt(i, size int) *Event {
	return &Event{
		Place: Place{ID: fmt.Sprintf("%v-%d", common.Hash{1}, i), Block: 7, LogIndex: uint(i)}, //nolint:gosec // small
		Data:  bytes.Repeat([]byte{byte(i)}, size), Arguments: []Argument{}, Topics: []common.Hash{},
	}
}

// rounds serves events in rounds, without the pauses between them, until none is left. Where some wait, each round has
// one more event, which is good. It returns all events and the IDs of those that were set aside.
func rounds(t rapid.TB, s *Service, p *picky, events []notice, most int) (all []notice, aside []string) {
	w := s.webhooks[0]
	for count := 1; ; count++ {
		w.again = time.Time{}
		err := s.retry(context.Background(), w)
		if err == nil {
			if err = s.deliverAll(context.Background(), w, slices.Clone(events)); err == nil && len(w.waiting) == 0 {
				break
			}
		}
		must.That(t, !errors.Is(err, errState) && count <= most,
			"after %d rounds and %d failures, %d wait: %v", count, p.fails, len(w.waiting), err)
		if err != nil {
			w.chain.Rest()
		}
		if len(w.waiting) > 0 {
			events = append(events, eventAt(len(events), 1))
		}
	}
	letters := must.Get(Letters(s.config))(t)
	for _, l := range letters {
		aside = append(aside, l.ID())
	}
	return events, aside
}

// check checks that all events arrived once, each with its data or with what stands for it, and in order but those that
// had failed before.
func (p *picky) check(t rapid.TB, events []notice, aside []string) {
	last, seen := -1, make(map[string]bool)
	for _, e := range p.taken {
		want := events[e.LogIndex].(*Event)
		whole := bytes.Equal(e.Data, want.Data) && e.DataOmitted == nil
		short := len(e.Data) == 0 && e.DataOmitted != nil && e.DataOmitted.Bytes == len(want.Data) &&
			e.DataOmitted.Hash == crypto.Keccak256Hash(want.Data) && e.Undecoded != ""
		if seen[e.ID] || slices.Contains(aside, e.ID) || !whole && !short {
			t.Fatalf("%s arrived with %d bytes, want %s with %d", e.ID, len(e.Data), want.ID, len(want.Data))
		}
		seen[e.ID] = true
		if p.failed[e.ID] {
			continue
		}
		if int(e.LogIndex) < last { //nolint:gosec // small
			t.Fatalf("%s arrived behind log %d", e.ID, last)
		}
		last = int(e.LogIndex) //nolint:gosec // small
	}
	must.That(t, len(seen)+len(aside) == len(events),
		"%d taken and %d set aside of %d", len(seen), len(aside), len(events))
}

// Whatever a receiver refuses, each notice arrives, short where it has to be, or is set aside, within a bound of
// rounds: those that it takes do not wait for those that it does not take.
func TestNoticesPassAnyReceiver(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sizes := rapid.SliceOfN(rapid.OneOf(rapid.IntRange(0, 100), rapid.IntRange(0, 50_000),
			rapid.SampledFrom([]int{70_000, 300_000})), 1, 8).Draw(t, "sizes")
		events := eventsOf(sizes...)
		p := &picky{refused: make(map[string]int), down: rapid.IntRange(0, 12).Draw(t, "down"),
			most:  rapid.SampledFrom([]int{2000, 100_000, 1 << 20, 8 << 20}).Draw(t, "most"),
			proxy: rapid.SampledFrom([]int{0, usualBody}).Draw(t, "proxy")}
		for _, i := range rapid.SliceOfN(rapid.IntRange(0, len(events)-1), 0, len(events)).Draw(t, "refused") {
			p.refused[events[i].place().ID] = rapid.SampledFrom([]int{0, 400, 404, 413, 422, 429, 500, 503}).Draw(t, "status")
		}
		state := must.Get(os.MkdirTemp("", "letters"))(t)
		defer func() { _ = os.RemoveAll(state) }() // a directory of this test
		s, server := newPicky(p, state)
		defer server.Close()
		down := p.down
		events, aside := rounds(t, s, p, events, 2*maxTries+down+(maxStrikes+3)*len(p.refused)+2*len(sizes))
		p.check(t, events, aside)
		for _, id := range aside {
			_, refused := p.refused[id]
			must.That(t, refused, "%s is set aside, and the receiver takes it", id)
		}
		must.That(t, p.largest <= maxDelivery, "a request of %d bytes", p.largest)
	})
}

// What a receiver does with a notice decides in which form it arrives.
func TestFormsOfNotices(t *testing.T) {
	first := eventsOf(0)[0].place().ID
	for _, test := range []struct {
		name   string
		picky  picky
		sizes  []int
		short  []int // log indexes of those without data
		aside  int
		remain int // of those set aside when they are sent to a receiver that takes all
	}{
		{"600 KB against 1 MiB", picky{most: 1 << 20}, []int{10, 600_000, 10}, []int{1}, 0, 0},
		{"the largest log of a block", picky{most: 64 << 20}, []int{13 << 20, 10}, []int{0}, 0, 0},
		{"one that is refused", picky{most: 1 << 20, refused: map[string]int{first: 400}}, []int{10, 20, 30}, nil, 1, 1},
		{"one that fits without its data", picky{most: 1000}, []int{10, 400}, []int{1}, 0, 0},
		{"one that fits in no form", picky{most: 600}, []int{10, 400}, nil, 1, 0},
		{"a receiver that was away", picky{most: 1 << 20, down: maxTries + 5}, []int{10, 60_000 / 2}, nil, 0, 0},
		{"a proxy that fails for large ones", picky{most: 1 << 20, proxy: usualBody}, []int{100_000, 10}, []int{0}, 0, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := &test.picky
			s, server := newPicky(p, t.TempDir())
			defer server.Close()
			events, aside := rounds(t, s, p, eventsOf(test.sizes...), 20)
			p.check(t, events, aside)
			var short []int
			for _, e := range p.taken {
				if e.DataOmitted != nil {
					short = append(short, int(e.LogIndex)) //nolint:gosec // small
				}
			}
			expect.That(t, len(aside) == test.aside && slices.Equal(short, test.short),
				"%d set aside and %v short, want %d and %v", len(aside), short, test.aside, test.short)
			status := s.Status()[0]
			expect.That(t, status.Letters == test.aside && status.Delivered == uint64(len(p.taken)), "status %+v", status)
			p.taken, p.most = nil, 64<<20
			letters, err := Letters(s.config)
			must.Do(t, err)
			for _, l := range letters {
				err := l.Send(t.Context())
				expect.That(t, (err != nil) == (p.refused[l.ID()] != 0), "%v", err)
			}
			letters, err = Letters(s.config)
			expect.That(t, err == nil && len(letters) == test.remain && len(p.taken) == test.aside-test.remain,
				"%d remain, %d taken, %v", len(letters), len(p.taken), err)
			for _, l := range letters {
				expect.Error(t, l.Remove(), nil, "Remove")
			}
		})
	}
}

// Behind any number of notices that a receiver refuses, one that it takes waits for a bounded number of rounds, and the
// refused ones cost no pause for each.
func TestRefusedNoticesHoldNoOther(t *testing.T) {
	for _, status := range []int{0, 400, 500} {
		t.Run(fmt.Sprint(status), func(t *testing.T) {
			p, events := &picky{most: 1 << 20, refused: make(map[string]int)}, eventsOf(make([]int, 100)...)
			for _, n := range events[:99] {
				p.refused[n.place().ID] = status
			}
			s, server := newPicky(p, t.TempDir())
			defer server.Close()
			w := s.webhooks[0]
			for count := 0; len(p.taken) == 0; count++ {
				if count > maxTries+7 { // 1 + 2 + 4 + .. are 127 by then
					t.Fatalf("%d wait", len(w.waiting))
				}
				if err := s.deliverAll(t.Context(), w, slices.Clone(events)); err != nil {
					w.chain.Rest()
				}
			}
			expect.That(t, p.fails <= maxTries+len(events)+9, "%d requests in vain", p.fails)
		})
	}
}

// A receiver that takes nothing gets fewer requests with time, and nothing is set aside. All arrives when it is back,
// after a restart too.
func TestReceiverThatIsAway(t *testing.T) {
	for name, row := range map[string]struct {
		picky   picky
		refused int // requests in a row without a pause
		restart bool
	}{
		"for all": {picky{most: 1 << 20, down: 1 << 30}, 0, false}, "for bodies": {picky{}, maxRefused, false},
		"before a restart": {picky{most: 1 << 20, down: 1 << 30}, 0, true},
	} {
		t.Run(name, func(t *testing.T) {
			p := &row.picky
			s, server := newPicky(p, t.TempDir())
			defer server.Close()
			events := eventsOf(make([]int, 20)...)
			for range 12 {
				w, before := s.webhooks[0], p.fails
				w.again = time.Time{}
				must.Do(t, s.retry(t.Context(), w))
				patience := w.patience()
				if err := s.deliverAll(t.Context(), w, slices.Clone(events)); err != nil {
					w.chain.Rest()
				}
				if p.fails-before > 3*patience+8+row.refused { // 8: a batch is halved
					t.Errorf("%d requests in a round, and the pause is %v", p.fails-before, w.chain.Pause)
				}
			}
			status := s.Status()[0]
			must.That(t, status.Letters == 0 && status.Waiting != 0 && len(p.taken) == 0, "status %+v", status)
			if row.restart {
				next := must.Get(open(s.config, node{}))(t)
				next.webhooks[0].Webhook, next.webhooks[0].cursor = s.webhooks[0].Webhook, s.webhooks[0].cursor
				s = next
			}
			p.down, p.most = 0, 1<<20
			all, aside := rounds(t, s, p, events, 1)
			p.check(t, all, aside)
			expect.That(t, len(aside) == 0, "%d are set aside", len(aside))
		})
	}
}

// A receiver that comes back now and then refuses no notice: all of them arrive. docs/develop/notify.md
func TestReceiverThatFlaps(t *testing.T) {
	for _, down := range []int{1, 5, 100, 1000} {
		t.Run(fmt.Sprint(down), func(t *testing.T) {
			p := &picky{most: 1 << 20, down: 1000}
			s, server := newPicky(p, t.TempDir())
			defer server.Close()
			w, events := s.webhooks[0], eventsOf(make([]int, 50)...)
			for range 400 {
				if len(p.taken) > 0 && p.down == 0 && len(p.taken)%10 == 0 { // up for some requests
					p.down = down
				}
				w.again = time.Time{}
				err := s.retry(t.Context(), w)
				if err == nil {
					err = s.deliverAll(t.Context(), w, slices.Clone(events))
				}
				if err == nil && len(w.waiting) == 0 {
					break
				} else if err != nil {
					w.chain.Rest()
				}
			}
			if status := s.Status()[0]; status.Letters > 0 || len(p.taken)+status.Waiting != len(events) {
				t.Errorf("%d taken, status %+v", len(p.taken), status)
			}
		})
	}
}

// What failed before a receiver was away counts no more when it is back: what waits comes first, in order, and nothing
// is set aside without another try. docs/develop/notify.md
func TestReceiverThatComesBack(t *testing.T) {
	for _, before := range []int{0, 1, 2, 3} { // failures of the first notice while the receiver works
		t.Run(fmt.Sprint(before), func(t *testing.T) {
			events := eventsOf(make([]int, 20)...)
			first := events[0].place().ID
			p := &picky{most: 1 << 20, refused: map[string]int{first: http.StatusInternalServerError}}
			s, server := newPicky(p, t.TempDir())
			defer server.Close()
			w := s.webhooks[0]
			round := func(events ...notice) {
				w.again = time.Time{}
				if err := errors.Join(s.retry(t.Context(), w), s.deliverAll(t.Context(), w, slices.Clone(events))); err != nil {
					w.chain.Rest()
				}
			}
			w.tries = 1 << 10 // notices go alone
			for i := range before {
				round(events[i])
			}
			p.down = 1 << 30
			for range 9 {
				round(events[before:]...)
			}
			p.down, p.refused, p.taken, p.failed = 0, nil, nil, nil
			round()
			if status := s.Status()[0]; status.Letters != 0 || status.Waiting != 0 || !slices.IsSortedFunc(p.taken,
				func(a, b *Event) int { return int(a.LogIndex) - int(b.LogIndex) }) { //nolint:gosec // small
				t.Errorf("%d taken, status %+v", len(p.taken), status)
			}
		})
	}
}

// What waits is found again whatever the name of the directory and whatever a crash has left beside it, and is sent to
// no receiver as a payment of another chain.
func TestWaitingAfterRestart(t *testing.T) {
	for _, name := range []string{"state", "a[1]", "b[", `c\d`, "*"} {
		t.Run(name, func(t *testing.T) {
			p := &picky{most: 1 << 20}
			s, server := newPicky(p, filepath.Join(t.TempDir(), name))
			defer server.Close()
			w := s.webhooks[0]
			w.cursor.ChainID = 8283
			must.Do(t, s.store.keep(w, eventAt(0, 1), errors.New("away")))
			partial := filepath.Join(waitingOf(s.config.State, "shop"), ".1.json.new-123")
			must.Do(t, os.WriteFile(partial, nil, 0o600))
			next := must.Get(open(s.config, node{}))(t)
			w = next.webhooks[0]
			waits := next.Status()[0].Waiting
			must.That(t, len(w.waiting) == 1 && waits == 1, "%d wait, and the status has %d", len(w.waiting), waits)
			w.Webhook, w.cursor.ChainID = s.webhooks[0].Webhook, 8282
			if err := next.retry(t.Context(), w); !errors.Is(err, follow.ErrOtherChain) || len(p.taken) > 0 {
				t.Errorf("on another chain: %v, %d taken", err, len(p.taken))
			}
			w.cursor.ChainID = 8283
			err := next.retry(t.Context(), w)
			expect.That(t, err == nil && len(p.taken) == 1, "%v, %d taken", err, len(p.taken))
		})
	}
}

// The log says why a notice is set aside. docs/develop/notify.md
func TestLogSaysWhatWasRefused(t *testing.T) {
	s, server := newPicky(&picky{}, t.TempDir())
	defer server.Close()
	w, earlier := s.webhooks[0], log.Root()
	must.Do(t, s.store.keep(w, eventAt(0, 1), errors.New("first reason")))
	w.waiting[0].last = errors.New("last reason")
	var lines bytes.Buffer
	log.SetDefault(log.NewLogger(log.NewTerminalHandler(&lines, false)))
	defer log.SetDefault(earlier)
	err := s.store.setAside(w, w.waiting[0])
	expect.That(t, err == nil && strings.Contains(lines.String(), `err="last reason"`), "%v: %s", err, lines.String())
}

// What waits or is set aside under a label that the configuration does not have is named at the start and in the list,
// and goes to the webhook that the operator names. docs/develop/notify.md
func TestNoticesOfOldLabels(t *testing.T) {
	for _, of := range []func(string, string) string{waitingOf, lettersOf} {
		state := t.TempDir()
		t.Run(filepath.Base(of(state, "")), func(t *testing.T) {
			p := &picky{most: 1 << 20}
			s, server := newPicky(p, state)
			defer server.Close()
			w, earlier := s.webhooks[0], log.Root()
			must.Do(t, s.store.keep(w, eventAt(0, 1), errors.New("away")))
			directory := of(state, "old-shop")
			must.Do(t, errors.Join(os.MkdirAll(filepath.Dir(directory), 0o700), os.Rename(waitingOf(state, "shop"), directory)))
			var lines bytes.Buffer
			log.SetDefault(log.NewLogger(log.NewTerminalHandler(&lines, false)))
			defer log.SetDefault(earlier)
			next := must.Get(open(s.config, node{}))(t)
			if err := next.store.close(); err != nil || !strings.Contains(lines.String(), directory) {
				t.Errorf("%v, and the log does not name %s: %s", err, directory, lines.String())
			}
			letters, err := Letters(s.config)
			must.That(t, err == nil && len(letters) == 1 && strings.HasPrefix(letters[0].String(), "old-shop "),
				"letters %v, %v", letters, err)
			l := letters[0]
			if err := l.Send(t.Context()); err == nil || !strings.Contains(err.Error(), "--to") || len(p.taken) > 0 {
				t.Errorf("without a webhook: %v", err)
			}
			expect.Says(t, l.Direct(s.config, "other"), `"other"`, "to a webhook that is not there")
			s.config.Webhook[0].secret = w.secret
			err = errors.Join(l.Direct(s.config, "shop"), l.Send(t.Context()))
			expect.That(t, err == nil && len(p.taken) == 1, "%d taken: %v", len(p.taken), err)
			letters, err = Letters(s.config)
			expect.That(t, err == nil && len(letters) == 0, "%v remain, %v", letters, err)
		})
	}
}

// Deliveries are bounded by number, and with proofs to fewer.
func TestDeliveriesAreBounded(t *testing.T) {
	for _, test := range []struct {
		proof bool
		want  int
	}{{false, maxTransfers}, {true, maxProven}} {
		p := &picky{most: 1 << 20}
		s, server := newPicky(p, t.TempDir())
		defer server.Close()
		s.webhooks[0].Proof = test.proof
		events := eventsOf(make([]int, 250)...)
		for _, n := range events {
			n.place().ProofError = "none is made"
		}
		_, aside := rounds(t, s, p, events, 1)
		p.check(t, events, aside)
		expect.Equal(t, p.longest, test.want, "proof %t: notices in a request", test.proof)
	}
}

// A stream of what the receiver refuses holds nothing behind it, whatever waits and is set aside already: the oldest
// letter gives its place. A receiver that is away has nothing dropped. docs/develop/notify.md
func TestRefusedStreamHoldsNothing(t *testing.T) {
	for name, row := range map[string]struct {
		wait, letters int // that are there already
		status        int
		down, lost    bool // what is expected: the good one does not arrive, letters are dropped
	}{
		"none":                     {status: 422},
		"all wait":                 {wait: maxLetters, status: 422},
		"all letters":              {letters: maxLetters, status: 422},
		"all of both":              {wait: maxLetters, letters: maxLetters, status: 400, lost: true},
		"all wait, and it is away": {wait: maxLetters, letters: 9, status: 503, down: true},
	} {
		t.Run(name, func(t *testing.T) {
			const stream = 20
			p, events := &picky{most: 1 << 20, refused: make(map[string]int)}, eventsOf(make([]int, stream+1)...)
			for _, n := range events[:stream] {
				p.refused[n.place().ID] = row.status
			}
			s, server := newPicky(p, t.TempDir())
			defer server.Close()
			w, directory := s.webhooks[0], lettersOf(s.config.State, "shop")
			for i := range row.wait {
				w.waiting = append(w.waiting, &waiting{path: fmt.Sprintf("none/%d", i)})
			}
			must.Do(t, os.MkdirAll(directory, 0o700))
			for i := range row.letters {
				must.Do(t, os.WriteFile(fmt.Sprintf("%s/%020d-%010d.json", directory, 1, i), nil, 0o600))
			}
			var err error
			for range maxTries + 1 {
				if err = s.deliverAll(t.Context(), w, slices.Clone(events)); err != nil {
					w.chain.Rest()
				}
			}
			if arrived := len(p.taken) == 1; arrived == row.down || row.down != (err != nil) || len(w.waiting) > maxLetters {
				t.Errorf("%d taken, %d wait: %v", len(p.taken), len(w.waiting), err)
			}
			kept, err := list(directory)
			status := s.Status()[0]
			expect.That(t, err == nil && len(kept) <= maxLetters && row.lost == (status.Dropped > 0) &&
				row.letters-int(status.Dropped) <= len(kept), "%d letters, %d dropped, %v", len(kept), status.Dropped, err)
			for i := range int(status.Dropped) { // the oldest ones
				_, err := os.Stat(fmt.Sprintf("%s/%020d-%010d.json", directory, 1, i))
				expect.That(t, err != nil, "letter %d is kept, and %d newer ones are dropped", i, status.Dropped)
			}
			if _, err := Letters(s.config); row.letters > 0 && (err == nil || !strings.Contains(err.Error(), "is damaged")) {
				t.Errorf("letters of nothing: %v", err)
			}
		})
	}
}

// A refused notice before each good one costs no pause.
func TestRefusedNoticesCostNoPause(t *testing.T) {
	p, events := &picky{most: 1 << 20, refused: make(map[string]int)}, eventsOf(make([]int, 40)...)
	for i := 0; i < len(events); i += 2 {
		p.refused[events[i].place().ID] = http.StatusUnprocessableEntity
	}
	s, server := newPicky(p, t.TempDir())
	defer server.Close()
	err := s.deliverAll(t.Context(), s.webhooks[0], events)
	expect.That(t, err == nil && len(p.taken) == len(events)/2, "%d taken of %d: %v", len(p.taken), len(events)/2, err)
}

// The status pages show no more of a node than scheme and host, with --proven and without.
func TestNodesAreHidden(t *testing.T) {
	dead := httptest.NewServer(nil)
	dead.Close()
	at := strings.Replace(dead.URL, "://", "://carol:hunter22@", 1) + "/v2/PATHKEY?apikey=QUERYKEY"
	c := remotetest.New(t, testChain)
	for _, proven := range []bool{false, true} {
		_, config := newReceiver(t, at, Webhook{Addresses: []common.Address{account(3)}})
		open := func() (*Service, error) { return New(config) }
		if proven {
			open = func() (*Service, error) {
				return NewProven(config, c.Open(t, remotestate.Options{URLs: []string{at}}))
			}
		}
		s := must.Get(open())(t)
		_, err := s.round(t.Context(), s.webhooks[0])
		must.That(t, err != nil, "a dead node answers")
		s.webhooks[0].report.failed(err)
		all := err.Error()
		for _, path := range []string{"/readyz", "/status", "/metrics"} {
			answer := httptest.NewRecorder()
			s.Handler().ServeHTTP(answer, httptest.NewRequest(http.MethodGet, path, nil))
			all += answer.Body.String()
			for line := range strings.Lines(answer.Body.String()) { // spec: the table of docs/develop/notify.md
				if path == "/metrics" && !strings.Contains(line, "notify_") && strings.TrimSpace(line) != "" {
					t.Errorf("a metric of something else: %s", line)
				}
			}
		}
		for _, secret := range []string{"carol", "hunter22", "PATHKEY", "QUERYKEY"} {
			expect.That(t, !strings.Contains(all, secret) && strings.Contains(all, dead.URL),
				"proven %t: %s is shown, or no host: %s", proven, secret, all)
		}
		must.Do(t, s.Close())
	}
}

// zeros never ends.
type zeros struct{}

func (zeros) Read(b []byte) (int, error) { return len(b), nil }

// A receiver costs a delivery a bounded answer and a bounded time, and sends it to no other address.
func TestHostileReceivers(t *testing.T) {
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		t.Error("the delivery went to another address")
	}))
	defer elsewhere.Close()
	for name, row := range map[string]struct {
		answer http.HandlerFunc
		taken  bool
	}{
		"redirect": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, elsewhere.URL, http.StatusTemporaryRedirect)
		}, false},
		"endless answer": {func(w http.ResponseWriter, _ *http.Request) {
			n, err := io.Copy(w, io.LimitReader(zeros{}, 1<<30))
			expect.Refused(t, err, "%d bytes of the answer were read", n)
		}, true},
		"slow answer": {func(w http.ResponseWriter, r *http.Request) {
			w.(http.Flusher).Flush()
			<-r.Context().Done()
		}, false},
		"large header": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("X-Field", strings.Repeat("x", 20<<20))
		}, false},
	} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(row.answer)
			defer server.Close()
			client := newDeliverer()
			must.Equal(t, client.Timeout, deliveryTimeout, "a delivery may take")
			client.Timeout = time.Second // of a slow answer
			err := (&Webhook{URL: server.URL, secret: []byte(testSecret)}).post(t.Context(), client, []byte("{}"))
			expect.That(t, (err == nil) == row.taken, "error %v, want a delivery: %v", err, row.taken)
		})
	}
}

// A receiver has one connection at a time, and a delivery that it does not answer leaves neither a connection nor a
// goroutine behind: the bubble ends with all of its goroutines.
func TestReceiverHoldsOneConnection(t *testing.T) {
	for name, answer := range map[string]string{
		"answers": "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", "silent": "", "endless header": "HTTP/1.1 200 OK\r\nX: ",
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var open, most atomic.Int32
				receive := func(conn net.Conn) {
					defer open.Add(-1)
					in := bufio.NewReader(conn)
					for {
						r, err := http.ReadRequest(in)
						if err != nil {
							return // the client has closed it
						}
						if _, err = io.Copy(io.Discard, r.Body); err == nil {
							_, _ = conn.Write([]byte(answer))
						}
					}
				}
				transport := &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) {
					near, far := net.Pipe()
					most.Store(max(most.Load(), open.Add(1)))
					go receive(far)
					return near, nil
				}}
				client := newDeliverer()
				client.Transport = transport
				for range 20 {
					err := (&Webhook{URL: "http://receiver", secret: []byte(testSecret)}).post(t.Context(), client, []byte("{}"))
					synctest.Wait()
					expect.That(t, (err == nil) == (name == "answers"), "error %v", err)
				}
				if left := open.Load(); most.Load() != 1 || name != "answers" && left != 0 {
					t.Errorf("%d connections at a time, %d are left", most.Load(), left)
				}
				transport.CloseIdleConnections()
			})
		})
	}
}

// However many retries lie between two payments, and however many notices the receiver refuses, these are set aside
// after a bounded number of payments. docs/develop/notify.md
func TestRefusedAreSetAsideBetweenSlowPayments(t *testing.T) {
	for _, refused := range []int{1, 2, 5} {
		for _, retries := range []int{1, 2, 7, 30} {
			t.Run(fmt.Sprintf("%d refused, %d retries", refused, retries), func(t *testing.T) {
				p := &picky{most: 1 << 20, refused: make(map[string]int)}
				s, server := newPicky(p, t.TempDir())
				defer server.Close()
				w, sent := s.webhooks[0], 0
				for ; sent <= refused || len(w.waiting) > 0; sent++ {
					e := eventAt(sent, 1)
					if sent < refused {
						p.refused[e.ID] = http.StatusInternalServerError
					}
					for w.cursor.Index <= e.LogIndex { // as the service does, until it goes alone
						if err := s.deliverAll(t.Context(), w, []notice{e}); err != nil {
							w.chain.Rest()
						}
					}
					for range retries {
						w.again = time.Time{}
						must.Do(t, s.retry(t.Context(), w))
					}
					must.That(t, sent <= (maxStrikes+2)*refused+2, "%d wait after %d payments", len(w.waiting), sent)
				}
				if status := s.Status()[0]; status.Letters != refused || len(p.taken) != sent-refused {
					t.Errorf("%d of %d taken, status %+v", len(p.taken), sent, status)
				}
			})
		}
	}
}

// An outage sets nothing aside, also where nothing else comes during it and the first thing that is taken afterwards is
// another payment: what waits has a further try. docs/develop/notify.md
func TestOutageSetsNothingAside(t *testing.T) {
	for before := range maxStrikes + 1 { // failures of the first notice right after another one that was taken
		for _, retries := range []int{1, 2, 7, 30} {
			t.Run(fmt.Sprintf("%d failures before, %d retries", before, retries), func(t *testing.T) {
				first := eventAt(0, 1)
				p := &picky{most: 1 << 20, refused: map[string]int{first.ID: http.StatusInternalServerError}}
				s, server := newPicky(p, t.TempDir())
				defer server.Close()
				w := s.webhooks[0]
				retry := func() {
					w.again = time.Time{}
					must.Do(t, s.retry(t.Context(), w))
				}
				w.tries = 1 << 10 // notices go alone
				must.That(t, s.deliverAll(t.Context(), w, []notice{first}) != nil, "taken")
				for i := range before {
					must.Do(t, s.deliverAll(t.Context(), w, []notice{eventAt(1+i, 1)}))
					retry()
				}
				p.refused, p.down = nil, retries
				for range retries {
					retry()
				}
				must.Do(t, s.deliverAll(t.Context(), w, []notice{eventAt(1+before, 1)}))
				retry()
				status := s.Status()[0]
				expect.That(t, status.Letters == 0 && status.Waiting == 0, "status %+v", status)
			})
		}
	}
}

// Where another notice failed for the first time, the receiver was away: that counts for none. docs/develop/notify.md
func TestFailuresOfOthersAreAnOutage(t *testing.T) {
	p := &picky{most: 1 << 20}
	s, server := newPicky(p, t.TempDir())
	defer server.Close()
	w := s.webhooks[0]
	must.Do(t, s.store.keep(w, eventAt(0, 1), errors.New("away")))
	p.down = 2
	must.Do(t, s.retry(t.Context(), w))
	must.Do(t, s.deliverAll(t.Context(), w, []notice{eventAt(1, 1), eventAt(2, 1)}))
	must.That(t, len(w.waiting) == 2 && len(p.taken) == 1, "%d wait, %d taken", len(w.waiting), len(p.taken))
	for _, l := range w.waiting {
		expect.That(t, l.strikes == 0, "%s has %d strikes", l.path, l.strikes)
	}
}
