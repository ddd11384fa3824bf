// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package governance

import (
	"encoding/json"
	"math/big"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"
	"pgregory.net/rapid"

	"gwon/contracts"
	"gwon/internal/amounts"
	"gwon/internal/expect"
	"gwon/internal/must"
)

// Amounts are written exactly, as they can be given again.
func TestAmounts(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		wei := new(big.Int).SetBytes(rapid.SliceOfN(rapid.Byte(), 0, 31).Draw(r, "wei"))
		for _, text := range []string{formatCoins(wei), formatGwei(wei)} {
			back, err := amounts.Parse(text, "")
			must.That(r, err == nil && back.Cmp(wei) == 0, "%v is written %s and read %v, %v", wei, text, back, err)
		}
	})
}

// A proposal is named by contract and number; a number alone names none.
func TestIDs(t *testing.T) {
	for text, want := range map[string]ID{
		"gov-minter:3": {Minter, 3}, "minter:3": {Minter, 3}, "GovMasterMinter:12": {MasterMinter, 12},
		"gov-council:1": {Council, 1},
	} {
		t.Run(text, func(t *testing.T) {
			id, err := ParseID(text)
			expect.That(t, err == nil && id == want, "%s: %v, %v", text, id, err)
			expect.Equal(t, must.Get(ParseID(id.String()))(t), id, "%v", id)
		})
	}
	for _, text := range []string{
		"", "3", "gov-minter", "gov-minter:", ":3", "gov-minter:0", "gov-minter:-1", "gov-minter:x", "gov:3",
		"gov-minter:3:4", "gov-minter:18446744073709551616", "native-coin-adapter:1",
	} {
		t.Run(text, func(t *testing.T) {
			id, err := ParseID(text)
			expect.That(t, err != nil, "%q is taken for %v", text, id)
		})
	}
	text, err := json.Marshal(ID{Minter, 3})
	expect.That(t, err == nil && string(text) == `"gov-minter:3"`, "%s, %v", text, err)
}

// Every error that a contract has is told in a sentence, and every sentence is of an error that exists.
func TestEveryErrorHasASentence(t *testing.T) {
	known := make(map[string]bool)
	for _, c := range contracts.All() {
		for name, e := range c.ABI().Errors {
			known[name] = true
			r := decodeRefusal(Minter, e.ID[:4])
			expect.That(t, errorTexts[name] != "" && r.Name == name && strings.Contains(r.Error(), errorTexts[name]),
				"%s is told as %q", name, r)
		}
	}
	for name := range errorTexts {
		expect.That(t, known[name], "no contract has the error %s", name)
	}
	panicked := append(crypto.Keccak256([]byte("Panic(uint256)"))[:4:4], common.LeftPadBytes([]byte{0x11}, 32)...)
	for want, data := range map[string][]byte{
		"refuses without a reason": nil, "does not know: 0x01020304": {1, 2, 3, 4}, "an internal check failed": panicked,
		"account is blacklisted": packText(t, "NativeCoinAdapter: account is blacklisted"),
	} {
		t.Run(want, func(t *testing.T) {
			expect.Contains(t, decodeRefusal(Minter, data).Error(), want, "%x is told as", data)
		})
	}
}

func packText(t *testing.T, text string) []byte {
	t.Helper()
	data := must.Get(arguments("string").Pack(text))(t)
	return append(crypto.Keccak256([]byte("Error(string)"))[:4:4], data...)
}

// Every action that a contract names by a constant can be told; unknown and malformed ones are told as such.
func TestEveryActionHasWords(t *testing.T) {
	for _, k := range Governances {
		count := 0
		for constant := range interfaces()[k].Methods {
			text, isAction := strings.CutPrefix(constant, "ACTION_")
			if !isAction || text == "CHANGE_MEMBER" { // which is never proposed
				continue
			}
			count++
			known := false
			for _, hashed := range []string{text, constant} {
				a, ok := actions()[k][crypto.Keccak256Hash([]byte(hashed))]
				known = known || ok && a.name == text
			}
			expect.That(t, known, "%s: the action %s cannot be told", k.title, text)
		}
		if count != len(actions()[k]) {
			t.Errorf("%s has %d actions, %d can be told", k.title, count, len(actions()[k]))
		}
		for kind := range actions()[k] {
			_, words, _, _ := describeAction(k, kind, []byte{1})
			expect.That(t, actions()[k][kind].args == nil || strings.Contains(words, "malformed"),
				"%s: malformed data is told as %q", k.title, words)
		}
		_, words, _, _ := describeAction(k, common.Hash{1}, nil)
		expect.That(t, strings.Contains(words, "does not know"), "unknown action: %q", words)
	}
}

// Whatever an event holds, telling it does not panic: a node may answer anything.
func TestEffectsOfEveryEvent(t *testing.T) {
	sample := func(typ abi.Type) any {
		switch typ.T {
		case abi.AddressTy:
			return common.Address{1}
		case abi.UintTy:
			if typ.Size == 32 {
				return uint32(1)
			}
			return big.NewInt(1)
		case abi.StringTy:
			return "text"
		case abi.BoolTy:
			return true
		case abi.BytesTy:
			return []byte{1}
		}
		return common.Hash{}
	}
	told := 0
	for _, k := range append([]Contract{Adapter}, Governances...) {
		for name, e := range interfaces()[k].Events {
			fields := map[string]any{"contract": k}
			for _, in := range e.Inputs {
				fields[in.Name] = sample(in.Type)
			}
			if effect(name, fields) != "" {
				told++
			}
		}
	}
	expect.That(t, told >= 30, "%d events are told", told)
}
