// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package messages

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/rlp"
)

// Envelope is a message whose block and lists are not decoded. It takes microseconds to make, whatever the size of the
// payload. View, author and bytes of the block show whether the rest is worth the time.
type Envelope struct {
	Code    uint64
	View    View
	Payload []byte

	Block     []byte             // RLP of the block that the message carries, as a part of the payload; nil for none
	Change    *SignedRoundChange // signed part of a ROUND-CHANGE; nil for others
	Justified bool               // a PRE-PREPARE with PREPAREs

	vote     Message // a PREPARE or COMMIT, which is decoded at once
	changes  []byte  // RLP of the ROUND-CHANGEs of a PRE-PREPARE
	prepares []byte  // RLP of the PREPAREs of a PRE-PREPARE or ROUND-CHANGE
	signature
}

// errSurplus reports an item after the last one of a list.
var errSurplus = errors.New("too many items or bytes in a list")

// Open opens the envelope of a payload (spec wbft 4.2). It is as strict as Decode about the parts that it reads, and
// refuses payloads that are larger than any message of their kind.
func Open(code uint64, payload []byte) (*Envelope, error) {
	if len(payload) > Limit() {
		return nil, fmt.Errorf("consensus message 0x%x has %d bytes, more than %d", code, len(payload), Limit())
	}
	e := &Envelope{Code: code, Payload: payload}
	var err error
	switch code {
	case CodePrePrepare:
		err = e.openPrePrepare()
	case CodePrepare, CodeCommit:
		err = e.openVote()
	case CodeRoundChange:
		err = e.openRoundChange()
	default:
		return nil, fmt.Errorf("%w: 0x%x", ErrCode, code)
	}
	if err != nil {
		return nil, fmt.Errorf("decode consensus message 0x%x: %w", code, err)
	}
	return e, nil
}

func (e *Envelope) openVote() error {
	if len(e.Payload) > largestVote {
		return fmt.Errorf("vote has %d bytes, at most %d are possible", len(e.Payload), largestVote)
	}
	w := new(voteWire)
	if err := rlp.DecodeBytes(e.Payload, w); err != nil {
		return err
	}
	if err := w.check(); err != nil {
		return err
	}
	if e.Code == CodePrepare {
		e.vote = w.prepare()
	} else {
		m := &Commit{Sequence: w.Body.Sequence, Round: w.Body.Round, Digest: w.Body.Digest, Seal: w.Body.Seal}
		m.sig = w.Signature
		e.vote = m
	}
	e.View = e.vote.View()
	return nil
}

func (e *Envelope) openRoundChange() error {
	parts, err := splitExact(e.Payload, 3)
	if err != nil {
		return err
	}
	if len(parts[0]) > largestChange {
		return fmt.Errorf("signed part has %d bytes, at most %d are possible", len(parts[0]), largestChange)
	}
	var w signedRoundChangeWire
	if err := rlp.DecodeBytes(parts[0], &w); err != nil {
		return err
	}
	if err := w.check(); err != nil {
		return err
	}
	e.Change = new(SignedRoundChange)
	e.Change.take(&w)
	e.View = e.Change.View()
	if !absent(parts[1]) {
		if e.Change.Prepared == nil {
			return errWrongBlock
		}
		e.Block = parts[1]
	}
	if !absent(parts[2]) {
		e.prepares = parts[2]
	}
	return checkList(e.prepares, largestVote)
}

func (e *Envelope) openPrePrepare() error {
	parts, err := splitExact(e.Payload, 2)
	if err != nil {
		return err
	}
	signed, err := splitExact(parts[0], 2)
	if err != nil {
		return err
	}
	body, err := splitExact(signed[0], 3)
	if err != nil {
		return err
	}
	sequence, _, err := rlp.SplitUint64(body[0])
	if err != nil {
		return fmt.Errorf("sequence: %w", err)
	}
	round, _, err := rlp.SplitUint64(body[1])
	if err != nil {
		return fmt.Errorf("round: %w", err)
	}
	if err := checkRound(round); err != nil {
		return err
	}
	sig, _, err := rlp.SplitString(signed[1])
	if err != nil {
		return fmt.Errorf("signature: %w", err)
	}
	if err := checkLength("signature", sig, SignatureLength); err != nil {
		return err
	}
	lists, err := splitExact(parts[1], 2)
	if err != nil {
		return fmt.Errorf("justification: %w", err)
	}
	e.View, e.Block, e.sig = View{sequence, round}, body[2], bytes.Clone(sig)
	e.changes, e.prepares, e.Justified = lists[0], lists[1], !bytes.Equal(lists[1], rlp.EmptyList)
	if err := checkList(e.changes, largestChange); err != nil {
		return fmt.Errorf("justification: round changes: %w", err)
	}
	if err := checkList(e.prepares, largestVote); err != nil {
		return fmt.Errorf("justification: prepares: %w", err)
	}
	return nil
}

// Signer recovers the author, once. For a PRE-PREPARE all bytes of the block are hashed.
func (e *Envelope) Signer() (common.Address, error) {
	switch {
	case e.vote != nil:
		return e.vote.Signer()
	case e.Change != nil:
		return e.Change.Signer()
	}
	return e.recover(
		func() any { return prePreparePayload{e.Code, prePrepareBody{e.View.Sequence, e.View.Round, e.Block}} },
	)
}

// Signature returns the signature of the author, 65 bytes.
func (e *Envelope) Signature() []byte {
	switch {
	case e.vote != nil:
		return e.vote.Signature()
	case e.Change != nil:
		return e.Change.Signature()
	}
	return e.sig
}

// Vote returns a PREPARE or COMMIT; nil for other kinds.
func (e *Envelope) Vote() Message { return e.vote }

// Decode decodes the whole message; see DecodeKnown. A recovered author is kept.
func (e *Envelope) Decode(known func(raw []byte) *types.Block) (Message, error) {
	var m Message
	var err error
	switch e.Code {
	case CodePrePrepare:
		m, err = e.decodePrePrepare(known)
	case CodeRoundChange:
		m, err = e.decodeRoundChange(known)
	default:
		m = e.vote
	}
	if err != nil {
		return nil, fmt.Errorf("decode consensus message 0x%x: %w", e.Code, err)
	}
	return m, nil
}

func (e *Envelope) decodeRoundChange(known func([]byte) *types.Block) (Message, error) {
	m := new(RoundChange)
	m.Sequence, m.Round, m.Prepared = e.Change.Sequence, e.Change.Round, e.Change.Prepared
	m.adopt(&e.Change.signature)
	var err error
	if e.Block != nil {
		if m.PreparedBlock, err = decodeBlock(e.Block, known); err != nil {
			return nil, fmt.Errorf("prepared block: %w", err)
		}
		if m.PreparedBlock.Hash() != m.Prepared.Digest {
			return nil, errWrongBlock
		}
	}
	if e.prepares != nil {
		if m.Prepares, err = decodePrepares(e.prepares); err != nil {
			return nil, err
		}
	}
	return m, nil
}

func (e *Envelope) decodePrePrepare(known func([]byte) *types.Block) (Message, error) {
	block, err := decodeBlock(e.Block, known)
	if err != nil {
		return nil, fmt.Errorf("proposed block: %w", err)
	}
	m := &PrePrepare{Sequence: e.View.Sequence, Round: e.View.Round, Block: block}
	m.encoded.Store(&encodedBlock{block, bytes.Clone(e.Block)})
	m.adopt(&e.signature)
	changes, err := decodeList[signedRoundChangeWire](e.changes)
	if err != nil {
		return nil, fmt.Errorf("justification: round changes: %w", err)
	}
	for i := range changes {
		if err := changes[i].check(); err != nil {
			return nil, fmt.Errorf("justification: round change %d: %w", i, err)
		}
		c := new(SignedRoundChange)
		c.take(&changes[i])
		m.RoundChanges = append(m.RoundChanges, c)
	}
	if m.Prepares, err = decodePrepares(e.prepares); err != nil {
		return nil, fmt.Errorf("justification: %w", err)
	}
	return m, nil
}

// adopt takes a signature with its recovered author.
func (s *signature) adopt(from *signature) {
	s.sig = from.sig
	s.signer.Store(from.signer.Load())
}

// splitExact returns the encoded items of a list that has exactly n of them, with no bytes after it.
func splitExact(raw []byte, n int) ([][]byte, error) {
	content, rest, err := rlp.SplitList(raw)
	if err != nil {
		return nil, err
	}
	if len(rest) > 0 {
		return nil, errSurplus
	}
	items := make([][]byte, n)
	for i := range items {
		if len(content) == 0 {
			return nil, fmt.Errorf("too few items in a list: %d instead of %d", i, n)
		}
		_, _, rest, err := rlp.Split(content)
		if err != nil {
			return nil, err
		}
		items[i], content = content[:len(content)-len(rest)], rest
	}
	if len(content) > 0 {
		return nil, errSurplus
	}
	return items, nil
}

// checkList refuses a list that has more bytes than MaxListLength of the largest items, before its items are counted.
func checkList(raw []byte, largest int) error {
	if most := MaxListLength*largest + rlp.IntSize(MaxSize); len(raw) > most {
		return fmt.Errorf("list of %d bytes is longer than %d", len(raw), most)
	}
	return nil
}
