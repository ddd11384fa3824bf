// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package core

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/common/math"
	"github.com/ethereum/go-ethereum/core/state"
	"github.com/ethereum/go-ethereum/core/tracing"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/internal/must"
	"github.com/ethereum/go-ethereum/params"
	"github.com/ethereum/go-ethereum/trie"
	"github.com/holiman/uint256"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

type (
	vectorAccount struct {
		Balance string
		Nonce   uint64
		Extra   math.HexOrDecimal64
		Code    string            // bytecode in hexadecimal, or mnemonics
		Storage map[string]string // keys and values need not be padded
		Exists  *bool
	}
	vectorLog struct {
		Address common.Address
		Topics  []common.Hash
		Data    hexutil.Bytes
	}
	// vectorBlock is the block that a vector runs in.
	vectorBlock struct {
		config  *params.ChainConfig
		header  *types.Header
		pre     map[common.Address]vectorAccount
		preRoot common.Hash
		empties bool // whether the state before holds the empty accounts of pre
	}
)

func readVectors(t *testing.T, name string, into any) {
	t.Helper()
	data := must.Get(os.ReadFile(filepath.Join("testdata", "anzeon", name)))(t)
	must.Do(t, json.Unmarshal(data, into))
}

func decimal(t *testing.T, s string) *big.Int {
	t.Helper()
	n, ok := new(big.Int).SetString(s, 0)
	require.Truef(t, ok, "%q is not a number", s)
	return n
}

// tipExtra returns header extra data that carries only a gas tip.
func tipExtra(tip *big.Int) []byte { return (&types.WBFTExtra{GasTip: tip}).Encode() }

// assemble turns mnemonics separated by semicolons into bytecode; hexadecimal code passes unchanged.
func assemble(t *testing.T, source string) []byte {
	t.Helper()
	var designator string
	switch {
	case strings.HasPrefix(source, "0x"):
		return common.FromHex(source)
	case source == "" || source == "empty":
		return nil
	case strings.HasSuffix(source, " zero bytes"):
		var n int
		must.Get(fmt.Sscanf(source, "%d zero bytes", &n))(t)
		return make([]byte, n)
	case strings.HasPrefix(source, "EIP-7702 delegation designator to "):
		designator = strings.TrimPrefix(source, "EIP-7702 delegation designator to ")
		return types.AddressToDelegation(common.HexToAddress(designator))
	}
	var code []byte
	for _, line := range strings.Split(source, ";") {
		words := strings.Fields(line)
		if words[0] == "byte" {
			code = append(code, common.FromHex(words[1])...)
			continue
		}
		op := vm.StringToOp(words[0])
		if words[0] == "PREVRANDAO" {
			op = vm.PREVRANDAO
		} else if op.String() != words[0] {
			t.Fatalf("unknown mnemonic %q", words[0])
		}
		code = append(code, byte(op))
		if len(words) == 2 {
			size := must.Get(strconv.Atoi(strings.TrimPrefix(words[0], "PUSH")))(t)
			code = append(code, common.LeftPadBytes(decimal(t, words[1]).Bytes(), size)...)
		}
	}
	return code
}

// open makes the state before the transactions, checks its root, and returns it with an EVM of the block.
func (b *vectorBlock) open(t *testing.T) (*state.StateDB, *vm.EVM) {
	t.Helper()
	db := state.NewDatabaseForTesting()
	statedb := must.Get(state.New(types.EmptyRootHash, db))(t)
	for addr, account := range b.pre {
		statedb.SetBalance(addr, uint256.MustFromBig(decimal(t, account.Balance)), tracing.BalanceChangeUnspecified)
		statedb.SetNonce(addr, account.Nonce, tracing.NonceChangeUnspecified)
		statedb.SetExtra(addr, uint64(account.Extra))
		if code := assemble(t, account.Code); len(code) > 0 {
			statedb.SetCode(addr, code, tracing.CodeChangeUnspecified)
		}
		for key, value := range account.Storage {
			statedb.SetState(addr, common.HexToHash(key), common.HexToHash(value))
		}
	}
	root := must.Get(statedb.Commit(params.Rules{IsEIP158: !b.empties}, 0))(t)
	require.Equal(t, b.preRoot, root, "root before")
	statedb = must.Get(state.New(root, db))(t)
	blockContext := NewEVMBlockContext(b.header, nil, &b.header.Coinbase)
	blockContext.GetHash = func(n uint64) common.Hash { return common.BigToHash(new(big.Int).SetUint64(n)) }
	evm := vm.NewEVM(blockContext, statedb, b.config, vm.Config{})
	t.Cleanup(evm.Release)
	return statedb, evm
}

// root finishes a block without what the engine does at its end.
func (b *vectorBlock) root(statedb *state.StateDB) common.Hash {
	return statedb.IntermediateRoot(b.config.Rules(b.header.Number, false, b.header.Time))
}

func checkAccounts(t *testing.T, statedb *state.StateDB, want map[common.Address]vectorAccount) {
	t.Helper()
	for addr, account := range want {
		if account.Exists != nil && !*account.Exists {
			assert.Falsef(t, statedb.Exist(addr), "account %v exists", addr)
			continue
		}
		if have := statedb.GetBalance(addr); have.ToBig().Cmp(decimal(t, account.Balance)) != 0 {
			t.Errorf("balance of %v: have %v, want %s", addr, have, account.Balance)
		}
		assert.Equalf(t, account.Nonce, statedb.GetNonce(addr), "nonce of %v", addr)
		assert.Equalf(t, uint64(account.Extra), statedb.GetExtra(addr), "extra of %v", addr)
		have, want := statedb.GetCode(addr), common.FromHex(account.Code)
		assert.Truef(t, bytes.Equal(have, want), "code of %v: have %x, want %x", addr, have, want)
		for key, value := range account.Storage {
			have := statedb.GetState(addr, common.HexToHash(key))
			assert.Truef(t, have == common.HexToHash(value), "slot %v of %v: have %v, want %v", key, addr, have, value)
		}
	}
}

func checkLogs(t *testing.T, have []*types.Log, want []vectorLog) {
	t.Helper()
	equal := func(a *types.Log, b vectorLog) bool {
		return a.Address == b.Address && slices.Equal(a.Topics, b.Topics) && bytes.Equal(a.Data, b.Data)
	}
	if !slices.EqualFunc(have, want, equal) {
		t.Errorf("logs: have %d", len(have))
		for _, log := range have {
			t.Errorf("  %v %v %x", log.Address, log.Topics, log.Data)
		}
		t.Errorf("want %d: %v", len(want), want)
	}
}

// testdata/anzeon/transaction-execution.json: state transitions of single transactions (spec transactions 2).
func TestTransactionVectors(t *testing.T) {
	var file struct {
		Vectors []struct {
			Name   string
			Header struct {
				BaseFee                string
				Coinbase               common.Address
				Difficulty             int64
				Extra                  hexutil.Bytes
				GasLimit, Number, Time uint64
				MixDigest              common.Hash
			}
			Pre          map[common.Address]vectorAccount
			PreStateRoot common.Hash
			Raw          hexutil.Bytes
			Sender       string
			Error        *string
			Post         map[common.Address]vectorAccount
			Result       struct {
				Status, GasUsed             uint64
				EffectiveGasPrice           string
				CoinbaseGain                string
				ContractAddress             common.Address
				Logs                        []vectorLog
				ReceiptConsensusEncoding    hexutil.Bytes
				ReceiptsRootOfSingleTxBlock common.Hash
				PostStateRoot               common.Hash
			}
		}
	}
	readVectors(t, "transaction-execution.json", &file)
	require.Equal(t, 45, len(file.Vectors), "vectors")
	for _, v := range file.Vectors {
		t.Run(v.Name, func(t *testing.T) {
			block := &vectorBlock{
				config: anzeonConfig(), pre: v.Pre, preRoot: v.PreStateRoot,
				header: &types.Header{
					Number: new(big.Int).SetUint64(v.Header.Number), Time: v.Header.Time, Extra: v.Header.Extra,
					BaseFee: decimal(t, v.Header.BaseFee), Difficulty: big.NewInt(v.Header.Difficulty),
					GasLimit: v.Header.GasLimit, Coinbase: v.Header.Coinbase, MixDigest: v.Header.MixDigest,
				},
			}
			statedb, evm := block.open(t)
			tx := new(types.Transaction)
			must.Do(t, tx.UnmarshalBinary(v.Raw))
			from, err := types.Sender(types.MakeSigner(block.config, block.header.Number, block.header.Time), tx)
			require.Truef(t, (err != nil || from == common.HexToAddress(v.Sender)) && (err == nil || v.Sender == ""),
				"sender %v (%v), want %q", from, err, v.Sender)
			before := statedb.GetBalance(v.Header.Coinbase).ToBig()
			statedb.SetTxContext(tx.Hash(), 0, 1)
			gas := NewGasPool(v.Header.GasLimit)
			receipt, _, err := ApplyTransaction(context.Background(), evm, gas, statedb, block.header, tx)
			if v.Error != nil {
				require.Truef(t, err != nil && err.Error() == *v.Error, "error %v, want %q", err, *v.Error)
				return
			}
			must.Do(t, err)
			assert.Truef(t, receipt.Status == v.Result.Status && receipt.GasUsed == v.Result.GasUsed,
				"status %d gas %d, want %d and %d", receipt.Status, receipt.GasUsed, v.Result.Status, v.Result.GasUsed)
			assert.Truef(t, evm.GasPrice.ToBig().Cmp(decimal(t, v.Result.EffectiveGasPrice)) == 0,
				"price %v, want %s", evm.GasPrice, v.Result.EffectiveGasPrice)
			assert.Equal(t, v.Result.ContractAddress, receipt.ContractAddress, "contract address")
			checkLogs(t, receipt.Logs, v.Result.Logs)
			if encoded, err := receipt.MarshalBinary(); err != nil || !bytes.Equal(encoded, v.Result.ReceiptConsensusEncoding) {
				t.Errorf("receipt encoding %x (%v), want %x", encoded, err, v.Result.ReceiptConsensusEncoding)
			}
			ofReceipts := types.DeriveSha(types.Receipts{receipt}, trie.NewStackTrie(nil))
			want := v.Result.ReceiptsRootOfSingleTxBlock
			assert.Equal(t, want, ofReceipts, "receipts root")
			gain := new(big.Int).Sub(statedb.GetBalance(v.Header.Coinbase).ToBig(), before)
			assert.Truef(t, gain.Cmp(decimal(t, v.Result.CoinbaseGain)) == 0,
				"gain of the coinbase %v, want %s", gain, v.Result.CoinbaseGain)
			root := block.root(statedb)
			checkAccounts(t, statedb, v.Post)
			assert.Equal(t, v.Result.PostStateRoot, root, "root after")
		})
	}
}

// testdata/anzeon/effective-price.json: price and tip by transaction type and kind of sender (spec transactions 3.3).
func TestEffectivePriceVectors(t *testing.T) {
	var file struct {
		Vectors []struct {
			Name                               string
			Type                               uint8
			SenderAuthorized                   bool
			BaseFee, HeaderGasTip              string
			MaxPriorityFeePerGas, MaxFeePerGas string
			Error                              *string
			EffectiveGasPrice                  *string
			CoinbaseTipPerGas                  *string
		}
	}
	readVectors(t, "effective-price.json", &file)
	require.Equal(t, 72, len(file.Vectors), "vectors")
	key := must.Get(crypto.HexToECDSA(strings.Repeat("01", 32)))(t)
	var (
		config   = anzeonConfig()
		from     = crypto.PubkeyToAddress(key.PublicKey)
		payer    = common.Address{0xfa}
		coinbase = common.Address{0xc0}
		to       = common.Address{0xee}
		signer   = types.LatestSigner(config)
		rich     = new(uint256.Int).Lsh(uint256.NewInt(1), 200)
	)
	for _, v := range file.Vectors {
		t.Run(v.Name, func(t *testing.T) {
			header := &types.Header{
				Number: common.Big1, Difficulty: common.Big1, GasLimit: 21000, BaseFee: decimal(t, v.BaseFee), Coinbase: coinbase,
				Extra: tipExtra(decimal(t, v.HeaderGasTip)),
			}
			statedb, err := state.New(types.EmptyRootHash, state.NewDatabaseForTesting())
			must.Do(t, err)
			statedb.SetBalance(from, rich, tracing.BalanceChangeUnspecified)
			statedb.SetBalance(payer, rich, tracing.BalanceChangeUnspecified)
			statedb.SetAuthorized(from, v.SenderAuthorized)

			tip, feeCap := decimal(t, v.MaxPriorityFeePerGas), decimal(t, v.MaxFeePerGas)
			dynamic := &types.DynamicFeeTx{ChainID: config.ChainID, GasTipCap: tip, GasFeeCap: feeCap, Gas: 21000, To: &to}
			var tx *types.Transaction
			switch v.Type {
			case types.LegacyTxType:
				tx = types.MustSignNewTx(key, signer, &types.LegacyTx{GasPrice: feeCap, Gas: 21000, To: &to})
			case types.AccessListTxType:
				inner := &types.AccessListTx{ChainID: config.ChainID, GasPrice: feeCap, Gas: 21000, To: &to}
				tx = types.MustSignNewTx(key, signer, inner)
			case types.DynamicFeeTxType:
				tx = types.MustSignNewTx(key, signer, dynamic)
			case types.FeeDelegateTxType:
				tx = must.Get(types.WrapFeeDelegated(types.MustSignNewTx(key, signer, dynamic), payer))(t)
			default:
				t.Fatalf("type %d", v.Type)
			}
			evm := vm.NewEVM(NewEVMBlockContext(header, nil, &coinbase), statedb, config, vm.Config{})
			defer evm.Release()
			_, _, err = ApplyTransaction(context.Background(), evm, NewGasPool(21000), statedb, header, tx)
			if v.Error != nil {
				// The account of the reference's run is another one.
				want, _, _ := strings.Cut(*v.Error, ": address")
				require.Truef(t, err != nil && strings.HasPrefix(err.Error(), want+": address"), "error %v, want %q", err, *v.Error)
				return
			}
			must.Do(t, err)
			assert.Truef(t, evm.GasPrice.ToBig().Cmp(decimal(t, *v.EffectiveGasPrice)) == 0,
				"price %v, want %s", evm.GasPrice, *v.EffectiveGasPrice)
			tips := new(big.Int).Mul(decimal(t, *v.CoinbaseTipPerGas), big.NewInt(21000))
			have := statedb.GetBalance(coinbase)
			assert.Truef(t, have.ToBig().Cmp(tips) == 0, "tips %v, want %v", have, tips)
			buyer := from
			if v.Type == types.FeeDelegateTxType {
				buyer = payer
			}
			paid := new(uint256.Int).Sub(rich, statedb.GetBalance(buyer))
			want := new(uint256.Int).Mul(evm.GasPrice, uint256.NewInt(21000))
			assert.Truef(t, paid.Eq(want), "paid %v, want %v", paid, want)
		})
	}
}

// testdata/anzeon/message-execution.json: single messages (spec chain 2, 3, 5, 6, 7).
func TestMessageVectors(t *testing.T) {
	var file struct {
		BlockContext struct {
			BaseFee, HeaderGasTip string
			Coinbase              common.Address
			Difficulty            int64
			GasLimit, Timestamp   uint64
			MixHash               common.Hash
		}
		Cases []struct {
			Note        string
			BlockNumber uint64
			PreAlloc    map[common.Address]struct {
				vectorAccount
				CodeHash *common.Hash
			}
			PreStateRoot      common.Hash
			PostStateRoot     common.Hash
			BalanceDelta      map[common.Address]string
			EffectiveGasPrice string
			GasUsed, Status   uint64
			Refunded          uint64
			Logs              []vectorLog
			ReturnData        *hexutil.Bytes
			ExtraAfter        *math.HexOrDecimal64
			TxInvalid         *string
			VmError           *string
			Tx                struct {
				From, FeePayer, To                        *common.Address
				Gas                                       uint64
				MaxFeePerGas, MaxPriorityFeePerGas, Value string
				Data                                      hexutil.Bytes
				InitCode                                  *string
				DataSize                                  int
			}
		}
	}
	readVectors(t, "message-execution.json", &file)
	require.Equal(t, 51, len(file.Cases), "vectors")
	shared := file.BlockContext
	for _, c := range file.Cases {
		t.Run(c.Note, func(t *testing.T) {
			block := &vectorBlock{
				config: anzeonConfig(), preRoot: c.PreStateRoot, pre: make(map[common.Address]vectorAccount),
				header: &types.Header{
					Number: new(big.Int).SetUint64(c.BlockNumber), Time: shared.Timestamp, BaseFee: decimal(t, shared.BaseFee),
					Extra: tipExtra(decimal(t, shared.HeaderGasTip)), Difficulty: big.NewInt(shared.Difficulty),
					GasLimit: shared.GasLimit, Coinbase: shared.Coinbase, MixDigest: shared.MixHash,
				},
			}
			block.config.BohoBlock = big.NewInt(100)
			before := make(map[common.Address]*big.Int)
			for addr, account := range c.PreAlloc {
				block.pre[addr] = account.vectorAccount
				if code := assemble(t, account.Code); account.CodeHash != nil && crypto.Keccak256Hash(code) != *account.CodeHash {
					t.Fatalf("code of %v is not assembled right", addr)
				}
			}
			statedb, evm := block.open(t)
			for addr := range c.BalanceDelta {
				before[addr] = statedb.GetBalance(addr).ToBig()
			}
			data := []byte(c.Tx.Data)
			if c.Tx.InitCode != nil {
				data = assemble(t, *c.Tx.InitCode)
			}
			require.Equal(t, c.Tx.DataSize, len(data), "bytes of data")
			msg := &Message{
				From: *c.Tx.From, To: c.Tx.To, Nonce: statedb.GetNonce(*c.Tx.From), GasLimit: c.Tx.Gas, Data: data,
				Value:         uint256.MustFromBig(decimal(t, c.Tx.Value)),
				GasPrice:      new(uint256.Int),
				GasFeeCap:     uint256.MustFromBig(decimal(t, c.Tx.MaxFeePerGas)),
				GasTipCap:     uint256.MustFromBig(decimal(t, c.Tx.MaxPriorityFeePerGas)),
				FeeDelegation: FeeDelegation{FeePayer: c.Tx.FeePayer, tx: new(types.Transaction)},
			}
			price := new(uint256.Int).Add(uint256.MustFromBig(block.header.BaseFee), msg.GasTipCap)
			if price.Gt(msg.GasFeeCap) {
				price.Set(msg.GasFeeCap)
			}
			msg.GasPrice = price
			created := crypto.CreateAddress(msg.From, msg.Nonce)

			result, err := ApplyMessage(evm, msg, NewGasPool(block.header.GasLimit))
			if c.TxInvalid != nil {
				require.Truef(t, err != nil && err.Error() == *c.TxInvalid, "error %v, want %q", err, *c.TxInvalid)
				return
			}
			must.Do(t, err)
			assert.Truef(t, result.UsedGas == c.GasUsed && result.Failed() == (c.Status == 0),
				"gas %d, failed %v (%v); want %d and status %d", result.UsedGas, result.Failed(), result.Err, c.GasUsed, c.Status)
			if c.VmError != nil {
				// Upstream's texts for unknown opcodes and the init code limit are others.
				theirs := strings.HasPrefix(*c.VmError, "invalid opcode") || *c.VmError == "out of gas"
				assert.Truef(t, result.Err != nil && (theirs || result.Err.Error() == *c.VmError),
					"error of the frame %v, want %q", result.Err, *c.VmError)
			}
			if c.ReturnData != nil && !bytes.Equal(result.ReturnData, *c.ReturnData) {
				t.Errorf("return data %x, want %x", result.ReturnData, *c.ReturnData)
			}
			assert.Truef(t, msg.GasPrice.ToBig().Cmp(decimal(t, c.EffectiveGasPrice)) == 0,
				"price %v, want %s", msg.GasPrice, c.EffectiveGasPrice)
			assert.Equal(t, c.Refunded, result.MaxUsedGas-result.UsedGas, "refunded")
			checkLogs(t, statedb.Logs(), c.Logs)
			root := block.root(statedb)
			for addr, delta := range c.BalanceDelta {
				have := new(big.Int).Sub(statedb.GetBalance(addr).ToBig(), before[addr])
				assert.Truef(t, have.Cmp(decimal(t, delta)) == 0, "balance of %v changed by %v, want %s", addr, have, delta)
			}
			if c.ExtraAfter != nil && statedb.GetExtra(created) != uint64(*c.ExtraAfter) {
				t.Errorf("extra of the created account %x, want %x", statedb.GetExtra(created), uint64(*c.ExtraAfter))
			}
			assert.Equal(t, c.PostStateRoot, root, "root after")
		})
	}
}

// testdata/anzeon/evm-differences.json: blocks that other rules would execute differently (spec chain 14).
func TestDifferenceVectors(t *testing.T) {
	var file struct {
		BlockContext struct {
			BaseFee, HeaderGasTip string
			Difficulty            int64
			GasLimit, Timestamp   uint64
			MixHash               common.Hash
		}
		Cases []struct {
			Name              string
			BlockNumber       uint64
			BlockGasAvailable uint64
			Coinbase          common.Address
			PreState          map[common.Address]vectorAccount
			PreStateRoot      common.Hash
			PostState         map[common.Address]vectorAccount
			PostStateRoot     common.Hash
			Transactions      []struct {
				From            common.Address
				Raw             hexutil.Bytes
				GasUsed, Status uint64
				Refunded        uint64
				Logs            []vectorLog
				TxInvalid       *string
			}
		}
	}
	readVectors(t, "evm-differences.json", &file)
	require.Equal(t, 43, len(file.Cases), "vectors")
	shared := file.BlockContext
	for _, c := range file.Cases {
		t.Run(c.Name, func(t *testing.T) {
			block := &vectorBlock{
				config: anzeonConfig(), pre: c.PreState, preRoot: c.PreStateRoot, empties: true,
				header: &types.Header{
					Number: new(big.Int).SetUint64(c.BlockNumber), Time: shared.Timestamp, BaseFee: decimal(t, shared.BaseFee),
					Extra: tipExtra(decimal(t, shared.HeaderGasTip)), Difficulty: big.NewInt(shared.Difficulty),
					GasLimit: shared.GasLimit, Coinbase: c.Coinbase, MixDigest: shared.MixHash,
				},
			}
			block.config.BohoBlock = big.NewInt(100)
			statedb, evm := block.open(t)
			available := shared.GasLimit
			if c.BlockGasAvailable != 0 {
				available = c.BlockGasAvailable
			}
			pool := NewGasPool(available)
			for i, step := range c.Transactions {
				tx := new(types.Transaction)
				must.Do(t, tx.UnmarshalBinary(step.Raw))
				statedb.SetTxContext(tx.Hash(), i, uint32(i+1))
				receipt, _, err := ApplyTransaction(context.Background(), evm, pool, statedb, block.header, tx)
				if step.TxInvalid != nil {
					require.Errorf(t, err, "transaction %d is accepted, want %q", i, *step.TxInvalid)
					return
				}
				require.NoErrorf(t, err, "transaction %d", i)
				from, _ := types.Sender(types.LatestSigner(block.config), tx)
				assert.Equalf(t, step.From, from, "transaction %d: sender", i)
				assert.Truef(t, receipt.Status == step.Status && receipt.GasUsed == step.GasUsed,
					"transaction %d: status %d gas %d, want %d and %d", i, receipt.Status, receipt.GasUsed, step.Status, step.GasUsed)
				checkLogs(t, receipt.Logs, step.Logs)
			}
			root := block.root(statedb)
			checkAccounts(t, statedb, c.PostState)
			assert.Equal(t, c.PostStateRoot, root, "root after")
		})
	}
}

// testdata/anzeon/random-execution.json: blocks of one transaction, with the root of their receipts (spec chain 3.1 and
// 3.2, transactions 2.3 no. 6).
func TestRandomExecutionVectors(t *testing.T) {
	var file struct {
		Cases []struct {
			Name         string
			BlockNumber  uint64
			BlockContext struct {
				BaseFee             string
				Difficulty          int64
				GasLimit, Timestamp uint64
				HeaderExtra         hexutil.Bytes
				MixHash             common.Hash
			}
			Coinbase      common.Address
			PreState      map[common.Address]vectorAccount
			PreStateRoot  common.Hash
			PostState     map[common.Address]vectorAccount
			PostStateRoot common.Hash
			ReceiptsRoot  common.Hash
			Transactions  []struct {
				Raw             hexutil.Bytes
				GasUsed, Status uint64
				Logs            []vectorLog
			}
		}
	}
	readVectors(t, "random-execution.json", &file)
	require.Equal(t, 4, len(file.Cases), "vectors")
	for _, c := range file.Cases {
		t.Run(c.Name, func(t *testing.T) {
			shared := c.BlockContext
			block := &vectorBlock{
				config: anzeonConfig(), pre: c.PreState, preRoot: c.PreStateRoot, empties: true,
				header: &types.Header{
					Number: new(big.Int).SetUint64(c.BlockNumber), Time: shared.Timestamp, BaseFee: decimal(t, shared.BaseFee),
					Extra: shared.HeaderExtra, Difficulty: big.NewInt(shared.Difficulty), GasLimit: shared.GasLimit,
					Coinbase: c.Coinbase, MixDigest: shared.MixHash,
				},
			}
			statedb, evm := block.open(t)
			pool := NewGasPool(shared.GasLimit)
			var receipts types.Receipts
			for i, step := range c.Transactions {
				tx := new(types.Transaction)
				must.Do(t, tx.UnmarshalBinary(step.Raw))
				statedb.SetTxContext(tx.Hash(), i, uint32(i+1))
				receipt, _, err := ApplyTransaction(context.Background(), evm, pool, statedb, block.header, tx)
				require.NoErrorf(t, err, "transaction %d", i)
				assert.Truef(t, receipt.Status == step.Status && receipt.GasUsed == step.GasUsed,
					"transaction %d: status %d gas %d, want %d and %d", i, receipt.Status, receipt.GasUsed, step.Status, step.GasUsed)
				checkLogs(t, receipt.Logs, step.Logs)
				receipts = append(receipts, receipt)
			}
			assert.Equal(t, c.ReceiptsRoot, types.DeriveSha(receipts, trie.NewStackTrie(nil)), "receipts root")
			root := block.root(statedb)
			checkAccounts(t, statedb, c.PostState)
			assert.Equal(t, c.PostStateRoot, root, "root after")
		})
	}
}
