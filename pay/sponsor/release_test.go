// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package sponsor

import (
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"

	"gwon/internal/expect"
	"gwon/internal/must"
)

// TestRelease: the chain ends what it has decided, and nothing else ends.
func TestRelease(t *testing.T) {
	b := startBench(t, openPolicy)
	first, second := newSender(t), newSender(t)
	b.sponsor.books.season(t, crypto.PubkeyToAddress(first.PublicKey))
	var hashes []common.Hash
	for nonce := range uint64(3) {
		tx, raw := senderTx(t, first, func(tx *types.DynamicFeeTx) { tx.Nonce = nonce })
		b.must(new(common.Hash), "eth_sendRawTransaction", raw)
		hashes = append(hashes, tx.Hash())
	}
	tx, raw := senderTx(t, second, nil)
	b.must(new(common.Hash), "eth_sendRawTransaction", raw)
	mined := b.chain.pooled()[0]
	_, err := Release(t.Context(), b.config)
	must.That(t, err != nil && strings.Contains(err.Error(), "in use"), "running sponsor: %v", err)
	b.stop()
	b.chain.mine(mined, authorizing(t, first, 1))
	outcomes := must.Get(Release(t.Context(), b.config))(t)
	want := map[common.Hash]string{hashes[0]: "settled", hashes[1]: "released", hashes[2]: "kept", tx.Hash(): "kept"}
	for _, o := range outcomes {
		expect.That(t, want[o.Hash] == o.State && o.Amount != "",
			"%v of nonce %d: %s, %q, want %s", o.Hash, o.Nonce, o.State, o.Amount, want[o.Hash])
		delete(want, o.Hash)
	}
	expect.That(t, len(want) == 0, "nothing about %v", want)
}
