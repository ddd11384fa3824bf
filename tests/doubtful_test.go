// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

//go:build nodes

package tests

import (
	"errors"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	protocol "github.com/ethereum/go-ethereum/eth/protocols/eth"
	"github.com/ethereum/go-ethereum/p2p"

	"gwon/consensus/wbft"
	"gwon/consensus/wbft/wbfttest"
	"gwon/core/rules"
	"gwon/dev/devnet"
	"gwon/eth/forkwatch"
	"gwon/internal/expect"
	"gwon/internal/must"
)

// doubtfulCluster is a network of four validators and the first block that three of them have sealed: one byte above
// the bound on blocks because of its seals, and below it without them. No node runs yet.
type doubtfulCluster struct {
	*cluster
	sealers *wbfttest.Network
	block   *types.Block
	metrics map[int]string // URLs of the metrics, by node
}

func newDoubtfulCluster(t *testing.T) *doubtfulCluster {
	t.Helper()
	network := must.Get(devnet.Prepare(devnet.Options{
		Dir: workDir(t), Validators: 4, Accounts: 4, ChainID: chainID, Period: time.Second,
	}))(t)
	c := &cluster{network, devnet.NewSupervisor(binary, nil, false, false), make(map[*devnet.Node]*devnet.Process)}
	t.Cleanup(func() { expect.Error(t, c.close(), nil, "close") })
	must.Do(t, ageGenesis(network, time.Minute))
	changeGenesis(t, network, func(genesis map[string]any) {
		payer := inside(genesis, "config", "anzeon", "init")["validators"].([]any)[0].(string)
		inside(genesis, "alloc")[strings.TrimPrefix(strings.ToLower(payer), "0x")] = map[string]any{
			"balance": "0x10000000000000000000000000",
		}
	})
	d := &doubtfulCluster{cluster: c, sealers: c.sealers(t), metrics: make(map[int]string)}
	d.sealers.Away = c.node(0).Address
	chain, _ := d.sealers.Chain(t)
	d.block = d.sealers.Sized(t, chain, 0, rules.MaxBlock+1)
	return d
}

// bound gives the genesis file the bound on blocks. Nodes that are initialized later have it.
func (d *doubtfulCluster) bound(t *testing.T) {
	t.Helper()
	changeGenesis(t, d.network, func(genesis map[string]any) {
		inside(genesis, "config", "anzeon")["maxBlockSizeBlock"] = 1
	})
}

// initValidators writes the genesis block of each validator.
func (d *doubtfulCluster) initValidators(t *testing.T) {
	t.Helper()
	for i := range 4 {
		must.Do(t, d.supervisor.Init(t.Context(), d.node(i)))
	}
}

// servesMetrics returns the flags with which a node serves its metrics, and notes their URL.
func servesMetrics(t *testing.T, urls map[int]string, i int) []string {
	t.Helper()
	port := strconv.Itoa(freePort(t))
	urls[i] = fmt.Sprintf("http://127.0.0.1:%s/debug/metrics/prometheus", port)
	return []string{"--metrics", "--metrics.addr", "127.0.0.1", "--metrics.port", port}
}

// awaitMetric waits until a metric of a node has a value.
func (d *doubtfulCluster) awaitMetric(t *testing.T, i int, name string, want float64) {
	t.Helper()
	d.await(t, fmt.Sprintf("%s of %v on %s", name, want, d.node(i).Name), func() (bool, string) {
		value, err := metricOf(d.metrics[i], name)
		return err == nil && value == want, fmt.Sprint(value, err)
	})
}

// push has a peer of a node push the block.
func (d *doubtfulCluster) push(t *testing.T, i int, peer *outsider) {
	t.Helper()
	d.awaitHead(t, 0, i)
	l := must.Get(peer.dial(t.Context(), d.node(i)))(t)
	must.Do(t, p2p.Send(l.eth, protocol.NewBlockMsg, []any{d.block, common.Big2}))
}

// awaitLine waits until the log of a node has a text.
func (c *cluster) awaitLine(t *testing.T, i int, text string) {
	t.Helper()
	c.await(t, fmt.Sprintf("%q in the log of %s", text, c.node(i).Name), func() (bool, string) {
		return strings.Contains(nodeLog(t, c, i), text), ""
	})
}

// checkHeld checks that a node has counted the block as held, and serves neither it nor anything of it.
func (d *doubtfulCluster) checkHeld(t *testing.T, i int) {
	t.Helper()
	d.awaitLine(t, i, "Sealed block held")
	d.awaitMetric(t, i, "gwon_import_held", 1)
	if head, err := d.head(i); err != nil || head != 0 {
		t.Errorf("%s: head %d, error %v", d.node(i).Name, head, err)
	}
	for method, id := range map[string]any{
		"eth_getBlockByNumber": hexutil.Uint64(1), "eth_getBlockByHash": d.block.Hash(),
	} {
		var b *block
		if d.must(t, i, &b, method, id, false); b != nil {
			t.Errorf("%s serves the held block by %s", d.node(i).Name, method)
		}
	}
	var receipt *types.Receipt
	if d.must(t, i, &receipt, "eth_getTransactionReceipt", d.block.Transactions()[0].Hash()); receipt != nil {
		t.Errorf("%s serves a receipt of the held block", d.node(i).Name)
	}
}

// forks returns the signs that a node has seen, and whether it has stopped sealing.
func (c *cluster) forks(t *testing.T, i int) (forkwatch.Report, consensusStatus) {
	t.Helper()
	var status struct {
		consensusStatus
		Forks forkwatch.Report
	}
	c.must(t, i, &status, "istanbul_consensusStatus")
	return status.Forks, status.consensusStatus
}

// checkRefused checks that the block is a sign of other rules on a node, and nothing else there.
func (d *doubtfulCluster) checkRefused(t *testing.T, i int) {
	t.Helper()
	d.awaitLine(t, i, "Sealed block refused")
	d.awaitMetric(t, i, "gwon_forks_signs", 1)
	signs, status := d.forks(t, i)
	want := forkwatch.Refusal{Number: 1, Rule: wbft.ErrOversized.Error()}
	if len(signs.Blocks) != 1 || signs.Blocks[0] != want || signs.Validators != 0 {
		t.Errorf("%s: %+v, want the block alone", d.node(i).Name, signs)
	}
	if status != (consensusStatus{}) {
		t.Errorf("%s: %+v", d.node(i).Name, status)
	}
	out, stderr, err := gwon(t, t.TempDir(), "status", "--rpc", d.node(i).HTTP())
	if line := "sealed blocks refused here: 1, the last is block 1: " + want.Rule; !strings.Contains(out, line) {
		t.Errorf("%s: gwon status does not say %q: %v\n%s%s", d.node(i).Name, line, err, out, stderr)
	}
}

// Validators have the bound on blocks, and a node beside them has not, as in the presets. A faulty validator spreads a
// sealed block that only its seals put above the bound. The validators refuse it, show the sign, and decide another
// one. The node without the bound holds the block, serves nothing of it, and takes the other one.
// spec: wbft 7.3
func TestRivalOfADoubtfulBlock(t *testing.T) {
	t.Parallel()
	const liar = 3
	d := newDoubtfulCluster(t)
	without := d.addFollowers(t, 1)
	d.bound(t)
	d.initValidators(t)
	d.start(t, 0, servesMetrics(t, d.metrics, 0)...) // alone it decides nothing
	d.awaitHead(t, 0, 0)
	d.follow(t, without, []int{0}, servesMetrics(t, d.metrics, without)...)
	d.push(t, without, newOutsider(t, nil))
	d.checkHeld(t, without)
	d.push(t, 0, newOutsider(t, d.sealers.Keys[d.node(liar).Address]))
	d.checkRefused(t, 0)

	d.start(t, 1)
	d.start(t, 2)
	d.sameChain(t, 4)
	if hash := d.block.Hash(); d.cluster.block(t, without, uint64(1)).Hash == hash {
		t.Errorf("block 1 is %v, which the validators have refused", hash)
	}
	signs, _ := d.forks(t, without)
	expect.That(t, len(signs.Blocks) == 0 && strings.Contains(signs.Difference, "maxBlockSizeBlock"),
		"the node without the bound has the signs %+v, want the other configuration alone", signs)
	d.checkRefused(t, 0) // an hour long
}

// The validators have no bound on blocks. A node that holds a block which only its seals put above the bound takes it
// with its sealed child, and so do validators, which then seal on it. A node with the bound refuses the block, shows
// the sign, and stays below it.
// spec: wbft 7.3
func TestChildOfADoubtfulBlock(t *testing.T) {
	t.Parallel()
	d := newDoubtfulCluster(t)
	chain, engine := d.sealers.Chain(t)
	engine.Follow(types.Blocks{d.block})
	must.Get(chain.InsertChain(types.Blocks{d.block}))(t)
	child := d.sealers.Extend(t, chain, 1)[0]
	file := filepath.Join(d.network.Dir, "blocks.rlp")
	out := must.Get(os.Create(file))(t)
	must.Do(t, errors.Join(d.block.EncodeRLP(out), child.EncodeRLP(out), out.Close()))
	source := d.addFollowers(t, 2)
	holder := source + 1
	d.initValidators(t)
	d.bound(t)
	bounded := d.addFollowers(t, 1)
	d.give(t, file, source)

	// The blocks have seals of the validators that no vote log has.
	d.start(t, 0, append(servesMetrics(t, d.metrics, 0), "--validator.signfrom", "3")...)
	d.start(t, 1, "--validator.signfrom", "3")
	d.follow(t, holder, nil, servesMetrics(t, d.metrics, holder)...)
	for _, i := range []int{0, holder} {
		d.push(t, i, newOutsider(t, nil))
		d.checkHeld(t, i)
	}
	d.follow(t, source, []int{0, 1, holder})
	d.follow(t, bounded, []int{source}, servesMetrics(t, d.metrics, bounded)...)
	d.checkRefused(t, bounded)
	d.awaitHead(t, 2, 0, 1, holder) // before there is a quorum
	d.start(t, 2, "--validator.signfrom", "3")

	d.awaitHead(t, 5, 0, 1, 2, source, holder)
	for _, i := range []int{0, 1, 2, source, holder} {
		if got := d.chain(t, i, 2); got[1].Hash != d.block.Hash() || got[2].Hash != child.Hash() {
			t.Errorf("%s: blocks %v and %v, want %v and %v", d.node(i).Name, got[1].Hash, got[2].Hash, d.block.Hash(),
				child.Hash())
		}
	}
	head, err := d.head(bounded)
	expect.That(t, err == nil && head == 0, "the node with the bound has block %d, error %v", head, err)
	signs, _ := d.forks(t, holder)
	expect.That(t, len(signs.Blocks) == 0, "the holder has refused %+v", signs.Blocks)
	var x struct{ Size *hexutil.Big }
	d.must(t, 2, &x, "eth_getBlockByNumber", hexutil.Uint64(1), false)
	want := big.NewInt(rules.MaxBlock + 1)
	expect.That(t, x.Size.ToInt().Cmp(want) == 0, "block 1 has %v bytes, want %v", x.Size, want)
}
