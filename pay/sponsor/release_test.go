// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package sponsor

import (
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
)

// TestRelease: the chain ends what it has decided, the rest is kept unless it is forced, and the books stay right.
func TestRelease(t *testing.T) {
	b := startBench(t, openPolicy)
	first, second := newSender(t), newSender(t)
	var hashes []common.Hash
	for nonce := range uint64(3) {
		tx, raw := senderTx(t, first, func(tx *types.DynamicFeeTx) { tx.Nonce = nonce })
		b.must(new(common.Hash), "eth_sendRawTransaction", raw)
		hashes = append(hashes, tx.Hash())
	}
	tx, raw := senderTx(t, second, nil)
	b.must(new(common.Hash), "eth_sendRawTransaction", raw)
	mined := b.chain.pooled()[0]
	if _, err := Release(t.Context(), b.config, Selection{}); err == nil || !strings.Contains(err.Error(), "in use") {
		t.Fatalf("running sponsor: %v", err)
	}
	b.stop()
	b.chain.mine(mined, authorizing(t, first, 1))
	release := func(which Selection, want map[common.Hash]string) {
		t.Helper()
		outcomes, err := Release(t.Context(), b.config, which)
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range outcomes {
			if want[o.Hash] != o.State || o.Chain == "" {
				t.Errorf("%v of nonce %d: %s, %q, want %s", o.Hash, o.Nonce, o.State, o.Chain, want[o.Hash])
			}
			delete(want, o.Hash)
		}
		if len(want) > 0 {
			t.Errorf("nothing about %v", want)
		}
	}
	release(Selection{}, map[common.Hash]string{hashes[0]: Settled, hashes[1]: Released})
	sender := crypto.PubkeyToAddress(second.PublicKey)
	release(Selection{Sender: &sender}, map[common.Hash]string{tx.Hash(): Kept})
	release(Selection{Hash: &hashes[2]}, map[common.Hash]string{hashes[2]: Kept})
	release(Selection{Hash: &hashes[2], Force: true}, map[common.Hash]string{hashes[2]: Released})
	release(Selection{Sender: &sender, Force: true}, map[common.Hash]string{tx.Hash(): Released})
	b.start()
	b.mustSpend("released", testFee, 1)
}
