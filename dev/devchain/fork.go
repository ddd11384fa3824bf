// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package devchain

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/consensus"
	gethcore "github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/history"
	"github.com/ethereum/go-ethereum/core/rawdb"
	"github.com/ethereum/go-ethereum/core/state"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/ethdb"
	"github.com/ethereum/go-ethereum/log"
	gethparams "github.com/ethereum/go-ethereum/params"
	"github.com/holiman/uint256"

	"gwon/consensus/finality/remotestate"
	"gwon/consensus/wbft/validators"
	"gwon/internal/dial"
)

const (
	// forkTime bounds the time for which one read of the forked network may hold up an execution.
	forkTime = time.Minute

	// blockHashes is how many blocks back a contract can ask for hashes.
	blockHashes = 256
)

// ForkFunds returns the coins in wei that each account of the mnemonic has on a forked chain.
func ForkFunds() *big.Int { return new(big.Int).Mul(big.NewInt(1_000_000_000), big.NewInt(1e18)) }

// Fork is a network that a developer chain continues from one of its blocks. The state after that block is read from
// the network when something asks for it, and its root proves it.
type Fork struct {
	url     string
	reader  *remotestate.Reader
	state   *remotestate.State
	config  *gethparams.ChainConfig
	genesis *types.Header

	headers []*types.Header // up to that of the block that is continued
	whole   []wholeBlock    // the same
}

// wholeBlock is a block with its receipts.
type wholeBlock struct {
	*types.Block
	receipts types.Receipts
}

// OpenFork reads the block that is continued: the one with the number, or the newest if that is nil. The URL is
// the one that test methods name the network by. config is that of the own chain.
func OpenFork(ctx context.Context, reader *remotestate.Reader, url string, config *gethparams.ChainConfig,
	genesis *types.Header, number *uint64,
) (*Fork, error) {
	f := &Fork{url: url, reader: reader, config: config, genesis: genesis}
	header, err := f.choose(ctx, number)
	if err != nil {
		return nil, err
	}
	if f.headers, err = reader.Ancestors(ctx, header, oldestNeeded(config, header.Number.Uint64())); err != nil {
		return nil, fmt.Errorf("read the headers before block %v: %w", header.Number, err)
	}
	// Tools estimate fees from ten blocks.
	for _, h := range f.headers[len(f.headers)-min(10, len(f.headers)):] {
		block, err := reader.Block(ctx, h)
		if err != nil {
			return nil, fmt.Errorf("read block %v: %w", h.Number, err)
		}
		receipts, err := reader.Receipts(ctx, block)
		if err != nil {
			return nil, fmt.Errorf("read the receipts of block %v: %w", h.Number, err)
		}
		f.whole = append(f.whole, wholeBlock{block, receipts})
	}
	f.state = reader.State(header)
	if _, err := f.state.Account(ctx, common.Address{}); err != nil {
		return nil, fmt.Errorf("read the state after block %v: %w", header.Number, err)
	}
	return f, nil
}

// choose returns the header of the block that is continued.
func (f *Fork) choose(ctx context.Context, number *uint64) (*types.Header, error) {
	if number == nil {
		header, err := f.reader.Latest(ctx, nil)
		if newest, stored := f.reader.Newest(); err != nil && stored && errors.Is(err, remotestate.ErrUnreachable) {
			return nil, fmt.Errorf("find the newest block: %w: block %d is stored, which can be continued without the network",
				err, newest)
		}
		if err != nil {
			return nil, fmt.Errorf("find the newest block: %w", err)
		}
		if header.Number.Sign() > 0 {
			return header, nil
		}
		number = new(uint64)
	}
	if *number == 0 {
		return nil, errors.New("block 0 has no seals of its own: continue block 1 or a later one")
	}
	header, err := f.reader.Header(ctx, *number)
	if err != nil {
		return nil, fmt.Errorf("prove block %d: %w", *number, err)
	}
	return header, nil
}

// oldestNeeded returns the first header that execution and consensus after a block look at: hashes of earlier blocks,
// and the three epochs from which diligence is computed.
func oldestNeeded(config *gethparams.ChainConfig, number uint64) uint64 {
	first := config.LastEpochBlock(number)
	for range 3 {
		if first > 0 {
			first = config.LastEpochBlock(first - 1)
		}
	}
	if number >= blockHashes {
		return max(1, min(first, number-blockHashes))
	}
	return 1
}

// Number returns the number of the block that is continued.
func (f *Fork) Number() uint64 { return f.head().Number.Uint64() }

func (f *Fork) head() *types.Header { return f.headers[len(f.headers)-1] }

// Earliest returns the first block of which the chain has transactions and receipts. It is after genesis.
func (f *Fork) Earliest() history.PrunePoint {
	return history.PrunePoint{BlockNumber: f.whole[0].NumberU64(), BlockHash: f.whole[0].Hash()}
}

// Hash returns its hash.
func (f *Fork) Hash() common.Hash { return f.head().Hash() }

// install makes the chain of this process begin with the forked block. Nil undoes that.
func (f *Fork) install() {
	state.ReadAhead(nil)
	if f == nil {
		gethcore.OpenForked(nil)
	} else {
		gethcore.OpenForked(f.open)
	}
}

// open writes the beginning of the chain into an empty database. Earlier bodies count as pruned.
func (f *Fork) open(db ethdb.Database, _ *gethcore.Genesis) (ethdb.Database, *gethcore.Genesis, error) {
	if rawdb.ReadHeadBlockHash(db) != (common.Hash{}) {
		return nil, nil, errors.New("the database holds a chain, and a forked one begins in an empty database")
	}
	hash := f.genesis.Hash()
	batch := db.NewBatch()
	rawdb.WriteHeader(batch, f.genesis)
	rawdb.WriteBody(batch, hash, 0, new(types.Body))
	rawdb.WriteReceipts(batch, hash, 0, nil)
	rawdb.WriteCanonicalHash(batch, hash, 0)
	rawdb.WriteChainConfig(batch, hash, f.config)
	for _, h := range f.headers {
		rawdb.WriteHeader(batch, h)
		rawdb.WriteCanonicalHash(batch, h.Hash(), h.Number.Uint64())
	}
	for _, b := range f.whole {
		rawdb.WriteBlock(batch, b.Block)
		rawdb.WriteReceipts(batch, b.Hash(), b.NumberU64(), b.receipts)
	}
	rawdb.WriteHeadHeaderHash(batch, f.Hash())
	rawdb.WriteHeadBlockHash(batch, f.Hash())
	rawdb.WriteHeadFastBlockHash(batch, f.Hash())
	if err := batch.Write(); err != nil {
		return nil, nil, fmt.Errorf("write the forked block: %w", err)
	}
	if _, err := db.TruncateTail(rawdb.ChainFreezerBlockDataGroup, f.Earliest().BlockNumber); err != nil {
		return nil, nil, fmt.Errorf("mark the history before the forked block: %w", err)
	}
	state.ReadAhead(f.ahead) // not before: the genesis block is hashed in a state of its own
	return &forkedDB{db, f}, nil, nil
}

// ahead reads an account with its code and the root of its storage, or a slot of that, before a trie is asked for it.
func (f *Fork) ahead(address common.Address, slot *common.Hash) error {
	ctx, cancel := context.WithTimeout(context.Background(), forkTime)
	defer cancel()
	var err error
	if slot != nil {
		_, err = f.state.Storage(ctx, address, *slot)
	} else {
		err = f.Prefetch(ctx, []common.Address{address})
	}
	if err != nil {
		return fmt.Errorf("read the state after block %d of the forked network: %w", f.Number(), err)
	}
	return nil
}

// forkedDB is the database of a forked chain. What it has by its hash is as good from the network.
type forkedDB struct {
	ethdb.Database
	fork *Fork
}

// Get implements ethdb.KeyValueReader.
func (d *forkedDB) Get(key []byte) ([]byte, error) {
	value, err := d.Database.Get(key)
	if err == nil {
		return value, nil
	}
	if hash, isCode := bytes.CutPrefix(key, rawdb.CodePrefix); isCode && len(hash) == common.HashLength {
		if code := d.fork.reader.StoredCode(common.BytesToHash(hash)); code != nil {
			return code, nil
		}
		return nil, err
	}
	if len(key) != common.HashLength {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), forkTime)
	defer cancel()
	node, missing := d.fork.state.Node(ctx, common.BytesToHash(key))
	if missing == nil {
		return node, nil
	}
	if !errors.Is(missing, remotestate.ErrAbsent) {
		log.Error("State of the forked network not read", "block", d.fork.Number(), "err", missing)
	}
	return nil, err
}

// beginFork makes the state that the chain has before its first own block.
func (c *Chain) beginFork() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.fund(); err != nil {
		return err
	}
	head := c.chain.CurrentBlock()
	c.funded = c.changes.at(head.Number.Uint64(), head.Hash())
	return nil
}

// fund gives the accounts of the mnemonic coins, and takes code from them: public keys have often delegated their
// accounts. The lock is held.
func (c *Chain) fund() error {
	statedb, err := c.state()
	if err != nil {
		return err
	}
	var writes []write
	for _, a := range c.options.Accounts {
		writes = append(writes, setBalance(a.Address, uint256.MustFromBig(ForkFunds())))
		if statedb.GetCodeSize(a.Address) > 0 {
			writes = append(writes, setCode(a.Address, nil))
		}
		if statedb.GetExtra(a.Address) != 0 {
			writes = append(writes, setFlags(a.Address, 0))
		}
	}
	if len(writes) == 0 {
		return nil
	}
	return c.changeCoins(writes...)
}

// beginning returns the snapshot to which a reset goes back: genesis, or the forked block with the funds on it.
func (c *Chain) beginning() *snapshot {
	if c.options.Fork == nil {
		return &snapshot{hash: c.chain.Genesis().Hash(), settings: c.initial()}
	}
	number, hash := c.options.Fork.Number(), c.options.Fork.Hash()
	return &snapshot{number: number, hash: hash, change: c.funded, settings: c.initial()}
}

// sealers returns the validators whose seals a block after parent needs: those of the chain, or on a forked one this
// validator alone.
func (e *Engine) sealers(chain consensus.ChainHeaderReader, parent *types.Header) (*validators.Set, error) {
	if e.c.options.Fork == nil {
		return e.ValidatorsAfter(chain, parent)
	}
	return validators.NewSet([]validators.Validator{{Address: e.c.validator, Key: e.c.secret.PublicKey()}}), nil
}

// standIn returns the validator of the forked network for which an own block counts in the rules of epochs.
func (e *Engine) standIn(header *types.Header) common.Address {
	set, err := e.ValidatorsFor(e.c.chain, header)
	if err != nil {
		return e.c.validator // the rule that needs a validator reports it
	}
	return set.At(0).Address
}

// prefetch reads what a call will need from the forked network in few requests, as far as the network can tell. It is
// a help and no rule: what it leaves out is read one by one.
func (c *Chain) prefetch(ctx context.Context, call any) {
	f := c.options.Fork
	if f == nil {
		return
	}
	raw, err := json.Marshal(call)
	if err == nil {
		err = f.state.FetchAccessed(ctx, raw)
	}
	if err != nil {
		log.Debug("State of a call not read ahead", "err", err)
	}
}

// Prefetch reads accounts with their code and the root of their storage, which is on the path to any slot.
func (f *Fork) Prefetch(ctx context.Context, accounts []common.Address) error {
	wanted := make([]remotestate.Wanted, len(accounts))
	for i, address := range accounts {
		wanted[i] = remotestate.Wanted{Address: address, Slots: []common.Hash{{}}}
	}
	if err := f.state.Fetch(ctx, wanted); err != nil {
		return err
	}
	for _, address := range accounts {
		if _, err := f.state.Code(ctx, address); err != nil {
			return err
		}
	}
	return nil
}

// forkOptions are what reset may say about the network that is continued.
type forkOptions struct {
	URL    string    `json:"jsonRpcUrl"`
	Number *Quantity `json:"blockNumber"`
}

// checkFork refuses to continue another network or another block than this chain does.
func (c *Chain) checkFork(o *forkOptions) error {
	f := c.options.Fork
	switch {
	case o == nil || (o.URL == "" && o.Number == nil):
		return nil
	case f == nil:
		return invalid("expected no forking: this chain continues no other one. Start gwon-dev node with --fork %s",
			dial.Shown(o.URL))
	case o.URL != "" && o.URL != f.url:
		return invalid("expected the network %s, which this chain continues, got %s: start another gwon-dev node for it",
			dial.Shown(f.url), dial.Shown(o.URL))
	case o.Number != nil && uint64(*o.Number) != f.Number():
		return invalid("expected block %d, which this chain continues, got %d: start gwon-dev node with --fork.block %d",
			f.Number(), *o.Number, *o.Number)
	}
	return nil
}

// described returns what test methods tell of a forked network, nil where there is none.
func (f *Fork) described() any {
	if f == nil {
		return nil
	}
	return map[string]any{
		"chainId": f.config.ChainID.Uint64(), "forkBlockNumber": f.Number(), "forkBlockHash": f.Hash(),
	}
}

// forkConfig returns what anvil_nodeInfo tells of it.
func (f *Fork) forkConfig() map[string]any {
	if f == nil {
		return map[string]any{"forkUrl": nil, "forkBlockNumber": nil, "forkRetryBackoff": nil}
	}
	return map[string]any{"forkUrl": dial.Shown(f.url), "forkBlockNumber": f.Number(), "forkRetryBackoff": nil}
}
