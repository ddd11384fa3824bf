// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package wbft

import (
	"slices"
	"time"

	"github.com/ethereum/go-ethereum/common"
	gethcore "github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/types"

	"gwon/consensus/wbft/validators"
	"gwon/consensus/wbft/votelog"
)

// BreakVoteLog makes the vote log of a running driver refuse every record, as a full disk does.
func (d *Driver) BreakVoteLog() error { return d.run.voteLog.Close() }

// WriteLock puts a lock into the vote log behind the back of a running driver.
func (d *Driver) WriteLock(k votelog.Lock) error { return d.run.voteLog.Write(nil, []votelog.Lock{k}) }

// LogFloor returns the lowest sequence that the vote log takes votes in.
func (d *Driver) LogFloor() uint64 { return d.run.voteLog.Floor() }

// LetGo drops the execution of a block, as many later ones do.
func (d *Driver) LetGo(hash common.Hash) {
	done := make(chan struct{})
	d.run.jobsInPause <- func() {
		d.run.executed = slices.DeleteFunc(d.run.executed,
			func(ex *gethcore.Executed) bool { return ex.Block().Hash() == hash })
		close(done)
	}
	<-done
}

// Spent returns the time that was charged for the messages of a deliverer.
func (d *Driver) Spent(from common.Address) time.Duration {
	d.inbox.mu.Lock()
	defer d.inbox.mu.Unlock()
	if s := d.inbox.members[from]; s != nil {
		return s.spent
	}
	return 0
}

// Remembers tells that both seals over a header are known to be good.
func (e *Engine) Remembers(header *types.Header, set *validators.Set) bool {
	decoded, err := header.WBFTExtra()
	if err != nil {
		return false
	}
	for _, check := range ownSeals(header, decoded, set) {
		if key, ok := sealKey(check); !ok || !e.seals.Contains(key) {
			return false
		}
	}
	return true
}
