// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package recording

import (
	"crypto/ecdsa"
	"math/big"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"

	"gwon/consensus/wbft/bls"
	"gwon/consensus/wbft/core"
	"gwon/consensus/wbft/extra"
	"gwon/consensus/wbft/messages"
	"gwon/consensus/wbft/signing"
	"gwon/consensus/wbft/validators"
)

// collector keeps the calls of a recorder.
type collector struct{ calls []*Call }

func (w *collector) Write(c *Call)    { w.calls = append(w.calls, c) }
func (w *collector) Idle()            {}
func (w *collector) WantsStart() bool { return false }
func (w *collector) WantsNotes() bool { return false }
func (w *collector) Close() error     { return nil }

// cpuTime returns the processor time that the process has used on all cores.
func cpuTime(b *testing.B) time.Duration {
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		b.Fatal(err)
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}

// BenchmarkRecorder decides blocks of four validators and reports the processor time of the core, that of the recorder
// for the same calls (its goroutine, the ring and the disk), and their ratio. Expected: at most 3 %.
func BenchmarkRecorder(b *testing.B) {
	var keys []*ecdsa.PrivateKey
	var seals []*bls.SecretKey
	var members []validators.Validator
	for i := range 4 {
		key, err := crypto.ToECDSA(crypto.Keccak256([]byte{byte(i)}))
		if err != nil {
			b.Fatal(err)
		}
		seal, err := bls.DeriveKey(key)
		if err != nil {
			b.Fatal(err)
		}
		keys, seals = append(keys, key), append(seals, seal)
		members = append(members, validators.Validator{Address: crypto.PubkeyToAddress(key.PublicKey), Key: seal.PublicKey()})
	}
	all := &collector{}
	recorder := NewRecorder(all)
	c := newChain(b, recorder)
	c.tape = NewTape(core.Config{
		Address: members[0].Address, DefaultMaxTimeout: 10 * time.Second,
		Sign: signing.WithKeys(keys[0], seals[0]),
	}, recorder)
	c.tape.Begin(Identity{Validator: members[0].Address})
	c.head.Set, c.head.Params.Policy = validators.NewSet(members), 1
	var used time.Duration
	step := func(ev core.Event) []core.Effect {
		start := cpuTime(b)
		effects := c.step(ev)
		used += cpuTime(b) - start
		return effects
	}
	blocks := 0
	for b.Loop() {
		blocks++
		step(core.NewHead{Head: c.head})
		parent := c.head.Header
		block := types.NewBlockWithHeader(&types.Header{
			ParentHash: parent.Hash(), Number: new(big.Int).Add(parent.Number, big.NewInt(1)), Difficulty: big.NewInt(1),
			Extra: new(types.WBFTExtra).Encode(), BaseFee: big.NewInt(1), UncleHash: types.EmptyUncleHash,
			TxHash: types.EmptyTxsHash, ReceiptHash: types.EmptyReceiptsHash, Root: types.EmptyRootHash, GasLimit: 105_000_000,
			Coinbase: members[0].Address,
		})
		proposer := c.head.Set.Proposer(1, validators.LastProposer(parent), 0)
		votes := func(kind byte) {
			for i := 1; i < len(keys); i++ {
				seal := extra.SealDigest(block.Header(), 0, kind)
				prepare := &messages.Prepare{Sequence: block.NumberU64(), Digest: block.Hash(), Seal: seals[i].Sign(seal[:])}
				var m messages.Message = prepare
				if kind == extra.Commit {
					m = &messages.Commit{Sequence: prepare.Sequence, Digest: prepare.Digest, Seal: prepare.Seal}
				}
				if err := messages.Sign(m, keys[i]); err != nil {
					b.Fatal(err)
				}
				for _, e := range step(core.Message{Code: m.Code(), Payload: m.Encode(), From: members[i].Address}) {
					if commit, ok := e.(core.Commit); ok {
						c.head.Header = commit.Block.Header()
					}
				}
			}
		}
		if proposer != members[0].Address {
			b.Fatalf("validator %s proposes", proposer)
		}
		step(core.Candidate{Block: block})
		step(core.Validated{Hash: block.Hash()})
		votes(extra.Prepare)
		votes(extra.Commit)
		if c.head.Header == parent {
			b.Fatal("the block was not decided")
		}
	}
	recorder.Flush()
	ring, err := NewRing(RingConfig{Dir: filepath.Join(b.TempDir(), Dir), Size: 64 << 20})
	if err != nil {
		b.Fatal(err)
	}
	start := cpuTime(b)
	for _, call := range all.calls {
		ring.Write(call)
		ring.Idle()
	}
	recorded := cpuTime(b) - start
	b.ReportMetric(float64(used.Microseconds())/float64(blocks), "core-us/block")
	b.ReportMetric(float64(recorded.Microseconds())/float64(blocks), "recorder-us/block")
	b.ReportMetric(100*float64(recorded)/float64(used), "%")
	b.ReportMetric(float64(ring.total)/float64(blocks), "bytes/block")
	if err := recorder.Close(); err != nil {
		b.Fatal(err)
	}
}
