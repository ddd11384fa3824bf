// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package web

import (
	"encoding/json"
	"fmt"
	"math/big"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/rpc"

	"gwon/dev/inspect"
	"gwon/internal/expect"
	"gwon/internal/must"
)

// blockNode is a node with blocks of one transaction each, as JSON-RPC shows them.
type blockNode struct {
	mu   sync.Mutex
	head uint64
	fork byte // of the hashes
	slow time.Duration
	read map[uint64]int // times that a block was read with its transactions
}

var (
	alice    = common.Address{0xa1}
	bob      = common.Address{0xb0}
	feePayer = common.Address{0xee}
)

func (n *blockNode) BlockNumber() hexutil.Uint64 {
	n.mu.Lock()
	defer n.mu.Unlock()
	return hexutil.Uint64(n.head)
}

func (n *blockNode) hash(number uint64) common.Hash {
	return common.Hash{0: 0xb1, 1: n.fork, 24: byte(number >> 56), 30: byte(number >> 8), 31: byte(number)}
}

func (n *blockNode) GetBlockByNumber(number hexutil.Uint64, full bool) map[string]any {
	n.mu.Lock()
	slow, head := n.slow, n.head
	if full {
		n.read[uint64(number)]++
	}
	hash := n.hash(uint64(number))
	n.mu.Unlock()
	if uint64(number) > head {
		return nil
	}
	b := map[string]any{"hash": hash, "number": number, "transactions": []any{hash}}
	if !full {
		return b
	}
	time.Sleep(slow)
	tx := map[string]any{
		"hash": common.BigToHash(new(big.Int).SetUint64(uint64(number))), "from": alice, "to": bob,
		"nonce": number, "value": "0x1", "feePayer": feePayer,
	}
	if number%2 == 1 { // a creation
		tx["to"] = nil
		delete(tx, "feePayer")
	}
	b["transactions"] = []any{tx}
	return b
}

func (n *blockNode) GetBlockByHash(hash common.Hash, _ bool) map[string]any {
	n.mu.Lock()
	defer n.mu.Unlock()
	for number := uint64(0); number <= n.head; number++ {
		if n.hash(number) == hash {
			return map[string]any{"number": hexutil.Uint64(number)}
		}
	}
	return nil
}

func newHistoryServer(t *testing.T, n *blockNode, names map[common.Address]string) *Server {
	t.Helper()
	server := rpc.NewServer()
	t.Cleanup(server.Stop)
	must.Do(t, server.RegisterName("eth", n))
	client := rpc.DialInProc(server)
	t.Cleanup(client.Close)
	book := inspect.NewBook()
	for address, name := range names {
		book.Name(address, name)
	}
	s := must.Get(New(Options{Client: client, Book: book}))(t)
	return s
}

// Each account has the transactions that it has sent, got or paid for, the newest first, and a way back of the chain
// takes what was undone away.
func TestTransactionsOfAccounts(t *testing.T) {
	n := &blockNode{head: 5, read: make(map[uint64]int)}
	s := newHistoryServer(t, n, nil)
	check := func(name string, a common.Address, want ...uint64) {
		t.Helper()
		list, since, more, err := s.transactionsOf(t.Context(), a)
		must.That(t, err == nil && since == 0 && !more, "%s: since %d, error %v", name, since, err)
		var blocks []uint64
		for _, tx := range list {
			blocks = append(blocks, tx.Block)
		}
		expect.Equal(t, fmt.Sprint(blocks), fmt.Sprint(want), "%s: blocks %v, want %v", name, blocks, want)
	}
	check("sender", alice, 5, 4, 3, 2, 1, 0)
	check("recipient", bob, 4, 2, 0)
	check("fee payer", feePayer, 4, 2, 0)
	check("created", crypto.CreateAddress(alice, 3), 3)
	check("stranger", common.Address{1})
	n.mu.Lock()
	n.head = 7
	n.mu.Unlock()
	check("later", bob, 6, 4, 2, 0)
	for number, times := range n.read {
		expect.That(t, times == 1, "block %d was read %d times", number, times)
	}
	n.mu.Lock()
	n.head, n.fork = 3, 1
	n.mu.Unlock()
	check("after a way back", bob, 2, 0)
	n.mu.Lock()
	n.fork = 2
	n.mu.Unlock()
	check("on another fork", alice, 3, 2, 1, 0)
}

// One request reads for a bounded time, and the next ones go on. The newest blocks come first.
func TestHistoryIsReadInParts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := &blockNode{head: 200, slow: 10 * time.Millisecond, read: make(map[uint64]int)}
		s := newHistoryServer(t, n, nil)
		begin, requests := time.Now(), 0
		for since := uint64(1); since > 0; requests++ {
			list, low, more, err := s.transactionsOf(t.Context(), alice)
			must.That(t, err == nil && requests <= 10 && more == (low > 0), "request %d: since %d, error %v", requests, low, err)
			expect.That(t, list[0].Block == 200 && uint64(len(list)) == min(maxRows, 201-low),
				"%d transactions from block %d, since %d", len(list), list[0].Block, low)
			since = low
		}
		if took := time.Since(begin); requests < 4 || took > time.Duration(requests)*(searchTime+n.slow) {
			t.Errorf("%d requests took %v", requests, took)
		}
	})
}

// A search finds blocks by number and hash, accounts by address and name, and says what it takes otherwise.
func TestSearch(t *testing.T) {
	n := &blockNode{head: 5, read: make(map[uint64]int)}
	s := newHistoryServer(t, n, map[common.Address]string{bob: "devnet:2"})
	unknown := common.Hash{0xff}
	for text, want := range map[string]string{
		"1,234": "/block/1234", n.hash(3).Hex(): "/block/3", n.hash(3).Hex()[2:]: "/block/3",
		unknown.Hex(): "/tx/" + unknown.Hex(), bob.Hex(): "/account/" + bob.Hex(), bob.Hex()[2:]: "/account/" + bob.Hex(),
		"devnet:2": "/account/" + bob.Hex(), "Devnet:2": "/account/" + bob.Hex(), "nobody": "",
	} {
		t.Run(text, func(t *testing.T) {
			w := ask(s, http.MethodGet, "/api/search/"+text, "127.0.0.1:8545", nil, "")
			var answer struct{ To string }
			err := json.Unmarshal(w.Body.Bytes(), &answer)
			expect.That(t, err == nil && answer.To == want && (w.Code == http.StatusOK) == (want != ""),
				"status %d: %s, error %v", w.Code, w.Body, err)
		})
	}
}
