// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

//go:build nodes

package tests

import (
	"bytes"
	"encoding/json"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"

	"gwon/contracts/bindings"
	"gwon/dev/devnet"
	"gwon/internal/expect"
	"gwon/internal/must"
	"gwon/params"
)

// governed is a network with our own system contracts, whose members are funded accounts.
type governed struct {
	*cluster
	nonces map[common.Address]uint64
}

// startGoverned starts a network whose genesis file was changed before anybody has read it.
func startGoverned(t testing.TB, nodes int, change func(network *devnet.Network, genesis map[string]any)) *governed {
	t.Helper()
	g := prepareGoverned(t, nodes, change)
	for i := range g.network.Nodes {
		g.start(t, i)
	}
	g.awaitHead(t, 1, g.running()...)
	return g
}

// prepareGoverned is startGoverned whose processes do not run yet.
func prepareGoverned(t testing.TB, nodes int, change func(network *devnet.Network, genesis map[string]any)) *governed {
	t.Helper()
	network := must.Get(devnet.Prepare(devnet.Options{
		Dir: workDir(t), Validators: nodes, Accounts: max(4, nodes), ChainID: chainID, Period: time.Second,
		Contracts: params.G1,
	}))(t)
	c := &cluster{network, devnet.NewSupervisor(binary, nil, false, false), make(map[*devnet.Node]*devnet.Process)}
	t.Cleanup(func() { expect.Error(t, c.close(), nil, "c.close") })
	changeGenesis(t, network, func(genesis map[string]any) { change(network, genesis) })
	for _, node := range network.Nodes {
		must.Do(t, c.supervisor.Init(t.Context(), node))
	}
	return &governed{c, make(map[common.Address]uint64)}
}

// changeGenesis changes the genesis file of a network that nobody has read yet.
func changeGenesis(t testing.TB, network *devnet.Network, change func(genesis map[string]any)) {
	t.Helper()
	file := filepath.Join(network.Dir, "genesis.json")
	text := must.Get(os.ReadFile(file))(t)
	var genesis map[string]any
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	must.Do(t, decoder.Decode(&genesis))
	change(genesis)
	text = must.Get(json.Marshal(genesis))(t)
	must.Do(t, os.WriteFile(file, text, 0o600))
}

// unchanged leaves a genesis file as it is.
func unchanged(*devnet.Network, map[string]any) {}

// inside returns an object of a JSON document.
func inside(document map[string]any, path ...string) map[string]any {
	for _, key := range path {
		document = document[key].(map[string]any)
	}
	return document
}

var (
	governance   = bindings.NewGovernance()
	govValidator = bindings.NewGovValidator()
	govCouncil   = bindings.NewGovCouncil()
)

// raw signs a message of a funded account at the governed tip.
func (g *governed) raw(t *testing.T, from devnet.Account, to common.Address, value *big.Int,
	data []byte) hexutil.Bytes {
	t.Helper()
	tip, feeCap := g.fees(t, 0)
	id := new(big.Int).SetUint64(chainID)
	tx := must.Get(types.SignNewTx(from.Key(), types.LatestSignerForChainID(id), &types.DynamicFeeTx{
		ChainID: id, Nonce: g.nonces[from.Address], GasTipCap: tip, GasFeeCap: feeCap, Gas: 2_000_000, To: &to, Value: value,
		Data: data,
	}))(t)
	return must.Get(tx.MarshalBinary())(t)
}

// send has a message executed and returns its receipt.
func (g *governed) send(t *testing.T, from devnet.Account, to common.Address, data []byte) *types.Receipt {
	t.Helper()
	return g.pay(t, from, to, new(big.Int), data)
}

// pay is send with coins.
func (g *governed) pay(t *testing.T, from devnet.Account, to common.Address, value *big.Int,
	data []byte) *types.Receipt {
	t.Helper()
	hash := get[common.Hash](t, g, 0, "eth_sendRawTransaction", g.raw(t, from, to, value, data))
	g.nonces[from.Address]++
	r := g.receipt(t, 0, hash)
	must.Equal(t, r.Status, types.ReceiptStatusSuccessful, "message of %v to %v failed", from.Address, to)
	return r
}

// decide has two members agree: the first proposes, and the proposal is this one of the contract. It returns the
// block that executed it.
func (g *governed) decide(t *testing.T, at common.Address, proposal []byte, id int64) uint64 {
	t.Helper()
	g.send(t, g.network.Accounts[0], at, proposal)
	return g.send(t, g.network.Accounts[1], at, governance.PackApproveProposal(big.NewInt(id))).BlockNumber.Uint64()
}

// validatorsAt returns who seals the block.
func (g *governed) validatorsAt(t *testing.T, number uint64) []common.Address {
	t.Helper()
	return get[[]common.Address](t, g, 0, "istanbul_getValidators", hexutil.Uint64(number))
}

// withoutLast takes the last node and its operator out of a genesis, so that it is a validator later on only, and sets
// the length of epochs.
func withoutLast(epochLength int) func(network *devnet.Network, genesis map[string]any) {
	return withoutLastOf(1, epochLength)
}

// withoutLastOf is withoutLast for several nodes.
func withoutLastOf(count, epochLength int) func(network *devnet.Network, genesis map[string]any) {
	return func(_ *devnet.Network, genesis map[string]any) {
		anzeon := inside(genesis, "config", "anzeon")
		inside(anzeon, "wbft")["epochLength"] = epochLength
		for _, key := range []string{"validators", "blsPublicKeys"} {
			init := inside(anzeon, "init")
			list := init[key].([]any)
			init[key] = list[:len(list)-count]
		}
		for _, contract := range inside(anzeon, "systemContracts") {
			parameters := inside(contract.(map[string]any), "params")
			for _, key := range []string{"members", "validators", "blsPublicKeys"} {
				if list, ok := parameters[key].(string); ok {
					all := strings.Split(list, ",")
					parameters[key] = strings.Join(all[:len(all)-count], ",")
				}
			}
		}
	}
}
