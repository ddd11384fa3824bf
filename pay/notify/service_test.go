// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package notify

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/rpc"

	"gwon/internal/expect"
	"gwon/internal/follow"
	"gwon/internal/must"
)

const (
	testChain  = 8283
	testSecret = "0123456789abcdef0123456789abcdef"
)

// chain is a node with random transfers among ten addresses. It answers as a node does: with an error for
// more topics or logs than its limits.
type chain struct {
	mu     sync.Mutex
	seed   uint64
	blocks []block
	logs   []types.Log
	timed  bool // logs have the time of their block
	limit  int  // of logs in an answer; 0 for none, and -1 where each search is refused
	lag    int  // the newest blocks are unknown to every fifth answer, also within a batch

	events *EventFilter // that kiosks log; nil for none
}

func newChain(seed uint64, blocks int) *chain {
	c := &chain{seed: seed, timed: true}
	for range blocks {
		c.grow()
	}
	return c
}

func account(i int) common.Address {
	return common.BigToAddress(hexutil.MustDecodeBig(fmt.Sprintf("%#x", 0xa000+i)))
}

// grow adds a block with up to seven transfers.
func (c *chain) grow() {
	c.mu.Lock()
	defer c.mu.Unlock()
	number := uint64(len(c.blocks))
	random := rand.New(rand.NewPCG(c.seed, number)) //nolint:gosec // test data
	b := block{
		Number:    hexutil.Uint64(number),
		Hash:      common.BigToHash(hexutil.MustDecodeBig(fmt.Sprintf("%#x%08x", c.seed+1, number))),
		Timestamp: hexutil.Uint64(1_700_000_000 + number), GasUsed: 21_000,
	}
	for i := range random.IntN(8) {
		l := types.Log{
			Address: coin, BlockNumber: number, BlockHash: b.Hash, Index: uint(2 * i), //nolint:gosec // small
			TxHash: common.BigToHash(hexutil.MustDecodeBig(fmt.Sprintf("%#x", 1+i))),
			Topics: []common.Hash{
				transferTopic, common.BytesToHash(account(random.IntN(10)).Bytes()),
				common.BytesToHash(account(random.IntN(10)).Bytes()),
			},
			Data: common.BigToHash(hexutil.MustDecodeBig(fmt.Sprintf("%#x", 1+random.IntN(1000)))).Bytes(),
		}
		if c.timed {
			l.BlockTimestamp = uint64(b.Timestamp)
		}
		c.logs = append(c.logs, l)
		if c.events != nil {
			c.logs = append(c.logs, c.settlement(l, random))
		}
	}
	c.blocks = append(c.blocks, b)
}

// settlement is an event of one of three kiosks, behind a transfer.
func (c *chain) settlement(transfer types.Log, random *rand.Rand) types.Log {
	order := common.BigToHash(hexutil.MustDecodeBig(fmt.Sprintf("%#x", 1+random.IntN(1000))))
	l := transfer
	l.Index, l.Address = transfer.Index+1, kiosk(random.IntN(3))
	l.Topics = []common.Hash{c.events.event.topic, transfer.Topics[1], order}
	l.Data = append(common.CopyBytes(transfer.Data), make([]byte, 64)...)
	l.Data[63] = 64 // an empty note
	return l
}

func kiosk(i int) common.Address { return common.Address{0xc0, byte(i)} }

// newKiosks returns a chain with events among the transfers.
func newKiosks(t *testing.T, seed uint64, blocks int) *chain {
	t.Helper()
	c := &chain{seed: seed, timed: true, events: &EventFilter{Signature: paymentSettled}}
	must.Do(t, c.events.check(""))
	for range blocks {
		c.grow()
	}
	return c
}

// wantedEvents returns the IDs of events of the first two kiosks, for some merchants or for all.
func (c *chain) wantedEvents(merchants ...common.Address) (ids []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, l := range c.logs {
		if l.Address != kiosk(0) && l.Address != kiosk(1) {
			continue
		}
		if len(merchants) == 0 || slices.Contains(merchants, common.BytesToAddress(l.Topics[1][:])) {
			ids = append(ids, fmt.Sprintf("%v-%d", l.BlockHash, l.Index))
		}
	}
	return ids
}

func (c *chain) ChainId() hexutil.Uint64 { return testChain } //nolint:revive,staticcheck // the method's name

// known returns the blocks that the node of one answer knows. The lock is held.
func (c *chain) known() []block {
	if rand.N(5) == 0 { //nolint:gosec // whichever node it is
		return c.blocks[:len(c.blocks)-c.lag]
	}
	return c.blocks
}

func (c *chain) GetBlockByNumber(number rpc.BlockNumber, _ bool) *block {
	c.mu.Lock()
	defer c.mu.Unlock()
	known := c.known()
	if number == rpc.LatestBlockNumber {
		return &known[len(known)-1]
	}
	if number < 0 || int(number) >= len(known) {
		return nil
	}
	return &known[number]
}

type query struct {
	BlockHash common.Hash       `json:"blockHash"`
	Address   json.RawMessage   `json:"address"` // one or a list
	Topics    []json.RawMessage `json:"topics"`
}

func (c *chain) GetLogs(q query) ([]types.Log, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	addresses := make([]common.Address, 1)
	if json.Unmarshal(q.Address, &addresses[0]) != nil {
		if err := json.Unmarshal(q.Address, &addresses); err != nil {
			return nil, err
		}
	}
	wanted := make([][]common.Hash, len(q.Topics))
	for i, topic := range q.Topics {
		var one common.Hash
		if err := json.Unmarshal(topic, &one); err == nil && string(topic) != "null" {
			wanted[i] = []common.Hash{one}
		} else if err := json.Unmarshal(topic, &wanted[i]); err != nil {
			return nil, err
		}
		if len(wanted[i]) > maxTopics {
			return nil, errors.New("exceed max topics")
		}
	}
	if !slices.ContainsFunc(c.known(), func(b block) bool { return b.Hash == q.BlockHash }) {
		return nil, errors.New("unknown block")
	}
	found := []types.Log{}
	for _, l := range c.logs {
		if l.BlockHash != q.BlockHash ||
			!slices.Contains(addresses, l.Address) || len(q.Topics) > len(l.Topics) {
			continue
		}
		if slices.ContainsFunc([]int{0, 1, 2}, func(i int) bool {
			return i < len(wanted) && wanted[i] != nil && !slices.Contains(wanted[i], l.Topics[i])
		}) {
			continue
		}
		found = append(found, l)
	}
	if c.limit != 0 && len(found) > c.limit {
		return nil, errors.New("query returns too many logs")
	}
	return found, nil
}

// GetBlockReceipts has all logs of a block in one receipt.
func (c *chain) GetBlockReceipts(number hexutil.Uint64) []map[string]any {
	c.mu.Lock()
	defer c.mu.Unlock()
	if int(number) >= len(c.known()) { //nolint:gosec // small
		return nil
	}
	found := []types.Log{}
	for _, l := range c.logs {
		if l.BlockNumber == uint64(number) {
			found = append(found, l)
		}
	}
	return []map[string]any{{"status": "0x1", "logs": found}}
}

// serve answers for the chain over HTTP.
func (c *chain) serve(t *testing.T) *httptest.Server {
	t.Helper()
	return c.serveWith(t, new(proofs))
}

// serveWith answers for the chain and for proofs.
func (c *chain) serveWith(t *testing.T, p *proofs) *httptest.Server {
	t.Helper()
	server := rpc.NewServer()
	must.Do(t, errors.Join(server.RegisterName("eth", c), server.RegisterName("istanbul", p)))
	s := httptest.NewServer(server)
	t.Cleanup(s.Close)
	t.Cleanup(server.Stop)
	return s
}

// wanted returns the IDs of the transfers of watched addresses, in order.
func (c *chain) wanted(direction Direction, watched ...common.Address) (ids []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, l := range c.logs {
		if l.Address != coin {
			continue
		}
		from, to := common.BytesToAddress(l.Topics[1][:]), common.Address{}
		if len(l.Topics) > 2 {
			to = common.BytesToAddress(l.Topics[2][:])
		}
		if direction != In && slices.Contains(watched, from) || direction != Out && slices.Contains(watched, to) {
			ids = append(ids, fmt.Sprintf("%v-%d", l.BlockHash, l.Index))
		}
	}
	return ids
}

// receiver checks signatures and notes IDs. It refuses deliveries while refuse is positive, and one delivery in
// lies is noted before it is refused.
type receiver struct {
	mu       sync.Mutex
	ids      []string
	places   []*Place
	requests int
	refuse   int
	lies     int
	any      bool // notices of any time and with any arguments are taken
	failed   error
	arrived  chan struct{}
}

func (r *receiver) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	r.mu.Lock()
	defer r.mu.Unlock()
	body, err := io.ReadAll(request.Body)
	if err != nil {
		return // the sender was killed
	}
	stamp, _, _ := strings.Cut(strings.TrimPrefix(request.Header.Get(SignatureHeader), "t="), ",")
	seconds, err := strconv.ParseInt(stamp, 10, 64)
	if err != nil || Sign([]byte(testSecret), body, time.Unix(seconds, 0)) != request.Header.Get(SignatureHeader) {
		r.failed = fmt.Errorf("signature %q", request.Header.Get(SignatureHeader))
	}
	var d Delivery
	if err := json.Unmarshal(body, &d); err != nil || d.ChainID != testChain ||
		len(d.Transfers)+len(d.Events) == 0 || len(d.Transfers)+len(d.Events) > maxTransfers {
		r.failed = fmt.Errorf("body %s: %w", body, err)
	}
	r.requests++
	if r.refuse > 0 {
		r.refuse--
		w.WriteHeader(http.StatusInternalServerError)
		return
	}
	var places []*Place
	for _, transfer := range d.Transfers {
		places = append(places, transfer.place())
	}
	for _, event := range d.Events {
		places = append(places, event.place())
		if !r.any && (event.Undecoded != "" || len(event.Arguments) != 4) {
			r.failed = fmt.Errorf("event %s: %s", event.ID, event.Undecoded)
		}
	}
	for _, p := range places {
		if !r.any && p.Timestamp != 1_700_000_000+p.Block {
			r.failed = fmt.Errorf("time %d of block %d", p.Timestamp, p.Block)
		}
		r.ids, r.places = append(r.ids, p.ID), append(r.places, p)
	}
	if r.lies > 0 && r.requests%r.lies == 0 {
		w.WriteHeader(http.StatusBadGateway)
	}
	select {
	case r.arrived <- struct{}{}:
	default:
	}
}

// distinct returns the IDs without repetitions. A repetition must lie in what was delivered last before it.
func (r *receiver) distinct() (ids []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, id := range r.ids {
		if !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids
}

// newReceiver starts a receiver and returns it with a configuration for it.
func newReceiver(t *testing.T, node string, w Webhook) (*receiver, *Config) {
	t.Helper()
	r := &receiver{arrived: make(chan struct{}, 1)}
	server := httptest.NewServer(r)
	t.Cleanup(server.Close)
	directory := t.TempDir()
	must.Do(t, os.WriteFile(filepath.Join(directory, "secret"), []byte(testSecret+"\n"), 0o600))
	w.Label, w.URL, w.SecretFile = "shop", server.URL, "secret"
	c := &Config{Node: node, State: "state", Webhook: []Webhook{w}}
	must.Do(t, c.check(directory))
	return r, c
}

// runUntil serves a configuration until the receiver has the transfers.
func runUntil(t *testing.T, config *Config, r *receiver, want []string) {
	t.Helper()
	s := must.Get(New(config))(t)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	ended := make(chan error, 1)
	go func() { ended <- s.Run(ctx) }()
	for !slices.Equal(r.distinct(), want) && ctx.Err() == nil {
		select {
		case <-r.arrived:
		case <-ctx.Done():
		case err := <-ended:
			t.Fatalf("the service ended: %v", err)
		}
	}
	cancel()
	must.Do(t, errors.Join(<-ended, s.Close()))
	if got := r.distinct(); !slices.Equal(got, want) {
		t.Fatalf("%d transfers delivered, want %d: first difference at %d", len(got), len(want), difference(got, want))
	}
	must.Do(t, r.failed)
}

func difference(a, b []string) int {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return i
		}
	}
	return min(len(a), len(b))
}

// oddTransfers gives logs of a chain forms that no transfer of ERC-20 has.
func oddTransfers(c *chain) {
	for i := range c.logs {
		switch l := &c.logs[i]; i % 8 {
		case 0: // as of ERC-721
			l.Topics, l.Data = append(l.Topics, common.BytesToHash(l.Data)), nil
		case 1:
			l.Data = l.Data[1:]
		case 2:
			l.Data = append(l.Data, 0)
		case 3:
			l.Topics = l.Topics[:2]
		}
	}
}

// Every transfer of a watched address arrives in the order of the chain, whatever contract, node and receiver do.
func TestDeliversEveryTransferInOrder(t *testing.T) {
	one := []common.Address{account(3)}
	many := []common.Address{account(1), account(4), account(7)}
	for i := range 2*maxTopics + 1 {
		many = append(many, common.BigToAddress(hexutil.MustDecodeBig(fmt.Sprintf("%#x", 0xb00000+i))))
	}
	for name, row := range map[string]struct {
		webhook Webhook
		chain   func(*chain)
		refuse  int
		lies    int
	}{
		"in":                             {webhook: Webhook{Addresses: one}},
		"out":                            {webhook: Webhook{Addresses: one, Direction: Out}},
		"both":                           {webhook: Webhook{Addresses: one, Direction: Both}},
		"more addresses than topics":     {webhook: Webhook{Addresses: many, Direction: Both}},
		"a node with a small limit":      {webhook: Webhook{Addresses: many}, chain: func(c *chain) { c.limit = 9 }},
		"a node that refuses any search": {webhook: Webhook{Addresses: many}, chain: func(c *chain) { c.limit = -1 }},
		"a lagging node among two":       {webhook: Webhook{Addresses: many}, chain: func(c *chain) { c.lag = 3 }},
		"logs of other forms":            {webhook: Webhook{Addresses: one, Direction: Both}, chain: oddTransfers},
		"receipts with logs of other forms": {webhook: Webhook{Addresses: one, Direction: Both}, chain: func(c *chain) {
			oddTransfers(c)
			c.limit = -1
		}},
		"logs without times": {webhook: Webhook{Addresses: one}, chain: func(c *chain) {
			for i := range c.logs {
				c.logs[i].BlockTimestamp = 0
			}
		}},
		"a receiver that was down":          {webhook: Webhook{Addresses: many}, refuse: 2},
		"a receiver that loses its answers": {webhook: Webhook{Addresses: many, Direction: Both}, lies: 3},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newChain(7, 300)
			if row.chain != nil {
				row.chain(c)
			}
			row.webhook.Start = "0"
			r, config := newReceiver(t, c.serve(t).URL, row.webhook)
			r.refuse, r.lies = row.refuse, row.lies
			runUntil(t, config, r, c.wanted(config.Webhook[0].Direction, row.webhook.Addresses...))
		})
	}
}

// A webhook without a start begins behind the head of its first moment and continues there after a restart.
func TestStartsAtTheHead(t *testing.T) {
	c := newChain(1, 50)
	r, config := newReceiver(t, c.serve(t).URL, Webhook{Addresses: []common.Address{account(2)}, Direction: Both})
	before := len(c.wanted(Both, account(2)))
	runUntil(t, config, r, nil)
	s := must.Get(New(config))(t)
	must.Get(s.round(t.Context(), s.webhooks[0]))(t)
	must.Do(t, s.Close())
	for range 100 {
		c.grow()
	}
	runUntil(t, config, r, c.wanted(Both, account(2))[before:])
	if s := fmt.Sprint(r.ids); len(r.ids) != len(r.distinct()) {
		t.Errorf("an undisturbed service repeats: %s", s)
	}
}

// A chain that is begun again, or taken back and goes on otherwise, ends a service that runs, however long the new one
// is: without a failure of the node.
func TestRefusesChainThatChanges(t *testing.T) {
	for name, tt := range map[string]struct{ kept, blocks int }{
		"shorter": {0, 5}, "as long": {0, 50}, "longer": {0, 60},
		"taken back, as long": {40, 50}, "taken back, longer": {40, 60},
	} {
		t.Run(name, func(t *testing.T) {
			c := newChain(1, 50)
			_, config := newReceiver(t, c.serve(t).URL, Webhook{Addresses: []common.Address{account(2)}})
			s := must.Get(New(config))(t)
			must.Get(s.round(t.Context(), s.webhooks[0]))(t)
			other := newChain(2, tt.blocks)
			c.mu.Lock()
			c.blocks, c.logs = slices.Concat(c.blocks[:tt.kept], other.blocks[tt.kept:]), other.logs
			c.mu.Unlock()
			err := s.Run(t.Context())
			expect.That(t, errors.Is(err, follow.ErrOtherChain), "error %v, want one of another chain", err)
			must.Do(t, s.Close())
		})
	}
}

// A cursor of another chain ends the service: continuing would lose transfers silently.
func TestRefusesOtherChain(t *testing.T) {
	ours, other := newChain(1, 50), newChain(2, 5)
	w := Webhook{Addresses: []common.Address{account(2)}, Start: "0"}
	r, config := newReceiver(t, ours.serve(t).URL, w)
	runUntil(t, config, r, ours.wanted(In, account(2)))
	config.Node = other.serve(t).URL
	s := must.Get(New(config))(t)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	err := s.Run(ctx)
	expect.That(t, errors.Is(err, follow.ErrOtherChain), "error %v, want one of another chain", err)
	expect.Says(t, expect.Err(New(config)), "in use by another", "a second service opens the same cursors")
	must.Do(t, s.Close())
	must.Do(t, os.WriteFile(filepath.Join(config.State, "shop.json"), []byte(`{"next":`), 0o600))
	s = must.Get(New(config))(t)
	if err := s.Run(ctx); !errors.Is(err, errState) || !strings.Contains(err.Error(), "is damaged") {
		t.Errorf("error %v, want one of a damaged cursor", err)
	}
	must.Do(t, s.Close())
}

// killVariable makes TestMain of a child process serve a configuration until it is killed.
const killVariable = "GWON_TEST_NOTIFY"

func TestMain(m *testing.M) {
	path := os.Getenv(killVariable)
	if path == "" {
		os.Exit(m.Run())
	}
	config, err := LoadConfig(path)
	if err != nil {
		panic(err)
	}
	s, err := New(config)
	if err != nil {
		panic(err)
	}
	panic(s.Run(context.Background()))
}

// No kill at any moment loses a transfer or changes the order, and what is repeated has its ID.
func TestSurvivesKills(t *testing.T) {
	kills := 30
	if testing.Short() {
		kills = 5
	}
	c := newChain(3, 1500)
	r, config := newReceiver(t, c.serve(t).URL,
		Webhook{Addresses: []common.Address{account(1), account(2)}, Direction: Both, Start: "0"})
	w := &config.Webhook[0]
	directory := filepath.Dir(config.State)
	text := fmt.Sprintf("node = %q\nstate = \"state\"\n"+
		"[[webhook]]\nlabel = \"shop\"\nurl = %q\nsecret_file = \"secret\"\n"+
		"addresses = [%q, %q]\ndirection = \"both\"\nstart = \"0\"\n", config.Node, w.URL, account(1).Hex(), account(2).Hex())
	file := filepath.Join(directory, "notify.toml")
	must.Do(t, os.WriteFile(file, []byte(text), 0o600))
	for i := range kills {
		child := exec.CommandContext(t.Context(), os.Args[0])
		child.Env = append(os.Environ(), killVariable+"="+file)
		must.Do(t, child.Start())
		select {
		case <-r.arrived:
		case <-time.After(10 * time.Second):
		}
		for range i % 3 { // some die with more deliveries under way
			select {
			case <-r.arrived:
			case <-time.After(time.Second):
			}
		}
		_ = child.Process.Kill()
		_ = child.Wait() // it was killed
	}
	runUntil(t, config, r, c.wanted(Both, account(1), account(2)))
}

// The pages tell of what is there: letters until they leave, by another process too, and the time of the last delivery.
func TestPagesTellOfNow(t *testing.T) {
	p := &picky{most: 1 << 20}
	s, server := newPicky(p, t.TempDir())
	defer server.Close()
	w := s.webhooks[0]
	must.Do(t, s.store.keep(w, eventAt(0, 1), errors.New("away")))
	must.Do(t, s.store.setAside(w, w.waiting[0]))
	w.waiting = nil
	page := func() string {
		answer := httptest.NewRecorder()
		s.Handler().ServeHTTP(answer, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/metrics", nil))
		return answer.Body.String()
	}
	expect.Contains(t, page(), "notify_shop_letters 1\n", "with a letter")
	for _, l := range must.Get(Letters(s.config))(t) {
		must.Do(t, l.Remove())
	}
	expect.Contains(t, page(), "notify_shop_letters 0\n", "without")
	before := time.Now()
	must.Do(t, s.deliverAll(t.Context(), w, []notice{eventAt(1, 1)}))
	status := s.Status()[0]
	expect.That(t, !status.Success.Before(before), "status %+v", status)
}
