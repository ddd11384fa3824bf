// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package rpc

import (
	"bytes"
	"math/big"
	"testing"

	"github.com/ethereum/go-ethereum/core/types"

	"gwon/consensus/finality"
	"gwon/internal/expect"
	"gwon/internal/must"
)

// Proofs of the blocks of the vectors are verified; what is not of the canonical chain gets none.
// spec: wbft 3.1, 7.5
func TestGetFinalityProof(t *testing.T) {
	c, _ := loadChain(t)
	c.final = c.headers[9]
	side := types.CopyHeader(c.headers[7])
	side.Time++
	c.side = append(c.side, side)
	client := connectIstanbul(t, c)
	for _, test := range []struct {
		params         string
		trusted, block uint64
	}{
		{`[]`, 0, 14},
		{`["latest"]`, 0, 14},
		{`["pending"]`, 0, 14},
		{`["finalized"]`, 0, 9},
		{`["earliest"]`, 0, 0},
		{`["0x3", "earliest"]`, 0, 3},
		{`["0xd", "0x6"]`, 6, 13},
		{`["` + c.headers[13].Hash().Hex() + `", {"blockHash": "` + c.headers[8].Hash().Hex() + `"}]`, 8, 13},
	} {
		t.Run(test.params, func(t *testing.T) {
			answer := ask(t, client, "istanbul_getFinalityProof", test.params)
			proof, err := finality.Decode(bytes.NewReader([]byte(answer)))
			must.That(t, err == nil, "%v: %s", err, answer)
			header, err := finality.Verify(proof,
				finality.Trusted{ChainID: big.NewInt(8899), Number: test.trusted, Hash: c.headers[test.trusted].Hash()})
			expect.That(t, err == nil && header.Number.Uint64() == test.block, "%v, want block %d", err, test.block)
		})
	}
	for params, want := range map[string]string{
		`["0xf"]`:                       "-32000 unknown block",
		`["latest", "0xf"]`:             "-32000 trusted block: unknown block",
		`["0x3", "0x4"]`:                "-32000 block is older than the trusted block: block 3, trusted block 4",
		`["` + side.Hash().Hex() + `"]`: "-32000 block " + side.Hash().Hex() + " is not of the canonical chain",
		`["0x` + c.headers[1].Root.Hex()[2:] + `"]`: "-32000 unknown block",
	} {
		t.Run(params, func(t *testing.T) {
			expect.Equal(t, ask(t, client, "istanbul_getFinalityProof", params), want, "value")
		})
	}
}
