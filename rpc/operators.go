// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package rpc

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/ethereum/go-ethereum/common"
	gethrpc "github.com/ethereum/go-ethereum/rpc"

	"gwon/consensus/wbft/evidence"
)

const (
	// defaultEvidence and maxEvidence are how many pairs one istanbul_evidence answers when it is not told, and at most.
	defaultEvidence = 100
	maxEvidence     = 1000
	// maxEvidenceBytes is about how long one answer gets; a single pair may be longer.
	maxEvidenceBytes = 16 << 20
)

// operators serves what of the namespace istanbul is nobody's business but the operator's.
type operators struct {
	node     validatorSource
	public   bool            // the node's ordinary endpoints are everybody's
	evidence *evidence.Store // nil where none is kept
	genesis  common.Hash
}

// check refuses, on a public node, those who come over its public endpoints: for them the method does not exist.
func (s *operators) check(ctx context.Context, method string) error {
	if transport := gethrpc.PeerInfoFromContext(ctx).Transport; s.public && !fromOperator(ctx) && (transport == "http" || transport == "ws") {
		return &notFoundError{method}
	}
	return nil
}

// ConsensusStatus returns the state of the engine on this node. On a public node it does not exist for those who come over its
// public endpoints.
func (s *operators) ConsensusStatus(ctx context.Context) (any, error) {
	if err := s.check(ctx, "istanbul_consensusStatus"); err != nil {
		return nil, err
	}
	return s.node.ConsensusStatus(), nil
}

// evidenceFilter selects evidence; what is absent restricts nothing.
type evidenceFilter struct {
	Validator *common.Address `json:"validator"`
	From      *sequenceNumber `json:"from"` // the lowest sequence, which is a block number
	To        *sequenceNumber `json:"to"`   // the highest
	Limit     *int            `json:"limit"`
}

// UnmarshalJSON implements json.Unmarshaler. What it does not know it refuses: a filter that is misspelt would select everything.
func (f *evidenceFilter) UnmarshalJSON(input []byte) error {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(input, &fields); err != nil {
		return errors.New("a filter is an object with validator, from, to and limit, all of which may be missing")
	}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if !slices.Contains([]string{"validator", "from", "to", "limit"}, name) {
			return fmt.Errorf("a filter of evidence has no %.40q: give validator, from, to and limit, all of which may be missing", name)
		}
	}
	type plain evidenceFilter
	return json.Unmarshal(input, (*plain)(f))
}

// sequenceNumber is a sequence as a JSON number, or as a string in decimal or hex.
type sequenceNumber uint64

// UnmarshalJSON implements json.Unmarshaler.
func (n *sequenceNumber) UnmarshalJSON(input []byte) error {
	text := string(input)
	if strings.HasPrefix(text, `"`) {
		if err := json.Unmarshal(input, &text); err != nil {
			return err
		}
	}
	number, err := strconv.ParseUint(text, 0, 64)
	if err != nil {
		return fmt.Errorf("%q is not a sequence: give a block number", text)
	}
	*n = sequenceNumber(number)
	return nil
}

// Evidence returns contradictory messages of validators that this node has seen while it took part in the consensus, by ascending
// sequence: all that is kept, or what the filter selects, as far as one answer goes. Like ConsensusStatus it is the operator's.
func (s *operators) Evidence(ctx context.Context, filter *evidenceFilter) (*evidence.List, error) {
	if err := s.check(ctx, "istanbul_evidence"); err != nil {
		return nil, err
	}
	f := evidence.Filter{To: math.MaxUint64, Limit: defaultEvidence, MaxBytes: maxEvidenceBytes}
	if filter != nil {
		f.Validator = filter.Validator
		if filter.From != nil {
			f.From = uint64(*filter.From)
		}
		if filter.To != nil {
			f.To = uint64(*filter.To)
		}
		if filter.Limit != nil {
			f.Limit = *filter.Limit
		}
	}
	switch {
	case f.From > f.To:
		return nil, fmt.Errorf("from sequence %d to %d is not a range", f.From, f.To)
	case f.Limit < 1 || f.Limit > maxEvidence:
		return nil, fmt.Errorf("limit is %d: give 1 to %d", f.Limit, maxEvidence)
	case s.evidence == nil:
		return &evidence.List{Version: evidence.FormatVersion, Genesis: s.genesis, Evidence: []*evidence.Evidence{}}, nil
	}
	return s.evidence.List(f)
}
