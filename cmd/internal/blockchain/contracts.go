// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package blockchain

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/urfave/cli/v2"

	"gwon/cmd/internal/datadir"
	"gwon/cmd/internal/program"
	"gwon/cmd/internal/settings"
	"gwon/contracts/store"
	"gwon/core"
	"gwon/params"
)

// maxCodeFile is the size in bytes up to which a file can be contract code: as hexadecimal text, with some blanks.
const maxCodeFile = 2*store.MaxCode + 1024

var contractsFlags = append([]cli.Flag{settings.ConfigFlag, settings.DataDirFlag}, settings.NetworkFlags...)

// ContractsCommand supplies and lists the code of the system contracts.
var ContractsCommand = &cli.Command{
	Name:  "contracts",
	Usage: "Supply the code of the system contracts",
	Description: "The code of versions v1 and v2 of the system contracts is not part of this program. It is known " +
		"by its hash and kept in <datadir>/gwon/contracts, one file for each code. The public networks cannot start " +
		"without it: a new node asks its peers for it. fetch takes it from an RPC endpoint of the network, import " +
		"from files.\n\n" +
		"Versions g1 and g2 are gwon's own contracts with the same interfaces, for private networks. They are part " +
		"of this program.",
	Subcommands: []*cli.Command{
		{
			Name:      "import",
			Usage:     "Store the code in these files, or in the files of these directories",
			ArgsUsage: "<file or directory>...",
			Description: "A file holds one code, as bytes or as hexadecimal text. It is recognized by its hash, " +
				"whatever its name is; files that hold anything else are skipped.",
			Flags:  contractsFlags,
			Action: importContracts,
		},
		contractsFetchCommand,
		{
			Name:   "list",
			Usage:  "Print the known contracts, their versions and hashes, and which of them are here",
			Flags:  append([]cli.Flag{program.JSONFlag}, contractsFlags...),
			Action: listContracts,
		},
	},
}

// loadCodeStore reads the configuration as far as the data directory, and opens the contract code there.
func loadCodeStore(ctx *cli.Context) (*settings.Config, *store.Store, error) {
	cfg, err := settings.LoadDirectory(ctx)
	if err != nil {
		return nil, nil, err
	}
	codes, err := cfg.CodeStore()
	return cfg, codes, err
}

func importContracts(ctx *cli.Context) error {
	if ctx.NArg() == 0 {
		return errors.New("name the files or directories with contract code")
	}
	_, store, err := loadCodeStore(ctx)
	if err != nil {
		return err
	}
	fitted, err := importCode(ctx.App.Writer, store, core.KnownCode(), ctx.Args().Slice())
	if err != nil {
		return err
	}
	for _, n := range params.Networks() {
		if err := printMissing(ctx.App.Writer, n, store.Source()); err != nil {
			return err
		}
	}
	if fitted == 0 {
		return errors.New("nothing stored: none of these files is the code of a known contract; " +
			"gwon contracts list prints their hashes")
	}
	return nil
}

// importCode stores what is wanted of the files in paths, says so of each file, and returns how many were wanted.
func importCode(w io.Writer, codes *store.Store, wanted []core.ContractCode, paths []string) (fitted int, err error) {
	versions := make(map[common.Hash]core.ContractCode)
	for _, v := range wanted {
		versions[v.Hash] = v
	}
	files, err := listFiles(paths)
	if err != nil {
		return 0, err
	}
	for _, file := range files {
		content, reason, err := readCodeFile(file)
		if err != nil {
			return fitted, err
		}
		verdict := fmt.Sprintf("Skipped %s: %s", file, reason)
		for _, code := range store.Forms(content) {
			v, ok := versions[crypto.Keccak256Hash(code)]
			if !ok {
				continue
			}
			if _, err := codes.Put(code); err != nil {
				return fitted, err
			}
			fitted++
			verdict = fmt.Sprintf("Stored %s %s from %s", v.Contract, v.Version, file)
			break
		}
		if _, err := fmt.Fprintln(w, verdict); err != nil {
			return fitted, err
		}
	}
	return fitted, nil
}

// listFiles replaces the directories among paths by what is in them, without their subdirectories.
func listFiles(paths []string) ([]string, error) {
	var files []string
	for _, path := range paths {
		path = program.ExpandHome(path)
		info, err := os.Stat(path)
		if err != nil {
			return nil, fmt.Errorf("contract code: %w", err)
		}
		if !info.IsDir() {
			files = append(files, path)
			continue
		}
		entries, err := os.ReadDir(path)
		if err != nil {
			return nil, fmt.Errorf("contract code: %w", err)
		}
		for _, e := range entries {
			files = append(files, filepath.Join(path, e.Name()))
		}
	}
	return files, nil
}

// readCodeFile returns the content of a file that may be contract code, and why it is skipped if it turns out to be
// none.
func readCodeFile(path string) (content []byte, reason string, err error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, "", fmt.Errorf("contract code: %w", err)
	}
	switch {
	case !info.Mode().IsRegular():
		return nil, "not a regular file", nil
	case info.Size() > maxCodeFile:
		return nil, "too large for contract code", nil
	}
	if content, err = os.ReadFile(path); err != nil {
		return nil, "", fmt.Errorf("contract code: %w", err)
	}
	return content, "not the code of a known contract", nil
}

// printMissing says what a public network still needs.
func printMissing(w io.Writer, n params.Network, codes core.CodeSource) error {
	missing, err := core.FindMissingCode(n.Config(), codes)
	if err != nil {
		return err
	}
	if len(missing) == 0 {
		_, err = fmt.Fprintf(w, "Complete for --%s\n", n.Name)
		return err
	}
	_, err = fmt.Fprintf(w, "Missing for --%s: %s\n", n.Name, datadir.CodeNames(missing))
	return err
}

// contractStatus is a line of gwon contracts list.
type contractStatus struct {
	Contract string      `json:"contract"`
	Version  string      `json:"version"`
	Hash     common.Hash `json:"codeHash"` // Keccak-256 of the runtime code
	Present  bool        `json:"present"`
	Own      bool        `json:"own"`      // part of this program
	Networks []string    `json:"networks"` // public networks that need it
}

func listContracts(ctx *cli.Context) error {
	if ctx.NArg() > 0 {
		return errors.New("contracts list takes no arguments")
	}
	_, store, err := loadCodeStore(ctx)
	if err != nil {
		return err
	}
	list, err := contractStatuses(store.Source())
	if err != nil {
		return err
	}
	if ctx.Bool(program.JSONFlag.Name) {
		return program.PrintIndented(ctx.App.Writer, list)
	}
	table := tabwriter.NewWriter(ctx.App.Writer, 0, 0, 2, ' ', 0)
	fmt.Fprintf(table, "Contract\tVersion\tCode hash\tCode\tNeeded by\n")
	for _, s := range list {
		presence := "missing"
		switch {
		case s.Own:
			presence = "in gwon"
		case s.Present:
			presence = "present"
		}
		fmt.Fprintf(table, "%s\t%s\t%v\t%s\t%s\n", s.Contract, s.Version, s.Hash, presence, strings.Join(s.Networks, ", "))
	}
	return table.Flush()
}

func contractStatuses(codes core.CodeSource) ([]contractStatus, error) {
	needed := make(map[common.Hash][]string)
	for _, n := range params.Networks() {
		all, err := core.FindMissingCode(n.Config(), nil)
		if err != nil {
			return nil, err
		}
		for _, m := range all {
			needed[m.Hash] = append(needed[m.Hash], n.Name)
		}
	}
	var list []contractStatus
	for _, v := range core.KnownCode() {
		_, present := codes(v.Hash)
		list = append(list,
			contractStatus{v.Contract, v.Version, v.Hash, present, false, append([]string{}, needed[v.Hash]...)})
	}
	for _, v := range core.OwnVersions() {
		list = append(list, contractStatus{v.Contract, v.Version, v.Hash, true, true, []string{}})
	}
	return list, nil
}
