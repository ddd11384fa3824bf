// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package remotechain

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/log"
	gethparams "github.com/ethereum/go-ethereum/params"
	"github.com/urfave/cli/v2"

	"gwon/cmd/internal/program"
	"gwon/consensus/finality"
	"gwon/consensus/finality/remotestate"
	"gwon/internal/atomicfile"
	"gwon/internal/dial"
	"gwon/params"
)

// Choice is the set of flags by which a command names a chain that is read from nodes.
type Choice struct {
	URL string // name of the flag for endpoints
	Use string // name of the flag without which no such chain is read

	network, genesis, checkpoint, trust, cache string // names of flags
	flags                                      []cli.Flag
}

const provenAnswers = ", whose answers are proven (%s: the next is asked when one fails)"

// Fork is the choice of gwon-dev node, Light that of gwon-dev light, and Proven that of commands which believe their
// node without it.
var (
	Fork = newChoice("fork", "fork", "fork.", "cache", "forks", "that is continued", &cli.StringSliceFlag{
		Name:  "fork",
		Usage: "Continue the network of this HTTP endpoint" + fmt.Sprintf(provenAnswers, "repeatable"),
	})
	Light = newChoice("rpc", "rpc", "", "datadir", "light", "that is read", &cli.StringSliceFlag{
		Name: "rpc",
		Usage: "HTTP endpoint of a node of the network" +
			fmt.Sprintf(provenAnswers, "several separated by commas, or repeated"),
	})
	Proven = newChoice("rpc", "proven", "", "datadir", "", "that is read", &cli.BoolFlag{
		Name:  "proven",
		Usage: "Believe nothing that seals and Merkle paths do not prove (HTTP endpoints, several separated by commas)",
	})
)

func newChoice(url, use, prefix, cache, dir, network string, first cli.Flag) *Choice {
	c := &Choice{
		URL: url, Use: use, network: prefix + "network", genesis: prefix + "genesis", checkpoint: prefix + "checkpoint",
		trust: prefix + "trust-genesis",
		cache: prefix + cache,
	}
	c.flags = []cli.Flag{
		first,
		&cli.StringFlag{
			Name:  c.network,
			Usage: "Public network " + network + ", testnet or mainnet: named once for an endpoint, and kept in --" + c.cache,
		},
		&cli.PathFlag{Name: c.genesis, Usage: "Genesis file of another network " + network},
		&cli.StringFlag{
			Name:  c.checkpoint,
			Usage: "Trusted block as NUMBER:HASH, from which seals prove later ones (default: the genesis block)",
		},
		&cli.BoolFlag{Name: c.trust, Usage: "Prove blocks from the trusted one on whatever its age"},
	}
	kept := &cli.PathFlag{Name: c.cache, Usage: "Directory that keeps what was proven, by network"}
	if dir != "" {
		kept.Value = filepath.Join(program.DefaultDataDir(), dir)
	} else {
		kept.Usage += " (default: light in the data directory, for notify proven in its state)"
	}
	c.flags = append(c.flags, kept)
	return c
}

// Flags returns the flags in the order of the help.
func (f *Choice) Flags() []cli.Flag { return f.flags }

// Needless returns the name of a flag that is given without the one that it goes with, "" if there is none.
func (f *Choice) Needless(ctx *cli.Context) string {
	for _, flag := range f.flags {
		if name := flag.Names()[0]; name != f.Use && ctx.IsSet(name) && !ctx.IsSet(f.Use) {
			return name
		}
	}
	return ""
}

// Chain is a chain that is read from nodes.
type Chain struct {
	Reader *remotestate.Reader
	Config *gethparams.ChainConfig
	URL    string // that is asked first, as texts show it

	choice     *Choice
	remembered string // network that the cache keeps for the endpoint, and its file; "" for none
}

// Explain adds to an error which flag helps, and which network is kept for the endpoint.
func (c *Chain) Explain(err error) error {
	explained := c.choice.Explain(err)
	if c.remembered != "" && errors.As(err, new(*remotestate.LieError)) {
		return fmt.Errorf("%w: %s is read as %s: remove that file to name another --%s", explained, c.URL, c.remembered,
			c.choice.network)
	}
	return explained
}

// ReadGenesis reads a genesis file. It returns the rules of the network, and the hash of its genesis block, zero where
// the reader does not make that block.
type ReadGenesis func(file io.Reader) (*gethparams.ChainConfig, common.Hash, error)

// ReadRules reads the rules of a genesis file. The hash of the block is that of the checkpoint.
func ReadRules(file io.Reader) (*gethparams.ChainConfig, common.Hash, error) {
	var genesis struct {
		Config *gethparams.ChainConfig `json:"config"`
	}
	content, err := atomicfile.ReadAll(file)
	if err == nil {
		err = json.Unmarshal(content, &genesis)
	}
	if err != nil {
		return nil, common.Hash{}, fmt.Errorf("read the genesis file: %w", err)
	}
	if genesis.Config == nil || !genesis.Config.IsAnzeon() {
		return nil, common.Hash{}, errors.New("it has no chain configuration with a section \"anzeon\"")
	}
	return genesis.Config, common.Hash{}, genesis.Config.CheckConfigForkOrder()
}

// Cache returns the directory of the flags that keeps what was proven.
func (f *Choice) Cache(ctx *cli.Context) string { return ctx.Path(f.cache) }

// OpenAt opens the chain that the flags describe at endpoints that others name, and keeps what was proven in a
// directory. Bounds of its reader are those of the options. Without a genesis file the chain ID says which public
// network it is; 0 is the one that the flag names, now or at the first start.
func (f *Choice) OpenAt(ctx *cli.Context, urls []string, chainID uint64, dir string, options remotestate.Options,
	read ReadGenesis,
) (*Chain, error) {
	if len(urls) == 0 {
		return nil, fmt.Errorf("give the endpoint of a node: --%s URL", f.URL)
	}
	c := &Chain{URL: dial.Shown(urls[0]), choice: f}
	dir, err := filepath.Abs(program.ExpandHome(dir))
	if err != nil {
		return nil, fmt.Errorf("--%s: %w", f.cache, err)
	}
	options.URLs, options.TrustOld, options.Dir = urls, ctx.Bool(f.trust), dir
	if options.Trusted, err = f.readCheckpoint(ctx.String(f.checkpoint)); err != nil {
		return nil, err
	}
	if c.Config, options.Genesis, err = f.findGenesis(ctx, c, chainID, dir, read); err != nil {
		return nil, err
	}
	switch trusted := options.Trusted; {
	case options.Genesis != common.Hash{}:
	case trusted == nil:
		return nil, fmt.Errorf("--%s has the rules of the network: name a block of it that you trust with --%s NUMBER:HASH "+
			"(gwon genesis show FILE prints the hash of block 0)", f.genesis, f.checkpoint)
	case trusted.Number == 0:
		options.Genesis = trusted.Hash
	}
	options.Config = c.Config
	if wbft := c.Config.Anzeon; options.Trusted == nil && wbft != nil && len(wbft.Init.Validators) == 1 {
		log.Warn("Proofs rest on one key: the genesis block appoints one validator", "remedy", "--"+f.checkpoint)
	}
	if c.Reader, err = remotestate.Open(ctx.Context, options); err != nil {
		return nil, fmt.Errorf("--%s: %w", f.URL, err)
	}
	return c, nil
}

// Dir returns the directory that keeps what was proven: the one that is given, otherwise another default.
func (f *Choice) Dir(ctx *cli.Context, otherwise string) string {
	if ctx.IsSet(f.cache) {
		return ctx.Path(f.cache)
	}
	return otherwise
}

// NamesGenesis reports whether a genesis file is given.
func (f *Choice) NamesGenesis(ctx *cli.Context) bool { return ctx.IsSet(f.genesis) }

// Endpoints splits a list of endpoints at its commas.
func Endpoints(list string) []string {
	var urls []string
	for url := range strings.SplitSeq(list, ",") {
		if url = strings.TrimSpace(url); url != "" {
			urls = append(urls, url)
		}
	}
	return urls
}

// Explain adds to an error which flag helps.
func (f *Choice) Explain(err error) error {
	switch {
	case errors.As(err, new(*remotestate.LieError)):
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

// findGenesis returns rules and genesis block of a chain: of the file that is given, or of the public network.
func (f *Choice) findGenesis(ctx *cli.Context, c *Chain, chainID uint64, dir string, read ReadGenesis) (
	*gethparams.ChainConfig, common.Hash, error,
) {
	if name := ctx.Path(f.genesis); name != "" {
		file, err := os.Open(program.ExpandHome(name))
		if err != nil {
			return nil, common.Hash{}, fmt.Errorf("--%s: %w", f.genesis, err)
		}
		config, hash, err := read(file)
		if err = errors.Join(err, file.Close()); err != nil {
			return nil, common.Hash{}, fmt.Errorf("--%s %s: %w", f.genesis, name, err)
		}
		return config, hash, nil
	}
	if chainID == 0 {
		var err error
		if chainID, err = f.chainOf(ctx, c, dir); err != nil {
			return nil, common.Hash{}, err
		}
	}
	network, public := params.NetworkByID(chainID)
	if !public {
		return nil, common.Hash{}, fmt.Errorf("chain %d is no public network: give its genesis file with --%s (a devnet has "+
			"genesis.json in its directory)", chainID, f.genesis)
	}
	if given := ctx.String(f.network); given != "" && given != network.Name {
		return nil, common.Hash{}, fmt.Errorf("--%s %.40q: chain %d is %s", f.network, given, chainID, network.Name)
	}
	return network.Config(), network.GenesisHash, nil
}

// chainOf returns the chain ID of the public network that the user has named for an endpoint, now or at an earlier
// start with this directory. What the endpoint says about itself chooses nothing.
func (f *Choice) chainOf(ctx *cli.Context, c *Chain, dir string) (uint64, error) {
	url := c.URL
	file := filepath.Join(dir, fmt.Sprintf("network-%x", sha256.Sum256([]byte(url)))[:24])
	stored, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return 0, fmt.Errorf("--%s: %w", f.cache, err)
	}
	given, pinned := ctx.String(f.network), strings.TrimSpace(string(stored))
	network, public := params.NetworkByName(cmp.Or(given, pinned))
	switch {
	case given == "" && pinned == "":
		return 0, fmt.Errorf("an endpoint does not choose the network: name that of %s once with --%s testnet or mainnet, "+
			"or give the genesis file of another one with --%s (a devnet has genesis.json in its directory)", url, f.network,
			f.genesis)
	case !public && given != "":
		return 0, fmt.Errorf("--%s %.40q is no public network: testnet and mainnet are", f.network, given)
	case !public:
		return 0, fmt.Errorf("--%s: %s is damaged: remove it", f.cache, file)
	case pinned == network.Name:
		c.remembered = pinned + " by " + file
		return network.ID, nil
	case pinned != "":
		return 0, fmt.Errorf("--%s %s: %s was read as %s before: remove %s if that was wrong", f.network, given, url, pinned,
			file)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return 0, fmt.Errorf("--%s: %w", f.cache, err)
	}
	c.remembered = network.Name + " by " + file
	return network.ID, atomicfile.Write(file, []byte(network.Name+"\n"), 0o600)
}
