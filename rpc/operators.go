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

// maxEvidence is the largest number of pairs in a result of istanbul_evidence.
const maxEvidence = 1000

// operators serves the methods of the namespace istanbul that are for the operator only.
type operators struct {
	node     validatorSource
	public   bool            // the HTTP and WS endpoints are public
	evidence *evidence.Store // nil if the node keeps none
	genesis  common.Hash
}

// check returns the error of an unknown method to callers from the public endpoints of a public node.
func (s *operators) check(ctx context.Context, method string) error {
	if transport := gethrpc.PeerInfoFromContext(ctx).Transport; s.public && !fromOperator(ctx) &&
		(transport == "http" || transport == "ws") {
		return notFound(method)
	}
	return nil
}

// ConsensusStatus returns the state of the engine on this node. On a public node only the operator can call it.
func (s *operators) ConsensusStatus(ctx context.Context) (any, error) {
	if err := s.check(ctx, "istanbul_consensusStatus"); err != nil {
		return nil, err
	}
	return s.node.ConsensusStatus(), nil
}

// evidenceFilter selects evidence. Absent fields do not restrict the result.
type evidenceFilter struct {
	Validator *common.Address `json:"validator"`
	From      *sequenceNumber `json:"from"` // lowest sequence, a block number
	To        *sequenceNumber `json:"to"`   // highest sequence
	Limit     *int            `json:"limit"`
}

// UnmarshalJSON implements json.Unmarshaler. Unknown keys are an error, because a misspelled filter would select all
// evidence.
func (f *evidenceFilter) UnmarshalJSON(input []byte) error {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(input, &fields); err != nil {
		return errors.New("a filter is an object with validator, from, to and limit, all of which may be missing")
	}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if !slices.Contains([]string{"validator", "from", "to", "limit"}, name) {
			return fmt.Errorf("a filter of evidence has no %.40q: give validator, from, to and limit, all of which may be "+
				"missing", name)
		}
	}
	type plain evidenceFilter
	return json.Unmarshal(input, (*plain)(f))
}

// sequenceNumber is a sequence as a JSON number, or as a decimal or hexadecimal string.
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
		return fmt.Errorf("%q is no sequence: give a block number", text)
	}
	*n = sequenceNumber(number)
	return nil
}

// Evidence returns contradictory messages that validators signed and this node received, by ascending sequence. A nil
// filter selects all of them, up to the limit of one result. On a public node only the operator can call it.
func (s *operators) Evidence(ctx context.Context, filter *evidenceFilter) (*evidence.List, error) {
	if err := s.check(ctx, "istanbul_evidence"); err != nil {
		return nil, err
	}
	f := evidence.Filter{To: math.MaxUint64, Limit: 100, MaxBytes: 16 << 20} // a single pair may be longer
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
		return nil, fmt.Errorf("from sequence %d to %d is no range: swap them", f.From, f.To)
	case f.Limit < 1 || f.Limit > maxEvidence:
		return nil, fmt.Errorf("limit is %d: give 1 to %d", f.Limit, maxEvidence)
	case s.evidence == nil:
		return &evidence.List{Version: evidence.FormatVersion, Genesis: s.genesis, Evidence: []*evidence.Evidence{}}, nil
	}
	return s.evidence.List(f)
}
