// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package sim

import (
	"container/heap"
	"crypto/ecdsa"
	"crypto/sha256"
	"fmt"
	"math/rand"
	"strings"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"

	"gwon/consensus/wbft/bls"
	"gwon/consensus/wbft/core"
	"gwon/consensus/wbft/validators"
)

// Config describes a network. Durations are simulated time.
type Config struct {
	Seed  int64
	Nodes int // nodes that exist
	// Validators returns the indices of the nodes that are validators of a height, in order; nil for all nodes at all
	// heights.
	Validators func(height uint64) []int

	Period            time.Duration // block period, 1 s if 0
	RequestTimeout    time.Duration // 2 s if 0
	MaxRequestTimeout time.Duration // cap set by the network
	DefaultMaxTimeout time.Duration // cap set by the node, 10 s if 0
	Policy            uint64

	MinDelay, MaxDelay time.Duration // of a message; 1 to 20 ms if 0
	Drop, Duplicate    float64       // probability for each message
	BlockDrop          float64       // probability that a decided block is not passed on, or a request for blocks fails
	MaxSkew            time.Duration // clocks are off by up to this, either way
	MaxExecution       time.Duration // executing a block takes up to this
}

func (c *Config) defaults() {
	set := func(d *time.Duration, value time.Duration) {
		if *d == 0 {
			*d = value
		}
	}
	set(&c.Period, time.Second)
	set(&c.RequestTimeout, 2*time.Second)
	set(&c.DefaultMaxTimeout, 10*time.Second)
	set(&c.MinDelay, time.Millisecond)
	set(&c.MaxDelay, 20*time.Millisecond)
}

// Start is the moment every simulation begins, and the timestamp of its genesis block.
var Start = time.Unix(1_700_000_000, 0)

// task is something that happens at a moment. Tasks of one moment happen in the order they were made.
type task struct {
	at    time.Time
	order uint64
	run   func()
}

type schedule []*task

func (s schedule) Len() int { return len(s) }
func (s schedule) Less(i, j int) bool {
	if !s[i].at.Equal(s[j].at) {
		return s[i].at.Before(s[j].at)
	}
	return s[i].order < s[j].order
}
func (s schedule) Swap(i, j int) { s[i], s[j] = s[j], s[i] }
func (s *schedule) Push(x any)   { *s = append(*s, x.(*task)) }
func (s *schedule) Pop() any {
	old := *s
	last := old[len(old)-1]
	old[len(old)-1] = nil
	*s = old[:len(old)-1]
	return last
}

// Network is a running simulation.
type Network struct {
	cfg   Config
	rand  *rand.Rand
	now   time.Time
	tasks schedule
	order uint64

	nodes    []*Node
	genesis  *types.Block
	sets     map[string]*validators.Set
	groups   []int                  // partition group of each node
	decided  map[uint64]common.Hash // by height
	verdicts map[string]error       // on aggregated seals
	failure  error
	trace    []string // the latest steps, for the report of a failure
	digest   [32]byte // over all steps, to compare runs

	// Intercept, if set, sees every message before it is on its way and may keep it from being sent.
	Intercept func(from, to int, code uint64, payload []byte) (pass bool)
	// Faults counts reported misbehaviour by kind, over all nodes.
	Faults map[core.Fault]int
	// BadDeliveries counts how often a deliverer was blamed, over all nodes.
	BadDeliveries int
}

// traceLength is how many steps the report of a failure shows.
const traceLength = 400

// New makes a network whose nodes all run and know each other.
func New(cfg Config) *Network {
	cfg.defaults()
	n := &Network{
		cfg:      cfg,
		rand:     rand.New(rand.NewSource(cfg.Seed)),
		now:      Start,
		sets:     make(map[string]*validators.Set),
		groups:   make([]int, cfg.Nodes),
		decided:  make(map[uint64]common.Hash),
		verdicts: make(map[string]error),
		Faults:   make(map[core.Fault]int),
	}
	n.genesis = newBlock(nil, common.Address{}, uint64(Start.Unix()), &types.WBFTExtra{})
	for i := range cfg.Nodes {
		key, blsKey := Keys(i)
		node := &Node{
			net: n, id: i, key: key, bls: blsKey, address: crypto.PubkeyToAddress(key.PublicKey),
			chain: []*types.Block{n.genesis}, Logged: true,
		}
		if cfg.MaxSkew > 0 {
			node.skew = time.Duration(n.rand.Int63n(int64(2*cfg.MaxSkew))) - cfg.MaxSkew
		}
		n.nodes = append(n.nodes, node)
	}
	for _, node := range n.nodes {
		n.after(0, node.start)
		n.after(n.between(0, syncInterval), node.syncLoop)
	}
	return n
}

// Keys returns the node key number i and the BLS key that follows from it.
func Keys(i int) (*ecdsa.PrivateKey, *bls.SecretKey) {
	seed := sha256.Sum256([]byte(fmt.Sprintf("simulated validator %d", i)))
	key, err := crypto.ToECDSA(seed[:])
	if err != nil {
		panic(err) // a fixed input: cannot happen for the numbers in use
	}
	blsKey, err := bls.DeriveKey(key)
	if err != nil {
		panic(err)
	}
	return key, blsKey
}

// Node returns node number i.
func (n *Network) Node(i int) *Node { return n.nodes[i] }

// Now is the time that has passed since the start.
func (n *Network) Now() time.Duration { return n.now.Sub(Start) }

// After does something after a delay.
func (n *Network) After(delay time.Duration, run func()) { n.after(delay, run) }

func (n *Network) after(delay time.Duration, run func()) {
	n.order++
	heap.Push(&n.tasks, &task{at: n.now.Add(max(delay, 0)), order: n.order, run: run})
}

// between returns a random duration in [low, high).
func (n *Network) between(low, high time.Duration) time.Duration {
	if high <= low {
		return low
	}
	return low + time.Duration(n.rand.Int63n(int64(high-low)))
}

// Run lets the given time pass. It returns the first broken promise, with the seed and the last steps.
func (n *Network) Run(span time.Duration) error {
	return n.run(span, func() bool { return false })
}

// RunUntil lets time pass until a condition holds, at most the given span; an error if it does not hold by then.
func (n *Network) RunUntil(span time.Duration, what string, condition func() bool) error {
	if err := n.run(span, condition); err != nil {
		return err
	}
	if !condition() {
		n.fail("after %v of simulated time, not reached: %s; %s", n.Now(), what, n.describe())
	}
	return n.failure
}

func (n *Network) run(span time.Duration, done func() bool) error {
	end := n.now.Add(span)
	for n.failure == nil && !done() {
		if len(n.tasks) == 0 || n.tasks[0].at.After(end) {
			n.now = end
			break
		}
		next := heap.Pop(&n.tasks).(*task)
		n.now = next.at
		next.run()
	}
	return n.failure
}

// fail records the first broken promise.
func (n *Network) fail(format string, args ...any) {
	if n.failure == nil {
		n.failure = fmt.Errorf("seed %d, %d nodes, at %v: %s\nlast steps:\n%s",
			n.cfg.Seed, n.cfg.Nodes, n.Now(), fmt.Sprintf(format, args...), strings.Join(n.trace, "\n"))
	}
}

// note adds a step to the trace.
func (n *Network) note(node int, format string, args ...any) {
	line := fmt.Sprintf("%10.4f  %d  %s", n.Now().Seconds(), node, fmt.Sprintf(format, args...))
	n.digest = sha256.Sum256(append(n.digest[:], line...))
	if n.trace = append(n.trace, line); len(n.trace) > traceLength {
		n.trace = n.trace[1:]
	}
}

// Digest identifies everything that has happened so far.
func (n *Network) Digest() [32]byte { return n.digest }

func (n *Network) describe() string {
	var b strings.Builder
	for _, node := range n.nodes {
		fmt.Fprintf(&b, "[node %d height %d", node.id, node.Height())
		if node.core != nil {
			s := node.core.Status()
			fmt.Fprintf(&b, " round %d %v", s.Round, s.State)
		}
		b.WriteString("] ")
	}
	return b.String()
}

// Partition splits the network; nodes that are not named form a group of their own.
func (n *Network) Partition(groups ...[]int) {
	for i := range n.groups {
		n.groups[i] = -1
	}
	for g, members := range groups {
		for _, i := range members {
			n.groups[i] = g
		}
	}
	n.note(-1, "partition %v", groups)
}

// Heal ends all faults of the network: partition, losses, duplicates, Intercept and long delays.
func (n *Network) Heal() {
	clear(n.groups)
	n.Intercept = nil
	n.cfg.Drop, n.cfg.Duplicate, n.cfg.BlockDrop = 0, 0, 0
	n.cfg.MinDelay, n.cfg.MaxDelay = time.Millisecond, 20*time.Millisecond
	n.note(-1, "healed")
	for _, a := range n.nodes {
		for _, b := range n.nodes {
			if a != b {
				n.after(n.between(0, n.cfg.MaxDelay), func() { a.connect(b) })
			}
		}
	}
}

func (n *Network) connected(a, b int) bool {
	return n.groups[a] == n.groups[b] && n.groups[a] >= 0 || a == b
}

// send puts a message on its way.
func (n *Network) send(from, to *Node, code uint64, payload []byte) {
	if from == to || !n.connected(from.id, to.id) || n.Intercept != nil && !n.Intercept(from.id, to.id, code, payload) {
		return
	}
	copies := 1
	if n.rand.Float64() < n.cfg.Drop {
		copies = 0
	} else if n.rand.Float64() < n.cfg.Duplicate {
		copies = 2
	}
	for range copies {
		n.after(n.between(n.cfg.MinDelay, n.cfg.MaxDelay), func() { to.receive(from, code, payload) })
	}
}

// set returns the validators of a height.
func (n *Network) set(height uint64) *validators.Set {
	members := n.members(height)
	name := fmt.Sprint(members)
	if set := n.sets[name]; set != nil {
		return set
	}
	list := make([]validators.Validator, len(members))
	for i, id := range members {
		list[i] = validators.Validator{Address: n.nodes[id].address, Key: n.nodes[id].bls.PublicKey()}
	}
	set := validators.NewSet(list)
	n.sets[name] = set
	return set
}

func (n *Network) members(height uint64) []int {
	if n.cfg.Validators != nil {
		return n.cfg.Validators(height)
	}
	all := make([]int, n.cfg.Nodes)
	for i := range all {
		all[i] = i
	}
	return all
}

// MinHeight is the lowest height among the running honest nodes.
func (n *Network) MinHeight() uint64 {
	lowest, first := uint64(0), true
	for _, node := range n.nodes {
		if node.core != nil && node.Behaviour == nil && (first || node.Height() < lowest) {
			lowest, first = node.Height(), false
		}
	}
	return lowest
}

// MaxHeight is the highest height among all nodes.
func (n *Network) MaxHeight() uint64 {
	highest := uint64(0)
	for _, node := range n.nodes {
		highest = max(highest, node.Height())
	}
	return highest
}
