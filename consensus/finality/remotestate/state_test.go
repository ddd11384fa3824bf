// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package remotestate

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/rawdb"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/ethdb/memorydb"
	"github.com/ethereum/go-ethereum/rlp"
	"github.com/ethereum/go-ethereum/trie"
	"github.com/ethereum/go-ethereum/triedb"
	"pgregory.net/rapid"

	"gwon/internal/expect"
	"gwon/internal/must"
)

func stateOf(t testing.TB, r *Reader) *State {
	t.Helper()
	head := must.Get(r.Latest(t.Context(), nil))(t)
	return r.State(head)
}

// spec: rpc 5
func TestAccountsAndStorageAreProven(t *testing.T) {
	c := newTestChain(t)
	s := newServer(t, c)
	state := stateOf(t, c.open(t, Options{}, s))
	for i := range 500 {
		a, err := state.Account(t.Context(), account(i))
		must.That(t, err == nil && a != nil && a.Balance.Uint64() == uint64(i)+1 && a.Nonce == uint64(i),
			"account %d: %+v, %v", i, a, err)
		word, err := state.Storage(t.Context(), contract, slot(i))
		want := slot(i + 1)
		if i >= 300 {
			want = common.Hash{}
		}
		must.That(t, err == nil && word == want, "slot %d: %v, %v, want %v", i, word, err, want)
		a, err = state.Account(t.Context(), account(1000+i))
		must.That(t, err == nil && a == nil, "account that is not there: %+v, %v", a, err)
	}
	a, err := state.Account(t.Context(), flagged)
	expect.That(t, err == nil && a.Extra == types.AccountBlacklisted, "flags: %+v, %v", a, err)
	code, err := state.Code(t.Context(), contract)
	expect.That(t, err == nil && bytes.Equal(code, someCode), "code: %x, %v", code, err)
	asked := s.asked["eth_getProof"]
	if _, err := state.Storage(t.Context(), contract, slot(7)); err != nil || s.asked["eth_getProof"] != asked {
		t.Errorf("a slot that was read is asked for again, error %v", err)
	}
}

// spec: rpc 5
func TestFetchAsksInBatches(t *testing.T) {
	c := newTestChain(t)
	s := newServer(t, c)
	state := stateOf(t, c.open(t, Options{}, s))
	slots := make([]common.Hash, 200)
	for i := range slots {
		slots[i] = slot(i)
	}
	must.Do(t, state.Fetch(t.Context(), []Wanted{{contract, slots}, {Address: account(1)}}))
	expect.Equal(t, s.asked["eth_getProof"], 2, "questions")
	for i := range slots {
		word, err := state.word(contract, slot(i))
		expect.That(t, err == nil && word == slot(i+1), "slot %d: %v, %v", i, word, err)
	}
}

// alter returns a lie that replaces a field of the answers of a method. The path names fields and indices.
func alter(method string, value any, path ...any) func(string, any) any {
	return func(asked string, answer any) any {
		if asked != method {
			return answer
		}
		at := answer
		for _, step := range path[:len(path)-1] {
			switch step := step.(type) {
			case string:
				at = at.(map[string]any)[step]
			case int:
				at = at.([]any)[step]
			}
		}
		switch last := path[len(path)-1].(type) {
		case string:
			at.(map[string]any)[last] = value
		case int:
			at.([]any)[last] = value
		}
		return answer
	}
}

// Each field of a proof is refused by its name when it is not what the root proves.
//
// spec: rpc 5
func TestEachAlteredFieldIsRefused(t *testing.T) {
	c := newTestChain(t)
	other := c.proof(t, account(3), nil)["accountProof"]
	for _, test := range []struct {
		field string
		value any
		path  []any
	}{
		{"address", account(3), []any{"address"}},
		{"balance", "0x1", []any{"balance"}},
		{"balance", nil, []any{"balance"}},
		{"nonce", "0x7", []any{"nonce"}},
		{"codeHash", common.Hash{1}, []any{"codeHash"}},
		{"codeHash", common.Hash{}, []any{"codeHash"}},
		{"storageHash", common.Hash{1}, []any{"storageHash"}},
		{"extra", "0x1", []any{"extra"}},
		{"accountProof", other, []any{"accountProof"}},
		{"accountProof", []any{}, []any{"accountProof"}},
		{"accountProof", "0xc0", []any{"accountProof", 1}},
		{"storageProof", []any{}, []any{"storageProof"}},
		{"storageProof[0].key", slot(8), []any{"storageProof", 0, "key"}},
		{"storageProof[0].value", "0x9", []any{"storageProof", 0, "value"}},
		{"storageProof[0].proof", []any{}, []any{"storageProof", 0, "proof"}},
		{"storageProof[1].value", "0x1", []any{"storageProof", 1, "value"}}, // of a word that is zero
		{"proof", "text", []any{"nonce"}},
	} {
		t.Run(test.field, func(t *testing.T) {
			liar := newServer(t, c)
			liar.lie = alter("eth_getProof", test.value, test.path...)
			state := stateOf(t, c.open(t, Options{}, liar))
			err := state.Fetch(t.Context(), []Wanted{{contract, []common.Hash{slot(5), slot(400)}}})
			var wrong *LieError
			expect.That(t, errors.As(err, &wrong) && wrong.Field == test.field && wrong.URL == liar.url &&
				wrong.Method == "eth_getProof", "%v, want a lie about %s", err, test.field)
		})
	}
}

// A server that names more state for a call than is read ahead is no liar, and paths come in requests that fit.
func TestReadingAheadIsBounded(t *testing.T) {
	c := newTestChain(t)
	s := newServer(t, c)
	state := stateOf(t, c.open(t, Options{}, s))
	list := types.AccessList{{Address: contract, StorageKeys: make([]common.Hash, 300)}}
	for i := range list[0].StorageKeys {
		list[0].StorageKeys[i] = slot(i)
	}
	list = append(list, types.AccessTuple{Address: account(1), StorageKeys: make([]common.Hash, maxAccessed)})
	s.mu.Lock()
	s.accessed = list
	s.mu.Unlock()
	must.Do(t, state.FetchAccessed(t.Context(), json.RawMessage(`{}`)))
	word, err := state.word(contract, slot(299))
	expect.That(t, err == nil && word == slot(300), "slot 299: %v, %v", word, err)
	many := make([]Wanted, 10)
	for i := range many {
		many[i].Slots = make([]common.Hash, MaxSlots)
	}
	expect.Equal(t, together(many), 3, "questions of %d slots in one request", MaxSlots)
}

// A proof may have neither less nor more nodes than the path.
func TestNodesBehindThePathAreRefused(t *testing.T) {
	c := newTestChain(t)
	liar := newServer(t, c)
	liar.lie = func(method string, answer any) any {
		if method == "eth_getProof" {
			proof := answer.(map[string]any)["accountProof"].([]any)
			answer.(map[string]any)["accountProof"] = append(proof, proof[0])
		}
		return answer
	}
	_, err := stateOf(t, c.open(t, Options{}, liar)).Account(t.Context(), account(1))
	expect.That(t, err != nil && strings.Contains(err.Error(), "follow the end of the path"), "%v", err)
}

// A path that is longer than a key is refused before any of its nodes is looked at.
func TestLongPathsAreRefused(t *testing.T) {
	_, _, err := follow(common.Hash{1}, common.Hash{}, make([]hexutil.Bytes, maxDepth+1))
	expect.That(t, err != nil && strings.Contains(err.Error(), "at most 65"), "%v", err)
}

func TestAlteredCodeIsRefused(t *testing.T) {
	c := newTestChain(t)
	liar := newServer(t, c)
	liar.lie = func(method string, answer any) any {
		if method == "eth_getCode" {
			return "0x6001"
		}
		return answer
	}
	_, err := stateOf(t, c.open(t, Options{}, liar)).Code(t.Context(), contract)
	var wrong *LieError
	expect.That(t, errors.As(err, &wrong) && wrong.Field == "code", "%v, want a lie about code", err)
}

// A liar is left for the next endpoint and never asked again.
func TestLiarIsLeft(t *testing.T) {
	c := newTestChain(t)
	liar, honest := newServer(t, c), newServer(t, c)
	liar.lie = alter("eth_getProof", "0x99999", "balance")
	state := stateOf(t, c.open(t, Options{}, liar, honest))
	for i := range 3 {
		a, err := state.Account(t.Context(), account(100*i))
		must.That(t, err == nil && a != nil, "account %d: %v, %v", i, a, err)
	}
	expect.That(t, liar.asked["eth_getProof"] == 1 && honest.asked["eth_getProof"] == 3,
		"the liar was asked %d times, the other %d times", liar.asked["eth_getProof"], honest.asked["eth_getProof"])
	honest.pruned = true
	_, err := state.Account(t.Context(), account(450))
	expect.That(t, errors.Is(err, ErrPruned) && liar.asked["eth_getProof"] == 1,
		"%v; the liar was asked %d times", err, liar.asked["eth_getProof"])
}

func TestPrunedStateIsNamed(t *testing.T) {
	c := newTestChain(t)
	s := newServer(t, c)
	s.pruned = true
	_, err := stateOf(t, c.open(t, Options{}, s)).Account(t.Context(), account(1))
	expect.That(t, errors.Is(err, ErrPruned) && strings.Contains(err.Error(), "128 blocks"), "%v", err)
}

// Changes of any kind lead to the root that the whole trie has after them, although no more was read than the keys:
// a deletion that merges a branch finds its last child.
func TestChangesNeedNoWholeTrie(t *testing.T) {
	c := newTestChain(t)
	s := newServer(t, c)
	state := stateOf(t, c.open(t, Options{}, s))
	rapid.Check(t, func(rt *rapid.T) {
		reader := c.open(t, Options{}, s)
		state = reader.State(state.header)
		must.Get(state.Storage(t.Context(), contract, slot(0)))(rt)
		below := triedb.NewDatabase(rawdb.NewDatabase(&memory{memorydb.New(), state, t}), triedb.HashDefaults)
		id := trie.StorageTrieID(c.root, crypto.Keccak256Hash(contract[:]), c.storage[contract])
		part, err := trie.NewStateTrie(id, below)
		must.Do(rt, err)
		whole := c.newTrie(t, id)
		for _, n := range rapid.SliceOfN(rapid.IntRange(0, 350), 1, 40).Draw(rt, "slots") {
			key := slot(n)
			must.Get(state.Storage(t.Context(), contract, key))(rt)
			remove := rapid.IntRange(0, 3).Draw(rt, "write") > 0
			for _, tr := range []*trie.StateTrie{part, whole} {
				if err = tr.UpdateStorage(contract, key[:], []byte{byte(n) | 1}); remove {
					err = tr.DeleteStorage(contract, key[:])
				}
				must.Do(rt, err, "slot", n)
			}
		}
		must.Equal(rt, part.Hash(), whole.Hash(), "root")
	})
}

// A path leads to what go-ethereum finds, for keys that are there and for others. Its nodes stand on the way of the
// key, each at the place where the one above refers to it.
func TestPathsAgreeWithUpstream(t *testing.T) {
	c := newTestChain(t)
	for i := range 1000 {
		address := account(i)
		proof := c.proof(t, address, nil)["accountProof"].(path)
		db := memorydb.New()
		for _, blob := range proof {
			must.Do(t, db.Put(crypto.Keccak256(blob), blob))
		}
		want := must.Get(trie.VerifyProof(c.root, crypto.Keccak256(address[:]), db))(t)
		key := crypto.Keccak256Hash(address[:])
		have, way, err := follow(c.root, key, proof)
		must.That(t, err == nil && bytes.Equal(have, want) && len(way) == len(proof),
			"account %d: %x, %v, want %x", i, have, err, want)
		for n, node := range way {
			must.That(t, bytes.HasPrefix(nibblesOf(key), node.Path) && (n <= 0 || len(node.Path) > len(way[n-1].Path)),
				"account %d: node %d stands at %x", i, n, node.Path)
			if n == 0 {
				continue
			}
			at, found := way[n-1].childPath(crypto.Keccak256Hash(node.Blob), nil)
			must.That(t, found && bytes.Equal(at, node.Path),
				"account %d: node %d stands at %x, and the one above refers to it at %x", i, n, node.Path, at)
		}
	}
}

// A node that refers to a hash at several places has the child on the way of the key.
func TestPlaceIsThatOfTheKey(t *testing.T) {
	hash := common.Hash{1}
	var items [17][]byte
	items[3], items[9] = hash[:], hash[:]
	blob := must.Get(rlp.EncodeToBytes(items))(t)
	for _, nibble := range []byte{3, 9} {
		at, found := (placed{Blob: blob}).childPath(hash, []byte{nibble, 5})
		expect.That(t, found && bytes.Equal(at, []byte{nibble}), "on the way of nibble %d: %x, %t", nibble, at, found)
	}
	at, found := (placed{Blob: blob}).childPath(hash, []byte{4, 5})
	expect.That(t, !found, "beside the key: %x", at)
}

func FuzzProof(f *testing.F) {
	c := newTestChain(f)
	wanted := Wanted{contract, []common.Hash{slot(5), slot(400)}}
	encoded := must.Get(json.Marshal(c.proof(f, wanted.Address, wanted.Slots)))(f)
	f.Add(encoded)
	f.Add([]byte(`{"accountProof":["0xc0"],"storageProof":[{"key":"0x"}]}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		nodes, err := verifyProof(raw, c.root, wanted)
		if err != nil {
			return
		}
		for _, n := range nodes {
			expect.That(t, len(n.Path) <= 64, "a path of %d nibbles", len(n.Path))
		}
	})
}

func FuzzNode(f *testing.F) {
	c := newTestChain(f)
	for _, blob := range c.proof(f, contract, []common.Hash{slot(5)})["accountProof"].(path) {
		f.Add([]byte(blob))
	}
	f.Add([]byte{0xc2, 0x80, 0x80})
	f.Fuzz(func(_ *testing.T, blob []byte) {
		key, root := crypto.Keccak256Hash(contract[:]), crypto.Keccak256Hash(blob)
		_, _ = storedValue(root, key, func(hash common.Hash) ([]byte, error) {
			if hash != root {
				return nil, ErrAbsent
			}
			return blob, nil
		})
		_, _, _ = follow(root, key, []hexutil.Bytes{blob})
		placed{Blob: blob}.childPath(common.Hash{1}, nil)
	})
}
