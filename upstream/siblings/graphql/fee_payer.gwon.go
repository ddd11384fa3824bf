// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package graphql

import "context"

// FeePayer returns the account that pays the gas of a fee-delegated transaction, nil for other transactions (spec
// transactions 6 no. 20).
func (t *Transaction) FeePayer(ctx context.Context, args BlockNumberArgs) *Account {
	tx, _ := t.resolve(ctx)
	if tx == nil || tx.FeePayer() == nil {
		return nil
	}
	return &Account{r: t.r, address: *tx.FeePayer(), blockNrOrHash: args.NumberOrLatest()}
}
