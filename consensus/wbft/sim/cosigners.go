// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package sim

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/rlp"

	"gwon/consensus/wbft/bls"
	"gwon/consensus/wbft/extra"
	"gwon/consensus/wbft/internal/scheme"
	"gwon/consensus/wbft/messages"
	"gwon/consensus/wbft/shares"
	"gwon/consensus/wbft/signing"
	"gwon/consensus/wbft/votelog"
)

// Two of three cosigners make a seal.
const (
	cosignerCount     = 3
	cosignerThreshold = 2
)

const (
	cosignerTimeout = 2 * time.Second
	cosignerTravel  = 10 * time.Millisecond // of a request, and of an answer
	cosignerPause   = 500 * time.Millisecond
)

// cosigner is a cosigner of a validator: the state that survives its processes, and the running one. All nodes with the
// key of the validator use it.
type cosigner struct {
	net   *Network
	owner *Node // that has the key, of which the cosigner has a share
	share bls.Share
	disk  *disk

	mu      sync.Mutex
	process *process         // stands for the running process on the disk; nil while down
	server  *shares.Cosigner // nil while down and while it starts
	lies    bool
	forgets bool         // its vote log is lost whenever it stops
	cut     map[int]bool // nodes that cannot reach it
}

func (c *cosigner) String() string { return fmt.Sprintf("cosigner %d.%d", c.owner.id, c.share.Index-1) }

// cosignersOf returns the cosigners of a node's validator, which run.
func (n *Network) cosignersOf(node *Node) []*cosigner {
	n.mu.Lock()
	list, known := n.cosigners[node.address]
	n.mu.Unlock()
	if known {
		return list
	}
	for _, share := range sharesOf(node.bls) {
		c := &cosigner{net: n, owner: node, share: share, disk: newDisk(), cut: make(map[int]bool)}
		c.start()
		list = append(list, c)
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.cosigners[node.address] = list
	return list
}

// start starts a cosigner that is down. It reads its disk in a goroutine, since that takes time.
func (c *cosigner) start() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.process != nil {
		return
	}
	c.net.note(c.owner.id, "%v starts", c)
	process := &process{node: c.owner}
	c.process = process
	c.net.reaping.Go(func() { c.open(process) })
}

// open is the start of a process.
func (c *cosigner) open(process *process) {
	votes, err := votelog.OpenOn(mount{c.disk, process}, voteLogPath, c.net.votesOwner(c.owner))
	if process.dead.Load() {
		return
	}
	if err != nil {
		c.net.fail("%v cannot open its vote log: %v", c, err)
		return
	}
	server := shares.NewCosigner(c.share, c.net.votesOwner(c.owner), votes)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.process == process {
		c.server = server
	}
}

// votesOwner returns the owner of the vote logs of a node's validator.
func (n *Network) votesOwner(node *Node) votelog.Owner {
	return votelog.Owner{Validator: node.address, Genesis: n.genesis.Hash(), ChainID: n.config.ChainID.Uint64()}
}

// crash ends the process of a cosigner at once. What it still does has no effect.
func (c *cosigner) crash() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.process == nil {
		return
	}
	c.net.note(c.owner.id, "%v crashes", c)
	c.process.dead.Store(true)
	c.disk.release(c.process)
	c.process, c.server = nil, nil
	if c.forgets {
		c.disk.wipe()
	}
}

// powerLoss is a crash that also loses unsynced bytes.
func (c *cosigner) powerLoss() {
	c.crash()
	draws := uint64(0)
	c.disk.powerLoss(func() uint64 {
		draws++
		return c.owner.roll("power loss of a cosigner", uint64(c.share.Index), draws)
	})
}

// set changes what is wrong with a cosigner.
func (c *cosigner) set(change func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	change()
}

func (c *cosigner) isForgetful() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.forgets
}

// running returns the process that a node reaches.
func (c *cosigner) running(from *Node) (server *shares.Cosigner, lies, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.server, c.lies, c.server != nil && !c.cut[from.id]
}

// has reports whether an approval of a message would survive a power loss of the cosigner.
func (c *cosigner) has(m messages.Message) bool {
	record := struct {
		Code, Sequence, Round uint64
		Digest                common.Hash
	}{m.Code(), m.View().Sequence, m.View().Round, signing.Subject(m)}
	encoded, err := rlp.EncodeToBytes(&record)
	if err != nil {
		panic(err) // integers and a hash
	}
	fields, _, err := rlp.SplitList(encoded)
	return err == nil && c.disk.holds(voteLogPath, fields)
}

// healCosigners ends the faults of all cosigners.
func (n *Network) healCosigners() {
	n.mu.Lock()
	all := maps.Clone(n.cosigners)
	n.mu.Unlock()
	for _, node := range n.nodes {
		for _, c := range all[node.address] {
			c.set(func() {
				c.lies = false
				clear(c.cut)
			})
			c.start()
		}
	}
}

// stopCosigners ends all cosigners.
func (n *Network) stopCosigners() {
	n.mu.Lock()
	all := maps.Clone(n.cosigners)
	n.mu.Unlock()
	for _, list := range all {
		for _, c := range list {
			c.crash()
		}
	}
}

// path is the way from a process of a node to a cosigner.
type path struct {
	process *process
	*cosigner
}

var errUnreached = errors.New("the cosigner is not reached")

// call has a cosigner do something. The answer may be lost although the cosigner has done it.
func (p path) call(ctx context.Context, do func(*shares.Cosigner) error) error {
	if err := p.travel(ctx, "to a cosigner"); err != nil {
		return err
	}
	server, _, ok := p.running(p.process.node)
	if !ok {
		return errUnreached
	}
	if err := do(server); err != nil {
		return err
	}
	return p.travel(ctx, "from a cosigner")
}

// travel lets the time of a message between node and cosigner pass. A lost message is an answer that never comes.
func (p path) travel(ctx context.Context, what string) error {
	node := p.process.node
	if p.process.dead.Load() {
		return errDead
	}
	conditions := p.net.conditions()
	luck := func(of string) uint64 { return node.roll(of+" "+what, uint64(p.share.Index)) }
	if happens(luck("loss"), conditions.Drop) {
		<-ctx.Done()
		return ctx.Err()
	}
	timer := time.NewTimer(node.span(fmt.Sprint(what, p.share.Index), min(cosignerTravel, conditions.MaxDelay)))
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
	}
	if _, _, ok := p.running(node); !ok {
		return errUnreached
	}
	return nil
}

// Approve implements shares.Endpoint. An approval counts once the cosigner has made it, whether or not it arrives.
func (p path) Approve(ctx context.Context, r *shares.Request) (part []byte, err error) {
	err = p.call(ctx, func(c *shares.Cosigner) (err error) {
		if part, err = c.Approve(r); err == nil {
			p.net.observer.approved(p.cosigner, r)
		}
		return err
	})
	if _, lies, _ := p.running(p.process.node); lies && part != nil {
		other := sha256.Sum256(part)
		part = scheme.Seal(p.share.Key, other[:])
	}
	return part, err
}

// Keep implements shares.Endpoint.
func (p path) Keep(ctx context.Context, records []votelog.Record, locks []votelog.Lock) error {
	return p.call(ctx, func(c *shares.Cosigner) error { return c.Keep(records, locks) })
}

// State implements shares.Endpoint.
func (p path) State(ctx context.Context) (state *shares.State, err error) {
	err = p.call(ctx, func(c *shares.Cosigner) error {
		state = c.State()
		return nil
	})
	return state, err
}

// SetOrigin implements shares.Endpoint.
func (p path) SetOrigin(ctx context.Context, o votelog.Origin) error {
	return p.call(ctx, func(c *shares.Cosigner) error { return c.SetOrigin(o) })
}

// Prune implements shares.Endpoint.
func (p path) Prune(ctx context.Context, sequence uint64) error {
	return p.call(ctx, func(c *shares.Cosigner) error { return c.Prune(sequence) })
}

// cosigned is the key of a process whose seals need cosigners.
type cosigned struct {
	*shares.Committee
	process *process
}

// newCosigned returns the key of a process.
func newCosigned(p *process) *cosigned {
	n := p.node
	cfg := shares.Config{
		Owner: n.net.votesOwner(n), Key: n.key, Seals: n.bls.PublicKey(), Threshold: cosignerThreshold,
		Timeout: cosignerTimeout,
	}
	for _, c := range n.net.cosignersOf(n) {
		cfg.Members = append(cfg.Members,
			shares.Member{Index: c.share.Index, Public: c.share.Key.PublicKey(), Endpoint: path{p, c}})
	}
	committee, err := shares.NewCommittee(cfg)
	if err != nil {
		panic(err) // the configuration is a fixed one
	}
	return &cosigned{committee, p}
}

// OpenVotes implements wbft.Keeper: it waits for enough cosigners, as a node does at its start.
func (k *cosigned) OpenVotes(owner votelog.Owner) (votelog.Votes, error) {
	for {
		votes, err := k.Committee.OpenVotes(owner)
		if err == nil {
			return &cosignedVotes{votes, k}, nil
		}
		if k.process.dead.Load() {
			k.Close()
			return nil, err
		}
		time.Sleep(cosignerPause)
	}
}

// cosignedVotes is the vote log of a driver that ends its committee.
type cosignedVotes struct {
	votelog.Votes
	key *cosigned
}

// SetOrigin implements votelog.Votes. It waits as OpenVotes does.
func (v *cosignedVotes) SetOrigin(o votelog.Origin) error {
	for {
		err := v.Votes.SetOrigin(o)
		if err == nil || v.key.process.dead.Load() {
			return err
		}
		time.Sleep(cosignerPause)
	}
}

// Close implements votelog.Votes.
func (v *cosignedVotes) Close() error {
	err := v.Votes.Close()
	v.key.Close()
	return err
}

var splitKeys sync.Map // shares by the pointer of their key: to split one takes a while

// sharesOf returns the shares of a key, which have cheap exponents too.
func sharesOf(key *bls.SecretKey) []bls.Share {
	if s, ok := splitKeys.Load(key); ok {
		return s.([]bls.Share)
	}
	list, err := bls.Split(key, cosignerThreshold, cosignerCount)
	if err != nil {
		panic(err) // the numbers are fixed
	}
	slope := scalar('s', key.PublicKey().Bytes())
	for _, s := range list {
		value := (exponent(key.PublicKey()) + mulmod(slope, uint64(s.Index))) % prime
		scalars.Store(s.Key.PublicKey(), value)
	}
	s, _ := splitKeys.LoadOrStore(key, list)
	return s.([]bls.Share)
}

// approval is what a cosigner may approve once in a sequence.
type approval struct {
	validator common.Address
	sequence  uint64
	step      step
}

// approved is told of each approval. Two of three cosigners are enough for a seal, so that no two digests of one view
// may have two approvals each.
func (o *observer) approved(c *cosigner, r *shares.Request) {
	m, err := messages.Decode(r.Code, r.Message)
	if err != nil {
		o.net.fail("%v approves a malformed message: %v", c, err)
		return
	}
	at := approval{c.owner.address, m.View().Sequence, step{m.Code(), m.View().Round}}
	digest := signing.Subject(m)
	o.mu.Lock()
	if o.approvals[at] == nil {
		o.approvals[at] = make(map[common.Hash]map[byte]bool)
	}
	byDigest := o.approvals[at]
	if byDigest[digest] == nil {
		byDigest[digest] = make(map[byte]bool)
	}
	byDigest[digest][c.share.Index] = true
	whole := 0
	for _, approvers := range byDigest {
		if len(approvers) >= cosignerThreshold {
			whole++
		}
	}
	if len(byDigest) > 1 {
		o.rivals++
	}
	o.mu.Unlock()
	if whole > 1 {
		o.net.fail("cosigners of node %d approve two different messages: %s and another digest", c.owner.id, o.describe(m))
	}
}

// Rivals counts approvals of what another cosigner has approved otherwise, over all validators.
func (n *Network) Rivals() int {
	n.observer.mu.Lock()
	defer n.observer.mu.Unlock()
	return n.observer.rivals
}

// approvedDurably reports whether a threshold of cosigners would still have a message after a power loss. One that
// forgets counts, because that fault is a part of the script.
func (o *observer) approvedDurably(n *Node, m messages.Message) bool {
	count := 0
	for _, c := range o.net.cosignersOf(n) {
		if c.isForgetful() || c.has(m) {
			count++
		}
	}
	return count >= cosignerThreshold
}

// sealed reports whether the seal of a vote is that of the whole key.
func (o *observer) sealed(n *Node, m messages.Message) bool {
	kind, seal := extra.Prepare, []byte(nil)
	switch m := m.(type) {
	case *messages.Prepare:
		seal = m.Seal
	case *messages.Commit:
		kind, seal = extra.Commit, m.Seal
	default:
		return true
	}
	block := o.block(signing.Subject(m))
	if block == nil {
		return false
	}
	digest := extra.SealDigest(block.Header(), uint32(m.View().Round), kind)
	return slices.Equal(seal, scheme.Seal(n.bls, digest[:]))
}
