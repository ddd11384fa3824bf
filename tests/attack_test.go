// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

//go:build nodes

package tests

import (
	"context"
	"encoding/json"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/ethereum/go-ethereum/core/vm/program"
	gethrpc "github.com/ethereum/go-ethereum/rpc"

	"gwon/consensus/wbft/sim/modes"
	"gwon/dev/devnet"
	"gwon/internal/must"
	"gwon/tools/faulty"
)

const (
	// attackVariable sets how long a row of TestAttacks lasts at least (make attacks: a minute).
	attackVariable = "GWON_TEST_ATTACK_TIME"
	attackTime     = time.Second
	longRows       = 10 * time.Second // from which on rows that take minutes are played, and pace is judged

	maxActs  = 1 << 20          // of one row, however long it lasts
	actsWait = 30 * time.Second // for the acts without which a row is no attack
	turns    = 4                // blocks of a row with a validator that breaks the rules: it proposes one of them

	silence = "silent" // what the last validator does: it does not run
)

// Accounts of the network, so that no two attackers share a nonce. The first four are those of worstSpenders.
const (
	floodAccount = iota + 4
	honestAccount
	payerAccount
	heavyAccount
)

// attack is a row of the table: an attacker, whom it attacks, and what the last validator does meanwhile.
type attack struct {
	name   string
	at     place
	beside string // "" for an honest validator, silence, or a mode of package faulty
	least  int64  // acts of the attackers, for which a row waits: a third of them in a short one
	begin  func(r *round)
	kills  bool           // it ends nodes and starts them again
	long   bool           // it is for make attacks alone: it takes minutes
	calls  []string       // what honest clients ask for, beside the usual
	check  func(r *round) // called while the attack goes on; nil for nothing
	waits  bool           // the check waits for a timeout of the node: it is for make attacks alone
	done   func(r *round) // called after it; nil for nothing
}

// place says which nodes an attack is aimed at, and which node nothing is aimed at.
type place int

const (
	atPublic     place = iota // a follower with the public profile; the control is another one
	atValidators              // all validators that keep to the rules; the control is that other follower
)

// attacks are the rows of the harness. Clients come from addresses that a trusted proxy names, where nothing else is
// said. spec: rpc 9.6, network 6, network 2.4, network 2.6, network 2.7, wbft 3.2, wbft 9.3
var attacks = []attack{
	// Clients: what they send and do not end.
	{name: "unfinished bodies", least: 512, begin: unfinishedBodies(512, networks4(8), largeBody-1, 0)},
	{name: "unfinished bodies of an IPv6 site", least: 512, begin: unfinishedBodies(512, networks6(512), largeBody-1, 0)},
	{name: "bodies of one byte", least: 2160, begin: unfinishedBodies(720, networks4(12), 1, 400*time.Millisecond)},
	{name: "unfinished bodies at validators", at: atValidators, least: 512, begin: unfinishedBodiesAtValidators},
	{name: "unfinished headers of 1 MB", least: 512, begin: unfinishedHeaders(1<<20 - 64)},
	{name: "unfinished headers of 16 KiB", least: 512, begin: unfinishedHeaders(16<<10 - 64)},
	{name: "unfinished WebSocket messages", least: 192, begin: unfinishedMessages(12, 16)},
	{name: "idle connections", least: 4096, begin: idleConnections},
	{name: "HTTP/2", least: 12, begin: http2Streams, check: refusesHTTP2},

	// Clients: what they do not read.
	{name: "answers that are not read", least: 1, begin: unreadAnswers},
	{name: "slow readers of answers", least: 16, begin: slowReaders},

	// Clients: calls.
	{name: "cheap calls", least: 100, begin: asking(1, abuserConnections, abuses["flood"])},
	{name: "batches", begin: asking(1, abuserConnections, abuses["batches"])},
	{name: "batch of endless calls", begin: asking(1, 1, batchOf(1000, rpcCall("eth_call", endlessCall)))},
	{name: "endless calls", least: 24, begin: asking(24, 48, abuses["loops"])},
	{name: "endless calls of many addresses", least: 70, begin: endlessCalls(70), check: longCallsAreAnswered},
	{name: "endless estimates", least: 24, begin: asking(24, 48, rpcCall("eth_estimateGas", endlessCode))},
	{name: "simulations", least: 8, begin: asking(24, 48, rpcCall("eth_simulateV1", simulation()))},
	{name: "log queries", least: 16, begin: asking(16, 32, abuses["logs"])},
	{name: "receipts of a heavy block", least: 16, begin: receiptsOfHeavyBlock},
	{name: "garbage", least: 16, begin: asking(1, abuserConnections, abuses["garbage"])},
	{name: "waits for a block", least: 32, begin: waitsForABlock},
	{name: "GraphQL aliases", at: atValidators, least: 1, begin: graphqlAliases},
	{name: "GraphQL nesting", at: atValidators, least: 1, begin: graphqlNesting},
	{name: "answers before the gate", least: 100, begin: beforeTheGate},

	// Clients: what they make a node keep.
	{name: "filters", least: 1536, begin: filters, calls: []string{rpcCall("eth_newBlockFilter", "")}},
	{name: "subscriptions", least: 64, begin: subscriptions},
	{name: "kept submissions", least: 256, begin: keptSubmissions, done: forgetsSubmissions},

	// Peers.
	{name: "floods of peers", at: atValidators, least: 4, begin: floodsOfPeers, done: honestPayment},
	{name: "worst messages of strangers", at: atValidators, least: 12, begin: worstMessagesOfStrangers},
	{name: "large messages without a pause", at: atValidators, least: 1, begin: largeMessages(strangers, 0)},
	{name: "large messages that do not end", at: atValidators, least: 2, begin: largeMessages(8, 1024),
		check: largeMessageGetsThrough, waits: true},
	{name: "liars", at: atValidators, least: 4, begin: liarsEverywhere},
	{name: "dear transactions", at: atValidators, least: 1, begin: dearTransactions, done: honestPayment},

	// One validator floods. The control is its silence.
	{name: "storm", at: atValidators, beside: silence, least: 30, begin: signedMessages(storm)},
	{name: "future", at: atValidators, beside: silence, least: 30, begin: signedMessages(future)},
	{name: "far", at: atValidators, beside: silence, least: 30, begin: signedMessages(far)},
	{name: "strangers at a signer", at: atValidators, beside: silence, least: 256, begin: strangersAtSigner},
	{name: "restart among liars", at: atValidators, beside: silence, kills: true, least: 4, begin: restartAmongLiars},

	// One validator breaks the rules. The control is its silence, too.
	{name: "dear proposals", at: atValidators, beside: faulty.Dear, begin: dearProposals},
	{name: "proposals dear in time", at: atValidators, beside: faulty.DearInTime, begin: dearProposals},
	{name: "modes in turn", at: atValidators, beside: modes.Every, long: true},
	{name: "two things at once", at: atValidators, beside: contradicting, done: accused},

	{name: "everything", at: atValidators, beside: contradicting, kills: true, long: true, least: 4, begin: everything},
}

// contradicting is the mode of faulty.Network.
const contradicting = "default"

// TestAttacks plays every attacker of the table on one network, one after the other, and judges each by the same
// rules (judge). SECURITY.md has the matrix of resources and sources that the rows belong to.
func TestAttacks(t *testing.T) {
	a := newArena(t)
	for i := range attacks {
		if attacks[i].long && !a.judgesTime() {
			continue
		}
		t.Run(attacks[i].name, func(t *testing.T) { a.play(t, &attacks[i]) })
	}
}

// arena is the network that is attacked: four validators and followers with the public profile.
type arena struct {
	*cluster
	public, control int      // the follower that is attacked, and the other one
	spare           int      // a node that does not run
	late            int      // the first of two followers that join in the last row
	dev             *cluster // a developer chain
	lasts           time.Duration
	bad             *devnet.Supervisor // runs the last validator when it breaks the rules
	beside          string             // what the last validator does
	quiet           map[bool]*pace     // blocks without an attack, by whether the last validator proposes
	heavy           uint64             // number of a block with many receipts
	metrics         map[int]string     // URLs
	links           map[int]map[string]peerInfo
	pids            sync.Map // of the nodes that run or have run, by index
}

// faultyMode is the environment variable with the mode of a faulty validator (package tools/faulty).
const faultyMode = "FAULTY_MODE"

const last = 3 // the validator that does not always keep to the rules

func newArena(t *testing.T) *arena {
	t.Helper()
	t.Setenv(faultyMode, "")
	a := &arena{
		cluster: prepareCluster(t, last+1), bad: devnet.NewSupervisor(faultyBinary(t), nil, false, false),
		dev: prepareCluster(t, 1), quiet: make(map[bool]*pace), metrics: make(map[int]string),
		lasts: testTime(t, attackVariable, attackTime),
	}
	t.Cleanup(a.bad.Close)
	startDev(t, a.dev)
	a.public = a.addFollowers(t, 5)
	a.control, a.spare, a.late = a.public+1, a.public+2, a.public+3
	for i := range last + 1 {
		a.run(t, i)
	}
	a.awaitHead(t, 2, 0, 1, 2, last)
	a.pay(t, honestAccount, a.node(last).Address, new(big.Int).Exp(big.NewInt(10), big.NewInt(25), nil))
	a.heavy = a.heavyBlock(t)
	a.run(t, a.public)
	a.run(t, a.control)
	a.atHead(t, a.public, 0)
	a.atHead(t, a.control, 0)
	a.noteLinks(t)
	return a
}

// run starts a node of the arena.
func (a *arena) run(t *testing.T, i int) {
	t.Helper()
	var err error
	var p *devnet.Process
	node, port := a.node(i), fmt.Sprint(a.node(i).HTTPPort)
	metrics := servesMetrics(t, a.metrics, i)
	switch {
	case i == last && a.beside != "":
		if err = os.Setenv(faultyMode, strings.TrimPrefix(a.beside, contradicting)); err == nil { // newArena restores it
			p, err = a.bad.Start(node, append(metrics, withAdmin...)...)
		}
	case i <= last:
		p, err = a.supervisor.Start(node, append(append(metrics, "--graphql"), withAdmin...)...)
	default:
		var enodes []string
		for v := range last + 1 {
			enodes = append(enodes, a.node(v).Enode())
		}
		writePeers(t, node, enodes)
		p, err = a.supervisor.StartWith(node, append([]string{
			"--datadir", node.Dir, "--config", filepath.Join(node.Dir, "config.toml"), "--exit.stdin", "--ipcpath", node.IPC(),
			"--nodiscover", "--nat", "none", "--bootnodes", "", "--netrestrict", "127.0.0.0/8", "--cache", "64",
			"--http", "--http.addr", "127.0.0.1", "--http.port", port, "--ws", "--ws.addr", "127.0.0.1", "--ws.port", port,
			"--rpc.profile", "public", "--rpc.trustedproxies", "127.0.0.0/8",
		}, metrics...))
	}
	must.Do(t, err)
	a.processes[node] = p
	a.pids.Store(i, p.Pid())
}

// pid returns the process of a node, zero for one that was never started.
func (a *arena) pid(i int) int {
	pid, _ := a.pids.Load(i)
	n, _ := pid.(int)
	return n
}

// ask asks a node over IPC, which no attacker of the table uses.
func (a *arena) ask(ctx context.Context, i int, result any, method string, args ...any) error {
	client, err := gethrpc.DialContext(ctx, a.node(i).IPC())
	if err != nil {
		return err
	}
	defer client.Close()
	return client.CallContext(ctx, result, method, args...)
}

// number returns the head of a node over IPC.
func (a *arena) number(ctx context.Context, i int) (uint64, error) {
	var number hexutil.Uint64
	err := a.ask(ctx, i, &number, "eth_blockNumber")
	return uint64(number), err
}

// attacked returns the nodes that a row is aimed at.
func (a *arena) attacked(row *attack) []int {
	switch {
	case row.at == atPublic:
		return []int{a.public}
	case row.beside == "":
		return []int{0, 1, 2, last}
	}
	return []int{0, 1, 2}
}

// noteLinks notes by which connections the validators that run are connected.
func (a *arena) noteLinks(t *testing.T) {
	t.Helper()
	a.links = make(map[int]map[string]peerInfo)
	for i := range last {
		a.links[i] = a.connected(t, i)
	}
}

// connected waits until a validator is connected to all others that run, and returns the connections.
func (a *arena) connected(t *testing.T, i int) map[string]peerInfo {
	t.Helper()
	links := make(map[string]peerInfo)
	a.await(t, "links of "+a.node(i).Name, func() (bool, string) {
		all, err := a.validatorLinks(i)
		missing := 0
		for v := range last + 1 {
			if v == i || v == last && a.beside == silence {
				continue
			}
			if p, ok := all[a.node(v).Name]; ok {
				links[a.node(v).Name] = p
			} else {
				missing++
			}
		}
		return err == nil && missing == 0, fmt.Sprintf("%d missing, %v", missing, err)
	})
	return links
}

// prepare has the last validator do what a row wants it to, and sees to a pace to compare with.
func (a *arena) prepare(t *testing.T, row *attack) {
	t.Helper()
	if row.beside != a.beside {
		if a.processes[a.node(last)] != nil {
			a.stop(t, last)
		}
		// The silence of a validator is what its faults are compared with.
		if row.beside != "" && a.judgesTime() && a.quiet[true] == nil {
			a.beside = silence
			a.quiet[true] = a.measureSilence(t)
		}
		if a.beside = row.beside; row.beside != silence {
			a.run(t, last)
			a.awaitHead(t, 0, last)
		}
		a.noteLinks(t)
	}
	if a.judgesTime() && a.quiet[false] == nil {
		a.quiet[false] = a.measure(t, 2, func() {})
	}
}

// judgesTime reports whether answers, pace and processor time are judged: rows are long then, and alone on the machine.
func (a *arena) judgesTime() bool { return a.lasts >= longRows }

// least returns how many acts are an attack.
func (a *arena) least(row *attack) int64 {
	if a.judgesTime() {
		return row.least
	}
	return (row.least + 2) / 3
}

// pace is how fast the network has made blocks, and at what cost for the first validator.
type pace struct {
	blocks uint64
	took   time.Duration
	cpu    time.Duration
}

func (p *pace) each() time.Duration { return p.took / time.Duration(max(p.blocks, 1)) }

// share is the part of a core that the first validator has used.
func (p *pace) share() float64 { return float64(p.cpu) / float64(p.took) }

// measureSilence measures the pace beside a validator that is connected and says nothing.
func (a *arena) measureSilence(t *testing.T) *pace {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	r := &round{arena: a, t: t, ctx: ctx}
	for i := range last {
		r.attack(newOutsider(t, r.nodeKey(last)), i, floodTick, func(*link, int) error { return nil })
	}
	r.awaitActs(last)
	p := a.measure(t, 2*turns, func() {})
	cancel()
	r.work.Wait()
	return p
}

// measure waits until the time of a row has passed, the network has made so many blocks, and all is done that has to be
// done. It returns the pace of the blocks meanwhile.
func (a *arena) measure(t *testing.T, blocks uint64, do func()) *pace {
	t.Helper()
	first := must.Get(a.number(t.Context(), a.control))(t)
	pid := a.pid(0)
	begun, used := time.Now(), cpuTime(pid)
	do()
	now := first
	a.await(t, fmt.Sprintf("block %d on the control", first+blocks), func() (bool, string) {
		var err error
		now, err = a.number(t.Context(), a.control)
		return err == nil && now >= first+blocks && time.Since(begun) >= a.lasts, fmt.Sprint(now, err)
	})
	return &pace{now - first, time.Since(begun), cpuTime(pid) - used}
}

// awaitActs waits until the attackers have acted so often, for some time.
func (r *round) awaitActs(least int64) {
	for begun := time.Now(); r.said.Load() < least && time.Since(begun) < actsWait; {
		r.pause(pollInterval)
	}
}

// round is one play of a row.
type round struct {
	*arena
	t    *testing.T
	row  *attack
	ctx  context.Context // of the attack
	work sync.WaitGroup
	said atomic.Int64 // acts of the attackers

	after []func() // called when the attackers have ended
}

// each has n attackers act again and again until the attack ends. One that fails pauses.
func (r *round) each(n int, act func(i int) error) {
	for i := range n {
		r.work.Go(func() {
			for r.ctx.Err() == nil && r.said.Load() < maxActs {
				if act(i) != nil {
					r.pause(again)
				}
			}
		})
	}
}

// pause waits, at most until the attack ends.
func (r *round) pause(d time.Duration) {
	select {
	case <-time.After(d):
	case <-r.ctx.Done():
	}
}

// play runs a row and judges it. A node that a row has harmed, or that has taken memory, is started again, so that each
// row is judged by itself.
func (a *arena) play(t *testing.T, row *attack) {
	a.prepare(t, row)
	nodes := a.attacked(row)
	j := a.newJudge(t, row, nodes)
	blocks := uint64(1)
	if row.beside != "" && row.beside != silence {
		blocks = turns
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	r := &round{arena: a, t: t, row: row, ctx: ctx}
	j.begin(ctx)
	p := a.measure(t, blocks, func() {
		if row.begin != nil {
			row.begin(r)
		}
		if row.check != nil && (a.judgesTime() || !row.waits) {
			row.check(r)
		}
		r.awaitActs(a.least(row))
	})
	j.end()
	cancel()
	r.work.Wait()
	for _, f := range r.after {
		f()
	}
	j.judge(p, r.said.Load())
	if row.done != nil {
		row.done(&round{arena: a, t: t, row: row, ctx: t.Context()})
	}
	control := a.resident(a.control)
	if !t.Failed() && !slices.ContainsFunc(nodes, func(i int) bool { return a.resident(i) > control+maxGrowth*3/4 }) {
		return
	}
	for _, i := range nodes {
		a.kill(t, i)
		a.run(t, i)
	}
	a.awaitHead(t, 0, 0)
	for _, i := range append(nodes, a.public, a.control) { // a follower dials again after half a minute
		a.atHead(t, i, 0)
	}
	a.noteLinks(t)
}

// resident returns the memory of a node in MiB, zero for one that does not run.
func (a *arena) resident(i int) int {
	n, err := residentMemory(a.pid(i))
	if err != nil {
		return 0
	}
	return n
}

// heavyBlock has the network make a block with as many logs as some gas buys, and returns its number.
func (a *arena) heavyBlock(t *testing.T) uint64 {
	t.Helper()
	tip, feeCap := a.fees(t, 0)
	code := untilGas(100_000, func(*program.Program) {}, func(p *program.Program) {
		for range 64 {
			p.Push(0).Push(0).Op(vm.LOG0)
		}
	})
	tx, err := types.SignNewTx(a.network.Accounts[heavyAccount].Key(), types.LatestSignerForChainID(big.NewInt(chainID)),
		&types.DynamicFeeTx{ChainID: big.NewInt(chainID), GasTipCap: tip, GasFeeCap: feeCap, Gas: 27_000_000, Data: code})
	must.Do(t, err)
	raw := must.Get(tx.MarshalBinary())(t)
	hash := get[common.Hash](t, a, 0, "eth_sendRawTransaction", hexutil.Bytes(raw))
	return a.receipt(t, 0, hash).BlockNumber.Uint64()
}

// pay has an account pay coins to another one, and returns the number of the block.
func (a *arena) pay(t *testing.T, account int, to common.Address, coins *big.Int) *big.Int {
	t.Helper()
	tip, feeCap := a.fees(t, 0)
	key := a.network.Accounts[account].Key()
	nonce := get[hexutil.Uint64](t, a, 0, "eth_getTransactionCount", addressOf(key), "pending")
	hash := get[common.Hash](t, a, 0, "eth_sendRawTransaction",
		hexutil.Bytes(transfer(t, key, uint64(nonce), to, coins, tip, feeCap.Mul(feeCap, big.NewInt(4)))))
	return a.receipt(t, 0, hash).BlockNumber
}

// honestPayment pays from an account that no attacker uses. The payment is made, to the coin.
func honestPayment(r *round) {
	r.t.Helper()
	_, to := emptyAccount(r.t)
	number := r.pay(r.t, honestAccount, to, big.NewInt(7))
	if coins := r.balance(r.t, 0, to, (*hexutil.Big)(number)); coins.Cmp(big.NewInt(7)) != 0 {
		r.t.Errorf("coins: the payment has brought %v, want 7", coins)
	}
}

// dearProposals sees to it that no honest validator executes more proposals than there are rounds.
func dearProposals(r *round) {
	first, before := r.executed()
	dear := func() int { return strings.Count(nodeLog(r.t, r.cluster, last), "Dear proposal sent") }
	proposed := dear()
	r.await(r.t, "a dear proposal", func() (bool, string) { return dear() > proposed, "" })
	r.after = append(r.after, func() {
		head, after := r.executed()
		rounds := 0
		for number := first + 1; number <= head; number++ {
			rounds += 1 + int(r.roundOf(r.t, 0, number))
		}
		for i := range last {
			if n := int(after[i] - before[i]); n > rounds+3 { // the rounds in progress have no block yet
				r.t.Errorf("computation: %s has executed %d proposals in %d rounds", r.node(i).Name, n, rounds)
			}
		}
	})
}

// executed returns the head and how many proposals each honest validator has executed.
func (r *round) executed() (head uint64, counts [last]float64) {
	r.t.Helper()
	head, err := r.number(r.t.Context(), r.control)
	for i := range counts {
		if err == nil {
			counts[i], err = metricOf(r.metrics[i], "wbft_execute_count")
		}
	}
	if err != nil {
		r.t.Fatal(err)
	}
	return head, counts
}

// accused checks that the faulty validator was caught.
func accused(r *round) {
	r.t.Helper()
	for i := range last {
		if len(r.accuse(r.t, i, last).Evidence) > 0 {
			return
		}
	}
	r.t.Error("nobody has evidence against the faulty validator: did it do anything wrong?")
}

// buildFaulty builds gwon with a validator that breaks the rules (package tools/faulty) beside the binary under test,
// where make has not built it.
var buildFaulty = sync.OnceValues(func() (path string, err error) {
	path = binary + "-faulty"
	if os.Getenv(binaries) == "" {
		err = buildProgram(path, "gwon", "faulty")
	}
	return path, err
})

// faultyBinary returns the path of gwon with a validator that breaks the rules.
func faultyBinary(t *testing.T) string {
	t.Helper()
	path, err := buildFaulty()
	must.Do(t, err, "build the faulty binary:")
	return path
}

// consensusStatus is what the tests look at in istanbul_consensusStatus.
type consensusStatus struct {
	Halted string
	Muted  string
}

var misbehaviorLine = regexp.MustCompile(`Validator misbehavior.*`)

// everything plays the attackers of clients and peers at once, while nodes are killed and two followers join late, one
// by full and one by snap sync. Each honest validator comes back among them, and all have one chain.
func everything(r *round) {
	for _, begin := range []func(*round){liarsEverywhere, largeMessages(4, 0), dearTransactions, unreadAnswers} {
		begin(r)
	}
	random := randomness(r.t)
	for i, begun := 0, time.Now(); i == 0 || time.Since(begun) < r.lasts; i++ {
		victim := random.IntN(last - 1) // the judge asks the other one
		r.kill(r.t, victim)
		head, err := r.number(r.ctx, r.control)
		if err != nil {
			r.t.Fatal(err)
		}
		r.run(r.t, victim)
		r.awaitHead(r.t, head+2, victim)
	}
	for i, flags := range [][]string{nil, {"--syncmode", "snap"}} {
		r.follow(r.t, r.late+i, []int{0, 1, 2}, flags...)
		r.atHead(r.t, r.late+i, r.control)
	}
	head, err := r.number(r.ctx, r.control)
	if err != nil {
		r.t.Fatal(err)
	}
	r.sameChain(r.t, head)
}

// restartAmongLiars has a validator start again while all its other peers lie. Each block after that needs its vote.
func restartAmongLiars(r *round) {
	liarsEverywhere(r)
	r.kill(r.t, 0)
	r.run(r.t, 0)
	head, err := r.number(r.ctx, r.control)
	if err != nil {
		r.t.Fatal(err)
	}
	r.awaitHead(r.t, head+3, 0, 1, 2)
	r.noteLinks(r.t)
}

// rpcCall is the body of a call.
func rpcCall(method, params string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q,"params":[%s]}`, method, params)
}

func batchOf(n int, call string) string { return "[" + strings.Repeat(call+",", n-1) + call + "]" }

// isResult reports whether the body of an answer is a result, and what it says else.
func isResult(body []byte) (ok bool, says string) {
	var r reply
	if err := json.Unmarshal(body, &r); err != nil {
		return false, fmt.Sprintf("%.80s", body)
	}
	if r.Error != nil {
		return false, fmt.Sprintf("%.80s", r.Error.Message)
	}
	return true, ""
}
