// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package core

import (
	"errors"
	"fmt"

	"github.com/ethereum/go-ethereum/common"

	"gwon/consensus/wbft/validators"
)

// senders collects the distinct authors of a list of signed messages.
type senders struct {
	set  *validators.Set
	seen []bool
}

func newSenders(set *validators.Set) *senders {
	return &senders{set: set, seen: make([]bool, set.Len())}
}

// add recovers the author and returns its index; an error if it is no validator or was there before.
func (s *senders) add(m interface {
	Signer() (common.Address, error)
}) (int, error) {
	address, err := m.Signer()
	if err != nil {
		return 0, err
	}
	index, ok := s.set.Index(address)
	switch {
	case !ok:
		return 0, fmt.Errorf("%s is not a validator", address)
	case s.seen[index]:
		return 0, errors.New("second message of " + address.Hex())
	}
	s.seen[index] = true
	return index, nil
}
