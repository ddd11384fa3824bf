// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package eth

import (
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto/kzg4844"
	"github.com/ethereum/go-ethereum/eth/protocols/eth"
	"github.com/ethereum/go-ethereum/p2p"
	"github.com/ethereum/go-ethereum/p2p/enode"
	"github.com/ethereum/go-ethereum/params"
	"github.com/stretchr/testify/assert"
)

// A blob transaction that is pushed, one without a fitting sidecar among those that were asked for, and a transaction
// that comes twice end the connection.
// spec: network 2.4
func TestTransactionsThatEndTheConnection(t *testing.T) {
	transfer := func(nonce uint64) *types.Transaction { return types.NewTx(&types.LegacyTx{Nonce: nonce}) }
	bare := types.NewTx(&types.BlobTx{BlobHashes: []common.Hash{{1}}})
	stray := bare.WithBlobTxSidecar(&types.BlobTxSidecar{
		Blobs: make([]kzg4844.Blob, 1), Commitments: make([]kzg4844.Commitment, 1), Proofs: make([]kzg4844.Proof, 1),
	})
	for _, test := range []struct {
		name           string
		list           []*types.Transaction
		pushed, pooled bool // whether it ends the connection
	}{
		{"one each", []*types.Transaction{transfer(1), transfer(2)}, false, false},
		{"the same twice", []*types.Transaction{transfer(1), transfer(2), transfer(1)}, true, true},
		{"blobs without a sidecar", []*types.Transaction{transfer(1), bare}, true, true},
		{"blobs with a sidecar of others", []*types.Transaction{stray}, true, true},
	} {
		for _, way := range []struct {
			name   string
			pushed bool
			ends   bool
		}{{"Transactions", true, test.pushed}, {"PooledTransactions", false, test.pooled}} {
			t.Run(way.name+"/"+test.name, func(t *testing.T) {
				base := p2p.NewPeer(enode.ID{1}, "peer", nil)
				peer := eth.NewPeer(eth.ETH68, base, nil, nil, nil, params.TestChainConfig)
				defer peer.Close()
				err := handleTransactions(peer, test.list, way.pushed)
				assert.Truef(t, (err != nil) == way.ends, "error %v", err)
			})
		}
	}
}
