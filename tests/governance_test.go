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
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"

	"gwon/consensus/wbft/bls"
	"gwon/contracts"
	"gwon/contracts/bindings"
	"gwon/dev/devnet"
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
	t.Cleanup(func() {
		if err := c.close(); err != nil {
			t.Error(err)
		}
	})
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
	text, err := os.ReadFile(file)
	must.Do(t, err)
	var genesis map[string]any
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	must.Do(t, decoder.Decode(&genesis))
	change(genesis)
	if text, err = json.Marshal(genesis); err != nil {
		t.Fatal(err)
	}
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
	govMinter    = bindings.NewGovMinter()
)

// raw signs a message of a funded account at the governed tip.
func (g *governed) raw(t *testing.T, from devnet.Account, to common.Address, value *big.Int,
	data []byte) hexutil.Bytes {
	t.Helper()
	tip, feeCap := g.fees(t, 0)
	id := new(big.Int).SetUint64(chainID)
	tx, err := types.SignNewTx(from.Key(), types.LatestSignerForChainID(id), &types.DynamicFeeTx{
		ChainID: id, Nonce: g.nonces[from.Address], GasTipCap: tip, GasFeeCap: feeCap, Gas: 2_000_000, To: &to, Value: value,
		Data: data,
	})
	must.Do(t, err)
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
	var hash common.Hash
	g.must(t, 0, &hash, "eth_sendRawTransaction", g.raw(t, from, to, value, data))
	g.nonces[from.Address]++
	r := g.receipt(t, 0, hash)
	if r.Status != types.ReceiptStatusSuccessful {
		t.Fatalf("message of %v to %v failed", from.Address, to)
	}
	return r
}

// decide has two members agree: the first proposes, and the proposal is this one of the contract. It returns the
// block that executed it.
func (g *governed) decide(t *testing.T, at common.Address, proposal []byte, id int64) uint64 {
	t.Helper()
	g.send(t, g.network.Accounts[0], at, proposal)
	return g.send(t, g.network.Accounts[1], at, governance.PackApproveProposal(big.NewInt(id))).BlockNumber.Uint64()
}

// The members of a devnet change the gas tip, which holds for the block after the vote, and for the pool from that
// vote's block on; and they put an account on the blacklist, whose transactions the pool refuses from then on, and
// those that it pays for, until it is taken off again (spec system-contracts 7, chain 7.3, 7.5; transactions 6 no. 27
// and 30).
func TestGovernance(t *testing.T) {
	t.Parallel()
	g := startGoverned(t, 2, unchanged)
	a, victim := g.network.Accounts[0], g.network.Accounts[3]

	before := g.raw(t, victim, a.Address, nil, nil)
	tip := new(big.Int).SetUint64(params.DefaultGasTip + 1e9)
	at := g.decide(t, params.GovValidatorAddress, govValidator.PackProposeGasTip(tip), 1)
	g.awaitHead(t, at+1, 0)
	for number, want := range map[uint64]*big.Int{at: new(big.Int).SetUint64(params.DefaultGasTip), at + 1: tip} {
		var have hexutil.Big
		g.must(t, 0, &have, "istanbul_gasTip", hexutil.Uint64(number))
		if have.ToInt().Cmp(want) != 0 {
			t.Errorf("block %d has the tip %v, want %v", number, have.ToInt(), want)
		}
	}
	var hash common.Hash
	err := g.call(0, &hash, "eth_sendRawTransaction", before)
	if err == nil || !strings.Contains(err.Error(), "underpriced") {
		t.Errorf("a transaction with the tip from before: %v", err)
	}

	// The pool follows a head in a moment, and long before the next one comes.
	on := g.decide(t, params.GovCouncilAddress, govCouncil.PackProposeAddBlacklist(victim.Address), 1)
	g.awaitHead(t, on+1, 0)
	for name, raw := range map[string]hexutil.Bytes{
		"sent": g.raw(t, victim, a.Address, nil, nil), "received": g.raw(t, a, victim.Address, nil, nil),
		"paid": g.paid(t, victim),
	} {
		if err := g.call(0, &hash, "eth_sendRawTransaction", raw); err == nil || !strings.Contains(err.Error(), "blacklist") {
			t.Errorf("transaction %s by a blacklisted account: %v", name, err)
		}
	}
	last := g.decide(t, params.GovCouncilAddress, govCouncil.PackProposeRemoveBlacklist(victim.Address), 2)
	g.awaitHead(t, last+1, 0)
	g.must(t, 0, &hash, "eth_sendRawTransaction", g.paid(t, victim))
	if r := g.receipt(t, 0, hash); r.Status != types.ReceiptStatusSuccessful || r.BlockNumber.Uint64() <= last {
		t.Errorf("paid by an account that is off the blacklist: %+v", r)
	}
	g.sameChain(t, last+1)
}

// paid is a message of nobody in particular whose fee an account pays (spec transactions 3).
func (g *governed) paid(t *testing.T, payer devnet.Account) hexutil.Bytes {
	t.Helper()
	key, _ := emptyAccount(t)
	id, to := new(big.Int).SetUint64(chainID), common.Address{0xfe}
	tip, feeCap := g.fees(t, 0)
	inner := types.DynamicFeeTx{ChainID: id, GasTipCap: tip, GasFeeCap: feeCap, Gas: 21_000, To: &to, Value: new(big.Int)}
	return delegate(t, key, payer.Key(), inner)
}

// validatorsAt returns who seals the block.
func (g *governed) validatorsAt(t *testing.T, number uint64) []common.Address {
	t.Helper()
	var set []common.Address
	g.must(t, 0, &set, "istanbul_getValidators", hexutil.Uint64(number))
	return set
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

// A fifth validator is voted in and registers its key: it seals from the block on that follows the next epoch block,
// and no earlier. Voted out, it seals until its epoch ends, and the other four go on without it (spec wbft 3.4,
// system-contracts 3, 7).
func TestFifthValidator(t *testing.T) {
	t.Parallel()
	const epochLength = 5
	g := startGoverned(t, 5, withoutLast(epochLength))
	operator, fifth := g.network.Accounts[4], g.node(4).Address
	epochAfter := func(block uint64) uint64 { return (block + epochLength - 1) / epochLength * epochLength }
	g.decide(t, params.GovValidatorAddress, governance.PackProposeAddMember(operator.Address, 2), 1)
	key := must.Get(crypto.LoadECDSA(filepath.Join(g.node(4).Dir, "gwon", "nodekey")))(t)
	secret := must.Get(bls.DeriveKey(key))(t)
	registration := govValidator.PackConfigureValidator(fifth, secret.PublicKey().Bytes(), secret.ProofOfPossession())
	joined := epochAfter(g.send(t, operator, params.GovValidatorAddress, registration).BlockNumber.Uint64())
	g.awaitHead(t, joined+1, 0)
	if set := g.validatorsAt(t, joined); len(set) != 4 || slices.Contains(set, fifth) {
		t.Errorf("block %d is sealed by %v, want the first four", joined, set)
	}
	if set := g.validatorsAt(t, joined+1); len(set) != 5 || !slices.Contains(set, fifth) {
		t.Errorf("block %d is sealed by %v, want the fifth too", joined+1, set)
	}
	// Proposers take turns, so one of any five blocks in a row is its own; a round change may skip it once.
	sealed := func(from, to uint64) (own int) {
		t.Helper()
		for _, b := range g.chain(t, 0, to)[from:] {
			if b.Miner == fifth {
				own++
			}
		}
		return own
	}
	g.awaitHead(t, joined+11, 0)
	if own := sealed(joined+1, joined+11); own == 0 {
		t.Errorf("the fifth validator proposed none of the blocks %d to %d", joined+1, joined+11)
	}
	if own := sealed(1, joined); own != 0 {
		t.Errorf("the fifth validator proposed %d blocks before its epoch", own)
	}

	left := epochAfter(g.decide(t, params.GovValidatorAddress, governance.PackProposeRemoveMember(operator.Address, 2), 2))
	g.awaitHead(t, left+1, 0, 4)
	if set := g.validatorsAt(t, left); len(set) != 5 {
		t.Errorf("block %d is sealed by %v, want all five", left, set)
	}
	if set := g.validatorsAt(t, left+1); len(set) != 4 || slices.Contains(set, fifth) {
		t.Errorf("block %d is sealed by %v, want the first four", left+1, set)
	}
	g.sameChain(t, left+1)
	g.stop(t, 4)
	g.awaitHead(t, left+9, 0, 1, 2, 3)
	if own := sealed(left+1, left+9); own != 0 {
		t.Errorf("the fifth validator proposed %d blocks after its epoch", own)
	}
	g.sameChain(t, left+9)
}

// balanceAt returns what an account has after a block.
func (g *governed) balanceAt(t *testing.T, a common.Address, number uint64) *big.Int {
	t.Helper()
	return g.balance(t, 0, a, hexutil.Uint64(number))
}

// An upgrade block puts the next version of GovMinter in place of the first. The coins of burns that are open then
// are neither lost nor paid out twice: one is burnt, one is taken back (spec chain 10, system-contracts 5.2).
func TestUpgradeOfGovMinter(t *testing.T) {
	t.Parallel()
	const upgrade = 20
	g := startGoverned(t, 2, func(_ *devnet.Network,
		genesis map[string]any) {
		inside(genesis, "config")["bohoBlock"] = upgrade
	})
	a, b := g.network.Accounts[0], g.network.Accounts[1]
	coins := func(n int64) *big.Int { return new(big.Int).Mul(big.NewInt(n), big.NewInt(1e18)) }
	burn := func(id string, amount *big.Int) uint64 {
		t.Helper()
		proof := must.Get(proofArguments(t).Pack(a.Address, amount, big.NewInt(1), id, "bank", ""))(t)
		return g.pay(t, a, params.GovMinterAddress, amount, govMinter.PackProposeBurn(proof)).BlockNumber.Uint64()
	}
	burn("W-1", coins(5))
	last := burn("W-2", coins(7))
	if last >= upgrade {
		t.Fatalf("the deposits were made at block %d, after the upgrade at %d", last, upgrade)
	}
	if have := g.balanceAt(t, params.GovMinterAddress, last); have.Cmp(coins(12)) != 0 {
		t.Fatalf("GovMinter holds %v, want 12 coins", have)
	}
	g.awaitHead(t, upgrade, 0)
	for number, version := range map[uint64]string{upgrade - 1: params.G1, upgrade: params.G2} {
		want, ok := contracts.Lookup("govMinter", version)
		if !ok {
			t.Fatal(version)
		}
		var code hexutil.Bytes
		g.must(t, 0, &code, "eth_getCode", params.GovMinterAddress, hexutil.Uint64(number))
		if !bytes.Equal(code, want.Code) {
			t.Errorf("block %d has %d bytes of code at GovMinter, want those of %s", number, len(code), version)
		}
	}
	if have := g.balanceAt(t, params.GovMinterAddress, upgrade); have.Cmp(coins(12)) != 0 {
		t.Errorf("GovMinter holds %v after the upgrade, want 12 coins", have)
	}

	burnt := g.send(t, b, params.GovMinterAddress, governance.PackApproveProposal(big.NewInt(1))).BlockNumber.Uint64()
	if have := g.balanceAt(t, params.GovMinterAddress, burnt); have.Cmp(coins(7)) != 0 {
		t.Errorf("GovMinter holds %v after the burn of 5 coins, want 7", have)
	}
	g.send(t, a, params.GovMinterAddress, governance.PackCancelProposal(big.NewInt(2)))
	claimed := g.send(t, a, params.GovMinterAddress, govMinter.PackClaimBurnRefund())
	at := claimed.BlockNumber.Uint64()
	fee := new(big.Int).Mul(new(big.Int).SetUint64(claimed.GasUsed), claimed.EffectiveGasPrice)
	gained := new(big.Int).Sub(g.balanceAt(t, a.Address, at), g.balanceAt(t, a.Address, at-1))
	if gained.Add(gained, fee).Cmp(coins(7)) != 0 {
		t.Errorf("the claim brought %v, want 7 coins", gained)
	}
	if have := g.balanceAt(t, params.GovMinterAddress, at); have.Sign() != 0 {
		t.Errorf("GovMinter keeps %v", have)
	}
	var hash common.Hash
	g.must(t, 0, &hash, "eth_sendRawTransaction",
		g.raw(t, a, params.GovMinterAddress, nil, govMinter.PackClaimBurnRefund()))
	if r := g.receipt(t, 0, hash); r.Status != types.ReceiptStatusFailed {
		t.Error("the refund was paid twice")
	}
	g.sameChain(t, at)
}

// proofArguments is how GovMinter wants a proof encoded (spec system-contracts 5.2).
func proofArguments(t *testing.T) (list abi.Arguments) {
	t.Helper()
	for _, name := range []string{"address", "uint256", "uint256", "string", "string", "string"} {
		typ := must.Get(abi.NewType(name, "", nil))(t)
		list = append(list, abi.Argument{Type: typ})
	}
	return list
}
