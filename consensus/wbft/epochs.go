// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package wbft

import (
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/consensus"
	"github.com/ethereum/go-ethereum/core/types"

	"gwon/consensus/wbft/nextepoch"
	"gwon/consensus/wbft/validators"
	"gwon/core"
)

// ancestry finds headers along one branch: a batch of consecutive headers that is not stored yet, and the chain below
// it.
type ancestry struct {
	chain consensus.ChainHeaderReader
	batch []*types.Header // consecutive, ascending; may be empty
	known *knownSets      // of the branch; nil for none
}

// knownSets are the validator sets that epoch blocks of one branch name, by number. Without them each header of a batch
// would have the same two epoch blocks read and hashed.
type knownSets struct {
	mu   sync.Mutex
	sets map[uint64]*validators.Set
}

func (k *knownSets) of(epoch uint64) *validators.Set {
	if k == nil {
		return nil
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.sets[epoch]
}

func (k *knownSets) add(epoch uint64, set *validators.Set) {
	if k == nil {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.sets == nil {
		k.sets = make(map[uint64]*validators.Set)
	}
	k.sets[epoch] = set
}

// header returns the ancestor with the number target on the branch that ends in (hash, number), or nil.
func (a ancestry) header(hash common.Hash, number, target uint64) *types.Header {
	if target > number {
		return nil
	}
	if len(a.batch) > 0 {
		first := a.batch[0].Number.Uint64()
		if number >= first {
			if target >= first {
				if i := target - first; i < uint64(len(a.batch)) {
					return a.batch[i]
				}
				return nil
			}
			hash, number = a.batch[0].ParentHash, first-1
		}
	}
	// On the canonical chain the number is enough; beside it every step is by parent hash.
	for {
		if canonical := a.chain.GetHeaderByNumber(number); canonical != nil && canonical.Hash() == hash {
			if target == number {
				return canonical
			}
			return a.chain.GetHeaderByNumber(target)
		}
		h := a.chain.GetHeader(hash, number)
		if h == nil || number == target {
			return h
		}
		hash, number = h.ParentHash, number-1
	}
}

// epochBefore returns the epoch block whose epoch info governs block number, given that block's parent (spec wbft 3.1).
func (e *Engine) epochBefore(a ancestry, parentHash common.Hash, number uint64) (*types.Header, error) {
	if number == 0 {
		return nil, errors.New("no validator set governs the genesis block")
	}
	epoch := a.header(parentHash, number-1, e.config.LastEpochBlock(number-1))
	if epoch == nil {
		return nil, consensus.ErrUnknownAncestor
	}
	return epoch, nil
}

// setOf returns the validator set that the epoch block's epoch info describes.
func (e *Engine) setOf(epoch *types.Header) (*validators.Set, error) {
	hash := epoch.Hash()
	if set, ok := e.sets.Get(hash); ok {
		return set, nil
	}
	info, err := epochInfo(epoch)
	if err != nil {
		return nil, err
	}
	set, err := validators.FromEpochInfo(info)
	if err != nil {
		return nil, fmt.Errorf("epoch info of block %d: %w", epoch.Number, err)
	}
	e.sets.Add(hash, set)
	return set, nil
}

func epochInfo(epoch *types.Header) (*types.EpochInfo, error) {
	extra, err := epoch.WBFTExtra()
	if err != nil {
		return nil, fmt.Errorf("extra data of epoch block %d: %w", epoch.Number, err)
	}
	if extra.EpochInfo == nil {
		return nil, fmt.Errorf("epoch block %d carries no epoch info", epoch.Number)
	}
	return extra.EpochInfo, nil
}

// validatorsAfter returns the set in charge of the block number whose parent is parentHash.
func (e *Engine) validatorsAfter(a ancestry, parentHash common.Hash, number uint64) (*validators.Set, error) {
	if number > 0 {
		if set := a.known.of(e.config.LastEpochBlock(number - 1)); set != nil {
			return set, nil
		}
	}
	epoch, err := e.epochBefore(a, parentHash, number)
	if err != nil {
		return nil, err
	}
	set, err := e.setOf(epoch)
	if err != nil {
		return nil, err
	}
	a.known.add(epoch.Number.Uint64(), set)
	return set, nil
}

// ValidatorsAfter returns the validator set in charge of the child of parent (spec wbft 3.1).
func (e *Engine) ValidatorsAfter(chain consensus.ChainHeaderReader, parent *types.Header) (*validators.Set, error) {
	return e.validatorsAfter(ancestry{chain: chain}, parent.Hash(), parent.Number.Uint64()+1)
}

// ValidatorsFor returns the validator set that is in charge of sealing the block with this header; for genesis, the set
// that genesis itself names.
func (e *Engine) ValidatorsFor(chain consensus.ChainHeaderReader, header *types.Header) (*validators.Set, error) {
	if header.Number.Sign() == 0 {
		return e.setOf(header)
	}
	return e.validatorsAfter(ancestry{chain: chain}, header.ParentHash, header.Number.Uint64())
}

// epochInput gathers what the epoch info of the epoch block header depends on, but for the candidates (spec wbft 3.5).
func (e *Engine) epochInput(chain consensus.ChainHeaderReader, header *types.Header) (nextepoch.Input, error) {
	number := header.Number.Uint64()
	a := ancestry{chain: chain}
	in := nextepoch.Input{Policy: *e.config.WBFTAt(number).ProposerPolicy, MixHash: header.MixDigest}

	// The blocks of the epoch, from the last one backwards.
	last := e.config.LastEpochBlock(number - 1)
	headers := []*types.Header{header}
	for h := header; h.Number.Uint64() > last+1; {
		if h = chain.GetHeader(h.ParentHash, h.Number.Uint64()-1); h == nil {
			return in, consensus.ErrUnknownAncestor
		}
		headers = append(headers, h)
	}
	slices.Reverse(headers)
	current := chain.GetHeader(headers[0].ParentHash, last)
	if current == nil {
		return in, consensus.ErrUnknownAncestor
	}
	in.Coinbase = current.Coinbase
	var err error
	if in.Current, err = epochInfo(current); err != nil {
		return in, err
	}
	in.Prior, in.Before = in.Current, in.Current
	if last > 0 {
		prior, err := e.epochBefore(a, current.ParentHash, last)
		if err != nil {
			return in, err
		}
		if in.Prior, err = epochInfo(prior); err != nil {
			return in, err
		}
		in.Before = in.Prior
		if last > 1 && prior.Number.Uint64() == last-1 {
			before, err := e.epochBefore(a, prior.ParentHash, last-1)
			if err != nil {
				return in, err
			}
			if in.Before, err = epochInfo(before); err != nil {
				return in, err
			}
		}
	}
	for i, h := range headers {
		// The previous-block seals of the first block are those of the epoch block, which the prior set has made.
		n := len(in.Current.Validators)
		if i == 0 {
			n = len(in.Prior.Validators)
		}
		block, err := epochBlock(h, n)
		if err != nil {
			return in, err
		}
		in.Blocks = append(in.Blocks, block)
	}
	return in, nil
}

// epochBlock reads from a header what the epoch computation needs; n is the size of the set that sealed its parent.
func epochBlock(h *types.Header, n int) (nextepoch.Block, error) {
	block := nextepoch.Block{Number: h.Number.Uint64(), Coinbase: h.Coinbase}
	if block.Number == 1 {
		return block, nil
	}
	extra, err := h.WBFTExtra()
	if err != nil {
		return block, fmt.Errorf("extra data of block %d: %w", block.Number, err)
	}
	for _, s := range []struct {
		seal *types.WBFTSeal
		to   *[]int
	}{{extra.PrevPreparedSeal, &block.PrevPrepared}, {extra.PrevCommittedSeal, &block.PrevCommitted}} {
		if s.seal == nil {
			return block, fmt.Errorf("block %d has no previous-block seals", block.Number)
		}
		if *s.to, err = validators.DecodeSealers(s.seal.Sealers, n); err != nil {
			return block, fmt.Errorf("previous-block seals of block %d: %w", block.Number, err)
		}
	}
	return block, nil
}

// nextCandidates reads the list of the GovValidator contract in force at a block.
func (e *Engine) nextCandidates(number uint64, state core.StateReader) ([]nextepoch.Candidate, error) {
	contract := e.config.SystemContractsAt(number).GovValidator.Address
	list, err := core.ValidatorList(state, contract)
	if err != nil {
		return nil, err
	}
	candidates := make([]nextepoch.Candidate, len(list))
	for i, address := range list {
		key, err := core.BLSKey(state, contract, address)
		if err != nil {
			return nil, err
		}
		candidates[i] = nextepoch.Candidate{Address: address, BLSPublicKey: key}
	}
	return candidates, nil
}
