// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package validatorpeers

import (
	"context"
	"crypto/ecdsa"
	"errors"
	"math/big"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/log"
	"github.com/ethereum/go-ethereum/metrics"
	"github.com/ethereum/go-ethereum/p2p"
	"github.com/ethereum/go-ethereum/p2p/enode"

	"gwon/consensus/wbft/extra"
	"gwon/consensus/wbft/validators"
	"gwon/eth/session"
)

const (
	// firstDialDelay is how long a missing validator is given to come back by itself, or by the dials of its own side.
	firstDialDelay = 5 * time.Second
	// minDialInterval lies between two attempts to reach a validator, at first; it doubles up to maxDialInterval. A node
	// turns an address away that calls again within 30 seconds (spec network 1).
	minDialInterval = 35 * time.Second
	maxDialInterval = 2 * time.Minute

	// keySearchDepth is how many blocks below the head are searched at start for the public keys of validators.
	keySearchDepth = 256
)

var (
	validatorsConnectedGauge = metrics.NewRegisteredGauge("gwon/validators/connected", nil) // the other validators that are peers
	validatorsTotalGauge     = metrics.NewRegisteredGauge("gwon/validators/total", nil)     // the other validators; 0 on a node that is none
)

var errNoEndpoint = errors.New("no address of the validator is known")

// peerServer is what the p2p server does for Peers.
type peerServer interface {
	Dial(ctx context.Context, node *enode.Node) error          // connects, whatever the number of peers
	Resolve(ctx context.Context, node *enode.Node) *enode.Node // asks discovery for the address; nil if it is not found
	AddTrustedPeer(node *enode.Node)                           //
	RemoveTrustedPeer(node *enode.Node)                        //
}

// Peers keeps the current validators connected to each other (spec network 11 no. 5), on a node that is one of them:
//
//   - each of the others has a place here, dialled or inbound, that a full peer table cannot take;
//   - one that is missing is dialled, with a back-off, without regard to the dial slots of ordinary peers.
//
// A validator is recognised by its address, which is part of the node identity that a connection proves. Where to dial it is
// known from the operator's static nodes, from an earlier connection made by this side, which the file keeps, and from
// discovery, which finds a node by its public key; the public key is in the randao reveal of every block that the validator
// has proposed. The address an inbound connection comes from says nothing about where its node listens. So two validators
// that know each other's address by none of these, and use no discovery, stay apart until an operator names one to the other.
type Peers struct {
	self     common.Address
	chainID  *big.Int
	server   peerServer
	sessions *session.Sessions
	file     *nodeFile
	operator map[enode.ID]bool // trusted by configuration: never distrusted here
	wake     chan struct{}

	set atomic.Pointer[validators.Set] // in charge of the next block; nil unless this node is in it

	mu      sync.Mutex
	nodes   map[common.Address]*enode.Node      // with an address to dial
	stored  map[common.Address]string           // what of it the file holds, as URLs
	keys    map[common.Address]*ecdsa.PublicKey // of validators that have proposed
	trusted map[enode.ID]*enode.Node            // by this type
}

// New reads the file of known nodes. The operator's static and trusted nodes are more trustworthy than it.
func New(self common.Address, chainID *big.Int, server peerServer, s *session.Sessions, path string, static, trusted []*enode.Node) *Peers {
	v := &Peers{
		self: self, chainID: chainID, server: server, sessions: s, file: &nodeFile{path},
		operator: make(map[enode.ID]bool),
		wake:     make(chan struct{}, 1),
		nodes:    make(map[common.Address]*enode.Node),
		stored:   make(map[common.Address]string),
		keys:     make(map[common.Address]*ecdsa.PublicKey),
		trusted:  make(map[enode.ID]*enode.Node),
	}
	known, err := v.file.read()
	if err != nil {
		log.Warn("The file of known validators cannot be used: it will be written anew", "file", path, "err", err)
	}
	for _, list := range [][]*enode.Node{known, trusted, static} {
		for _, n := range list {
			if _, ok := n.TCPEndpoint(); ok {
				v.nodes[session.AddressOf(n.ID())] = n
			}
		}
	}
	for _, n := range known {
		v.stored[session.AddressOf(n.ID())] = n.URLv4()
	}
	for _, n := range trusted {
		v.operator[n.ID()] = true
	}
	return v
}

// Reserves tells whether a node has a place here. It is what p2p.Server.Reserve wants.
func (v *Peers) Reserves(id enode.ID) bool {
	set := v.set.Load()
	return set != nil && set.Contains(session.AddressOf(id))
}

// Follow takes the set in charge of the child of head.
func (v *Peers) Follow(head *types.Header, set *validators.Set) {
	if !set.Contains(v.self) {
		set = nil
	}
	if set != nil {
		v.learn(head)
	}
	if v.set.Swap(set) == set {
		return
	}
	v.mu.Lock()
	for id, node := range v.trusted {
		if !v.Reserves(id) {
			delete(v.trusted, id)
			if !v.operator[id] {
				v.server.RemoveTrustedPeer(node)
			}
		}
	}
	v.mu.Unlock()
	for _, ses := range v.sessions.Ready() {
		v.Met(ses)
	}
	v.Nudge()
}

// Search learns the public keys of validators from the blocks up to head, which chain holds.
func (v *Peers) Search(chain interface {
	GetHeader(common.Hash, uint64) *types.Header
}, head *types.Header) {
	for range keySearchDepth {
		if head == nil || head.Number.Sign() == 0 {
			return
		}
		v.learn(head)
		head = chain.GetHeader(head.ParentHash, head.Number.Uint64()-1)
	}
}

// learn takes the public key of a block's coinbase from its randao reveal (spec wbft 2.3).
func (v *Peers) learn(header *types.Header) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if header.Number.Sign() == 0 || v.keys[header.Coinbase] != nil {
		return
	}
	x, err := header.WBFTExtra()
	if err != nil {
		return // the chain holds no such block but genesis
	}
	if key, err := extra.RandaoKey(x.RandaoReveal, v.chainID, header.Number.Uint64()); err == nil {
		v.keys[header.Coinbase] = key
	}
}

// Met takes note of a peer that both protocols run with.
func (v *Peers) Met(ses *session.Session) {
	id := ses.Peer.ID()
	if !v.Reserves(id) {
		return
	}
	defer v.Nudge()
	node := ses.Peer.Node()
	v.mu.Lock()
	defer v.mu.Unlock()
	v.trusted[id] = node
	v.server.AddTrustedPeer(node) // it may have connected before it became a validator
	if _, ok := node.TCPEndpoint(); !ok || ses.Peer.Inbound() {
		return
	}
	v.nodes[ses.Address] = node
	if v.stored[ses.Address] == node.URLv4() {
		return
	}
	if err := v.file.write(v.nodes, v.Reserves); err != nil {
		log.Warn("The addresses of validators cannot be kept for the next start", "err", err)
		return
	}
	clear(v.stored)
	for address, n := range v.nodes {
		v.stored[address] = n.URLv4()
	}
}

// Nudge makes run look again.
func (v *Peers) Nudge() {
	select {
	case v.wake <- struct{}{}:
	default:
	}
}

// attempt is the state of reaching one validator.
type attempt struct {
	busy   bool
	absent bool
	next   time.Time // when it is dialled, if it is absent then
	last   time.Time // when it was dialled
	delay  time.Duration
}

// Run dials the validators that are missing until ctx ends.
func (v *Peers) Run(ctx context.Context) {
	attempts := make(map[common.Address]*attempt)
	done := make(chan common.Address)
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-v.wake:
		case <-timer.C:
		case address := <-done:
			if a := attempts[address]; a != nil {
				a.busy = false
			}
		}
		due, next := v.visit(attempts, time.Now())
		for _, address := range due {
			go func() {
				if err := v.dial(ctx, address); err != nil {
					log.Debug("Cannot reach a validator", "address", address, "err", err)
				}
				select {
				case done <- address:
				case <-ctx.Done():
				}
			}()
		}
		timer.Reset(next)
	}
}

// visit brings the attempts up to date. It returns the validators to dial now, and how long until it wants to be called again
// unless something happens before.
func (v *Peers) visit(attempts map[common.Address]*attempt, now time.Time) (due []common.Address, next time.Duration) {
	next = maxDialInterval
	set := v.set.Load()
	if set == nil {
		clear(attempts)
		validatorsConnectedGauge.Update(0)
		validatorsTotalGauge.Update(0)
		return nil, next
	}
	for address := range attempts {
		if !set.Contains(address) {
			delete(attempts, address)
		}
	}
	connected := 0
	present := v.sessions.Present()
	for _, address := range set.Addresses() {
		if address == v.self {
			continue
		}
		a := attempts[address]
		if a == nil {
			a = &attempt{delay: minDialInterval}
			attempts[address] = a
		}
		ready, joined := present[address]
		if ready {
			connected++
			a.absent, a.delay = false, minDialInterval
		}
		if joined || a.busy {
			continue
		}
		if !a.absent {
			a.absent = true
			a.next = now.Add(jitter(firstDialDelay))
			if again := a.last.Add(minDialInterval); again.After(a.next) {
				a.next = again
			}
		}
		if wait := a.next.Sub(now); wait > 0 {
			next = min(next, wait)
			continue
		}
		a.busy, a.last = true, now
		a.next = now.Add(jitter(a.delay))
		a.delay = min(2*a.delay, maxDialInterval)
		due = append(due, address)
	}
	validatorsConnectedGauge.Update(int64(connected))
	validatorsTotalGauge.Update(int64(set.Len() - 1))
	return due, next
}

// jitter lengthens a delay by up to a half: two nodes that call each other at the same moment may refuse each other.
func jitter(d time.Duration) time.Duration { return d + rand.N(d/2) }

// dial connects to a validator: at the known address, and then at the one that discovery gives.
func (v *Peers) dial(ctx context.Context, address common.Address) error {
	v.mu.Lock()
	node, key := v.nodes[address], v.keys[address]
	v.mu.Unlock()
	err := errNoEndpoint
	if node != nil {
		if err = v.server.Dial(ctx, node); err == nil || errors.Is(err, p2p.DiscAlreadyConnected) {
			return nil
		}
	} else if key != nil {
		node = enode.NewV4(key, nil, 0, 0)
	} else {
		return err
	}
	found := v.server.Resolve(ctx, node)
	if found == nil || found.URLv4() == node.URLv4() {
		return err
	}
	return v.server.Dial(ctx, found)
}

// Server is the p2p server as Peers sees it.
type Server struct{ *p2p.Server }

func (d Server) Dial(ctx context.Context, node *enode.Node) error { return d.DialReserved(ctx, node) }

func (d Server) Resolve(ctx context.Context, node *enode.Node) *enode.Node {
	resolvers := make([]interface{ Resolve(*enode.Node) *enode.Node }, 0, 2)
	if v4 := d.DiscoveryV4(); v4 != nil {
		resolvers = append(resolvers, v4)
	}
	if v5 := d.DiscoveryV5(); v5 != nil {
		resolvers = append(resolvers, v5)
	}
	for _, r := range resolvers {
		if found := r.Resolve(node); found != nil && ctx.Err() == nil {
			if _, ok := found.TCPEndpoint(); ok {
				return found
			}
		}
	}
	return nil
}
