// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package tests

import (
	"math/big"
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"

	"gwon/cmd/gwon/devnet"
	"gwon/contracts/bindings"
	"gwon/params"
)

// governed is a network with our own system contracts, whose members are funded accounts.
type governed struct {
	*cluster
	nonces map[common.Address]uint64
}

func startGoverned(t *testing.T, validators int) *governed {
	t.Helper()
	if testing.Short() {
		t.Skip("starts processes")
	}
	network, err := devnet.Prepare(devnet.Options{
		Dir: workDir(t), Validators: validators, Accounts: 4, ChainID: chainID, Period: time.Second, Contracts: params.G1,
	})
	if err != nil {
		t.Fatal(err)
	}
	c := &cluster{network, devnet.NewSupervisor(binary, nil, false, false), make(map[*devnet.Node]*devnet.Process)}
	t.Cleanup(func() {
		if err := c.close(); err != nil {
			t.Error(err)
		}
	})
	for i, node := range network.Nodes {
		if err := c.supervisor.Init(t.Context(), node); err != nil {
			t.Fatal(err)
		}
		c.start(t, i)
	}
	c.awaitHead(t, 1, c.running()...)
	return &governed{c, make(map[common.Address]uint64)}
}

var (
	governance   = bindings.NewGovernance()
	govValidator = bindings.NewGovValidator()
	govCouncil   = bindings.NewGovCouncil()
)

// raw signs a message of a funded account at the governed tip.
func (g *governed) raw(t *testing.T, from devnet.Account, to common.Address, data []byte) hexutil.Bytes {
	t.Helper()
	tip, feeCap := g.fees(t, 0)
	id := new(big.Int).SetUint64(chainID)
	tx, err := types.SignNewTx(from.Key(), types.LatestSignerForChainID(id), &types.DynamicFeeTx{
		ChainID: id, Nonce: g.nonces[from.Address], GasTipCap: tip, GasFeeCap: feeCap, Gas: 2_000_000, To: &to, Data: data,
	})
	if err != nil {
		t.Fatal(err)
	}
	raw, err := tx.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// send has a message executed and returns its receipt.
func (g *governed) send(t *testing.T, from devnet.Account, to common.Address, data []byte) *types.Receipt {
	t.Helper()
	var hash common.Hash
	g.must(t, 0, &hash, "eth_sendRawTransaction", g.raw(t, from, to, data))
	g.nonces[from.Address]++
	r := g.receipt(t, 0, hash)
	if r.Status != types.ReceiptStatusSuccessful {
		t.Fatalf("message of %v to %v failed", from.Address, to)
	}
	return r
}

// The members of a devnet change the gas tip, which holds for the block after the vote, and put an account on the blacklist,
// whose transactions the pool refuses from then on (spec system-contracts 7, chain 7.3, 7.5).
func TestGovernance(t *testing.T) {
	g := startGoverned(t, 2)
	a, b, victim := g.network.Accounts[0], g.network.Accounts[1], g.network.Accounts[3]
	approve := func(at common.Address, id int64) *types.Receipt {
		t.Helper()
		return g.send(t, b, at, governance.PackApproveProposal(big.NewInt(id)))
	}

	tip := new(big.Int).SetUint64(params.DefaultGasTip + 1e9)
	g.send(t, a, params.GovValidatorAddress, govValidator.PackProposeGasTip(tip))
	before := g.raw(t, victim, a.Address, nil)
	at := approve(params.GovValidatorAddress, 1).BlockNumber.Uint64()
	g.awaitHead(t, at+1, 0)
	for number, want := range map[uint64]*big.Int{at: new(big.Int).SetUint64(params.DefaultGasTip), at + 1: tip} {
		var have hexutil.Big
		g.must(t, 0, &have, "istanbul_gasTip", hexutil.Uint64(number))
		if have.ToInt().Cmp(want) != 0 {
			t.Errorf("block %d has the tip %v, want %v", number, have.ToInt(), want)
		}
	}
	var hash common.Hash
	if err := g.call(0, &hash, "eth_sendRawTransaction", before); err == nil {
		t.Error("the pool takes a transaction with the tip from before")
	}

	g.send(t, a, params.GovCouncilAddress, govCouncil.PackProposeAddBlacklist(victim.Address))
	approve(params.GovCouncilAddress, 1)
	err := g.call(0, &hash, "eth_sendRawTransaction", g.raw(t, victim, a.Address, nil))
	if err == nil || !strings.Contains(err.Error(), "blacklist") {
		t.Errorf("transaction of a blacklisted account: %v", err)
	}
	g.sameChain(t, at+1)
}
