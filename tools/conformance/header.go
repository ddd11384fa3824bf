// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package main

import (
	"errors"
	"fmt"
	"math/big"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/consensus"
	"github.com/ethereum/go-ethereum/core/state"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"

	"gwon/consensus/wbft"
	"gwon/consensus/wbft/validators"
)

// stateful is a fixture whose blocks all have one state.
type stateful struct {
	*fixture
	state *state.StateDB
}

// StateAt returns the one state.
func (s stateful) StateAt(common.Hash, *big.Int, uint64) (*state.StateDB, error) { return s.state, nil }

// tipState returns a state in which the GovValidator contract holds a gas tip.
func tipState(f *fixture, tip *big.Int) (*state.StateDB, error) {
	db, err := emptyState()
	if err != nil {
		return nil, err
	}
	contract := f.config.Anzeon.SystemContracts.GovValidator.Address
	db.SetNonce(contract, 1, 0)
	db.SetState(contract, common.BigToHash(big.NewInt(gasTipSlot)), common.BigToHash(tip))
	return db, nil
}

// gasTipSlot is the slot of the gas tip (spec wbft 3.7).
const gasTipSlot = 0x39

func buildProposalHeader(in reader) (any, error) {
	f, err := runnable(in)
	if err != nil {
		return nil, err
	}
	header, err := in.header("header")
	if err != nil {
		return nil, err
	}
	key, err := crypto.ToECDSA(in.bytes("node_key"))
	if err != nil {
		return nil, err
	}
	parent := f.GetHeaderByHash(header.ParentHash)
	if !in.has("gas_tip") || parent != nil && parent.Root == (common.Hash{}) {
		return nil, errors.New("the state of the parent is not available")
	}
	db, err := tipState(f, in.integer("gas_tip"))
	if err != nil {
		return nil, err
	}
	if err := f.engine.Authorize(key); err != nil {
		return nil, err
	}
	header.Coinbase = crypto.PubkeyToAddress(key.PublicKey)
	header.Time = in.number("now")
	prepared, committed := in.objects("extra_prepared"), in.objects("extra_committed")
	if parent != nil && parent.Number.Sign() > 0 {
		late, err := lateSeals(f, parent, prepared, committed)
		if err != nil {
			return nil, err
		}
		f.engine.SetLateSeals(late)
	}
	if err := f.engine.Prepare(stateful{f, db}, header); err != nil {
		return nil, err
	}
	encoded, err := encodeHeader(header)
	return record{"header": encoded}, err
}

// lateSeals sums the seals that came after a header was sealed, without those of sealers that it has already.
func lateSeals(f *fixture, parent *types.Header, prepared, committed []reader) (*wbft.LateSeals, error) {
	sealed, err := parent.WBFTExtra()
	if err != nil {
		return nil, nil // Prepare says so
	}
	set, err := f.engine.ValidatorsFor(f, parent)
	if err != nil {
		return nil, err
	}
	return &wbft.LateSeals{
		Parent: parent.Hash(), Round: sealed.Round,
		Prepared: join(set, sealed.PreparedSeal, prepared), Committed: join(set, sealed.CommittedSeal, committed),
	}, nil
}

func join(set *validators.Set, sealed *types.WBFTSeal, singles []reader) (sum *types.WBFTSeal) {
	present := make(map[int]bool)
	if sealed != nil {
		indices, err := validators.DecodeSealers(sealed.Sealers, set.Len())
		if err != nil {
			return nil
		}
		for _, i := range indices {
			present[i] = true
		}
	}
	for _, s := range singles {
		i := int(s.number("sealer"))
		if present[i] {
			continue
		}
		present[i] = true
		next, err := set.Join(sum, &types.WBFTSeal{Sealers: validators.EncodeSealers([]int{i}), Signature: s.bytes("seal")})
		if err != nil {
			return nil // one that is no signature spoils all, and the header's own seals stay
		}
		sum = next
	}
	return sum
}

// runnable reads a fixture that an engine runs on.
func runnable(in reader) (*fixture, error) {
	f, err := readFixture(in.object("chain"))
	if err != nil {
		return nil, err
	}
	return f, f.refused
}

// Verdicts on a header.
const (
	accept   = "accept"
	reject   = "reject"
	deferred = "deferred"
)

func verdictOf(err error) string {
	switch {
	case err == nil:
		return accept
	case errors.Is(err, consensus.ErrFutureBlock):
		return deferred
	}
	return reject
}

func setClock(f *fixture, now uint64) {
	f.engine.SetClock(func() time.Time { return time.Unix(int64(now), 0) })
}

func verifyHeader(in reader) (any, error) {
	f, err := readFixture(in.object("chain"))
	if err != nil {
		return nil, err
	}
	header, err := in.header("header")
	if err != nil || f.refused != nil {
		// No header of a chain whose configuration is refused is accepted.
		return record{"verdict": reject}, nil
	}
	setClock(f, in.number("now"))
	return record{"verdict": verdictOf(f.engine.VerifyHeader(f, header))}, nil
}

func verifyHeaders(in reader) (any, error) {
	f, err := readFixture(in.object("chain"))
	if err != nil {
		return nil, err
	}
	var headers []*types.Header
	for _, encoded := range in.byteList("headers") {
		header, err := decodeHeader(encoded)
		if err != nil {
			return nil, err
		}
		headers = append(headers, header)
	}
	now := in.number("now")
	if f.refused != nil {
		return record{"verdicts": listOf(headers, func(*types.Header) any { return reject })}, nil
	}
	setClock(f, now)
	abort, results := f.engine.VerifyHeaders(f, headers)
	defer close(abort)
	return record{"verdicts": listOf(headers, func(*types.Header) any { return verdictOf(<-results) })}, nil
}

// Results of a check without state.
const (
	valid        = "VALID"
	invalid      = "INVALID"
	cannotDecide = "CANNOT_DECIDE"
)

// verifyLight is header verification without state, and the presence of epoch info. What cannot be found is no fault
// of the header.
func verifyLight(in reader) (any, error) {
	f, err := readFixture(in.object("chain"))
	if err != nil {
		return nil, err
	}
	answer := func(result string) (any, error) { return record{"result": result}, nil }
	header, err := in.header("header")
	if err != nil || f.refused != nil {
		return answer(invalid)
	}
	if !header.Number.IsUint64() || header.Number.Sign() == 0 {
		return answer(cannotDecide)
	}
	number := header.Number.Uint64()
	parent := f.GetHeaderByHash(header.ParentHash)
	if parent == nil {
		return answer(cannotDecide)
	}
	if _, err := f.engine.ValidatorsFor(f, header); err != nil {
		if parent.Number.Uint64()+1 != number {
			return answer(invalid)
		}
		return answer(cannotDecide)
	}
	setClock(f, header.Time) // the clock is no matter here
	switch err := f.engine.VerifyHeader(f, header); {
	case errors.Is(err, consensus.ErrUnknownAncestor) && parent.Number.Uint64()+1 == number:
		return answer(cannotDecide)
	case err != nil:
		return answer(invalid)
	}
	x, err := header.WBFTExtra()
	if err != nil {
		return nil, fmt.Errorf("extra data of a header that was verified: %w", err)
	}
	if (x.EpochInfo != nil) != (f.config.LastEpochBlock(number) == number) {
		return answer(invalid)
	}
	return answer(valid)
}
