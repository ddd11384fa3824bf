// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package eth

import (
	"bytes"
	"math/big"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/state"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/eth/ethconfig"
	gethparams "github.com/ethereum/go-ethereum/params"

	"gwon/core"
	"gwon/params"
)

// The engines take the code of an upgrade from the source that was registered last (spec chain 10: testnet, block 100).
func TestRegisterEngine(t *testing.T) {
	upgraded := func(codes core.CodeSource) []byte {
		t.Helper()
		RegisterEngine(codes)
		engine, err := ethconfig.CreateConsensusEngine(params.Testnet(), nil)
		if err != nil {
			t.Fatal(err)
		}
		db, err := state.New(types.EmptyRootHash, state.NewDatabaseForTesting())
		if err != nil {
			t.Fatal(err)
		}
		engine.Finalize(nil, &types.Header{Number: big.NewInt(14_408_500)}, db, nil)
		return db.GetCode(params.GovMinterAddress)
	}
	v2, ok := core.CodeHash("govMinter", params.V2)
	if !ok {
		t.Fatal("govMinter v2 is not known")
	}
	source := func(name string) core.CodeSource {
		return func(hash common.Hash) ([]byte, bool) { return []byte(name), hash == v2 }
	}
	for _, name := range []string{"one", "two"} {
		if code := upgraded(source(name)); !bytes.Equal(code, []byte(name)) {
			t.Errorf("code %q, want %q", code, name)
		}
	}
	if code := upgraded(nil); len(code) != 0 {
		t.Errorf("code %q without a source", code)
	}
	if engine, err := ethconfig.CreateConsensusEngine(gethparams.MainnetChainConfig, nil); err != nil || engine == nil {
		t.Errorf("other chains: %v, %v", engine, err)
	}
}
