// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package blockchain

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/big"
	"slices"
	"text/tabwriter"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	gethcore "github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/urfave/cli/v2"

	"gwon/cmd/internal/program"
	"gwon/cmd/internal/settings"
	"gwon/core"
)

// GenesisCommand shows a genesis block.
var GenesisCommand = &cli.Command{
	Name:  "genesis",
	Usage: "Look at a genesis block before there is a chain",
	Subcommands: []*cli.Command{{
		Name: "show",
		Usage: "Print header, accounts, state root, hash and fingerprint of the configuration of the genesis block of " +
			"--mainnet, --testnet or a file",
		ArgsUsage: "[genesis file]",
		Description: "Root and hash are those of the block with the code of all system contracts, and are told from " +
			"the hashes of that code: the code itself need not be here. Nothing is written.",
		Flags:  append([]cli.Flag{program.JSONFlag}, settings.NetworkFlags...),
		Action: showGenesis,
	}},
}

// shownGenesis is what gwon genesis show prints.
type shownGenesis struct {
	ChainID *big.Int    `json:"chainId"`
	Hash    common.Hash `json:"hash"`
	// Configuration is the fingerprint of the chain configuration, of which the genesis block has little.
	Configuration common.Hash    `json:"configuration"`
	StateRoot     common.Hash    `json:"stateRoot"`
	Header        *types.Header  `json:"header"`
	Contracts     []shownCode    `json:"contracts"` // system contracts by address
	Alloc         []shownAccount `json:"alloc"`     // all accounts by address
	// Codeless is the hash of the block that a private network gets without any code but that of the file. It is absent
	// where such a block cannot be or is the same.
	Codeless *common.Hash `json:"hashWithoutCode,omitempty"`
}

type shownCode struct {
	Contract string         `json:"contract"`
	Version  string         `json:"version"`
	Address  common.Address `json:"address"`
	CodeHash common.Hash    `json:"codeHash"`
}

type shownAccount struct {
	Address  common.Address              `json:"address"`
	Balance  string                      `json:"balance"` // wei, decimal
	Nonce    uint64                      `json:"nonce"`
	Extra    hexutil.Uint64              `json:"extra"` // account flags
	CodeHash common.Hash                 `json:"codeHash"`
	Storage  map[common.Hash]common.Hash `json:"storage,omitempty"`
}

func showGenesis(ctx *cli.Context) error {
	if err := settings.CheckNetworkFlags(ctx); err != nil {
		return err
	}
	preset := settings.FlaggedPreset(ctx)
	var given *gethcore.Genesis
	switch {
	case preset != nil && ctx.NArg() == 0:
		given = core.NetworkGenesis(*preset)
	case preset == nil && ctx.NArg() == 1:
		var err error
		if given, err = readGenesisFile(program.ExpandHome(ctx.Args().First())); err != nil {
			return err
		}
	default:
		return fmt.Errorf("genesis show takes one of --%s, --%s and a genesis file", settings.MainnetFlag.Name,
			settings.TestnetFlag.Name)
	}
	shown, err := describeGenesis(given)
	if err != nil {
		return err
	}
	if ctx.Bool(program.JSONFlag.Name) {
		return program.PrintIndented(ctx.App.Writer, shown)
	}
	return shown.print(ctx.App.Writer)
}

// describeGenesis tells the genesis block of a specification from code hashes alone (spec chain 9).
func describeGenesis(given *gethcore.Genesis) (*shownGenesis, error) {
	genesis, info, err := core.DescribeGenesis(given, nil)
	if err != nil {
		return nil, err
	}
	configuration, err := core.Canonical(given.Config)
	if err != nil {
		return nil, err
	}
	shown := &shownGenesis{
		ChainID: given.Config.ChainID, Hash: info.Hash, Configuration: configuration.Hash(), StateRoot: info.StateRoot,
		Header: info.Header,
	}
	versions := make(map[common.Hash]core.ContractCode)
	for _, v := range slices.Concat(core.KnownCode(), core.OwnVersions()) {
		versions[v.Hash] = v
	}
	for _, address := range slices.SortedFunc(maps.Keys(genesis.Alloc), common.Address.Cmp) {
		entry := genesis.Alloc[address]
		account := shownAccount{address, "0", entry.Nonce, hexutil.Uint64(entry.Extra), crypto.Keccak256Hash(entry.Code),
			entry.Storage}
		if entry.Balance != nil {
			account.Balance = entry.Balance.String()
		}
		if hash, ok := info.CodeHashes[address]; ok {
			account.Nonce, account.CodeHash = 0, hash
			shown.Contracts = append(shown.Contracts, shownCode{versions[hash].Contract, versions[hash].Version, address, hash})
		}
		shown.Alloc = append(shown.Alloc, account)
	}
	bare, bareInfo, err := core.BuildGenesis(given, core.CodeInAlloc(given.Alloc))
	switch {
	case errors.Is(err, core.ErrMissingCode): // a public network does not start without
	case err != nil:
		return nil, err
	case len(bareInfo.Missing) > 0:
		shown.Codeless = new(bare.ToBlock().Hash())
	}
	return shown, nil
}

func (g *shownGenesis) print(w io.Writer) error {
	var text bytes.Buffer
	table := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	row := func(name string, value any) { fmt.Fprintf(table, "%s\t%v\n", name, value) }
	h := g.Header
	row("Chain ID", g.ChainID)
	row("Hash", g.Hash)
	if g.Codeless != nil {
		row("Hash without code", g.Codeless)
	}
	row("Configuration", g.Configuration)
	row("State root", g.StateRoot)
	row("Parent hash", h.ParentHash)
	row("Timestamp", h.Time)
	row("Difficulty", h.Difficulty)
	row("Gas limit", h.GasLimit)
	row("Gas used", h.GasUsed)
	row("Base fee", h.BaseFee)
	row("Nonce", h.Nonce.Uint64())
	row("Mix hash", h.MixDigest)
	row("Coinbase", h.Coinbase)
	row("Extra data", hexutil.Encode(h.Extra))
	fmt.Fprintf(table, "\nContract\tVersion\tAddress\tCode hash\n")
	for _, c := range g.Contracts {
		fmt.Fprintf(table, "%s\t%s\t%v\t%v\n", c.Contract, c.Version, c.Address, c.CodeHash)
	}
	fmt.Fprintf(table, "\nAccount\tBalance\tNonce\tFlags\tStorage slots\n")
	for _, a := range g.Alloc {
		fmt.Fprintf(table, "%v\t%s\t%d\t%v\t%d\n", a.Address, a.Balance, a.Nonce, a.Extra, len(a.Storage))
	}
	if !slices.ContainsFunc(g.Alloc, func(a shownAccount) bool { return a.Balance != "0" }) {
		fmt.Fprintf(table, "\nNo account has a coin, so that none can pay for a transaction.\n")
	}
	if err := table.Flush(); err != nil {
		return err
	}
	_, err := w.Write(text.Bytes())
	return err
}
