// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package wbft

import (
	"errors"
	"fmt"
	"math/big"
	"runtime"
	"sync"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/consensus"
	"github.com/ethereum/go-ethereum/consensus/misc/eip1559"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	gethparams "github.com/ethereum/go-ethereum/params"
	"github.com/ethereum/go-ethereum/rlp"

	"gwon/consensus/wbft/bls"
	"gwon/consensus/wbft/extra"
	"gwon/consensus/wbft/validators"
	"gwon/core"
)

// Header check failures, with the texts of go-stablenet (spec wbft 7.1).
var (
	errUncles             = errors.New("uncles not allowed")
	errUnknownBlock       = errors.New("unknown block")
	errUncleHash          = errors.New("non empty uncle hash")
	errDifficulty         = errors.New("invalid difficulty")
	errTimestamp          = errors.New("invalid timestamp")
	errUnauthorized       = errors.New("unauthorized")
	errExtraFormat        = errors.New("invalid extra data format")
	errPreparedZero       = errors.New("zero prepared seals")
	errPreparedSeals      = errors.New("invalid prepared seals")
	errCommittedZero      = errors.New("zero committed seals")
	errCommittedSeals     = errors.New("invalid committed seals")
	errPrevPreparedZero   = errors.New("zero prev prepared seals")
	errPrevPreparedSeals  = errors.New("invalid prev prepared seals")
	errPrevCommittedZero  = errors.New("zero prev committed seals")
	errPrevCommittedSeals = errors.New("invalid prev committed seals")
)

// errUnreadable means that a header could not be judged because something below it cannot be read here.
var errUnreadable = errors.New("the chain below cannot be read")

// VerifyHeader checks one header against its stored parent (spec wbft 7.1).
func (e *Engine) VerifyHeader(chain consensus.ChainHeaderReader, header *types.Header) error {
	return e.verify(ancestry{chain: chain}, header, false)
}

// VerifyProposal checks the header of a proposal, which does not carry the seals over itself yet (spec wbft 5.7, 7.1).
// consensus.ErrFutureBlock is returned only when nothing else is wrong with it.
func (e *Engine) VerifyProposal(chain consensus.ChainHeaderReader, header *types.Header) error {
	return e.verify(ancestry{chain: chain}, header, true)
}

// VerifyHeaders checks a chain of consecutive headers on all cores. Results come in input order; after the first
// failure every further header has an unknown ancestor (spec wbft 7.2).
func (e *Engine) VerifyHeaders(
	chain consensus.ChainHeaderReader,
	headers []*types.Header,
) (chan<- struct{}, <-chan error) {
	abort, results := make(chan struct{}), make(chan error, len(headers))
	outcome := make([]chan error, len(headers))
	joined := linked(headers)
	for i := range outcome {
		outcome[i] = make(chan error, 1)
		if i >= joined {
			outcome[i] <- consensus.ErrUnknownAncestor
		}
	}
	var (
		next  = make(chan int)
		known = new(knownSets) // all headers are of one branch
		quit  = make(chan struct{})
		stop  = sync.OnceFunc(func() { close(quit) })
	)
	go func() {
		defer close(next)
		for i := 0; i < joined; i += verifyRun {
			select {
			case next <- i:
			case <-quit:
				return
			}
		}
	}()
	for range min(runtime.GOMAXPROCS(0), (joined+verifyRun-1)/verifyRun) {
		go func() {
			for first := range next {
				end := min(first+verifyRun, joined)
				e.preverify(ancestry{chain, headers[:first], known}, headers[first:end])
				for i := first; i < end; i++ {
					outcome[i] <- e.verify(ancestry{chain, headers[:i], known}, headers[i], false)
				}
			}
		}()
	}
	go func() {
		defer stop()
		failed := false
		for i := range headers {
			err := consensus.ErrUnknownAncestor
			if !failed {
				select {
				case err = <-outcome[i]:
				case <-abort:
					return
				}
				failed = err != nil
			}
			if failed {
				stop()
			}
			select {
			case results <- err:
			case <-abort:
				return
			}
		}
	}()
	return abort, results
}

// verify checks the header behind an ancestry, whose batch is linked and ends with the parent unless it is empty. A
// proposal has no seals of its own.
func (e *Engine) verify(a ancestry, header *types.Header, proposal bool) error {
	if header.Number == nil || !header.Number.IsUint64() {
		return errUnknownBlock
	}
	number := header.Number.Uint64()
	if number == 0 {
		if genesis := a.chain.GetHeaderByNumber(0); genesis == nil || genesis.Hash() != header.Hash() {
			return errUnknownBlock
		}
		return nil
	}
	// The ancestors of a proposal are stored, and so were good once.
	ancestral := func(err error) error {
		if proposal {
			return fmt.Errorf("%w: %w", errUnreadable, err)
		}
		return err
	}
	set, err := e.validatorsAfter(a, header.ParentHash, number)
	if err != nil {
		return ancestral(err)
	}
	parent := a.header(header.ParentHash, number-1, number-1)
	if parent == nil || len(a.batch) == 0 && parent.Hash() != header.ParentHash {
		return consensus.ErrUnknownAncestor
	}
	var parentSet *validators.Set
	if number >= 2 {
		if parentSet, err = e.validatorsAfter(a, parent.ParentHash, number-1); err != nil {
			return ancestral(err)
		}
	}
	future := e.inFuture(header)
	if future && !proposal {
		return consensus.ErrFutureBlock
	}
	if err := e.verifyFields(header, parent); err != nil {
		return err
	}
	if !set.Contains(header.Coinbase) {
		return errUnauthorized
	}
	state := stateAfter(a.chain, parent)
	if state != nil {
		blacklisted := state.IsBlacklisted(header.Coinbase)
		if err := state.Error(); err != nil {
			return fmt.Errorf("%w: %w", errUnreadable, err)
		}
		if blacklisted {
			return fmt.Errorf("blacklisted signer %v", header.Coinbase)
		}
	}
	decoded, err := header.WBFTExtra()
	if err != nil {
		return fmt.Errorf("%w: %w", errExtraFormat, err)
	}
	if proposal {
		err = e.verifyProof(header, parent, decoded, parentSet)
	} else {
		err = e.verifySealed(header, parent, decoded, set, parentSet)
	}
	if err != nil {
		return err
	}
	if state != nil {
		tip := e.verifyGasTip(decoded.GasTip, state)
		if err := state.Error(); err != nil {
			return fmt.Errorf("%w: %w", errUnreadable, err)
		}
		if tip != nil {
			return tip
		}
	}
	if future {
		return consensus.ErrFutureBlock
	}
	return nil
}

// inFuture reports whether the timestamp is ahead of the local clock by more than the chain allows.
func (e *Engine) inFuture(header *types.Header) bool {
	latest := e.now().Add(time.Duration(e.config.Anzeon.WBFT.AllowedFutureBlockTime) * time.Second)
	return header.Time > uint64(latest.Unix())
}

// mostAhead bounds what FutureBy returns: a timestamp may be any number of 64 bits, and package time counts fewer.
const mostAhead = 100 * 365 * 24 * time.Hour

// FutureBy returns how long to wait until a proposal's timestamp is acceptable, at most mostAhead; 0 when it is.
func (e *Engine) FutureBy(header *types.Header) time.Duration {
	if !e.inFuture(header) {
		return 0
	}
	now := e.now()
	allowed := time.Duration(e.config.Anzeon.WBFT.AllowedFutureBlockTime) * time.Second
	last := uint64(now.Add(allowed + mostAhead).Unix())
	return time.Unix(int64(min(header.Time, last)), 0).Add(-allowed).Sub(now)
}

// verifyFields checks rows 3 to 12 of spec wbft 7.1.
func (e *Engine) verifyFields(header, parent *types.Header) error {
	switch {
	case header.UncleHash != types.EmptyUncleHash:
		return errUncleHash
	case header.Difficulty == nil || header.Difficulty.Cmp(common.Big1) != 0:
		return errDifficulty
	case header.GasLimit > gethparams.MaxGasLimit:
		return fmt.Errorf("invalid gasLimit: have %v, max %v", header.GasLimit, gethparams.MaxGasLimit)
	case header.WithdrawalsHash != nil:
		return fmt.Errorf("invalid withdrawalsHash: have %x, expected nil", *header.WithdrawalsHash)
	case header.ExcessBlobGas != nil:
		return fmt.Errorf("invalid excessBlobGas: have %d, expected nil", *header.ExcessBlobGas)
	case header.BlobGasUsed != nil:
		return fmt.Errorf("invalid blobGasUsed: have %d, expected nil", *header.BlobGasUsed)
	case header.ParentBeaconRoot != nil:
		return fmt.Errorf("invalid parentBeaconRoot: have %#x, expected nil", *header.ParentBeaconRoot)
	case header.RequestsHash != nil || header.BlockAccessListHash != nil || header.SlotNumber != nil:
		return errors.New("header fields after parentBeaconRoot are not allowed")
	}
	period := e.config.WBFTAt(header.Number.Uint64()).BlockPeriodSeconds
	if header.Time < parent.Time || header.Time-parent.Time < period {
		return errTimestamp
	}
	if header.GasUsed > header.GasLimit {
		return fmt.Errorf("invalid gasUsed: have %d, gasLimit %d", header.GasUsed, header.GasLimit)
	}
	return eip1559.VerifyEIP1559Header(e.config, parent, header)
}

// verifySealed checks rows 16 to 21 of spec wbft 7.1. A header that passed once is remembered by all its bytes, seals
// included: its block hash leaves them out.
func (e *Engine) verifySealed(
	header, parent *types.Header,
	decoded *types.WBFTExtra,
	set, parentSet *validators.Set,
) error {
	key, err := headerKey(header)
	if err != nil {
		return err
	}
	if e.verified.Contains(key) {
		return nil
	}
	if e.vouched.Contains(key) {
		if err := e.verifyVouched(header, parent, decoded, parentSet); err != nil {
			return err
		}
		e.verified.Add(key, struct{}{})
		return nil
	}
	e.verifyTogether(append(ownSeals(header, decoded, set), parentSeals(parent, decoded, parentSet)...))
	if err := e.verifyOwnSeals(header, decoded, set); err != nil {
		return err
	}
	if err := e.verifyProof(header, parent, decoded, parentSet); err != nil {
		return err
	}
	e.verified.Add(key, struct{}{})
	return nil
}

// verifyGasTip compares the header's tip with the one that governs the child of the state (spec wbft 1.5).
func (e *Engine) verifyGasTip(tip *big.Int, parent core.StateReader) error {
	if want := core.GasTip(parent, e.config.Anzeon.SystemContracts.GovValidator.Address); tip.Cmp(want) != 0 {
		return fmt.Errorf("invalid gas tip: have %v, want %v", tip, want)
	}
	return nil
}

// preverify verifies the seals of neighboring headers together and remembers them when all are good, so that the check
// of each header need not verify them again. It reports nothing: a bad one is found there. Those of the headers before
// stand in the batch of before.
func (e *Engine) preverify(before ancestry, headers []*types.Header) {
	var checks []validators.SealCheck
	batch := before.batch
	all := append(batch[:len(batch):len(batch)], headers...)
	for i, h := range headers {
		a := ancestry{before.chain, all[:len(batch)+i], before.known}
		number := h.Number
		if key, err := headerKey(h); err != nil || e.verified.Contains(key) || e.vouched.Contains(key) {
			continue
		}
		decoded, err := h.WBFTExtra()
		if err != nil || number == nil || !number.IsUint64() || number.Sign() == 0 {
			return
		}
		set, err := e.validatorsAfter(a, h.ParentHash, number.Uint64())
		if err != nil {
			return
		}
		checks = append(checks, ownSeals(h, decoded, set)...)
	}
	e.verifyTogether(checks)
}

// ownSeals returns the checks of the seals over a header.
func ownSeals(h *types.Header, decoded *types.WBFTExtra, set *validators.Set) []validators.SealCheck {
	return []validators.SealCheck{
		{Set: set, Seal: decoded.PreparedSeal, Digest: extra.SealDigest(h, decoded.Round, extra.Prepare)},
		{Set: set, Seal: decoded.CommittedSeal, Digest: extra.SealDigest(h, decoded.Round, extra.Commit)},
	}
}

// parentSeals returns the checks of the seals over its parent that a header carries; none without a set.
func parentSeals(parent *types.Header, decoded *types.WBFTExtra, set *validators.Set) []validators.SealCheck {
	if set == nil {
		return nil
	}
	return []validators.SealCheck{
		{Set: set, Seal: decoded.PrevPreparedSeal, Digest: extra.SealDigest(parent, decoded.PrevRound, extra.Prepare)},
		{Set: set, Seal: decoded.PrevCommittedSeal, Digest: extra.SealDigest(parent, decoded.PrevRound, extra.Commit)},
	}
}

// verifyTogether verifies seals in one go and remembers them when all are good. It reports whether all are known to be
// good.
func (e *Engine) verifyTogether(checks []validators.SealCheck) bool {
	var open []validators.SealCheck
	for _, c := range checks {
		key, ok := sealKey(c)
		if !ok {
			return false
		}
		if !e.seals.Contains(key) {
			open = append(open, c)
		}
	}
	if len(open) >= 2 && validators.VerifySeals(open) {
		e.remember(open)
		open = nil
	}
	return len(open) == 0
}

// remember takes seals for verified.
func (e *Engine) remember(good []validators.SealCheck) {
	for _, c := range good {
		if key, ok := sealKey(c); ok {
			e.seals.Add(key, struct{}{})
		}
	}
}

func (e *Engine) verifyOwnSeals(header *types.Header, decoded *types.WBFTExtra, set *validators.Set) error {
	checks := ownSeals(header, decoded, set)
	if err := e.verifySeal(checks[0], errPreparedZero, errPreparedSeals); err != nil {
		return err
	}
	return e.verifySeal(checks[1], errCommittedZero, errCommittedSeals)
}

// verifySeal checks one aggregated seal. What passed once is remembered by digest and seal. The set belongs to that:
// the digest names the block and so its ancestors, one of which names the set. Every set that comes here was found by
// the hashes of ancestors, stored or linked.
func (e *Engine) verifySeal(c validators.SealCheck, zero, invalid error) error {
	if c.Seal == nil || len(c.Seal.Signature) == 0 {
		return zero
	}
	key, ok := sealKey(c)
	if !ok {
		return fmt.Errorf("%w: %w", invalid, validators.ErrSignature)
	}
	if e.seals.Contains(key) {
		return nil
	}
	if err := c.Set.VerifySeal(c.Seal, c.Digest); err != nil {
		return fmt.Errorf("%w: %w", invalid, err)
	}
	e.seals.Add(key, struct{}{})
	return nil
}

// sealKey is what a good seal is remembered by. There is none when the signature has not the length of one: the same
// bytes, divided otherwise between signature and sealers, are another seal.
func sealKey(c validators.SealCheck) (common.Hash, bool) {
	if c.Seal == nil || len(c.Seal.Signature) != bls.SignatureLength {
		return common.Hash{}, false
	}
	return crypto.Keccak256Hash(c.Digest[:], c.Seal.Signature, c.Seal.Sealers), true
}

// headerKey is what a good header is remembered by: all its bytes, seals included, which its block hash leaves out.
func headerKey(h *types.Header) (common.Hash, error) {
	encoded, err := rlp.EncodeToBytes(h)
	if err != nil {
		return common.Hash{}, fmt.Errorf("header %d: %w", h.Number, err)
	}
	return crypto.Keccak256Hash(encoded), nil
}
