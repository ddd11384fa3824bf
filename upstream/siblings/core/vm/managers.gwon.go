// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package vm

import (
	"encoding/binary"
	"errors"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/tracing"
	"github.com/ethereum/go-ethereum/params"
	"github.com/holiman/uint256"
)

// Prices of the native managers in gas (spec chain 3).
const (
	managerWriteGas   = 4500  // a changed balance or flag
	managerAccountGas = 25000 // an account that comes into existence
)

// Errors of the native managers. Each of them uses up all gas of the frame.
var (
	errManagerSelector   = errors.New("native manager: invalid method selector length")
	errManagerMethod     = errors.New("native manager: invalid method")
	errManagerPermission = errors.New("native manager: caller is not authorized")
	errManagerInput      = errors.New("native manager: invalid input length")
)

// native returns the contract that runs instead of code when addr is called: a precompile or, on an Anzeon chain, a
// native manager. kind is the opcode that makes the frame, caller its immediate caller, gas the budget of the frame.
func (evm *EVM) native(kind OpCode, caller, addr common.Address, gas GasBudget) (PrecompiledContract, bool) {
	if p, ok := evm.precompile(addr); ok {
		return p, true
	}
	if evm.chainRules.IsAnzeon && IsNativeManager(addr) {
		return &managerCall{evm: evm, kind: kind, caller: caller, manager: addr, gas: gas}, true
	}
	return nil, false
}

// managerCall is one call of a native manager. The read-only flag of the frame is ignored unless the configuration of
// the chain says otherwise (spec chain 13 no. 2).
type managerCall struct {
	evm     *EVM
	kind    OpCode
	caller  common.Address
	manager common.Address
	gas     GasBudget // what the frame has, for tracers
	price   uint64    // what the call costs, known after RequiredGas
}

// managerMethod is a method of a native manager.
type managerMethod struct {
	name      string
	arguments int // number of 32-byte words
	accounts  int // number of leading arguments that are accounts which the method reads or changes

	// holder returns the contract that may call the method, by CALL only. Nil allows any caller and any kind of call.
	holder func(params.SystemContracts) *params.SystemContract

	gas func(StateDB, []common.Hash) uint64
	run func(*EVM, []common.Hash) ([]byte, error)
}

func coinAdapter(c params.SystemContracts) *params.SystemContract { return c.NativeCoinAdapter }
func council(c params.SystemContracts) *params.SystemContract     { return c.GovCouncil }

// managerMethods lists the methods by manager and selector (spec chain 3.1 and 3.2).
var managerMethods = map[common.Address]map[uint32]*managerMethod{
	CoinManagerAddress: {
		0x40c10f19: {"mint", 2, 1, coinAdapter, mintGas, mintCoins},
		0x9dc29fac: {"burn", 2, 1, coinAdapter, writeGas, burnCoins},
		0xbeabacc8: {"transfer", 3, 2, coinAdapter, moveGas, moveCoins},
	},
	AccountManagerAddress: {
		0xf9f92be4: {"blacklist", 1, 1, council, flagGas, setFlag(AccountState.SetBlacklisted, true)},
		0x1a895266: {"unBlacklist", 1, 1, council, writeGas, setFlag(AccountState.SetBlacklisted, false)},
		0xfe575a87: {"isBlacklisted", 1, 1, nil, noGas, readFlag(AccountState.IsBlacklisted)},
		0xb6a5d7de: {"authorize", 1, 1, council, flagGas, setFlag(AccountState.SetAuthorized, true)},
		0x3bbbc7c9: {"unAuthorize", 1, 1, council, writeGas, setFlag(AccountState.SetAuthorized, false)},
		0xfe9fbb80: {"isAuthorized", 1, 1, nil, noGas, readFlag(AccountState.IsAuthorized)},
	},
}

// ManagerAccounts returns the accounts that a call of a native manager reads or changes, by its selector and its
// arguments (spec chain 3.1 and 3.2). From short input it returns the accounts that are there, for other addresses
// none.
func ManagerAccounts(manager common.Address, input []byte) []common.Address {
	if len(input) < 4 {
		return nil
	}
	method := managerMethods[manager][binary.BigEndian.Uint32(input)]
	if method == nil {
		return nil
	}
	var accounts []common.Address
	words := input[4:]
	for len(accounts) < method.accounts && len(words) >= common.HashLength {
		accounts = append(accounts, wordAddress(common.Hash(words[:common.HashLength])))
		words = words[common.HashLength:]
	}
	return accounts
}

// method finds the called method and makes the checks of spec chain 3 in its order.
func (c *managerCall) method(input []byte) (*managerMethod, []common.Hash, error) {
	if len(input) < 4 {
		return nil, nil, errManagerSelector
	}
	method := managerMethods[c.manager][binary.BigEndian.Uint32(input)]
	if method == nil {
		return nil, nil, errManagerMethod
	}
	if method.holder != nil {
		holder := method.holder(c.evm.systemContracts())
		if c.kind != CALL || holder == nil || holder.Address != c.caller {
			return nil, nil, errManagerPermission
		}
		if c.evm.readOnly && c.evm.chainConfig.Anzeon.ChecksStaticCalls(c.evm.Context.BlockNumber) {
			return nil, nil, ErrWriteProtection
		}
	}
	if len(input) != 4+method.arguments*common.HashLength {
		return nil, nil, errManagerInput
	}
	words := make([]common.Hash, method.arguments)
	for i := range words {
		words[i] = common.Hash(input[4+i*common.HashLength:])
	}
	return method, words, nil
}

// RequiredGas returns the price of the call in the present state. A call that fails the checks has no price: it uses up
// all gas anyway.
func (c *managerCall) RequiredGas(input []byte) uint64 {
	method, words, err := c.method(input)
	if err != nil {
		return 0
	}
	c.price = method.gas(c.evm.StateDB, words)
	return c.price
}

// Run executes the call.
func (c *managerCall) Run(input []byte) ([]byte, error) {
	method, words, err := c.method(input)
	if err != nil {
		return nil, err
	}
	if c.evm.Config.Tracer != nil {
		return c.runTraced(method, words, input)
	}
	return method.run(c.evm, words)
}

// Name returns the name that tracers show.
func (c *managerCall) Name() string {
	if c.manager == CoinManagerAddress {
		return "NATIVE_COIN_MANAGER"
	}
	return "ACCOUNT_MANAGER"
}

// wordAddress takes the low 20 bytes of an argument.
func wordAddress(word common.Hash) common.Address { return common.BytesToAddress(word[:]) }

func wordAmount(word common.Hash) *uint256.Int { return new(uint256.Int).SetBytes32(word[:]) }

func noGas(StateDB, []common.Hash) uint64 { return 0 }

func writeGas(StateDB, []common.Hash) uint64 { return managerWriteGas }

// creditGas is the price of writing to an account that may not exist. An existing empty object counts as existing.
func creditGas(db StateDB, addr common.Address) uint64 {
	if db.Exist(addr) {
		return managerWriteGas
	}
	return managerWriteGas + managerAccountGas
}

func flagGas(db StateDB, words []common.Hash) uint64 { return creditGas(db, wordAddress(words[0])) }

func mintGas(db StateDB, words []common.Hash) uint64 {
	if words[1] == (common.Hash{}) {
		return 0
	}
	return creditGas(db, wordAddress(words[0]))
}

func moveGas(db StateDB, words []common.Hash) uint64 {
	if words[2] == (common.Hash{}) {
		return 0
	}
	gas := creditGas(db, wordAddress(words[1]))
	if wordAddress(words[0]) != (common.Address{}) {
		gas += managerWriteGas
	}
	return gas
}

func mintCoins(evm *EVM, words []common.Hash) ([]byte, error) {
	to, coins := wordAddress(words[0]), wordAmount(words[1])
	if !coins.IsZero() {
		evm.StateDB.AddBalance(to, coins, tracing.BalanceChangeTransfer)
	}
	evm.logTransfer(common.Address{}, to, coins)
	return nil, nil
}

func burnCoins(evm *EVM, words []common.Hash) ([]byte, error) {
	from, coins := wordAddress(words[0]), wordAmount(words[1])
	if evm.StateDB.GetBalance(from).Lt(coins) {
		return nil, ErrInsufficientBalance
	}
	evm.StateDB.SubBalance(from, coins, tracing.BalanceChangeTransfer)
	evm.logTransfer(from, common.Address{}, coins)
	return nil, nil
}

func moveCoins(evm *EVM, words []common.Hash) ([]byte, error) {
	from, to, coins := wordAddress(words[0]), wordAddress(words[1]), wordAmount(words[2])
	if evm.StateDB.GetBalance(from).Lt(coins) {
		return nil, ErrInsufficientBalance
	}
	if !coins.IsZero() {
		if from != (common.Address{}) { // who owns it is asked of the zero address too, but it is not debited
			evm.StateDB.SubBalance(from, coins, tracing.BalanceChangeTransfer)
		}
		evm.StateDB.AddBalance(to, coins, tracing.BalanceChangeTransfer)
	}
	evm.logTransfer(from, to, coins)
	return nil, nil
}

func setFlag(set func(AccountState, common.Address, bool), on bool) func(*EVM, []common.Hash) ([]byte, error) {
	return func(evm *EVM, words []common.Hash) ([]byte, error) {
		set(evm.Accounts(), wordAddress(words[0]), on)
		return nil, nil
	}
}

func readFlag(get func(AccountState, common.Address) bool) func(*EVM, []common.Hash) ([]byte, error) {
	return func(evm *EVM, words []common.Hash) ([]byte, error) {
		answer := make([]byte, 32)
		if get(evm.Accounts(), wordAddress(words[0])) {
			answer[31] = 1
		}
		return answer, nil
	}
}
