// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package contracts_test

import (
	"bytes"
	"errors"
	"flag"
	"math/big"
	"sync"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/tracing"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/ethereum/go-ethereum/rpc"
	"github.com/holiman/uint256"
)

var nodeURL = flag.String("node", "", "developer chain on which the cases run, instead of an EVM of their own")

// node is a developer chain with our contracts, such as a fork of a network. Each message is a transaction, whose fee
// an account of the developer pays. Each transaction is in a block of its own, a second after the one before.
type node struct {
	tester
	payer common.Address
}

// connection is shared by all nodes.
var connection = sync.OnceValues(func() (*rpc.Client, error) { return rpc.Dial(*nodeURL) })

// must asks the node for what it has to do.
func (n *node) must(result any, method string, args ...any) {
	n.Helper()
	client, err := connection()
	if err != nil {
		n.Fatal(err)
	}
	if err := client.Call(result, method, args...); err != nil {
		n.Fatalf("%s%v: %v", method, args, err)
	}
}

// begin goes back to the first block of the developer and writes balances and the storage of governance. The coin stays
// as the forked network has it.
func (n *node) begin(w *world, alloc types.GenesisAlloc) {
	n.Helper()
	n.must(new(bool), "hardhat_reset")
	n.must(new(bool), "anvil_autoImpersonateAccount", true)
	var accounts []common.Address
	n.must(&accounts, "eth_accounts")
	n.payer = accounts[0]
	n.must((*hexutil.Big)(w.config.ChainID), "eth_chainId")
	var head struct{ Timestamp hexutil.Uint64 }
	n.must(&head, "eth_getBlockByNumber", "latest", false)
	w.time = uint64(head.Timestamp) + 1

	for a, account := range alloc {
		if account.Extra != 0 {
			n.Fatalf("the genesis has a flag of %v, which no test of a node needs", a)
		}
		if want := uint256.MustFromBig(account.Balance); !n.GetBalance(a).Eq(want) {
			n.SetBalance(a, want, tracing.BalanceChangeUnspecified)
		}
		if a == adapter {
			continue
		}
		for slot, value := range account.Storage {
			n.must(new(bool), "hardhat_setStorageAt", a, slot, value)
		}
	}
}

func (n *node) message(w *world, from, to common.Address, value *big.Int, input []byte) outcome {
	n.Helper()
	n.must(new(bool), "evm_setNextBlockTimestamp", w.time)
	client, err := connection()
	if err != nil {
		n.Fatal(err)
	}
	var hash common.Hash
	if err := client.Call(&hash, "eth_sendTransaction", map[string]any{
		"from": from, "to": to, "value": (*hexutil.Big)(value), "input": hexutil.Bytes(input),
		"gas": hexutil.Uint64(w.gas), "feePayer": n.payer,
	}); err != nil {
		return outcome{err: err} // not taken
	}
	var receipt *types.Receipt
	n.must(&receipt, "eth_getTransactionReceipt", hash)
	var frame struct {
		Output hexutil.Bytes
		Error  string
	}
	n.must(&frame, "debug_traceTransaction", hash, map[string]any{"tracer": "callTracer"})
	if receipt == nil || (receipt.Status == types.ReceiptStatusSuccessful) != (frame.Error == "") {
		n.Fatalf("transaction %v has the receipt %+v, and a trace that ends with %q", hash, receipt, frame.Error)
	}
	w.time++
	switch frame.Error {
	case "":
	case vm.ErrExecutionReverted.Error():
		err = vm.ErrExecutionReverted
	default:
		err = errors.New(frame.Error)
	}
	return outcome{err, frame.Output, receipt.Logs}
}

func (n *node) view(w *world, from, to common.Address, input []byte) outcome {
	n.Helper()
	var data hexutil.Bytes
	n.must(&data, "eth_call", map[string]any{"from": from, "to": to, "input": hexutil.Bytes(input)}, "latest", nil,
		map[string]any{"time": hexutil.Uint64(w.time)})
	return outcome{data: data}
}

func (n *node) GetBalance(a common.Address) *uint256.Int {
	n.Helper()
	var balance hexutil.U256
	n.must(&balance, "eth_getBalance", a, "latest")
	return (*uint256.Int)(&balance)
}

func (n *node) SetBalance(a common.Address, amount *uint256.Int, _ tracing.BalanceChangeReason) {
	n.Helper()
	n.must(new(bool), "hardhat_setBalance", a, (*hexutil.U256)(amount))
}

// SetCode writes no code that is there.
func (n *node) SetCode(a common.Address, code []byte, _ tracing.CodeChangeReason) []byte {
	n.Helper()
	var before hexutil.Bytes
	n.must(&before, "eth_getCode", a, "latest")
	if !bytes.Equal(before, code) {
		n.must(new(bool), "hardhat_setCode", a, hexutil.Bytes(code))
	}
	return before
}

func (n *node) GetState(a common.Address, slot common.Hash) common.Hash {
	n.Helper()
	var value common.Hash
	n.must(&value, "eth_getStorageAt", a, slot, "latest")
	return value
}

func (n *node) SetState(a common.Address, slot, value common.Hash) common.Hash {
	n.Helper()
	before := n.GetState(a, slot)
	n.must(new(bool), "hardhat_setStorageAt", a, slot, value)
	return before
}

// GetExtra asks the manager of accounts, which knows two flags.
func (n *node) GetExtra(a common.Address) (extra uint64) {
	n.Helper()
	for function, flag := range map[string]uint64{
		"isBlacklisted(address)": types.AccountBlacklisted, "isAuthorized(address)": types.AccountAuthorized,
	} {
		var set common.Hash
		selector := hashed(function)
		n.must(&set, "eth_call", map[string]any{
			"to": accountManager, "input": hexutil.Bytes(append(selector[:4], common.LeftPadBytes(a[:], 32)...)),
		}, "latest")
		if set != (common.Hash{}) {
			extra |= flag
		}
	}
	return extra
}

func (n *node) SetBlacklisted(a common.Address, on bool) {
	n.Helper()
	n.must(new(bool), "gwon_setAccountFlags", a, map[string]bool{"blacklisted": on})
}
