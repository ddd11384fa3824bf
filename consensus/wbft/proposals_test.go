// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package wbft

import (
	"math/big"
	"runtime"
	"testing"
	"weak"

	gethcore "github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/types"

	"gwon/internal/expect"
)

// The executed blocks of a sequence are bounded, and the state of one that is held no more is freed.
func TestHeldExecutionsAreBounded(t *testing.T) {
	r := new(run)
	var all []weak.Pointer[gethcore.Executed]
	for i := range 3 * heldExecutions {
		block := types.NewBlockWithHeader(&types.Header{Number: big.NewInt(1), Time: uint64(i)})
		executed := gethcore.NewExecuted(block, nil, nil)
		all = append(all, weak.Make(executed))
		r.hold(executed)
	}
	runtime.GC()
	for i, executed := range all {
		expect.Equal(t, executed.Value() != nil, i >= len(all)-heldExecutions, "execution %d of %d is in memory", i, len(all))
	}
	runtime.KeepAlive(r)
}
