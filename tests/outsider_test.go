// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

//go:build nodes

package tests

import (
	"cmp"
	"context"
	"crypto/ecdsa"
	"fmt"
	"math/big"
	"sync"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	protocol "github.com/ethereum/go-ethereum/eth/protocols/eth"
	"github.com/ethereum/go-ethereum/p2p"
	"github.com/ethereum/go-ethereum/p2p/enode"
	"github.com/ethereum/go-ethereum/rlp"

	"gwon/dev/devnet"
	"gwon/internal/must"
)

// istanbulLength is the number of message codes of istanbul/100 (spec network 1).
const istanbulLength = 22

// outsider is a peer in the test process: it shakes hands like a node of the chain (spec network 2.1), answers every
// request with nothing, and says what a test makes it say. Without manners it lies as well.
type outsider struct {
	server  *p2p.Server
	key     *ecdsa.PrivateKey // nil for a new identity whenever it begins anew
	manners manners
	lives   int        // times it has begun
	life    sync.Mutex // of the server
	ended   bool
	links   chan *link // connections on which both protocols run

	mu     sync.Mutex
	halves map[*p2p.Peer]*link
}

// manners are how an outsider answers. The zero value says that it has what the other side has, and answers at once.
type manners struct {
	name   string                          // of the client; empty for outsider
	status func(*protocol.StatusPacket68)  // changes what it says at the handshake; nil for nothing
	delay  func(code uint64) time.Duration // before an answer; negative for no answer; nil for none
	heard  func(block *pushed)             // takes a block that was pushed; nil for nothing
}

// link is a connection of an outsider.
type link struct {
	eth, istanbul p2p.MsgReadWriter
	heard         chan uint64 // codes of eth messages; some are lost when nobody listens
	closed        chan struct{}
	once          sync.Once
}

// newOutsider starts an outsider with a node key; nil makes one. It listens nowhere.
func newOutsider(t *testing.T, key *ecdsa.PrivateKey) *outsider { return newLiar(t, key, manners{}) }

// newLiar starts an outsider with manners.
func newLiar(t *testing.T, key *ecdsa.PrivateKey, m manners) *outsider {
	t.Helper()
	o := &outsider{key: key, manners: m}
	must.Do(t, o.begin())
	t.Cleanup(o.end)
	return o
}

// begin starts the server of an outsider, which ends what it did before: with its key, or else as somebody new.
func (o *outsider) begin() error {
	o.life.Lock()
	defer o.life.Unlock()
	if o.ended {
		return p2p.DiscQuitting
	}
	if o.server != nil {
		o.server.Stop()
	}
	key := o.key
	if key == nil {
		var err error
		if key, err = crypto.GenerateKey(); err != nil {
			return err
		}
	}
	o.lives++
	o.links, o.halves = make(chan *link, 64), make(map[*p2p.Peer]*link)
	o.server = &p2p.Server{Config: p2p.Config{
		Name: cmp.Or(o.manners.name, "outsider"), PrivateKey: key, MaxPeers: 16, NoDiscovery: true,
		Protocols: []p2p.Protocol{
			{Name: "eth", Version: protocol.ETH68, Length: 17, Run: o.runEth},
			{Name: "istanbul", Version: 100, Length: istanbulLength, Run: o.runIstanbul},
		},
	}}
	return o.server.Start()
}

// end ends an outsider, also one that waits for a node to read.
func (o *outsider) end() {
	o.life.Lock()
	defer o.life.Unlock()
	o.ended = true
	o.server.Stop()
}

// half notes that one protocol of a connection is ready.
func (o *outsider) half(p *p2p.Peer, set func(*link)) *link {
	o.mu.Lock()
	defer o.mu.Unlock()
	l := o.halves[p]
	if l == nil {
		l = &link{heard: make(chan uint64, 64), closed: make(chan struct{})}
		o.halves[p] = l
	}
	set(l)
	if l.eth != nil && l.istanbul != nil {
		delete(o.halves, p)
		select {
		case o.links <- l:
		default:
		}
	}
	return l
}

func (l *link) close() { l.once.Do(func() { close(l.closed) }) }

// runEth answers Status with the very same Status, as far as its manners allow.
func (o *outsider) runEth(p *p2p.Peer, rw p2p.MsgReadWriter) error {
	msg, err := rw.ReadMsg()
	if err != nil {
		return err
	}
	var status protocol.StatusPacket68
	if msg.Code != protocol.StatusMsg {
		return fmt.Errorf("first message has code %d", msg.Code)
	}
	if err := msg.Decode(&status); err != nil {
		return err
	}
	if o.manners.status != nil {
		o.manners.status(&status)
	}
	if err := p2p.Send(rw, protocol.StatusMsg, &status); err != nil {
		return err
	}
	l := o.half(p, func(l *link) { l.eth = rw })
	defer l.close()
	answers := map[uint64]uint64{
		protocol.GetBlockHeadersMsg: protocol.BlockHeadersMsg, protocol.GetBlockBodiesMsg: protocol.BlockBodiesMsg,
		protocol.GetPooledTransactionsMsg: protocol.PooledTransactionsMsg, protocol.GetReceiptsMsg: protocol.ReceiptsMsg,
	}
	for {
		msg, err := rw.ReadMsg()
		if err != nil {
			return err
		}
		select {
		case l.heard <- msg.Code:
		default:
		}
		if answer, ok := answers[msg.Code]; ok {
			var wait time.Duration
			if o.manners.delay != nil {
				wait = o.manners.delay(msg.Code)
			}
			if wait < 0 {
				if err := msg.Discard(); err != nil {
					return err
				}
				continue
			}
			select {
			case <-time.After(wait):
			case <-l.closed:
				return nil
			}
			var request struct {
				ID   uint64
				Rest []rlp.RawValue `rlp:"tail"`
			}
			if err := msg.Decode(&request); err != nil {
				return err
			}
			if err := p2p.Send(rw, answer, []any{request.ID, []any{}}); err != nil {
				return err
			}
		} else if msg.Code == protocol.NewBlockMsg && o.manners.heard != nil {
			packet := new(pushed)
			if err := msg.Decode(packet); err != nil {
				return err
			}
			o.manners.heard(packet)
		} else if err := msg.Discard(); err != nil {
			return err
		}
	}
}

// pushed is a block as a node pushes it (spec network 2.2).
type pushed struct {
	Block *types.Block
	TD    *big.Int
}

func (o *outsider) runIstanbul(p *p2p.Peer, rw p2p.MsgReadWriter) error {
	l := o.half(p, func(l *link) { l.istanbul = rw })
	defer l.close()
	for {
		msg, err := rw.ReadMsg()
		if err != nil {
			return err
		}
		if err := msg.Discard(); err != nil {
			return err
		}
	}
}

// knock connects to a node, whatever becomes of the handshakes of the protocols.
func (o *outsider) knock(ctx context.Context, n *devnet.Node) error {
	node, err := enode.ParseV4(n.Enode())
	if err != nil {
		return err
	}
	return o.server.DialReserved(ctx, node)
}

// dial connects to a node and waits until both protocols run.
func (o *outsider) dial(ctx context.Context, n *devnet.Node) (*link, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for len(o.links) > 0 {
		<-o.links // of connections that are gone
	}
	if err := o.knock(ctx, n); err != nil {
		return nil, err
	}
	select {
	case l := <-o.links:
		return l, nil
	case <-time.After(10 * time.Second):
		return nil, fmt.Errorf("no handshake with %s", n.Name)
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// peerInfo is what the tests look at in admin_peers.
type peerInfo struct {
	Network struct {
		LocalAddress  string
		RemoteAddress string
		Inbound       bool
		Trusted       bool
	}
	Protocols map[string]any
}

// validatorLinks returns the connections of node i with the other validators, by their name.
func (c *cluster) validatorLinks(i int) (map[string]peerInfo, error) {
	var peers []peerInfo
	if err := c.call(i, &peers, "admin_peers"); err != nil {
		return nil, err
	}
	links := make(map[string]peerInfo)
	for _, p := range peers {
		info, _ := p.Protocols["istanbul"].(map[string]any)
		for _, n := range c.network.Nodes {
			if address, _ := info["address"].(string); address == hexutil.Encode(n.Address[:]) {
				links[n.Name] = p
			}
		}
	}
	return links, nil
}

// awaitLinks waits until node i has connections with exactly this many other validators and returns them.
func (c *cluster) awaitLinks(t *testing.T, i, count int) map[string]peerInfo {
	t.Helper()
	var links map[string]peerInfo
	c.await(t, fmt.Sprintf("%d validators connected to %s", count, c.node(i).Name), func() (bool, string) {
		var err error
		links, err = c.validatorLinks(i)
		return err == nil && len(links) == count, fmt.Sprintf("%d connected, error %v", len(links), err)
	})
	return links
}
