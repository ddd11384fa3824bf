// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package remotechain

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/ethereum/go-ethereum/common"
	gethcore "github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/types"
	gethparams "github.com/ethereum/go-ethereum/params"
	"github.com/urfave/cli/v2"

	"gwon/cmd/internal/datadir"
	"gwon/cmd/internal/program"
	"gwon/cmd/internal/settings"
	"gwon/consensus/finality"
	"gwon/consensus/finality/remotestate"
	"gwon/core"
	"gwon/internal/atomicfile"
	"gwon/params"
)

// askTime bounds the question which chain an endpoint serves.
const askTime = 20 * time.Second

// Choice is the set of flags by which a command names a chain that is read from nodes.
type Choice struct {
	URL string // name of the flag for endpoints

	genesis, checkpoint, trust, cache string // names of flags
	flags                             []cli.Flag
}

// Fork is the choice of gwon-dev node, and Light that of gwon-dev light.
var (
	Fork = newChoice("fork", "fork.", "cache", "forks", "Continue the network of this HTTP endpoint, whose answers are "+
		"proven (repeatable: the next is asked when one fails)", "that is continued")
	Light = newChoice("rpc", "", "datadir", "light", "HTTP endpoint of a node of the network, whose answers are proven "+
		"(several separated by commas, or repeated: the next is asked when one fails)", "that is read")
)

func newChoice(url, prefix, cache, dir, use, network string) *Choice {
	c := &Choice{
		URL: url, genesis: prefix + "genesis", checkpoint: prefix + "checkpoint", trust: prefix + "trust-genesis",
		cache: prefix + cache,
	}
	c.flags = []cli.Flag{
		&cli.StringSliceFlag{Name: c.URL, Usage: use},
		&cli.PathFlag{
			Name:  c.genesis,
			Usage: "Genesis file of the network " + network + " (default: that of the public network with its chain ID)",
		},
		&cli.StringFlag{
			Name:  c.checkpoint,
			Usage: "Trusted block as NUMBER:HASH, from which seals prove later ones (default: the genesis block)",
		},
		&cli.BoolFlag{Name: c.trust, Usage: "Prove blocks from the trusted one on whatever its age"},
		&cli.PathFlag{
			Name:  c.cache,
			Usage: "Directory that keeps what was proven, by network",
			Value: filepath.Join(settings.DefaultDataDir(), dir),
		},
	}
	return c
}

// Flags returns the flags in the order of the help.
func (f *Choice) Flags() []cli.Flag { return f.flags }

// Needless returns the name of a flag that is given without an endpoint, "" if there is none.
func (f *Choice) Needless(ctx *cli.Context) string {
	for _, flag := range f.flags {
		if name := flag.Names()[0]; name != f.URL && ctx.IsSet(name) && !ctx.IsSet(f.URL) {
			return name
		}
	}
	return ""
}

// Chain is a chain that is read from nodes.
type Chain struct {
	Reader  *remotestate.Reader
	Config  *gethparams.ChainConfig
	Genesis *gethcore.Genesis // its code may be missing
	Header  *types.Header     // of the genesis block
	URL     string            // that is asked first, without its password
}

// Open opens the chain that the flags describe. Bounds of its reader are those of the options.
func (f *Choice) Open(ctx *cli.Context, options remotestate.Options) (*Chain, error) {
	urls := ctx.StringSlice(f.URL)
	if len(urls) == 0 {
		return nil, fmt.Errorf("give the endpoint of a node: --%s URL", f.URL)
	}
	c := &Chain{URL: remotestate.Shown(urls[0])}
	dir, err := filepath.Abs(program.ExpandHome(ctx.Path(f.cache)))
	if err != nil {
		return nil, fmt.Errorf("--%s: %w", f.cache, err)
	}
	options.URLs, options.TrustOld, options.Dir = urls, ctx.Bool(f.trust), dir
	if options.Trusted, err = f.readCheckpoint(ctx.String(f.checkpoint)); err != nil {
		return nil, err
	}
	if err := f.findGenesis(ctx, c, dir); err != nil {
		return nil, err
	}
	options.Config, options.Genesis = c.Config, c.Header
	if c.Reader, err = remotestate.Open(ctx.Context, options); err != nil {
		return nil, fmt.Errorf("--%s: %w", f.URL, err)
	}
	return c, nil
}

// Explain adds to an error which flag helps.
func (f *Choice) Explain(err error) error {
	var wrong *remotestate.LieError
	switch {
	case errors.As(err, &wrong):
		return fmt.Errorf("%w (a --%s or --%s of another network has the same effect)", err, f.genesis, f.checkpoint)
	case errors.Is(err, remotestate.ErrOld):
		return fmt.Errorf("%w, with --%s NUMBER:HASH, or give --%s", err, f.checkpoint, f.trust)
	case errors.Is(err, finality.ErrTrust):
		return fmt.Errorf("%w: --%s has to name a block of this network, and --%s its genesis file", err, f.checkpoint,
			f.genesis)
	}
	return err
}

// readCheckpoint reads NUMBER:HASH, nil for nothing.
func (f *Choice) readCheckpoint(text string) (*finality.Trusted, error) {
	if text == "" {
		return nil, nil
	}
	digits, rest, found := strings.Cut(text, ":")
	number, err := strconv.ParseUint(digits, 10, 64)
	var hash common.Hash
	if !found || err != nil || hash.UnmarshalText([]byte(rest)) != nil {
		return nil, fmt.Errorf("--%s %.100q is no NUMBER:HASH, with a decimal number and a hash of 0x and 64 digits",
			f.checkpoint, text)
	}
	return &finality.Trusted{Number: number, Hash: hash}, nil
}

// findGenesis finds the genesis block of a chain: in the file that is given, or that of the public network.
func (f *Choice) findGenesis(ctx *cli.Context, c *Chain, dir string) error {
	code, err := datadir.StoredCode()
	if err != nil {
		return err
	}
	var info *core.GenesisInfo
	if name := ctx.Path(f.genesis); name != "" {
		file, err := os.Open(program.ExpandHome(name))
		if err != nil {
			return fmt.Errorf("--%s: %w", f.genesis, err)
		}
		given, err := core.ReadGenesis(file)
		if err = errors.Join(err, file.Close()); err != nil {
			return fmt.Errorf("--%s %s: %w", f.genesis, name, err)
		}
		if c.Genesis, info, err = core.DescribeGenesis(given, code); err != nil {
			return fmt.Errorf("--%s %s: %w", f.genesis, name, err)
		}
		c.Config, c.Header = given.Config, info.Header
		return nil
	}
	chainID, err := f.chainOf(ctx.Context, c.URL, ctx.StringSlice(f.URL), dir)
	if err != nil {
		return err
	}
	network, public := params.NetworkByID(chainID)
	if !public {
		return fmt.Errorf("chain %d at %s is no public network: give its genesis file with --%s (a devnet has genesis.json "+
			"in its directory)", chainID, c.URL, f.genesis)
	}
	if c.Genesis, info, err = core.DescribeGenesis(core.NetworkGenesis(network), code); err != nil {
		return fmt.Errorf("genesis of %s: %w", network.Name, err)
	}
	c.Config, c.Header = c.Genesis.Config, info.Header
	return nil
}

// chainOf returns the chain ID of an endpoint, or the one that it had when it could be reached. A wrong one chooses a
// genesis block that proves nothing of the endpoint.
func (f *Choice) chainOf(ctx context.Context, url string, urls []string, dir string) (uint64, error) {
	ctx, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	known := filepath.Join(dir, fmt.Sprintf("endpoint-%x", sha256.Sum256([]byte(url)))[:25])
	chainID, err := remotestate.ChainID(ctx, urls)
	if err == nil {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return 0, fmt.Errorf("--%s: %w", f.cache, err)
		}
		return chainID, atomicfile.Write(known, fmt.Appendln(nil, chainID), 0o600)
	}
	stored, missing := os.ReadFile(known)
	if missing != nil {
		return 0, fmt.Errorf("--%s: %w", f.URL, err)
	}
	if chainID, missing = strconv.ParseUint(strings.TrimSpace(string(stored)), 10, 64); missing != nil {
		return 0, fmt.Errorf("--%s: %s is damaged: remove it: %w", f.URL, known, missing)
	}
	return chainID, nil
}
