// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package validatorpeers

import (
	"context"
	"crypto/ecdsa"
	"errors"
	"maps"
	"math/big"
	"math/rand/v2"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/log"
	"github.com/ethereum/go-ethereum/metrics"
	"github.com/ethereum/go-ethereum/p2p"
	"github.com/ethereum/go-ethereum/p2p/enode"
	"golang.org/x/time/rate"

	"gwon/consensus/wbft/extra"
	"gwon/consensus/wbft/validators"
	"gwon/eth/session"
)

const (
	// firstDialDelay is the time for a missing validator to reconnect by itself.
	firstDialDelay = 5 * time.Second
	// minDialInterval is the initial time between two attempts to reach a validator; it doubles up to maxDialInterval. A
	// node refuses an address that connects again within 30 seconds (spec network 1).
	minDialInterval = 35 * time.Second
	maxDialInterval = 2 * time.Minute
	// unreachedInterval is the time after an attempt that made no connection, which the other node thus does not count.
	// When a network is whole again, its validators find each other within this time. The one with the higher address
	// waits three times as long, because two that dial each other at once may refuse each other.
	unreachedInterval = 3 * time.Second
)

var (
	// other validators that are peers
	validatorsConnectedGauge = metrics.NewRegisteredGauge("gwon/validators/connected", nil)
	// other validators; 0 on a follower
	validatorsTotalGauge = metrics.NewRegisteredGauge("gwon/validators/total", nil)
)

var errNoEndpoint = errors.New("no address of the validator is known")

// peerServer is the part of the p2p server that Peers uses.
type peerServer interface {
	Dial(ctx context.Context, node *enode.Node) error          // connects regardless of the number of peers
	Resolve(ctx context.Context, node *enode.Node) *enode.Node // asks discovery for the address; nil if not found
	AddTrustedPeer(node *enode.Node)                           //
	RemoveTrustedPeer(node *enode.Node)                        //
}

// Peers keeps validators connected to each other (spec network 11 no. 5), on a node that is one of them:
//
// - Each other validator has a reserved place here, dialed or inbound.
// - A missing validator is dialed with back-off, outside of the dial slots of ordinary peers.
//
// A connection proves the identity of a node, and the identity contains the validator's address. The network address
// to dial comes from the operator's static nodes, from the file with earlier outbound connections, or from discovery.
// Discovery needs the public key, which is in the randao reveal of every block that the validator proposed.
//
// The source of an inbound connection is no listening address. Two validators without any of these sources stay
// unconnected until an operator names one to the other.
type Peers struct {
	self     common.Address
	chainID  *big.Int
	server   peerServer
	sessions *session.Sessions
	file     *nodeFile
	operator map[enode.ID]bool // trusted by configuration, which Peers does not change
	wake     chan struct{}
	twin     rate.Sometimes // log lines about another node with the same key

	set atomic.Pointer[validators.Set] // set of the next block; nil unless this node is in it

	mu      sync.Mutex
	nodes   map[common.Address]*enode.Node      // nodes with an address to dial
	stored  map[common.Address]string           // content of the file, as URLs
	keys    map[common.Address]*ecdsa.PublicKey // keys of validators that have proposed
	trusted map[enode.ID]*enode.Node            // nodes trusted by this type
}

// New reads the file of known nodes. The operator's static and trusted nodes take precedence over it.
func New(self common.Address, chainID *big.Int, server peerServer, s *session.Sessions, path string, static,
	trusted []*enode.Node) *Peers {
	v := &Peers{
		self: self, chainID: chainID, server: server, sessions: s, file: &nodeFile{path},
		operator: make(map[enode.ID]bool),
		wake:     make(chan struct{}, 1),
		twin:     rate.Sometimes{Interval: time.Minute},
		nodes:    make(map[common.Address]*enode.Node),
		stored:   make(map[common.Address]string),
		keys:     make(map[common.Address]*ecdsa.PublicKey),
		trusted:  make(map[enode.ID]*enode.Node),
	}
	known, err := v.file.read()
	if err != nil {
		log.Warn("File of known validators replaced", "file", path, "err", err)
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

// Reserves reports whether a node has a reserved place. It implements p2p.Server.Reserve.
func (v *Peers) Reserves(id enode.ID) bool {
	set := v.set.Load()
	return set != nil && set.Contains(session.AddressOf(id))
}

// Follow sets the validators of the child of head.
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

// Search reads the public keys of validators from the last 256 blocks up to head in chain.
func (v *Peers) Search(chain interface {
	GetHeader(common.Hash, uint64) *types.Header
}, head *types.Header) {
	for range 256 {
		if head == nil || head.Number.Sign() == 0 {
			return
		}
		v.learn(head)
		head = chain.GetHeader(head.ParentHash, head.Number.Uint64()-1)
	}
}

// learn reads the public key of a block's coinbase from its randao reveal (spec wbft 2.3).
func (v *Peers) learn(header *types.Header) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if header.Number.Sign() == 0 || v.keys[header.Coinbase] != nil {
		return
	}
	x, err := header.WBFTExtra()
	if err != nil {
		return // only genesis
	}
	if key, err := extra.RandaoKey(x.RandaoReveal, v.chainID, header.Number.Uint64()); err == nil {
		v.keys[header.Coinbase] = key
	}
}

// Met records a peer that runs both protocols.
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
	v.server.AddTrustedPeer(node) // it may have become a validator after its connection
	if _, ok := node.TCPEndpoint(); !ok || ses.Peer.Inbound() {
		return
	}
	v.nodes[ses.Address] = node
	if v.stored[ses.Address] == node.URLv4() {
		return
	}
	if err := v.file.write(v.nodes, v.Reserves); err != nil {
		log.Warn("Addresses of validators not saved", "err", err)
		return
	}
	clear(v.stored)
	for address, n := range v.nodes {
		v.stored[address] = n.URLv4()
	}
}

// Nudge makes Run check the connections.
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
	taken  int           // dials in a row that the validator ended because it has this node already
	next   time.Time     // time of the next dial
	last   time.Time     // time of the last dial that may have made a connection
	search time.Time     // from when a dial may ask discovery again
	delay  time.Duration // between such dials
}

// call is a dial that is due.
type call struct {
	address common.Address
	search  bool // in discovery, if the known address does not answer
}

// Run dials missing validators until ctx ends.
func (v *Peers) Run(ctx context.Context) {
	attempts := make(map[common.Address]*attempt)
	type outcome struct {
		address common.Address
		err     error
	}
	done := make(chan outcome)
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-v.wake:
		case <-timer.C:
		case o := <-done:
			if a := attempts[o.address]; a != nil {
				a.busy = false
				if unreached(o.err) {
					v.soon(a, o.address, time.Now())
				}
				v.countTaken(a, o.address, o.err)
			}
		}
		due, next := v.visit(attempts, time.Now())
		for _, c := range due {
			go func() {
				err := v.dial(ctx, c.address, c.search)
				if err != nil {
					log.Debug("Validator not reached", "address", c.address, "err", err)
				}
				select {
				case done <- outcome{c.address, err}:
				case <-ctx.Done():
				}
			}()
		}
		timer.Reset(next)
	}
}

// countTaken counts the dials that a validator ends because a node with this key is connected to it. One such answer
// may cross its own dial to this node; a second one in a row comes of another node with the key.
func (v *Peers) countTaken(a *attempt, validator common.Address, err error) {
	if !errors.Is(err, p2p.DiscAlreadyConnected) {
		a.taken = 0
	} else if a.taken++; a.taken >= 2 {
		v.twin.Do(func() {
			log.Warn("Another node with this node's key keeps it from its peers", "connectedTo", validator,
				"remedy", "stop that node, or start it with a key of its own")
		})
	}
}

// unreached reports whether a dial has failed before there was a connection.
func unreached(err error) bool {
	var op *net.OpError
	return errors.As(err, &op) && op.Op == "dial"
}

// soon has a validator dialed again that was not reached.
func (v *Peers) soon(a *attempt, address common.Address, now time.Time) {
	wait := unreachedInterval
	if v.self.Cmp(address) > 0 {
		wait *= 3
	}
	a.last = time.Time{}
	if next := now.Add(jitter(wait)); next.Before(a.next) {
		a.next = next
	}
}

// visit updates the attempts. It returns the dials that are due, and the time until the next visit.
func (v *Peers) visit(attempts map[common.Address]*attempt, now time.Time) (due []call, next time.Duration) {
	next = maxDialInterval
	set := v.set.Load()
	if set == nil {
		clear(attempts)
		validatorsConnectedGauge.Update(0)
		validatorsTotalGauge.Update(0)
		return nil, next
	}
	maps.DeleteFunc(attempts, func(address common.Address, _ *attempt) bool { return !set.Contains(address) })
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
			a.absent, a.delay, a.search, a.taken = false, minDialInterval, time.Time{}, 0
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
		search := !now.Before(a.search)
		if search {
			a.search = now.Add(jitter(a.delay))
			a.next = a.search
			a.delay = min(2*a.delay, maxDialInterval)
		} else {
			a.next = now.Add(jitter(minDialInterval))
		}
		due = append(due, call{address, search})
	}
	validatorsConnectedGauge.Update(int64(connected))
	validatorsTotalGauge.Update(int64(set.Len() - 1))
	return due, next
}

// jitter extends a delay by up to a half, because two nodes that dial each other at once may refuse each other.
func jitter(d time.Duration) time.Duration {
	return d + rand.N(d/2) //nolint:gosec // a delay is no secret
}

// dial connects to a validator at the known address, and then at the one from discovery if it may be searched there.
func (v *Peers) dial(ctx context.Context, address common.Address, search bool) error {
	v.mu.Lock()
	node, key := v.nodes[address], v.keys[address]
	v.mu.Unlock()
	err := errNoEndpoint
	if node != nil {
		if err = v.server.Dial(ctx, node); err == nil || errors.Is(err, p2p.DiscAlreadyConnected) {
			return err
		}
	} else if key != nil {
		node = enode.NewV4(key, nil, 0, 0)
	} else {
		return err
	}
	if !search {
		return err
	}
	found := v.server.Resolve(ctx, node)
	if found == nil || found.URLv4() == node.URLv4() {
		return err
	}
	return v.server.Dial(ctx, found)
}

// Server implements peerServer with the p2p server.
type Server struct{ *p2p.Server }

// Dial connects to a node on a reserved place.
func (d Server) Dial(ctx context.Context, node *enode.Node) error { return d.DialReserved(ctx, node) }

// Resolve asks discovery for the address of a node; nil if it is not found.
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
