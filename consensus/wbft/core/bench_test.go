// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package core

import (
	"fmt"
	"math/big"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/trie"

	"gwon/consensus/wbft/messages"
)

// cpuTime returns the processor time that the process has used on all cores.
func cpuTime() time.Duration {
	var r syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &r) != nil {
		return 0
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}

// measure runs a part of a benchmark and reports its processor time next to the elapsed time.
func measure(b *testing.B, prepare func() func()) {
	var used time.Duration
	rounds := 0
	for b.Loop() {
		b.StopTimer()
		run := prepare()
		b.StartTimer()
		start := cpuTime()
		run()
		used += cpuTime() - start
		rounds++
	}
	b.ReportMetric(float64(used.Microseconds())/1000/float64(rounds), "cpu-ms/op")
}

// full returns a child of the head with transactions of about the given total size.
func (f *fixture) full(size int) *types.Block {
	var txs types.Transactions
	for i := range size / 1000 {
		txs = append(
			txs,
			types.NewTx(&types.LegacyTx{Nonce: uint64(i), To: &common.Address{}, Value: new(big.Int), Data: make([]byte, 980)}),
		)
	}
	header := f.block("full").Header()
	header.TxHash = types.DeriveSha(txs, trie.NewStackTrie(nil))
	return types.NewBlockWithHeader(header).WithBody(types.Body{Transactions: txs})
}

// BenchmarkRoundChange measures a round change in which every validator was prepared: a ROUND-CHANGE with another
// choice of PREPAREs from each of them, and the justified proposal. A warm node has seen the votes of the round
// before. Expected: at most 15 ms of processor time for 22 validators, 150 ms for 100.
func BenchmarkRoundChange(b *testing.B) {
	for _, n := range []int{4, 22, 100} {
		for _, size := range []int{0, 100_000} {
			f := newFixture(b, n)
			block := f.full(size)
			all := f.certificate(0, block, f.indices(n)...)
			quorum := f.set.Quorum()
			var changes []Event
			for i := range n {
				if i != 3 {
					cert := *all
					cert.prepares = slices.Concat(all.prepares[i:], all.prepares[:i])[:quorum]
					changes = append(changes, network(f.roundChange(i, 1, &cert)))
				}
			}
			proposal := network(f.signed(1, &messages.PrePrepare{
				Sequence:     1,
				Round:        1,
				Block:        block,
				Prepares:     all.prepares[:quorum],
				RoundChanges: f.changes(1, all, f.indices(quorum)...),
			}))
			for _, warm := range []bool{true, false} {
				b.Run(fmt.Sprintf("n=%d/block=%dkB/warm=%v", n, size/1000, warm), func(b *testing.B) {
					measure(b, func() func() {
						p := f.player(3)
						if warm {
							p.propose(block)
							for i := range n {
								if i != 3 {
									p.deliver(all.prepares[i])
								}
							}
						}
						return func() {
							for _, ev := range changes {
								p.do(ev)
							}
							p.do(proposal)
							if p.round != 1 || p.rounds[1].block == nil {
								b.Fatal("the proposal was not taken")
							}
						}
					})
				})
			}
		}
	}
}

// BenchmarkVotes measures the proposal, PREPAREs and COMMITs of one block, one copy of each, and its late seals.
// Expected: at most 4, 8 and 30 ms of processor time for 4, 22 and 100 validators.
func BenchmarkVotes(b *testing.B) {
	for _, n := range []int{4, 7, 22, 100} {
		f := newFixture(b, n)
		block := f.block("a")
		events := []Event{network(f.proposal(0, 0, block)), Validated{Hash: block.Hash()}}
		for i := range n {
			if i != 1 {
				events = append(events, network(f.prepare(i, 0, block)))
			}
		}
		for i := range n {
			if i != 1 {
				events = append(events, network(f.commit(i, 0, block)))
			}
		}
		for i := range 64 { // package bls caches the latest own signatures; here one process signs for all
			f.bls[0].Sign([]byte{byte(i)})
		}
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			measure(b, func() func() {
				p := f.player(1)
				return func() {
					for _, ev := range events {
						p.do(ev)
						if decided := only[Commit](p.effects); len(decided) > 0 {
							head := f.head
							head.Header = decided[0].Block.Header()
							p.do(NewHead{head})
						}
					}
					if _, _, prepared, committed := p.LateSeals(); p.sequence != 2 || prepared == nil || committed == nil {
						b.Fatal("not decided, or without late seals")
					}
				}
			})
		})
	}
}

// BenchmarkBadSeals measures the PREPAREs of a round with a third of bad seals: the first time, and in later rounds
// and sequences.
func BenchmarkBadSeals(b *testing.B) {
	for _, n := range []int{4, 22, 100} {
		f := newFixture(b, n)
		block := f.block("a")
		var events []Event
		bad := (n - 1) / 3
		for i := range n {
			switch {
			case i == 1:
			case i%3 == 0 && i/3 < bad:
				junk := &messages.Prepare{Sequence: 1, Digest: block.Hash(), Seal: f.bls[i].Sign([]byte("junk"))}
				events = append(events, network(f.signed(i, junk)))
			default:
				events = append(events, network(f.prepare(i, 0, block)))
			}
		}
		proposal := network(f.proposal(0, 0, block))
		for _, suspected := range []bool{false, true} {
			b.Run(fmt.Sprintf("n=%d/suspected=%v", n, suspected), func(b *testing.B) {
				measure(b, func() func() {
					p := f.player(1)
					for i := 0; suspected && i/3 < bad && i < n; i += 3 {
						p.certs.suspect(f.address(i))
					}
					p.do(proposal)
					return func() {
						for _, ev := range events {
							p.do(ev)
						}
						p.do(Validated{Hash: block.Hash()})
						if p.state != Prepared {
							b.Fatal("not prepared")
						}
					}
				})
			})
		}
	}
}

// BenchmarkBadCertificates measures all certificates of one deliverer that are examined in a sequence, and those
// beyond.
func BenchmarkBadCertificates(b *testing.B) {
	for _, n := range []int{4, 22, 100} {
		f := newFixture(b, n)
		a := f.block("a")
		cert := f.certificate(0, a, f.indices(n)...)
		last := n - 1
		junk := &messages.Prepare{Sequence: 1, Digest: a.Hash(), Seal: f.bls[last].Sign([]byte("x"))}
		cert.prepares[last] = f.signed(last, junk).(*messages.Prepare)
		var events []Event
		for i := range 20 { // the certificate is not signed, so each is another message
			c := *cert
			c.prepares = slices.Concat(c.prepares[i%n:], c.prepares[:i%n])
			events = append(
				events, Message{Code: messages.CodeRoundChange, Payload: f.roundChange(0, 1, &c).Encode(), From: f.address(0)},
			)
		}
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			measure(b, func() func() {
				p := f.player(1)
				return func() {
					for _, ev := range events {
						p.do(ev)
					}
				}
			})
		})
	}
}
