// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package devnet

import (
	"crypto/ecdsa"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/ethereum/go-ethereum/accounts/keystore"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/gofrs/flock"

	"gwon/consensus/wbft/bls"
	"gwon/params"
)

// Names below the network's directory. All of them together are what Reset removes.
const (
	markerFile   = "devnet.json"
	genesisFile  = "genesis.json"
	passwordFile = "password"
	lockFile     = "devnet.lock"
)

// feePayerPassword encrypts the fee payer's key file, for the node's sake: the key itself is public.
const feePayerPassword = "devnet"

// Limits of a network on one machine.
const (
	maxValidators = 32
	maxAccounts   = 1000
)

// Options describes a network. Every field has to be set.
type Options struct {
	Dir        string
	Validators int
	Accounts   int
	ChainID    uint64
	Period     time.Duration // between blocks, whole seconds
	HTTPPort   int           // of the first node; each node takes two. 0 picks free ports
	Reset      bool          // throw away the chain that Dir holds
}

// settings are what cannot change between two runs of one network.
type settings struct {
	Validators int    `json:"validators"`
	Accounts   int    `json:"accounts"`
	ChainID    uint64 `json:"chainId"`
	Period     uint64 `json:"periodSeconds"`
}

// Network is a prepared network: its files are written, no process runs.
type Network struct {
	Dir      string
	ChainID  uint64
	Period   time.Duration
	Nodes    []*Node
	Accounts []Account

	lock *flock.Flock
}

// Node is one validator of a network.
type Node struct {
	Name     string
	Dir      string // data directory
	Address  common.Address
	P2PPort  int
	HTTPPort int
	WSPort   int

	key      *ecdsa.PrivateKey
	blsKey   []byte
	feePayer *Account // unlocked on this node, or nil
	network  *Network
}

// HTTP returns the URL of the node's JSON-RPC over HTTP.
func (n *Node) HTTP() string { return fmt.Sprintf("http://127.0.0.1:%d", n.HTTPPort) }

// WS returns the URL of the node's JSON-RPC over WebSocket.
func (n *Node) WS() string { return fmt.Sprintf("ws://127.0.0.1:%d", n.WSPort) }

// LogFile returns the path of the node's log.
func (n *Node) LogFile() string { return filepath.Join(n.Dir, "gwon.log") }

// Enode returns the URL under which the other validators dial this one.
func (n *Node) Enode() string {
	id := hex.EncodeToString(crypto.FromECDSAPub(&n.key.PublicKey)[1:])
	return fmt.Sprintf("enode://%s@127.0.0.1:%d?discport=0", id, n.P2PPort)
}

// Prepare writes the files of a network, or takes up those of an earlier run, and reserves its directory. Ports are chosen
// anew at each call. Close releases the directory.
func Prepare(o Options) (*Network, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	dir, err := filepath.Abs(o.Dir)
	if err != nil {
		return nil, fmt.Errorf("directory %s: %w", o.Dir, err)
	}
	n := &Network{Dir: dir, ChainID: o.ChainID, Period: o.Period}
	if err := n.claim(o); err != nil {
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
	case o.ChainID == 0:
		return errors.New("the chain ID cannot be 0")
	case o.Period < time.Second || o.Period%time.Second != 0:
		return fmt.Errorf("the block period is a whole number of seconds, not %v", o.Period)
	case o.HTTPPort < 0 || o.HTTPPort+2*o.Validators > 65536:
		return fmt.Errorf("ports %d to %d do not exist", o.HTTPPort, o.HTTPPort+2*o.Validators-1)
	}
	return nil
}

func (o Options) settings() settings {
	return settings{o.Validators, o.Accounts, o.ChainID, uint64(o.Period / time.Second)}
}

// claim makes the directory, locks it and makes sure that what is in it is this network or nothing.
func (n *Network) claim(o Options) error {
	if err := os.MkdirAll(n.Dir, 0o755); err != nil {
		return fmt.Errorf("make directory of the network: %w", err)
	}
	marker, err := os.ReadFile(n.path(markerFile))
	fresh := errors.Is(err, fs.ErrNotExist)
	if err != nil && !fresh {
		return fmt.Errorf("read the network's settings: %w", err)
	}
	if fresh {
		entries, err := os.ReadDir(n.Dir)
		if err != nil {
			return fmt.Errorf("read directory of the network: %w", err)
		}
		for _, e := range entries {
			if e.Name() != lockFile {
				return fmt.Errorf("%s holds files of something else (%s): give another --datadir", n.Dir, e.Name())
			}
		}
	}
	n.lock = flock.New(n.path(lockFile))
	locked, err := n.lock.TryLock()
	if err != nil {
		return fmt.Errorf("lock directory of the network: %w", err)
	}
	if !locked {
		return fmt.Errorf("another gwon devnet runs in %s", n.Dir)
	}
	if !fresh && o.Reset {
		if err := n.remove(); err != nil {
			return errors.Join(err, n.Close())
		}
		fresh = true
	}
	if !fresh {
		var had settings
		if err := json.Unmarshal(marker, &had); err != nil {
			return errors.Join(fmt.Errorf("%s: %w", n.path(markerFile), err), n.Close())
		}
		if want := o.settings(); had != want {
			return errors.Join(fmt.Errorf("the network in %s has chain ID %d, %d validators, %d accounts and a period of %ds: "+
				"ask for the same, or give --reset to start over",
				n.Dir, had.ChainID, had.Validators, had.Accounts, had.Period), n.Close())
		}
	}
	return nil
}

// remove deletes what an earlier run left, and nothing else.
func (n *Network) remove() error {
	paths, err := filepath.Glob(n.path("node[0-9]*"))
	if err != nil {
		return fmt.Errorf("find nodes of the network: %w", err)
	}
	for _, path := range append(paths, n.path(genesisFile), n.path(passwordFile), n.path(markerFile)) {
		if err := os.RemoveAll(path); err != nil {
			return fmt.Errorf("reset the network: %w", err)
		}
	}
	return nil
}

// fill writes every file that is missing. The marker comes last, so that a run that was cut short is not taken for whole.
func (n *Network) fill(o Options) error {
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
		if err := node.loadKeys(); err != nil {
			return err
		}
		n.Nodes = append(n.Nodes, node)
	}
	if err := n.choosePorts(o.HTTPPort); err != nil {
		return err
	}
	if err := writeMissing(n.path(passwordFile), []byte(feePayerPassword+"\n"), 0o600); err != nil {
		return err
	}
	if err := n.Nodes[0].storeFeePayer(); err != nil {
		return err
	}
	if err := n.writeGenesis(); err != nil {
		return err
	}
	for _, node := range n.Nodes {
		if err := node.writeConfig(); err != nil {
			return err
		}
	}
	marker, err := json.MarshalIndent(o.settings(), "", "  ")
	if err != nil {
		return fmt.Errorf("encode the network's settings: %w", err)
	}
	return writeMissing(n.path(markerFile), append(marker, '\n'), 0o644)
}

// Close releases the directory for another run.
func (n *Network) Close() error {
	if err := n.lock.Unlock(); err != nil {
		return fmt.Errorf("unlock directory of the network: %w", err)
	}
	return nil
}

func (n *Network) path(name string) string { return filepath.Join(n.Dir, name) }

// loadKeys reads the node key or makes one, and derives what the genesis file names.
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

// storeFeePayer puts the fee payer's key into the key store of the node.
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

// genesisJSON is the genesis file. Upstream's type would write empty fields of later forks.
type genesisJSON struct {
	Config     *params.ChainConfig                     `json:"config"`
	Timestamp  hexutil.Uint64                          `json:"timestamp"`
	Difficulty *hexutil.Big                            `json:"difficulty"`
	GasLimit   hexutil.Uint64                          `json:"gasLimit"`
	Alloc      map[common.UnprefixedAddress]allocation `json:"alloc"`
}

type allocation struct {
	Balance *hexutil.Big `json:"balance"`
}

// writeGenesis writes the genesis file unless there is one: a second run continues the same chain.
func (n *Network) writeGenesis() error {
	options := params.DevnetOptions{ChainID: n.ChainID, BlockPeriodSeconds: uint64(n.Period / time.Second)}
	for _, node := range n.Nodes {
		options.Validators = append(options.Validators, params.DevnetValidator{Address: node.Address, BLSPublicKey: node.blsKey})
	}
	config, err := params.DevnetConfig(options)
	if err != nil {
		return fmt.Errorf("configure the network: %w", err)
	}
	genesis := genesisJSON{
		Config:     config,
		Timestamp:  hexutil.Uint64(time.Now().Unix()),
		Difficulty: (*hexutil.Big)(new(big.Int).SetUint64(params.WBFTDifficulty)),
		GasLimit:   hexutil.Uint64(params.DefaultGasCeil),
		Alloc:      make(map[common.UnprefixedAddress]allocation),
	}
	for address, account := range Funds(n.Accounts) {
		genesis.Alloc[common.UnprefixedAddress(address)] = allocation{(*hexutil.Big)(account.Balance)}
	}
	text, err := json.MarshalIndent(genesis, "", "  ")
	if err != nil {
		return fmt.Errorf("encode genesis file: %w", err)
	}
	return writeMissing(n.path(genesisFile), append(text, '\n'), 0o644)
}

// Funds gives each account a thousand million coins of 10^18 wei.
func Funds(accounts []Account) types.GenesisAlloc {
	alloc := make(types.GenesisAlloc, len(accounts))
	for _, a := range accounts {
		alloc[a.Address] = types.Account{Balance: new(big.Int).Exp(big.NewInt(10), big.NewInt(27), nil)}
	}
	return alloc
}

// writeConfig writes the node's configuration file: it listens on loopback, knows the other validators and nobody else.
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
	if err := os.WriteFile(n.configFile(), []byte(text.String()), 0o644); err != nil {
		return fmt.Errorf("write configuration of %s: %w", n.Name, err)
	}
	return nil
}

func (n *Node) configFile() string { return filepath.Join(n.Dir, "config.toml") }

// InitArgs returns the arguments of the process that writes the genesis block into the node's data directory. It does
// nothing when it is there already.
func (n *Node) InitArgs() []string {
	return []string{"--verbosity", "1", "--datadir", n.Dir, "init", n.network.path(genesisFile)}
}

// Args returns the arguments of the node's process.
func (n *Node) Args() []string {
	args := []string{
		"--datadir", n.Dir, "--config", n.configFile(), "--mine", "--exit.stdin",
		"--nodiscover", "--nat", "none", "--bootnodes", "", "--netrestrict", "127.0.0.0/8",
		"--ipcdisable", "--cache", "64",
		"--http", "--http.addr", "127.0.0.1", "--http.port", fmt.Sprint(n.HTTPPort), "--http.api", modules,
		"--ws", "--ws.addr", "127.0.0.1", "--ws.port", fmt.Sprint(n.WSPort), "--ws.api", modules,
		"--rpc.enabledeprecatedpersonal",
	}
	if n.feePayer != nil {
		args = append(args, "--unlock", n.feePayer.Address.Hex(), "--password", n.network.path(passwordFile),
			"--allow-insecure-unlock")
	}
	return args
}

// modules are the RPC namespaces of a development node.
const modules = "eth,net,web3,txpool,istanbul,debug,personal"

// writeMissing writes a file that is not there yet, with its directory, so that it is whole or absent.
func writeMissing(path string, content []byte, mode os.FileMode) error {
	if _, err := os.Stat(path); err == nil {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("make directory: %w", err)
	}
	temporary := path + ".new"
	if err := os.WriteFile(temporary, content, mode); err != nil {
		return fmt.Errorf("write file: %w", err)
	}
	if err := os.Rename(temporary, path); err != nil {
		return fmt.Errorf("write file: %w", err)
	}
	return nil
}
