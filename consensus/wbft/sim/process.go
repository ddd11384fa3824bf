// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package sim

import (
	"slices"
	"sync"
	"sync/atomic"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/lru"
	"github.com/ethereum/go-ethereum/core/types"

	"gwon/consensus/wbft"
	"gwon/consensus/wbft/core"
	"gwon/consensus/wbft/evidence"
	"gwon/consensus/wbft/messages"
	"gwon/consensus/wbft/recording"
)

const (
	voteLogDir  = "validator"
	voteLogPath = voteLogDir + "/votes.log"

	// knownMessages bounds what is known of the messages of each peer, and what was handed to the driver (spec wbft 4.4).
	knownMessages = 1024
)

// process is a run of an honest node: the real driver and vote log on the node's disk and chain, with a messenger that
// has the caches of eth/session. The actions of a killed process have no effect.
type process struct {
	node    *Node
	engine  *wbft.Engine
	driver  *wbft.Driver
	chain   *chainView
	dead    atomic.Bool
	running atomic.Bool // the driver has started
	builds  atomic.Uint64
	heard   heard // what its state machine was given

	recorder *recording.Recorder // nil for none

	mu       sync.Mutex
	left     int         // acts until it dies; 0 for never
	accepted map[int]int // messages of each peer that reached the driver
	known    lru.BasicLRU[common.Hash, struct{}]
	sessions map[int]*lru.BasicLRU[common.Hash, struct{}] // messages that each peer is known to have
}

// newProcess begins a process, which then reads its disk. An honest one starts.
func newProcess(n *Node) *process {
	p := &process{node: n, known: lru.NewBasicLRU[common.Hash, struct{}](8 * knownMessages)}
	p.sessions, p.accepted = make(map[int]*lru.BasicLRU[common.Hash, struct{}]), make(map[int]int)
	p.chain = newChainView(p)
	p.engine = n.newEngine()
	if n.Signer {
		p.engine.AuthorizeKey(&keeper{process: p})
	}
	next := p.chain.CurrentBlock().Number.Uint64() + 1
	signFrom := n.SignFrom
	if !n.Logged {
		signFrom = next // its operator does not let it wait
	}
	if signFrom == next {
		n.net.observer.told(n, next)
	}
	store, err := evidence.Open(n.evidenceDir(), n.net.genesis.Hash())
	if err != nil {
		panic(err) // a temporary directory, in which nothing can be wrong
	}
	p.recorder = n.record()
	if p.driver, err = wbft.NewDriver(wbft.DriverConfig{
		Engine:       p.engine,
		Chain:        p.chain,
		Network:      p,
		Builder:      builder{p},
		VoteLogDir:   voteLogDir,
		Disk:         mount{n.disk, p},
		SignFrom:     signFrom,
		Evidence:     store,
		InlineUpkeep: true,
		Strict:       n.Strict,
		Recorder:     p.recorder,
		Observe:      func(ev core.Event, effects []core.Effect) { n.net.observer.saw(p, ev, effects) },
	}); err != nil {
		panic(err) // the engine has its key
	}
	n.net.reaping.Go(p.start)
	return p
}

// record returns the recorder of a process, which ends with the network.
func (n *Node) record() *recording.Recorder {
	if n.net.cfg.Record == nil {
		return nil
	}
	r := recording.NewRecorder(n.net.cfg.Record(n.id)...)
	n.net.recorders = append(n.net.recorders, r)
	return r
}

func (p *process) start() {
	n := p.node
	if err := p.driver.Start(); err != nil {
		if !p.dead.Load() {
			n.net.observer.refusedStart(n, err)
		}
		p.dead.Store(true)
		n.disk.release(p)
		n.net.afterBy(n.id, 0, p.bury)
		return
	}
	if p.dead.Load() {
		p.driver.Stop() // it was killed while it started
		return
	}
	p.running.Store(true)
	n.net.afterBy(n.id, 0, func() {
		if n.participant == p {
			n.meet()
		}
	})
}

// newEngine returns an engine with empty caches, the node's key and the node's clock.
func (n *Node) newEngine() *wbft.Engine {
	engine, err := wbft.New(n.net.config, nil)
	if err == nil {
		engine.SetClock(n.clock)
		err = engine.Authorize(n.key)
	}
	if err != nil {
		panic(err) // the configuration was checked, and the key is one
	}
	return engine
}

// act counts an action that others can see. It fails in a dead process, and kills the process when its time has come.
func (p *process) act() error {
	if p.dead.Load() {
		return errDead
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.left > 0 {
		if p.left--; p.left == 0 {
			p.dead.Store(true)
			p.node.net.note(p.node.id, "crashes in the middle of a step")
			p.node.net.afterBy(p.node.id, 0, p.bury)
			return errDying
		}
	}
	return nil
}

func (p *process) mortal(acts int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.left = acts
}

// bury takes a dead process off its node.
func (p *process) bury() {
	if p.node.participant == p {
		p.node.halt()
	}
}

func (p *process) kill() {
	p.dead.Store(true)
	p.node.disk.release(p)
	if p.running.Load() {
		p.node.net.reaping.Go(p.driver.Stop)
	}
}

func (p *process) status() core.Status { return p.driver.Status() }

// session returns what a peer is known to have.
func (p *process) session(other *Node) *lru.BasicLRU[common.Hash, struct{}] {
	s := p.sessions[other.id]
	if s == nil {
		cache := lru.NewBasicLRU[common.Hash, struct{}](knownMessages)
		s = &cache
		p.sessions[other.id] = s
	}
	return s
}

func (p *process) connect(other *Node) {
	p.mu.Lock()
	delete(p.sessions, other.id) // a new connection, of which nothing is known
	p.mu.Unlock()
	if p.running.Load() {
		p.driver.PeerConnected(other.address)
	}
}

func (p *process) part(other *Node) {
	p.mu.Lock()
	delete(p.sessions, other.id)
	p.mu.Unlock()
	if p.running.Load() {
		p.driver.PeerLost(other.address)
	}
}

func (p *process) receive(from *Node, code uint64, payload []byte) {
	if !p.running.Load() || !p.node.net.takes(p.node, from, payload) {
		return
	}
	hash := messages.KnownHash(payload)
	p.mu.Lock()
	p.session(from).Add(hash, struct{}{})
	known := p.known.Contains(hash)
	p.known.Add(hash, struct{}{})
	p.mu.Unlock()
	switch {
	case known:
	case p.driver.Deliver(code, payload, from.address):
		p.mu.Lock()
		p.accepted[from.id]++
		p.mu.Unlock()
	default:
		p.Forget(payload)
		p.node.net.observer.refuses(p, from)
	}
}

// peers are the nodes with an address of the list, this one excepted.
func (p *process) peers(addresses []common.Address) []*Node {
	var list []*Node
	for _, other := range p.node.net.nodes {
		if other != p.node && other.address != p.node.address && slices.Contains(addresses, other.address) {
			list = append(list, other)
		}
	}
	return list
}

// Send implements wbft.Network.
func (p *process) Send(set []common.Address, code uint64, payload []byte, to []common.Address, force bool) {
	if p.dead.Load() {
		return
	}
	p.node.net.observer.sends(p, code, payload, force)
	hash := messages.KnownHash(payload)
	p.mu.Lock()
	p.known.Add(hash, struct{}{})
	p.mu.Unlock()
	for _, other := range p.peers(set) {
		if to == nil || slices.Contains(to, other.address) {
			p.pass(other, code, payload, hash, force)
		}
	}
}

// Relay implements wbft.Network.
func (p *process) Relay(set []common.Address, code uint64, payload []byte) {
	hash := messages.KnownHash(payload)
	for _, other := range p.peers(set) {
		p.pass(other, code, payload, hash, false)
	}
}

// pass sends a message to a peer that is not known to have it.
func (p *process) pass(other *Node, code uint64, payload []byte, hash common.Hash, force bool) {
	p.mu.Lock()
	has := p.session(other).Contains(hash)
	p.mu.Unlock()
	if has && !force || !p.node.net.connected(p.node.id, other.id) || p.act() != nil {
		return
	}
	p.mu.Lock()
	p.session(other).Add(hash, struct{}{})
	p.mu.Unlock()
	p.node.net.send(p.node, other, code, payload)
}

// Forget implements wbft.Network.
func (p *process) Forget(payload []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.known.Remove(messages.KnownHash(payload))
}

// Drop implements wbft.Network.
func (p *process) Drop(validator common.Address, reason string) {
	for _, other := range p.peers([]common.Address{validator}) {
		p.node.net.dropped(p.node, other, reason)
	}
}

// Broadcast implements wbft.Network.
func (p *process) Broadcast(block *types.Block, _ []common.Address) {
	if p.act() == nil {
		p.node.announce(block)
	}
}

func (p *process) importBlocks(blocks []*types.Block) {
	if !p.running.Load() {
		return
	}
	p.node.net.reaping.Go(func() {
		if len(blocks) > 1 { // as during a download
			p.pause(true)
			defer p.pause(false)
		}
		p.chain.imports(blocks)
	})
}

// pause is nothing for a dead process, which is being stopped: to wait for that would stop time.
func (p *process) pause(paused bool) {
	if !p.dead.Load() {
		p.driver.Pause(paused)
	}
}
