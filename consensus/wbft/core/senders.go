// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package core

import (
	"fmt"

	"gwon/consensus/wbft/validators"
)

// senders collects the authors of a list of messages and sees that they are distinct.
type senders struct {
	set  *validators.Set
	seen []bool
}

func newSenders(set *validators.Set) *senders {
	return &senders{set: set, seen: make([]bool, set.Len())}
}

// add notes a validator by index; an error if it was there before.
func (s *senders) add(index int) error {
	if s.seen[index] {
		return fmt.Errorf("second message of %s", s.set.At(index).Address)
	}
	s.seen[index] = true
	return nil
}
