// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package state

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"math/rand"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/rawdb"
	"github.com/ethereum/go-ethereum/core/tracing"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/internal/must"
	"github.com/ethereum/go-ethereum/params"
	"github.com/ethereum/go-ethereum/trie"
	"github.com/ethereum/go-ethereum/triedb"
	"github.com/ethereum/go-ethereum/triedb/hashdb"
	"github.com/ethereum/go-ethereum/triedb/pathdb"
	"github.com/holiman/uint256"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var (
	extraRules = params.Rules{IsEIP158: true, IsAnzeon: true}
	extraAddr  = common.Address{19: 0xaa}
)

func newExtraState(t *testing.T) *StateDB {
	t.Helper()
	return must.Get(New(types.EmptyRootHash, NewDatabaseForTesting()))(t)
}

// eachScheme runs f on a database of either trie scheme.
func eachScheme(t *testing.T, f func(t *testing.T, db *triedb.Database)) {
	for name, config := range map[string]*triedb.Config{
		rawdb.HashScheme: {HashDB: hashdb.Defaults},
		rawdb.PathScheme: {PathDB: pathdb.Defaults},
	} {
		t.Run(name, func(t *testing.T) {
			db := triedb.NewDatabase(rawdb.NewMemoryDatabase(), config)
			defer func() { _ = db.Close() }()
			f(t, db)
		})
	}
}

// commitState writes s and opens the state that results.
func commitState(t *testing.T, s *StateDB, number uint64) (*StateDB, common.Hash) {
	t.Helper()
	root := must.Get(s.Commit(extraRules, number))(t)
	next := must.Get(New(root, s.Database()))(t)
	return next, root
}

// Spec chain 4: emptiness, and the root of a state that holds only this account.
func TestExtraStateRoot(t *testing.T) {
	data := must.Get(os.ReadFile("testdata/account_rlp.json"))(t)
	var v struct {
		Cases []struct {
			Note                  string
			Nonce                 *uint64
			Balance               *hexutil.U256
			StorageRoot, CodeHash common.Hash
			Extra                 hexutil.Bytes
			Empty                 bool
			Root                  common.Hash `json:"stateRootIfOnlyAccountAt0xaa"`
		}
	}
	must.Do(t, json.Unmarshal(data, &v))
	checked := 0
	for _, c := range v.Cases {
		if c.Nonce == nil {
			continue
		}
		checked++
		s := newExtraState(t)
		obj := s.getOrNewStateObject(extraAddr)
		obj.data = types.StateAccount{
			Nonce: *c.Nonce, Balance: (*uint256.Int)(c.Balance), Root: c.StorageRoot, CodeHash: c.CodeHash[:],
		}
		s.SetExtra(extraAddr, new(big.Int).SetBytes(c.Extra).Uint64())
		assert.Equalf(t, c.Empty, obj.empty(), "%s: empty", c.Note)
		assert.Equalf(t, c.Root, s.IntermediateRoot(params.Rules{}), "%s: root", c.Note)
	}
	assert.True(t, checked != 0, "no vectors")
}

// Spec chain 4: the word survives the way through trie, flat state and dump, and nothing but SetExtra alters it.
func TestExtraPersists(t *testing.T) {
	eachScheme(t, func(t *testing.T, db *triedb.Database) {
		s := must.Get(New(types.EmptyRootHash, NewDatabase(db, nil)))(t)
		flagOnly, rich, plain := common.Address{1}, common.Address{2}, common.Address{3}
		s.SetBlacklisted(flagOnly, true)
		s.SetBalance(rich, uint256.NewInt(5), tracing.BalanceChangeUnspecified)
		s.SetAuthorized(rich, true)
		s.SetBalance(plain, uint256.NewInt(5), tracing.BalanceChangeUnspecified)
		s, _ = commitState(t, s, 1)

		check := func() {
			t.Helper()
			for addr, want := range map[common.Address]uint64{
				flagOnly: types.AccountBlacklisted, rich: types.AccountAuthorized, plain: 0, {4}: 0,
			} {
				assert.Equalf(t, want, s.GetExtra(addr), "%v: extra", addr)
				if s.IsBlacklisted(addr) != (want == types.AccountBlacklisted) ||
					s.IsAuthorized(addr) != (want == types.AccountAuthorized) {
					t.Errorf("%v: flags %v, %v", addr, s.IsBlacklisted(addr), s.IsAuthorized(addr))
				}
			}
		}
		check()
		// A change of anything else keeps the word, an EIP-161 touch keeps an account that has one.
		s.SetBalance(rich, uint256.NewInt(6), tracing.BalanceChangeUnspecified)
		s.SetNonce(rich, 1, tracing.NonceChangeUnspecified)
		s.SetCode(rich, types.AddressToDelegation(plain), tracing.CodeChangeUnspecified)
		s.SetState(rich, common.Hash{1}, common.Hash{2})
		s.AddBalance(flagOnly, new(uint256.Int), tracing.BalanceChangeUnspecified)
		var root common.Hash
		s, root = commitState(t, s, 2)
		check()
		assert.True(t, s.Exist(flagOnly), "an account with nothing but a flag was deleted")
		// The trie says the same as the flat state.
		tr := must.Get(trie.NewStateTrie(trie.StateTrieID(root), db))(t)
		acct, err := tr.GetAccount(rich)
		assert.Truef(t, err == nil && acct != nil && acct.Extra == types.AccountAuthorized, "trie holds %+v, %v", acct, err)
		// Replacing the storage, as state overrides do, keeps the flags.
		override := s.Copy()
		override.SetStorage(rich, map[common.Hash]common.Hash{{9}: {9}})
		assert.True(t, override.IsAuthorized(rich), "a storage override lost the flags")
		// Without the flag the account is empty and goes.
		s.SetBlacklisted(flagOnly, false)
		s, _ = commitState(t, s, 3)
		assert.True(t, !s.Exist(flagOnly) && s.GetExtra(flagOnly) == 0, "the empty account is still there")
		// Deletion takes the word with it.
		s.SelfDestruct(rich)
		s, _ = commitState(t, s, 4)
		assert.True(t, s.GetExtra(rich) == 0, "the word survived deletion")
	})
}

// Spec chain 4: a flag is cleared on an account that does not exist: the account is touched and gone.
func TestExtraTouch(t *testing.T) {
	s := newExtraState(t)
	s.SetAuthorized(extraAddr, false)
	assert.True(t, s.Exist(extraAddr) && s.Empty(extraAddr), "no empty account within the transaction")
	s.Finalise(extraRules)
	assert.False(t, s.Exist(extraAddr), "the empty account outlived the transaction")
	// An empty account that genesis left behind goes by a touch, too.
	s.SetBalance(extraAddr, new(uint256.Int), tracing.BalanceChangeUnspecified)
	s.Finalise(params.Rules{})
	s.SetBlacklisted(extraAddr, false)
	s.Finalise(extraRules)
	assert.False(t, s.Exist(extraAddr), "the touched account is still there")
}

func TestExtraDump(t *testing.T) {
	s := newExtraState(t)
	s.SetExtra(extraAddr, types.AccountBlacklisted)
	s.SetBalance(common.Address{1}, uint256.NewInt(1), tracing.BalanceChangeUnspecified)
	s, _ = commitState(t, s, 1)
	for name, dump := range map[string]string{
		"collected": string(s.Dump(nil)),
		"iterative": func() string {
			var out bytes.Buffer
			s.IterativeDump(nil, json.NewEncoder(&out))
			return out.String()
		}(),
	} {
		var compact bytes.Buffer
		if name == "collected" {
			must.Do(t, json.Compact(&compact, []byte(dump)))
			dump = compact.String()
		}
		assert.Truef(t, strings.Count(dump, `"extra":9223372036854775808`) == 1 && strings.Count(dump, `"extra"`) == 1,
			"%s dump: %s", name, dump)
	}
}

// The historic reader is a twin of the flat one; no other test would miss its field.
func TestExtraHistory(t *testing.T) {
	disk, err := rawdb.Open(rawdb.NewMemoryDatabase(), rawdb.OpenOptions{Ancient: t.TempDir()})
	must.Do(t, err)
	defer func() { _ = disk.Close() }()
	config := *pathdb.Defaults
	config.StateHistory, config.EnableStateIndexing, config.NoHistoryIndexDelay = 0, true, true
	tdb := triedb.NewDatabase(disk, &triedb.Config{PathDB: &config})
	defer func() { _ = tdb.Close() }()
	db := NewDatabase(tdb, nil)
	s := must.Get(New(types.EmptyRootHash, db))(t)
	s.SetExtra(extraAddr, types.AccountAuthorized)
	s, old := commitState(t, s, 1)
	s.SetExtra(extraAddr, types.AccountBlacklisted)
	_, head := commitState(t, s, 2)
	must.Do(t, tdb.Commit(head, false))
	history := NewHistoricDatabase(tdb, NewCodeDB(disk))
	deadline := time.After(30 * time.Second)
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		if reader, rerr := history.Reader(old); rerr == nil {
			acct, aerr := reader.Account(extraAddr)
			if aerr == nil {
				require.Truef(t, acct != nil && acct.Extra == types.AccountAuthorized, "history holds %+v", acct)
				return
			}
			err = aerr
		} else {
			err = rerr
		}
		select {
		case <-tick.C: // the index is built in the background and says nothing when it is done
		case <-deadline:
			t.Fatal(err)
		}
	}
}

// Random changes, snapshots and reverts against a plain map.
func TestExtraJournal(t *testing.T) {
	for seed := range int64(200) {
		rnd := rand.New(rand.NewSource(seed))
		var (
			s     = newExtraState(t)
			model = make(map[common.Address]uint64)
			ids   []int
			saved []map[common.Address]uint64
			trace []string
		)
		for range 60 {
			addr := common.Address{byte(rnd.Intn(4))}
			switch rnd.Intn(7) {
			case 0:
				extra := rnd.Uint64()
				s.SetExtra(addr, extra)
				model[addr] = extra
				trace = append(trace, fmt.Sprintf("set %v %x", addr, extra))
			case 1, 2:
				on := rnd.Intn(2) == 0
				flag := types.AccountBlacklisted
				if rnd.Intn(2) == 0 {
					flag = types.AccountAuthorized
					s.SetAuthorized(addr, on)
				} else {
					s.SetBlacklisted(addr, on)
				}
				if on {
					model[addr] |= flag
				} else {
					model[addr] &^= flag
				}
				trace = append(trace, fmt.Sprintf("flag %v %x %v", addr, flag, on))
			case 3:
				s.SetBalance(addr, uint256.NewInt(rnd.Uint64()), tracing.BalanceChangeUnspecified)
				trace = append(trace, fmt.Sprintf("balance %v", addr))
			case 4:
				ids, saved = append(ids, s.Snapshot()), append(saved, maps.Clone(model))
				trace = append(trace, "snapshot")
			case 5:
				if len(ids) > 0 {
					i := rnd.Intn(len(ids))
					s.RevertToSnapshot(ids[i])
					model, ids, saved = saved[i], ids[:i], saved[:i]
					trace = append(trace, fmt.Sprintf("revert %d", i))
				}
			case 6:
				switch rnd.Intn(3) {
				case 0:
					s = s.Copy()
					trace = append(trace, "copy")
				case 1:
					s.Finalise(extraRules)
					ids, saved = nil, nil
					trace = append(trace, "finalise")
				default:
					s.IntermediateRoot(extraRules)
					ids, saved = nil, nil
					trace = append(trace, "root")
				}
			}
			for i := range byte(4) {
				if got := s.GetExtra(common.Address{i}); got != model[common.Address{i}] {
					t.Fatalf("seed %d: account %d has extra %x, want %x after %v", seed, i, got, model[common.Address{i}], trace)
				}
			}
		}
	}
}

// A state with tracing hooks passes everything on.
func TestExtraHooked(t *testing.T) {
	s := newExtraState(t)
	h := NewHookedState(s, nil)
	h.SetBlacklisted(extraAddr, true)
	h.SetAuthorized(extraAddr, true)
	both := types.AccountBlacklisted | types.AccountAuthorized
	if !h.IsBlacklisted(extraAddr) || !h.IsAuthorized(extraAddr) || h.GetExtra(extraAddr) != both ||
		s.GetExtra(extraAddr) != both {
		t.Errorf("extra %x", s.GetExtra(extraAddr))
	}
	h.SetExtra(extraAddr, 1)
	assert.True(t, s.GetExtra(extraAddr) == 1 && h.CreatedInTransaction(extraAddr), "the inner state was not reached")
	h.ClearForCreation(extraAddr)
	assert.True(t, s.GetExtra(extraAddr) == 0, "the inner state was not cleared")
}
