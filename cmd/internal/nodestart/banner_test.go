// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package nodestart

import (
	"reflect"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	gethparams "github.com/ethereum/go-ethereum/params"

	"gwon/internal/expect"
)

// A contract without code is named at every start. spec: system-contracts 1
func TestContractFacts(t *testing.T) {
	inForce := gethparams.SystemContracts{
		GovValidator: &gethparams.SystemContract{Address: common.Address{1}, Version: "v1"},
		GovMinter:    &gethparams.SystemContract{Address: common.Address{2}, Version: "v2"},
	}
	for _, test := range []struct {
		name     string
		size     map[common.Address]int
		facts    []any
		codeless []string
	}{
		{"all code", map[common.Address]int{{1}: 9, {2}: 9}, []any{"govValidator", "v1", "govMinter", "v2"}, nil},
		{"some", map[common.Address]int{{1}: 9}, []any{"govValidator", "v1", "govMinter", "v2, no code"},
			[]string{"govMinter v2"}},
		{"none", nil, []any{"govValidator", "v1, no code", "govMinter", "v2, no code"},
			[]string{"govValidator v1", "govMinter v2"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			facts, codeless := contractFacts(inForce, func(a common.Address) int { return test.size[a] })
			expect.That(t, reflect.DeepEqual(facts, test.facts) && reflect.DeepEqual(codeless, test.codeless),
				"%v, %v, want %v, %v", facts, codeless, test.facts, test.codeless)
		})
	}
}
