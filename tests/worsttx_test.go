// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

//go:build nodes

package tests

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/sha256"
	"fmt"
	"math/big"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/ethereum/go-ethereum/core/vm/program"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/holiman/uint256"

	"gwon/internal/must"
)

// worstGas is the gas of one expensive transaction.
const worstGas = 100_000_000

// untilGas returns code that begins with a preamble and repeats a body while more gas than that is left.
func untilGas(left uint64, preamble func(*program.Program), body func(*program.Program)) []byte {
	p := program.New()
	preamble(p)
	_, loop := p.Jumpdest()
	body(p)
	p.Push(left).Op(vm.GAS, vm.GT)
	p.Push(loop).Op(vm.JUMPI)
	return p.Bytes()
}

// failingEvaluation is an input of the point evaluation precompile that fails in its last step (EIP-4844): the
// commitment to the polynomial 0, which is not 1 at 1.
func failingEvaluation() []byte {
	input := make([]byte, 192)
	infinity := append([]byte{0xc0}, make([]byte, 47)...)
	hash := sha256.Sum256(infinity)
	hash[0] = 1
	copy(input, hash[:])
	input[63], input[95] = 1, 1
	copy(input[96:], infinity)
	copy(input[144:], infinity)
	return input
}

// evaluateForever calls the point evaluation precompile with an input that fails.
func evaluateForever() []byte {
	return untilGas(200_000, func(p *program.Program) { p.Mstore(failingEvaluation(), 0) }, func(p *program.Program) {
		p.StaticCall(uint256.NewInt(50_000), 10, 0, 192, 0, 0).Op(vm.POP)
	})
}

// logForever makes logs of 100,000 bytes, at eight gas a byte.
func logForever() []byte {
	return untilGas(900_000, func(*program.Program) {}, func(p *program.Program) { p.Push(100_000).Push(0).Op(vm.LOG0) })
}

// createForever runs init code of 48 KiB of jump destinations, whose analysis is not paid for (spec chain 6.1).
func createForever() []byte {
	return untilGas(200_000, func(p *program.Program) {
		for at := uint32(0); at < 49_152; at += 32 {
			if at == 0 {
				p.Mstore(append([]byte{byte(vm.STOP)}, bytes.Repeat([]byte{byte(vm.JUMPDEST)}, 31)...), at)
			} else if at%4096 == 0 {
				p.Mstore(bytes.Repeat([]byte{byte(vm.JUMPDEST)}, 32), at)
			}
		}
	}, func(p *program.Program) { p.Push(49_152).Push(0).Push(0).Op(vm.CREATE, vm.POP) })
}

func addressOf(key *ecdsa.PrivateKey) common.Address { return crypto.PubkeyToAddress(key.PublicKey) }

// spender is an account that sends expensive transactions, one after the other.
type spender struct {
	name string
	node int
	key  *ecdsa.PrivateKey
	make func(nonce uint64, tip, feeCap *big.Int) (*types.Transaction, error)
}

// spend sends transactions until ctx ends, and counts those that are accepted.
func (s *spender) spend(ctx context.Context, c *cluster, accepted *atomic.Int64) {
	for nonce := uint64(0); ctx.Err() == nil; {
		if s.submit(c, nonce) == nil {
			accepted.Add(1)
			nonce++
		}
		select {
		case <-time.After(2 * time.Second):
		case <-ctx.Done():
		}
		var next hexutil.Uint64
		if c.call(s.node, &next, "eth_getTransactionCount", addressOf(s.key), "pending") == nil {
			nonce = uint64(next)
		}
	}
}

func (s *spender) submit(c *cluster, nonce uint64) error {
	var tip hexutil.Big
	var b *block
	if err := c.call(s.node, &tip, "eth_maxPriorityFeePerGas"); err != nil {
		return err
	}
	if err := c.call(s.node, &b, "eth_getBlockByNumber", "latest", false); err != nil || b == nil {
		return fmt.Errorf("no block: %w", err)
	}
	tx, err := s.make(nonce, tip.ToInt(), new(big.Int).Add(tip.ToInt(),
		new(big.Int).Mul(b.BaseFee.ToInt(), big.NewInt(4))))
	if err != nil {
		return err
	}
	encoded, err := tx.MarshalBinary()
	if err != nil {
		return err
	}
	return c.call(s.node, new(common.Hash), "eth_sendRawTransaction", hexutil.Bytes(encoded))
}

// worstSpenders are accounts of the devnet with one kind of expensive transaction each.
func worstSpenders(t *testing.T, c *cluster) []*spender {
	t.Helper()
	id := new(big.Int).SetUint64(chainID)
	signer := types.LatestSignerForChainID(id)
	deploy := func(key *ecdsa.PrivateKey, code []byte) func(uint64, *big.Int, *big.Int) (*types.Transaction, error) {
		return func(nonce uint64, tip, feeCap *big.Int) (*types.Transaction, error) {
			return types.SignNewTx(key, signer, &types.DynamicFeeTx{
				ChainID: id, Nonce: nonce, GasTipCap: tip, GasFeeCap: feeCap, Gas: worstGas, Data: code,
			})
		}
	}
	authorities := make([]types.SetCodeAuthorization, 3000)
	for i := range authorities {
		authorities[i] = types.SetCodeAuthorization{
			ChainID: *uint256.NewInt(chainID), Address: common.Address{1}, Nonce: uint64(i),
			R: *uint256.NewInt(uint64(i) + 1), S: *uint256.NewInt(7),
		}
	}
	accounts := c.network.Accounts
	must.That(t, len(accounts) >= 4, "%d accounts, want 4", len(accounts))
	var list []*spender
	add := func(name string, at int, make func(key *ecdsa.PrivateKey) func(uint64, *big.Int,
		*big.Int) (*types.Transaction, error)) {
		key := accounts[at].Key()
		list = append(list, &spender{name: name, node: at % 3, key: key, make: make(key)})
	}
	code := func(code []byte) func(*ecdsa.PrivateKey) func(uint64, *big.Int, *big.Int) (*types.Transaction, error) {
		return func(key *ecdsa.PrivateKey) func(uint64, *big.Int, *big.Int) (*types.Transaction, error) {
			return deploy(key, code)
		}
	}
	add("failing point evaluations", 0, code(evaluateForever()))
	add("logs", 1, code(logForever()))
	add("init code", 2, code(createForever()))
	add("authorizations", 3, func(key *ecdsa.PrivateKey) func(uint64, *big.Int, *big.Int) (*types.Transaction, error) {
		return func(nonce uint64, tip, feeCap *big.Int) (*types.Transaction, error) {
			return types.SignNewTx(key, signer, &types.SetCodeTx{
				ChainID: uint256.NewInt(chainID), Nonce: nonce, GasTipCap: uint256.MustFromBig(tip),
				GasFeeCap: uint256.MustFromBig(feeCap),
				Gas:       worstGas, To: common.Address{2}, AuthList: authorities,
			})
		}
	})
	return list
}

// residentMemory returns the resident memory of a process in MiB.
func residentMemory(pid int) (int, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(text)) {
		if fields := strings.Fields(line); len(fields) > 1 && fields[0] == "VmRSS:" {
			kilobytes, err := strconv.Atoi(fields[1])
			return kilobytes / 1024, err
		}
	}
	return 0, fmt.Errorf("process %d has no resident memory", pid)
}
