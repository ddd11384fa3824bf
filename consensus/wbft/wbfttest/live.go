// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package wbfttest

import (
	"crypto/ecdsa"
	"fmt"
	"math/big"
	"runtime"
	"sync"

	"github.com/ethereum/go-ethereum/common"
	gethcore "github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/state"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	gethparams "github.com/ethereum/go-ethereum/params"

	"gwon/consensus/wbft/bls"
	"gwon/contracts/bindings"
	"gwon/core"
	"gwon/params"
)

const payers = 16 // accounts that pay

// LiveOptions describes the chain of a live network: mostly idle, with some payments, some full blocks and other
// validators now and then. Zero switches a kind of block off.
type LiveOptions struct {
	Validators  int
	EpochLength uint64 // blocks
	Boho        uint64 // block
	Seed        uint64

	LightEvery  uint64 // blocks from one with payments to the next
	LightTxs    int    // payments in such a block
	FullEvery   uint64 // blocks from one full block to the next
	FullTxs     int
	ChangeEvery uint64 // epochs from one change of the validators to the next
	Last        uint64 // block up to which keys are known; the changes end there
}

// Genesis returns the genesis of the chain, as operators write it, and the node keys of the first validators.
func (o LiveOptions) Genesis() (*gethcore.Genesis, []*ecdsa.PrivateKey, error) {
	options := params.DevnetOptions{EpochLength: o.EpochLength, BohoBlock: o.Boho, Contracts: params.G1}
	alloc := make(types.GenesisAlloc)
	coins := new(big.Int).Mul(big.NewInt(1e9), big.NewInt(gethparams.Ether))
	keys := make([]*ecdsa.PrivateKey, o.Validators)
	for i := range keys {
		keys[i] = seatKey(i, 0)
		secret, err := bls.DeriveKey(keys[i])
		if err != nil {
			return nil, nil, err
		}
		operator := addressOf(operatorKey(i))
		options.Validators = append(options.Validators, params.DevnetValidator{
			Address: addressOf(keys[i]), BLSPublicKey: secret.PublicKey().Bytes(), Operator: operator,
		})
		alloc[operator] = types.Account{Balance: coins}
	}
	for i := range payers {
		alloc[addressOf(payerKey(i))] = types.Account{Balance: coins}
	}
	config, err := params.DevnetConfig(options)
	if err != nil {
		return nil, nil, err
	}
	return core.DevnetGenesis(config, genesisTime, alloc), keys, nil
}

// Recipe returns the recipe of the chain.
func (o LiveOptions) Recipe() (Recipe, error) {
	given, seats, err := o.Genesis()
	if err != nil {
		return Recipe{}, err
	}
	genesis, _, err := core.BuildGenesis(given, nil)
	if err != nil {
		return Recipe{}, err
	}
	r := Recipe{
		Genesis: genesis, Keys: make(map[common.Address]*ecdsa.PrivateKey), Seed: o.Seed, Fill: o.fill,
	}
	for _, key := range seats {
		r.Keys[addressOf(key)] = key
	}
	for change := uint64(1); change <= o.changes(); change++ {
		key := seatKey(o.seat(change), change)
		r.Keys[addressOf(key)] = key
	}
	return r, nil
}

// changes returns the number of changes of the validators.
func (o LiveOptions) changes() uint64 {
	if o.ChangeEvery == 0 {
		return 0
	}
	return o.Last / (o.ChangeEvery * o.EpochLength)
}

// seat returns the seat that gets another validator in a change.
func (o LiveOptions) seat(change uint64) int { return int(change % uint64(o.Validators)) }

// fill makes the transactions of the child of a header.
func (o LiveOptions) fill(parent *types.Header, statedb *state.StateDB) []*types.Transaction {
	number := parent.Number.Uint64() + 1
	every := func(blocks uint64) bool { return blocks > 0 && number%blocks == 0 }
	m := &transactions{parent: parent, state: statedb, nonces: make(map[common.Address]uint64)}
	// The middle of an epoch, because the next epoch block names the new validator.
	if apart, middle := o.ChangeEvery*o.EpochLength, o.EpochLength/2; apart > 0 && number > middle {
		if change := (number - middle) / apart; (number-middle)%apart == 0 && change <= o.changes() {
			m.register(o.seat(change), change)
		}
	}
	switch {
	case every(o.FullEvery):
		m.pay(o.FullTxs)
	case every(o.LightEvery):
		m.pay(o.LightTxs)
	}
	return m.sign()
}

// transactions are those of one block.
type transactions struct {
	parent *types.Header
	state  *state.StateDB
	nonces map[common.Address]uint64
	keys   []*ecdsa.PrivateKey
	list   []*types.DynamicFeeTx
}

func (m *transactions) add(key *ecdsa.PrivateKey, to common.Address, gas uint64, value int64, data []byte) {
	from := addressOf(key)
	nonce, ok := m.nonces[from]
	if !ok {
		nonce = m.state.GetNonce(from)
	}
	m.nonces[from] = nonce + 1
	tip := new(big.Int).SetUint64(params.DefaultGasTip)
	feeCap := new(big.Int).Mul(m.parent.BaseFee, common.Big2)
	m.keys = append(m.keys, key)
	m.list = append(m.list, &types.DynamicFeeTx{
		Nonce: nonce, GasTipCap: tip, GasFeeCap: feeCap.Add(feeCap, tip), Gas: gas, To: &to, Value: big.NewInt(value),
		Data: data,
	})
}

// pay adds payments, each of the next account to the next one.
func (m *transactions) pay(count int) {
	keys := make([]*ecdsa.PrivateKey, payers)
	for i := range keys {
		keys[i] = payerKey(i)
	}
	for i := range count {
		to := (m.parent.Number.Uint64()*uint64(count) + uint64(i)) % 1000
		m.add(keys[i%payers], common.BigToAddress(new(big.Int).SetUint64(1<<32+to)), gethparams.TxGas, 1, nil)
	}
}

// register gives a seat the validator of a change.
func (m *transactions) register(seat int, change uint64) {
	validator := seatKey(seat, change)
	secret, err := bls.DeriveKey(validator)
	if err != nil {
		panic(err) // the key is a hash, and good
	}
	input := bindings.NewGovValidator().PackConfigureValidator(addressOf(validator), secret.PublicKey().Bytes(),
		secret.ProofOfPossession())
	m.add(operatorKey(seat), params.GovValidatorAddress, 1_000_000, 0, input)
}

// sign signs all transactions on all cores.
func (m *transactions) sign() []*types.Transaction {
	var (
		out     = make([]*types.Transaction, len(m.list))
		signer  = types.LatestSignerForChainID(new(big.Int).SetUint64(params.DevChainID))
		workers sync.WaitGroup
		cores   = runtime.GOMAXPROCS(0)
	)
	for core := range min(cores, len(m.list)) {
		workers.Go(func() {
			for i := core; i < len(m.list); i += cores {
				m.list[i].ChainID = signer.ChainID()
				out[i] = types.MustSignNewTx(m.keys[i], signer, m.list[i])
			}
		})
	}
	workers.Wait()
	return out
}

// seatKey is the node key of the validator that a change gives a seat; change 0 is the genesis block.
func seatKey(seat int, change uint64) *ecdsa.PrivateKey {
	return keyOf("validator %d of change %d", seat, change)
}

func operatorKey(seat int) *ecdsa.PrivateKey { return keyOf("operator %d", seat) }

func payerKey(i int) *ecdsa.PrivateKey { return keyOf("payer %d", i) }

// keyOf makes a key of a name.
func keyOf(format string, args ...any) *ecdsa.PrivateKey {
	key, err := crypto.ToECDSA(crypto.Keccak256(fmt.Appendf(nil, "wbfttest "+format, args...)))
	if err != nil {
		panic(err) // one hash of 2^127
	}
	return key
}

func addressOf(key *ecdsa.PrivateKey) common.Address { return crypto.PubkeyToAddress(key.PublicKey) }
