// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package sim

import (
	"cmp"
	"container/heap"
	"crypto/ecdsa"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"maps"
	"math/big"
	"os"
	"slices"
	"strings"
	"sync"
	"testing/synctest"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/state"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	gethparams "github.com/ethereum/go-ethereum/params"

	"gwon/consensus/wbft/bls"
	"gwon/consensus/wbft/messages"
	"gwon/consensus/wbft/recording"
	"gwon/params"
)

// Transition changes settings of the network from a block on; zeros leave them as they are.
type Transition struct {
	Block, Period, Timeout, Epoch uint64 // Period and Timeout in seconds, Epoch in blocks
}

// Config describes a network. Durations are simulated time.
type Config struct {
	Seed  int64
	Nodes int // nodes that exist
	// Sets tells who is to validate: the indices of nodes, in order, by the block from which on an epoch block names them.
	// Without an entry for block 0 all nodes are the validators of genesis.
	Sets map[uint64][]int

	Epoch          uint64 // blocks; 1000 if 0
	Period         uint64 // seconds; 1 if 0
	RequestTimeout uint64 // seconds; 2 if 0
	MaxTimeout     uint64 // cap set by the network in seconds; 0 for none
	Policy         uint64
	Transitions    []Transition

	MaxSkew time.Duration // clocks are off by up to this, either way
	Quiet   bool          // keep no trace
	Twins   map[int]int   // nodes that have the key of another one, which is as faulty as they are
	// Followers are nodes that never validate.
	Followers map[int]bool
	// Record makes the writers of the recorder of each process of an honest node; nil for no recorder.
	Record func(node int) []recording.Writer
	Full   float64 // probability that an honest candidate has the largest size that a proposal may have

	Conditions
}

// Conditions are what may change while a network runs.
type Conditions struct {
	MinDelay, MaxDelay time.Duration // of a message; 1 to 20 ms if 0
	Drop, Duplicate    float64       // probability for each message
	BlockDrop          float64       // probability that a decided block is not passed on, or a request for blocks fails
	MaxExecution       time.Duration // executing or building a block takes up to this
	MaxSync            time.Duration // so does syncing the vote log
	MaxBlockSync       time.Duration // and syncing the chain
	Unexamined         float64       // probability that an execution fails for a reason of the node
}

func (c *Config) defaults() {
	c.Epoch, c.Period, c.RequestTimeout = cmp.Or(c.Epoch, 1000), cmp.Or(c.Period, 1), cmp.Or(c.RequestTimeout, 2)
	c.MinDelay, c.MaxDelay = cmp.Or(c.MinDelay, time.Millisecond), cmp.Or(c.MaxDelay, 20*time.Millisecond)
}

// task is an action at a moment. Tasks of one moment run in the order of their nodes and of their creation.
type task struct {
	at    time.Time
	by    int // node, or -1
	order uint64
	run   func()
}

type schedule []*task

func (s schedule) Len() int { return len(s) }
func (s schedule) Less(i, j int) bool {
	return cmp.Or(s[i].at.Compare(s[j].at), cmp.Compare(s[i].by, s[j].by), cmp.Compare(s[i].order, s[j].order)) < 0
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

// Network is a running simulation in a bubble of testing/synctest. The creator drives it; the drivers of its nodes run
// in goroutines of their own. Events are delivered one by one, the next when all goroutines wait.
type Network struct {
	cfg     Config
	config  *gethparams.ChainConfig
	genesis *types.Block
	states  state.Database
	nodes   []*Node
	start   time.Time
	reaping sync.WaitGroup // drivers that are being stopped
	wake    chan struct{}  // holds a token when the first task is a new one
	dir     string         // of evidence

	recorders []*recording.Recorder

	observer *observer

	mu      sync.Mutex // guards what follows; drivers come here from their goroutines
	tasks   schedule
	order   map[int]uint64
	groups  []int           // partition group of each node
	cut     map[[2]int]bool // pairs without a connection, the lower number first
	failure error
	trace   []line
	names   map[common.Hash]string // of blocks
	perNode [][32]byte             // digest of all that each node did

	// Intercept, if set, sees every message before it is on its way and may keep it from being sent.
	Intercept func(from, to int, code uint64, payload []byte) (pass bool)
}

// line is a step of the trace.
type line struct {
	at   time.Duration
	node int
	text string
}

func (l line) String() string {
	who := fmt.Sprint(l.node)
	if l.node < 0 {
		who = "-"
	}
	return fmt.Sprintf("%10.4f  %s  %s", l.at.Seconds(), who, l.text)
}

// traceLength is how many lines are kept.
const traceLength = 20_000

// New returns a network whose nodes run and are connected. Close ends it.
func New(cfg Config) *Network {
	cfg.defaults()
	dir, err := os.MkdirTemp("", "gwon-sim-")
	if err != nil {
		panic(err) // no test can do without
	}
	n := &Network{
		cfg:     cfg,
		dir:     dir,
		start:   time.Now(),
		states:  state.NewDatabaseForTesting(),
		order:   make(map[int]uint64),
		wake:    make(chan struct{}, 1),
		groups:  make([]int, cfg.Nodes),
		cut:     make(map[[2]int]bool),
		names:   make(map[common.Hash]string),
		perNode: make([][32]byte, cfg.Nodes+1),
	}
	for i := range cfg.Nodes {
		key, blsKey := Keys(i)
		if original, twin := cfg.Twins[i]; twin {
			key, blsKey = Keys(original)
		}
		n.nodes = append(n.nodes,
			&Node{net: n, id: i, key: key, bls: blsKey, address: addressOf(key), disk: newDisk(), Logged: true})
	}
	n.makeGenesis()
	n.observer = newObserver(n)
	for _, node := range n.nodes {
		node.chain = newChain(n, node)
		if cfg.MaxSkew > 0 {
			node.skew = node.delay("skew", 2*cfg.MaxSkew) - cfg.MaxSkew
		}
		n.after(0, node.start)
		n.after(node.delay("first sync", syncInterval), node.syncLoop)
	}
	return n
}

// makeGenesis makes the configuration and the first block.
func (n *Network) makeGenesis() {
	options := params.DevnetOptions{
		BlockPeriodSeconds:    n.cfg.Period,
		EpochLength:           n.cfg.Epoch,
		RequestTimeoutSeconds: n.cfg.RequestTimeout,
		GasTip:                new(uint64),
	}
	for _, i := range n.plan(0) {
		options.Validators = append(options.Validators, params.DevnetValidator{
			Address: n.nodes[i].address, BLSPublicKey: n.nodes[i].bls.PublicKey().Bytes(),
		})
	}
	config, err := params.DevnetConfig(options)
	if err != nil {
		panic(err) // the test asks for a network that there cannot be
	}
	config.Anzeon.WBFT.ProposerPolicy = &n.cfg.Policy
	config.Anzeon.WBFT.MaxRequestTimeoutSeconds = &n.cfg.MaxTimeout
	for _, t := range n.cfg.Transitions {
		config.Transitions = append(config.Transitions, gethparams.Transition{
			Block: new(big.Int).SetUint64(t.Block),
			WBFTConfig: &gethparams.WBFTConfig{
				BlockPeriodSeconds:    t.Period,
				RequestTimeoutSeconds: t.Timeout,
				EpochLength:           t.Epoch,
			},
		})
	}
	if err := config.CheckConfigForkOrder(); err != nil {
		panic(err)
	}
	n.config = config
	x := &types.WBFTExtra{EpochInfo: n.epochInfo(0)}
	header := &types.Header{
		UncleHash:   types.EmptyUncleHash,
		Root:        types.EmptyRootHash,
		TxHash:      types.EmptyTxsHash,
		ReceiptHash: types.EmptyReceiptsHash,
		Difficulty:  big.NewInt(1),
		Number:      new(big.Int),
		GasLimit:    105_000_000,
		Time:        uint64(n.start.Unix()),
		Extra:       x.Encode(),
		BaseFee:     big.NewInt(20_000_000_000_000),
	}
	n.genesis = types.NewBlockWithHeader(header)
	n.names[n.genesis.Hash()] = "genesis"
}

// plan returns who is to be named by an epoch block.
func (n *Network) plan(epochBlock uint64) []int {
	var from []uint64
	for _, block := range slices.Sorted(maps.Keys(n.cfg.Sets)) {
		if block <= epochBlock {
			from = append(from, block)
		}
	}
	if len(from) > 0 {
		return n.cfg.Sets[from[len(from)-1]]
	}
	var all []int
	for i := range n.cfg.Nodes {
		if _, twin := n.cfg.Twins[i]; !twin && !n.cfg.Followers[i] {
			all = append(all, i)
		}
	}
	return all
}

// epochInfo is what a block has to say about the next epoch; nil if it is no epoch block.
func (n *Network) epochInfo(number uint64) *types.EpochInfo {
	if n.config.LastEpochBlock(number) != number {
		return nil
	}
	info := new(types.EpochInfo)
	for at, i := range n.plan(number) {
		info.Candidates = append(info.Candidates, types.EpochCandidate{Address: n.nodes[i].address, Diligence: 1_900_000})
		info.Validators = append(info.Validators, uint32(at))
		info.BLSPublicKeys = append(info.BLSPublicKeys, n.nodes[i].bls.PublicKey().Bytes())
	}
	return info
}

// conditions are those of the moment.
func (n *Network) conditions() Conditions {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.cfg.Conditions
}

// members are the validators of a height, by index.
func (n *Network) members(height uint64) []int {
	return n.plan(n.config.LastEpochBlock(max(height, 1) - 1))
}

type keyPair struct {
	key *ecdsa.PrivateKey
	bls *bls.SecretKey
}

var keys sync.Map // key pairs by number: to derive one takes a while

// Keys returns the node key number i and the BLS key that follows from it.
func Keys(i int) (*ecdsa.PrivateKey, *bls.SecretKey) {
	if k, ok := keys.Load(i); ok {
		return k.(keyPair).key, k.(keyPair).bls
	}
	seed := sha256.Sum256([]byte(fmt.Sprintf("simulated validator %d", i)))
	key, err := crypto.ToECDSA(seed[:])
	if err != nil {
		panic(err) // a fixed input: cannot happen for the numbers in use
	}
	blsKey, err := bls.DeriveKey(key)
	if err != nil {
		panic(err)
	}
	k, _ := keys.LoadOrStore(i, keyPair{key, blsKey})
	return k.(keyPair).key, k.(keyPair).bls
}

// Node returns node number i.
func (n *Network) Node(i int) *Node { return n.nodes[i] }

// Now is the time that has passed since the start.
func (n *Network) Now() time.Duration { return time.Since(n.start) }

// roll draws a number from the seed and the purpose only. Networks that differ in one fault share all other draws.
func (n *Network) roll(what string, xs ...uint64) uint64 {
	h := sha256.New()
	var b []byte
	b = binary.BigEndian.AppendUint64(b, uint64(n.cfg.Seed))
	b = append(b, what...)
	for _, x := range xs {
		b = binary.BigEndian.AppendUint64(b, x)
	}
	h.Write(b)
	return binary.BigEndian.Uint64(h.Sum(nil))
}

func happens(roll uint64, probability float64) bool { return float64(roll>>11)/(1<<53) < probability }

// between maps a random number to [low, high).
func between(roll uint64, low, high time.Duration) time.Duration {
	if high <= low {
		return low
	}
	return low + time.Duration(roll%uint64(high-low))
}

// After does something after a delay.
func (n *Network) After(delay time.Duration, run func()) { n.after(delay, run) }

func (n *Network) after(delay time.Duration, run func()) { n.afterBy(-1, delay, run) }

// afterBy does something after a delay that a node is the reason of.
func (n *Network) afterBy(by int, delay time.Duration, run func()) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.order[by]++
	t := &task{at: time.Now().Add(max(delay, 0)), by: by, order: n.order[by], run: run}
	heap.Push(&n.tasks, t)
	if n.tasks[0] == t {
		select {
		case n.wake <- struct{}{}:
		default:
		}
	}
}

// Run lets the given time pass. It returns the first broken promise, with the seed and the last steps.
func (n *Network) Run(span time.Duration) error {
	return n.run(span, func() bool { return false })
}

// RunUntil runs until a condition holds. The error says that it does not hold within span.
func (n *Network) RunUntil(span time.Duration, what string, condition func() bool) error {
	if err := n.run(span, condition); err != nil {
		return err
	}
	if !condition() {
		n.fail("after %v of simulated time, not reached: %s; %s", n.Now(), what, n.describe())
	}
	return n.Failure()
}

// Failure returns the first broken promise.
func (n *Network) Failure() error {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.failure
}

// next takes the next task up to a moment.
func (n *Network) next(end time.Time) *task {
	n.mu.Lock()
	defer n.mu.Unlock()
	if len(n.tasks) == 0 || n.tasks[0].at.After(end) {
		return nil
	}
	return heap.Pop(&n.tasks).(*task)
}

// nextAt is when the next task is due, at most end.
func (n *Network) nextAt(end time.Time) time.Time {
	n.mu.Lock()
	defer n.mu.Unlock()
	if len(n.tasks) > 0 && n.tasks[0].at.Before(end) {
		return n.tasks[0].at
	}
	return end
}

func (n *Network) run(span time.Duration, done func() bool) error {
	end := time.Now().Add(span)
	for n.Failure() == nil && !done() {
		n.sleepUntil(n.nextAt(end))
		synctest.Wait() // other goroutines that are due at this moment go first
		t := n.next(time.Now())
		if t == nil {
			if !time.Now().Before(end) {
				break
			}
			continue // a driver has made a task that is due before
		}
		t.run()
		synctest.Wait()
	}
	if span > 0 {
		for _, node := range n.nodes {
			n.observer.checkEvidence(node)
		}
	}
	return n.Failure()
}

// sleepUntil waits for a moment, or for a new task.
func (n *Network) sleepUntil(at time.Time) {
	timer := time.NewTimer(time.Until(at))
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-n.wake:
	}
}

// Close ends all nodes.
func (n *Network) Close() {
	for _, node := range n.nodes {
		node.halt()
	}
	n.reaping.Wait()
	for _, r := range n.recorders {
		if err := r.Close(); err != nil {
			n.fail("%v", err)
		}
	}
	if err := os.RemoveAll(n.dir); err != nil {
		n.fail("%v", err)
	}
}

// fail records the first broken promise.
func (n *Network) fail(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	n.note(-1, "FAILS: %s", text)
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.failure == nil {
		n.failure = fmt.Errorf("seed %d, %d nodes, at %v: %s", n.cfg.Seed, n.cfg.Nodes, n.Now(), text)
	}
}

// note adds a step to the trace.
func (n *Network) note(node int, format string, args ...any) {
	if n.cfg.Quiet {
		return
	}
	text := fmt.Sprintf(format, args...)
	n.mu.Lock()
	defer n.mu.Unlock()
	l := line{n.Now(), node, text}
	digest := &n.perNode[node+1]
	*digest = sha256.Sum256(append(digest[:], l.String()...))
	if n.trace = append(n.trace, l); len(n.trace) > traceLength {
		n.trace = slices.Clone(n.trace[traceLength/2:])
	}
}

// Trace returns the latest steps.
func (n *Network) Trace() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	var b strings.Builder
	for _, l := range n.trace {
		fmt.Fprintln(&b, l)
	}
	return b.String()
}

// length is how many lines the trace has.
func (n *Network) length() int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return len(n.trace)
}

// since returns the trace from a line on. Of what several nodes did at one moment those with lower numbers come first.
func (n *Network) since(from int) []line {
	n.mu.Lock()
	defer n.mu.Unlock()
	list := slices.Clone(n.trace[min(from, len(n.trace)):])
	slices.SortStableFunc(list,
		func(a, b line) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.node, b.node)) })
	return list
}

// Digest returns a hash of everything that each node has done.
func (n *Network) Digest() [32]byte {
	n.mu.Lock()
	defer n.mu.Unlock()
	var all []byte
	for _, d := range n.perNode {
		all = append(all, d[:]...)
	}
	return sha256.Sum256(all)
}

// name is a short name of a block: its height and a letter.
func (n *Network) name(hash common.Hash) string {
	n.mu.Lock()
	defer n.mu.Unlock()
	if name := n.names[hash]; name != "" {
		return name
	}
	return hash.TerminalString()
}

// christen gives a block its name when it is seen for the first time.
func (n *Network) christen(block *types.Block) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.names[block.Hash()] != "" {
		return
	}
	prefix := block.Number().String()
	rivals := 0
	for _, name := range n.names {
		if strings.TrimRight(name, "abcdefghijklmnopqrstuvwxyz") == prefix {
			rivals++
		}
	}
	n.names[block.Hash()] = prefix + strings.Repeat("z", rivals/26) + string(rune('a'+rivals%26))
}

func (n *Network) describe() string {
	var b strings.Builder
	for _, node := range n.nodes {
		fmt.Fprintf(&b, "[node %d height %d", node.id, node.Height())
		if s := node.Status(); node.Up() {
			fmt.Fprintf(&b, " round %d %v", s.Round, s.State)
		}
		b.WriteString("] ")
	}
	return b.String()
}

// Partition splits the network; nodes that are not named form a group of their own.
func (n *Network) Partition(groups ...[]int) {
	n.note(-1, "partition %v", groups)
	n.mu.Lock()
	for i := range n.groups {
		n.groups[i] = -1
	}
	for g, members := range groups {
		for _, i := range members {
			n.groups[i] = g
		}
	}
	n.mu.Unlock()
	for _, a := range n.nodes {
		for _, b := range n.nodes {
			if draw := n.roll("noticed", uint64(a.id), uint64(b.id)); !n.connected(a.id, b.id) && draw%2 == 0 {
				n.after(between(draw, 0, time.Second), func() { a.lose(b) })
			}
		}
	}
}

// Cut ends the connection between two nodes until Heal.
func (n *Network) Cut(a, b *Node) {
	n.note(-1, "%d and %d are cut off from each other", a.id, b.id)
	n.mu.Lock()
	n.cut[[2]int{min(a.id, b.id), max(a.id, b.id)}] = true
	n.mu.Unlock()
	n.after(0, func() { a.lose(b) })
	n.after(1, func() { b.lose(a) })
}

// isCut reports whether some nodes are cut off from each other.
func (n *Network) isCut() bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return len(n.cut) > 0
}

// Flap ends the connection between two nodes and begins it again after some time.
func (n *Network) Flap(a, b *Node, after time.Duration) {
	n.note(-1, "%d and %d lose each other for %v", a.id, b.id, after)
	a.lose(b)
	n.after(1, func() { b.lose(a) })
	n.after(after, func() { a.connect(b) })
	n.after(after+1, func() { b.connect(a) })
}

// Heal ends all faults of the network: partitions, losses, duplicates, Intercept, long delays, and pending crashes.
func (n *Network) Heal() {
	n.note(-1, "healed")
	n.mu.Lock()
	clear(n.groups)
	clear(n.cut)
	n.Intercept = nil
	n.cfg.Drop, n.cfg.Duplicate, n.cfg.BlockDrop, n.cfg.Unexamined = 0, 0, 0, 0
	n.cfg.MinDelay, n.cfg.MaxDelay = time.Millisecond, 20*time.Millisecond
	n.mu.Unlock()
	for _, a := range n.nodes {
		a.CrashAfter(0)
		for _, b := range n.nodes {
			if a != b {
				n.after(between(n.roll("reconnect", uint64(a.id), uint64(b.id)), 0, 20*time.Millisecond), func() { a.connect(b) })
			}
		}
	}
}

func (n *Network) connected(a, b int) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.groups[a] == n.groups[b] && n.groups[a] >= 0 && !n.cut[[2]int{min(a, b), max(a, b)}] || a == b
}

// send puts a message on its way.
func (n *Network) send(from, to *Node, code uint64, payload []byte) {
	if from == to || !n.connected(from.id, to.id) {
		return
	}
	n.mu.Lock()
	intercept, cfg := n.Intercept, n.cfg.Conditions
	n.mu.Unlock()
	if intercept != nil && !intercept(from.id, to.id, code, payload) {
		return
	}
	sum := sha256.Sum256(payload)
	luck := func(what string, copied uint64) uint64 {
		return n.roll(what, uint64(from.id), uint64(to.id), binary.BigEndian.Uint64(sum[:]), uint64(n.Now()), copied)
	}
	copies := uint64(1)
	if happens(luck("drop", 0), cfg.Drop) {
		copies = 0
	} else if happens(luck("duplicate", 0), cfg.Duplicate) {
		copies = 2
	}
	for i := range copies {
		n.afterBy(from.id, between(luck("delay", i), cfg.MinDelay, cfg.MaxDelay), func() { to.receive(from, code, payload) })
	}
}

// MinHeight is the lowest height among the running honest nodes.
func (n *Network) MinHeight() uint64 {
	lowest, first := uint64(0), true
	for _, node := range n.nodes {
		if node.Up() && node.Behavior == nil && (first || node.Height() < lowest) {
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

// tallest is a node with the highest block.
func (n *Network) tallest() *Node {
	return slices.MaxFunc(n.nodes, func(a, b *Node) int { return cmp.Compare(a.Height(), b.Height()) })
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// dropped ends the connection of a node to a peer for what the peer has sent, and begins it again after some time.
func (n *Network) dropped(node, peer *Node, reason string) {
	if peer.honest() || peer.Reference != nil {
		n.fail("node %d ends its connection to node %d, which is honest: %s", node.id, peer.id, reason)
	}
	n.afterBy(node.id, 0, func() { n.Flap(node, peer, flapTime) })
}

// takes reports whether a node accepts a message of a peer by its size. A larger message ends the connection, as in the
// messenger of a real node.
func (n *Network) takes(node, peer *Node, payload []byte) bool {
	if len(payload) <= messages.Limit() {
		return true
	}
	n.dropped(node, peer, fmt.Sprintf("a message of %d bytes", len(payload)))
	return false
}
