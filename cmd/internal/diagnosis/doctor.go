// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package diagnosis

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/ethereum/go-ethereum/cmd/utils"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/fdlimit"
	gethrpc "github.com/ethereum/go-ethereum/rpc"
	"github.com/urfave/cli/v2"

	"gwon/cmd/internal/damage"
	"gwon/cmd/internal/datadir"
	"gwon/cmd/internal/keys"
	"gwon/cmd/internal/program"
	"gwon/cmd/internal/settings"
	"gwon/consensus/wbft"
	"gwon/consensus/wbft/keylock"
	"gwon/consensus/wbft/votelog"
	"gwon/doctor"
	"gwon/status"
)

// DoctorCommandName is the name of DoctorCommand.
const DoctorCommandName = "doctor"

// DoctorCommand looks for what is wrong with a node and its machine.
var DoctorCommand = &cli.Command{
	Name:  DoctorCommandName,
	Usage: "Look for what is wrong with a node and its machine",
	Description: `Takes the flags and the configuration file of the node, and works while the node runs and while it ` +
		`does not. Each
finding is one sentence with the cure. Exit status: 1 if any finding is bad, otherwise 0.`,
	Flags:  append([]cli.Flag{program.JSONFlag}, settings.NodeFlags()...),
	Action: runDoctor,
}

var errBadFindings = errors.New("some findings are bad")

func runDoctor(ctx *cli.Context) error {
	checks, closeAll := doctorChecks(ctx)
	defer closeAll()
	findings := doctor.Examine(ctx.Context, checks)
	write := doctor.WriteText
	if ctx.Bool(program.JSONFlag.Name) {
		write = func(w io.Writer, findings []doctor.Finding) error { return json.NewEncoder(w).Encode(findings) }
	}
	if err := write(ctx.App.Writer, findings); err != nil {
		return err
	}
	if doctor.AnyBad(findings) {
		return errBadFindings
	}
	return nil
}

// doctorChecks returns the checks of the node that the flags describe. A configuration that cannot be read leaves one.
func doctorChecks(ctx *cli.Context) (checks []doctor.Check, closeAll func()) {
	cfg, err := doctorConfig(ctx)
	checks = append(
		checks,
		doctor.Test("config", func() (string, error) { return "flags and configuration file can be used", err }),
	)
	if err != nil {
		return checks, func() {}
	}
	dir := cfg.Node.DataDir
	instance := filepath.Join(dir, program.Name)
	keyFile, err := keys.NodeKeyIn(dir)
	if err != nil {
		return append(checks, doctor.Test("key", func() (string, error) { return "", err })), func() {}
	}
	if ctx.IsSet(utils.NodeKeyFileFlag.Name) {
		keyFile = program.ExpandHome(ctx.String(utils.NodeKeyFileFlag.Name))
	}
	guard, near := settings.NewDiskGuard(ctx, cfg), doctor.Existing(instance)
	dirs := []string{near}
	if ancient := cfg.Eth.DatabaseFreezer; filepath.IsAbs(ancient) {
		dirs = append(dirs, doctor.Existing(ancient))
	}
	checks = append(checks, doctor.Directory(dir), doctor.Key(keyFile), doctor.Disk(dirs, guard.Free, guard.Ask),
		doctor.SyncLatency(near), doctor.Files(fdlimit.Maximum), doctor.Synchronized(doctor.KernelClock))
	if client := dialRunningNode(cfg); client != nil {
		return append(checks, runningChecks(cfg, client)...), client.Close
	}
	return append(checks, stoppedChecks(cfg, keyFile)...), func() {}
}

// doctorConfig returns the configuration as a start reads it, as far as that opens nothing.
func doctorConfig(ctx *cli.Context) (*settings.Config, error) {
	if err := errors.Join(settings.CheckNetworkFlags(ctx), settings.CheckHealthFlags(ctx)); err != nil {
		return nil, err
	}
	cfg, upstream, err := settings.Load(ctx)
	if err != nil {
		return nil, err
	}
	if _, err := cfg.ApplyProfile(ctx); err != nil {
		return nil, err
	}
	utils.SetMetricsConfig(upstream, &cfg.Metrics)
	if cfg.Node.DataDir == "" {
		return nil, errors.New("no data directory: give --datadir")
	}
	cfg.Node.DataDir, err = filepath.Abs(cfg.Node.DataDir)
	return cfg, err
}

// dialRunningNode connects to the node that runs with a data directory; nil for none that answers over IPC.
func dialRunningNode(cfg *settings.Config) *gethrpc.Client {
	path := cfg.Node.IPCEndpoint()
	if _, err := os.Stat(path); err != nil {
		return nil
	}
	client, err := gethrpc.Dial(path)
	if err != nil {
		return nil // left behind by a node that was killed
	}
	return client
}

func runningChecks(cfg *settings.Config, client *gethrpc.Client) []doctor.Check {
	return []doctor.Check{
		doctor.Running(status.Node{Client: client, Endpoint: cfg.Node.IPCEndpoint(), Local: true, Free: utils.FreeDiskSpace}),
		doctor.Clock(client),
	}
}

// stoppedChecks look at what a running node holds.
func stoppedChecks(cfg *settings.Config, keyFile string) []doctor.Check {
	chain, err := datadir.ReadStoredChain(cfg)
	if damage.IsLocked(err) {
		return []doctor.Check{doctor.Test("node", func() (string, error) {
			return "a node runs with this data directory and has no IPC endpoint: ask it with gwon status --rpc", nil
		})}
	}
	return []doctor.Check{
		doctor.Test("database", func() (string, error) { return databaseText(&chain), err }),
		doctor.Test("votes", func() (string, error) { return checkVotes(cfg.Node.ResolvePath(wbft.VoteLogFile)) }),
		doctor.Test("key lock", func() (string, error) { return checkKeyLock(keyFile, chain.Genesis) }),
		doctor.Ports(nodePorts(cfg)),
	}
}

func databaseText(chain *datadir.StoredChain) string {
	if chain.Genesis == (common.Hash{}) {
		return "there is no chain yet: the first start with --testnet or --mainnet, or gwon init, makes it"
	}
	return fmt.Sprintf("the chain can be read up to block %d", chain.Head)
}

// checkVotes reads the vote log. The error says what to do.
func checkVotes(path string) (string, error) {
	votes, err := votelog.Look(votelog.OS{}, path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "there is no vote log: this node has not voted", nil
	case err != nil:
		return "", fmt.Errorf("%w: see docs/operate/runbooks/votes-lost.md", err)
	}
	messages := 0
	for _, signatory := range votes.Data {
		messages += len(signatory.Messages)
	}
	return fmt.Sprintf("the vote log can be read: %d votes", messages), nil
}

// checkKeyLock tries the lock that keeps two processes of this machine from signing with one key.
func checkKeyLock(keyFile string, genesis common.Hash) (string, error) {
	address, err := doctor.KeyAddress(keyFile)
	if err != nil || genesis == (common.Hash{}) {
		return "no process can have the key: it or its chain is not there yet, or not readable", nil
	}
	lock, err := keylock.Acquire(address, genesis)
	if err != nil {
		return "", err
	}
	return "no other process of this machine validates with the key", lock.Close()
}

// nodePorts returns the addresses that the node will listen at.
func nodePorts(cfg *settings.Config) (ports []doctor.Port) {
	n := &cfg.Node
	add := func(network, address, flag string) {
		ports = append(ports, doctor.Port{Network: network, Address: address, Flag: flag})
	}
	if n.P2P.ListenAddr != "" {
		add("tcp", n.P2P.ListenAddr, utils.ListenPortFlag.Name)
	}
	if !n.P2P.NoDiscovery {
		address := n.P2P.DiscAddr
		if address == "" {
			address = n.P2P.ListenAddr
		}
		add("udp", address, utils.DiscoveryPortFlag.Name)
	}
	local := func(host string, port int) string { return net.JoinHostPort(host, strconv.Itoa(port)) }
	if n.HTTPHost != "" {
		add("tcp", local(n.HTTPHost, n.HTTPPort), utils.HTTPPortFlag.Name)
	}
	if n.WSHost != "" && (n.WSPort != n.HTTPPort || n.HTTPHost == "") {
		add("tcp", local(n.WSHost, n.WSPort), utils.WSPortFlag.Name)
	}
	if cfg.Gwon.Profile == settings.ProfileOperator {
		add("tcp", local("127.0.0.1", cfg.Gwon.OperatorPort), settings.RPCOperatorPortFlag.Name)
	}
	if cfg.Metrics.Enabled && cfg.Metrics.HTTP != "" {
		add("tcp", local(cfg.Metrics.HTTP, cfg.Metrics.Port), utils.MetricsPortFlag.Name)
	}
	return slices.Compact(ports)
}
