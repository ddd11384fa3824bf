// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package core

import (
	"bytes"
	"math/big"
	"slices"
	"testing"

	"github.com/ethereum/go-ethereum/common"

	"gwon/core/rules"
	"gwon/internal/expect"
	"gwon/params"
)

// slots is a StateReader with a single account.
type slots map[common.Hash]common.Hash

func (s slots) GetState(_ common.Address, slot common.Hash) common.Hash { return s[slot] }

var govValidator = params.GovValidatorAddress

// The contract of a public network answers what its configuration says (spec wbft 3.7).
func TestReadGovValidator(t *testing.T) {
	for _, n := range params.Networks() {
		cfg := n.Config()
		var state slots
		for _, a := range readNetwork(t, n).Alloc {
			if a.Address == govValidator {
				state = slots(a.Storage)
			}
		}
		tip := GasTip(state, govValidator)
		expect.That(t, tip.Uint64() == params.DefaultGasTip, "%s: gas tip %v", n.Name, tip)
		list, err := ValidatorList(state, govValidator)
		expect.That(t, err == nil && slices.Equal(list, cfg.Anzeon.Init.Validators),
			"%s: validators %v, %v", n.Name, list, err)
		for i, v := range list {
			key, err := BLSKey(state, govValidator, v)
			expect.That(t, err == nil && bytes.Equal(key, cfg.Anzeon.Init.BLSPublicKeys[i]),
				"%s: key of %v is %x, %v", n.Name, v, key, err)
		}
	}
}

func TestReadEmptyGovValidator(t *testing.T) {
	tip := GasTip(slots{}, govValidator)
	expect.That(t, tip.Sign() == 0, "gas tip %v", tip)
	list, err := ValidatorList(slots{}, govValidator)
	expect.That(t, err == nil && len(list) == 0, "validators %v, %v", list, err)
	key, err := BLSKey(slots{}, govValidator, common.Address{1})
	expect.That(t, err == nil && key == nil, "key %x, %v", key, err)
}

// Governance may set any 256-bit tip (spec chain 13, item 6).
func TestHugeGasTip(t *testing.T) {
	most := common.BytesToHash(bytes.Repeat([]byte{0xff}, 32))
	tip := GasTip(slots{slotValidatorGasTip: most}, govValidator)
	expect.That(t, tip.BitLen() == 256 && tip.Cmp(most.Big()) == 0, "gas tip %v", tip)
}

func TestValidatorListIsBounded(t *testing.T) {
	list, err := ValidatorList(slots{slotValidatorList: word(rules.MaxValidators)}, govValidator)
	expect.That(t, err == nil && len(list) == rules.MaxValidators, "%d validators, %v", len(list), err)
	beyond64Bits := common.BigToHash(new(big.Int).Lsh(big.NewInt(1), 64))
	for _, length := range []common.Hash{word(rules.MaxValidators + 1), {0: 1}, beyond64Bits} {
		list, err := ValidatorList(slots{slotValidatorList: length}, govValidator)
		expect.That(t, err != nil, "length %v gives %d validators", length, len(list))
	}
}

// Every length of a bytes value reads back as it was written (spec system-contracts, slot arithmetic).
func TestBLSKeyLengths(t *testing.T) {
	validator := common.Address{5}
	slot := addressMapSlot(validator, slotValidatorBLSKey)
	for _, length := range []int{1, 30, 31, 32, 33, 48, 63, 64, 65, 96, maxBLSKeyLength} {
		want := bytes.Repeat([]byte{0xab}, length)
		s := make(storage)
		s.setBytes(slot, want)
		key, err := BLSKey(slots(s), govValidator, validator)
		expect.That(t, err == nil && bytes.Equal(key, want), "length %d: key %x, %v", length, key, err)
	}
	for name, head := range map[string]common.Hash{
		"short form of 32 bytes": word(64),
		"long form of 31 bytes":  word(63),
		"too long":               word(2*(maxBLSKeyLength+1) + 1),
		"huge":                   common.BytesToHash(bytes.Repeat([]byte{0xff}, 32)),
	} {
		t.Run(name, func(t *testing.T) {
			key, err := BLSKey(slots{slot: head}, govValidator, validator)
			expect.Refused(t, err, "%s: key of %d bytes", name, len(key))
		})
	}
}

// Reading ends with a bounded result for any storage.
func FuzzReadGovValidator(f *testing.F) {
	f.Add(word(97).Bytes(), word(3).Bytes())
	f.Add(bytes.Repeat([]byte{0xff}, 32), word(4096).Bytes())
	f.Fuzz(func(t *testing.T, head, length []byte) {
		validator := common.Address{5}
		s := slots{
			addressMapSlot(validator, slotValidatorBLSKey): common.BytesToHash(head),
			slotValidatorList: common.BytesToHash(length),
		}
		key, err := BLSKey(s, govValidator, validator)
		expect.That(t, err != nil || len(key) <= maxBLSKeyLength, "key of %d bytes", len(key))
		list, err := ValidatorList(s, govValidator)
		expect.That(t, err != nil || len(list) <= rules.MaxValidators, "%d validators", len(list))
	})
}
