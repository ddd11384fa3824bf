// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package state

import (
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/params"
)

// newWarmList returns an empty access list for a transaction. That of an Anzeon chain begins with more warm addresses than
// upstream's: it is made with room for them, for sender and recipient and for a few more.
func newWarmList(rules *params.Rules, precompiles int) *accessList {
	if !rules.IsAnzeon {
		return newAccessList()
	}
	return &accessList{addresses: make(map[common.Address]int, precompiles+4)}
}
