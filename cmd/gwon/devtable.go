// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"github.com/ethereum/go-ethereum/common"

	"gwon/cmd/gwon/devnet"
	"gwon/params"
)

// devnetGovernance is who decides about the system contracts.
type devnetGovernance struct {
	Contracts string           `json:"contracts"` // version; empty where the contracts have no code
	Members   []common.Address `json:"members"`   // of the four governances
	Quorum    int              `json:"quorum"`    // votes that a proposal needs
	Minter    common.Address   `json:"minter"`    // mints and burns by proposals
}

// devnetInfo is what a developer has to know of a chain made for development.
type devnetInfo struct {
	ChainID    uint64           `json:"chainId"`
	Dir        string           `json:"datadir,omitempty"` // nothing for a chain in memory
	RPC        string           `json:"rpc"`
	WS         string           `json:"ws"`
	IPC        string           `json:"ipc,omitempty"`
	FeePayer   common.Address   `json:"feePayer"` // unlocked on the first validator
	Validators []devnetNode     `json:"validators"`
	Accounts   []devnet.Account `json:"accounts"`
	Governance devnetGovernance `json:"governance"`

	console    string // argument of gwon attach; empty where it needs none
	ending     string // what Ctrl-C does
	unlocked   bool   // the node signs for all accounts
	ownChainID string // the option that gives the chain an ID of its own
}

type devnetNode struct {
	Name    string         `json:"name"`
	Address common.Address `json:"address"`
	PID     int            `json:"pid"`
	RPC     string         `json:"rpc"`
	WS      string         `json:"ws"`
	Enode   string         `json:"enode"`
	Log     string         `json:"log"`
}

func describe(network *devnet.Network, processes []*devnet.Process) *devnetInfo {
	info := &devnetInfo{
		ChainID:    network.ChainID,
		Dir:        network.Dir,
		RPC:        network.Nodes[0].HTTP(),
		WS:         network.Nodes[0].WS(),
		FeePayer:   network.Accounts[0].Address,
		Accounts:   network.Accounts,
		Governance: devnetGovernance{network.Contracts, network.Members, network.Quorum, params.GovMinterAddress},
		console:    network.Nodes[0].HTTP(),
		ending:     fmt.Sprintf("Ctrl-C stops the network; %s devnet%s continues it.", ownCommand(), datadirOption(network.Dir)),
		ownChainID: "--" + devnetChainIDFlag.Name + " 828300",
	}
	for _, p := range processes {
		n := p.Node
		info.Validators = append(info.Validators, devnetNode{n.Name, n.Address, p.Pid(), n.HTTP(), n.WS(), n.Enode(), n.LogFile()})
	}
	return info
}

func printTable(w io.Writer, info *devnetInfo) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(table, "\nThe network is up.\n\nRPC\t%s\n", info.RPC)
	if info.WS != "" {
		fmt.Fprintf(table, "WebSocket\t%s\n", info.WS)
	}
	if info.IPC != "" {
		fmt.Fprintf(table, "IPC\t%s\n", info.IPC)
	}
	fmt.Fprintf(table, "Chain ID\t%d\n", info.ChainID)
	switch {
	case info.Dir != "" && info.unlocked:
		fmt.Fprintf(table, "Files\t%s\n", info.Dir)
	case info.Dir != "":
		fmt.Fprintf(table, "Files\t%s (logs: node1/gwon.log and so on; --%s keeps them out of this terminal)\n", info.Dir, devnetQuietFlag.Name)
	}
	if info.unlocked {
		fmt.Fprintf(table, "Test methods\tevm_, hardhat_, anvil_ and gwon_: docs/reference/dev-methods.md\n")
	}
	if len(info.Validators) > 0 {
		fmt.Fprintf(table, "\nValidator\tAddress\tRPC and WebSocket\n")
	}
	for _, v := range info.Validators {
		fmt.Fprintf(table, "%s\t%s\t%s\n", v.Name, v.Address.Hex(), v.RPC)
	}
	fmt.Fprintf(table, "\nAccount, 1000000000 coins each\tPrivate key (public knowledge: worthless anywhere else)\n")
	for _, a := range info.Accounts {
		mark := ""
		if a.Address == info.FeePayer && !info.unlocked {
			mark = "  fee payer, unlocked"
			if len(info.Validators) > 0 {
				mark += " on " + info.Validators[0].Name
			}
		}
		if a.Member {
			mark += "  member"
		}
		fmt.Fprintf(table, "%s\t%s%s\n", a.Address.Hex(), a.PrivateKey, mark)
	}
	if info.unlocked {
		fmt.Fprintf(table, "The node signs for all of them.\n")
	}
	g := info.Governance
	if g.Contracts == "" {
		fmt.Fprintf(table, "\nSystem contracts: without code, as the network was made. --reset gives it gwon's own.\n")
	} else {
		fmt.Fprintf(table, "\nSystem contracts: version %s. Governed by %d of %d members; GovMinter %s mints.\nGovern them: %s gov status --rpc %s\n",
			g.Contracts, g.Quorum, len(g.Members), g.Minter.Hex(), ownCommand(), info.RPC)
	}
	if public, ok := params.NetworkByID(info.ChainID); ok {
		fmt.Fprintf(table, "\nChain ID %d is that of the WKRC %s too: a transaction signed here is valid there, and the other way round.\n"+
			"%s gives this network an ID of its own.\n", info.ChainID, public.Name, info.ownChainID)
	}
	fmt.Fprintf(table, "\nConsole: %s\n%s\n\n", strings.TrimSpace(ownCommand()+" attach "+shellWord(info.console)), info.ending)
	return table.Flush()
}

// ownCommand returns how this program can be started from a shell, in whatever directory.
func ownCommand() string {
	path, err := os.Executable()
	if err != nil {
		return clientName
	}
	if found, err := exec.LookPath(clientName); err == nil && filepath.IsAbs(found) && sameFile(found, path) {
		return clientName
	}
	return shellWord(path)
}

func sameFile(a, b string) bool {
	first, err := os.Stat(a)
	if err != nil {
		return false
	}
	second, err := os.Stat(b)
	return err == nil && os.SameFile(first, second)
}

// shellWord quotes what a shell would not take for one word.
func shellWord(s string) string {
	if strings.ContainsAny(s, " \t\"'$&;()<>|*?[]{}`!#~\\") {
		return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
	}
	return s
}

// datadirOption returns the option that names the directory of a devnet, with a space before it; nothing for the default one.
func datadirOption(dir string) string {
	if dir == devnetDir() {
		return ""
	}
	return " --" + devnetDirFlag.Name + " " + shellWord(dir)
}
