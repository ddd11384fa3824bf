// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/ethereum/go-ethereum/cmd/utils"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	gethcore "github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/rawdb"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/ethdb"
	gethparams "github.com/ethereum/go-ethereum/params"
	gethrpc "github.com/ethereum/go-ethereum/rpc"
	"github.com/urfave/cli/v2"

	"gwon/atomicfile"
	"gwon/consensus/wbft"
	"gwon/consensus/wbft/bls"
	"gwon/consensus/wbft/evidence"
	"gwon/consensus/wbft/validators"
	"gwon/consensus/wbft/votelog"
)

const (
	// statusExplainable is the exit status of gwon evidence verify for contradictions that an honest validator can get into.
	statusExplainable = 3
	// evidenceTimeout bounds one question to a node.
	evidenceTimeout = 30 * time.Second
	// maxEvidenceFile is the largest file that is read, in bytes.
	maxEvidenceFile = 512 << 20
)

var (
	evidenceRPCFlag = &cli.StringFlag{Name: "rpc", Usage: "HTTP, WebSocket or IPC endpoint of a node; istanbul_evidence is the operator's " +
		"on public nodes"}
	evidenceValidatorsFlag = &cli.StringFlag{Name: "validators", Usage: "The validators: a JSON file with a list of address and " +
		"blsPublicKey or an answer of istanbul_epochInfo, or addresses with commas between, whose seals are not judged then"}
	evidenceValidatorFlag = &cli.StringFlag{Name: "validator", Usage: "Only evidence against this address"}
	evidenceFromFlag      = &cli.Uint64Flag{Name: "from", Usage: "Only from this sequence (block number) on"}
	evidenceToFlag        = &cli.Uint64Flag{Name: "to", Usage: "Only up to this sequence", Value: math.MaxUint64, DefaultText: "no bound"}
	evidenceForceFlag     = &cli.BoolFlag{Name: "force", Usage: "Replace the file if it exists"}
	evidenceGenesisFlag   = &cli.StringFlag{Name: "genesis", Usage: "Hash of the genesis block, where the evidence of several chains is kept"}
)

var evidenceCommand = &cli.Command{
	Name:  "evidence",
	Usage: "Export and judge contradictory messages of validators",
	Description: `A validator node keeps pairs of messages of one validator that contradict each other. What they prove, and what they do not,
is told by the verdict: "proven" is what no honest validator signs, whatever happened to it; "explainable" is what one can have
signed that was restarted without a record of its votes.`,
	Subcommands: []*cli.Command{
		{
			Name:        "export",
			Usage:       "Write what a node has kept, as JSON, to a file or to standard output",
			ArgsUsage:   "[file]",
			Description: `Reads the data directory, also while the node runs, or asks a node.`,
			Flags: []cli.Flag{dataDirFlag, testnetFlag, evidenceRPCFlag, evidenceGenesisFlag, evidenceValidatorFlag, evidenceFromFlag,
				evidenceToFlag, evidenceForceFlag},
			Action: exportEvidence,
		},
		{
			Name:      "verify",
			Usage:     "Judge evidence by the messages themselves and the validators; nothing else in the file is believed",
			ArgsUsage: "<file>...",
			Description: `The validators of each sequence come from one of --validators, --rpc and --datadir (of a stopped node). "-" stands for
standard input. The exit status is 0 if every pair is proven, or if exports name the chain and say that there is none; 3 if
all are genuine, but some are explainable by what can happen to an honest validator; 1 if a pair is refused, or something
could not be read or judged.`,
			Flags: append([]cli.Flag{evidenceValidatorsFlag, evidenceRPCFlag, evidenceGenesisFlag, jsonFlag, testnetFlag, utils.CacheFlag,
				utils.CacheDatabaseFlag}, databaseFlags...),
			Action: verifyEvidence,
		},
	},
}

// evidenceFilter reads the flags that select evidence.
func evidenceFilter(ctx *cli.Context) (evidence.Filter, error) {
	f := evidence.Filter{From: ctx.Uint64(evidenceFromFlag.Name), To: ctx.Uint64(evidenceToFlag.Name), Limit: math.MaxInt, MaxBytes: math.MaxInt64}
	if text := ctx.String(evidenceValidatorFlag.Name); text != "" {
		address, err := govAddress(text)
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
	file := expandHome(ctx.Args().First())
	if _, err := os.Lstat(file); ctx.NArg() > 0 && err == nil && !ctx.Bool(evidenceForceFlag.Name) {
		return fmt.Errorf("%s exists already: name a new file, or replace it with --%s", file, evidenceForceFlag.Name)
	}
	var list *evidence.List
	if endpoint := ctx.String(evidenceRPCFlag.Name); endpoint != "" {
		if list, err = fetchEvidence(ctx.Context, endpoint, filter); err == nil {
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
		says := "No evidence: none is kept there, or none that the flags select. Only a node that takes part in the consensus collects some"
		if list.Genesis == (common.Hash{}) {
			says += fmt.Sprintf(". Of which chain is not known, so that the file names none: give --%s, or ask the node with --%s", evidenceGenesisFlag.Name, evidenceRPCFlag.Name)
		}
		_, err = fmt.Fprintln(ctx.App.ErrWriter, says)
	}
	return err
}

// storedEvidence returns the evidence in a data directory; an empty list if there is none.
func storedEvidence(ctx *cli.Context, filter evidence.Filter) (*evidence.List, error) {
	cfg, err := directoryConfig(ctx)
	if err != nil {
		return nil, err
	}
	instance := cfg.Node.ResolvePath("")
	if !isDir(instance) {
		return nil, fmt.Errorf("%s is no data directory of gwon: there is no directory %s in it; mend --%s", cfg.Node.DataDir, filepath.Base(instance), dataDirFlag.Name)
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

// genesisOf returns the genesis block of the chain in a data directory, whose node may run; zero if nothing there tells.
func genesisOf(ctx *cli.Context, cfg *config) common.Hash {
	stored, err := readStoredChain(cfg)
	if err == nil && stored.genesis != (common.Hash{}) {
		return stored.genesis
	}
	if isLocked(err) {
		if client, err := dialNode(ctx.Context, cfg.Node.IPCEndpoint()); err == nil {
			defer client.Close()
			if genesis, err := (&nodeJury{client: client}).blockHash(ctx.Context, 0); err == nil {
				return genesis
			}
		}
	}
	// Without an answer: a node does not take part with the vote log of another chain, nor start with the flag of another network.
	if votes, err := votelog.Look(votelog.OS{}, cfg.Node.ResolvePath(wbft.VoteLogFile)); err == nil && votes.Metadata.Genesis != (common.Hash{}) {
		return votes.Metadata.Genesis
	}
	if n := flaggedPreset(ctx); n != nil {
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
		return nil, fmt.Errorf("there is no evidence of that chain, but of those with genesis block %s", strings.Join(names, ", "))
	}
	return nil, fmt.Errorf("there is evidence of several chains: choose one with --genesis %s", strings.Join(names, " or "))
}

// fetchEvidence asks a node until it has given all.
func fetchEvidence(ctx context.Context, endpoint string, filter evidence.Filter) (*evidence.List, error) {
	client, err := dialNode(ctx, endpoint)
	if err != nil {
		return nil, err
	}
	defer client.Close()
	type query struct {
		Validator *common.Address `json:"validator,omitempty"`
		From      hexutil.Uint64  `json:"from"`
		To        hexutil.Uint64  `json:"to"`
		Limit     int             `json:"limit"`
	}
	const step = 1000
	all := &evidence.List{Evidence: []*evidence.Evidence{}}
	for q := (query{filter.Validator, hexutil.Uint64(filter.From), hexutil.Uint64(filter.To), step}); ; {
		var part evidence.List
		if err := askNode(ctx, client, &part, "istanbul_evidence", q); err != nil {
			return nil, fmt.Errorf("%s: %w", endpoint, err)
		}
		all.Version, all.Genesis = part.Version, part.Genesis
		for _, e := range part.Evidence {
			if !slices.ContainsFunc(all.Evidence, e.Same) {
				all.Evidence = append(all.Evidence, e)
			}
		}
		for _, name := range part.Unreadable {
			if !slices.Contains(all.Unreadable, name) {
				all.Unreadable = append(all.Unreadable, name)
			}
		}
		if !part.Truncated || len(part.Evidence) == 0 {
			return all, nil
		}
		next := hexutil.Uint64(part.Evidence[len(part.Evidence)-1].Sequence)
		if next == q.From { // all of the answer is of one sequence: the rest of it cannot be asked for
			all.Truncated = true
			if next++; next > q.To {
				return all, nil
			}
		}
		q.From = next
	}
}

func dialNode(ctx context.Context, endpoint string) (*gethrpc.Client, error) {
	ctx, cancel := context.WithTimeout(ctx, evidenceTimeout)
	defer cancel()
	client, err := gethrpc.DialContext(ctx, endpoint)
	if err != nil {
		return nil, fmt.Errorf("no node at %s: %w", endpoint, err)
	}
	return client, nil
}

func askNode(ctx context.Context, client *gethrpc.Client, result any, method string, args ...any) error {
	ctx, cancel := context.WithTimeout(ctx, evidenceTimeout)
	defer cancel()
	if err := client.CallContext(ctx, result, method, args...); err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	return nil
}

// judgement is what gwon evidence verify says about one pair.
type judgement struct {
	File      string         `json:"file"`
	Index     int            `json:"index"`
	Kind      evidence.Kind  `json:"kind"`
	Validator common.Address `json:"validator"`
	Sequence  uint64         `json:"sequence"`
	Rounds    [2]uint64      `json:"rounds"`
	evidence.Verdict
}

// judgements is the whole output of gwon evidence verify.
type judgements struct {
	Judgements []*judgement `json:"judgements"`
	// Restarts is, by validator, in how many sequences it would have had to be restarted without its votes to be honest.
	Restarts    map[common.Address]int `json:"restarts"`
	Proven      int                    `json:"proven"`
	Explainable int                    `json:"explainable"`
	Refused     int                    `json:"refused"`
	// Repeated is how many pairs said what another one says; they are counted once.
	Repeated int `json:"repeated"`
	// Empty names files that say that there is no evidence of this chain.
	Empty []string `json:"empty,omitempty"`
	// Incomplete names files that say that there is more evidence where they come from.
	Incomplete []string `json:"incomplete,omitempty"`
	// Basis says whose word for the validators and the chain was taken.
	Basis string `json:"basis"`
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
	out := judgements{Judgements: []*judgement{}, Restarts: make(map[common.Address]int), Basis: jury.basis()}
	seen := make(map[common.Hash]*judgement)
	for _, file := range ctx.Args().Slice() {
		list, err := readEvidence(ctx.App.Reader, file)
		if err != nil {
			return err
		}
		if len(list.Evidence) == 0 {
			if err := acquit(list, jury.chain()); err != nil {
				return fmt.Errorf("%s: there is no evidence in it: %w", file, err)
			}
			out.Empty = append(out.Empty, file)
		}
		if list.Truncated || len(list.Unreadable) > 0 {
			out.Incomplete = append(out.Incomplete, file)
		}
		for i, e := range list.Evidence {
			j := &judgement{File: file, Index: i, Kind: e.Kind, Validator: e.Validator, Sequence: e.Sequence, Rounds: e.Rounds}
			if e.Sequence == 0 {
				j.Verdict = evidence.Judge(e, evidence.Court{Set: validators.NewSet(nil)})
			} else {
				court, err := jury.court(ctx.Context, e.Sequence)
				if err != nil {
					return fmt.Errorf("%s: evidence %d: %w", file, i, err)
				}
				j.Verdict = evidence.Judge(e, court)
			}
			if !out.repeats(seen, e, j) {
				out.Judgements = append(out.Judgements, j)
			}
		}
	}
	out.count()
	if err := out.print(ctx.App.Writer, ctx.Bool(jsonFlag.Name)); err != nil {
		return err
	}
	switch {
	case out.Refused > 0:
		return fmt.Errorf("%d of %d pairs of messages are no evidence", out.Refused, len(out.Judgements))
	case out.Explainable > 0:
		return &statusError{fmt.Errorf("%d of %d pairs of messages are explainable, which proves no fault on purpose", out.Explainable,
			len(out.Judgements)), statusExplainable}
	}
	return nil
}

// acquit tells whether a list without evidence says that there is none of a chain, which may be unknown.
func acquit(list *evidence.List, chain common.Hash) error {
	switch {
	case list.Genesis == (common.Hash{}):
		return errors.New("it does not name the chain that would be without: give what gwon evidence export has written with --genesis or --rpc")
	case chain != (common.Hash{}) && list.Genesis != chain:
		return fmt.Errorf("it is of the chain with genesis block %v, not %v", list.Genesis, chain)
	case list.Truncated || len(list.Unreadable) > 0:
		return errors.New("there is some where it comes from (\"truncated\" or \"unreadable\")")
	}
	return nil
}

// repeats tells whether a pair says what one of those that were seen says; of the two the better verdict stays. What is refused repeats
// nothing that is not, and nothing else than itself: a forged copy of a pair must not hide it.
func (out *judgements) repeats(seen map[common.Hash]*judgement, e *evidence.Evidence, j *judgement) bool {
	id := e.Identity()
	if j.Label == evidence.Refused {
		content := []byte(fmt.Sprint(e.Genesis, e.Sequence, e.Rounds, e.Messages, e.Headers))
		id = crypto.Keccak256Hash(id[:], content)
	}
	before := seen[id]
	if before == nil {
		seen[id] = j
		return false
	}
	out.Repeated++
	if before.Label == evidence.Explainable && j.Label == evidence.Proven {
		*before = *j
	}
	return true
}

// count counts the verdicts.
func (out *judgements) count() {
	restarts := make(map[common.Address]map[uint64]bool)
	for _, j := range out.Judgements {
		switch j.Label {
		case evidence.Proven:
			out.Proven++
		case evidence.Explainable:
			out.Explainable++
			if restarts[j.Validator] == nil {
				restarts[j.Validator] = make(map[uint64]bool)
			}
			restarts[j.Validator][j.Sequence] = true
			out.Restarts[j.Validator] = len(restarts[j.Validator])
		default:
			out.Refused++
		}
	}
}

func (out *judgements) print(w io.Writer, asJSON bool) error {
	if asJSON {
		enc := json.NewEncoder(w)
		enc.SetIndent("", "  ")
		return enc.Encode(out)
	}
	var b strings.Builder
	for _, j := range out.Judgements {
		fmt.Fprintf(&b, "%s: %v, sequence %d, %s\n  %s\n", strings.ToUpper(string(j.Label)), j.Validator, j.Sequence, j.Kind, j.Reason)
		for _, limit := range j.Limits {
			fmt.Fprintf(&b, "  Not proven: %s\n", limit)
		}
	}
	for _, address := range slices.SortedFunc(maps.Keys(out.Restarts), common.Address.Cmp) {
		fmt.Fprintf(&b, "To be honest, %v has to have been restarted without its votes in %d sequences\n", address, out.Restarts[address])
	}
	for _, file := range out.Empty {
		fmt.Fprintf(&b, "%s has no evidence: where it comes from there was none, or none that was asked for\n", file)
	}
	for _, file := range out.Incomplete {
		fmt.Fprintf(&b, "%s does not have all: it says that there is more evidence where it comes from (\"truncated\" or \"unreadable\")\n", file)
	}
	fmt.Fprintf(&b, "%s\n", out.Basis)
	if out.Repeated > 0 {
		fmt.Fprintf(&b, "%d pairs were repeated, and are counted once\n", out.Repeated)
	}
	fmt.Fprintf(&b, "%d proven, %d explainable, %d refused\n", out.Proven, out.Explainable, out.Refused)
	_, err := io.WriteString(w, b.String())
	return err
}

func readEvidence(stdin io.Reader, file string) (*evidence.List, error) {
	in := stdin
	if file != "-" {
		f, err := os.Open(expandHome(file))
		if err != nil {
			return nil, fmt.Errorf("evidence: %w", err)
		}
		defer f.Close()
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

// jury knows the validators of sequences.
type jury interface {
	court(ctx context.Context, sequence uint64) (evidence.Court, error)
	// chain is the genesis block of the chain that it judges by; zero if nobody has named one.
	chain() common.Hash
	// basis says what was taken on trust.
	basis() string
	io.Closer
}

// summonJury makes the jury that flags ask for.
func summonJury(ctx *cli.Context) (jury, error) {
	var genesis common.Hash
	if text := ctx.String(evidenceGenesisFlag.Name); text != "" {
		if err := genesis.UnmarshalText([]byte(text)); err != nil {
			return nil, fmt.Errorf("--%s: %w", evidenceGenesisFlag.Name, err)
		}
	}
	named, endpoint := ctx.String(evidenceValidatorsFlag.Name), ctx.String(evidenceRPCFlag.Name)
	sources := 0
	for _, given := range []bool{named != "", endpoint != "", ctx.IsSet(dataDirFlag.Name)} {
		if given {
			sources++
		}
	}
	if sources != 1 {
		return nil, errors.New("the validators do not come from the evidence: give one of --validators, --rpc and --datadir")
	}
	var j jury
	var chain common.Hash
	switch {
	case named != "":
		set, err := readValidators(named)
		if err != nil {
			return nil, fmt.Errorf("--%s: %w", evidenceValidatorsFlag.Name, err)
		}
		return &namedJury{set, genesis}, nil
	case endpoint != "":
		client, err := dialNode(ctx.Context, endpoint)
		if err != nil {
			return nil, err
		}
		r := &nodeJury{client: client, endpoint: endpoint}
		if r.genesis, err = r.blockHash(ctx.Context, 0); err != nil {
			client.Close()
			return nil, err
		}
		j, chain = r, r.genesis
	default:
		r, err := openDirectoryJury(ctx)
		if err != nil {
			return nil, err
		}
		j, chain = r, r.genesis
	}
	if genesis != (common.Hash{}) && genesis != chain {
		return nil, errors.Join(fmt.Errorf("the chain there has genesis block %v, not %v", chain, genesis), j.Close())
	}
	return j, nil
}

// namedJury is a list of validators that somebody gave.
type namedJury struct {
	set     *validators.Set
	genesis common.Hash
}

func (j *namedJury) court(context.Context, uint64) (evidence.Court, error) {
	return evidence.Court{Set: j.set, Genesis: j.genesis}, nil
}

func (j *namedJury) basis() string {
	text := "Judged by the validators of --validators, the same for every block: that they were its validators then is taken on trust. No chain was looked at: "
	if j.genesis == (common.Hash{}) {
		return text + "messages name none, so a pair may be from another network or an older genesis block"
	}
	return text + fmt.Sprintf("that a pair is from the one with genesis block %v is no more than what the file says", j.genesis)
}

func (j *namedJury) chain() common.Hash { return j.genesis }

func (j *namedJury) Close() error { return nil }

// validatorEntry is a validator in a list that somebody gave, in the words of gwon validator show or of istanbul_epochInfo.
type validatorEntry struct {
	Address      *common.Address `json:"address"`
	BLSPublicKey hexutil.Bytes   `json:"blsPublicKey"`
	Addr         *common.Address `json:"addr"`
	BLS          hexutil.Bytes   `json:"bls"`
}

// readValidators reads the value of --validators: addresses, or the name of a file.
func readValidators(value string) (*validators.Set, error) {
	var entries []validatorEntry
	if common.IsHexAddress(strings.TrimSpace(strings.Split(value, ",")[0])) {
		for _, text := range strings.Split(value, ",") {
			address, err := govAddress(strings.TrimSpace(text))
			if err != nil {
				return nil, err
			}
			entries = append(entries, validatorEntry{Address: &address})
		}
		return setOfEntries(entries)
	}
	content, err := os.ReadFile(expandHome(value))
	if err != nil {
		return nil, err
	}
	if json.Unmarshal(content, &entries) == nil {
		return setOfEntries(entries)
	}
	var info struct {
		Validators []validatorEntry `json:"validators"`
		Result     *struct {
			Validators []validatorEntry `json:"validators"`
		} `json:"result"`
	}
	if err := json.Unmarshal(content, &info); err != nil {
		return nil, fmt.Errorf("%s: neither a list of validators nor an answer of istanbul_epochInfo: %w", value, err)
	}
	if info.Result != nil {
		info.Validators = info.Result.Validators
	}
	return setOfEntries(info.Validators)
}

func setOfEntries(entries []validatorEntry) (*validators.Set, error) {
	if len(entries) == 0 {
		return nil, errors.New("no validators are given")
	}
	list := make([]validators.Validator, len(entries))
	for i, e := range entries {
		address, key := e.Address, e.BLSPublicKey
		if address == nil {
			address, key = e.Addr, e.BLS
		}
		if address == nil {
			return nil, fmt.Errorf("validator %d has no address", i)
		}
		list[i].Address = *address
		if len(key) > 0 {
			parsed, err := bls.ParsePublicKey(key)
			if err != nil {
				return nil, fmt.Errorf("validator %v: BLS key: %w", address, err)
			}
			list[i].Key = parsed
		}
	}
	return validators.NewSet(list), nil
}

// nodeJury asks a node, which is believed.
type nodeJury struct {
	client   *gethrpc.Client
	endpoint string
	genesis  common.Hash
}

func (j *nodeJury) basis() string {
	return fmt.Sprintf("Judged by the validators and blocks that the node at %s names, for the chain with genesis block %v: it is believed", j.endpoint, j.genesis)
}

func (j *nodeJury) blockHash(ctx context.Context, number uint64) (common.Hash, error) {
	var block *struct{ Hash common.Hash }
	if err := askNode(ctx, j.client, &block, "eth_getBlockByNumber", hexutil.Uint64(number), false); err != nil {
		return common.Hash{}, err
	}
	if block == nil {
		return common.Hash{}, fmt.Errorf("the node does not have block %d", number)
	}
	return block.Hash, nil
}

func (j *nodeJury) court(ctx context.Context, sequence uint64) (evidence.Court, error) {
	parent, err := j.blockHash(ctx, sequence-1)
	if err != nil {
		return evidence.Court{}, err
	}
	var info struct {
		Validators []validatorEntry `json:"validators"`
	}
	if err := askNode(ctx, j.client, &info, "istanbul_epochInfo", hexutil.Uint64(sequence-1)); err != nil {
		return evidence.Court{}, err
	}
	set, err := setOfEntries(info.Validators)
	return evidence.Court{Set: set, Genesis: j.genesis, Parent: parent}, err
}

func (j *nodeJury) chain() common.Hash { return j.genesis }

func (j *nodeJury) Close() error {
	j.client.Close()
	return nil
}

// directoryJury reads the chain of a stopped node.
type directoryJury struct {
	db      ethdb.Database
	stack   io.Closer
	config  *gethparams.ChainConfig
	genesis common.Hash
	dir     string
}

func (j *directoryJury) basis() string {
	return fmt.Sprintf("Judged by the chain in %s, with genesis block %v", j.dir, j.genesis)
}

func openDirectoryJury(ctx *cli.Context) (*directoryJury, error) {
	cfg, stack, db, err := openDB(ctx, true, true)
	if err != nil {
		return nil, fmt.Errorf("%w (of a node that runs, ask with --rpc <datadir>/gwon.ipc)", err)
	}
	j := &directoryJury{db: db, stack: stack, genesis: rawdb.ReadCanonicalHash(db, 0), dir: cfg.Node.DataDir}
	config, _, err := gethcore.LoadChainConfig(db, nil)
	if err == nil && config.Anzeon == nil {
		err = errors.New("the chain there has no validators: its configuration has no \"anzeon\" section")
	}
	if err != nil {
		return nil, errors.Join(err, j.Close())
	}
	j.config = config
	return j, nil
}

// errNoBlock is returned for a block that a data directory does not have.
var errNoBlock = errors.New("is not in the chain there")

func storedHeader(db ethdb.Reader, number uint64) (*types.Header, error) {
	header := rawdb.ReadHeader(db, rawdb.ReadCanonicalHash(db, number), number)
	if header == nil {
		return nil, fmt.Errorf("block %d %w", number, errNoBlock)
	}
	return header, nil
}

// storedSet returns the validators of a sequence from 1 on, by the chain in a database. The error wraps errNoBlock when that chain does
// not go so far.
func storedSet(db ethdb.Reader, config *gethparams.ChainConfig, sequence uint64) (*validators.Set, error) {
	epoch, err := storedHeader(db, config.LastEpochBlock(sequence-1))
	if err != nil {
		return nil, err
	}
	x, err := epoch.WBFTExtra()
	if err != nil {
		return nil, fmt.Errorf("extra data of block %d: %w", epoch.Number, err)
	}
	set, err := validators.FromEpochInfo(x.EpochInfo)
	if err != nil {
		return nil, fmt.Errorf("epoch block %d: %w", epoch.Number, err)
	}
	return set, nil
}

func (j *directoryJury) court(_ context.Context, sequence uint64) (evidence.Court, error) {
	parent, err := storedHeader(j.db, sequence-1)
	if err != nil {
		return evidence.Court{}, err
	}
	set, err := storedSet(j.db, j.config, sequence)
	if err != nil {
		return evidence.Court{}, err
	}
	return evidence.Court{Set: set, Genesis: j.genesis, Parent: parent.Hash()}, nil
}

func (j *directoryJury) chain() common.Hash { return j.genesis }

func (j *directoryJury) Close() error { return errors.Join(j.db.Close(), j.stack.Close()) }
