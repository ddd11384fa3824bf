// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package eth

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	gethcore "github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/rawdb"
	"github.com/ethereum/go-ethereum/core/state"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/eth/ethconfig"
	gethparams "github.com/ethereum/go-ethereum/params"
	"github.com/ethereum/go-ethereum/rpc"

	"gwon/consensus/wbft/keylock"
	"gwon/consensus/wbft/wbfttest"
	"gwon/core"
	"gwon/eth/session/sessiontest"
	"gwon/internal/expect"
	"gwon/internal/must"
	"gwon/params"
)

// The engines take the code of an upgrade from the source that was registered last (spec chain 10: testnet, block 100).
func TestRegisterEngine(t *testing.T) {
	upgraded := func(codes core.CodeSource) []byte {
		t.Helper()
		RegisterEngine(codes)
		engine := must.Get(ethconfig.CreateConsensusEngine(params.Testnet(), nil))(t)
		db := must.Get(state.New(types.EmptyRootHash, state.NewDatabaseForTesting()))(t)
		engine.Finalize(nil, &types.Header{Number: big.NewInt(14_408_500)}, db, nil)
		return db.GetCode(params.GovMinterAddress)
	}
	v2, ok := core.CodeHash("govMinter", params.V2)
	must.That(t, ok, "govMinter v2 is not known")
	source := func(name string) core.CodeSource {
		return func(hash common.Hash) ([]byte, bool) { return []byte(name), hash == v2 }
	}
	for _, name := range []string{"one", "two"} {
		code := upgraded(source(name))
		expect.That(t, bytes.Equal(code, []byte(name)), "code %q, want %q", code, name)
	}
	code := upgraded(nil)
	expect.That(t, len(code) == 0, "code %q without a source", code)
	engine, err := ethconfig.CreateConsensusEngine(gethparams.MainnetChainConfig, nil)
	expect.That(t, err == nil && engine != nil, "other chains: %v, %v", engine, err)
}

// A service whose start fails leaves nothing running: it would use a chain that is being closed.
func TestFailedStartEndsItsWork(t *testing.T) {
	n := startNode(t, wbfttest.New(t, 1), t.TempDir(), rawdb.PathScheme, ethconfig.FullSync, nil)
	must.Do(t, n.Stop())
	n.halt("test")
	n.cfg.Sealing = true
	if err := n.Start(); err == nil || !strings.Contains(err.Error(), "stopped for safety") {
		t.Fatalf("error %v, want that of a halted validator", err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		n.wg.Wait()
	}()
	sessiontest.Next(t, ended)
}

// A node that has not started is not marked as running, so that a refused start is no unclean shutdown. One that runs
// is marked until it stops.
func TestOnlyARunningNodeIsMarked(t *testing.T) {
	chain, dir := wbfttest.New(t, 1), t.TempDir()
	n := makeNode(t, chain, dir, rawdb.PathScheme, ethconfig.FullSync)
	checkMarks(t, n, 0)
	must.Do(t, n.stack.Start())
	checkMarks(t, n, 1)
	must.Do(t, n.stack.Close())
	checkMarks(t, makeNode(t, chain, dir, rawdb.PathScheme, ethconfig.FullSync), 0)
}

func checkMarks(t *testing.T, n *testNode, want int) {
	t.Helper()
	marks, _, err := rawdb.PushUncleanShutdownMarker(n.ethereum.ChainDb())
	rawdb.PopUncleanShutdownMarker(n.ethereum.ChainDb())
	expect.That(t, err == nil && len(marks) == want, "%d marks of running nodes, want %d; error %v", len(marks), want, err)
}

// A node has the machine's lock on its key while it runs, sealing or not, so that a copy of its directory does not
// start beside it. A refused start leaves the lock to its owner.
func TestKeyIsLocked(t *testing.T) {
	n := makeNode(t, wbfttest.New(t, 1), t.TempDir(), rawdb.PathScheme, ethconfig.FullSync)
	locked := func() bool {
		lock, err := keylock.Acquire(n.address, n.chain.Genesis().Hash())
		if err == nil {
			must.Do(t, lock.Close())
		}
		return errors.Is(err, keylock.ErrInUse)
	}
	other := must.Get(keylock.Acquire(n.address, n.chain.Genesis().Hash()))(t)
	expect.Error(t, n.Service.Start(), keylock.ErrInUse, "beside another node")
	expect.That(t, locked(), "a refused start has taken the lock away")
	must.Do(t, errors.Join(other.Close(), n.stack.Start()))
	expect.That(t, locked(), "the key of a running node is free")
	must.Do(t, n.stack.Close())
	expect.That(t, !locked(), "the key of a stopped node is locked")
}

// A validator names the others that it misses for a block; one of its own network needs none, as does a follower.
func TestAttendance(t *testing.T) {
	for count, want := range map[int]string{1: "true ", 4: "false 1 of 4 validators are here, 3 are needed; missing: 0x"} {
		t.Run(fmt.Sprint(count), func(t *testing.T) {
			net := wbfttest.New(t, count)
			n := startNode(t, net, t.TempDir(), rawdb.PathScheme, ethconfig.FullSync, nil)
			s := &Service{cfg: n.cfg, chain: n.chain, engine: n.engine, sessions: n.sessions, driver: n.driver}
			alone, missing := s.Attendance()
			expect.Equal(t, fmt.Sprint(alone, " ", missing), "false ", "of a follower")
			s.address = slices.Collect(maps.Keys(net.Keys))[0]
			alone, missing = s.Attendance()
			expect.Contains(t, fmt.Sprint(alone, " ", missing), want, "of a validator")
			expect.That(t, !strings.Contains(missing, s.address.Hex()), "the validator misses itself")
		})
	}
}

// A reader that hears of an imported block finds it final, safe and latest, block by block and in a batch.
// spec: wbft 7.5
func TestNoticesNameFinalBlocks(t *testing.T) {
	net := wbfttest.New(t, 1)
	source, _ := net.Chain(t)
	blocks := net.Extend(t, source, 30)
	n := startNode(t, net, t.TempDir(), rawdb.PathScheme, ethconfig.FullSync, nil)
	events := make(chan gethcore.ChainEvent)
	sub := n.APIBackend().SubscribeChainEvent(events)
	defer sub.Unsubscribe()
	inserted := make(chan error, 1)
	go func() {
		for _, block := range blocks[:10] {
			if _, err := n.chain.InsertChain(types.Blocks{block}); err != nil {
				inserted <- err
				return
			}
		}
		_, err := n.chain.InsertChain(blocks[10:])
		inserted <- err
	}()
	for range blocks {
		number := sessiontest.Next(t, events).Header.Number
		for _, tag := range []rpc.BlockNumber{rpc.FinalizedBlockNumber, rpc.SafeBlockNumber, rpc.LatestBlockNumber} {
			header, err := n.APIBackend().HeaderByNumber(t.Context(), tag)
			expect.That(t, err == nil && header.Number.Cmp(number) >= 0,
				"at the notice of block %d, %v is another one, error %v", number, tag, err)
		}
	}
	must.Do(t, sessiontest.Next(t, inserted))
}

// The state of consensus names the block from which the operator has the validator sign, and nothing without one.
func TestConsensusStatusNamesSignFrom(t *testing.T) {
	n := startNode(t, wbfttest.New(t, 1), t.TempDir(), rawdb.PathScheme, ethconfig.FullSync, nil)
	for from, want := range map[uint64]bool{0: false, 9: true} {
		n.cfg.SignFrom = from
		text, err := json.Marshal(n.ConsensusStatus())
		expect.That(t, err == nil && strings.Contains(string(text), `"signFrom":9`) == want &&
			strings.Contains(string(text), "signFrom") == want, "from %d: %s, error %v", from, text, err)
	}
}
