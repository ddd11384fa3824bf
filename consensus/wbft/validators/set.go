// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package validators

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/params"

	"gwon/consensus/wbft/bls"
)

// MaxSize bounds the candidates of one epoch. It cannot be reached on a live network: epoch information of that size
// exceeds the 100 KiB of extraData that peers accept in an announced block (spec wbft 1.1).
const MaxSize = 4096

// Validator is one member of a set.
type Validator struct {
	Address   common.Address
	Key       *bls.PublicKey
	Diligence uint64 // in 10^-6, at most 2,000,000
}

// Set is the validators of an epoch in validator order, which gives seal indices and proposer rotation their meaning
// (spec wbft 1.2). It is immutable and safe for concurrent use.
type Set struct {
	list  []Validator
	index map[common.Address]int
}

// NewSet makes a set of list, in its order. If an address is listed twice, its first position counts.
func NewSet(list []Validator) *Set {
	s := &Set{list: slices.Clone(list), index: make(map[common.Address]int, len(list))}
	for i, v := range s.list {
		if _, twice := s.index[v.Address]; !twice {
			s.index[v.Address] = i
		}
	}
	return s
}

// FromEpochInfo returns the set that info defines. It fails when info is absent, empty or larger than MaxSize, when
// an index points outside the candidates, an address occurs twice, the keys do not match the validators in number, or
// a key is malformed (spec wbft 1.2, 2.1).
func FromEpochInfo(info *types.EpochInfo) (*Set, error) {
	if err := checkEpochInfo(info); err != nil {
		return nil, err
	}
	if len(info.Validators) == 0 {
		return nil, fmt.Errorf("epoch info has no validators")
	}
	list := make([]Validator, len(info.Validators))
	for i, c := range info.Validators {
		key, err := bls.ParsePublicKey(info.BLSPublicKeys[i])
		if err != nil {
			return nil, fmt.Errorf("validator %v: %w", info.Candidates[c].Address, err)
		}
		list[i] = Validator{Address: info.Candidates[c].Address, Key: key, Diligence: info.Candidates[c].Diligence}
	}
	return NewSet(list), nil
}

// WithoutKeys is FromEpochInfo for a reader that needs no keys, and decodes none. The set may be empty.
func WithoutKeys(info *types.EpochInfo) (*Set, error) {
	if err := checkEpochInfo(info); err != nil {
		return nil, err
	}
	list := make([]Validator, len(info.Validators))
	for i, c := range info.Validators {
		list[i].Address = info.Candidates[c].Address
	}
	return NewSet(list), nil
}

// InOrderOf returns the validators of s in the order of info, and false when info does not list exactly them, with
// their keys. It decodes no key, so that unproven info costs little.
func (s *Set) InOrderOf(info *types.EpochInfo) (*Set, bool) {
	if n := len(s.list); len(s.index) != n || checkEpochInfo(info) != nil || len(info.Validators) != n {
		return nil, false
	}
	list := make([]Validator, len(s.list))
	for i, c := range info.Validators {
		candidate := info.Candidates[c]
		at, member := s.index[candidate.Address]
		if !member || !bytes.Equal(s.list[at].Key.Bytes(), info.BLSPublicKeys[i]) {
			return nil, false
		}
		list[i] = Validator{Address: candidate.Address, Key: s.list[at].Key, Diligence: candidate.Diligence}
	}
	return NewSet(list), true
}

// checkEpochInfo checks everything but the keys themselves.
func checkEpochInfo(info *types.EpochInfo) error {
	switch {
	case info == nil:
		return fmt.Errorf("epoch info is missing")
	case len(info.Candidates) > MaxSize:
		return fmt.Errorf("epoch info has %d candidates, more than %d", len(info.Candidates), MaxSize)
	case len(info.Validators) != len(info.BLSPublicKeys):
		return fmt.Errorf("epoch info has %d validators but %d BLS keys", len(info.Validators), len(info.BLSPublicKeys))
	}
	seen := make(map[common.Address]struct{}, len(info.Candidates))
	for _, c := range info.Candidates {
		if _, twice := seen[c.Address]; twice {
			return fmt.Errorf("epoch info lists candidate %v twice", c.Address)
		}
		seen[c.Address] = struct{}{}
	}
	used := make([]bool, len(info.Candidates))
	for i, c := range info.Validators {
		if uint64(c) >= uint64(len(used)) {
			return fmt.Errorf("validator %d is candidate %d of %d", i, c, len(used))
		}
		if used[c] {
			return fmt.Errorf("candidate %d is a validator twice", c)
		}
		used[c] = true
	}
	return nil
}

// Len returns the number of validators.
func (s *Set) Len() int { return len(s.list) }

// At returns validator i; i must be in [0, Len).
func (s *Set) At(i int) Validator { return s.list[i] }

// Index returns the position of addr, and whether it is in the set.
func (s *Set) Index(addr common.Address) (int, bool) {
	i, ok := s.index[addr]
	return i, ok
}

// Contains reports whether addr is in the set.
func (s *Set) Contains(addr common.Address) bool {
	_, ok := s.index[addr]
	return ok
}

// Addresses returns a new slice of the addresses in validator order.
func (s *Set) Addresses() []common.Address {
	list := make([]common.Address, len(s.list))
	for i, v := range s.list {
		list[i] = v.Address
	}
	return list
}

// Equal reports whether two sets have the same validators with the same keys in the same order.
func (s *Set) Equal(other *Set) bool {
	return slices.EqualFunc(
		s.list, other.list, func(a, b Validator) bool { return a.Address == b.Address && a.Key.Equal(b.Key) },
	)
}

// SameMembers reports whether two sets have the same validators with the same keys, each once and in any order. A
// quorum of one set is then a quorum of the other.
func (s *Set) SameMembers(other *Set) bool {
	if n := len(s.list); len(s.index) != n || len(other.list) != n || len(other.index) != n {
		return false
	}
	return !slices.ContainsFunc(s.list, func(v Validator) bool {
		i, ok := other.index[v.Address]
		return !ok || !v.Key.Equal(other.list[i].Key)
	})
}

// Quorum returns the number of validators whose votes decide: n - floor((n-1)/3) (spec wbft 3.2), at least 1.
func (s *Set) Quorum() int { return QuorumOf(len(s.list)) }

// Attendance says how many of n validators take part, which are not connected, and which are and send nothing.
func Attendance(n int, absent, silent []common.Address) string {
	text := fmt.Sprintf("%d of %d validators are here, %d are needed", n-len(absent)-len(silent), n, QuorumOf(n))
	if len(absent) > 0 {
		text += "; missing: " + strings.Trim(fmt.Sprint(absent), "[]")
	}
	if len(silent) > 0 {
		text += "; connected and silent: " + strings.Trim(fmt.Sprint(silent), "[]")
	}
	return text
}

// QuorumOf returns the quorum of a set of n validators.
func QuorumOf(n int) int {
	if n == 0 {
		return 1
	}
	return n - (n-1)/3
}

// JoinCount returns the number of distinct senders of ROUND-CHANGEs to later rounds that make a node join them: F + 1
// (spec wbft 3.2). go-stablenet applies the rule at exactly this count.
func (s *Set) JoinCount() int {
	return max(len(s.list)-1, 0)/3 + 1
}

// Proposer policies (spec wbft 3.3). Any other number behaves as RoundRobin.
const (
	RoundRobin = params.RoundRobin
	Sticky     = params.Sticky
)

// Proposer returns the proposer of a round (spec wbft 3.3). lastProposer is the coinbase of the previous block, or
// the zero address when that is genesis. A last proposer outside the set counts as position 0, so that round robin
// goes on at position 1. Sums wrap around at 64 bits. An empty set has no proposer: the zero address.
func (s *Set) Proposer(policy uint64, lastProposer common.Address, round uint64) common.Address {
	n := uint64(len(s.list))
	if n == 0 {
		return common.Address{}
	}
	at := round
	if lastProposer != (common.Address{}) {
		at += uint64(s.index[lastProposer]) // 0 if absent
		if policy != Sticky {
			at++
		}
	}
	return s.list[at%n].Address
}

// LastProposer returns the coinbase of the parent of a sequence, or the zero address for genesis (spec wbft 3.3).
func LastProposer(parent *types.Header) common.Address {
	if parent.Number.Sign() == 0 {
		return common.Address{}
	}
	return parent.Coinbase
}

// Skipped returns the proposers of the rounds below round on a parent, in order. Rounds beyond the size of the set
// repeat them and are left out.
func (s *Set) Skipped(policy uint64, parent *types.Header, round uint64) []common.Address {
	skipped := make([]common.Address, min(round, uint64(len(s.list))))
	for r := range skipped {
		skipped[r] = s.Proposer(policy, LastProposer(parent), uint64(r))
	}
	return skipped
}
