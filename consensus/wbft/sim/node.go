// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package sim

import (
	"crypto/ecdsa"
	"errors"
	"fmt"
	"math/big"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/params"

	"gwon/consensus/wbft"
	"gwon/consensus/wbft/bls"
	"gwon/consensus/wbft/core"
	"gwon/consensus/wbft/messages"
	"gwon/consensus/wbft/validators"
	"gwon/consensus/wbft/votelog"
)

// syncInterval is the time between two requests of a node for missing blocks.
const syncInterval = 3 * time.Second

// Node is one simulated node: the state that survives its processes, and the running process. An honest node runs the
// real driver and vote log (process). A node of go-stablenet and a Byzantine one run a state machine with a front of
// its own (raw).
type Node struct {
	net     *Network
	id      int
	key     *ecdsa.PrivateKey
	bls     *bls.SecretKey
	address common.Address
	skew    time.Duration

	// Behavior, if set before the node starts, makes it Byzantine.
	Behavior Behavior
	// Reference makes the node one of go-stablenet, of a release; nil for none.
	Reference *Release
	// Strict is DriverConfig.Strict of its next process.
	Strict bool
	// Logged reports whether the vote log survives crashes.
	Logged bool
	// Signer makes an honest node ask a signer, which has the key and the vote log.
	Signer bool
	// Spoilt tells that the node's disk has failed, so that its validator may have stopped itself.
	Spoilt bool
	// SignFrom is the block from which the node's operator has told it to sign although its votes are lost; 0 for none.
	SignFrom uint64

	chain       *chain
	disk        *disk
	incarnation int
	participant participant // nil while down
	stopping    *process    // the last one that was told to stop
}

// participant is what a node runs.
type participant interface {
	// receive handles a message from a peer.
	receive(from *Node, code uint64, payload []byte)
	// connect tells that a peer can be reached.
	connect(other *Node)
	// part tells that the connection to a peer has ended.
	part(other *Node)
	// importBlocks takes sealed blocks, the first of which should continue the chain.
	importBlocks(blocks []*types.Block)
	status() core.Status
	// kill ends it at once; what it still does has no effect.
	kill()
}

// Height is the number of the node's head.
func (n *Node) Height() uint64 { return n.chain.head().NumberU64() }

// Address is the node's validator address.
func (n *Node) Address() common.Address { return n.address }

// Block returns the node's block at a height it has reached.
func (n *Node) Block(height uint64) *types.Block { return n.chain.block(height) }

// Up reports whether the node runs.
func (n *Node) Up() bool { return n.participant != nil }

// Status is that of the node's state machine; zero while the node is down.
func (n *Node) Status() core.Status {
	if n.participant == nil {
		return core.Status{}
	}
	return n.participant.status()
}

// clock is the node's wall clock.
func (n *Node) clock() time.Time { return time.Now().Add(n.skew) }

// roll draws a random number of the node's own.
func (n *Node) roll(what string, xs ...uint64) uint64 {
	return n.net.roll(what, append([]uint64{uint64(n.id), uint64(n.net.Now())}, xs...)...)
}

// delay draws a duration in [0, most).
func (n *Node) delay(what string, most time.Duration) time.Duration {
	return between(n.roll(what), 0, most)
}

// span draws how long something takes: up to most, and at least some microseconds, so that no two things end at one
// moment.
func (n *Node) span(what string, most time.Duration) time.Duration {
	return between(n.roll(what+" at least"), 10*time.Microsecond, 20*time.Microsecond) + n.delay(what, most)
}

// spend lets as much time pass as something takes.
func (n *Node) spend(what string, most time.Duration) { time.Sleep(n.span(what, most)) }

func (n *Node) chance(what string, probability float64) bool {
	return happens(n.roll(what), probability)
}

// transactions are those of the node's candidate number i.
func (n *Node) transactions(i uint64) []*types.Transaction {
	list := make([]*types.Transaction, n.roll("transactions", i)%3)
	for at := range list {
		list[at] = types.NewTx(&types.LegacyTx{
			Nonce: i, Gas: params.TxGas, GasPrice: new(big.Int), Value: new(big.Int), To: &n.address, Data: []byte{byte(at)},
			V: big.NewInt(27), R: common.Big1, S: common.Big1,
		})
	}
	return list
}

func (n *Node) start() {
	if n.participant != nil {
		return
	}
	if n.stopping != nil && !n.stopping.dead.Load() {
		n.net.after(10*time.Millisecond, n.start) // two processes of one node do not run at once
		return
	}
	n.incarnation++
	if !n.Logged {
		n.disk.wipe()
	}
	n.net.note(n.id, "starts at height %d", n.Height())
	n.net.observer.checkEvidence(n)
	if n.Behavior != nil || n.Reference != nil {
		r := newRaw(n)
		n.participant = r
		r.newHead()
		n.meet()
	} else {
		n.participant = newProcess(n)
	}
}

// meet connects the node with all others.
func (n *Node) meet() {
	for i, other := range n.net.nodes {
		moment := time.Duration(1 + 2*i)
		n.net.after(moment, func() { n.connect(other) })
		n.net.after(moment+1, func() { other.connect(n) })
	}
}

// connect tells a node that it can reach another one.
func (n *Node) connect(other *Node) {
	if n != other && n.Up() && other.Up() && n.net.connected(n.id, other.id) {
		n.participant.connect(other)
	}
}

// part tells all others, one after the other, that their connection to the node has ended with it.
func (n *Node) part() {
	for i, other := range n.net.nodes {
		n.net.after(time.Duration(1+i), func() {
			if !n.Up() && n.net.connected(n.id, other.id) {
				other.lose(n)
			}
		})
	}
}

// lose tells a node that its connection to another one has ended.
func (n *Node) lose(other *Node) {
	if n != other && n.Up() {
		n.participant.part(other)
	}
}

// Crash stops the node as a kill of the process does. Its memory is lost; bytes in the kernel are not.
func (n *Node) Crash() {
	if n.participant != nil {
		n.net.note(n.id, "crashes")
		n.halt()
	}
}

// halt ends what runs.
func (n *Node) halt() {
	if n.participant != nil {
		n.participant.kill()
		n.participant = nil
		n.part()
	}
}

// Stop shuts the node down.
func (n *Node) Stop() {
	if p, ok := n.participant.(*process); ok && p.running.Load() {
		n.net.note(n.id, "stops")
		n.participant, n.stopping = nil, p
		n.part()
		n.net.reaping.Go(func() {
			p.driver.Stop()
			p.dead.Store(true)
			n.disk.release(p)
		})
		return
	}
	n.Crash()
}

// PowerLoss is a crash that also loses unsynced bytes.
func (n *Node) PowerLoss() {
	n.net.note(n.id, "loses power")
	n.halt()
	draws := uint64(0)
	roll := func() uint64 {
		draws++
		return n.roll("power loss", draws)
	}
	n.disk.powerLoss(roll)
	n.chain.powerLoss(roll)
	n.net.observer.afterPowerLoss(n)
}

// LoseLog is a crash after which the vote log is gone. The log stays where no block on the node's disk has a seal of
// its key: such a validator cannot notice the loss (docs/consensus.md, Signatures and durability 8).
func (n *Node) LoseLog() {
	if n.Behavior != nil || n.Reference != nil {
		return // it has none
	}
	n.Crash()
	if n.stopping != nil {
		n.stopping.dead.Store(true)
		n.disk.release(n.stopping)
	}
	if !n.hasSealed() {
		n.net.note(n.id, "keeps its vote log: it has never sealed")
		return
	}
	n.disk.wipe()
	n.net.note(n.id, "loses its vote log")
	n.net.observer.logLost(n)
}

// Adopt is LoseLog for a validator whose program kept no vote log, and whose directory another program takes over.
func (n *Node) Adopt() {
	if n.Behavior != nil || n.Reference != nil {
		return
	}
	n.LoseLog()
	owner := votelog.Owner{Validator: n.address, Genesis: n.net.genesis.Hash()}
	p := &process{node: n}
	votes, err := votelog.OpenOn(mount{n.disk, p}, voteLogPath, owner)
	if err == nil {
		origin := wbft.AdoptedOrigin(n.clock(), n.chain.block(n.chain.onDisk()).Header(), 0)
		err = errors.Join(votes.SetOrigin(origin), votes.Close())
	}
	if err != nil {
		n.net.fail("node %d has no vote log after it was taken over: %v", n.id, err)
	}
	n.disk.release(p)
	n.net.note(n.id, "is taken over")
	n.net.observer.adopted(n)
}

// hasSealed reports whether a block on the node's disk has a seal of its key, or was proposed by it.
func (n *Node) hasSealed() bool {
	sealed := func(number uint64, seals ...*types.WBFTSeal) bool {
		members := n.net.members(number)
		for _, seal := range seals {
			if seal == nil {
				continue
			}
			places, err := validators.DecodeSealers(seal.Sealers, len(members))
			if err != nil {
				n.net.fail("block %d of node %d: %v", number, n.id, err)
			}
			for _, place := range places {
				if n.net.nodes[members[place]].address == n.address {
					return true
				}
			}
		}
		return false
	}
	for number := uint64(1); number <= n.chain.onDisk(); number++ {
		header := n.chain.block(number).Header()
		x, err := header.WBFTExtra()
		if err != nil {
			n.net.fail("block %d of node %d: %v", number, n.id, err)
			return false
		}
		if header.Coinbase == n.address || sealed(number, x.PreparedSeal, x.CommittedSeal) ||
			number > 1 && sealed(number-1, x.PrevPreparedSeal, x.PrevCommittedSeal) {
			return true
		}
	}
	return false
}

// Waiting reports whether the node's validator signs nothing because its votes are lost.
func (n *Node) Waiting() bool {
	p, ok := n.participant.(*process)
	return ok && p.driver.Waiting() != ""
}

// CrashAfter crashes the node after acts further writes, syncs and sends; 0 for never.
func (n *Node) CrashAfter(acts int) {
	if p, ok := n.participant.(*process); ok {
		p.mortal(acts)
	}
}

// Restart starts a crashed node again.
func (n *Node) Restart() { n.net.after(0, n.start) }

// receive takes a message from the network.
func (n *Node) receive(from *Node, code uint64, payload []byte) {
	if n.participant != nil {
		n.participant.receive(from, code, payload)
	}
}

// importBlocks takes sealed blocks from a peer.
func (n *Node) importBlocks(blocks ...*types.Block) {
	if n.participant != nil {
		n.participant.importBlocks(blocks)
	}
}

// announce sends a block that the node has committed to everybody who can be reached.
func (n *Node) announce(block *types.Block) {
	if tooLargeToPush(block) {
		n.net.fail("node %d announces block %s, which does not fit into NewBlock", n.id, n.net.name(block.Hash()))
		return
	}
	for _, other := range n.net.nodes {
		luck := func(what string) uint64 { return n.roll(what, uint64(other.id), block.NumberU64()) }
		if other == n || !n.net.connected(n.id, other.id) || happens(luck("block lost"), n.net.conditions().BlockDrop) ||
			other.Reference != nil && block.SanityCheck() != nil { // go-stablenet takes it when it asks
			continue
		}
		n.net.afterBy(n.id, between(luck("block"), n.net.conditions().MinDelay, n.net.conditions().MaxDelay),
			func() { other.importBlocks(block) })
	}
}

// syncLoop asks a random reachable node for missing blocks, again and again.
func (n *Node) syncLoop() {
	n.net.after(syncInterval, n.syncLoop)
	n.net.observer.checkUp(n)
	other := n.net.nodes[n.roll("sync with")%uint64(len(n.net.nodes))]
	if !n.Up() || !other.Up() || !n.net.connected(n.id, other.id) || other.Height() <= n.Height() {
		return
	}
	if n.chance("sync lost", n.net.conditions().BlockDrop) {
		return
	}
	var missing []*types.Block
	for height := n.Height() + 1; height <= other.Height(); height++ {
		missing = append(missing, other.Block(height))
	}
	n.importBlocks(missing...)
}

// isOwn reports whether a message is signed by the node.
func (n *Node) isOwn(code uint64, payload []byte) bool {
	m, err := messages.Decode(code, payload)
	if err != nil {
		return false
	}
	signer, err := m.Signer()
	return err == nil && signer == n.address
}

// honest reports whether the node is held to the promises of an honest validator.
func (n *Node) honest() bool {
	return n.Behavior == nil && n.Reference == nil && n.Logged && !n.twin()
}

// twin reports whether another node has the key of the node.
func (n *Node) twin() bool {
	_, twin := n.net.cfg.Twins[n.id]
	for _, original := range n.net.cfg.Twins {
		twin = twin || original == n.id
	}
	return twin
}

func (n *Node) String() string { return fmt.Sprintf("node %d", n.id) }
