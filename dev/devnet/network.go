// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package devnet

import (
	"crypto/ecdsa"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/big"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/ethereum/go-ethereum/accounts/keystore"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/gofrs/flock"

	"gwon/consensus/wbft/bls"
	"gwon/contracts/dev"
	"gwon/contracts/store"
	"gwon/core"
	"gwon/internal/atomicfile"
	"gwon/internal/process"
	"gwon/params"
)

// Names in the network's directory. Reset removes them and the nodes' directories; the lock stays.
const (
	markerFile   = "devnet.json"
	genesisFile  = "genesis.json"
	passwordFile = "password"
	lockFile     = "devnet.lock"
	controlFile  = "control.ipc"
	nodePattern  = "node[0-9]*"
	partialMark  = ".new" // suffix of partial files in earlier versions
)

// SponsorDir is the directory of a sponsor's files below the network's.
const SponsorDir = "sponsor"

// signFromOption makes a node sign from a block on despite lost votes. A waiting node names it in its log.
const signFromOption = "--validator.signfrom"

// feePayerPassword encrypts the fee payer's key file, because a key store needs one. The key itself is public.
const feePayerPassword = "devnet"

// Limits of a network on one machine.
const (
	maxValidators = 64
	maxAccounts   = 1000
)

// Options describes a network.
type Options struct {
	Dir        string
	Validators int
	Accounts   int
	ChainID    uint64
	Period     time.Duration // between blocks, whole seconds
	HTTPPort   int           // of the first node; each node takes one. 0 picks free ports
	PortsMove  bool          // skip ports in use; otherwise they are an error
	Reset      bool          // remove the chain in Dir
	Archive    bool          // the nodes keep every state
	SignFrom   uint64        // --validator.signfrom of the nodes: block to sign from despite lost votes; 0 for none
	Command    string        // command that runs this network, for messages

	// Contracts is the version of the system contracts: params.G1, or params.V1 with the code of Code. Funded accounts
	// are the members of their governance then. Empty means v1 without code, governed by the validators' own keys.
	Contracts     string
	KeepContracts bool            // an existing network keeps its version
	KeepChainID   bool            // an existing network keeps its chain ID
	Code          core.CodeSource // of v1; may be nil
}

// settings are the values that stay the same between runs of a network.
type settings struct {
	Validators int    `json:"validators"`
	Accounts   int    `json:"accounts"`
	ChainID    uint64 `json:"chainId"`
	Period     uint64 `json:"periodSeconds"`
	Contracts  string `json:"contracts,omitempty"`
}

// Network is a prepared network. Its files are written, and no process runs.
type Network struct {
	Dir      string
	ChainID  uint64
	Period   time.Duration
	Nodes    []*Node
	Accounts []Account
	Archive  bool
	SignFrom uint64 // as in Options
	Command  string // as in Options

	Contracts string           // as in Options
	Members   []common.Address // of the four governances: funded accounts, if there is one for each validator
	Quorum    int              // votes that a proposal needs
	Busy      []int            // skipped ports of other programs
	Sponsor   *SponsorInfo     // of the caller, which runs it; nil for none
	Page      string           // URL of the page that the caller serves; empty for none

	lock *flock.Flock
}

// Node is one validator of a network.
type Node struct {
	Name     string
	Dir      string // data directory
	Address  common.Address
	P2PPort  int
	HTTPPort int // of JSON-RPC over HTTP and over WebSocket

	key      *ecdsa.PrivateKey
	blsKey   []byte
	feePayer *Account // unlocked on this node, or nil
	network  *Network
}

// HTTP returns the URL of the node's JSON-RPC over HTTP.
func (n *Node) HTTP() string { return fmt.Sprintf("http://127.0.0.1:%d", n.HTTPPort) }

// WS returns the URL of the node's JSON-RPC over WebSocket.
func (n *Node) WS() string { return fmt.Sprintf("ws://127.0.0.1:%d", n.HTTPPort) }

// IPC returns the path of the node's JSON-RPC endpoint with every namespace.
func (n *Node) IPC() string { return socketPath(n.defaultIPC()) }

// socketPath returns a path, or one in the directory for temporary files where it is too long for a socket.
func socketPath(path string) string {
	if len(path) <= process.MaxSocketPath {
		return path
	}
	sum := sha256.Sum256([]byte(path))
	return filepath.Join(os.TempDir(), fmt.Sprintf("gwon-%x.ipc", sum[:8]))
}

func (n *Node) defaultIPC() string { return filepath.Join(n.Dir, "gwon.ipc") }

// LogFile returns the path of the node's log.
func (n *Node) LogFile() string { return filepath.Join(n.Dir, "gwon.log") }

// Enode returns the URL under which the other validators dial this one.
func (n *Node) Enode() string {
	id := hex.EncodeToString(crypto.FromECDSAPub(&n.key.PublicKey)[1:])
	return fmt.Sprintf("enode://%s@127.0.0.1:%d?discport=0", id, n.P2PPort)
}

// Prepare writes the files of a network, or reuses those of an earlier run, and locks its directory. Ports are chosen
// at each call, before files are written. Close unlocks the directory.
func Prepare(o Options) (*Network, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	dir, err := filepath.Abs(o.Dir)
	if err != nil {
		return nil, fmt.Errorf("directory %s: %w", o.Dir, err)
	}
	n := &Network{Dir: dir, ChainID: o.ChainID, Period: o.Period, Archive: o.Archive, SignFrom: o.SignFrom,
		Command: o.Command}
	if err := os.MkdirAll(n.Dir, 0o750); err != nil {
		return nil, fmt.Errorf("make directory of the network: %w", err)
	}
	if err := n.claim(); err != nil {
		return nil, err
	}
	if err := n.fill(o); err != nil {
		return nil, errors.Join(err, n.Close())
	}
	return n, nil
}

func (o Options) check() error {
	switch {
	case o.Validators < 1 || o.Validators > maxValidators:
		return fmt.Errorf("a network on one machine has 1 to %d validators, not %d", maxValidators, o.Validators)
	case o.Accounts < 1 || o.Accounts > maxAccounts:
		return fmt.Errorf("a network has 1 to %d funded accounts, not %d", maxAccounts, o.Accounts)
	case o.Contracts != "" && o.Contracts != params.V1 && o.Contracts != params.G1:
		return fmt.Errorf("system contracts are of version %s or %s, not %q", params.G1, params.V1, o.Contracts)
	case o.ChainID == 0:
		return errors.New("the chain ID cannot be 0")
	case o.ChainID == params.MainnetChainID:
		return fmt.Errorf("chain ID %d is the mainnet's: a transaction signed for the devnet would be valid there. Take "+
			"another --chainid, such as %d", o.ChainID, params.DevnetChainID)
	case o.Period < time.Second || o.Period > params.MaxBlockPeriod || o.Period%time.Second != 0:
		return fmt.Errorf("the block period is a whole number of seconds up to %v, not %v", params.MaxBlockPeriod, o.Period)
	case o.HTTPPort < 0 || o.HTTPPort+o.Validators > 65536:
		return fmt.Errorf("ports %d to %d do not exist", o.HTTPPort, o.HTTPPort+o.Validators-1)
	}
	return nil
}

func (o Options) settings() settings {
	return settings{o.Validators, o.Accounts, o.ChainID, uint64(o.Period / time.Second), o.Contracts}
}

// claim locks the directory, unless it contains foreign files.
func (n *Network) claim() error {
	if _, err := os.Stat(n.path(markerFile)); errors.Is(err, fs.ErrNotExist) {
		if err := n.onlyOurs(); err != nil {
			return err
		}
	}
	n.lock = flock.New(n.path(lockFile))
	locked, err := n.lock.TryLock()
	if err != nil {
		return fmt.Errorf("lock directory of the network: %w", err)
	}
	if !locked {
		return fmt.Errorf("another gwon-dev devnet runs in %s", n.Dir)
	}
	return nil
}

// continues reports whether the directory contains a network with these settings to continue. Otherwise its content
// is to be removed.
func (n *Network) continues(o *Options) (bool, error) {
	marker, err := os.ReadFile(n.path(markerFile))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	case err != nil:
		return false, fmt.Errorf("read the network's settings: %w", err)
	case o.Reset:
		return false, nil
	}
	var had settings
	if err := json.Unmarshal(marker, &had); err != nil {
		return false, fmt.Errorf("%s is damaged, --reset starts over: %w", n.path(markerFile), err)
	}
	if o.KeepContracts {
		o.Contracts = had.Contracts
	}
	if o.KeepChainID {
		o.ChainID, n.ChainID = had.ChainID, had.ChainID
	}
	if want := o.settings(); had.Contracts != want.Contracts && had.Contracts != "" {
		return false, fmt.Errorf("the network in %s has system contracts of version %s: ask for the same, or give --reset "+
			"to start over",
			n.Dir, had.Contracts)
	} else if had.Contracts != want.Contracts {
		return false, fmt.Errorf("the network in %s has system contracts without code: leave --contracts out, or give "+
			"--reset to start over",
			n.Dir)
	}
	if had != o.settings() {
		return false, fmt.Errorf("the network in %s has chain ID %d, %d validators, %d accounts and a period of %ds: "+
			"ask for the same, or give --reset to start over", n.Dir, had.ChainID, had.Validators, had.Accounts, had.Period)
	}
	return true, nil
}

// onlyOurs refuses a directory without settings that contains files other than a lock and partial files. Only those
// may be removed.
func (n *Network) onlyOurs() error {
	entries, err := os.ReadDir(n.Dir)
	if err != nil {
		return fmt.Errorf("read directory of the network: %w", err)
	}
	locked := slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return e.Name() == lockFile })
	for _, e := range entries {
		if !locked || !ours(e.Name()) {
			return fmt.Errorf("%s holds files of something else (%s): give another --datadir", n.Dir, e.Name())
		}
	}
	return nil
}

// ours reports whether a file name belongs to a network.
func ours(name string) bool {
	if whole := atomicfile.PartialOf(name); whole != "" {
		name = whole
	}
	switch name = strings.TrimSuffix(name, partialMark); name {
	case markerFile, genesisFile, passwordFile, lockFile, controlFile, importDir, SponsorDir:
		return true
	}
	isNode, err := filepath.Match(nodePattern, name)
	return err == nil && isNode
}

// remove deletes the files of an earlier run.
func (n *Network) remove() error {
	entries, err := os.ReadDir(n.Dir)
	if err != nil {
		return fmt.Errorf("read directory of the network: %w", err)
	}
	for _, e := range entries {
		if name := e.Name(); ours(name) && name != lockFile {
			if err := os.RemoveAll(n.path(name)); err != nil {
				return fmt.Errorf("reset the network: %w", err)
			}
		}
	}
	return nil
}

// fill chooses ports and writes every missing file. The marker is first: with it, an interrupted run can be continued
// or reset.
func (n *Network) fill(o Options) error {
	goesOn, err := n.continues(&o)
	if err != nil {
		return err
	}
	n.Contracts = o.Contracts
	for i := range o.Accounts {
		account, err := NewAccount(i)
		if err != nil {
			return err
		}
		account.FeePayer = i == 0
		n.Accounts = append(n.Accounts, account)
	}
	for i := range o.Validators {
		node := &Node{Name: fmt.Sprintf("node%d", i+1), network: n}
		node.Dir = n.path(node.Name)
		if i == 0 {
			node.feePayer = &n.Accounts[0]
		}
		n.Nodes = append(n.Nodes, node)
	}
	if err := n.choosePorts(o.HTTPPort, o.PortsMove); err != nil {
		return err
	}
	if !goesOn {
		if err := n.remove(); err != nil {
			return err
		}
	}
	marker, err := json.MarshalIndent(o.settings(), "", "  ")
	if err != nil {
		return fmt.Errorf("encode the network's settings: %w", err)
	}
	if err := writeMissing(n.path(markerFile), append(marker, '\n'), 0o644); err != nil {
		return err
	}
	for _, node := range n.Nodes {
		if err := node.loadKeys(); err != nil {
			return err
		}
	}
	if err := writeMissing(n.path(passwordFile), []byte(feePayerPassword+"\n"), 0o600); err != nil {
		return err
	}
	if err := n.Nodes[0].storeFeePayer(); err != nil {
		return err
	}
	if err := n.writeGenesis(o.Code); err != nil {
		return err
	}
	for _, node := range n.Nodes {
		if err := node.writeConfig(); err != nil {
			return err
		}
	}
	return nil
}

// Close releases the directory for another run.
func (n *Network) Close() error {
	if err := n.lock.Unlock(); err != nil {
		return fmt.Errorf("unlock directory of the network: %w", err)
	}
	return nil
}

func (n *Network) path(name string) string { return filepath.Join(n.Dir, name) }

// loadKeys reads or creates the node key, and derives the values for the genesis file.
func (n *Node) loadKeys() error {
	file := filepath.Join(n.Dir, "gwon", "nodekey")
	key, err := crypto.LoadECDSA(file)
	if errors.Is(err, fs.ErrNotExist) {
		if key, err = crypto.GenerateKey(); err != nil {
			return fmt.Errorf("make node key: %w", err)
		}
		err = writeMissing(file, []byte(hex.EncodeToString(crypto.FromECDSA(key))), 0o600)
	}
	if err != nil {
		return fmt.Errorf("node key of %s: %w", n.Name, err)
	}
	secret, err := bls.DeriveKey(key)
	if err != nil {
		return fmt.Errorf("BLS key of %s: %w", n.Name, err)
	}
	n.key, n.Address, n.blsKey = key, crypto.PubkeyToAddress(key.PublicKey), secret.PublicKey().Bytes()
	return nil
}

// storeFeePayer writes the fee payer's key to the node's key store.
func (n *Node) storeFeePayer() error {
	ks := keystore.NewKeyStore(filepath.Join(n.Dir, "keystore"), keystore.LightScryptN, keystore.LightScryptP)
	if ks.HasAddress(n.feePayer.Address) {
		return nil
	}
	if _, err := ks.ImportECDSA(n.feePayer.key, feePayerPassword); err != nil {
		return fmt.Errorf("store the fee payer's key: %w", err)
	}
	return nil
}

// writeGenesis writes the genesis file unless it exists: a second run continues the same chain.
func (n *Network) writeGenesis(code core.CodeSource) error {
	n.Quorum = min(2, len(n.Nodes))
	options := params.DevnetOptions{
		ChainID: n.ChainID, BlockPeriodSeconds: uint64(n.Period / time.Second), Contracts: n.Contracts,
		GovernanceQuorum: uint64(n.Quorum),
	}
	for i, node := range n.Nodes {
		v := params.DevnetValidator{Address: node.Address, BLSPublicKey: node.blsKey, Operator: node.Address}
		if n.Contracts != "" && len(n.Accounts) >= len(n.Nodes) {
			v.Operator = n.Accounts[i].Address
			n.Accounts[i].Member = true
		}
		n.Members = append(n.Members, v.Operator)
		options.Validators = append(options.Validators, v)
	}
	config, err := params.DevnetConfig(options)
	if err != nil {
		return fmt.Errorf("configure the network: %w", err)
	}
	if n.Contracts == params.V1 {
		if err := n.storeCode(config, code); err != nil {
			return err
		}
	}
	alloc := Funds(n.Accounts)
	maps.Copy(alloc, dev.Predeploys())
	text, err := core.EncodeGenesis(core.DevnetGenesis(config, uint64(time.Now().Unix()), alloc))
	if err != nil {
		return err
	}
	return writeMissing(n.path(genesisFile), text, 0o644)
}

// storeCode writes the code of the system contracts to the directory of each node.
func (n *Network) storeCode(config *params.ChainConfig, code core.CodeSource) error {
	missing, err := core.FindMissingCode(config, code)
	if err != nil {
		return fmt.Errorf("system contracts: %w", err)
	}
	if len(missing) > 0 {
		return fmt.Errorf("the code of %s %s is not here: gwon contracts import supplies it, and --contracts %s needs none",
			missing[0].Contract, missing[0].Version, params.G1)
	}
	wanted, err := core.FindMissingCode(config, nil)
	if err != nil {
		return fmt.Errorf("system contracts: %w", err)
	}
	for _, node := range n.Nodes {
		store, err := store.Open(filepath.Join(node.Dir, "gwon", "contracts"))
		if err != nil {
			return fmt.Errorf("system contracts of %s: %w", node.Name, err)
		}
		for _, w := range wanted {
			content, _ := code(w.Hash)
			if _, err := store.Put(content); err != nil {
				return fmt.Errorf("system contracts of %s: %w", node.Name, err)
			}
		}
	}
	return nil
}

// Funds gives each account a thousand million coins of 10^18 wei.
func Funds(accounts []Account) types.GenesisAlloc {
	alloc := make(types.GenesisAlloc, len(accounts))
	for _, a := range accounts {
		alloc[a.Address] = types.Account{Balance: new(big.Int).Exp(big.NewInt(10), big.NewInt(27), nil)}
	}
	return alloc
}

// writeConfig writes the node's configuration file. The node listens on loopback and knows only the other validators.
func (n *Node) writeConfig() error {
	var text strings.Builder
	fmt.Fprintf(&text, "[Node.P2P]\nListenAddr = \"127.0.0.1:%d\"\nNoDiscovery = true\n", n.P2PPort)
	text.WriteString("BootstrapNodes = []\nBootstrapNodesV5 = []\nStaticNodes = [\n")
	for _, peer := range n.network.Nodes {
		if peer != n {
			fmt.Fprintf(&text, "  %q,\n", peer.Enode())
		}
	}
	text.WriteString("]\n")
	if err := atomicfile.Write(n.configFile(), []byte(text.String()), 0o644); err != nil {
		return fmt.Errorf("write configuration of %s: %w", n.Name, err)
	}
	return nil
}

func (n *Node) configFile() string { return filepath.Join(n.Dir, "config.toml") }

// InitArgs returns the arguments of the process that writes the genesis block to the node's data directory. The
// process does nothing if it exists.
func (n *Node) InitArgs() []string {
	return []string{"--verbosity", "1", "--datadir", n.Dir, "init", n.network.path(genesisFile)}
}

// Args returns the arguments of the node's process.
func (n *Node) Args() []string {
	args := []string{
		"--datadir", n.Dir, "--config", n.configFile(), "--mine", "--exit.stdin",
		"--nodiscover", "--nat", "none", "--bootnodes", "", "--netrestrict", "127.0.0.0/8",
		"--cache", "64", "--lightkdf",
		"--http", "--http.addr", "127.0.0.1", "--http.port", fmt.Sprint(n.HTTPPort), "--http.api",
		strings.Join(Modules(), ","),
		"--ws", "--ws.addr", "127.0.0.1", "--ws.port", fmt.Sprint(n.HTTPPort), "--ws.api", strings.Join(Modules(), ","),
		"--http.corsdomain", strings.Join(LocalOrigins(), ","), "--ws.origins", strings.Join(LocalHosts(), ","),
		"--rpc.enabledeprecatedpersonal", "--rpc.allow-unprotected-txs",
	}
	if path := n.IPC(); path != n.defaultIPC() {
		args = append(args, "--ipcpath", path)
	}
	if n.network.Archive {
		args = append(args, "--gcmode", "archive", "--history.state", "0", "--history.trienode", "0",
			"--history.transactions", "0")
	}
	if n.network.SignFrom > 0 {
		args = append(args, signFromOption, fmt.Sprint(n.network.SignFrom))
	}
	if n.feePayer != nil {
		args = append(args, "--unlock", n.feePayer.Address.Hex(), "--password", n.network.path(passwordFile),
			"--allow-insecure-unlock")
	}
	return args
}

// Modules returns the RPC namespaces of a development node.
func Modules() []string {
	return []string{"eth", "net", "web3", "txpool", "istanbul", "debug", "personal"}
}

// LocalHosts returns the hosts whose pages may access a development node, in the form of --ws.origins, for any scheme
// and port.
func LocalHosts() []string { return []string{"localhost", "127.0.0.1"} }

// LocalOrigins returns the same in the form of --http.corsdomain, where * stands for any port.
func LocalOrigins() []string {
	var origins []string
	for _, host := range LocalHosts() {
		for _, scheme := range []string{"http://", "https://"} {
			origins = append(origins, scheme+host, scheme+host+":*")
		}
	}
	return origins
}

// writeMissing writes a missing file with its directory. The file is complete or absent.
func writeMissing(path string, content []byte, mode os.FileMode) error {
	if _, err := os.Stat(path); err == nil {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
		return err
	}
	return atomicfile.Write(path, content, mode)
}
