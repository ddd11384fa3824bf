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
	"gwon/params"
)

const (
	// DefaultPatience is how long Fetch goes on without a new code. A node that turned a peer away, because it was full or
	// heard from that address before, is dialled again after 35 seconds; this is time for three attempts.
	DefaultPatience = 2 * time.Minute

	reportInterval = 10 * time.Second
	askAgain       = 20 * time.Second // after which a peer that had nothing is asked again: it may have synced further
)

// ErrNotServed is returned when the patience ran out before the code of the genesis block was there.
var ErrNotServed = errors.New("no peer gave the contract code")

// Chain is a network at its genesis block, as a Status message tells of it (spec network 2.1).
type Chain struct {
	NetworkID uint64
	Config    *gethparams.ChainConfig
	Genesis   *types.Header
}

// PublicChain returns the chain of a public network. Its genesis block can be told without the code (spec chain 9).
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

// Config says what is fetched, from whom, and where it goes.
type Config struct {
	P2P      p2p.Config // of the node, with its key; the protocols are replaced. Boot nodes are dialled like static ones
	Chain    Chain
	Missing  []core.MissingCode
	Store    *store.Store
	Patience time.Duration // without a new code; 0 stands for DefaultPatience
}

// CanAsk reports whether a node with these settings dials anybody.
func CanAsk(cfg *p2p.Config) bool {
	return cfg.MaxPeers > 0 && len(cfg.StaticNodes)+len(cfg.BootstrapNodes)+len(cfg.BootstrapNodesV5) > 0
}

// Fetch runs a peer-to-peer server until all code that the genesis block needs is in the store: without that there is no
// chain, while what upgrades need can be asked for by the running node (see Seeker). All that is missing is asked for. Code
// that arrived stays in the store however it ends. asked is the number of peers that were asked. The error wraps
// ErrNotServed when the patience ran out, and the context's when that ended.
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
	// Discovery takes a while to come back to the boot nodes themselves, and without it they would not be dialled at all.
	server.StaticNodes = slices.Concat(cfg.P2P.StaticNodes, cfg.P2P.BootstrapNodes, cfg.P2P.BootstrapNodesV5)
	if err := server.Start(); err != nil {
		return 0, fmt.Errorf("ask peers for contract code: %w", err)
	}
	defer server.Stop()
	patience := cfg.Patience
	if patience == 0 {
		patience = DefaultPatience
	}
	f.log.Info("Asking peers for contract code", "network", cfg.Chain.NetworkID, "patience", patience, "missing", f.names())
	err = f.wait(ctx, patience)
	return f.askedPeers(), err
}

// fetcher is the state that the connections share. It is safe for concurrent use.
type fetcher struct {
	*shortage
	status protocol.StatusPacket68
	filter forkid.Filter
	room   int // connections up to which a peer that had nothing may stay, to be asked again

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

// wait returns when the genesis block has everything, with nil, or when there is no point in waiting any longer.
func (f *fetcher) wait(ctx context.Context, patience time.Duration) error {
	limit := time.NewTimer(patience)
	defer limit.Stop()
	report := time.NewTicker(reportInterval)
	defer report.Stop()
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
		case <-report.C:
			peers, asked := f.counts()
			f.log.Info("Waiting for contract code", "peers", peers, "asked", asked, "missing", f.names())
		}
	}
}

// crowded reports whether a peer that had nothing should make room for others.
func (f *fetcher) crowded() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.connections) > f.room
}

// counts returns the connections whose eth handshake is done, and how many peers were asked so far.
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
