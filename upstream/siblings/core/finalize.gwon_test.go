// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package core

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"math/big"
	"os"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/core/types/bal"
	"github.com/ethereum/go-ethereum/internal/must"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Finalize cannot refuse a block, so that all processing of blocks must call consensus.Finish instead (spec wbft 6.4).
// A use of Finalize that upstream adds fails here, and is either hooked or added to the list with its reason.
func TestNobodyBypassesFinish(t *testing.T) {
	allowed := map[string]int{
		"chain_makers.go":             1, // makes chains for tests
		"state_processor_parallel.go": 1, // for blocks with an access list only, see below
	}
	found := make(map[string]int)
	entries := must.Get(os.ReadDir("."))(t)
	for _, entry := range entries {
		name := entry.Name()
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			continue
		}
		file := must.Get(parser.ParseFile(token.NewFileSet(), name, nil, 0))(t)
		ast.Inspect(file, func(node ast.Node) bool {
			if selector, ok := node.(*ast.SelectorExpr); ok && selector.Sel.Name == "Finalize" {
				found[name]++
			}
			return true
		})
	}
	assert.Truef(t, maps.Equal(found, allowed), "Finalize is used in %v, known are %v", found, allowed)
}

// The parallel processor finalizes without the engine's stages. It takes no block of an Anzeon chain, not even one that
// comes with an access list.
func TestNoParallelProcessing(t *testing.T) {
	list := bal.BlockAccessList{}
	header := &types.Header{Number: big.NewInt(1), Difficulty: new(big.Int)}
	block := types.NewBlockWithHeader(header).WithAccessListUnsafe(&list)
	require.True(t, block.AccessList() != nil, "the block has no access list")
	assert.False(t, supportsParallelExecution(block, anzeonConfig(), false, false, false),
		"a block of an Anzeon chain would be processed in parallel")
}
