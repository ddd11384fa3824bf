// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package diagnosis

import (
	"context"
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
	"strings"

	"github.com/ethereum/go-ethereum/cmd/bridge"
	"github.com/ethereum/go-ethereum/cmd/utils"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/fdlimit"
	"github.com/ethereum/go-ethereum/crypto"
	gethrpc "github.com/ethereum/go-ethereum/rpc"
	"github.com/urfave/cli/v2"

	"gwon/cmd/internal/damage"
	"gwon/cmd/internal/datadir"
	"gwon/cmd/internal/keys"
	"gwon/cmd/internal/nodestart"
	"gwon/cmd/internal/program"
	"gwon/cmd/internal/settings"
	"gwon/consensus/wbft"
	"gwon/consensus/wbft/keylock"
	"gwon/consensus/wbft/signer/wire"
	"gwon/consensus/wbft/votelog"
	"gwon/internal/dial"
	"gwon/internal/failures"
	"gwon/operator/doctor"
	"gwon/operator/status"
	"gwon/params"
)

// DoctorCommandName is the name of DoctorCommand.
const DoctorCommandName = "doctor"

// DoctorCommand looks for what is wrong with a node and its machine.
var DoctorCommand = &cli.Command{
	Name:  DoctorCommandName,
	Usage: "Look for what is wrong with a node and its machine",
	Description: "Takes the flags and the configuration file of the node, and works while the node runs and while " +
		"it does not. Each finding is one sentence with the cure. Exit status: 1 if any finding is bad, otherwise 0.",
	// All of the node, so that its whole command line can stand here.
	Flags:  slices.Concat([]cli.Flag{program.JSONFlag}, settings.NodeFlags(), settings.ConsoleFlags, bridge.DebugFlags),
	Action: runDoctor,
}

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
		return program.ErrShown
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
	keyFile, unclear := keys.NodeKeyAt(ctx, dir)
	if unclear != nil {
		return append(checks, doctor.Test("key", func() (string, error) { return "", unclear })), func() {}
	}
	checks = append(checks, checkEndpoints(cfg.UselessFlags(ctx)))
	guard, near := settings.NewDiskGuard(ctx, cfg), doctor.Existing(instance)
	dirs := guard.OnePerDisk()
	if len(dirs) == 0 {
		dirs = []string{near}
	}
	keyCheck := doctor.Key(keyFile)
	if cfg.Gwon.Signer != "" {
		keyCheck = doctor.Test("signer", func() (string, error) { return checkSigner(cfg) })
	}
	if ctx.IsSet(settings.NodeKeyPasswordFlag.Name) && cfg.Gwon.Signer == "" {
		checks = append(checks, doctor.Test("password", func() (string, error) { return checkPassword(ctx, keyFile) }))
	}
	checks = append(checks, doctor.Directory(dir), keyCheck, doctor.Disk(dirs, guard.Free, guard.Ask),
		doctor.SyncLatency(near), doctor.Files(fdlimit.Maximum), doctor.Synchronized(doctor.KernelClock))
	if client := dialRunningNode(cfg); client != nil {
		return append(checks, runningChecks(ctx, cfg, client)...), client.Close
	}
	key := nodeKey{file: keyFile, digits: ctx.String(utils.NodeKeyHexFlag.Name)}
	return append(checks, stoppedChecks(ctx, cfg, key)...), func() {}
}

// nodeKey is the key that the node would use: the digits of --nodekeyhex, otherwise the one in a file.
type nodeKey struct{ file, digits string }

func (k nodeKey) address() (common.Address, error) {
	if k.digits == "" {
		return doctor.KeyAddress(k.file)
	}
	key, err := crypto.HexToECDSA(k.digits)
	if err != nil {
		return common.Address{}, err
	}
	return crypto.PubkeyToAddress(key.PublicKey), nil
}

// checkPassword opens the node key as a start does. It asks at no terminal, because the flag is given.
func checkPassword(ctx *cli.Context, file string) (string, error) {
	if _, err := os.Lstat(file); errors.Is(err, fs.ErrNotExist) {
		return "there is no node key yet that it could open", nil
	}
	if _, err := keys.ReadNodeKey(ctx, file); err != nil {
		return "", err
	}
	return "the node key can be opened", nil
}

// checkEndpoints warns of flags that have no effect.
func checkEndpoints(useless []settings.Useless) doctor.Check {
	return doctor.Check{Name: "config", Run: func(_ context.Context, report func(string, string, ...any)) {
		for _, group := range useless {
			report(doctor.Warn, "%s: no effect, %s", strings.Join(group.Flags, " "), group.Remedy)
		}
	}}
}

// doctorConfig returns the configuration as a start reads it, as far as that opens nothing.
func doctorConfig(ctx *cli.Context) (*settings.Config, error) {
	if err := settings.CheckHealthFlags(ctx); err != nil {
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

func runningChecks(ctx *cli.Context, cfg *settings.Config, client *gethrpc.Client) []doctor.Check {
	return []doctor.Check{
		doctor.Test("network", func() (string, error) {
			var header struct { // which a node without old blocks has, too
				Hash common.Hash `json:"hash"`
			}
			if err := dial.Ask(ctx.Context, client, &header, "eth_getHeaderByNumber", "0x0"); err != nil {
				return fmt.Sprintf("the node does not name its genesis block: %v", err), nil
			}
			return checkNetwork(ctx, cfg, &datadir.StoredChain{Genesis: header.Hash})
		}),
		doctor.Running(status.Node{Client: client, Endpoint: cfg.Node.IPCEndpoint(), Local: true, Free: utils.FreeDiskSpace}),
		doctor.Clock(client),
	}
}

// stoppedChecks look at what a running node holds.
func stoppedChecks(ctx *cli.Context, cfg *settings.Config, key nodeKey) []doctor.Check {
	chain, err := datadir.ReadStoredChain(cfg)
	if damage.IsLocked(err) {
		return []doctor.Check{doctor.Test("node", func() (string, error) {
			return "a node runs with this data directory and has no IPC endpoint: ask it with gwon status --rpc", nil
		})}
	}
	if err == nil {
		err = chain.CheckFiles(cfg)
	}
	checks := []doctor.Check{
		doctor.Test("database", func() (string, error) { return databaseText(&chain), err }),
		doctor.Test("network", func() (string, error) { return checkNetwork(ctx, cfg, &chain) }),
		doctor.Ports(nodePorts(cfg)),
	}
	if cfg.Gwon.Signer != "" {
		return checks // key and vote log are in the signer
	}
	return append(
		checks,
		doctor.Test("votes", func() (string, error) {
			return checkVotes(cfg.Node.ResolvePath(wbft.VoteLogFile), key, chain.Genesis)
		}),
		doctor.Test("key lock", func() (string, error) { return checkKeyLock(key, chain.Genesis) }),
	)
}

// checkSigner connects to the process that has the key. It asks for nothing, which would take the right to sign.
func checkSigner(cfg *settings.Config) (string, error) {
	if err := nodestart.RefuseBesideSigner(cfg.Node.DataDir); err != nil {
		return "", err
	}
	credentials, err := nodestart.SignerCredentials(cfg)
	if err != nil {
		return "", err
	}
	conn, err := wire.Dial(cfg.Gwon.Signer, credentials)
	if err != nil {
		return "", fmt.Errorf("%w: start gwon-signer run; its --peer has to name the user of this node", err)
	}
	return fmt.Sprintf("%s can be reached; gwon-signer status, run by the signer's user, says more", cfg.Gwon.Signer),
		conn.Close()
}

func databaseText(chain *datadir.StoredChain) string {
	if chain.Genesis == (common.Hash{}) {
		return "there is no chain yet: the first start with --testnet or --mainnet, or gwon init, makes it"
	}
	return fmt.Sprintf("the chain can be read up to block %d", chain.Head)
}

// checkNetwork compares the chain with the network that flags or configuration file ask for.
func checkNetwork(ctx *cli.Context, cfg *settings.Config, chain *datadir.StoredChain) (string, error) {
	if chain.Genesis == (common.Hash{}) {
		return "there is no chain yet, of whatever network", nil
	}
	if err := chain.CheckNetwork(settings.FlaggedPreset(ctx), cfg.Node.DataDir); err != nil {
		return "", err
	}
	id := cfg.Eth.NetworkId
	if ctx.IsSet(utils.NetworkIdFlag.Name) {
		id = ctx.Uint64(utils.NetworkIdFlag.Name)
	}
	name := "a network of your own"
	for _, n := range params.Networks() {
		switch {
		case chain.Genesis == n.GenesisHash && id != 0 && id != n.ID:
			return "", fmt.Errorf("the chain in %s is that of --%s (genesis block %v), whose network ID is %d, not %d: mend "+
				"--%s or Eth.NetworkId, or give another --datadir", cfg.Node.DataDir, n.Name, n.GenesisHash, n.ID, id,
				utils.NetworkIdFlag.Name)
		case chain.Genesis == n.GenesisHash:
			name = "--" + n.Name
		case id == n.ID:
			return "", fmt.Errorf("the chain in %s has genesis block %v, and network ID %d is that of --%s (%v): mend --%s or "+
				"Eth.NetworkId, or give another --datadir", cfg.Node.DataDir, chain.Genesis, id, n.Name, n.GenesisHash,
				utils.NetworkIdFlag.Name)
		}
	}
	return "the chain is that of " + name, nil
}

// checkVotes reads the vote log, and compares it with the key and the chain. The error says what to do.
func checkVotes(path string, key nodeKey, genesis common.Hash) (string, error) {
	votes, err := votelog.Look(votelog.OS{}, path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "there is no vote log: this node has not voted", nil
	case failures.Cure(err) != "":
		return "", err
	case err != nil:
		return "", fmt.Errorf("%w: see docs/operate/runbooks/votes-lost.md", err)
	}
	messages := 0
	for _, signatory := range votes.Data {
		messages += len(signatory.Messages)
	}
	owner := votes.Owner()
	if genesis != (common.Hash{}) && owner.Genesis != genesis {
		return "", fmt.Errorf("the vote log %s belongs to the network with genesis block %v, the chain here has %v: give "+
			"another --datadir, or make a new key for this network", path, owner.Genesis, genesis)
	}
	const cure = "restore the node key of %v, or move the vote log to where that key is (docs/operate/validator.md)"
	switch address, err := key.address(); {
	case errors.Is(err, fs.ErrNotExist):
		return "", fmt.Errorf("the vote log %s holds what %v has signed, and there is no node key %s: "+cure, path,
			owner.Validator, key.file, owner.Validator)
	case err == nil && address != owner.Validator:
		return "", fmt.Errorf("the vote log %s holds what %v has signed, and the node key is that of %v: "+cure, path,
			owner.Validator, address, owner.Validator)
	}
	return fmt.Sprintf("the vote log can be read: %d votes", messages), nil
}

// checkKeyLock tries the lock that keeps two processes of this machine from signing with one key.
func checkKeyLock(key nodeKey, genesis common.Hash) (string, error) {
	address, err := key.address()
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
