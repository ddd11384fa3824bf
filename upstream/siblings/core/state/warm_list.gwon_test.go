// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package state

import (
	"math/rand"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/params"
)

// The access list that begins with the warm addresses answers as one to which they were added one by one: for random
// accesses, snapshots, reverts and copies (spec transactions 2.3 no. 3).
func TestWarmList(t *testing.T) {
	precompiles := []common.Address{{19: 1}, {19: 2}, {17: 0xb0, 19: 2}}
	addrs := append([]common.Address{{1}, {2}, {3}, {}}, precompiles...)
	keys := []common.Hash{{}, {1}, {2}}
	for seed := range int64(200) {
		random := rand.New(rand.NewSource(seed))
		addr := func() common.Address { return addrs[random.Intn(len(addrs))] }
		key := func() common.Hash { return keys[random.Intn(len(keys))] }
		var states [2]*StateDB
		for i := range states {
			db, err := New(types.EmptyRootHash, NewDatabaseForTesting())
			if err != nil {
				t.Fatal(err)
			}
			states[i] = db
		}
		sender, recipient := addr(), addr()
		list := types.AccessList{{Address: addr(), StorageKeys: []common.Hash{key(), key()}}, {Address: addr()}}
		for i, anzeon := range []bool{false, true} {
			rules := params.Rules{IsEIP2929: true, IsAnzeon: anzeon}
			states[i].Prepare(rules, sender, common.Address{}, &recipient, precompiles, list)
		}
		if warm := states[1].accessList.warm; len(warm) != len(precompiles) || states[0].accessList.warm != nil {
			t.Fatalf("the lists are the same: %v", warm)
		}
		var snapshots [][2]int
		for step := range 60 {
			switch a, k := addr(), key(); random.Intn(6) {
			case 0, 1:
				states[0].AddAddressToAccessList(a)
				states[1].AddAddressToAccessList(a)
			case 2, 3:
				states[0].AddSlotToAccessList(a, k)
				states[1].AddSlotToAccessList(a, k)
			case 4:
				snapshots = append(snapshots, [2]int{states[0].Snapshot(), states[1].Snapshot()})
			case 5:
				if n := len(snapshots); n > 0 {
					states[0].RevertToSnapshot(snapshots[n-1][0])
					states[1].RevertToSnapshot(snapshots[n-1][1])
					snapshots = snapshots[:n-1]
				} else {
					states = [2]*StateDB{states[0].Copy(), states[1].Copy()}
				}
			}
			for _, a := range addrs {
				if x, y := states[0].AddressInAccessList(a), states[1].AddressInAccessList(a); x != y {
					t.Fatalf("seed %d, step %d: address %v in the list: %v, want %v", seed, step, a, y, x)
				}
				for _, k := range keys {
					x, xs := states[0].SlotInAccessList(a, k)
					if y, ys := states[1].SlotInAccessList(a, k); x != y || xs != ys {
						t.Fatalf("seed %d, step %d: slot %v of %v: %v %v, want %v %v", seed, step, k, a, y, ys, x, xs)
					}
				}
			}
		}
	}
}
