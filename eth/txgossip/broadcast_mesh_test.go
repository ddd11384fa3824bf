// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package txgossip

import (
	"fmt"
	"hash/maphash"
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ethereum/go-ethereum/common"
	gethcore "github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/event"
)

// Times of the model: the way between two nodes, and how long either client waits for a body of which it was told (spec
// network 2.5).
const (
	meshWay  = 5 * time.Millisecond
	meshWait = 500 * time.Millisecond
)

// mesh is a network of validators that are all connected with each other.
type mesh struct {
	mu     sync.Mutex
	rand   *rand.Rand
	nodes  []*meshNode
	bodies map[[2]int]int // transactions sent whole, by sender and receiver
	twice  int            // of those, that their receiver had been sent by somebody before
	told   int            // announcements
}

// meshNode is a validator. One of gwon runs the broadcaster; one of the other client does what spec network 2.5 says.
type meshNode struct {
	*mesh
	index   int
	foreign bool
	pool    map[common.Hash]time.Time // when it came
	sent    map[common.Hash]bool      // whole, by anybody
	known   []map[common.Hash]bool    // by peer
	news    chan gethcore.NewTxsEvent // of gwon
}

// meshPeer is a node as another one sees it.
type meshPeer struct{ self, other *meshNode }

func (p meshPeer) ID() string { return fmt.Sprint(p.other.index) }

func (p meshPeer) KnownTransaction(hash common.Hash) bool {
	p.self.mu.Lock()
	defer p.self.mu.Unlock()
	return p.self.known[p.other.index][hash]
}

func (p meshPeer) AsyncSendTransactions(hashes []common.Hash) {
	p.self.mu.Lock()
	defer p.self.mu.Unlock()
	for _, hash := range hashes {
		p.self.send(p.other, hash)
	}
}

func (p meshPeer) AsyncSendPooledTransactionHashes(hashes []common.Hash) {
	p.self.mu.Lock()
	defer p.self.mu.Unlock()
	for _, hash := range hashes {
		p.self.announce(p.other, hash)
	}
}

// send gives a transaction whole to a peer. The lock is held.
func (n *meshNode) send(to *meshNode, hash common.Hash) {
	n.known[to.index][hash] = true
	n.bodies[[2]int{n.index, to.index}]++
	if to.sent[hash] {
		n.twice++
	}
	to.sent[hash] = true
	time.AfterFunc(meshWay, func() { to.receive(n, hash) })
}

// announce tells a peer of a transaction, which asks for it unless it comes by itself. The lock is held.
func (n *meshNode) announce(to *meshNode, hash common.Hash) {
	n.known[to.index][hash] = true
	n.told++
	time.AfterFunc(meshWay, func() {
		n.mu.Lock()
		defer n.mu.Unlock()
		to.known[n.index][hash] = true
		time.AfterFunc(meshWait, func() {
			n.mu.Lock()
			defer n.mu.Unlock()
			if _, have := to.pool[hash]; !have {
				time.AfterFunc(2*meshWay, func() { to.receive(n, hash) })
			}
		})
	})
}

// receive takes a transaction from a peer, or from a user when that is the node itself, and passes it on.
func (n *meshNode) receive(from *meshNode, hash common.Hash) {
	n.mu.Lock()
	n.known[from.index][hash] = true
	_, have := n.pool[hash]
	if !have {
		n.pool[hash] = time.Now()
		if n.foreign {
			n.passOn(hash)
		}
	}
	n.mu.Unlock()
	if !have && !n.foreign {
		n.news <- gethcore.NewTxsEvent{Txs: []*types.Transaction{meshTransactions[hash]}}
	}
}

// passOn sends a transaction whole to the square root of the peers that are not known to have it, and tells the others.
// The lock is held.
func (n *meshNode) passOn(hash common.Hash) {
	var lacking []*meshNode
	for _, other := range n.nodes {
		if other != n && !n.known[other.index][hash] {
			lacking = append(lacking, other)
		}
	}
	n.rand.Shuffle(len(lacking), func(i, j int) { lacking[i], lacking[j] = lacking[j], lacking[i] })
	wholes := int(math.Sqrt(float64(len(lacking))))
	for i, other := range lacking {
		if i < wholes {
			n.send(other, hash)
		} else {
			n.announce(other, hash)
		}
	}
}

// meshTransactions finds those of the model by hash.
var meshTransactions = make(map[common.Hash]*types.Transaction)

// newMesh starts a network of a kind: a letter for each node, G or R. It ends with the test.
func newMesh(t *testing.T, kinds string) *mesh {
	m := &mesh{rand: rand.New(rand.NewPCG(1, 2)), bodies: make(map[[2]int]int)}
	for i, kind := range kinds {
		n := &meshNode{
			mesh: m, index: i, foreign: kind == 'R', news: make(chan gethcore.NewTxsEvent, 1024),
			pool: make(map[common.Hash]time.Time), sent: make(map[common.Hash]bool),
		}
		for range kinds {
			n.known = append(n.known, make(map[common.Hash]bool))
		}
		m.nodes = append(m.nodes, n)
	}
	for _, n := range m.nodes {
		if n.foreign {
			continue
		}
		s := &broadcaster{
			peers: func() (list []recipient) {
				for _, other := range m.nodes {
					if other != n {
						list = append(list, meshPeer{n, other})
					}
				}
				return list
			},
			validator: func(recipient) bool { return true },
			sendsAll:  func(r recipient) bool { return !r.(meshPeer).other.foreign },
			pooled: func(hash common.Hash) bool { // a block has taken it within a second
				m.mu.Lock()
				defer m.mu.Unlock()
				return time.Since(n.pool[hash]) < tellLater
			},
			signer: types.NewAnzeonSigner(big.NewInt(8283)),
			seed:   maphash.MakeSeed(),
		}
		ctx := t.Context()
		go s.run(ctx, n.news, event.NewSubscription(func(quit <-chan struct{}) error { <-quit; return nil }))
	}
	return m
}

// broadcast gives a transaction to a node, and returns how long it takes until every validator has it.
func (m *mesh) broadcast(t *testing.T, at int, tx *types.Transaction) time.Duration {
	t.Helper()
	hash, begun := tx.Hash(), time.Now()
	meshTransactions[hash] = tx
	m.nodes[at].receive(m.nodes[at], hash)
	time.Sleep(5 * time.Second) // of the model; blocks would have taken it long ago
	synctest.Wait()
	m.mu.Lock()
	defer m.mu.Unlock()
	var longest time.Duration
	for _, n := range m.nodes {
		came, have := n.pool[hash]
		if !have {
			t.Fatalf("node %d never has a transaction given to node %d", n.index, at)
		}
		longest = max(longest, came.Sub(begun))
	}
	return longest
}

// A transaction reaches every validator without anybody having to wait and ask, whichever client it is given to.
// spec: network 2.5
func TestBroadcastInMixedNetworks(t *testing.T) {
	const each, ways = 25, 4 // ways is how many hops the other client's choice of peers may take
	for _, kinds := range []string{"RRRG", "RRGG", "GGGR", "GGGGRRR"} {
		t.Run(kinds, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m := newMesh(t, kinds)
				sum, nonce := make(map[byte]time.Duration), uint64(0)
				for at := range kinds {
					for range each {
						took := m.broadcast(t, at, payment(t, int64(at+1), nonce, 0))
						if nonce++; took > ways*meshWay {
							t.Errorf("given to node %d (%c): every validator has it after %v, want %v at most", at, kinds[at], took,
								ways*meshWay)
						}
						sum[kinds[at]] += took
					}
				}
				for kind, total := range sum {
					t.Logf("given to %c: %v in the mean", kind, total/time.Duration(each*strings.Count(kinds, string(kind))))
				}
				t.Logf("%d sent twice, %d announcements, %d transactions", m.twice, m.told, nonce)
			})
		})
	}
}

// In a network of gwon alone each validator is sent each transaction whole once, by the node it was given to, and no
// node is told of any. spec: network 2.5
func TestBroadcastCostInOwnNetwork(t *testing.T) {
	for _, kinds := range []string{"GGGG", "GGGGGGG"} {
		t.Run(kinds, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m := newMesh(t, kinds)
				for at := range kinds {
					if took := m.broadcast(t, at, payment(t, int64(at+1), 0, 0)); took != meshWay {
						t.Errorf("given to node %d: every validator has it after %v, want %v", at, took, meshWay)
					}
				}
				bodies := 0
				for _, n := range m.bodies {
					bodies += n
				}
				if want := len(kinds) * (len(kinds) - 1); bodies != want || m.twice != 0 || m.told != 0 {
					t.Errorf("%d sent whole, %d of them twice, %d announcements; want %d, 0, 0", bodies, m.twice, m.told, want)
				}
			})
		})
	}
}
