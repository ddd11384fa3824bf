// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package messages

import (
	"bytes"
	"slices"
	"testing"

	"github.com/ethereum/go-ethereum/common"

	"gwon/internal/expect"
	"gwon/internal/must"
)

// TestRestate: each form of a ROUND-CHANGE says the same in other bytes, and there are few of them.
// spec: wbft 4.2
func TestRestate(t *testing.T) {
	signature := func(b byte) []byte { return bytes.Repeat([]byte{b}, SignatureLength) }
	free := new(RoundChange)
	free.Sequence, free.Round, free.sig = 5, 3, signature(1)
	claim := new(RoundChange)
	claim.Sequence, claim.Round, claim.sig = 5, 3, signature(1)
	claim.Prepared = &PreparedClaim{Round: 1, Digest: common.Hash{1}}
	for i := range byte(3) {
		p := &Prepare{Sequence: 5, Round: 1, Digest: common.Hash{1}, Seal: bytes.Repeat([]byte{i}, SealLength)}
		p.sig = signature(i)
		claim.Prepares = append(claim.Prepares, p)
	}
	for name, test := range map[string]struct {
		m     *RoundChange
		forms int
	}{"without a claim": {free, 3}, "with a claim": {claim, 2}} {
		t.Run(name, func(t *testing.T) {
			payload := test.m.Encode()
			seen := [][]byte{payload}
			for k := 1; ; k++ {
				restated, ok := Restate(payload, k)
				if !ok {
					break
				}
				expect.That(t, !slices.ContainsFunc(seen, func(b []byte) bool { return bytes.Equal(b, restated) }),
					"form %d has the bytes of another one", k)
				seen = append(seen, restated)
				decoded, err := Decode(CodeRoundChange, restated)
				must.Do(t, err, "form", k)
				m := decoded.(*RoundChange)
				expect.That(t, bytes.Equal(m.SignedRoundChange.Encode(), test.m.SignedRoundChange.Encode()) &&
					len(m.Prepares) == len(test.m.Prepares), "form %d says something else", k)
				expect.Error(t, expect.Err(Open(CodeRoundChange, restated)), nil, "form %d", k)
			}
			expect.Equal(t, len(seen)-1, test.forms, "forms")
			_, ok := Restate(payload, 0)
			expect.That(t, !ok, "there is a form 0")
		})
	}
	_, ok := Restate([]byte{0xc0}, 1)
	expect.That(t, !ok, "an empty list was restated")
}
