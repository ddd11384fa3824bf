// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package core

import (
	"fmt"

	"gwon/params"
)

// Storage of GovMasterMinter after the governance base (spec system-contracts 4.1).
var (
	slotMasterMinterToken        = word(0x32)
	slotMasterMinterMaxAllowance = word(0x33)
	slotMasterMinterIsMinter     = word(0x34)
	slotMasterMinterList         = word(0x35)
	slotMasterMinterIndex        = word(0x36)
)

// initGovMasterMinter returns the initial storage of GovMasterMinter v1 (spec system-contracts 4.3).
func initGovMasterMinter(p parameters) (storage, error) {
	p.warnUnknown("govMasterMinter", governanceParameters, "fiatToken", "minters", "maxMinterAllowance")
	s := make(storage)
	if _, err := initGovernance(p, s); err != nil {
		return nil, err
	}
	token, _, err := p.address("fiatToken")
	if err != nil {
		return nil, err
	}
	s.setAddress(slotMasterMinterToken, token)

	minters, given, err := p.addresses("minters")
	if err != nil {
		return nil, err
	}
	if given && len(minters) == 0 {
		return nil, fmt.Errorf("parameter \"minters\" is empty: name a minter or remove the parameter")
	}
	s.setAddresses(slotMasterMinterList, minters)
	for i, m := range minters {
		s.setUint(addressMapSlot(m, slotMasterMinterIsMinter), 1)
		s.setUint(addressMapSlot(m, slotMasterMinterIndex), uint64(i)+1)
	}
	maxAllowance, given, err := p.amount("maxMinterAllowance")
	if err != nil {
		return nil, err
	}
	if !given {
		maxAllowance = params.DefaultMinterAllowance()
	}
	if maxAllowance.Sign() == 0 {
		return nil, fmt.Errorf("parameter \"maxMinterAllowance\" must be above 0")
	}
	s.setBig(slotMasterMinterMaxAllowance, maxAllowance)
	return s, nil
}
