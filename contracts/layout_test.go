// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package contracts

import (
	"encoding/json"
	"fmt"
	"math/big"
	"path"
	"slices"
	"testing"

	"gwon/internal/must"
)

// baseLayout is the storage of spec system-contracts 1.1. An entry has the slot, the offset in bytes, and the type in
// Solidity's spelling. Names of variables may differ.
var baseLayout = []string{
	"0x00+0 uint256", "0x01+0 uint256", "0x02+0 uint256", "0x03+0 uint256", "0x04+0 uint32",
	"0x05+0 mapping(address => struct GovBase.Member)", "0x06+0 mapping(uint256 => address[])",
	"0x07+0 mapping(uint256 => struct GovBase.Proposal)", "0x08+0 mapping(uint256 => mapping(address => uint32))",
	"0x09+0 mapping(uint256 => uint32)", "0x0a+0 mapping(uint256 => uint256)", "0x0b+0 mapping(address => uint256)",
	"0x0c+0 uint256",
	// Slots of the gap that gwon's contracts use (docs/system-contracts.md), and the remaining slots.
	"0x0d+0 mapping(address => struct EnumerableSet.UintSet)", "0x0e+0 mapping(uint256 => address)",
	"0x0f+0 mapping(address => bool)", "0x10+0 uint256[34]",
}

var minterLayout = []string{
	"0x32+0 address", "0x33+0 mapping(bytes32 => bool)", "0x34+0 mapping(string => uint256)",
	"0x35+0 mapping(string => bool)",
	"0x36+0 mapping(string => uint256)", "0x37+0 mapping(string => bool)",
	"0x38+0 mapping(uint256 => struct GovMinter.BurnProposal)",
	"0x39+0 uint256", "0x3a+0 mapping(uint256 => uint256)", "0x3b+0 mapping(address => uint256)", "0x3c+0 bool",
	"0x3d+0 mapping(address => uint256)", // in v1 unused; here what g2 pays out
}

var layouts = map[string][]string{
	"nativeCoinAdapter-g1": {
		"0x00+0 address", "0x01+0 mapping(address => bool)", "0x02+0 mapping(address => uint256)", "0x03+0 bytes32",
		"0x04+0 mapping(address => mapping(bytes32 => bool))", "0x05+0 mapping(address => uint256)", "0x06+0 address",
		"0x07+0 address",
		"0x08+0 string", "0x09+0 string", "0x0a+0 uint8", "0x0b+0 string",
		"0x0c+0 mapping(address => mapping(address => uint256))", "0x0d+0 uint256",
	},
	"govValidator-g1": slices.Concat(baseLayout, []string{
		"0x32+0 address", "0x33+0 struct EnumerableSet.AddressSet", "0x35+0 mapping(address => address)",
		"0x36+0 mapping(address => address)", "0x37+0 mapping(address => bytes)", "0x38+0 mapping(bytes => address)",
		"0x39+0 uint256",
	}),
	"govMasterMinter-g1": slices.Concat(baseLayout, []string{
		"0x32+0 address", "0x33+0 uint256", "0x34+0 mapping(address => bool)", "0x35+0 address[]",
		"0x36+0 mapping(address => uint256)", "0x37+0 bool",
	}),
	"govMinter-g1": slices.Concat(baseLayout, minterLayout),
	"govMinter-g2": slices.Concat(baseLayout, minterLayout),
	"govCouncil-g1": slices.Concat(baseLayout, []string{
		"0x32+0 struct EnumerableSet.AddressSet", "0x34+0 struct EnumerableSet.AddressSet", "0x36+0 address",
	}),
}

// structLayouts lists the members of structs, relative to the start of the struct.
var structLayouts = map[string][]string{
	"struct GovBase.Member": {"0x00+0 bool", "0x00+1 uint32"},
	"struct GovBase.Proposal": {
		"0x00+0 bytes32", "0x01+0 uint256", "0x02+0 uint256", "0x03+0 uint256", "0x04+0 uint256", "0x05+0 address",
		"0x05+20 uint32",
		"0x05+24 uint32", "0x05+28 uint32", "0x06+0 enum GovBase.ProposalStatus", "0x07+0 bytes",
	},
	"struct GovMinter.BurnProposal":   {"0x00+0 uint256", "0x01+0 address"},
	"struct EnumerableSet.AddressSet": {"0x00+0 struct EnumerableSet.Set"},
	"struct EnumerableSet.UintSet":    {"0x00+0 struct EnumerableSet.Set"},
	"struct EnumerableSet.Set":        {"0x00+0 bytes32[]", "0x01+0 mapping(bytes32 => uint256)"},
}

type variable struct {
	Slot   string
	Offset int
	Type   string
}

type layout struct {
	Storage []variable
	Types   map[string]struct {
		Label   string
		Members []variable
	}
}

func (l *layout) spell(t *testing.T, variables []variable) []string {
	t.Helper()
	var list []string
	for _, v := range variables {
		slot, ok := new(big.Int).SetString(v.Slot, 10)
		if !ok {
			t.Fatalf("slot %q", v.Slot)
		}
		list = append(list, fmt.Sprintf("0x%02x+%d %s", slot, v.Offset, l.Types[v.Type].Label))
	}
	return list
}

// The storage that the compiler reports equals the specification (spec system-contracts 1.1, 1.2, 2.1, 3.1, 4.1, 5.1,
// 6.1).
func TestStorageLayouts(t *testing.T) {
	must.Equal(t, len(layouts), len(All()), "layouts")
	for name, want := range layouts {
		t.Run(name, func(t *testing.T) {
			data := must.Get(artifacts.ReadFile(path.Join("artifacts", name+".json")))(t)
			var artifact struct{ Layout layout }
			must.Do(t, json.Unmarshal(data, &artifact))
			have := artifact.Layout.spell(t, artifact.Layout.Storage)
			if !slices.Equal(have, want) {
				t.Errorf("have %q\nwant %q", have, want)
			}
			for _, typ := range artifact.Layout.Types {
				if len(typ.Members) == 0 {
					continue
				}
				want, known := structLayouts[typ.Label]
				if have := artifact.Layout.spell(t, typ.Members); !known || !slices.Equal(have, want) {
					t.Errorf("%s: have %q\nwant %q", typ.Label, have, want)
				}
			}
		})
	}
}
