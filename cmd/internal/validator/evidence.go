// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package validator

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"strings"

	"github.com/ethereum/go-ethereum/common"
	"github.com/urfave/cli/v2"

	"gwon/cmd/internal/damage"
	"gwon/cmd/internal/datadir"
	"gwon/cmd/internal/keys"
	"gwon/cmd/internal/program"
	"gwon/cmd/internal/settings"
	"gwon/consensus/wbft"
	"gwon/consensus/wbft/evidence"
	"gwon/consensus/wbft/votelog"
	"gwon/internal/atomicfile"
	"gwon/internal/dial"
)

var (
	evidenceValidatorFlag = &cli.StringFlag{Name: "validator", Usage: "Only evidence against this address"}
	evidenceFromFlag      = &cli.Uint64Flag{Name: "from", Usage: "Only from this sequence (block number) on"}
	evidenceToFlag        = &cli.Uint64Flag{Name: "to", Usage: "Only up to this sequence", Value: math.MaxUint64,
		DefaultText: "no bound"}
	evidenceForceFlag   = &cli.BoolFlag{Name: "force", Usage: "Replace the file if it exists"}
	evidenceGenesisFlag = &cli.StringFlag{Name: "genesis", Usage: "Hash of the genesis block, where the evidence of " +
		"several chains is kept"}
)

// EvidenceCommand exports and judges contradictory messages.
var EvidenceCommand = &cli.Command{
	Name:  "evidence",
	Usage: "Export contradictory messages of validators",
	Description: "A validator node keeps pairs of messages of one validator that contradict each other. What they " +
		`prove, and what they do not, is told by the verdict: "proven" is what no honest validator signs, whatever ` +
		`happened to it; "explainable" is what one can have signed that was restarted without a record of its votes.`,
	Subcommands: []*cli.Command{
		{
			Name:        "export",
			Usage:       "Write what a node has kept, as JSON, to a file or to standard output",
			ArgsUsage:   "[file]",
			Description: `Reads the data directory, also while the node runs.`,
			Flags: append([]cli.Flag{settings.DataDirFlag, evidenceGenesisFlag, evidenceValidatorFlag,
				evidenceFromFlag, evidenceToFlag, evidenceForceFlag}, settings.NetworkFlags...),
			Action: exportEvidence,
		},
	},
}

// evidenceFilter reads the flags that select evidence.
func evidenceFilter(ctx *cli.Context) (evidence.Filter, error) {
	f := evidence.Filter{From: ctx.Uint64(evidenceFromFlag.Name), To: ctx.Uint64(evidenceToFlag.Name), Limit: math.MaxInt,
		MaxBytes: math.MaxInt64}
	if text := ctx.String(evidenceValidatorFlag.Name); text != "" {
		address, err := keys.ParseAddress(text)
		if err != nil {
			return f, err
		}
		f.Validator = &address
	}
	if f.From > f.To {
		return f, fmt.Errorf("from sequence %d to %d is not a range", f.From, f.To)
	}
	return f, nil
}

func exportEvidence(ctx *cli.Context) error {
	if ctx.NArg() > 1 {
		return errors.New("give one file, or none for standard output")
	}
	filter, err := evidenceFilter(ctx)
	if err != nil {
		return err
	}
	file := program.ExpandHome(ctx.Args().First())
	if err := program.RefuseExisting(file); ctx.NArg() > 0 && err != nil && !ctx.Bool(evidenceForceFlag.Name) {
		return fmt.Errorf("%w, or replace it with --%s", err, evidenceForceFlag.Name)
	}
	list, err := storedEvidence(ctx, filter)
	if err != nil {
		return err
	}
	content, err := json.MarshalIndent(list, "", "  ")
	if err != nil {
		return fmt.Errorf("evidence: %w", err)
	}
	content = append(content, '\n')
	if ctx.NArg() == 0 {
		_, err = ctx.App.Writer.Write(content)
	} else if err = atomicfile.Write(file, content, 0o644); err == nil {
		_, err = fmt.Fprintf(ctx.App.Writer, "Exported %d pairs of messages to %s\n", len(list.Evidence), file)
	}
	if err == nil && len(list.Unreadable) > 0 {
		err = fmt.Errorf("files of the store cannot be read and are left out: %s", strings.Join(list.Unreadable, ", "))
	} else if err == nil && len(list.Evidence) == 0 {
		says := "No evidence: none is kept there, or none that the flags select. Only a node that takes part in the " +
			"consensus collects some"
		if list.Genesis == (common.Hash{}) {
			says += fmt.Sprintf(". Of which chain is not known, so that the file names none: give --%s",
				evidenceGenesisFlag.Name)
		}
		_, err = fmt.Fprintln(ctx.App.ErrWriter, says)
	}
	return err
}

// storedEvidence returns the evidence in a data directory; an empty list if there is none.
func storedEvidence(ctx *cli.Context, filter evidence.Filter) (*evidence.List, error) {
	cfg, err := settings.LoadDirectory(ctx)
	if err != nil {
		return nil, err
	}
	instance := cfg.Node.ResolvePath("")
	if !datadir.IsDir(instance) {
		return nil, fmt.Errorf("%s is no data directory of gwon: there is no directory %s in it; mend --%s", cfg.Node.DataDir,
			filepath.Base(instance), settings.DataDirFlag.Name)
	}
	lists, err := evidence.Look(instance, filter)
	if err != nil {
		return nil, err
	}
	named := ctx.String(evidenceGenesisFlag.Name)
	if len(lists) > 0 {
		return listOfChain(lists, named)
	}
	list := &evidence.List{Version: evidence.FormatVersion, Evidence: []*evidence.Evidence{}}
	if named != "" {
		if err := list.Genesis.UnmarshalText([]byte(named)); err != nil {
			return nil, fmt.Errorf("--%s: %w", evidenceGenesisFlag.Name, err)
		}
	} else {
		list.Genesis = genesisOf(ctx, cfg)
	}
	return list, nil
}

// genesisOf returns the genesis block of the chain in a data directory, whose node may run; zero if nothing there
// tells.
func genesisOf(ctx *cli.Context, cfg *settings.Config) common.Hash {
	stored, err := datadir.ReadStoredChain(cfg)
	if err == nil && stored.Genesis != (common.Hash{}) {
		return stored.Genesis
	}
	if damage.IsLocked(err) {
		if client, err := dial.Node(ctx.Context, cfg.Node.IPCEndpoint()); err == nil {
			defer client.Close()
			if genesis, err := dial.BlockAt(ctx.Context, client, 0); err == nil {
				return genesis.Hash
			}
		}
	}
	// Without an answer: a node does not take part with the vote log of another chain, nor start with the flag of another
	// network.
	if votes, err := votelog.Look(votelog.OS{}, cfg.Node.ResolvePath(wbft.VoteLogFile)); err == nil &&
		votes.Metadata.Genesis != (common.Hash{}) {
		return votes.Metadata.Genesis
	}
	if n := settings.FlaggedPreset(ctx); n != nil {
		return n.GenesisHash
	}
	return common.Hash{}
}

// listOfChain chooses the list of one chain.
func listOfChain(lists []*evidence.List, genesis string) (*evidence.List, error) {
	var chosen []*evidence.List
	var names []string
	for _, list := range lists {
		names = append(names, list.Genesis.Hex())
		if genesis == "" || strings.EqualFold(list.Genesis.Hex(), genesis) {
			chosen = append(chosen, list)
		}
	}
	switch {
	case len(chosen) == 1:
		return chosen[0], nil
	case len(chosen) == 0:
		return nil, fmt.Errorf("there is no evidence of that chain, but of those with genesis block %s",
			strings.Join(names, ", "))
	}
	return nil, fmt.Errorf("there is evidence of several chains: choose one with --genesis %s",
		strings.Join(names, " or "))
}
