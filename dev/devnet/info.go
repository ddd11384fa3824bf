// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package devnet

import (
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/ethereum/go-ethereum/common"

	"gwon/params"
)

// Info describes a development chain to a developer.
type Info struct {
	ChainID    uint64         `json:"chainId"`
	Dir        string         `json:"datadir,omitempty"` // empty for a chain in memory
	Command    string         `json:"command,omitempty"` // continues the network
	RPC        string         `json:"rpc"`
	Page       string         `json:"page,omitempty"` // for a browser
	WS         string         `json:"ws"`
	IPC        string         `json:"ipc,omitempty"`
	FeePayer   common.Address `json:"feePayer"` // unlocked on the first validator
	Validators []NodeInfo     `json:"validators"`
	Accounts   []Account      `json:"accounts,omitempty"`
	Governance GovernanceInfo `json:"governance"`
	Sponsor    *SponsorInfo   `json:"sponsor,omitempty"`
}

// SponsorInfo is an endpoint whose transactions another account pays.
type SponsorInfo struct {
	RPC   string         `json:"rpc"`
	Payer common.Address `json:"payer"`
}

// NodeInfo is a validator of a development network and its process.
type NodeInfo struct {
	Name    string         `json:"name"`
	Address common.Address `json:"address"`
	PID     int            `json:"pid"`
	RPC     string         `json:"rpc"`
	WS      string         `json:"ws"`
	Enode   string         `json:"enode"`
	Log     string         `json:"log"`
}

// GovernanceInfo describes the governance of the system contracts.
type GovernanceInfo struct {
	Contracts string           `json:"contracts"` // version; empty where the contracts have no code
	Members   []common.Address `json:"members"`   // of the four governances
	Quorum    int              `json:"quorum"`    // votes that a proposal needs
	Minter    common.Address   `json:"minter"`    // mints and burns by proposals
}

// Hints are command lines in the text for a developer.
type Hints struct {
	Command string // starts gwon
	Console string // opens a console on the chain
	Ending  string // sentence about the end of the chain
	Quiet   string // keeps logs out of the terminal
	ChainID string // gives the chain an ID of its own
	Signs   bool   // one node signs for all accounts
	Tests   bool   // and offers test methods
	Forked  string // says whose contracts govern a chain that continues another; empty for the line about governance
	Keys    string // shows accounts with their keys; the text leaves them and the validators out. Empty to have them in
}

// Info describes the network and its processes.
func (n *Network) Info(processes []*Process) *Info {
	info := &Info{
		ChainID:    n.ChainID,
		Dir:        n.Dir,
		Command:    n.Command,
		RPC:        n.Nodes[0].HTTP(),
		Page:       n.Page,
		WS:         n.Nodes[0].WS(),
		FeePayer:   n.Accounts[0].Address,
		Accounts:   n.Accounts,
		Governance: GovernanceInfo{n.Contracts, n.Members, n.Quorum, params.GovMinterAddress},
		Sponsor:    n.Sponsor,
	}
	for _, p := range processes {
		node := p.Node
		info.Validators = append(info.Validators, NodeInfo{node.Name, node.Address, p.Pid(), node.HTTP(), node.WS(),
			node.Enode(), node.LogFile()})
	}
	return info
}

// WriteText writes the description as text.
func (i *Info) WriteText(w io.Writer, hints Hints) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	if hints.Keys == "" {
		fmt.Fprintf(table, "\nThe network is up.\n")
	}
	fmt.Fprintf(table, "\nRPC\t%s\n", i.RPC)
	if i.Page != "" {
		fmt.Fprintf(table, "Page\t%s (open it in a browser)\n", i.Page)
	}
	if i.WS != "" {
		fmt.Fprintf(table, "WebSocket\t%s\n", i.WS)
	}
	if i.Sponsor != nil {
		fmt.Fprintf(table, "Sponsored RPC\t%s (pays the fees of transactions that are submitted there)\n", i.Sponsor.RPC)
	}
	if i.IPC != "" {
		fmt.Fprintf(table, "IPC\t%s\n", i.IPC)
	}
	fmt.Fprintf(table, "Chain ID\t%d\n", i.ChainID)
	switch {
	case hints.Signs:
		if i.Dir != "" {
			fmt.Fprintf(table, "Files\t%s\n", i.Dir)
		}
		if hints.Tests {
			fmt.Fprintf(table, "Test methods\tevm_, hardhat_, anvil_ and gwon_: docs/reference/dev-methods.md\n")
		}
	case i.Dir != "":
		fmt.Fprintf(table, "Files\t%s (logs: node1/gwon.log and so on; %s keeps them out of this terminal)\n", i.Dir,
			hints.Quiet)
	}
	if hints.Keys == "" {
		i.writeAccounts(table, hints.Signs)
	} else {
		fmt.Fprintf(table, "Accounts\t%d; with their private keys: %s\n", len(i.Accounts), hints.Keys)
	}
	if g := i.Governance; hints.Forked != "" {
		fmt.Fprintf(table, "\n%s\n", hints.Forked)
	} else if g.Contracts == "" {
		fmt.Fprintf(table, "\nSystem contracts: without code, as the network was made. --reset gives it gwon's own.\n")
	} else {
		fmt.Fprintf(table, "\nSystem contracts: version %s. Governed by %d of %d members; GovMinter %s mints.\n"+
			"Govern them: %s gov status --rpc %s\n", g.Contracts, g.Quorum, len(g.Members), g.Minter.Hex(), hints.Command, i.RPC)
	}
	if public, ok := params.NetworkByID(i.ChainID); ok {
		fmt.Fprintf(table, "\nChain ID %d is that of the WKRC %s too: a transaction signed here is valid there, and the "+
			"other way round.\n%s gives this network an ID of its own.\n", i.ChainID, public.Name, hints.ChainID)
	}
	fmt.Fprintf(table, "\nConsole: %s\n%s\n\n", hints.Console, hints.Ending)
	return table.Flush()
}

// writeAccounts writes the validators and the funded accounts with their keys.
func (i *Info) writeAccounts(w io.Writer, signs bool) {
	if len(i.Validators) > 0 {
		fmt.Fprintf(w, "\nValidator\tAddress\tRPC and WebSocket\n")
	}
	for _, v := range i.Validators {
		fmt.Fprintf(w, "%s\t%s\t%s\n", v.Name, v.Address.Hex(), v.RPC)
	}
	fmt.Fprintf(w, "\nAccount, 1000000000 coins each\tPrivate key (public knowledge: worthless anywhere else)\n")
	for _, a := range i.Accounts {
		fmt.Fprintf(w, "%s\t%s%s\n", a.Address.Hex(), a.PrivateKey, i.mark(a, signs))
	}
	if signs {
		fmt.Fprintf(w, "The node signs for all of them.\n")
	}
}

// mark returns the special role of an account; empty for none. With signs the node signs for all.
func (i *Info) mark(a Account, signs bool) string {
	mark := ""
	if a.Address == i.FeePayer && !signs {
		mark = "  fee payer, unlocked"
		if len(i.Validators) > 0 {
			mark += " on " + i.Validators[0].Name
		}
	}
	if i.Sponsor != nil && a.Address == i.Sponsor.Payer {
		mark += "  pays at the sponsored RPC"
	}
	if a.Member {
		mark += "  member"
	}
	return mark
}

// WriteStates writes how many validators run, and a table of validators and their processes.
func WriteStates(w io.Writer, states []NodeState) error {
	running := 0
	for _, s := range states {
		if s.Running || s.Foreign {
			running++
		}
	}
	if _, err := fmt.Fprintf(w, "%d of %d validators run\n\n", running, len(states)); err != nil {
		return fmt.Errorf("write states: %w", err)
	}
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(table, "Validator\tAddress\tRPC\tState\n")
	for _, s := range states {
		state := "stopped"
		switch {
		case s.Running:
			state = fmt.Sprintf("running (process %d)", s.PID)
		case s.Foreign:
			state = "answers, but the devnet did not start its process"
		case s.Fault != "":
			state = s.Fault
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", s.Name, s.Address, s.RPC, state)
	}
	return table.Flush()
}
