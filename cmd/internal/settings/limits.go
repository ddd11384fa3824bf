// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package settings

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/ethereum/go-ethereum/cmd/bridge"
	"github.com/ethereum/go-ethereum/cmd/utils"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/rawdb"
	"github.com/ethereum/go-ethereum/eth/ethconfig"
	"github.com/ethereum/go-ethereum/log"
	"github.com/ethereum/go-ethereum/p2p/enode"
	"github.com/ethereum/go-ethereum/p2p/nat"
	"github.com/ethereum/go-ethereum/p2p/netutil"
	"github.com/urfave/cli/v2"

	"gwon/cmd/internal/program"
	"gwon/consensus/wbft/recording"
	"gwon/internal/process"
	"gwon/internal/txobject"
)

// Mebibyte is the unit of memory and disk space in bytes.
const Mebibyte = 1 << 20

// limitMemory sets the soft limit of Go's runtime from what this process may use: the limit of its control group or,
// without one, the memory of the machine. --memorylimit and GOMEMLIMIT take precedence.
func limitMemory(ctx *cli.Context) {
	if ctx.IsSet(utils.MemoryLimitFlag.Name) || os.Getenv("GOMEMLIMIT") != "" {
		return
	}
	total, source := bridge.UsableMemory()
	if total == 0 {
		log.Warn("Memory limit unknown", "remedy", "set --memorylimit")
		return
	}
	limit := process.LimitMemory(total, uint64(max(ctx.Int(utils.CacheFlag.Name), 0))*Mebibyte)
	log.Info("Memory limit set", "limitMiB", limit/Mebibyte, "usableMiB", total/Mebibyte, "source", source)
}

// checkValues refuses values that upstream would take for something else, or report as a fault of the database.
func checkValues(ctx *cli.Context) error {
	for _, f := range []*cli.IntFlag{utils.MinFreeDiskSpaceFlag, utils.CacheFlag} {
		if n := ctx.Int(f.Name); n < 0 {
			return fmt.Errorf("--%s %d: give 0 or more", f.Name, n)
		}
	}
	for _, url := range utils.SplitAndTrim(ctx.String(utils.BootnodesFlag.Name)) {
		if _, err := enode.Parse(enode.ValidSchemes, url); err != nil {
			return fmt.Errorf("--%s: %q is not the URL of a node, such as enode://KEY@10.0.0.1:30303: %w",
				utils.BootnodesFlag.Name, url, err)
		}
	}
	return checkChoices(ctx)
}

// choices are the flags whose values upstream answers with the end of the process, and what they allow.
var choices = []struct {
	flag  cli.Flag
	check func(value string) error
	allow string
}{
	{utils.SyncModeFlag, func(v string) error { return new(ethconfig.SyncMode).UnmarshalText([]byte(v)) }, "full or snap"},
	{utils.GCModeFlag, oneOf("full", "archive"), "full or archive"},
	{utils.DBEngineFlag, oneOf("pebble", "leveldb"), "pebble or leveldb"},
	{utils.CryptoKZGFlag, oneOf("gokzg"), "gokzg, which alone is built in"},
	{utils.NATFlag, checkNAT, "any, none, upnp, pmp, pmp:IP, extip:IP, stun or stun:IP:PORT"},
	{utils.NetrestrictFlag, checkNetlist, "networks in CIDR notation with commas between, such as 10.0.0.0/8"},
	{utils.TxPoolLocalsFlag, checkAddresses, "addresses with commas between"},
	{utils.EthRequiredBlocksFlag, checkRequired, "NUMBER=HASH with commas between"},
	{whitelistFlag, checkRequired, "NUMBER=HASH with commas between"},
}

var errChoice = errors.New("no such choice")

func oneOf(values ...string) func(string) error {
	return func(v string) error {
		if !slices.Contains(values, v) {
			return errChoice
		}
		return nil
	}
}

func checkNAT(value string) error {
	_, err := nat.Parse(value)
	return err
}

func checkNetlist(value string) error {
	_, err := netutil.ParseNetlist(value)
	return err
}

func checkAddresses(value string) error {
	for address := range strings.SplitSeq(value, ",") {
		if _, err := txobject.ParseAddress(strings.TrimSpace(address)); err != nil {
			return err
		}
	}
	return nil
}

func checkRequired(value string) error {
	if value == "" {
		return nil
	}
	for entry := range strings.SplitSeq(value, ",") {
		number, hash, _ := strings.Cut(entry, "=")
		if _, err := strconv.ParseUint(number, 0, 64); err != nil {
			return err
		}
		if err := new(common.Hash).UnmarshalText([]byte(hash)); err != nil {
			return err
		}
	}
	return nil
}

// checkChoices refuses the values that are none of their flags', all of them at once.
func checkChoices(ctx *cli.Context) error {
	var errs []error
	for _, c := range choices {
		name := c.flag.Names()[0]
		if value := ctx.String(name); ctx.IsSet(name) && c.check(value) != nil {
			errs = append(errs, fmt.Errorf("--%s %q is not possible: give %s", name, value, c.allow))
		}
	}
	return errors.Join(errs...)
}

// Useless is a group of flags that are given, and have no effect.
type Useless struct {
	Flags  []string // with their dashes
	Remedy string
}

// UselessFlags returns the given flags of endpoints that the node does not open. It is asked behind ApplyProfile.
func (cfg *Config) UselessFlags(ctx *cli.Context) (groups []Useless) {
	for _, group := range []struct {
		open     bool
		opens    *cli.BoolFlag
		prefixes []string
	}{
		{cfg.Node.HTTPHost != "", utils.HTTPEnabledFlag, []string{"http.", "graphql"}},
		{cfg.Node.WSHost != "", utils.WSEnabledFlag, []string{"ws."}},
	} {
		if group.open {
			continue
		}
		var given []string
		for _, flag := range upstreamRPCFlags {
			name := flag.Names()[0]
			ours := func(prefix string) bool { return strings.HasPrefix(name, prefix) }
			if ctx.IsSet(name) && slices.ContainsFunc(group.prefixes, ours) {
				given = append(given, "--"+name)
			}
		}
		if len(given) > 0 {
			groups = append(groups, Useless{given, "add --" + group.opens.Name})
		}
	}
	return groups
}

// NewDiskGuard watches the disks of the data directory, and of each directory in it that may be on a disk of its own or
// behind a link. Unless the flag sets a limit there has to be room for twice what a shutdown writes: 256 MiB at most.
func NewDiskGuard(ctx *cli.Context, cfg *Config) *process.DiskGuard {
	g := &process.DiskGuard{Ask: utils.FreeDiskSpace, Files: process.FreeFiles, Flag: utils.MinFreeDiskSpaceFlag.Name}
	dirty := cfg.Eth.TrieDirtyCache
	if ctx.IsSet(utils.CacheFlag.Name) || ctx.IsSet(utils.CacheGCFlag.Name) { // NewStack has not applied them yet
		dirty = ctx.Int(utils.CacheFlag.Name) * ctx.Int(utils.CacheGCFlag.Name) / 100
	}
	g.Free = 2 * Mebibyte * uint64(max(0, min(dirty, 256)))
	if ctx.IsSet(utils.MinFreeDiskSpaceFlag.Name) {
		g.Free = Mebibyte * uint64(max(0, ctx.Int(utils.MinFreeDiskSpaceFlag.Name)))
	}
	if cfg.Node.DataDir == "" {
		if filepath.IsAbs(cfg.Eth.DatabaseFreezer) {
			g.Dirs = []string{cfg.Eth.DatabaseFreezer}
		}
		return g
	}
	ancient := cfg.AncientDir()
	g.Dirs = []string{
		cfg.Node.DataDir, filepath.Join(cfg.Node.DataDir, program.Name), filepath.Join(cfg.Node.DataDir, "keystore"),
		cfg.Node.ResolvePath("chaindata"), ancient, filepath.Join(ancient, rawdb.ChainFreezerName),
		filepath.Join(ancient, rawdb.MerkleStateFreezerName), filepath.Join(ancient, rawdb.MerkleTrienodeFreezerName),
		cfg.Node.ResolvePath("triedb"), cfg.Node.ResolvePath(filepath.Join("triedb", "layers")),
		cfg.Node.ResolvePath("nodes"), cfg.Node.ResolvePath("contracts"), cfg.Node.ResolvePath(recording.Dir),
	}
	return g
}

// AncientDir returns the directory of the ancient stores, as go-ethereum's node does.
func (cfg *Config) AncientDir() string {
	switch dir := cfg.Eth.DatabaseFreezer; {
	case dir == "":
		return filepath.Join(cfg.Node.ResolvePath("chaindata"), "ancient")
	case filepath.IsAbs(dir):
		return dir
	default:
		return cfg.Node.ResolvePath(dir)
	}
}
