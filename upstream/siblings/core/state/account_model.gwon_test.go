// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package state

import (
	"fmt"
	"maps"
	"math/rand"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/tracing"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/internal/must"
	"github.com/ethereum/go-ethereum/triedb"
	"github.com/holiman/uint256"
	"github.com/stretchr/testify/require"
)

// modelAccount says what an account should hold, modelState what a state should.
type modelAccount struct {
	balance, nonce, extra uint64
	storage               map[common.Hash]common.Hash
	created, destructed   bool // in this transaction
}

type modelState map[common.Address]*modelAccount

func (m modelState) copy() modelState {
	c := make(modelState)
	for addr, a := range m {
		b := *a
		b.storage = maps.Clone(a.storage)
		c[addr] = &b
	}
	return c
}

func (m modelState) get(addr common.Address) *modelAccount {
	if m[addr] == nil {
		m[addr] = &modelAccount{storage: make(map[common.Hash]common.Hash), created: true}
	}
	return m[addr]
}

func (m modelState) finalise() {
	for addr, a := range m {
		if a.destructed || a.balance == 0 && a.nonce == 0 && a.extra == 0 {
			delete(m, addr)
			continue
		}
		a.created = false
	}
}

// root is that of a state made from nothing.
func (m modelState) root(t *testing.T) common.Hash {
	s := newExtraState(t)
	for addr, a := range m {
		s.SetBalance(addr, uint256.NewInt(a.balance), tracing.BalanceChangeUnspecified)
		s.SetNonce(addr, a.nonce, tracing.NonceChangeUnspecified)
		s.SetExtra(addr, a.extra)
		for k, v := range a.storage {
			s.SetState(addr, k, v)
		}
	}
	return s.IntermediateRoot(extraRules)
}

// Random transactions over some blocks, with creations over accounts, destructions and reverts, against the model.
func TestAccountModel(t *testing.T) {
	eachScheme(t, func(t *testing.T, db *triedb.Database) {
		for seed := range int64(40) {
			rnd := rand.New(rand.NewSource(seed))
			s := must.Get(New(types.EmptyRootHash, NewDatabase(db, nil)))(t)
			var (
				m     = make(modelState)
				ids   []int
				saved []modelState
				trace []string
				block uint64
			)
			note := func(format string, args ...any) { trace = append(trace, fmt.Sprintf(format, args...)) }
			for range 150 {
				n := byte(rnd.Intn(4))
				addr, key, small := common.Address{n}, common.Hash{byte(rnd.Intn(3))}, uint64(rnd.Intn(3))
				switch op := rnd.Intn(12); op {
				case 0, 1:
					s.SetBalance(addr, uint256.NewInt(small), tracing.BalanceChangeUnspecified)
					m.get(addr).balance = small
					note("balance %d=%d", n, small)
				case 2:
					s.SetExtra(addr, small)
					m.get(addr).extra = small
					note("extra %d=%d", n, small)
				case 3, 4:
					value := common.Hash{31: byte(small)}
					s.SetState(addr, key, value)
					m.get(addr).storage[key] = value
					note("slot %d %d=%d", n, key[0], small)
				case 5, 6: // a creation; an account with a nonce is a collision, a destructed one has a nonce or code
					if a := m[addr]; a != nil && (a.nonce != 0 || a.destructed) {
						break
					}
					if m[addr] == nil {
						s.CreateAccount(addr)
					}
					s.ClearForCreation(addr)
					s.CreateContract(addr)
					s.SetNonce(addr, 1, tracing.NonceChangeNewContract)
					m[addr] = &modelAccount{
						balance: m.get(addr).balance, nonce: 1, storage: make(map[common.Hash]common.Hash), created: true,
					}
					note("create %d", n)
				case 7:
					if s.CreatedInTransaction(addr) {
						s.SelfDestruct(addr)
						m.get(addr).destructed = true
						note("destruct %d", n)
					}
				case 8:
					ids, saved = append(ids, s.Snapshot()), append(saved, m.copy())
					note("snapshot")
				case 9:
					if len(ids) > 0 {
						i := rnd.Intn(len(ids))
						s.RevertToSnapshot(ids[i])
						m, ids, saved = saved[i], ids[:i], saved[:i]
						note("revert %d", i)
					}
				case 10:
					s.Finalise(extraRules)
					m.finalise()
					ids, saved = nil, nil
					note("finalise")
				case 11:
					m.finalise()
					ids, saved = nil, nil
					if rnd.Intn(2) == 0 {
						note("root")
						require.Truef(t, s.IntermediateRoot(extraRules) == m.root(t), "seed %d: wrong root after %v", seed, trace)
						break
					}
					note("commit")
					block++
					root, err := s.Commit(extraRules, block)
					require.Truef(t, err == nil, "seed %d: %v after %v", seed, err, trace)
					require.Truef(t, root == m.root(t), "seed %d: wrong root after %v", seed, trace)
					s = must.Get(New(root, NewDatabase(db, nil)))(t)
				}
				for i := range byte(4) {
					addr, a := common.Address{i}, m[common.Address{i}]
					require.Truef(t, s.Exist(addr) == (a != nil), "seed %d: account %d exists: %v after %v", seed, i, a == nil, trace)
					require.Truef(t, s.CreatedInTransaction(addr) == (a != nil && a.created),
						"seed %d: account %d created: %v after %v", seed, i, s.CreatedInTransaction(addr), trace)
					if a == nil {
						continue
					}
					for k := range byte(3) {
						if got := s.GetState(addr, common.Hash{k}); got != a.storage[common.Hash{k}] {
							t.Fatalf("seed %d: account %d slot %d is %v after %v", seed, i, k, got, trace)
						}
					}
				}
			}
		}
	})
}
