// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package state

import (
	"slices"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/params"
)

// warmSet are the addresses that are warm in every transaction. It is shared by all access lists and never written to.
// An address may be in the list itself too, and stays warm when that entry is reverted.
type warmSet []common.Address

func (w warmSet) has(addr common.Address) bool { return slices.Contains(w, addr) }

// newWarmList returns an empty access list for a transaction, and the precompiles that have yet to be added to it. The
// list of an Anzeon chain begins with all of them, because adding so many to each transaction would be a good part of
// its costs.
func newWarmList(rules *params.Rules, precompiles []common.Address) (*accessList, []common.Address) {
	al := newAccessList()
	if !rules.IsAnzeon {
		return al, precompiles
	}
	al.warm = precompiles
	return al, nil
}
