// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package main

import (
	"fmt"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/rlp"

	"gwon/consensus/wbft/messages"
)

func extraCodec(in reader) (any, error) {
	x, err := types.DecodeWBFTExtra(in.bytes("extra"))
	if err != nil {
		return nil, err
	}
	return record{
		"vanity_data":         toHex(x.Vanity),
		"randao_reveal":       toHex(x.RandaoReveal),
		"prev_round":          decimal(x.PrevRound),
		"prev_prepared_seal":  orNull(x.PrevPreparedSeal, writeSeal),
		"prev_committed_seal": orNull(x.PrevCommittedSeal, writeSeal),
		"round":               decimal(x.Round),
		"prepared_seal":       orNull(x.PreparedSeal, writeSeal),
		"committed_seal":      orNull(x.CommittedSeal, writeSeal),
		"gas_tip":             x.GasTip.String(),
		"epoch_info":          orNull(x.EpochInfo, writeEpochInfo),
		"encoded":             toHex(x.Encode()),
	}, nil
}

func writeSeal(s *types.WBFTSeal) any {
	return record{"sealers": toHex(s.Sealers), "signature": toHex(s.Signature)}
}

func writeEpochInfo(e *types.EpochInfo) any {
	return record{
		"candidates": listOf(e.Candidates, func(c types.EpochCandidate) any {
			return record{"address": toHex(c.Address[:]), "diligence": decimal(c.Diligence)}
		}),
		"validators":      listOf(e.Validators, func(i uint32) any { return decimal(i) }),
		"bls_public_keys": listOf(e.BLSPublicKeys, hexItem),
	}
}

func blockHash(in reader) (any, error) {
	header, err := in.header("header")
	if err != nil {
		return nil, err
	}
	return record{"hash": hashItem(header.Hash())}, nil
}

func hashWithRound(in reader) (any, error) {
	header, err := in.header("header")
	if err != nil {
		return nil, err
	}
	return record{"hash": hashItem(header.RoundHash(uint32(in.number("round"))))}, nil
}

func filteredHeader(in reader) (any, error) {
	header, err := in.header("header")
	if err != nil {
		return nil, err
	}
	stripped, err := header.WithWBFTSeals(uint32(in.number("round")), nil, nil)
	if err != nil {
		return nil, err
	}
	encoded, err := encodeHeader(stripped)
	return record{"header": encoded}, err
}

func messageCodec(in reader) (any, error) {
	m, err := messages.Decode(in.number("code"), in.bytes("payload"))
	if err != nil {
		return nil, err
	}
	return writeMessage(m)
}

// writeMessage returns the fields of a message under the names of the specification (spec wbft 4.2).
func writeMessage(m messages.Message) (record, error) {
	out := record{
		"sequence":  decimal(m.View().Sequence),
		"round":     decimal(m.View().Round),
		"signature": toHex(m.Signature()),
		"encoded":   toHex(m.Encode()),
	}
	switch m := m.(type) {
	case *messages.PrePrepare:
		block, err := rlp.EncodeToBytes(m.Block)
		if err != nil {
			return nil, err
		}
		out["type"], out["proposal"] = "PREPREPARE", toHex(block)
		out["justification_round_changes"] = listOf(m.RoundChanges, func(c *messages.SignedRoundChange) any {
			return toHex(c.Encode())
		})
		out["justification_prepares"] = listOf(m.Prepares, encodedPrepare)
	case *messages.Prepare:
		out["type"], out["digest"], out["seal"] = "PREPARE", hashItem(m.Digest), toHex(m.Seal)
	case *messages.Commit:
		out["type"], out["digest"], out["seal"] = "COMMIT", hashItem(m.Digest), toHex(m.Seal)
	case *messages.RoundChange:
		out["type"], out["prepared_block"] = "ROUND_CHANGE", nil
		writeClaim(&m.SignedRoundChange, out)
		if m.PreparedBlock != nil {
			block, err := rlp.EncodeToBytes(m.PreparedBlock)
			if err != nil {
				return nil, err
			}
			out["prepared_block"] = toHex(block)
		}
		out["justification"] = listOf(m.Prepares, encodedPrepare)
	}
	return out, nil
}

// writeClaim adds what a ROUND-CHANGE says is prepared.
func writeClaim(c *messages.SignedRoundChange, out record) record {
	out["prepared_round"], out["prepared_digest"] = nil, hashItem(common.Hash{})
	if c.Prepared != nil {
		out["prepared_round"], out["prepared_digest"] = decimal(c.Prepared.Round), hashItem(c.Prepared.Digest)
	}
	return out
}

func encodedPrepare(p *messages.Prepare) any { return toHex(p.Encode()) }

func signingPayload(in reader) (any, error) {
	m, err := messages.Decode(in.number("code"), in.bytes("payload"))
	if err != nil {
		return nil, err
	}
	out, err := writeSigned(m)
	if err != nil {
		return nil, err
	}
	embedded := []any{}
	for _, s := range embeddedIn(m) {
		e, err := writeSigned(s)
		if err != nil {
			return nil, fmt.Errorf("embedded message: %w", err)
		}
		embedded = append(embedded, e)
	}
	out["embedded"] = embedded
	return out, nil
}

func writeSigned(s messages.Signed) (record, error) {
	signer, err := s.Signer()
	if err != nil {
		return nil, err
	}
	return record{"signing_payload": toHex(s.SigningPayload()), "signer": addressItem(signer)}, nil
}

// embeddedIn returns the signed statements inside a message, in the order of their lists.
func embeddedIn(m messages.Message) (list []messages.Signed) {
	var prepares []*messages.Prepare
	switch m := m.(type) {
	case *messages.PrePrepare:
		for _, c := range m.RoundChanges {
			list = append(list, c)
		}
		prepares = m.Prepares
	case *messages.RoundChange:
		prepares = m.Prepares
	}
	for _, p := range prepares {
		list = append(list, p)
	}
	return list
}

func dedupKey(in reader) (any, error) {
	return record{"key": hashItem(messages.KnownHash(in.bytes("payload")))}, nil
}
