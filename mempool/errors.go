// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package mempool

import (
	"fmt"

	"github.com/ethereum/go-ethereum/core/txpool"
)

// codeLimitExceeded is the JSON-RPC error code of a request that exceeds a limit (EIP-1474).
const codeLimitExceeded = -32005

// FullError tells that there is no room for a transaction with which nothing is wrong. Its text begins as clients know it (spec
// transactions 4.1, row 10) and goes on with the reason and with what to do.
type FullError struct{ reason string }

func (e *FullError) Error() string { return "txpool is full: " + e.reason }

// ErrorCode is the code of the error over RPC.
func (e *FullError) ErrorCode() int { return codeLimitExceeded }

// Is makes it one of those for which go-ethereum's fetcher asks again later.
func (e *FullError) Is(target error) bool { return target == txpool.ErrOutOfCapacity }

func full(format string, args ...any) error { return &FullError{fmt.Sprintf(format, args...)} }

// PayerLimitError is a FullError of a fee payer, with the text that clients know.
type PayerLimitError struct {
	limit  uint64
	reason string
}

func (e *PayerLimitError) Error() string {
	return fmt.Sprintf("%v: limit %d%s", txpool.ErrFeePayerLimit, e.limit, e.reason)
}

// ErrorCode is the code of the error over RPC.
func (e *PayerLimitError) ErrorCode() int { return codeLimitExceeded }

// Is makes it an ErrFeePayerLimit, and one of those for which the fetcher asks again later.
func (e *PayerLimitError) Is(target error) bool {
	return target == txpool.ErrFeePayerLimit || target == txpool.ErrOutOfCapacity
}
