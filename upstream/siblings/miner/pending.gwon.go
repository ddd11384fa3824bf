// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package miner

import "github.com/ethereum/go-ethereum/common"

// ForgetPending has the next question for the pending block build it again: a developer chain has changed what it
// depends on.
func (miner *Miner) ForgetPending() { miner.pending.update(common.Hash{}, nil) }
