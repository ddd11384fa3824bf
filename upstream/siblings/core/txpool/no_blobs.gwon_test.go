// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package txpool

import (
	"testing"

	"github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/stretchr/testify/assert"
)

// The words of the refusal are what the other client's users see (spec transactions 4.1 d).
func TestNoBlobs(t *testing.T) {
	const want = "transaction type not supported: type 3 rejected, pool not yet in Cancun"
	var pool SubPool = NoBlobs{}
	blob, payment := types.NewTx(new(types.BlobTx)), types.NewTx(new(types.DynamicFeeTx))
	byType := pool.FilterType(types.BlobTxType) && !pool.FilterType(types.LegacyTxType)
	assert.True(t, pool.Filter(blob) && !pool.Filter(payment) && byType,
		"it is responsible for blob transactions and for nothing else")
	for _, err := range append(pool.Add([]*types.Transaction{blob, blob}, true), pool.ValidateTxBasics(blob)) {
		assert.Truef(t, err != nil && err.Error() == want, "refused with %v, want %q", err, want)
	}
	sub := pool.SubscribeTransactions(make(chan core.NewTxsEvent), false)
	sub.Unsubscribe()
	_, open := <-sub.Err()
	assert.True(t, !open, "the subscription does not end")
}
