// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package core

// slotMinterToken is the slot of the token in GovMinter, after the governance base (spec system-contracts 5.1).
var slotMinterToken = word(0x32)

// initGovMinter returns the initial storage of GovMinter v1 (spec system-contracts 5.3).
func initGovMinter(p parameters) (storage, error) {
	p.warnUnknown("govMinter", governanceParameters, "fiatToken")
	s := make(storage)
	if _, err := initGovernance(p, s); err != nil {
		return nil, err
	}
	token, _, err := p.address("fiatToken")
	if err != nil {
		return nil, err
	}
	s.setAddress(slotMinterToken, token)
	return s, nil
}
