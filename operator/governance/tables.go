// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package governance

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/ethereum/go-ethereum/common"
)

func table(w io.Writer) *tabwriter.Writer { return tabwriter.NewWriter(w, 0, 0, 2, ' ', 0) }

// WriteTable writes the status as text.
func (s *Status) WriteTable(w io.Writer) error {
	t := table(w)
	fmt.Fprintf(t, "Chain\t%s\n", chainName(s.ChainID))
	fmt.Fprintf(t, "Block\t%d, %s\n", s.Block, formatTime(s.Time))
	if s.GasTip != nil {
		fmt.Fprintf(t, "Gas tip\t%s\n", formatGwei(s.GasTip.ToInt()))
	}
	if s.Supply != nil {
		fmt.Fprintf(t, "Supply\t%s\n", formatCoins(s.Supply.ToInt()))
	}
	if s.MaxMinting != nil {
		fmt.Fprintf(t, "Most for a minter\t%s\n", formatCoins(s.MaxMinting.ToInt()))
	}
	if s.Reserved != nil {
		fmt.Fprintf(t, "In open mints\t%s\n", formatCoins(s.Reserved.ToInt()))
	}
	if len(s.Paused) > 0 {
		fmt.Fprintf(t, "Paused\t%s\n", strings.Join(s.Paused, ", "))
	}
	fmt.Fprintf(t, "\nContract\tAddress\tQuorum\tProposals\tMembers\n")
	for _, b := range s.Governances {
		if !b.HasCode {
			fmt.Fprintf(t, "%s\t%s\t\t\tno code on this network\n", b.Contract, b.Address.Hex())
			continue
		}
		for i, m := range b.Members {
			if i == 0 {
				fmt.Fprintf(t, "%s\t%s\t%d of %d\t%v\t%s\n", b.Contract, b.Address.Hex(), b.Quorum, len(b.Members), b.Proposals,
					m.Hex())
			} else {
				fmt.Fprintf(t, "\t\t\t\t%s\n", m.Hex())
			}
		}
	}
	if len(s.Validators) > 0 {
		fmt.Fprintf(t, "\nValidator\tOperator\tBLS key\tState\n")
	}
	for _, v := range s.Validators {
		state := ""
		if v.Sealing != nil {
			state = map[bool]string{true: "seals", false: "registered, does not seal in this epoch"}[*v.Sealing]
		}
		if v.SealsFrom != 0 {
			state = fmt.Sprintf("registered, seals from block %d on", v.SealsFrom)
		}
		fmt.Fprintf(t, "%s\t%s\t%s…\t%s\n", v.Address.Hex(), v.Operator.Hex(), shortened(v.BLSKey.String(), 18), state)
	}
	if len(s.Minters) > 0 {
		fmt.Fprintf(t, "\nMinter\tMay mint\n")
	}
	for _, m := range s.Minters {
		fmt.Fprintf(t, "%s\t%s\n", m.Address.Hex(), formatCoins(m.Allowance.ToInt()))
	}
	writeAccounts(t, "Blacklist", s.Blacklist)
	writeAccounts(t, "Authorized", s.Authorized)
	return t.Flush()
}

func shortened(text string, length int) string { return text[:min(len(text), length)] }

func writeAccounts(w io.Writer, title string, list *AccountList) {
	if list == nil {
		return
	}
	if list.Count == 0 {
		fmt.Fprintf(w, "\n%s\tnobody\n", title)
		return
	}
	fmt.Fprintf(w, "\n%s\t%d\n", title, list.Count)
	for _, a := range list.Accounts {
		fmt.Fprintf(w, "\t%s\n", a.Hex())
	}
	if more := list.Count - uint64(len(list.Accounts)); more > 0 {
		fmt.Fprintf(w, "\tand %d more (--limit)\n", more)
	}
}

// WriteProposals writes a list of proposals as text.
func WriteProposals(w io.Writer, list []*Proposal, older map[string]uint64) error {
	t := table(w)
	if len(list) == 0 {
		fmt.Fprintln(t, "There are no such proposals.")
	} else {
		fmt.Fprintf(t, "Proposal\tState\tVotes\tUntil\tTo\n")
	}
	for _, p := range list {
		fmt.Fprintf(t, "%v\t%s\t%s\t%s\t%s\n", p.ID, p.state(), p.votes(), formatTime(p.ExpiresAt), p.Description)
	}
	for _, k := range Governances {
		if n := older[k.Name]; n > 0 {
			fmt.Fprintf(t, "%d older proposals of %s were not looked at (--limit)\n", n, k.title)
		}
	}
	return t.Flush()
}

// state returns the status of a proposal, with a note if it has to be closed.
func (p *Proposal) state() string {
	if p.Unclosed {
		return "expired, not closed"
	}
	return p.Status
}

func (p *Proposal) votes() string {
	return fmt.Sprintf("%d of %d for, %d against", p.Approvals, p.Required, p.Rejections)
}

// WriteTable writes a proposal as text.
func (p *Proposal) WriteTable(w io.Writer) error {
	t := table(w)
	fmt.Fprintf(t, "Proposal\t%v, at %s %s\n", p.ID, p.ID.Contract.title, p.Contract.Hex())
	fmt.Fprintf(t, "To\t%s\n", p.Description)
	fmt.Fprintf(t, "State\t%s\n", p.state())
	fmt.Fprintf(t, "Votes\t%s\n", p.votes())
	fmt.Fprintf(t, "Proposer\t%s\n", p.Proposer.Hex())
	fmt.Fprintf(t, "Made\t%s\n", formatTime(p.CreatedAt))
	fmt.Fprintf(t, "Expires\t%s\n", formatTime(p.ExpiresAt))
	if p.ExecutedAt != 0 {
		fmt.Fprintf(t, "Executed\t%s\n", formatTime(p.ExecutedAt))
	}
	fmt.Fprintf(t, "\nMember\tVote\n")
	voted := make(map[common.Address]bool)
	for _, a := range p.Voted {
		voted[a] = true
	}
	for _, m := range p.Members {
		fmt.Fprintf(t, "%s\t%s\n", m.Hex(), map[bool]string{true: "has voted", false: "not yet"}[voted[m]])
	}
	return t.Flush()
}
