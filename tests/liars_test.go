// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

//go:build nodes

package tests

import (
	"context"
	"math/big"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	protocol "github.com/ethereum/go-ethereum/eth/protocols/eth"
	"github.com/ethereum/go-ethereum/p2p"

	"gwon/consensus/wbft"
)

// liar is one way to lie to a node.
type liar struct {
	name    string
	manners manners
	say     func(l *link, n int) error // called every floodTick; nil says nothing
	found   time.Duration              // after which a node has found it out at the latest, with time to spare
}

// newest is the newest block that a node has pushed to any outsider.
type newest struct {
	atomic.Pointer[pushed]
}

func (b *newest) hear(p *pushed) {
	if have := b.Load(); have == nil || have.Block.NumberU64() < p.Block.NumberU64() {
		b.Store(p)
	}
}

// liars are peers that lie in five ways about what they have.
func liars() []liar {
	var truth newest
	claims := func(ahead int64) func(*protocol.StatusPacket68) {
		return func(s *protocol.StatusPacket68) {
			s.TD, s.Head = new(big.Int).Add(s.TD, big.NewInt(ahead)), randomHash()
		}
	}
	punctual := func(code uint64) time.Duration {
		if code == protocol.GetBlockHeadersMsg {
			return 9 * time.Second // a request waits for ten
		}
		return 0
	}
	return []liar{
		{"claims at the handshake", manners{heard: truth.hear, status: claims(1_000_000)}, nil, 5 * time.Second},
		{"claims with a block", manners{heard: truth.hear}, func(l *link, n int) error {
			if real := truth.Load(); real != nil && n%20 == 10 {
				header := real.Block.Header() // far ahead, with a total difficulty that fits
				header.Number = new(big.Int).Add(header.Number, big.NewInt(5000))
				td := new(big.Int).Add(real.TD, big.NewInt(5000))
				if n%40 == 10 { // or a true block with one that does not
					header, td = real.Block.Header(), td.Add(td, common.Big1)
				}
				return p2p.Send(l.eth, protocol.NewBlockMsg,
					[]any{types.NewBlockWithHeader(header).WithBody(*real.Block.Body()), td})
			}
			return nil
		}, 10 * time.Second},
		{"silent", manners{heard: truth.hear, status: claims(20), delay: func(uint64) time.Duration { return -1 }}, nil,
			50 * time.Second},
		{"slow but punctual", manners{heard: truth.hear, status: claims(100), delay: punctual}, nil, 25 * time.Second},
		{"malformed blocks", manners{heard: truth.hear}, func(l *link, n int) error {
			real := truth.Load()
			if real == nil {
				return nil
			}
			header, txs := real.Block.Header(), real.Block.Transactions()
			forged := real.Block.Header()
			forged.Root = randomHash()
			surplus := types.NewTx(&types.LegacyTx{Nonce: uint64(n), To: &common.Address{1}})
			for i, block := range []any{
				[]any{header, txs, []any{}, []any{}}, // with withdrawals: an honest node of the other client may do that
				[]any{header, append(txs[:len(txs):len(txs)], surplus), []any{}},
				[]any{header, txs, []*types.Header{header}},
				[]any{forged, txs, []any{}},
			} {
				if i > 0 && n%20 != 5*i {
					continue // these cost the connection
				}
				if err := p2p.Send(l.eth, protocol.NewBlockMsg, []any{block, real.TD}); err != nil {
					return err
				}
			}
			return nil
		}, 10 * time.Second},
	}
}

// Every validator has five peers for a minute that lie in five ways about what they have, and come back as somebody
// new whenever a node has had enough of them. The chain keeps its pace, nobody halts or is accused, memory stays
// bounded, and the validators stay connected (spec network 2.6, 2.7).
func TestLiars(t *testing.T) {
	s := besiege(t)
	said := make([]atomic.Int64, len(s.network.Nodes))
	kinds := liars()
	outsiders := make([][]*outsider, len(s.network.Nodes))
	const lasts = time.Minute // a silent liar is found after 50 seconds
	end, peak := s.endure(t, lasts, func(ctx context.Context, attacks *sync.WaitGroup) {
		for i := range s.network.Nodes {
			for _, l := range kinds {
				o := newLiar(t, nil, l.manners)
				outsiders[i] = append(outsiders[i], o)
				say := l.say
				if say == nil {
					say = func(*link, int) error { return nil }
				}
				attacks.Go(func() { said[i].Add(int64(o.attack(ctx, s.cluster, i, flood{l.name, say}))) })
			}
		}
	})
	for i := range s.network.Nodes {
		s.unharmed(t, i, "liars", int(said[i].Load()), peak[i])
		log := nodeLog(t, s.cluster, i)
		if strings.Contains(log, wbft.HaltedMessage) || misbehaviorLine.MatchString(log) {
			t.Errorf("%s has halted or accuses a validator", s.node(i).Name)
		}
	}
	for k, l := range kinds {
		lives := 0
		for i := range outsiders {
			lives += outsiders[i][k].lives
		}
		t.Logf("%s: thrown out %d times", l.name, lives-len(outsiders))
		if fewest := int(lasts/l.found) * len(outsiders); lives-len(outsiders) < fewest {
			t.Errorf("%s: thrown out %d times, want %d at least", l.name, lives-len(outsiders), fewest)
		}
	}
	s.sameChain(t, end+2)
}

// A validator that is started again while all its other peers lie seals at once, and one that is a block or more
// behind catches up: with four of which one is down before, the chain goes on only if it does.
func TestRestartAmongLiars(t *testing.T) {
	t.Parallel()
	c := prepareCluster(t, 4)
	for i := range c.network.Nodes {
		c.start(t, i, withAdmin...)
	}
	for i := range c.network.Nodes {
		c.awaitLinks(t, i, 3)
	}
	c.awaitHead(t, 3, c.running()...)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var attacks sync.WaitGroup
	for _, l := range liars() {
		o := newLiar(t, nil, l.manners)
		say := l.say
		if say == nil {
			say = func(*link, int) error { return nil }
		}
		attacks.Go(func() { o.attack(ctx, c, 0, flood{l.name, say}) })
	}
	c.kill(t, 0)
	head, err := c.head(1)
	if err != nil {
		t.Fatal(err)
	}
	c.awaitHead(t, head+5, 1, 2, 3)
	c.start(t, 0, withAdmin...)
	c.awaitLinks(t, 0, 3)
	c.kill(t, 3) // from here on every block needs the vote of the one that has come back
	if head, err = c.head(1); err != nil {
		t.Fatal(err)
	}
	c.awaitHead(t, head+5, 0, 1, 2)
	cancel()
	attacks.Wait()
	c.sameChain(t, head+5)
}
