// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package evidence

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"

	"gwon/consensus/wbft/validators"
)

// Judgment is the verdict about one pair of messages in a file.
type Judgment struct {
	File      string         `json:"file"`
	Index     int            `json:"index"`
	Kind      Kind           `json:"kind"`
	Validator common.Address `json:"validator"`
	Sequence  uint64         `json:"sequence"`
	Rounds    [2]uint64      `json:"rounds"`
	Verdict
}

// Judgments is the output of gwon evidence verify.
type Judgments struct {
	Judgments []*Judgment `json:"judgements"`
	// Restarts counts, by validator, the sequences in which only a restart without a vote log explains the pairs.
	Restarts    map[common.Address]int `json:"restarts"`
	Proven      int                    `json:"proven"`
	Explainable int                    `json:"explainable"`
	Refused     int                    `json:"refused"`
	// Repeated counts pairs that repeat another pair. They are counted once.
	Repeated int `json:"repeated"`
	// Empty names files that state that this chain has no evidence.
	Empty []string `json:"empty,omitempty"`
	// Incomplete names files that state that their source has more evidence.
	Incomplete []string `json:"incomplete,omitempty"`
	// Basis says which facts are taken on trust.
	Basis string `json:"basis"`

	jury Jury
	seen map[common.Hash]*Judgment
}

// NewJudgments returns an empty report of a jury.
func NewJudgments(jury Jury) *Judgments {
	return &Judgments{Judgments: []*Judgment{}, Restarts: make(map[common.Address]int), Basis: jury.Basis(), jury: jury,
		seen: make(map[common.Hash]*Judgment)}
}

// Add judges the evidence in a file. The error names an unknown validator set, or a file without evidence that does not
// state that there is none.
func (j *Judgments) Add(ctx context.Context, file string, list *List) error {
	if len(list.Evidence) == 0 {
		if err := acquit(list, j.jury.Chain()); err != nil {
			return fmt.Errorf("%s: there is no evidence in it: %w", file, err)
		}
		j.Empty = append(j.Empty, file)
	}
	if list.Truncated || len(list.Unreadable) > 0 {
		j.Incomplete = append(j.Incomplete, file)
	}
	for i, e := range list.Evidence {
		one := &Judgment{File: file, Index: i, Kind: e.Kind, Validator: e.Validator, Sequence: e.Sequence, Rounds: e.Rounds}
		court := Court{Set: validators.NewSet(nil)}
		if e.Sequence > 0 {
			var err error
			if court, err = j.jury.Court(ctx, e.Sequence); err != nil {
				return fmt.Errorf("%s: evidence %d: %w", file, i, err)
			}
		}
		one.Verdict = Judge(e, court)
		if !j.repeats(e, one) {
			j.Judgments = append(j.Judgments, one)
		}
	}
	return nil
}

// acquit returns nil for a list that states that a chain has no evidence. The chain is zero if it is not known.
func acquit(list *List, chain common.Hash) error {
	switch {
	case list.Genesis == (common.Hash{}):
		return errors.New(
			"it does not name the chain that would be without: give what gwon evidence export has written with " +
				"--genesis or --rpc",
		)
	case chain != (common.Hash{}) && list.Genesis != chain:
		return fmt.Errorf("it is of the chain with genesis block %v, not %v", list.Genesis, chain)
	case list.Truncated || len(list.Unreadable) > 0:
		return errors.New("there is some where it comes from (\"truncated\" or \"unreadable\")")
	}
	return nil
}

// repeats reports whether a pair repeats an earlier one. The better verdict of the two stays. A refused pair repeats
// only itself, so a forged copy hides no pair.
func (j *Judgments) repeats(e *Evidence, one *Judgment) bool {
	id := e.Identity()
	if one.Label == Refused {
		content := []byte(fmt.Sprint(e.Genesis, e.Sequence, e.Rounds, e.Messages, e.Headers))
		id = crypto.Keccak256Hash(id[:], content)
	}
	before := j.seen[id]
	if before == nil {
		j.seen[id] = one
		return false
	}
	j.Repeated++
	if before.Label == Explainable && one.Label == Proven {
		*before = *one
	}
	return true
}

// Count counts the verdicts, once all files have been added.
func (j *Judgments) Count() {
	restarts := make(map[common.Address]map[uint64]bool)
	for _, one := range j.Judgments {
		switch one.Label {
		case Proven:
			j.Proven++
		case Explainable:
			j.Explainable++
			if restarts[one.Validator] == nil {
				restarts[one.Validator] = make(map[uint64]bool)
			}
			restarts[one.Validator][one.Sequence] = true
			j.Restarts[one.Validator] = len(restarts[one.Validator])
		default:
			j.Refused++
		}
	}
}

// WriteText writes the report as text.
func (j *Judgments) WriteText(w io.Writer) error {
	var b strings.Builder
	for _, one := range j.Judgments {
		kind := string(one.Kind)
		if _, ok := one.Kind.codes(); !ok {
			kind = fmt.Sprintf("%.40q", kind) // a file can name anything, a line of this report for instance
		}
		fmt.Fprintf(&b, "%s: %v, sequence %d, %s\n  %s\n", strings.ToUpper(string(one.Label)), one.Validator, one.Sequence,
			kind, one.Reason)
		for _, limit := range one.Limits {
			fmt.Fprintf(&b, "  Not proven: %s\n", limit)
		}
	}
	for _, address := range slices.SortedFunc(maps.Keys(j.Restarts), common.Address.Cmp) {
		fmt.Fprintf(&b, "To be honest, %v has to have been restarted without its votes in %d sequences\n", address,
			j.Restarts[address])
	}
	for _, file := range j.Empty {
		fmt.Fprintf(&b, "%s has no evidence: where it comes from there was none, or none that was asked for\n", file)
	}
	for _, file := range j.Incomplete {
		fmt.Fprintf(&b, "%s does not have all: it says that there is more evidence where it comes from "+
			"(\"truncated\" or \"unreadable\")\n", file)
	}
	fmt.Fprintf(&b, "%s\n", j.Basis)
	if j.Repeated > 0 {
		fmt.Fprintf(&b, "%d pairs were repeated, and are counted once\n", j.Repeated)
	}
	fmt.Fprintf(&b, "%d proven, %d explainable, %d refused\n", j.Proven, j.Explainable, j.Refused)
	_, err := io.WriteString(w, b.String())
	return err
}
