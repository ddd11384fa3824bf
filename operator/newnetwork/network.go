// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package newnetwork

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/template"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/p2p/enode"
	gethparams "github.com/ethereum/go-ethereum/params"

	"gwon/consensus/wbft/validators"
	"gwon/core"
	"gwon/internal/atomicfile"
	"gwon/params"
)

// Options describes a network.
type Options struct {
	ChainID    uint64
	Validators []Validator // as ReadValidators returns them
	Period     time.Duration
	Quorum     uint64 // votes that a proposal of the governances needs; 0 for two, or one of a single validator
	Contracts  string // version of the system contracts, params.G1 or params.V1
	Alloc      types.GenesisAlloc
	NoCoins    bool      // whether a network is made in which no account has a coin
	Created    time.Time // timestamp of the genesis block
}

// Network is a network that was made.
type Network struct {
	GenesisHash   common.Hash // with the code of all system contracts
	Configuration common.Hash // fingerprint of the chain configuration
	Folders       []string    // one for each validator, in their order
}

const (
	genesisFile = "genesis.json"
	configFile  = "config.toml"
	readmeFile  = "README.md"
)

func (o *Options) check() error {
	switch {
	case o.ChainID == 0:
		return errors.New("the chain ID cannot be 0")
	case o.ChainID == params.MainnetChainID || o.ChainID == params.TestnetChainID:
		return fmt.Errorf("chain ID %d is that of a public network: transactions of either would be valid on both. "+
			"Take another, such as 828301", o.ChainID)
	case o.ChainID == params.DevnetChainID:
		return fmt.Errorf("chain ID %d is that of gwon-dev devnet, whose transactions would be valid here. Take another, "+
			"such as 828301", o.ChainID)
	case o.Period < time.Second || o.Period > params.MaxBlockPeriod || o.Period%time.Second != 0:
		return fmt.Errorf("the block period is a whole number of seconds up to %v, not %v", params.MaxBlockPeriod, o.Period)
	case o.Quorum > uint64(len(o.Validators)):
		return fmt.Errorf("a quorum of %d votes cannot be reached by %d validators", o.Quorum, len(o.Validators))
	case o.Coins().Sign() == 0 && !o.NoCoins:
		return errors.New("no account would have a coin, so that none could pay a fee, not even that of the proposal to " +
			"mint coins: give --fund ADDRESS=COINS, best for each operator, or --alloc FILE with balances, or --no-coins")
	}
	return nil
}

// Coins returns the sum of all balances of the genesis block in wei.
func (o *Options) Coins() *big.Int {
	sum := new(big.Int)
	for _, account := range o.Alloc {
		if account.Balance != nil {
			sum.Add(sum, account.Balance)
		}
	}
	return sum
}

// funded returns how many accounts have coins in the genesis block.
func (o *Options) funded() (n int) {
	for _, account := range o.Alloc {
		if account.Balance != nil && account.Balance.Sign() > 0 {
			n++
		}
	}
	return n
}

// publicChains are the names of well-known networks by chain ID.
var publicChains = map[uint64]string{
	1: "Ethereum", 10: "OP Mainnet", 56: "BNB Smart Chain", 100: "Gnosis", 137: "Polygon", 1001: "Kaia Kairos",
	8217: "Kaia", 8453: "Base", 42161: "Arbitrum One", 43114: "Avalanche", 59144: "Linea", 11155111: "Sepolia",
}

// coinsToPropose is what an operator needs for a proposal of the governances and the votes on it, in wei. A proposal
// costs up to 40 coins at the base fee of the genesis block.
var coinsToPropose = new(big.Int).Mul(big.NewInt(100), big.NewInt(gethparams.Ether))

// Warnings returns sentences about choices that are possible and rarely meant.
func (o *Options) Warnings() (all []string) {
	if name := publicChains[o.ChainID]; name != "" {
		all = append(all, fmt.Sprintf("chain ID %d is that of %s: wallets know one network for each ID, and a transaction "+
			"without a contract is valid on both", o.ChainID, name))
	}
	for i := range o.Validators {
		if v := o.Validators[i].configured(); v.Member() == v.Address {
			all = append(all, fmt.Sprintf("validator %d (%v) has no \"operator\": its node key is member of all governances "+
				"for good. Make an account with gwon account new, and add its address as \"operator\"", i+1, v.Address))
		}
	}
	canPropose := slices.ContainsFunc(o.Validators, func(v Validator) bool {
		configured := v.configured()
		balance := o.Alloc[configured.Member()].Balance
		return balance != nil && balance.Cmp(coinsToPropose) >= 0
	})
	if !o.NoCoins && !canPropose {
		all = append(all, "no operator has the 100 coins that a proposal and its votes may cost: give "+
			"--fund OPERATOR=COINS, or have another account send them")
	}
	return all
}

// Write makes the directory dir with the files of a new network. dir must not exist; after an error it does not.
func Write(dir string, o Options) (made *Network, err error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	if _, err := os.Lstat(dir); !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s exists already: name a new directory", dir)
	}
	made = new(Network)
	genesis, err := o.genesis(made)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o750); err != nil {
		return nil, fmt.Errorf("make directory of the network: %w", err)
	}
	defer func() {
		if err != nil {
			made, err = nil, errors.Join(err, os.RemoveAll(dir))
		}
	}()
	if err := o.writeFolder(dir, genesis, made, nil); err != nil {
		return nil, err
	}
	for i := range o.Validators {
		folder := filepath.Join(dir, fmt.Sprintf("validator%d", i+1))
		if err := os.Mkdir(folder, 0o750); err != nil {
			return nil, fmt.Errorf("make folder of a validator: %w", err)
		}
		if err := o.writeFolder(folder, genesis, made, &o.Validators[i]); err != nil {
			return nil, err
		}
		made.Folders = append(made.Folders, folder)
	}
	return made, nil
}

// genesis returns the genesis file, and sets what identifies the network.
func (o *Options) genesis(made *Network) (text []byte, err error) {
	options := params.DevnetOptions{
		ChainID: o.ChainID, BlockPeriodSeconds: uint64(o.Period / time.Second),
		GovernanceQuorum: o.Quorum, Contracts: o.Contracts,
	}
	for _, v := range o.Validators {
		options.Validators = append(options.Validators, v.configured())
	}
	config, err := params.DevnetConfig(options)
	if err != nil {
		return nil, fmt.Errorf("configure the network: %w", err)
	}
	genesis := core.DevnetGenesis(config, uint64(o.Created.Unix()), o.Alloc)
	if err := core.CheckAllocation(genesis); err != nil {
		return nil, fmt.Errorf("funded accounts: %w", err)
	}
	_, info, err := core.DescribeGenesis(genesis, nil)
	if err != nil {
		return nil, fmt.Errorf("genesis block: %w", err)
	}
	if text, err = core.EncodeGenesis(genesis); err != nil {
		return nil, err
	}
	configuration, err := core.Canonical(config)
	if err != nil {
		return nil, err
	}
	made.GenesisHash, made.Configuration = info.Hash, configuration.Hash()
	return text, nil
}

// writeFolder writes the files of one validator, or those of a follower if it is nil.
func (o *Options) writeFolder(folder string, genesis []byte, made *Network, own *Validator) error {
	config, err := o.config(own)
	if err != nil {
		return err
	}
	readme, err := o.readme(made, own)
	if err != nil {
		return err
	}
	for name, content := range map[string][]byte{genesisFile: genesis, configFile: config, readmeFile: readme} {
		if err := atomicfile.Write(filepath.Join(folder, name), content, 0o644); err != nil {
			return fmt.Errorf("write %s: %w", name, err)
		}
	}
	return nil
}

// config returns the configuration file of a validator, or of a follower if it is nil.
func (o *Options) config(own *Validator) ([]byte, error) {
	var text strings.Builder
	fmt.Fprintf(&text, "[Eth]\nNetworkId = %d\n\n[Gwon]\nMine = %v\n\n[Node.P2P]\n", o.ChainID, own != nil)
	if own != nil {
		_, port, err := net.SplitHostPort(own.Endpoint)
		if err != nil {
			return nil, fmt.Errorf("endpoint %s: %w", own.Endpoint, err)
		}
		fmt.Fprintf(&text, "ListenAddr = \":%s\"\n", port)
	}
	text.WriteString("NoDiscovery = true\nBootstrapNodes = []\nBootstrapNodesV5 = []\nStaticNodes = [\n")
	for i := range o.Validators {
		peer := &o.Validators[i]
		if own != nil && peer.NodeID == own.NodeID {
			continue
		}
		if _, err := enode.ParseV4(peer.enode()); err != nil {
			return nil, fmt.Errorf("endpoint %s: %w", peer.Endpoint, err)
		}
		fmt.Fprintf(&text, "  %q,\n", peer.enode())
	}
	text.WriteString("]\n")
	return []byte(text.String()), nil
}

var readmeTemplate = template.Must(template.New(readmeFile).Parse(`# Network {{.ChainID}}

| Item | Value |
|---|---|
| chain ID | {{.ChainID}} |
| genesis block | {{.GenesisHash}} |
| configuration | {{.Configuration}} |
| block period | {{.Period}} |
| validators | {{len .Validators}} |
| accounts with coins | {{.Funded}} |
{{- if .Own}}
| this validator | {{.Own.Address}} |
| its endpoint | {{.Own.Endpoint}} |
{{- end}}

Compare genesis block and configuration with the other operators before the start: ` +
	"`gwon genesis show genesis.json`" + `
{{- if .NeedsCode}}

The system contracts are those of the public networks. Give their code to ` + "`gwon contracts import`" + ` first.
{{- end}}

` + "```sh" + `
DATA="$HOME/.gwon/{{.ChainID}}"
gwon init --datadir "$DATA" genesis.json
gwon --config config.toml --datadir "$DATA"
` + "```" + `
{{- if .Own}}

The node key of {{.Own.Address}} has to be in the data directory before the last command:
` + "`gwon validator show --datadir \"$DATA\"`" + ` prints this address.
Its port has to be open for TCP to the other validators.
The chain begins when {{.NeededValidators}} of the {{len .Validators}} validators run.
{{- else}}

These files start a follower, which verifies every block and signs none. Each validator has a folder of its own.
{{- end}}
`))

// readme returns the instructions for the operator of a validator, or of a follower if it is nil.
func (o *Options) readme(made *Network, own *Validator) ([]byte, error) {
	n := len(o.Validators)
	var text bytes.Buffer
	err := readmeTemplate.Execute(&text, struct {
		*Options
		*Network
		Own              *Validator
		NeedsCode        bool
		NeededValidators int // spec network 10 no. 8
		Funded           int
	}{o, made, own, o.Contracts == params.V1, validators.QuorumOf(n), o.funded()})
	if err != nil {
		return nil, fmt.Errorf("write instructions: %w", err)
	}
	return text.Bytes(), nil
}
