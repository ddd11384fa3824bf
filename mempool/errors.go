// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package mempool

import (
	"fmt"

	"github.com/ethereum/go-ethereum/core/txpool"
	"github.com/ethereum/go-ethereum/metrics"
	"github.com/ethereum/go-ethereum/rpc"
)

// FullError reports that the pool has no place for a valid transaction. Its text is a prefix that clients know, the
// reason, and the remedy. spec: transactions 4.1 row 10
type FullError struct {
	reason string
	meter  *metrics.Meter // counts the refusals for this reason, nil for none
}

// Error returns the text that RPC clients get.
func (e *FullError) Error() string { return "txpool is full: " + e.reason }

// ErrorCode returns the error code over RPC.
func (e *FullError) ErrorCode() int { return rpc.CodeLimit }

// Is reports whether target is ErrOutOfCapacity: go-ethereum's fetcher requests such a transaction again later.
func (e *FullError) Is(target error) bool { return target == txpool.ErrOutOfCapacity }

// full returns a FullError with the formatted reason.
func full(format string, args ...any) error { return fullBy(nil, format, args...) }

// fullBy returns a FullError whose reason has a meter.
func fullBy(meter *metrics.Meter, format string, args ...any) error {
	return &FullError{fmt.Sprintf(format, args...), meter}
}

// PayerLimitError is the FullError of a fee payer, with the text that clients know.
type PayerLimitError struct {
	limit  uint64
	reason string
}

// Error returns the text that RPC clients get.
func (e *PayerLimitError) Error() string {
	return fmt.Sprintf("%v: limit %d%s", txpool.ErrFeePayerLimit, e.limit, e.reason)
}

// ErrorCode returns the error code over RPC.
func (e *PayerLimitError) ErrorCode() int { return rpc.CodeLimit }

// Is reports whether target is ErrFeePayerLimit or ErrOutOfCapacity.
func (e *PayerLimitError) Is(target error) bool {
	return target == txpool.ErrFeePayerLimit || target == txpool.ErrOutOfCapacity
}
