// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package core

import (
	"fmt"
	"math/big"
	"slices"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	gethparams "github.com/ethereum/go-ethereum/params"

	"gwon/core/rules"
	"gwon/params"
)

// Storage of GovValidator after the governance base (spec system-contracts 3.1).
var (
	slotValidatorPossession = word(0x32)
	slotValidatorList       = word(0x33)
	slotValidatorIndex      = word(0x34)
	slotValidatorOperator   = word(0x35)
	slotOperatorValidator   = word(0x36)
	slotValidatorBLSKey     = word(0x37)
	slotBLSKeyValidator     = word(0x38)
	slotValidatorGasTip     = types.GasTipSlot
)

// maxBLSKeyLength limits, in bytes, a key that is read from state. A valid key has 48 bytes.
const maxBLSKeyLength = 4096

// StateReader reads contract storage. Every state database of go-ethereum implements it.
type StateReader interface {
	GetState(addr common.Address, slot common.Hash) common.Hash
}

// GasTip returns the gas tip in wei of the GovValidator contract at addr, which the next block uses (spec wbft 1.5,
// 3.7). The tip can be any value of 256 bits.
func GasTip(state StateReader, addr common.Address) *big.Int {
	return state.GetState(addr, slotValidatorGasTip).Big()
}

// ValidatorList returns the validators registered in the GovValidator contract at addr, in the contract's order. They
// are the candidates of the next epoch (spec wbft 3.5, 3.7). It fails when there are more than rules.MaxValidators.
func ValidatorList(state StateReader, addr common.Address) ([]common.Address, error) {
	length := state.GetState(addr, slotValidatorList).Big()
	if !length.IsUint64() || length.Uint64() > rules.MaxValidators {
		return nil, fmt.Errorf("contract %v lists %v validators, more than %d", addr, length, rules.MaxValidators)
	}
	list := make([]common.Address, length.Uint64())
	for i := range list {
		element := state.GetState(addr, elementSlot(slotValidatorList, uint64(i)))
		list[i] = common.BytesToAddress(element[:])
	}
	return list, nil
}

// BLSKey returns the BLS public key of a validator in the GovValidator contract at addr (spec wbft 3.7). The key has
// 48 bytes and is not validated; it is nil when none is registered. BLSKey fails when the slot holds no bytes value
// or one that is too long.
func BLSKey(state StateReader, addr, validator common.Address) ([]byte, error) {
	slot := addressMapSlot(validator, slotValidatorBLSKey)
	head := state.GetState(addr, slot)
	last := head[common.HashLength-1]
	if last&1 == 0 {
		if last/2 >= common.HashLength {
			return nil, fmt.Errorf("contract %v: the BLS key slot of %v holds no bytes value", addr, validator)
		}
		if last == 0 {
			return nil, nil
		}
		return slices.Clone(head[:last/2]), nil
	}
	length := new(big.Int).Rsh(head.Big(), 1)
	if !length.IsUint64() || length.Uint64() < common.HashLength || length.Uint64() > maxBLSKeyLength {
		return nil, fmt.Errorf("contract %v: the BLS key of %v has %v bytes, more than any key", addr, validator, length)
	}
	key := make([]byte, 0, length.Uint64()+common.HashLength)
	for i := uint64(0); uint64(len(key)) < length.Uint64(); i++ {
		part := state.GetState(addr, elementSlot(slot, i))
		key = append(key, part[:]...)
	}
	return key[:length.Uint64()], nil
}

// initGovValidator returns the initial storage of GovValidator v1 (spec system-contracts 3.3).
func initGovValidator(p parameters) (storage, error) {
	p.warnUnknown("govValidator", governanceParameters, "validators", "blsPublicKeys", "gasTip")
	s := make(storage)
	operators, err := initGovernance(p, s)
	if err != nil {
		return nil, err
	}
	tip, err := gasTipParameter(p)
	if err != nil {
		return nil, err
	}
	s.setBig(slotValidatorGasTip, tip)
	s.setAddress(slotValidatorPossession, params.BLSPossessionAddress)

	validators, given, err := p.addresses("validators")
	if err != nil {
		return nil, err
	}
	keys, keysGiven := p.items("blsPublicKeys")
	if given != keysGiven {
		return nil, fmt.Errorf("parameters \"validators\" and \"blsPublicKeys\" are used together: give both or neither")
	}
	if !given {
		return s, nil
	}
	if len(validators) != len(operators) || len(keys) != len(operators) {
		return nil, fmt.Errorf("parameters name %d members, %d validators and %d BLS public keys: "+
			"make the lists equally long", len(operators), len(validators), len(keys))
	}
	var set []common.Address
	for i, v := range validators {
		if slices.Contains(set, v) {
			continue
		}
		key, err := parseHex(keys[i])
		if err != nil || len(key) != gethparams.BLSPublicKeyLength {
			return nil, fmt.Errorf("parameter \"blsPublicKeys\": %q is not a key of %d bytes in hex", keys[i],
				gethparams.BLSPublicKeyLength)
		}
		set = append(set, v)
		s.setUint(addressMapSlot(v, slotValidatorIndex), uint64(len(set)))
		s.setAddress(addressMapSlot(v, slotValidatorOperator), operators[i])
		s.setAddress(addressMapSlot(operators[i], slotOperatorValidator), v)
		s.setBytes(addressMapSlot(v, slotValidatorBLSKey), key)
		s.setAddress(bytesMapSlot(key, slotBLSKeyValidator), v)
	}
	s.setAddresses(slotValidatorList, set)
	return s, nil
}

// gasTipParameter returns the gas tip of the genesis block in wei (spec wbft 3.4).
func gasTipParameter(p parameters) (*big.Int, error) {
	tip, given, err := p.amount("gasTip")
	if err == nil && !given {
		tip = new(big.Int).SetUint64(params.DefaultGasTip)
	}
	return tip, err
}
