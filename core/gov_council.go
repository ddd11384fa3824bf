// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package core

import (
	"bytes"
	"slices"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"gwon/params"
)

// Storage of GovCouncil behind the governance base (spec system-contracts 6.1).
var (
	slotCouncilBlacklist       = word(0x32)
	slotCouncilBlacklistIndex  = word(0x33)
	slotCouncilAuthorised      = word(0x34)
	slotCouncilAuthorisedIndex = word(0x35)
	slotCouncilAccountManager  = word(0x36)
)

// initGovCouncil returns the initial storage of GovCouncil v1 (spec system-contracts 6.3) and the flags of the
// accounts in its sets. A set is the union of a parameter and of the accounts flagged in alloc, the allocation from
// the user's file.
func initGovCouncil(p parameters, alloc types.GenesisAlloc) (storage, map[common.Address]uint64, error) {
	p.warnUnknown("govCouncil", governanceParameters, "blacklist", "authorizedAccounts")
	s := make(storage)
	if _, err := initGovernance(p, s); err != nil {
		return nil, nil, err
	}
	flags := make(map[common.Address]uint64)
	for _, set := range []struct {
		parameter   string
		flag        uint64
		list, index common.Hash
	}{
		{"blacklist", types.AccountBlacklisted, slotCouncilBlacklist, slotCouncilBlacklistIndex},
		{"authorizedAccounts", types.AccountAuthorized, slotCouncilAuthorised, slotCouncilAuthorisedIndex},
	} {
		members, _, err := p.addresses(set.parameter)
		if err != nil {
			return nil, nil, err
		}
		for a, account := range alloc {
			if account.Extra&set.flag != 0 && a != (common.Address{}) {
				members = append(members, a)
			}
		}
		slices.SortFunc(members, func(a, b common.Address) int { return bytes.Compare(a[:], b[:]) })
		members = slices.Compact(members)
		s.setAddresses(set.list, members)
		for i, m := range members {
			s.setUint(addressMapSlot(m, set.index), uint64(i)+1)
			flags[m] |= set.flag
		}
	}
	s.setAddress(slotCouncilAccountManager, params.AccountManagerAddress)
	return s, flags, nil
}
