// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package evidence

import (
	"context"
	"fmt"
	"slices"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"

	"gwon/internal/dial"
)

// fetchStep is the number of pairs in one request.
const fetchStep = 1000

// Fetch requests evidence from the node at an endpoint until everything that the filter selects is there.
func Fetch(ctx context.Context, endpoint string, filter Filter) (*List, error) {
	client, err := dial.Node(ctx, endpoint)
	if err != nil {
		return nil, err
	}
	defer client.Close()
	endpoint = dial.Shown(endpoint)
	type query struct {
		Validator *common.Address `json:"validator,omitempty"`
		From      hexutil.Uint64  `json:"from"`
		To        hexutil.Uint64  `json:"to"`
		Limit     int             `json:"limit"`
	}
	all := &List{Evidence: []*Evidence{}}
	for q := (query{filter.Validator, hexutil.Uint64(filter.From), hexutil.Uint64(filter.To), fetchStep}); ; {
		var part List
		if err := dial.Ask(ctx, client, &part, "istanbul_evidence", q); err != nil {
			return nil, fmt.Errorf("%s: %w", endpoint, err)
		}
		all.Version, all.Genesis = part.Version, part.Genesis
		for _, e := range part.Evidence {
			if e == nil || e.Sequence < uint64(q.From) || e.Sequence > uint64(q.To) {
				return nil, fmt.Errorf("%s: istanbul_evidence answers with what was not asked for: ask another node", endpoint)
			}
			if !slices.ContainsFunc(all.Evidence, e.Same) {
				all.Evidence = append(all.Evidence, e)
			}
		}
		for _, name := range part.Unreadable {
			if !slices.Contains(all.Unreadable, name) {
				all.Unreadable = append(all.Unreadable, name)
			}
		}
		if !part.Truncated || len(part.Evidence) == 0 {
			return all, nil
		}
		next := hexutil.Uint64(part.Evidence[len(part.Evidence)-1].Sequence)
		if next == q.From { // all of the answer is of one sequence: the rest of it cannot be asked for
			all.Truncated = true
			if next == q.To {
				return all, nil
			}
			next++
		}
		q.From = next
	}
}
