// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package txpool

import (
	"fmt"
	"math/big"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/event"
)

// NoBlobs replaces the blob pool on a chain without blobs. It holds nothing, reads no block, and refuses blob
// transactions with the reason that go-stablenet gives (spec transactions 4.1 d).
type NoBlobs struct{}

func (NoBlobs) refuse(tx *types.Transaction) error {
	return fmt.Errorf("%w: type %d rejected, pool not yet in Cancun", core.ErrTxTypeNotSupported, tx.Type())
}

// Add implements SubPool.
func (n NoBlobs) Add(txs []*types.Transaction, _ bool) []error {
	errs := make([]error, len(txs))
	for i, tx := range txs {
		errs[i] = n.refuse(tx)
	}
	return errs
}

// SubscribeTransactions implements SubPool: nothing ever comes.
func (NoBlobs) SubscribeTransactions(chan<- core.NewTxsEvent, bool) event.Subscription {
	return event.NewSubscription(func(quit <-chan struct{}) error {
		<-quit
		return nil
	})
}

// Filter implements SubPool.
func (NoBlobs) Filter(tx *types.Transaction) bool { return tx.Type() == types.BlobTxType }

// FilterType implements SubPool.
func (NoBlobs) FilterType(kind byte) bool { return kind == types.BlobTxType }

// Init implements SubPool.
func (NoBlobs) Init(uint64, *types.Header, Reserver) error { return nil }

// Close implements SubPool.
func (NoBlobs) Close() error { return nil }

// Reset implements SubPool.
func (NoBlobs) Reset(_, _ *types.Header) {}

// SetGasTip implements SubPool.
func (NoBlobs) SetGasTip(*big.Int) {}

// Has implements SubPool.
func (NoBlobs) Has(common.Hash) bool { return false }

// Get implements SubPool.
func (NoBlobs) Get(common.Hash) *types.Transaction { return nil }

// GetRLP implements SubPool.
func (NoBlobs) GetRLP(common.Hash, uint) []byte { return nil }

// GetMetadata implements SubPool.
func (NoBlobs) GetMetadata(common.Hash) *TxMetadata { return nil }

// ValidateTxBasics implements SubPool.
func (n NoBlobs) ValidateTxBasics(tx *types.Transaction) error { return n.refuse(tx) }

// Nonce implements SubPool.
func (NoBlobs) Nonce(common.Address) uint64 { return 0 }

// Stats implements SubPool.
func (NoBlobs) Stats() (pending, queued int) { return 0, 0 }

// Status implements SubPool.
func (NoBlobs) Status(common.Hash) TxStatus { return TxStatusUnknown }

// Clear implements SubPool.
func (NoBlobs) Clear() {}

// ContentFrom implements SubPool.
func (NoBlobs) ContentFrom(common.Address) (a, b []*types.Transaction) { return nil, nil }

// Pending implements SubPool.
func (NoBlobs) Pending(PendingFilter) (map[common.Address][]*LazyTransaction, int) { return nil, 0 }

// Content implements SubPool.
func (NoBlobs) Content() (pending, queued map[common.Address][]*types.Transaction) { return nil, nil }
