// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package devchain

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/big"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	gethparams "github.com/ethereum/go-ethereum/params"
	gethrpc "github.com/ethereum/go-ethereum/rpc"
	"github.com/holiman/uint256"

	"gwon/core"
)

// prefixes are the namespaces of the test methods. Each has all of them.
var prefixes = []string{"evm", "hardhat", "anvil"}

// Namespaces returns the RPC namespaces that a developer chain has besides those of a node.
func Namespaces() []string { return append([]string{"gwon"}, prefixes...) }

// apis returns the services in the order in which they have to be registered, after those of the node.
func (c *Chain) apis() []gethrpc.API {
	m := &methods{c}
	apis := []gethrpc.API{
		{Namespace: "gwon", Service: &coinMethods{c}},
		{Namespace: "eth", Service: &accountMethods{c}},
		{Namespace: "web3", Service: &clientMethods{c}},
	}
	for _, prefix := range prefixes {
		apis = append(apis, gethrpc.API{Namespace: prefix, Service: m})
	}
	return append(apis, gethrpc.API{Namespace: "evm", Service: &evmMethods{c}},
		gethrpc.API{Namespace: "hardhat", Service: &hardhatMethods{m}})
}

// methods serves the test methods under each prefix. rows describes them.
type methods struct{ c *Chain }

// locked runs f, which may change anything, with the lock of the chain.
func (c *Chain) locked(f func() error) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	defer c.service.Ethereum().Miner().ForgetPending()
	return f()
}

// done is the answer of a method that has nothing to tell.
func done(err error) (bool, error) { return err == nil, err }

// maxInterval bounds the seconds that a timer of Go waits.
const maxInterval = math.MaxInt64 / uint64(time.Second)

// Mine mines blocks. Before each of them the clock moves ahead by interval, in seconds, as in anvil.
func (m *methods) Mine(ctx context.Context, blocks, interval *Quantity) (bool, error) {
	apart := spacing{step: interval.value(0), clock: true}
	return done(m.c.locked(func() error { return m.c.mine(ctx, blocks.value(1), apart) }))
}

// evmMethods are the test methods that take other parameters under evm than under the other prefixes.
type evmMethods struct{ c *Chain }

// mineOptions are the parameter of evm_mine: a timestamp, or an object with one and a number of blocks.
type mineOptions struct {
	Blocks    *Quantity `json:"blocks"`
	Timestamp *Quantity `json:"timestamp"`
}

// UnmarshalJSON implements json.Unmarshaler.
func (o *mineOptions) UnmarshalJSON(raw []byte) error {
	if !bytes.HasPrefix(raw, []byte("{")) {
		o.Timestamp = new(Quantity)
		return o.Timestamp.UnmarshalJSON(raw)
	}
	type plain mineOptions
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode((*plain)(o)); err != nil {
		return fmt.Errorf("expected a timestamp or {\"timestamp\": seconds, \"blocks\": number}: %w", err)
	}
	return nil
}

// Mine mines blocks, the first of them at the timestamp.
func (m *evmMethods) Mine(ctx context.Context, options *mineOptions) (string, error) {
	if options == nil {
		options = new(mineOptions)
	}
	return "0x0", m.c.locked(func() error {
		if options.Timestamp != nil {
			if err := m.c.setNext(uint64(*options.Timestamp)); err != nil {
				return err
			}
		}
		return m.c.mine(ctx, options.Blocks.value(1), spacing{})
	})
}

// SetAutomine seals transactions as they come, or leaves them in the pool.
func (m *methods) SetAutomine(on Switch) (bool, error) {
	return done(m.c.locked(func() error { m.c.set(func(s *settings) { s.automine = bool(on) }); return nil }))
}

// GetAutomine reports whether transactions are sealed as they come.
func (m *methods) GetAutomine() bool { return m.c.settings.Load().automine }

// SetIntervalMining seals a block each time that the given seconds of the machine's clock have passed, also an empty
// one. 0 ends that.
func (m *methods) SetIntervalMining(seconds Quantity) (bool, error) {
	if uint64(seconds) > maxInterval {
		return false, invalid("expected at most %d seconds, got %d", maxInterval, seconds)
	}
	return done(m.c.locked(func() error {
		m.c.set(func(s *settings) { s.interval = time.Duration(seconds) * time.Second })
		return nil
	}))
}

// GetIntervalMining returns the seconds between two blocks by the machine's clock, 0 for none.
func (m *methods) GetIntervalMining() uint64 {
	return uint64(m.c.settings.Load().interval / time.Second)
}

// setNext sets the timestamp of the next block. The lock is held.
func (c *Chain) setNext(timestamp uint64) error {
	head := c.chain.CurrentBlock()
	if timestamp <= head.Time || timestamp > maxTimestamp {
		return invalid("expected a timestamp above that of block %d, which is %d, and at most %d, got %d",
			head.Number, head.Time, maxTimestamp, timestamp)
	}
	c.set(func(s *settings) { s.timestamp = timestamp })
	return nil
}

// SetNextBlockTimestamp sets the timestamp of the next block in seconds. The clock goes on from there.
func (m *methods) SetNextBlockTimestamp(timestamp Quantity) (bool, error) {
	return done(m.c.locked(func() error { return m.c.setNext(uint64(timestamp)) }))
}

// IncreaseTime moves the clock ahead and returns by how many seconds it is ahead of the machine's.
func (m *methods) IncreaseTime(seconds Quantity) (int64, error) {
	err := m.c.locked(func() error {
		head := m.c.chain.CurrentBlock().Time
		now := max(m.c.clock(), head)
		if left := max(now, maxTimestamp) - now; uint64(seconds) > left {
			return invalid("expected at most %d seconds, with which the clock stays up to %d, got %d",
				left, maxTimestamp, seconds)
		}
		m.c.advance(head, uint64(seconds))
		return nil
	})
	return m.c.offset.Load(), err
}

// SetTime sets the clock to a moment in seconds, and returns by how many seconds it is ahead of the machine's. A block
// is still later than its parent.
func (m *methods) SetTime(timestamp Quantity) (int64, error) {
	err := m.c.locked(func() error {
		if timestamp > maxTimestamp {
			return invalid("expected seconds since 1970 up to %d, got %d", maxTimestamp, timestamp)
		}
		m.c.offset.Store(int64(timestamp) - m.c.now().Unix())
		return nil
	})
	return m.c.offset.Load(), err
}

// SetBlockTimestampInterval puts the timestamps of blocks the given seconds apart, whatever the clock says.
func (m *methods) SetBlockTimestampInterval(seconds Quantity) (bool, error) {
	return done(m.c.locked(func() error {
		head := m.c.chain.CurrentBlock().Time
		if left := max(head, maxTimestamp) - head; seconds == 0 || uint64(seconds) > left {
			return invalid("expected 1 to %d seconds, with which the next timestamp stays up to %d, got %d: "+
				"evm_removeBlockTimestampInterval ends an interval", left, maxTimestamp, seconds)
		}
		m.c.set(func(s *settings) { s.step = uint64(seconds) })
		return nil
	}))
}

// hardhatMethods are the test methods that take other parameters under hardhat than under the other prefixes.
type hardhatMethods struct{ m *methods }

// Mine mines blocks. Those after the first are interval seconds after their parent, as in Hardhat's own network.
func (h *hardhatMethods) Mine(ctx context.Context, blocks, interval *Quantity) (bool, error) {
	c := h.m.c
	return done(c.locked(func() error { return c.mine(ctx, blocks.value(1), spacing{step: interval.value(0)}) }))
}

// SetBlockTimestampInterval takes milliseconds, as viem gives them in its mode for Hardhat.
func (h *hardhatMethods) SetBlockTimestampInterval(milliseconds Quantity) (bool, error) {
	if milliseconds%1000 != 0 {
		return false, invalid("expected milliseconds that make whole seconds, got %d", milliseconds)
	}
	return h.m.SetBlockTimestampInterval(milliseconds / 1000)
}

// RemoveBlockTimestampInterval has the timestamps follow the clock again. It reports whether there was an interval.
func (m *methods) RemoveBlockTimestampInterval() (bool, error) {
	was := m.c.settings.Load().step != 0
	return was, m.c.locked(func() error { m.c.set(func(s *settings) { s.step = 0 }); return nil })
}

// Snapshot remembers the chain as it is, and returns the number to go back by.
func (m *methods) Snapshot() hexutil.Uint64 {
	m.c.mu.Lock()
	defer m.c.mu.Unlock()
	return hexutil.Uint64(m.c.take())
}

// Revert goes back to a snapshot, and reports whether there was one. Blocks, transactions and snapshots since then are
// gone.
func (m *methods) Revert(id Quantity) (found bool, err error) {
	err = m.c.locked(func() (err error) { found, err = m.c.revert(uint64(id)); return err })
	return found, err
}

// resetOptions are the parameter of reset.
type resetOptions struct {
	Forking *forkOptions `json:"forking"`
}

// Reset goes back to the genesis block, or to the block of the network that the chain continues. Settings, snapshots
// and impersonated accounts are gone.
func (m *methods) Reset(options *resetOptions) (bool, error) {
	if options != nil {
		if err := m.c.checkFork(options.Forking); err != nil {
			return false, err
		}
	}
	return done(m.c.locked(m.c.reset))
}

// SetBalance sets the coins of an account in wei. The total supply moves by the same amount.
func (m *methods) SetBalance(account Address, amount Amount) (bool, error) {
	return done(m.c.locked(func() error { return m.c.changeCoins(setBalance(common.Address(account), amount.int())) }))
}

// adapter returns the address of the coin's contract.
func (c *Chain) adapter() common.Address {
	return c.chain.Config().SystemContractsAt(c.chain.CurrentBlock().Number.Uint64()).NativeCoinAdapter.Address
}

// changeCoins applies writes, and moves the total supply with the coins among them. The lock is held.
func (c *Chain) changeCoins(writes ...write) error {
	state, err := c.state()
	if err != nil {
		return err
	}
	adapter := c.adapter()
	total := core.TotalSupply(state, adapter)
	for _, w := range writes {
		if w.Field == fieldBalance {
			total.Sub(total, state.GetBalance(w.Address).ToBig())
			total.Add(total, new(big.Int).SetBytes(w.Value))
		}
	}
	if total.Sign() < 0 || total.BitLen() > 256 {
		return invalid("expected coins with which the total supply stays within 256 bits, and it would be %v", total)
	}
	return c.change(append(writes, setStorage(adapter, core.TotalSupplySlot(), common.BigToHash(total)))...)
}

// SetCode sets the code of an account. Its flags, nonce, coins and storage stay.
func (m *methods) SetCode(account Address, code Data) (bool, error) {
	const most = 1 << 20
	if len(code) > most {
		return false, invalid("expected at most %d bytes of code, got %d", most, len(code))
	}
	return done(m.c.locked(func() error { return m.c.change(setCode(common.Address(account), code)) }))
}

// SetNonce raises the nonce of an account.
func (m *methods) SetNonce(account Address, nonce Quantity) (bool, error) {
	return done(m.c.locked(func() error {
		state, err := m.c.state()
		if err != nil {
			return err
		}
		if have := state.GetNonce(common.Address(account)); uint64(nonce) < have || uint64(nonce) == math.MaxUint64 {
			return invalid("expected a nonce of at least %d, which the account has, and below 2^64 - 1, got %d", have, nonce)
		}
		return m.c.change(setNonce(common.Address(account), uint64(nonce)))
	}))
}

// SetStorageAt sets one word in the storage of an account. The chain deletes an account without coins, nonce and code,
// with its storage, so that such an account is refused.
func (m *methods) SetStorageAt(account Address, slot, value Word) (bool, error) {
	return done(m.c.locked(func() error {
		statedb, err := m.c.state()
		if err != nil {
			return err
		}
		if statedb.Empty(common.Address(account)) && value != (Word{}) {
			return invalid("account %v has no code, coins or nonce and keeps no storage: set one of them first",
				common.Address(account))
		}
		return m.c.change(setStorage(common.Address(account), common.Hash(slot), common.Hash(value)))
	}))
}

// SetCoinbase sets the account that blocks pay.
func (m *methods) SetCoinbase(account Address) (bool, error) {
	coinbase := common.Address(account)
	return done(m.c.locked(func() error { m.c.set(func(s *settings) { s.coinbase = &coinbase }); return nil }))
}

// SetPrevRandao sets the randomness of the next block.
func (m *methods) SetPrevRandao(value Word) (bool, error) {
	word := common.Hash(value)
	return done(m.c.locked(func() error { m.c.set(func(s *settings) { s.prevRandao = &word }); return nil }))
}

// SetNextBlockBaseFeePerGas sets the base fee of the next block in wei. The blocks after it follow the rule again.
func (m *methods) SetNextBlockBaseFeePerGas(fee Amount) (bool, error) {
	return done(m.c.locked(func() error { m.c.set(func(s *settings) { s.baseFee = fee.int().ToBig() }); return nil }))
}

// SetMinGasPrice is refused: the least tip is governed.
func (m *methods) SetMinGasPrice(Amount) (bool, error) {
	return false, errors.New("the least tip is decided by governance and not by the node: gwon_setGasTip sets it")
}

// SetBlockGasLimit sets the gas limit of blocks from the next one on.
func (m *methods) SetBlockGasLimit(limit Quantity) (bool, error) {
	if uint64(limit) < gethparams.MinGasLimit || uint64(limit) > gethparams.MaxGasLimit {
		return false, invalid("expected a gas limit from %d to %d, got %d",
			uint64(gethparams.MinGasLimit), uint64(gethparams.MaxGasLimit), limit)
	}
	return done(m.c.locked(func() error { m.c.set(func(s *settings) { s.gasLimit = uint64(limit) }); return nil }))
}

// ImpersonateAccount has the node sign for an account whose key it does not have.
func (m *methods) ImpersonateAccount(account Address) (bool, error) {
	return done(m.c.locked(func() error {
		if len(m.c.impersonated) >= maxImpersonated {
			return invalid("expected at most %d impersonated accounts: evm_stopImpersonatingAccount ends one", maxImpersonated)
		}
		m.c.impersonated[common.Address(account)] = struct{}{}
		return nil
	}))
}

// StopImpersonatingAccount ends that, and reports whether the account was impersonated.
func (m *methods) StopImpersonatingAccount(account Address) bool {
	m.c.mu.Lock()
	defer m.c.mu.Unlock()
	_, was := m.c.impersonated[common.Address(account)]
	delete(m.c.impersonated, common.Address(account))
	return was
}

// AutoImpersonateAccount has the node sign for every account, or for those it has a key of.
func (m *methods) AutoImpersonateAccount(on Switch) (bool, error) {
	return done(m.c.locked(func() error { m.c.set(func(s *settings) { s.allAccount = bool(on) }); return nil }))
}

// DropTransaction takes a transaction out of the pool, and reports whether it was there.
func (m *methods) DropTransaction(hash Hash) (found bool, err error) {
	err = m.c.locked(func() error {
		found, err = m.c.drop(func(tx *types.Transaction) bool { return tx.Hash() == common.Hash(hash) })
		return err
	})
	return found, err
}

// DropAllTransactions empties the pool.
func (m *methods) DropAllTransactions() (bool, error) {
	return done(m.c.locked(func() error { _, err := m.c.drop(func(*types.Transaction) bool { return true }); return err }))
}

// drop takes transactions out of the pool and reports whether there were any. The lock is held.
func (c *Chain) drop(which func(*types.Transaction) bool) (found bool, err error) {
	var kept []*types.Transaction
	for _, tx := range c.pooled() {
		if which(tx) {
			found = true
		} else {
			kept = append(kept, tx)
		}
	}
	if !found {
		return false, nil
	}
	return true, c.refreshPool(kept)
}

// DumpState returns the accounts of the chain in a form that LoadState takes.
func (m *methods) DumpState() (hexutil.Bytes, error) {
	m.c.mu.Lock()
	defer m.c.mu.Unlock()
	return m.c.dump()
}

// LoadState sets the accounts of a dump. Accounts that are not in it stay.
func (m *methods) LoadState(dump Data) (bool, error) {
	return done(m.c.locked(func() error { return m.c.load(dump) }))
}

// DealERC20 sets the coins of an account, as a balance of the coin's contract.
func (m *methods) DealERC20(account, token Address, amount Amount) (bool, error) {
	return done(m.c.locked(func() error {
		if adapter := m.c.adapter(); common.Address(token) != adapter {
			return invalid("expected the coin %v for the token, got %v: the balances of other tokens are set with "+
				"evm_setStorageAt", adapter, common.Address(token))
		}
		return m.c.changeCoins(setBalance(common.Address(account), amount.int()))
	}))
}

// SetLoggingEnabled changes nothing and says so.
func (m *methods) SetLoggingEnabled(Switch) string {
	return "nothing was changed: --verbosity says what the node logs"
}

// SetRpcUrl changes nothing and says so. The name is that of the method.
//
//nolint:revive
func (m *methods) SetRpcUrl(string) string {
	if m.c.options.Fork != nil {
		return "nothing was changed: the network that this chain continues was chosen at its start"
	}
	return "nothing was changed: this chain continues no other one"
}

// errFinal is the answer to methods that replace blocks.
var errFinal = errors.New("blocks are final on this chain: use evm_snapshot and evm_revert")

// Rollback is refused.
func (m *methods) Rollback(*Quantity) (bool, error) { return false, errFinal }

// Reorg is refused.
func (m *methods) Reorg(json.RawMessage, *json.RawMessage) (bool, error) { return false, errFinal }

// NodeInfo describes the next block and the chain.
func (m *methods) NodeInfo() map[string]any {
	head := m.c.chain.CurrentBlock()
	base, _ := m.c.nextBaseFee()
	return map[string]any{
		"currentBlockNumber":    hexutil.Uint64(head.Number.Uint64()),
		"currentBlockTimestamp": head.Time,
		"currentBlockHash":      head.Hash(),
		"hardFork":              "london",
		"transactionOrder":      "fees",
		"environment": map[string]any{
			"baseFee":  (*hexutil.Big)(base),
			"chainId":  m.c.chain.Config().ChainID.Uint64(),
			"gasLimit": hexutil.Uint64(head.GasLimit),
			"gasPrice": (*hexutil.Big)(new(big.Int).Add(base, m.c.tip())),
		},
		"forkConfig": m.c.options.Fork.forkConfig(),
	}
}

// tip returns the governed tip in wei, 0 when the state cannot be read.
func (c *Chain) tip() *big.Int {
	state, err := c.state()
	if err != nil {
		return new(big.Int)
	}
	return core.GasTip(state, c.chain.Config().Anzeon.SystemContracts.GovValidator.Address)
}

// Metadata describes the chain and its snapshots.
func (m *methods) Metadata() map[string]any {
	m.c.mu.Lock()
	defer m.c.mu.Unlock()
	head := m.c.chain.CurrentBlock()
	snapshots := make(map[string]any, len(m.c.snapshots))
	for _, s := range m.c.snapshots {
		snapshots[hexutil.EncodeUint64(s.id)] = []any{s.number, s.hash}
	}
	return map[string]any{
		"clientVersion":     m.c.version(),
		"chainId":           m.c.chain.Config().ChainID.Uint64(),
		"instanceId":        m.c.instance,
		"latestBlockNumber": head.Number.Uint64(),
		"latestBlockHash":   head.Hash(),
		"forkedNetwork":     m.c.options.Fork.described(),
		"snapshots":         snapshots,
	}
}

// coinMethods serves the namespace gwon.
type coinMethods struct{ c *Chain }

// Mint gives coins in wei to an account. The total supply rises with them. There is no log of it.
func (m *coinMethods) Mint(to Address, amount Amount) (bool, error) {
	account := common.Address(to)
	return done(m.c.locked(func() error {
		state, err := m.c.state()
		if err != nil {
			return err
		}
		sum, overflow := new(uint256.Int).AddOverflow(state.GetBalance(account), amount.int())
		if overflow {
			return invalid("expected an amount with which the account has at most 256 bits, got %v", amount.int())
		}
		return m.c.changeCoins(setBalance(account, sum))
	}))
}

// AccountFlags are the flags of an account. One that is left out stays.
type AccountFlags struct {
	Blacklisted *bool `json:"blacklisted"`
	Authorized  *bool `json:"authorized"`
}

// Expected says what the parameter is.
func (AccountFlags) Expected() string {
	return "{\"blacklisted\": true or false, \"authorized\": true or false}, one of them at least"
}

// SetAccountFlags sets the flags of an account.
func (m *coinMethods) SetAccountFlags(of Address, flags AccountFlags) (bool, error) {
	account := common.Address(of)
	if flags.Blacklisted == nil && flags.Authorized == nil {
		return false, invalid("expected %s", flags.Expected())
	}
	return done(m.c.locked(func() error {
		state, err := m.c.state()
		if err != nil {
			return err
		}
		extra := state.GetExtra(account)
		for _, f := range []struct {
			on  *bool
			bit uint64
		}{{flags.Blacklisted, types.AccountBlacklisted}, {flags.Authorized, types.AccountAuthorized}} {
			switch {
			case f.on != nil && *f.on:
				extra |= f.bit
			case f.on != nil:
				extra &^= f.bit
			}
		}
		return m.c.change(setFlags(account, extra))
	}))
}

// SetGasTip sets the governed tip in wei from the next block on.
func (m *coinMethods) SetGasTip(tip Amount) (bool, error) {
	return done(m.c.locked(func() error {
		contract := m.c.chain.Config().Anzeon.SystemContracts.GovValidator.Address
		return m.c.change(setStorage(contract, types.GasTipSlot, common.Hash(tip.int().Bytes32())))
	}))
}

// clientMethods serves web3_clientVersion.
type clientMethods struct{ c *Chain }

// ClientVersion begins with anvil/, without which the helpers of Hardhat refuse the node.
func (m *clientMethods) ClientVersion() string { return m.c.version() }

func (c *Chain) version() string { return "anvil/" + c.options.Version }
