// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package status

import (
	"fmt"
	"slices"

	"github.com/ethereum/go-ethereum/common"

	"gwon/consensus/wbft/validators"
)

// Thresholds of warnings.
const (
	oldHead  = 10      // seconds; ten blocks of the public networks
	rareSeal = 10      // percent of the window that a validator may miss, or that may need a further round
	lowDisk  = 2 << 30 // bytes; the node stops at a quarter of that
)

// warn returns a sentence for each thing that needs the operator, the gravest first.
func (r *Report) warn() []string {
	list := []string{} // encodes as an empty list
	add := func(format string, args ...any) { list = append(list, fmt.Sprintf(format, args...)) }
	r.warnConsensus(add)
	r.warnRules(add)
	if r.Head.Age > oldHead && r.Sync == nil {
		add("the newest block is %s old: this node or the network stands still", seconds(r.Head.Age))
	}
	if r.Sync != nil {
		add("a sync is running: %d blocks are missing", r.Sync.Highest-min(r.Sync.Current, r.Sync.Highest))
	}
	r.warnPeers(add)
	r.warnSeals(add)
	if r.Disk != nil && r.Disk.Free < lowDisk {
		add("the disk of %s has %v left: free space, or the node will stop", r.Disk.Dir, common.StorageSize(r.Disk.Free))
	}
	return list
}

func (r *Report) warnConsensus(add func(string, ...any)) {
	c := r.Consensus
	if c == nil {
		return
	}
	if c.Halted != "" {
		add("the node has stopped for safety: %s", c.Halted)
	}
	if c.Rival != "" && c.Halted == "" {
		add("there is a second history: %s; keep this directory, and compare the block with all operators before anything "+
			"else (docs/operate/runbooks/node-halted.md)", c.Rival)
	}
	if c.Muted != "" {
		add("the validator signs nothing any more: %s", c.Muted)
	}
	if c.Waiting != "" {
		add("the validator waits: %s", c.Waiting)
	}
	if next := r.Head.Number + 1; c.SignFrom > next {
		add("--validator.signfrom %d has no effect before block %[1]d, and the next block here is %d: start the node again "+
			"when its newest block is %d", c.SignFrom, next, c.SignFrom-1)
	}
	if r.Address != nil && r.isValidator(*r.Address) && !c.Sealing && c.Halted == "" {
		add("the node key is a validator's, but the node does not seal: start it with --mine where no other node " +
			"has the key")
	}
}

// Excluded returns why the peers of a node without peers or new blocks have other rules; empty for no sign of that.
func (r *Report) Excluded() string {
	if c := r.Consensus; r.Peers.Total == 0 || r.Head.Age > oldHead {
		switch {
		case c == nil || c.Forks == nil:
		case c.Forks.Difference != "":
			return fmt.Sprintf("the chain configurations of this node and of %d peers differ: %s; where the genesis file is "+
				"wrong, run gwon removedb, then gwon init with that of the network", c.Forks.Configs, c.Forks.Difference)
		case c.Forks.ForkIDs > 0:
			return fmt.Sprintf("%d peers have another fork id: install the release and the genesis file of the network",
				c.Forks.ForkIDs)
		}
	}
	return ""
}

// warnRules names other rules of validators. Those of other peers, which any stranger can claim, count where the node
// is excluded.
func (r *Report) warnRules(add func(string, ...any)) {
	if reason := r.Excluded(); reason != "" {
		add("%s", reason)
		return
	}
	if c := r.Consensus; c == nil || c.Forks == nil || c.Forks.Validators == 0 {
		return
	}
	if f := r.Consensus.Forks; f.ForkIDs+f.Configs > 0 {
		add("%s: compare the genesis file with that of the network, before a block that depends on it stops this node "+
			"(docs/operate/runbooks/other-rules.md)", r.rulesText())
	}
}

// warnPeers wants a peer for each node that is not the only validator, and the other validators for a validator.
func (r *Report) warnPeers(add func(string, ...any)) {
	set := r.set()
	validates := r.Address != nil && slices.Contains(set, *r.Address)
	if alone := validates && len(set) == 1; r.Peers.Total == 0 && !alone && r.Excluded() == "" {
		also := ""
		if validates {
			also = ", and that no other node has the key"
		}
		add("no peer is connected: check port, firewall, boot nodes and genesis block%s", also)
	}
	var silent []common.Address
	if c := r.Consensus; c != nil && c.Core != nil && r.Head.Age > oldHead {
		silent = slices.DeleteFunc(slices.Clone(c.Core.Missing), func(a common.Address) bool {
			return slices.Contains(r.Absent, a)
		})
	}
	if validates && r.Consensus != nil && !r.Consensus.Sealing && len(r.Absent)+len(silent) > 0 {
		silent = append(silent, *r.Address)
	}
	if r.Peers.Total > 0 && len(r.Absent)+len(silent) > 0 {
		add("%s", validators.Attendance(len(set), r.Absent, silent))
	}
}

func (r *Report) warnSeals(add func(string, ...any)) {
	s := r.Seals
	if s == nil {
		return
	}
	for _, v := range s.Validators {
		if v.Missed*100 <= s.Blocks*rareSeal {
			continue
		}
		who := "validator " + v.Address.Hex()
		if v.Own {
			who = "this validator"
		}
		add("%s has not sealed %d of its last %d blocks", who, v.Missed, v.Blocks)
	}
	if s.Late*100 > s.Blocks*rareSeal {
		add("%d of the last %d blocks took more than one round", s.Late, s.Blocks)
	}
}
