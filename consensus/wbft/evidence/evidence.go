// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package evidence

import (
	"errors"
	"fmt"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/rlp"

	"gwon/consensus/wbft/messages"
)

// Kind is the way in which two messages contradict each other.
type Kind string

// The kinds of contradictions.
const (
	TwoProposals    Kind = "proposal"         // two PRE-PREPAREs of one view for different blocks
	TwoPrepares     Kind = "prepare"          // two PREPAREs of one view
	TwoCommits      Kind = "commit"           // two COMMITs of one view
	ForgottenCommit Kind = "forgotten-commit" // a COMMIT, and a ROUND-CHANGE to a later round that does not know of it
	TwoRoundChanges Kind = "round-change"     // two ROUND-CHANGEs to one round, neither better supported than the other
)

// codes returns the codes of the two messages of a kind; ok is false for a kind that does not exist.
func (k Kind) codes() (codes [2]uint64, ok bool) {
	switch k {
	case TwoProposals:
		return [2]uint64{messages.CodePrePrepare, messages.CodePrePrepare}, true
	case TwoPrepares:
		return [2]uint64{messages.CodePrepare, messages.CodePrepare}, true
	case TwoCommits:
		return [2]uint64{messages.CodeCommit, messages.CodeCommit}, true
	case ForgottenCommit:
		return [2]uint64{messages.CodeCommit, messages.CodeRoundChange}, true
	case TwoRoundChanges:
		return [2]uint64{messages.CodeRoundChange, messages.CodeRoundChange}, true
	}
	return codes, false
}

// Label is what a pair of messages shows.
type Label string

// The labels that Judge gives.
const (
	// Proven marks a pair of which no validator that keeps to the protocol signs both messages, even after a crash.
	Proven Label = "proven"
	// Explainable marks a pair that an honest validator may have signed. The reason names the way.
	Explainable Label = "explainable"
	// Refused marks what is no evidence.
	Refused Label = "refused"
)

// FormatVersion is the version of the JSON form of a List.
const FormatVersion = 1

// Evidence is two contradictory messages of one validator. Judge trusts only Messages and Headers. The other fields
// follow from them or are claims of the collecting node.
type Evidence struct {
	Kind      Kind             `json:"kind"`
	Validator common.Address   `json:"validator"`
	Genesis   common.Hash      `json:"genesis"`  // of the chain that the collecting node is on
	Sequence  uint64           `json:"sequence"` // number of the block to agree on
	Rounds    [2]uint64        `json:"rounds"`   // of the messages; of a ROUND-CHANGE the one to change to
	Messages  [2]hexutil.Bytes `json:"messages"` // payloads (spec wbft 4.2)
	// Headers are the blocks that the messages name, in RLP, as far as the node knew them.
	Headers   []hexutil.Bytes `json:"headers,omitempty"`
	FirstSeen time.Time       `json:"firstSeen"`
	Label     Label           `json:"label"`
	Reason    string          `json:"reason"`
}

// List is the form in which evidence leaves a node.
type List struct {
	Version   int         `json:"version"`
	Genesis   common.Hash `json:"genesis,omitzero"` // of the chain; absent if it is not known
	Evidence  []*Evidence `json:"evidence"`
	Truncated bool        `json:"truncated"` // there is more: ask from the sequence of the last one on
	// Unreadable names files of the store that could not be read.
	Unreadable []string `json:"unreadable,omitempty"`
}

var errKind = errors.New("unknown kind of evidence")

// New makes evidence of two message payloads, without label and reason. Justifications and certificates are left out,
// because their author did not sign them.
func New(
	kind Kind,
	genesis common.Hash,
	first, second []byte,
	headers []*types.Header,
	seen time.Time,
) (*Evidence, error) {
	codes, ok := kind.codes()
	if !ok {
		return nil, fmt.Errorf("%w: %q", errKind, kind)
	}
	e := &Evidence{Kind: kind, Genesis: genesis, FirstSeen: seen.UTC()}
	for i, payload := range [][]byte{first, second} {
		m, err := messages.Decode(codes[i], payload)
		if err != nil {
			return nil, fmt.Errorf("message %d: %w", i, err)
		}
		if i == 0 {
			if e.Validator, err = m.Signer(); err != nil {
				return nil, fmt.Errorf("message %d: %w", i, err)
			}
			e.Sequence = m.View().Sequence
		}
		e.Rounds[i] = m.View().Round
		e.Messages[i] = bare(m).Encode()
	}
	for _, h := range headers {
		encoded, err := rlp.EncodeToBytes(h)
		if err != nil {
			return nil, fmt.Errorf("header of block %v: %w", h.Hash(), err)
		}
		e.Headers = append(e.Headers, encoded)
	}
	return e, nil
}

// bare removes the unsigned parts of a message.
func bare(m messages.Message) messages.Message {
	switch m := m.(type) {
	case *messages.PrePrepare:
		m.RoundChanges, m.Prepares = nil, nil
	case *messages.RoundChange:
		m.PreparedBlock, m.Prepares = nil, nil
	}
	return m
}

// decodeHeader decodes a header of evidence.
func decodeHeader(encoded []byte) (*types.Header, error) {
	h := new(types.Header)
	if err := rlp.DecodeBytes(encoded, h); err != nil {
		return nil, err
	}
	return h, nil
}
