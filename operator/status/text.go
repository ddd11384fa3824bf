// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package status

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/ethereum/go-ethereum/common"
)

// unknown stands for what the endpoint does not offer.
func (r *Report) unknown() string {
	if !strings.Contains(r.Endpoint, "://") {
		return "not told by the node"
	}
	return "not shown by this endpoint: ask over IPC"
}

// WriteText writes the report for a person.
func (r *Report) WriteText(w io.Writer) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(table, "Node\t%s at %s, chain ID %d\n", r.Version, r.Endpoint, r.ChainID)
	if c := r.Consensus; c != nil && c.Configuration != nil {
		fmt.Fprintf(table, "Configuration\t%v\n", c.Configuration)
	}
	h := r.Head
	fmt.Fprintf(table, "Head\tblock %d, %s old, round %d, %d transactions, %d %% of the gas limit\n",
		h.Number, seconds(h.Age), h.Round, h.Transactions, percent(h.GasUsed, h.GasLimit))
	fmt.Fprintf(table, "Consensus\t%s\n", r.consensusText())
	r.writeSeals(table)
	fmt.Fprintf(table, "Peers\t%s\n", r.peersText())
	fmt.Fprintf(table, "Rules\t%s\n", r.rulesText())
	if r.Sync == nil {
		fmt.Fprintf(table, "Sync\tnone runs\n")
	} else {
		fmt.Fprintf(table, "Sync\tblock %d of %d\n", r.Sync.Current, r.Sync.Highest)
	}
	if r.Pool == nil {
		fmt.Fprintf(table, "Pool\t%s\n", r.unknown())
	} else {
		fmt.Fprintf(table, "Pool\t%d executable transactions, %d behind gaps\n", r.Pool.Pending, r.Pool.Queued)
	}
	for _, index := range r.Indexes {
		fmt.Fprintf(table, "Index\t%s\n", index.text())
	}
	if r.Disk != nil {
		fmt.Fprintf(table, "Disk\t%v free at %s\n", common.StorageSize(r.Disk.Free), r.Disk.Dir)
	}
	if len(r.Warnings) == 0 {
		fmt.Fprintf(table, "Warnings\tnone\n")
	}
	for n, warning := range r.Warnings {
		label := ""
		if n == 0 {
			label = "Warnings"
		}
		fmt.Fprintf(table, "%s\t%s\n", label, warning)
	}
	return table.Flush()
}

func (i Index) text() string {
	if i.First >= i.After {
		return i.Name + ", no block yet"
	}
	return fmt.Sprintf("%s, blocks %d to %d", i.Name, i.First, i.After-1)
}

func (r *Report) consensusText() string {
	c := r.Consensus
	switch {
	case c == nil:
		return r.unknown()
	case c.Halted != "":
		return "halted"
	case c.Core == nil && c.Sealing:
		return "seals alone"
	case c.Core == nil:
		return "follows, does not seal"
	case c.Muted != "":
		return fmt.Sprintf("follows block %d, signs nothing", c.Core.Sequence)
	case r.Address != nil && len(r.set()) > 0 && !r.isValidator(*r.Address):
		return fmt.Sprintf("follows block %d, is not in the set of validators", c.Core.Sequence)
	case c.Waiting != "":
		return fmt.Sprintf("waits at block %d, signs nothing", c.Core.Sequence)
	}
	return fmt.Sprintf("seals block %d, round %d, proposed by %s", c.Core.Sequence, c.Core.Round, c.Core.Proposer.Hex())
}

// writeSeals writes the own line first, then those of validators that have missed blocks.
func (r *Report) writeSeals(w io.Writer) {
	s := r.Seals
	if s == nil {
		fmt.Fprintf(w, "Seals\tno figures yet\n")
		return
	}
	missing := 0
	text := "this node is no validator"
	for _, v := range s.Validators {
		if v.Own {
			text = fmt.Sprintf("%d of %d by this validator, %d proposed", v.Sealed, v.Blocks, v.Proposed)
		}
		if v.Missed > 0 {
			missing++
		}
	}
	fmt.Fprintf(w, "Seals\t%s (blocks %d to %d, %d validators)\n", text, s.From, s.To, len(s.Validators))
	if missing == 0 {
		fmt.Fprintf(w, "Missing\tno seals of these blocks\n")
		return
	}
	label := "Missing"
	for _, v := range s.Validators[:missing] {
		fmt.Fprintf(w, "%s\t%s missed %d, proposed %d\n", label, v.Address.Hex(), v.Missed, v.Proposed)
		label = ""
	}
}

func (r *Report) peersText() string {
	p := r.Peers
	if !p.Known {
		return fmt.Sprintf("%d; which are validators is %s", p.Total, r.unknown())
	}
	return fmt.Sprintf("%d: %d validators, %d others; %d inbound, %d outbound",
		p.Total, p.Validators, p.Total-p.Validators, p.Inbound, p.Total-p.Inbound)
}

// rulesText tells of signs that the network has other rules.
func (r *Report) rulesText() string {
	if r.Consensus == nil || r.Consensus.Forks == nil {
		return r.unknown()
	}
	f := r.Consensus.Forks
	var parts []string
	if f.ForkIDs > 0 {
		parts = append(parts, fmt.Sprintf("peers with another fork id: %d", f.ForkIDs))
	}
	if f.Newer > 0 {
		parts = append(parts, fmt.Sprintf("peers newer than any known release: %d, up to %s", f.Newer, f.Newest))
	}
	if f.Configs > 0 {
		parts = append(parts, fmt.Sprintf("peers with another configuration: %d: %s", f.Configs, f.Difference))
	}
	if len(parts) > 0 {
		parts = append(parts, fmt.Sprintf("validators among these peers: %d", f.Validators))
	}
	if n := len(f.Blocks); n > 0 {
		parts = append(parts, fmt.Sprintf("sealed blocks refused here: %d, the last is block %d: %s", n, f.Blocks[n-1].Number,
			f.Blocks[n-1].Rule))
	}
	if len(parts) == 0 {
		return "no peer or sealed block within an hour needs rules that this node lacks"
	}
	return strings.Join(parts, "; ")
}

// seconds writes an age.
func seconds(age float64) string {
	if age < 120 {
		return fmt.Sprintf("%.1f s", age)
	}
	return common.PrettyDuration(age * 1e9).String()
}

func percent(part, of uint64) uint64 {
	if of == 0 {
		return 0
	}
	return part * 100 / of
}
