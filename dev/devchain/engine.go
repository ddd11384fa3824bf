// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package devchain

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/consensus"
	"github.com/ethereum/go-ethereum/consensus/misc"
	"github.com/ethereum/go-ethereum/consensus/misc/eip1559"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/core/vm"
	gethparams "github.com/ethereum/go-ethereum/params"

	"gwon/consensus/wbft"
	"gwon/consensus/wbft/extra"
)

// Engine is the consensus engine of a developer chain: WBFT with one validator, whose blocks may deviate from the rules
// where their vanity says so. Timestamps have to increase, and no clock judges them.
type Engine struct {
	*wbft.Engine
	c *Chain
}

var _ consensus.Engine = (*Engine)(nil)

// WBFT returns the engine behind this one.
func (e *Engine) WBFT() *wbft.Engine { return e.Engine }

// deviation is a set of rules from which a block deviates.
type deviation uint8

const (
	otherState      deviation = 1 << iota // the state before the block is not that of its parent's header
	otherBaseFee                          // evm_setNextBlockBaseFeePerGas
	otherGasLimit                         // evm_setBlockGasLimit
	otherCoinbase                         // evm_setCoinbase
	otherPrevRandao                       // evm_setPrevRandao
	otherSeals                            // signatures of standInDigest instead of seals, perhaps another reveal
)

// vanityMark begins the vanity of a header with deviations. One byte with the set follows, then the root of the state
// before the block, if that is among them.
var vanityMark = []byte("gwon/dev")

// markVanity returns the vanity of a header with deviations.
func markVanity(d deviation, before common.Hash) []byte {
	vanity := append(bytes.Clone(vanityMark), byte(d))
	if d&otherState != 0 {
		vanity = append(vanity, before[:]...)
	}
	return vanity
}

// readVanity returns the deviations that a vanity names, and the root of the state before the block among them.
func readVanity(vanity []byte) (d deviation, before common.Hash, err error) {
	rest, marked := bytes.CutPrefix(vanity, vanityMark)
	if !marked || len(rest) == 0 || rest[0] == 0 {
		return 0, common.Hash{}, nil
	}
	d, rest = deviation(rest[0]), rest[1:]
	want := 0
	if d&otherState != 0 {
		want = common.HashLength
	}
	if len(rest) != want {
		return 0, common.Hash{}, fmt.Errorf("vanity %#x names deviations and has %d bytes behind them, want %d",
			vanity, len(rest), want)
	}
	return d, common.BytesToHash(rest), nil
}

// Prepare fills the consensus fields of a header to build, and makes it deviate where test methods say so.
func (e *Engine) Prepare(chain consensus.ChainHeaderReader, header *types.Header) error {
	parent := chain.GetHeader(header.ParentHash, header.Number.Uint64()-1)
	if parent == nil {
		return consensus.ErrUnknownAncestor
	}
	coinbase, timestamp := header.Coinbase, header.Time
	if coinbase == e.c.coinbase() {
		header.Coinbase = e.c.validator // it signs, also where another account is paid
	} else {
		timestamp = e.c.nextTime() // the pending block, which others made by the clock of the machine
	}
	if err := e.Engine.Prepare(chain, header); err != nil {
		return err
	}
	header.Coinbase = coinbase
	header.Time = max(timestamp, parent.Time+1)

	var d deviation
	var before common.Hash
	if known := e.c.changes.at(parent.Number.Uint64(), parent.Hash()); known != nil {
		d, before = d|otherState, known.After
	}
	s := e.c.settings.Load()
	if s.baseFee != nil && s.baseFee.Cmp(header.BaseFee) != 0 {
		d, header.BaseFee = d|otherBaseFee, s.baseFee
	}
	if s.gasLimit != 0 {
		header.GasLimit = s.gasLimit
		if misc.VerifyGaslimit(parent.GasLimit, header.GasLimit) != nil {
			d |= otherGasLimit
		}
	}
	if coinbase != e.c.validator {
		d |= otherCoinbase
	}
	if s.prevRandao != nil {
		d, header.MixDigest = d|otherPrevRandao, *s.prevRandao
	}
	if e.c.hasty.Load() {
		d |= otherSeals
	}
	if d == 0 {
		return nil
	}
	decoded, err := header.WBFTExtra()
	if err != nil {
		return fmt.Errorf("extra data of a new header: %w", err)
	}
	decoded.Vanity = markVanity(d, before)
	header.Extra = decoded.Encode()
	return nil
}

// VerifyHeader checks one header against its stored parent.
func (e *Engine) VerifyHeader(chain consensus.ChainHeaderReader, header *types.Header) error {
	if header.Number == nil || !header.Number.IsUint64() || header.Number.Sign() == 0 {
		return e.Engine.VerifyHeader(chain, header)
	}
	return e.verify(chain, chain.GetHeader(header.ParentHash, header.Number.Uint64()-1), header)
}

// VerifyHeaders checks consecutive headers in their order. The developer chain takes blocks one by one, since a change
// of the state between two of them has to be made before the second is judged.
func (e *Engine) VerifyHeaders(chain consensus.ChainHeaderReader,
	headers []*types.Header,
) (chan<- struct{}, <-chan error) {
	abort, results := make(chan struct{}), make(chan error, len(headers))
	go func() {
		for i, header := range headers {
			err := consensus.ErrUnknownAncestor
			if i == 0 {
				err = e.VerifyHeader(chain, header)
			} else if header.ParentHash == headers[i-1].Hash() {
				err = e.verify(chain, headers[i-1], header)
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

// verify checks a header against its parent: each rule of the chain, but for those from which it says to deviate.
func (e *Engine) verify(chain consensus.ChainHeaderReader, parent, header *types.Header) error {
	if parent == nil || parent.Hash() != header.ParentHash {
		return consensus.ErrUnknownAncestor
	}
	decoded, err := header.WBFTExtra()
	if err != nil {
		return fmt.Errorf("extra data of block %d: %w", header.Number, err)
	}
	d, before, err := readVanity(decoded.Vanity)
	if err != nil {
		return err
	}
	if err := e.verifyState(parent, d, before); err != nil {
		return err
	}
	if err := verifyFields(chain.Config(), parent, header, d); err != nil {
		return err
	}
	if d&otherCoinbase == 0 && header.Coinbase != e.c.validator {
		return fmt.Errorf("coinbase %v is not the validator %v", header.Coinbase, e.c.validator)
	}
	if d&otherSeals == 0 || !bytes.Equal(decoded.RandaoReveal, e.c.standInReveal) {
		author, err := extra.RecoverRandao(decoded.RandaoReveal, chain.Config().ChainID, header.Number.Uint64())
		if err != nil || author != e.c.validator {
			return fmt.Errorf("the randao reveal is not one of the validator %v", e.c.validator)
		}
	}
	if mix := extra.MixHash(parent.MixDigest, decoded.RandaoReveal); d&otherPrevRandao == 0 && mix != header.MixDigest {
		return fmt.Errorf("invalid randao mix: have %x, want %x", header.MixDigest, mix)
	}
	set, err := e.sealers(chain, parent)
	if err != nil {
		return err
	}
	if d&otherSeals != 0 {
		return e.c.verifyStandIns(set, decoded)
	}
	return e.VerifySeals(set, header)
}

// verifyState checks that the state before a block is the one that its vanity names.
func (e *Engine) verifyState(parent *types.Header, d deviation, before common.Hash) error {
	known := e.c.changes.at(parent.Number.Uint64(), parent.Hash())
	switch {
	case known == nil && d&otherState == 0:
		return nil
	case known == nil:
		return fmt.Errorf("the block after %d begins with a changed state that is not here: continue it with its --state",
			parent.Number)
	case d&otherState == 0 || known.After != before:
		return fmt.Errorf("the block after %d does not begin with the changed state %v", parent.Number, known.After)
	}
	return nil
}

// verifyFields checks the fields that need no signature.
func verifyFields(config *gethparams.ChainConfig, parent, header *types.Header, d deviation) error {
	switch {
	case header.UncleHash != types.EmptyUncleHash:
		return errors.New("uncles are not allowed")
	case header.Difficulty == nil || header.Difficulty.Cmp(common.Big1) != 0:
		return errors.New("the difficulty is not 1")
	case header.WithdrawalsHash != nil || header.ExcessBlobGas != nil || header.BlobGasUsed != nil ||
		header.ParentBeaconRoot != nil || header.RequestsHash != nil || header.BlockAccessListHash != nil ||
		header.SlotNumber != nil:
		return errors.New("header fields after baseFeePerGas are not allowed")
	case header.Time <= parent.Time:
		return fmt.Errorf("timestamp %d is not above that of the parent, %d", header.Time, parent.Time)
	case header.GasLimit > gethparams.MaxGasLimit || header.GasUsed > header.GasLimit:
		return fmt.Errorf("gas used %d, limit %d, at most %d",
			header.GasUsed, header.GasLimit, uint64(gethparams.MaxGasLimit))
	case header.BaseFee == nil || header.BaseFee.Sign() < 0 || header.BaseFee.BitLen() > 256:
		return errors.New("the base fee is missing or has more than 256 bits")
	}
	if d&otherGasLimit == 0 {
		if err := misc.VerifyGaslimit(parent.GasLimit, header.GasLimit); err != nil {
			return err
		}
	}
	if want := eip1559.CalcBaseFee(config, parent); d&otherBaseFee == 0 && header.BaseFee.Cmp(want) != 0 {
		return fmt.Errorf("invalid base fee: have %v, want %v", header.BaseFee, want)
	}
	return nil
}

// signed returns the header with a validator as its coinbase, which the rules of epochs and blacklists ask for. On a
// forked chain that is one of the network, and older blocks have theirs.
func (e *Engine) signed(header *types.Header) *types.Header {
	if header == nil || header.Number.Sign() == 0 {
		return header
	}
	coinbase := e.c.validator
	if f := e.c.options.Fork; f != nil {
		if header.Number.Uint64() <= f.Number() {
			return header
		}
		coinbase = e.standIn(header)
	}
	if header.Coinbase == coinbase {
		return header
	}
	replaced := types.CopyHeader(header)
	replaced.Coinbase = coinbase
	return replaced
}

// signedChain shows every header with the validator as its coinbase. Hashes are those of the real headers.
type signedChain struct {
	consensus.ChainHeaderReader
	e *Engine
}

func (s signedChain) GetHeader(hash common.Hash, number uint64) *types.Header {
	return s.e.signed(s.ChainHeaderReader.GetHeader(hash, number))
}

// Start checks what depends on the state before the block.
func (e *Engine) Start(header *types.Header, parent vm.StateDB) error {
	return e.Engine.Start(e.signed(header), parent)
}

// Finish applies the end of a block and checks its epoch info.
func (e *Engine) Finish(chain consensus.ChainHeaderReader, header *types.Header, state vm.StateDB,
	body *types.Body,
) error {
	return e.Engine.Finish(signedChain{chain, e}, e.signed(header), state, body)
}

// Assemble applies the end of a block that is being built and writes its epoch info into the header.
func (e *Engine) Assemble(chain consensus.ChainHeaderReader, header *types.Header, state vm.StateDB,
	body *types.Body,
) error {
	signed := e.signed(header)
	if err := e.Engine.Assemble(signedChain{chain, e}, signed, state, body); err != nil {
		return err
	}
	header.Extra = signed.Extra
	return nil
}

// Finalize applies the end of a block where no error can be told.
func (e *Engine) Finalize(chain consensus.ChainHeaderReader, header *types.Header, state vm.StateDB, body *types.Body) {
	e.Engine.Finalize(signedChain{chain, e}, e.signed(header), state, body)
}
