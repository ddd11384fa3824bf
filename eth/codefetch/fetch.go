// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package codefetch

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"sync"
	"time"

	"github.com/ethereum/go-ethereum/core/forkid"
	"github.com/ethereum/go-ethereum/core/types"
	protocol "github.com/ethereum/go-ethereum/eth/protocols/eth"
	"github.com/ethereum/go-ethereum/p2p"
	"github.com/ethereum/go-ethereum/p2p/enode"
	gethparams "github.com/ethereum/go-ethereum/params"

	"gwon/contracts/store"
	"gwon/core"
	"gwon/internal/progress"
	"gwon/params"
)

const (
	// DefaultPatience is the time without new code after which Fetch ends. It covers three attempts to dial a node that
	// refuses repeated connections within 35 seconds.
	DefaultPatience = 2 * time.Minute

	askAgain = 20 * time.Second // time until a peer without the code is asked again, because it may have synced
)

// ErrNotServed means that the code of the genesis block did not arrive within the patience.
var ErrNotServed = errors.New("no peer gave the contract code")

// Chain is a network at its genesis block, with the fields of a Status message (spec network 2.1).
type Chain struct {
	NetworkID uint64
	Config    *gethparams.ChainConfig
	Genesis   *types.Header
}

// PublicChain returns the chain of a public network. Its genesis block is computed without the code (spec chain 9).
func PublicChain(n params.Network) (Chain, error) {
	_, info, err := core.DescribeGenesis(core.NetworkGenesis(n), nil)
	if err != nil {
		return Chain{}, fmt.Errorf("genesis block of %s: %w", n.Name, err)
	}
	if info.Hash != n.GenesisHash {
		return Chain{}, fmt.Errorf("genesis block of %s comes out as %v instead of %v", n.Name, info.Hash, n.GenesisHash)
	}
	return Chain{NetworkID: n.ID, Config: n.Config(), Genesis: info.Header}, nil
}

// Status returns the Status message of a node at genesis.
func (c Chain) Status() protocol.StatusPacket68 {
	genesis := types.NewBlockWithHeader(c.Genesis)
	return protocol.StatusPacket68{
		ProtocolVersion: protocol.ETH68,
		NetworkID:       c.NetworkID,
		TD:              new(big.Int).Set(c.Genesis.Difficulty),
		Head:            genesis.Hash(),
		Genesis:         genesis.Hash(),
		ForkID:          forkid.NewID(c.Config, genesis, 0, c.Genesis.Time),
	}
}

// Config holds the chain, the store and the network settings of Fetch.
type Config struct {
	P2P      p2p.Config // of the node, with its key; protocols are replaced, boot nodes are dialed like static ones
	Chain    Chain
	Missing  []core.MissingCode
	Store    *store.Store
	Patience time.Duration // time without new code; 0 means DefaultPatience
}

// CanAsk reports whether a node with these settings dials peers.
func CanAsk(cfg *p2p.Config) bool {
	return cfg.MaxPeers > 0 && len(cfg.StaticNodes)+len(cfg.BootstrapNodes)+len(cfg.BootstrapNodesV5) > 0
}

// Fetch runs a peer-to-peer server until the store has all code of the genesis block. Code of upgrades is requested
// too, but not waited for (see Seeker). Code that arrived stays in the store.
//
// The result asked is the number of peers that were asked. The error wraps ErrNotServed at the end of the patience,
// or the error of ctx.
func Fetch(ctx context.Context, cfg Config) (asked int, err error) {
	f := newFetcher(cfg.Chain, cfg.Missing, cfg.Store)
	select {
	case <-f.genesis:
		return 0, nil
	default:
	}
	f.room = cfg.P2P.MaxPeers / 2
	server := &p2p.Server{Config: cfg.P2P}
	server.Protocols = f.protocols()
	// Without discovery, boot nodes are dialed only as static nodes; with discovery, that takes long.
	server.StaticNodes = slices.Concat(cfg.P2P.StaticNodes, cfg.P2P.BootstrapNodes, cfg.P2P.BootstrapNodesV5)
	if err := server.Start(); err != nil {
		return 0, fmt.Errorf("ask peers for contract code: %w", err)
	}
	defer server.Stop()
	patience := cfg.Patience
	if patience == 0 {
		patience = DefaultPatience
	}
	f.log.Info("Contract code requested", "network", cfg.Chain.NetworkID, "patience", patience, "missing", f.names())
	err = f.wait(ctx, patience)
	return f.askedPeers(), err
}

// fetcher is the state that connections share. It is safe for concurrent use.
type fetcher struct {
	*shortage
	status protocol.StatusPacket68
	filter forkid.Filter
	room   int // number of connections up to which a peer without the code stays

	mu          sync.Mutex
	connections map[*p2p.Peer]*connection
	asked       map[enode.ID]struct{}
}

func newFetcher(chain Chain, missing []core.MissingCode, store *store.Store) *fetcher {
	return &fetcher{
		shortage:    newShortage(missing, store),
		status:      chain.Status(),
		filter:      forkid.NewStaticFilter(chain.Config, types.NewBlockWithHeader(chain.Genesis)),
		connections: make(map[*p2p.Peer]*connection),
		asked:       make(map[enode.ID]struct{}),
	}
}

// wait returns nil when the genesis block has all code, and an error when waiting is useless.
func (f *fetcher) wait(ctx context.Context, patience time.Duration) error {
	limit := time.NewTimer(patience)
	defer limit.Stop()
	report := time.Tick(progress.LinePeriod)
	for {
		select {
		case <-f.genesis:
			return nil
		case <-f.progress:
			limit.Reset(patience)
		case err := <-f.failed:
			return err
		case <-ctx.Done():
			return ctx.Err()
		case <-limit.C:
			return fmt.Errorf("%w within %v: %s", ErrNotServed, patience, f.names())
		case <-report:
			peers, asked := f.counts()
			f.log.Info("Contract code awaited", "peers", peers, "asked", asked, "missing", f.names())
		}
	}
}

// crowded reports whether a peer without the code has to make room for others.
func (f *fetcher) crowded() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.connections) > f.room
}

// counts returns the number of connections after their eth handshake, and the number of peers asked so far.
func (f *fetcher) counts() (peers, asked int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, c := range f.connections {
		select {
		case <-c.ready:
			peers++
		default:
		}
	}
	return peers, len(f.asked)
}

func (f *fetcher) askedPeers() int {
	_, asked := f.counts()
	return asked
}
