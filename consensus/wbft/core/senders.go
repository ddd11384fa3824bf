// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package core

import (
	"fmt"

	"gwon/consensus/wbft/validators"
)

// senders collects the authors of a list of messages, which must be distinct.
type senders struct {
	set  *validators.Set
	seen []bool
}

func newSenders(set *validators.Set) *senders {
	return &senders{set: set, seen: make([]bool, set.Len())}
}

// add notes a validator by index. It returns an error for a second message of one validator.
func (s *senders) add(index int) error {
	if s.seen[index] {
		return fmt.Errorf("second message of %s", s.set.At(index).Address)
	}
	s.seen[index] = true
	return nil
}
