// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package adopttest

import (
	"fmt"
	"sync"
	"testing"

	gethcore "github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/rawdb"
	"github.com/ethereum/go-ethereum/core/types"

	"gwon/consensus/wbft/wbfttest"
)

var live = sync.OnceValues(func() (*wbfttest.Maker, error) {
	recipe, err := wbfttest.LiveOptions{
		Validators: 4, EpochLength: 10, Boho: 15, Seed: 7, LightEvery: 3, LightTxs: 2, ChangeEvery: 3, Last: 10_000,
	}.Recipe()
	if err != nil {
		return nil, err
	}
	return wbfttest.NewMaker(rawdb.NewMemoryDatabase(), recipe)
})

// Chain returns a genesis block and the first blocks on it.
func Chain(t testing.TB, count uint64) (*gethcore.Genesis, types.Blocks) {
	t.Helper()
	m, err := live()
	if err == nil && m.CurrentHeader().Number.Uint64() < count {
		err = m.Make(t.Context(), count)
	}
	if err != nil {
		t.Fatal(err)
	}
	blocks := make(types.Blocks, count)
	for i := range blocks {
		blocks[i] = m.Block(uint64(i) + 1)
	}
	return m.Genesis, blocks
}

// Kinds returns the options of all kinds of directories.
func Kinds(frozen, state uint64) (list []Options) {
	for _, engine := range []string{rawdb.DBPebble, rawdb.DBLeveldb} {
		for _, scheme := range []string{rawdb.HashScheme, rawdb.PathScheme} {
			for _, killed := range []bool{false, true} {
				list = append(list, Options{Engine: engine, Scheme: scheme, Killed: killed, Frozen: frozen, State: state})
			}
		}
	}
	return list
}

func (o Options) String() string {
	return fmt.Sprintf("%s %s killed=%v", o.Engine, o.Scheme, o.Killed)
}
