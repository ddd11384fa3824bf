// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package recording

import (
	"math/big"
	"path/filepath"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"

	"gwon/consensus/wbft/bls"
	"gwon/consensus/wbft/core"
	"gwon/consensus/wbft/messages"
	"gwon/consensus/wbft/signing"
	"gwon/consensus/wbft/validators"
	"gwon/internal/expect"
	"gwon/internal/must"
)

// chain is a network of one validator, whose core decides each block by itself.
type chain struct {
	t    testing.TB
	tape *Tape
	self common.Address
	head core.Head
	now  time.Time
}

// newChain returns a chain whose validator has started, with a recorder.
func newChain(t testing.TB, recorder *Recorder) *chain {
	t.Helper()
	key := must.Get(crypto.ToECDSA(crypto.Keccak256([]byte("the only validator"))))(t)
	seals := must.Get(bls.DeriveKey(key))(t)
	c := &chain{t: t, self: crypto.PubkeyToAddress(key.PublicKey), now: time.Now()}
	c.head = core.Head{
		Header: &types.Header{
			Difficulty: big.NewInt(1), Number: new(big.Int), Extra: new(types.WBFTExtra).Encode(), BaseFee: big.NewInt(1),
			UncleHash: types.EmptyUncleHash, GasLimit: 105_000_000,
		},
		Set:    validators.NewSet([]validators.Validator{{Address: c.self, Key: seals.PublicKey()}}),
		Params: core.Params{BlockPeriod: time.Second, RequestTimeout: 2 * time.Second},
	}
	c.tape = NewTape(core.Config{
		Address: c.self, DefaultMaxTimeout: 10 * time.Second, Sign: signing.WithKeys(key, seals),
	}, recorder)
	c.tape.Restore(core.Restored{Complete: true})
	c.tape.Begin(Identity{ChainID: 1, Validator: c.self, MaxTimeout: 10 * time.Second})
	return c
}

// step gives an event to the core, a millisecond later than the one before.
func (c *chain) step(ev core.Event) []core.Effect {
	c.now = c.now.Add(time.Millisecond)
	return c.tape.Step(c.now, ev)
}

// decide decides blocks.
func (c *chain) decide(blocks int) {
	c.t.Helper()
	for range blocks {
		c.step(core.NewHead{Head: c.head})
		parent := c.head.Header
		block := types.NewBlockWithHeader(&types.Header{
			ParentHash: parent.Hash(), Number: new(big.Int).Add(parent.Number, big.NewInt(1)), Difficulty: big.NewInt(1),
			Extra: new(types.WBFTExtra).Encode(), BaseFee: big.NewInt(1), UncleHash: types.EmptyUncleHash, Coinbase: c.self,
			TxHash: types.EmptyTxsHash, ReceiptHash: types.EmptyReceiptsHash, Root: types.EmptyRootHash, GasLimit: 105_000_000,
		})
		c.step(core.Candidate{Block: block})
		var decided *types.Block
		for _, e := range c.step(core.Validated{Hash: block.Hash()}) {
			if commit, ok := e.(core.Commit); ok {
				decided = commit.Block
			}
		}
		must.That(c.t, decided != nil, "block %d was not decided", block.NumberU64())
		c.tape.LateSeals()
		c.head.Header = decided.Header()
	}
}

// flood delivers useless messages.
func (c *chain) flood(count, size int) {
	for i := range count {
		from := common.Address{byte(i), byte(i >> 8), 1}
		c.step(core.Message{Code: messages.CodePrepare, Payload: make([]byte, size), From: from})
	}
}

// newRing returns a ring in a directory of the test, and a recorder that writes to it.
func newRing(t testing.TB, size, segment int64) (*Recorder, string) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), Dir)
	ring := must.Get(NewRing(RingConfig{Dir: dir, Size: size, Segment: segment, Build: "test"}))(t)
	recorder := NewRecorder(ring)
	t.Cleanup(func() { expect.Error(t, recorder.Close(), nil, "Close") })
	return recorder, dir
}

// replayAll replays the segments of a directory.
func replayAll(t testing.TB, dir string) (segments int, calls uint64) {
	t.Helper()
	files := must.Get(Files(dir))(t)
	for _, file := range files {
		s := must.Get(OpenSegment(file))(t)
		n, err := s.Replay(nil)
		expect.Error(t, err, nil, "%s", file)
		expect.Error(t, s.Close(), nil, "Close")
		segments, calls = segments+1, calls+n
	}
	return segments, calls
}
