// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package core

import (
	"fmt"
	"math"
	"slices"

	"github.com/ethereum/go-ethereum/common"

	"gwon/params"
)

// Storage of the shared governance base (spec system-contracts 1.1).
var (
	slotProposalExpiry  = word(0x00)
	slotMemberVersion   = word(0x01)
	slotQuorum          = word(0x04)
	slotMembers         = word(0x05)
	slotMemberLists     = word(0x06)
	slotMemberIndex     = word(0x08)
	slotQuorumByVersion = word(0x09)
	slotMaxProposals    = word(0x0c)
)

// maxActiveProposals is the upper limit of parameter maxProposals (spec system-contracts 1.8).
const maxActiveProposals = 50

// governanceParameters lists the parameters that initGovernance reads.
var governanceParameters = []string{"quorum", "expiry", "members", "memberVersion", "maxProposals"}

// initGovernance writes the storage that the four governance contracts share (spec system-contracts 1.8). It returns
// the members in the order of the parameter, with repetitions, because GovValidator pairs them with its validators.
func initGovernance(p parameters, s storage) ([]common.Address, error) {
	listed, _, err := p.addresses("members")
	if err != nil {
		return nil, err
	}
	var members []common.Address
	for _, m := range listed {
		if !slices.Contains(members, m) {
			members = append(members, m)
		}
		if len(members) > params.MaxGovernanceMembers {
			return nil, fmt.Errorf("parameter \"members\" names more than %d members", params.MaxGovernanceMembers)
		}
	}
	expiry, _, err := p.uint64("expiry")
	if err != nil {
		return nil, err
	}
	s.setUint(slotProposalExpiry, expiry)

	version, versionGiven, err := p.uint64("memberVersion")
	if err != nil {
		return nil, err
	}
	if len(members) > 0 && !versionGiven {
		return nil, fmt.Errorf("parameter \"memberVersion\" is missing: give it together with \"members\"")
	}
	s.setUint(slotMemberVersion, version)

	quorum, quorumGiven, err := p.uint64("quorum")
	if err != nil {
		return nil, err
	}
	if quorumGiven {
		if err := checkGovernanceQuorum(quorum, len(members)); err != nil {
			return nil, err
		}
		s.setUint(slotQuorum, quorum)
		if len(members) > 0 {
			s.setUint(mapSlot(word(version), slotQuorumByVersion), quorum)
		}
	}
	if len(members) > 0 {
		s.setAddresses(mapSlot(word(version), slotMemberLists), members)
		index := mapSlot(word(version), slotMemberIndex)
		for i, m := range members {
			s.setUint(addressMapSlot(m, slotMembers), 1) // active, joined at 0
			s.setUint(addressMapSlot(m, index), uint64(i)+1)
		}
	}
	maxProposals, given, err := p.uint64("maxProposals")
	if err != nil {
		return nil, err
	}
	if !given {
		maxProposals = params.DefaultMaxProposals
	}
	if maxProposals < 1 || maxProposals > maxActiveProposals {
		return nil, fmt.Errorf("parameter \"maxProposals\" is %d, must be 1 to %d", maxProposals, maxActiveProposals)
	}
	s.setUint(slotMaxProposals, maxProposals)
	return listed, nil
}

// checkGovernanceQuorum checks the quorum of spec system-contracts 1.6 and 1.8.
func checkGovernanceQuorum(quorum uint64, members int) error {
	switch {
	case quorum == 0 || quorum > math.MaxUint32:
		return fmt.Errorf("parameter \"quorum\" is %d, must be at least 1 and below 2^32", quorum)
	case members == 1 && quorum != 1:
		return fmt.Errorf("parameter \"quorum\" is %d, must be 1 for a single member", quorum)
	case members > 1 && (quorum < 2 || quorum > uint64(members)):
		return fmt.Errorf("parameter \"quorum\" is %d, must be 2 to %d for %d members", quorum, members, members)
	}
	return nil
}
