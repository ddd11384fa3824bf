// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package validator

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/ethereum/go-ethereum/cmd/utils"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/ethdb"
	"github.com/ethereum/go-ethereum/rpc"
	"github.com/urfave/cli/v2"

	"gwon/cmd/internal/damage"
	"gwon/cmd/internal/datadir"
	"gwon/cmd/internal/keys"
	"gwon/cmd/internal/program"
	"gwon/cmd/internal/settings"
	"gwon/consensus/wbft"
	"gwon/consensus/wbft/core"
	"gwon/consensus/wbft/evidence"
	"gwon/consensus/wbft/keylock"
	"gwon/consensus/wbft/validators"
	"gwon/consensus/wbft/votelog"
	"gwon/internal/atomicfile"
	"gwon/internal/dial"
)

// maxVotesFile is the largest exported vote log that is read, in bytes.
const maxVotesFile = 1 << 30

var lowestSequenceFlag = &cli.Uint64Flag{Name: "lowestsequence", Usage: "Import the file although its " +
	"lowest_sequence, which has to be this, is not explained: nothing is signed before that block"}

var votesFlags = append([]cli.Flag{settings.DataDirFlag}, settings.NetworkFlags...)

var votesCommand = &cli.Command{
	Name:  "votes",
	Usage: "Show, export or import the vote log: what the key has signed",
	Description: "The vote log, <datadir>/gwon/votes.log, keeps a validator from contradicting itself and from " +
		"forgetting what it is locked on. A validator that moves to another machine or directory takes it along: " +
		"export it there once the old process is gone for good, and import it here before the new one starts. The " +
		"format is JSON in the manner of EIP-3076.",
	Subcommands: []*cli.Command{
		{
			Name:   "show",
			Usage:  "Print what the key has signed last, also while the node runs",
			Flags:  append([]cli.Flag{program.JSONFlag}, votesFlags...),
			Action: showVotes,
		},
		{
			Name:      "export",
			Usage:     "Write the whole vote log of a stopped validator as JSON, to a new file or to standard output",
			ArgsUsage: "[file]",
			Flags:     votesFlags,
			Action:    exportVotes,
		},
		{
			Name: "import",
			Usage: "Add an exported vote log to that of a stopped validator, which is made when there is none; " +
				"nothing is forgotten",
			ArgsUsage: "<file>",
			Description: "Every message has to be signed by the key and every lock to be proven by its certificate: " +
				"against the validators of its block, as far as the chain in the data directory goes. A lowest_sequence " +
				"that would keep the key from signing, and that neither this chain nor the votes in the file explain, is " +
				"refused unless --lowestsequence names it.",
			Flags:  append([]cli.Flag{lowestSequenceFlag, utils.NodeKeyFileFlag, settings.NodeKeyPasswordFlag}, votesFlags...),
			Action: importVotes,
		},
	},
}

// voteLogFile returns the path of the vote log that flags name.
func voteLogFile(ctx *cli.Context) (*settings.Config, string, error) {
	cfg, err := settings.LoadDirectory(ctx)
	if err != nil {
		return nil, "", err
	}
	if cfg.Node.DataDir == "" {
		return nil, "", errors.New("no data directory: give --datadir")
	}
	return cfg, cfg.Node.ResolvePath(wbft.VoteLogFile), nil
}

// lookAtVotes returns what is in the vote log that flags name, and its path.
func lookAtVotes(ctx *cli.Context) (cfg *settings.Config, path string, votes *votelog.Interchange, err error) {
	if cfg, path, err = voteLogFile(ctx); err != nil {
		return nil, "", nil, err
	}
	votes, err = votelog.Look(votelog.OS{}, path)
	if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("there is no vote log at %s: no validator has run with this data directory, or its log is lost; a "+
			"validator that has signed before waits then (docs/operate/runbooks/votes-lost.md)", path)
	}
	return cfg, path, votes, err
}

func showVotes(ctx *cli.Context) error {
	cfg, path, votes, err := lookAtVotes(ctx)
	if err != nil {
		return err
	}
	waiting := "no"
	head, err := newestBlock(ctx.Context, cfg)
	if err != nil {
		waiting = fmt.Sprintf("cannot be told: %v", err)
	} else if reason := wbft.WaitingFor(votes, head); reason != "" {
		waiting = "yes: " + reason
	} else if head != nil {
		waiting += unlessSealed(votes, head)
	}
	if !ctx.Bool(program.JSONFlag.Name) {
		return describeVotes(ctx.App.Writer, path, waiting, votes)
	}
	if err := writeVotes(ctx.App.Writer, votes); err != nil || waiting == "no" {
		return err
	}
	_, err = fmt.Fprintf(ctx.App.ErrWriter, "Waiting: %s\n", waiting)
	return err
}

// unlessSealed says under what condition a validator waits for which its log shows no reason: the chain has blocks
// behind the log, which the validator looks through for seals of its key when it starts. An old log looks like that of
// a validator that was outside the set.
func unlessSealed(votes *votelog.Interchange, head *types.Header) string {
	next := votes.Data[0].Floor
	for _, m := range votes.Data[0].Messages {
		next = max(next, m.Sequence+1)
	}
	switch {
	case head == nil || head.Number.Sign() == 0:
		return ", unless the chain, which is not here yet, has seals of its key that the log knows nothing of, as it does " +
			"of those after an old file"
	case head.Number.Uint64() >= max(next, 1):
		return fmt.Sprintf(", unless its key has sealed one of the blocks %d to %d, which the log knows nothing of: an old "+
			"log has forgotten votes", max(next, 1), head.Number)
	}
	return ""
}

// newestBlock returns the head of the chain in the data directory, from the files of a stopped node or from the one
// that runs; nil if there is no chain.
func newestBlock(ctx context.Context, cfg *settings.Config) (*types.Header, error) {
	stored, err := datadir.ReadStoredChain(cfg)
	if !damage.IsLocked(err) {
		return stored.Newest, err
	}
	endpoint := cfg.Node.IPCEndpoint()
	client, err := dial.Node(ctx, endpoint)
	if err != nil {
		return nil,
			fmt.Errorf("the node that runs does not answer at %s; it says so itself: gwon attach --exec %s %s", endpoint,
				"istanbul.consensusStatus.waiting", httpEndpoint(cfg))
	}
	defer client.Close()
	block, err := dial.BlockAt(ctx, client, rpc.LatestBlockNumber)
	if err != nil {
		return nil, err
	}
	return &types.Header{Number: new(big.Int).SetUint64(uint64(block.Number)), Time: uint64(block.Timestamp)}, nil
}

// httpEndpoint returns the URL of the node that runs with a data directory, as far as what is there tells it, or else
// the form of one.
func httpEndpoint(cfg *settings.Config) string {
	own := settings.Default()
	if err := settings.Read(filepath.Join(cfg.Node.DataDir, "config.toml"), &own); err == nil && own.Node.HTTPHost != "" {
		host := own.Node.HTTPHost
		if ip := net.ParseIP(host); ip != nil && ip.IsUnspecified() {
			host = "127.0.0.1"
		}
		return "http://" + net.JoinHostPort(host, strconv.Itoa(own.Node.HTTPPort))
	}
	return "http://HOST:PORT"
}

func writeVotes(w io.Writer, votes *votelog.Interchange) error {
	return program.PrintIndented(w, votes)
}

// describeVotes prints what a person wants to know of a vote log.
func describeVotes(w io.Writer, path, waiting string, votes *votelog.Interchange) error {
	s := &votes.Data[0]
	var b strings.Builder
	row := func(name, format string, args ...any) {
		fmt.Fprintf(&b, "%-22s%s\n", name+":", fmt.Sprintf(format, args...))
	}
	row("File", "%s", path)
	if s.Validator == (common.Address{}) {
		row("Validator", "not named: the file is of the first format")
	} else {
		row("Validator", "%v", s.Validator)
		row("Genesis block", "%v", votes.Metadata.Genesis)
	}
	if votes.Metadata.ChainID != 0 {
		row("Chain ID", "%d", votes.Metadata.ChainID)
	}
	row("Signs from block", "%d", s.Floor)
	row("Waiting", "%s", waiting)
	switch since := time.Unix(int64(s.Since), 0).UTC().Format(time.RFC3339); {
	case s.Since == 0 && !s.Lost && len(s.Messages) == 0:
		row("Complete", "not known before the validator starts: nothing is in it")
	case s.Since == 0:
		row("Complete", "yes")
	case s.Lost:
		row("Complete", "since %s; what was signed before is lost", since)
	default:
		row("Complete", "since %s, when it was begun", since)
	}
	for _, name := range []string{"PRE-PREPARE", "PREPARE", "COMMIT", "ROUND-CHANGE"} {
		var last *votelog.SignedMessage
		for i, m := range s.Messages {
			if m.Message == name {
				last = &s.Messages[i]
			}
		}
		if last != nil {
			row("Last "+name, "block %d, round %d, %v", last.Sequence, last.Round, last.Digest)
		}
	}
	if n := len(s.Locks); n > 0 {
		row("Last lock", "block %d, round %d", s.Locks[n-1].Sequence, s.Locks[n-1].Round)
	}
	row("Messages", "%d", len(s.Messages))
	_, err := io.WriteString(w, b.String())
	return err
}

func exportVotes(ctx *cli.Context) (err error) {
	if ctx.NArg() > 1 {
		return errors.New("give one file, or none for standard output")
	}
	file := program.ExpandHome(ctx.Args().First())
	if err := program.RefuseExisting(file); ctx.NArg() > 0 && err != nil {
		return err
	}
	_, path, votes, err := lookAtVotes(ctx)
	if err != nil {
		return err
	}
	// Opened for the sake of its lock: an export while more is signed would be old before it is written.
	held, err := votelog.Open(path, votes.Owner())
	if errors.Is(err, votelog.ErrInUse) {
		return fmt.Errorf("%w. A node has this log open and may sign on, which an export would lack: stop the node, see "+
			"that its process is gone, and export then. What it has signed so far gwon validator votes show prints", err)
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, held.Close()) }()
	if votes = held.Export(); held.Origin() == nil && len(votes.Data[0].Messages) == 0 {
		return fmt.Errorf("%s has just been made, and no validator has run with it: it does not tell what the key has signed",
			path)
	}
	if ctx.NArg() == 0 {
		return writeVotes(ctx.App.Writer, votes)
	}
	var text strings.Builder
	if err := writeVotes(&text, votes); err != nil {
		return err
	}
	if err := atomicfile.Write(file, []byte(text.String()), 0o600); err != nil {
		return fmt.Errorf("export of the vote log: %w", err)
	}
	_, err = fmt.Fprintf(ctx.App.Writer, "Exported %d messages of %v to %s\nNever start this validator again where it "+
		"was: its log there stays behind from now on.\n", len(votes.Data[0].Messages), votes.Data[0].Validator, file)
	return err
}

func importVotes(ctx *cli.Context) error {
	if ctx.NArg() != 1 {
		return errors.New("give the file that gwon validator votes export has written")
	}
	cfg, path, err := voteLogFile(ctx)
	if err != nil {
		return err
	}
	votes, err := readVotes(ctx.Args().First())
	if err != nil {
		return err
	}
	if err := checkVotesKey(ctx, votes.Owner().Validator); err != nil {
		return err
	}
	text, err := mergeInto(cfg, path, votes, ctx.Uint64(lowestSequenceFlag.Name))
	if err != nil {
		return err
	}
	_, err = io.WriteString(ctx.App.Writer, text)
	return err
}

// mergeInto is mergeVotes for the log at path in a data directory, whose chain has to be that of the votes. No process
// may use the key.
func mergeInto(
	cfg *settings.Config, path string, votes *votelog.Interchange, lowest uint64,
) (report string, err error) {
	owner := votes.Owner()
	stored, err := datadir.ReadStoredChain(cfg)
	if err != nil {
		return "", err
	}
	if err := checkVotesChain(owner, stored); err != nil {
		return "", err
	}
	key, err := keylock.Acquire(owner.Validator, owner.Genesis)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, key.Close()) }()
	check := &lockCheck{chain: stored, path: cfg.Node.ResolvePath("chaindata")}
	defer func() { err = errors.Join(err, check.Close()) }()
	return mergeVotes(path, votes, check, lowest)
}

// checkVotesChain refuses votes of another chain than the one in the data directory. Where there is none yet, the log
// in the directory decides, or else the file.
func checkVotesChain(owner votelog.Owner, stored datadir.StoredChain) error {
	if stored.Genesis != (common.Hash{}) && stored.Genesis != owner.Genesis {
		return fmt.Errorf("the file is of the chain with genesis block %v, the data directory of that with %v", owner.Genesis,
			stored.Genesis)
	}
	if stored.Config != nil && stored.Config.ChainID != nil && owner.ChainID != 0 &&
		stored.Config.ChainID.Uint64() != owner.ChainID {
		return fmt.Errorf("the file is of chain ID %d, the data directory of %v", owner.ChainID, stored.Config.ChainID)
	}
	return nil
}

// mergeVotes adds votes to the log at path, which is made when there is none, and returns the report for the operator.
// lowest is the lowest sequence that the operator has named, or 0.
func mergeVotes(path string, votes *votelog.Interchange, check *lockCheck, lowest uint64) (report string, err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return "", fmt.Errorf("directory of the vote log: %w", err)
	}
	_, err = os.Lstat(path)
	made, imported := errors.Is(err, fs.ErrNotExist), false
	log, err := votelog.Open(path, votes.Owner())
	if err != nil {
		return "", err
	}
	defer func() {
		err = errors.Join(err, log.Close())
		if made && !imported { // an empty log bound to what a refused file says would stand in the way of the right one
			err = errors.Join(err, os.Remove(path))
		}
	}()
	before := wbft.WaitingFor(log.Export(), check.chain.Newest)
	done, err := log.Import(votes, votelog.Verifier{
		Author: wbft.AuthorOf, Lock: check.verify, Head: check.chain.Head, Floor: lowest,
	})
	if err != nil {
		return "", refusedVotes(err, votes.Data[0].Floor)
	}
	imported = true
	return describeImport(done, votes.Owner().Validator, log, before, check.chain.Newest), nil
}

// refusedVotes completes the error of an import by what the operator can do.
func refusedVotes(err error, floor uint64) error {
	const follow = "Let the node follow the chain to there first, without --mine, and import then"
	switch {
	case errors.Is(err, votelog.ErrFloor):
		return fmt.Errorf("%w; nothing is imported. %s. If that block is meant, as for a validator that was not in the set "+
			"for long, say --%s %d", err, follow, lowestSequenceFlag.Name, floor)
	case errors.Is(err, votelog.ErrUnproven):
		return fmt.Errorf("%w; nothing is imported. %s", err, follow)
	}
	return fmt.Errorf("%w; nothing is imported", err)
}

// describeImport returns the report of an import. before is why the validator waited until now; empty if it did not.
func describeImport(
	done votelog.Merged, validator common.Address, log *votelog.Log, before string, newest *types.Header,
) string {
	text := fmt.Sprintf("Imported %d messages and %d locks that were not known; %v signs from block %d on\n",
		done.Messages,
		done.Locks, validator, log.Floor())
	if done.Unproven > 0 {
		text += fmt.Sprintf("%d of the locks could not be held against the validators of their block, which the chain in "+
			"the data directory does not reach: the node does it when it is there, and drops what is false\n", done.Unproven)
	}
	if done.Contradicted > 0 {
		text += fmt.Sprintf("The two logs contradict each other up to block %d: this key has signed different things in one "+
			"place. It signs nothing more up to there.\n", done.Contradicted)
	}
	now := log.Export()
	switch waits := wbft.WaitingFor(now, newest); {
	case waits == "":
		text += "The validator does not have to wait" + unlessSealed(now, newest) + "\n"
	case before == "":
		text += fmt.Sprintf("The validator waits from now on: %s\n", waits)
	default:
		text += fmt.Sprintf("The validator still waits, for the two logs together may lack votes, too: %s\n", waits)
	}
	return text
}

// lockCheck holds locks against the validators that the chain in a data directory names. The ancient store is left
// alone: what a lock is about is new.
type lockCheck struct {
	chain datadir.StoredChain
	path  string
	db    ethdb.Database
}

// verify reports whether the validators of the block are known, and fails for a certificate that is none.
func (c *lockCheck) verify(k votelog.Lock) (proven bool, err error) {
	set, err := c.set(k.Sequence)
	if err != nil {
		return false, err
	}
	return set != nil, core.CheckLock(k.Sequence, k.Round, k.Certificate, set)
}

// set returns the validators of a sequence; nil if they are not known.
func (c *lockCheck) set(sequence uint64) (set *validators.Set, err error) {
	if c.chain.Config == nil || c.chain.Config.Anzeon == nil || sequence == 0 {
		return nil, nil
	}
	if c.db == nil {
		if c.db, err = datadir.OpenKeyValues(c.path, true); err != nil {
			return nil, err
		}
	}
	set, err = evidence.StoredSet(c.db, c.chain.Config, sequence)
	if errors.Is(err, evidence.ErrNoBlock) {
		return nil, nil
	}
	return set, err
}

func (c *lockCheck) Close() error {
	if c.db == nil {
		return nil
	}
	return c.db.Close()
}

// readVotes reads an exported vote log.
func readVotes(name string) (*votelog.Interchange, error) {
	name = program.ExpandHome(name)
	info, err := os.Stat(name)
	if err != nil {
		return nil, fmt.Errorf("exported vote log: %w", err)
	}
	if info.Size() > maxVotesFile {
		return nil, fmt.Errorf("%s has %d bytes, more than %d", name, info.Size(), maxVotesFile)
	}
	content, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("exported vote log: %w", err)
	}
	votes, err := votelog.ReadInterchange(content)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return votes, nil
}

// checkVotesKey refuses votes of another key than the data directory's, if there is one.
func checkVotesKey(ctx *cli.Context, validator common.Address) error {
	file, err := keys.NodeKeyFile(ctx)
	if err != nil {
		return err
	}
	if _, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("there is no node key at %s: put that of validator %v there first, or name it with --nodekey", file,
			validator)
	}
	key, err := keys.ReadNodeKey(ctx, file)
	if err != nil {
		return err
	}
	if address := crypto.PubkeyToAddress(key.PublicKey); address != validator {
		return fmt.Errorf("the file has the votes of validator %v, the node key %s is that of %v", validator, file, address)
	}
	return nil
}
