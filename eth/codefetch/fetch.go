// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package codefetch

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/forkid"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/eth/protocols/eth"
	"github.com/ethereum/go-ethereum/log"
	"github.com/ethereum/go-ethereum/p2p"
	"github.com/ethereum/go-ethereum/p2p/enode"
	gethparams "github.com/ethereum/go-ethereum/params"
	"github.com/ethereum/go-ethereum/rlp"

	"gwon/core"
	"gwon/params"
)

const (
	// DefaultPatience is how long Fetch goes on without a new code. A node that turned a peer away, because it was full or
	// heard from that address before, is dialled again after 35 seconds; this is time for three attempts.
	DefaultPatience = 2 * time.Minute

	reportInterval = 10 * time.Second
)

// ErrNotServed is returned when the patience ran out before all code was there.
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
func (c Chain) Status() eth.StatusPacket68 {
	genesis := types.NewBlockWithHeader(c.Genesis)
	return eth.StatusPacket68{
		ProtocolVersion: eth.ETH68,
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
	Store    *core.CodeStore
	Patience time.Duration // without a new code; 0 stands for DefaultPatience
}

// CanAsk reports whether a node with these settings dials anybody.
func CanAsk(cfg *p2p.Config) bool {
	return cfg.MaxPeers > 0 && len(cfg.StaticNodes)+len(cfg.BootstrapNodes)+len(cfg.BootstrapNodesV5) > 0
}

// Fetch runs a peer-to-peer server until all code is in the store. Code that arrived stays there however it ends. asked is
// the number of peers that were asked. The error wraps ErrNotServed when the patience ran out, and the context's when
// that ended.
func Fetch(ctx context.Context, cfg Config) (asked int, err error) {
	f := newFetcher(cfg.Chain, cfg.Missing, cfg.Store)
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
	status eth.StatusPacket68
	filter forkid.Filter
	store  *core.CodeStore
	log    log.Logger

	progress chan struct{} // a code was stored; capacity 1
	done     chan struct{} // closed when nothing is missing any more
	failed   chan error    // the store does not work; capacity 1

	mu          sync.Mutex
	missing     map[common.Hash]core.MissingCode
	connections map[*p2p.Peer]*connection
	asked       map[enode.ID]struct{}
}

func newFetcher(chain Chain, missing []core.MissingCode, store *core.CodeStore) *fetcher {
	f := &fetcher{
		status:      chain.Status(),
		filter:      forkid.NewStaticFilter(chain.Config, types.NewBlockWithHeader(chain.Genesis)),
		store:       store,
		log:         log.Root(),
		progress:    make(chan struct{}, 1),
		done:        make(chan struct{}),
		failed:      make(chan error, 1),
		missing:     make(map[common.Hash]core.MissingCode),
		connections: make(map[*p2p.Peer]*connection),
		asked:       make(map[enode.ID]struct{}),
	}
	for _, m := range missing {
		f.missing[m.Hash] = m
	}
	if len(f.missing) == 0 {
		close(f.done)
	}
	return f
}

// wait returns when everything is there, with nil, or when there is no point in waiting any longer.
func (f *fetcher) wait(ctx context.Context, patience time.Duration) error {
	limit := time.NewTimer(patience)
	defer limit.Stop()
	report := time.NewTicker(reportInterval)
	defer report.Stop()
	for {
		select {
		case <-f.done:
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

// wanted returns the hashes that are still missing, in ascending order.
func (f *fetcher) wanted() []common.Hash {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.SortedFunc(maps.Keys(f.missing), common.Hash.Cmp)
}

// names returns the contracts and versions that are still missing, with the first bytes of their hashes.
func (f *fetcher) names() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	var names []string
	for _, m := range f.missing {
		names = append(names, fmt.Sprintf("%s %s (%#x)", m.Contract, m.Version, m.Hash[:4]))
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
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

// accept checks an answer against what was asked for, and stores what is right. It reports whether the answer had anything.
// The error is the peer's fault.
func (f *fetcher) accept(from *p2p.Peer, asked []common.Hash, answer *rlp.RawList[[]byte]) (useful bool, err error) {
	if answer.Len() > len(asked) {
		return false, fmt.Errorf("%w: %d codes for %d hashes", errBreach, answer.Len(), len(asked))
	}
	codes, err := answer.Items()
	if err != nil {
		return false, fmt.Errorf("%w: codes: %w", errBreach, err)
	}
	open := make(map[common.Hash]bool, len(asked))
	for _, hash := range asked {
		open[hash] = true
	}
	for _, code := range codes {
		hash := crypto.Keccak256Hash(code)
		if !open[hash] {
			return useful, fmt.Errorf("%w: %d bytes of code with hash %v, which was not asked for", errBreach, len(code), hash)
		}
		delete(open, hash)
		f.keep(from, hash, code)
		useful = true
	}
	return useful, nil
}

// keep stores code with a hash that was asked for, unless another peer was faster.
func (f *fetcher) keep(from *p2p.Peer, hash common.Hash, code []byte) {
	f.mu.Lock()
	defer f.mu.Unlock()
	m, ok := f.missing[hash]
	if !ok {
		return
	}
	if _, err := f.store.Put(code); err != nil {
		select {
		case f.failed <- err:
		default:
		}
		return
	}
	delete(f.missing, hash)
	f.log.Info("Fetched contract code", "contract", m.Contract, "version", m.Version, "hash", hash, "peer", from.ID())
	select {
	case f.progress <- struct{}{}:
	default:
	}
	if len(f.missing) == 0 {
		close(f.done)
	}
}
