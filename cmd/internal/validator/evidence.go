// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package validator

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ethereum/go-ethereum/cmd/utils"
	"github.com/ethereum/go-ethereum/common"
	"github.com/urfave/cli/v2"

	"gwon/cmd/internal/damage"
	"gwon/cmd/internal/datadir"
	"gwon/cmd/internal/keys"
	"gwon/cmd/internal/program"
	"gwon/cmd/internal/settings"
	"gwon/consensus/wbft"
	"gwon/consensus/wbft/evidence"
	"gwon/consensus/wbft/validators"
	"gwon/consensus/wbft/votelog"
	"gwon/internal/atomicfile"
	"gwon/internal/dial"
)

const (
	// statusExplainable is the exit status of gwon evidence verify for contradictions that an honest validator can get
	// into.
	statusExplainable = 3
	// maxEvidenceFile is the largest file that is read, in bytes.
	maxEvidenceFile = 512 << 20
)

var (
	evidenceRPCFlag = &cli.StringFlag{Name: "rpc", Usage: "HTTP, WebSocket or IPC endpoint of a node; istanbul_evidence " +
		"is the operator's on public nodes"}
	evidenceValidatorsFlag = &cli.StringFlag{Name: "validators", Usage: "The validators: a JSON file with a list of " +
		"address and blsPublicKey or an answer of istanbul_epochInfo, or addresses with commas between, whose seals are " +
		"not judged then"}
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
	Usage: "Export and judge contradictory messages of validators",
	Description: "A validator node keeps pairs of messages of one validator that contradict each other. What they " +
		`prove, and what they do not, is told by the verdict: "proven" is what no honest validator signs, whatever ` +
		`happened to it; "explainable" is what one can have signed that was restarted without a record of its votes.`,
	Subcommands: []*cli.Command{
		{
			Name:        "export",
			Usage:       "Write what a node has kept, as JSON, to a file or to standard output",
			ArgsUsage:   "[file]",
			Description: `Reads the data directory, also while the node runs, or asks a node.`,
			Flags: append([]cli.Flag{settings.DataDirFlag, evidenceRPCFlag, evidenceGenesisFlag, evidenceValidatorFlag,
				evidenceFromFlag, evidenceToFlag, evidenceForceFlag}, settings.NetworkFlags...),
			Action: exportEvidence,
		},
		{
			Name:      "verify",
			Usage:     "Judge evidence by the messages themselves and the validators; nothing else in the file is believed",
			ArgsUsage: "<file>...",
			Description: "The validators of each sequence come from one of --validators, --rpc and --datadir (of a " +
				`stopped node). "-" stands for standard input. The exit status is 0 if every pair is proven, or if exports ` +
				"name the chain and say that there is none; 3 if all are genuine, but some are explainable by what can " +
				"happen to an honest validator; 1 if a pair is refused, or something could not be read or judged.",
			Flags: slices.Concat([]cli.Flag{evidenceValidatorsFlag, evidenceRPCFlag, evidenceGenesisFlag, program.JSONFlag,
				utils.CacheFlag, utils.CacheDatabaseFlag}, settings.NetworkFlags, settings.DatabaseFlags),
			Action: verifyEvidence,
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
	if _, err := os.Lstat(file); ctx.NArg() > 0 && err == nil && !ctx.Bool(evidenceForceFlag.Name) {
		return fmt.Errorf("%s exists already: name a new file, or replace it with --%s", file, evidenceForceFlag.Name)
	}
	var list *evidence.List
	if endpoint := ctx.String(evidenceRPCFlag.Name); endpoint != "" {
		if list, err = evidence.Fetch(ctx.Context, endpoint, filter); err == nil {
			list, err = listOfChain([]*evidence.List{list}, ctx.String(evidenceGenesisFlag.Name))
		}
	} else {
		list, err = storedEvidence(ctx, filter)
	}
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
			says += fmt.Sprintf(". Of which chain is not known, so that the file names none: give --%s, "+
				"or ask the node with --%s", evidenceGenesisFlag.Name, evidenceRPCFlag.Name)
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
			if genesis, err := dial.BlockHash(ctx.Context, client, 0); err == nil {
				return genesis
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

func verifyEvidence(ctx *cli.Context) (err error) {
	if ctx.NArg() == 0 {
		return errors.New("give a file with evidence, or - for standard input")
	}
	jury, err := summonJury(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, jury.Close()) }()
	out := evidence.NewJudgments(jury)
	for _, file := range ctx.Args().Slice() {
		list, err := readEvidence(ctx.App.Reader, file)
		if err != nil {
			return err
		}
		if err := out.Add(ctx.Context, file, list); err != nil {
			return err
		}
	}
	out.Count()
	if ctx.Bool(program.JSONFlag.Name) {
		err = program.PrintIndented(ctx.App.Writer, out)
	} else {
		err = out.WriteText(ctx.App.Writer)
	}
	switch {
	case err != nil:
		return err
	case out.Refused > 0:
		return fmt.Errorf("%d of %d pairs of messages are no evidence", out.Refused, len(out.Judgments))
	case out.Explainable > 0:
		err := fmt.Errorf("%d of %d pairs of messages are explainable, which proves no fault on purpose",
			out.Explainable, len(out.Judgments))
		return program.WithStatus(err, statusExplainable)
	}
	return nil
}

func readEvidence(stdin io.Reader, file string) (*evidence.List, error) {
	in := stdin
	if file != "-" {
		f, err := os.Open(program.ExpandHome(file))
		if err != nil {
			return nil, fmt.Errorf("evidence: %w", err)
		}
		defer f.Close() //nolint:errcheck // read only
		in = f
	}
	content, err := io.ReadAll(io.LimitReader(in, maxEvidenceFile+1))
	if err != nil {
		return nil, fmt.Errorf("evidence: %w", err)
	}
	if len(content) > maxEvidenceFile {
		return nil, fmt.Errorf("%s: more than %d bytes", file, maxEvidenceFile)
	}
	list, err := evidence.Parse(content)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return list, nil
}

// summonJury makes the jury that flags ask for.
func summonJury(ctx *cli.Context) (evidence.Jury, error) {
	var genesis common.Hash
	if text := ctx.String(evidenceGenesisFlag.Name); text != "" {
		if err := genesis.UnmarshalText([]byte(text)); err != nil {
			return nil, fmt.Errorf("--%s: %w", evidenceGenesisFlag.Name, err)
		}
	}
	named, endpoint := ctx.String(evidenceValidatorsFlag.Name), ctx.String(evidenceRPCFlag.Name)
	sources := 0
	for _, given := range []bool{named != "", endpoint != "", ctx.IsSet(settings.DataDirFlag.Name)} {
		if given {
			sources++
		}
	}
	if sources != 1 {
		return nil, errors.New("the validators do not come from the evidence: give one of --validators, --rpc and --datadir")
	}
	var jury evidence.Jury
	var err error
	switch {
	case named != "":
		set, err := readValidators(named)
		if err != nil {
			return nil, fmt.Errorf("--%s: %w", evidenceValidatorsFlag.Name, err)
		}
		return evidence.NamedJury(set, genesis), nil
	case endpoint != "":
		jury, err = evidence.NodeJury(ctx.Context, endpoint)
	default:
		jury, err = chainJury(ctx)
	}
	if err != nil {
		return nil, err
	}
	if chain := jury.Chain(); genesis != (common.Hash{}) && genesis != chain {
		return nil, errors.Join(fmt.Errorf("the chain there has genesis block %v, not %v", chain, genesis), jury.Close())
	}
	return jury, nil
}

// chainJury returns the jury that reads the chain in the data directory.
func chainJury(ctx *cli.Context) (evidence.Jury, error) {
	opened, err := datadir.OpenDB(ctx, true, true)
	if err != nil {
		return nil, fmt.Errorf("%w (of a node that runs, ask with --rpc <datadir>/gwon.ipc)", err)
	}
	return evidence.ChainJury(opened.DB, opened.Stack, opened.Config.Node.DataDir)
}

// readValidators reads the value of --validators: addresses, or the name of a file.
func readValidators(value string) (*validators.Set, error) {
	if !common.IsHexAddress(strings.TrimSpace(strings.Split(value, ",")[0])) {
		content, err := os.ReadFile(program.ExpandHome(value))
		if err != nil {
			return nil, err
		}
		return evidence.ParseSet(value, content)
	}
	var list []common.Address
	for _, text := range strings.Split(value, ",") {
		address, err := keys.ParseAddress(strings.TrimSpace(text))
		if err != nil {
			return nil, err
		}
		list = append(list, address)
	}
	return evidence.SetOfAddresses(list)
}
