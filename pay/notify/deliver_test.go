// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package notify

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"
	"pgregory.net/rapid"

	"gwon/consensus/finality/remotestate"
	"gwon/consensus/finality/remotestate/remotetest"
)

// The error of a receiver that is away does not tell its URL, which /status would show.
func TestErrorTellsNoURL(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	server.Close()
	w := &Webhook{URL: server.URL + "/hidden", secret: []byte(testSecret)}
	err := w.post(t.Context(), newDeliverer(), nil)
	if err == nil || strings.Contains(err.Error(), "hidden") {
		t.Errorf("error %v, want one without the path", err)
	}
}

// picky is a receiver with a bound of bytes, which refuses some notices in any form.
type picky struct {
	most    int
	refused map[string]int // status by ID
	down    int            // requests that are not answered as they should be

	taken   []*Event
	largest int // request in bytes
	longest int // request in notices
}

func (p *picky) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.largest = max(p.largest, int(r.ContentLength))
	if p.down > 0 {
		p.down--
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	if r.ContentLength > int64(p.most) {
		w.WriteHeader(http.StatusRequestEntityTooLarge)
		return
	}
	body, err := io.ReadAll(r.Body)
	var d Delivery
	if err == nil {
		err = json.Unmarshal(body, &d)
	}
	if err != nil || len(d.Events) == 0 || len(d.Events) > maxTransfers {
		panic(fmt.Sprintf("body of %d events: %v", len(d.Events), err))
	}
	p.longest = max(p.longest, len(d.Events))
	for _, e := range d.Events {
		if status := p.refused[e.ID]; status != 0 {
			w.WriteHeader(status)
			return
		}
	}
	p.taken = append(p.taken, d.Events...)
}

// newPicky returns a service whose webhook has a receiver.
func newPicky(p *picky, state string) (*Service, *httptest.Server) {
	server := httptest.NewServer(p)
	s := &Service{client: newDeliverer(), store: &store{directory: state}}
	w := &Webhook{Label: "shop", URL: server.URL, secret: []byte(testSecret), Event: make([]EventFilter, 1)}
	s.webhooks = []*webhook{{Webhook: w, limit: maxDelivery + 1, report: newProgress(w.Label)}}
	s.config = &Config{State: state, Webhook: []Webhook{*w}}
	return s, server
}

// eventsOf returns events of one block with data of some sizes.
func eventsOf(sizes ...int) (list []notice) {
	for i, size := range sizes {
		list = append(list, &Event{
			Place: Place{ID: fmt.Sprintf("%v-%d", common.Hash{1}, i), Block: 7, LogIndex: uint(i)}, //nolint:gosec // small
			Data:  bytes.Repeat([]byte{byte(i)}, size), Arguments: []Argument{}, Topics: []common.Hash{},
		})
	}
	return list
}

// passed delivers events, and returns the IDs of those that were set aside. Each gets some attempts, and no more.
func passed(t rapid.TB, s *Service, events []notice) (aside []string) {
	w := s.webhooks[0]
	for attempts := 0; ; attempts++ {
		err := s.deliverAll(context.Background(), w, slices.Clone(events))
		if err == nil {
			break
		}
		if attempts > (maxTries+1)*len(events) {
			t.Fatalf("after %d attempts: %v", attempts, err)
		}
	}
	letters, err := Letters(s.config)
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range letters {
		aside = append(aside, l.ID())
	}
	return aside
}

// checkTaken checks that all events arrived in order, and each with its data or with what stands for it.
func checkTaken(t rapid.TB, taken []*Event, events []notice, aside []string) {
	var want []*Event
	for _, n := range events {
		if e := n.(*Event); !slices.Contains(aside, e.ID) {
			want = append(want, e)
		}
	}
	if len(taken) != len(want) {
		t.Fatalf("%d taken, want %d", len(taken), len(want))
	}
	for i, e := range taken {
		whole := bytes.Equal(e.Data, want[i].Data) && e.DataOmitted == nil
		short := len(e.Data) == 0 && e.DataOmitted != nil && e.DataOmitted.Bytes == len(want[i].Data) &&
			e.DataOmitted.Hash == crypto.Keccak256Hash(want[i].Data) && e.Undecoded != ""
		if e.ID != want[i].ID || !whole && !short {
			t.Fatalf("%s arrived with %d bytes, want %s with %d", e.ID, len(e.Data), want[i].ID, len(want[i].Data))
		}
	}
}

// Whatever a receiver refuses, each notice arrives in order, short where it has to be, or is set aside.
func TestNoticesPassAnyReceiver(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sizes := rapid.SliceOfN(rapid.OneOf(rapid.IntRange(0, 100), rapid.IntRange(0, 50_000),
			rapid.SampledFrom([]int{70_000, 300_000})), 1, 6).Draw(t, "sizes")
		events := eventsOf(sizes...)
		p := &picky{refused: make(map[string]int), down: rapid.IntRange(0, 3).Draw(t, "down"),
			most: rapid.SampledFrom([]int{0, 500, 2000, 100_000, 1 << 20, 8 << 20}).Draw(t, "most")}
		for _, i := range rapid.SliceOfN(rapid.IntRange(0, len(events)-1), 0, 2).Draw(t, "refused") {
			p.refused[events[i].place().ID] = rapid.SampledFrom([]int{400, 413, 422}).Draw(t, "status")
		}
		state, err := os.MkdirTemp("", "letters")
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = os.RemoveAll(state) }() // a directory of this test
		s, server := newPicky(p, state)
		defer server.Close()
		aside := passed(t, s, events)
		checkTaken(t, p.taken, events, aside)
		for _, id := range aside {
			if p.refused[id] == 0 && p.most >= 2000 {
				t.Fatalf("%s is set aside, and the receiver takes %d bytes", id, p.most)
			}
		}
		if p.largest > maxDelivery {
			t.Fatalf("a request of %d bytes", p.largest)
		}
	})
}

// What a receiver does with a notice decides in which form it arrives.
func TestFormsOfNotices(t *testing.T) {
	for _, test := range []struct {
		name   string
		picky  picky
		sizes  []int
		short  []int // places of those without data
		aside  int
		remain int // of those set aside when they are sent to a receiver that takes all
	}{
		{"600 KB against 1 MiB", picky{most: 1 << 20}, []int{10, 600_000, 10}, []int{1}, 0, 0},
		{"the largest log of a block", picky{most: 64 << 20}, []int{13 << 20, 10}, []int{0}, 0, 0},
		{"a receiver that takes nothing", picky{}, []int{10, 600_000}, nil, 2, 0},
		{"one that is refused", picky{most: 1 << 20, refused: map[string]int{eventsOf(0)[0].place().ID: 400}},
			[]int{10, 20, 30}, nil, 1, 1},
		{"a receiver that was away", picky{most: 1 << 20, down: maxTries + 5}, []int{10, 60_000 / 2}, nil, 0, 0},
		{"a proxy that fails for large ones", picky{most: 1 << 20, down: maxTries + 5}, []int{100_000, 10}, []int{0}, 0, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			p, events := &test.picky, eventsOf(test.sizes...)
			s, server := newPicky(p, t.TempDir())
			defer server.Close()
			aside := passed(t, s, events)
			checkTaken(t, p.taken, events, aside)
			var short []int
			for i, e := range p.taken {
				if e.DataOmitted != nil {
					short = append(short, i)
				}
			}
			if len(aside) != test.aside || !slices.Equal(short, test.short) {
				t.Errorf("%d set aside and %v short, want %d and %v", len(aside), short, test.aside, test.short)
			}
			if status := s.Status()[0]; status.Letters != test.aside || status.Delivered != uint64(len(p.taken)) {
				t.Errorf("status %+v", status)
			}
			p.taken, p.most = nil, 64<<20
			letters, err := Letters(s.config)
			if err != nil {
				t.Fatal(err)
			}
			for _, l := range letters {
				if err := l.Send(t.Context()); (err != nil) != (p.refused[l.ID()] != 0) {
					t.Error(err)
				}
			}
			if letters, err = Letters(s.config); err != nil || len(letters) != test.remain ||
				len(p.taken) != test.aside-test.remain {
				t.Errorf("%d remain, %d taken, %v", len(letters), len(p.taken), err)
			}
			for _, l := range letters {
				if err := l.Remove(); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

// A notice that is refused keeps back none before it, and with the patience that it was given those behind it that are
// refused likewise go aside at once.
func TestRefusedNoticesHoldNoOther(t *testing.T) {
	for _, status := range unwanted {
		t.Run(http.StatusText(status), func(t *testing.T) {
			p, events := &picky{most: 1 << 20, refused: make(map[string]int)}, eventsOf(make([]int, 12)...)
			for _, n := range events[5:8] {
				p.refused[n.place().ID] = status
			}
			s, server := newPicky(p, t.TempDir())
			defer server.Close()
			for range maxTries {
				err := s.deliverAll(t.Context(), s.webhooks[0], slices.Clone(events))
				if statusOf(err) != status || len(p.taken) != 5 {
					t.Fatalf("%d taken, %v", len(p.taken), err)
				}
			}
			if err := s.deliverAll(t.Context(), s.webhooks[0], slices.Clone(events)); err != nil || len(p.taken) != 9 {
				t.Fatalf("%d taken, %v", len(p.taken), err)
			}
			checkTaken(t, p.taken, events, passed(t, s, nil))
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
		aside := passed(t, s, events)
		if checkTaken(t, p.taken, events, aside); p.longest != test.want {
			t.Errorf("proof %t: %d notices in a request, want %d", test.proof, p.longest, test.want)
		}
	}
}

// Above the bound of letters, deliveries wait: a payment is not dropped. A damaged letter is named.
func TestLettersAreBounded(t *testing.T) {
	p := &picky{}
	s, server := newPicky(p, t.TempDir())
	defer server.Close()
	directory := lettersOf(s.config.State, "shop")
	if err := os.MkdirAll(directory, 0o700); err != nil {
		t.Fatal(err)
	}
	for i := range maxLetters {
		if err := os.WriteFile(fmt.Sprintf("%s/%d.json", directory, i), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	err := s.deliverAll(t.Context(), s.webhooks[0], eventsOf(1))
	if err == nil || !strings.Contains(err.Error(), "as many as are kept") {
		t.Errorf("%v", err)
	}
	if _, err := Letters(s.config); err == nil || !strings.Contains(err.Error(), "0.json is damaged") {
		t.Errorf("%v", err)
	}
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
		s, err := open()
		if err != nil {
			t.Fatal(err)
		}
		_, err = s.round(t.Context(), s.webhooks[0])
		if err == nil {
			t.Fatal("a dead node answers")
		}
		s.webhooks[0].report.failed(err)
		all := err.Error()
		for _, path := range []string{"/readyz", "/status", "/metrics"} {
			answer := httptest.NewRecorder()
			s.Handler().ServeHTTP(answer, httptest.NewRequest(http.MethodGet, path, nil))
			all += answer.Body.String()
		}
		for _, secret := range []string{"carol", "hunter22", "PATHKEY", "QUERYKEY"} {
			if strings.Contains(all, secret) || !strings.Contains(all, dead.URL) {
				t.Errorf("proven %t: %s is shown, or no host: %s", proven, secret, all)
			}
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
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
			if err == nil {
				t.Errorf("%d bytes of the answer were read", n)
			}
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
			if client.Timeout != deliveryTimeout {
				t.Fatalf("a delivery may take %v, want %v", client.Timeout, deliveryTimeout)
			}
			client.Timeout = time.Second // of a slow answer
			err := (&Webhook{URL: server.URL, secret: []byte(testSecret)}).post(t.Context(), client, []byte("{}"))
			if (err == nil) != row.taken {
				t.Errorf("error %v, want a delivery: %v", err, row.taken)
			}
		})
	}
}
