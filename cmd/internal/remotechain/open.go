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
	"gwon/core"
	"gwon/dev/remotestate"
	"gwon/internal/atomicfile"
	"gwon/params"
)

// askTime bounds the question which chain an endpoint serves.
const askTime = 20 * time.Second

// Names of the flags.
const (
	URLName        = "fork"
	genesisName    = "fork.genesis"
	checkpointName = "fork.checkpoint"
	trustName      = "fork.trust-genesis"
	cacheName      = "fork.cache"
)

// Flags of a chain that is read from nodes.
var (
	URLFlag = &cli.StringSliceFlag{
		Name: URLName,
		Usage: "Continue the network of this HTTP endpoint, whose answers are proven (repeatable: the next is asked when " +
			"one fails)",
	}
	genesisFlag = &cli.PathFlag{
		Name:  genesisName,
		Usage: "Genesis file of the network that is continued (default: that of the public network with its chain ID)",
	}
	checkpointFlag = &cli.StringFlag{
		Name:  checkpointName,
		Usage: "Trusted block as NUMBER:HASH, from which seals prove later ones (default: the genesis block)",
	}
	trustFlag = &cli.BoolFlag{
		Name:  trustName,
		Usage: "Prove blocks from the trusted one on whatever its age",
	}
	cacheFlag = &cli.PathFlag{
		Name:  cacheName,
		Usage: "Directory that keeps what was proven, by network",
		Value: filepath.Join(settings.DefaultDataDir(), "forks"),
	}
)

// Flags returns the flags in the order of the help.
func Flags() []cli.Flag {
	return []cli.Flag{URLFlag, genesisFlag, checkpointFlag, trustFlag, cacheFlag}
}

// Needless returns the name of a flag that is given without an endpoint, "" if there is none.
func Needless(ctx *cli.Context) string {
	for _, f := range Flags() {
		if name := f.Names()[0]; name != URLName && ctx.IsSet(name) && !ctx.IsSet(URLName) {
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

// Open opens the chain that the flags describe.
func Open(ctx *cli.Context) (*Chain, error) {
	c := &Chain{URL: remotestate.Shown(ctx.StringSlice(URLName)[0])}
	dir, err := filepath.Abs(program.ExpandHome(ctx.Path(cacheName)))
	if err != nil {
		return nil, fmt.Errorf("--%s: %w", cacheName, err)
	}
	options := remotestate.Options{URLs: ctx.StringSlice(URLName), TrustOld: ctx.Bool(trustName), Dir: dir}
	if options.Trusted, err = readCheckpoint(ctx.String(checkpointName)); err != nil {
		return nil, err
	}
	if err := c.findGenesis(ctx, dir); err != nil {
		return nil, err
	}
	options.Config, options.Genesis = c.Config, c.Header
	if c.Reader, err = remotestate.Open(ctx.Context, options); err != nil {
		return nil, fmt.Errorf("--%s: %w", URLName, err)
	}
	return c, nil
}

// Explain adds to an error which flag helps.
func Explain(err error) error {
	var wrong *remotestate.LieError
	switch {
	case errors.As(err, &wrong):
		return fmt.Errorf("%w (a --%s or --%s of another network has the same effect)", err, genesisName, checkpointName)
	case errors.Is(err, remotestate.ErrOld):
		return fmt.Errorf("%w, with --%s NUMBER:HASH, or give --%s", err, checkpointName, trustName)
	case errors.Is(err, finality.ErrTrust):
		return fmt.Errorf("%w: --%s has to name a block of this network, and --%s its genesis file", err, checkpointName,
			genesisName)
	}
	return err
}

// readCheckpoint reads NUMBER:HASH, nil for nothing.
func readCheckpoint(text string) (*finality.Trusted, error) {
	if text == "" {
		return nil, nil
	}
	digits, rest, found := strings.Cut(text, ":")
	number, err := strconv.ParseUint(digits, 10, 64)
	var hash common.Hash
	if !found || err != nil || hash.UnmarshalText([]byte(rest)) != nil {
		return nil, fmt.Errorf("--%s %.100q is no NUMBER:HASH, with a decimal number and a hash of 0x and 64 digits",
			checkpointName, text)
	}
	return &finality.Trusted{Number: number, Hash: hash}, nil
}

// findGenesis finds the genesis block: in the file that is given, or that of the public network.
func (c *Chain) findGenesis(ctx *cli.Context, dir string) error {
	code, err := datadir.StoredCode()
	if err != nil {
		return err
	}
	var info *core.GenesisInfo
	if name := ctx.Path(genesisName); name != "" {
		file, err := os.Open(program.ExpandHome(name))
		if err != nil {
			return fmt.Errorf("--%s: %w", genesisName, err)
		}
		given, err := core.ReadGenesis(file)
		if err = errors.Join(err, file.Close()); err != nil {
			return fmt.Errorf("--%s %s: %w", genesisName, name, err)
		}
		if c.Genesis, info, err = core.DescribeGenesis(given, code); err != nil {
			return fmt.Errorf("--%s %s: %w", genesisName, name, err)
		}
		c.Config, c.Header = given.Config, info.Header
		return nil
	}
	chainID, err := chainOf(ctx.Context, c.URL, ctx.StringSlice(URLName), dir)
	if err != nil {
		return err
	}
	network, public := params.NetworkByID(chainID)
	if !public {
		return fmt.Errorf("chain %d at %s is no public network: give its genesis file with --%s (a devnet has genesis.json "+
			"in its directory)", chainID, c.URL, genesisName)
	}
	if c.Genesis, info, err = core.DescribeGenesis(core.NetworkGenesis(network), code); err != nil {
		return fmt.Errorf("genesis of %s: %w", network.Name, err)
	}
	c.Config, c.Header = c.Genesis.Config, info.Header
	return nil
}

// chainOf returns the chain ID of an endpoint, or the one that it had when it could be reached. A wrong one chooses a
// genesis block that proves nothing of the endpoint.
func chainOf(ctx context.Context, url string, urls []string, dir string) (uint64, error) {
	ctx, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	known := filepath.Join(dir, fmt.Sprintf("endpoint-%x", sha256.Sum256([]byte(url)))[:25])
	chainID, err := remotestate.ChainID(ctx, urls)
	if err == nil {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return 0, fmt.Errorf("--%s: %w", cacheName, err)
		}
		return chainID, atomicfile.Write(known, fmt.Appendln(nil, chainID), 0o600)
	}
	stored, missing := os.ReadFile(known)
	if missing != nil {
		return 0, fmt.Errorf("--%s: %w", URLName, err)
	}
	if chainID, missing = strconv.ParseUint(strings.TrimSpace(string(stored)), 10, 64); missing != nil {
		return 0, fmt.Errorf("--%s: %s is damaged: remove it: %w", URLName, known, missing)
	}
	return chainID, nil
}
