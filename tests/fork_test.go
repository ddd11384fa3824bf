// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

//go:build nodes

package tests

import (
	"fmt"
	"math/big"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"

	"gwon/dev/devnet"
	"gwon/internal/expect"
	"gwon/internal/must"
	"gwon/internal/wellknown"
	"gwon/params"
)

// forked is a developer chain that continues a network.
type forked struct{ *cluster }

// startFork starts a developer chain that continues the network of g. The cache stays for a later one.
func startFork(t testing.TB, g *governed, cache string, options ...string) *forked {
	t.Helper()
	c := prepareCluster(t, 1)
	flags, found := strings.CutPrefix(devnetCommand(t, "fork.md"), "node ")
	flags, port := strings.CutSuffix(flags, " --http.port 11545") // the cluster has a port for it
	must.That(t, found && port, "command %q", flags)
	flags = strings.NewReplacer("http://127.0.0.1:8545", g.node(0).HTTP(),
		"~/.gwon/devnet/genesis.json", filepath.Join(g.network.Dir, "genesis.json")).Replace(flags)
	startDev(t, c, append(append(strings.Fields(flags), "--fork.cache", cache), options...)...)
	c.awaitHead(t, 1, 0)
	return &forked{c}
}

// devnetCommand returns what follows gwon-dev in the command of a page in docs/develop for a devnet.
func devnetCommand(t testing.TB, page string) string {
	t.Helper()
	for _, command := range regexp.MustCompile(`(?m)^gwon-dev .*`).FindAllString(readPage(t, "docs/develop/"+page), -1) {
		if strings.Contains(command, "~/.gwon/devnet/") {
			return strings.TrimPrefix(command, "gwon-dev ")
		}
	}
	t.Fatalf("%s has no command for a devnet", page)
	return ""
}

// as sends a transaction of an impersonated account, and returns its receipt.
func (f *forked) as(t *testing.T, from, to common.Address, value *big.Int, data []byte, payer *common.Address,
) *types.Receipt {
	t.Helper()
	for _, signer := range []*common.Address{&from, payer} {
		if signer != nil {
			f.must(t, 0, new(bool), "anvil_impersonateAccount", signer)
		}
	}
	args := map[string]any{"from": from, "to": to, "value": (*hexutil.Big)(value), "data": hexutil.Bytes(data)}
	if payer != nil {
		args["feePayer"] = payer
	}
	hash := get[common.Hash](t, f, 0, "eth_sendTransaction", args)
	return f.receipt(t, 0, hash)
}

// A developer chain continues a devnet: what its accounts, contracts and members have is there, its members vote
// without their keys, its coin moves, a fee is paid by another account, and a blacklisted account is refused. The
// network sees nothing of that. A second chain begins with the same block when the network is gone.
func TestForkOfADevnet(t *testing.T) {
	t.Parallel()
	g := startGoverned(t, 2, func(_ *devnet.Network, genesis map[string]any) {
		for i := range untouched {
			inside(genesis, "alloc")[untouchedAccount(i).Hex()[2:]] = map[string]any{"balance": "0x1"}
		}
	})
	members := g.network.Members
	_, live := emptyAccount(t)
	coins := func(n int64) *big.Int { return new(big.Int).Mul(big.NewInt(n), big.NewInt(1e18)) }
	paid := g.pay(t, g.network.Accounts[3], live, coins(70), nil)
	g.awaitHead(t, paid.BlockNumber.Uint64(), 0)

	cache := filepath.Join(workDir(t), "forks")
	f := startFork(t, g, cache)
	begun, err := f.head(0)
	must.That(t, err == nil && begun >= paid.BlockNumber.Uint64(),
		"it continues block %d, error %v, want at least %v", begun, err, paid.BlockNumber)
	have, want := f.block(t, 0, hexutil.Uint64(begun)), g.block(t, 0, hexutil.Uint64(begun))
	expect.That(t, have.Hash == want.Hash && have.StateRoot == want.StateRoot,
		"block %d is %v, the network has %v", begun, have.Hash, want.Hash)
	if have := f.balance(t, 0, live, "latest"); have.Cmp(coins(70)) != 0 {
		t.Errorf("a live account has %v, want %v", have, coins(70))
	}
	list := must.Get(wellknown.Accounts(wellknown.Mnemonic, 10))(t)
	expect.Equal(t, f.balance(t, 0, list[9].Address, "latest").String(), coins(1e9).String(), "an account of the mnemonic")
	snapshot := get[string](t, f, 0, "evm_snapshot")

	// The coin's contract moves what a live account has, and a third account pays the fee.
	_, receiver := emptyAccount(t)
	transfer := append(hexutil.MustDecode("0xa9059cbb"), append(common.LeftPadBytes(receiver[:], 32),
		common.LeftPadBytes(coins(5).Bytes(), 32)...)...)
	r := f.as(t, live, params.NativeCoinAdapterAddress, new(big.Int), transfer, &list[1].Address)
	expect.That(t, r.Status == types.ReceiptStatusSuccessful && r.Type == types.FeeDelegateTxType && len(r.Logs) == 1,
		"transfer paid by another account: %+v", r)
	if have := f.balance(t, 0, live, "latest"); have.Cmp(coins(65)) != 0 {
		t.Errorf("the sender has %v, want %v: another account pays the fee", have, coins(65))
	}
	if have := f.balance(t, 0, receiver, "latest"); have.Cmp(coins(5)) != 0 {
		t.Errorf("the receiver has %v, want %v", have, coins(5))
	}

	// Two of the network's members put the account on the blacklist.
	for i, call := range [][]byte{
		govCouncil.PackProposeAddBlacklist(live), governance.PackApproveProposal(big.NewInt(1)),
	} {
		must.Equal(t, f.as(t, members[i], params.GovCouncilAddress, new(big.Int), call, nil).Status, 1,
			"vote of member %d", i)
	}
	refused := func(raw map[string]any) {
		t.Helper()
		expect.Says(t, f.call(0, new(common.Hash), "eth_sendTransaction", raw), "blacklist", "%v", raw)
	}
	refused(map[string]any{"from": live, "to": receiver, "gas": "0x5208"})
	refused(map[string]any{"from": list[0].Address, "to": live, "gas": "0x5208", "value": "0x1"})
	refused(map[string]any{"from": list[0].Address, "to": receiver, "gas": "0x5208", "feePayer": live})

	// Blocks go on over the ends of epochs.
	f.must(t, 0, new(bool), "hardhat_mine", "0x40")
	expect.Equal(t, f.as(t, list[0].Address, receiver, coins(1), nil, nil).Status, 1, "transfer after many blocks")
	f.must(t, 0, new(bool), "evm_revert", snapshot)
	head, err := f.head(0)
	expect.That(t, err == nil && head == begun, "after the revert the head is %d, error %v, want %d", head, err, begun)
	expect.Equal(t, f.balance(t, 0, live, "latest").String(), coins(70).String(), "after the revert the account has")
	f.must(t, 0, new(bool), "hardhat_mine", "0x3")
	forking := func(url string, number uint64) map[string]any {
		return map[string]any{"forking": map[string]any{"jsonRpcUrl": url, "blockNumber": number}}
	}
	f.must(t, 0, new(bool), "hardhat_reset", forking(g.node(0).HTTP(), begun))
	f.must(t, 0, new(bool), "anvil_reset")
	head, err = f.head(0)
	expect.That(t, err == nil && head == begun, "after the reset the head is %d, error %v, want %d", head, err, begun)
	for _, other := range []map[string]any{forking("http://127.0.0.1:1", begun), forking(g.node(0).HTTP(), begun-1)} {
		expect.Says(t, f.call(0, new(bool), "hardhat_reset", other), "gwon-dev node", "reset to %v", other)
	}
	expect.Equal(t, g.balance(t, 0, receiver, "latest").String(), "0", "the network itself has moved coins")

	// Without the network a chain has what was read before. The first one holds the cache until it ends.
	for i := range g.network.Nodes {
		g.stop(t, i)
	}
	f.stop(t, 0)
	f = startFork(t, g, cache, "--fork.block", fmt.Sprint(begun))
	expect.Equal(t, f.as(t, live, params.NativeCoinAdapterAddress, new(big.Int), transfer, &list[1].Address).Status, 1,
		"transfer without the network")
	// Paths to other accounts prove some of these on the way, and never a hundred of them.
	err = nil
	for i := 0; err == nil && i < untouched; i++ {
		err = f.call(0, new(hexutil.Big), "eth_getBalance", untouchedAccount(i), "latest")
	}
	expect.Says(t, err, "no endpoint answers", "accounts that were never read")
}

// untouched is how many accounts a network has that no test reads.
const untouched = 400

func untouchedAccount(i int) common.Address {
	return common.BigToAddress(big.NewInt(0xffeed000 + int64(i)))
}
