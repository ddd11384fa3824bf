// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package rules

import (
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/ethereum/go-ethereum/core/types"
	gethparams "github.com/ethereum/go-ethereum/params"
	"github.com/ethereum/go-ethereum/rlp"
)

// RecentHead is the largest age of the head of a node that is up to date. Older blocks come from a sync.
const RecentHead = 30 * time.Second

// TransactionMemory is about the bytes that a decoded transaction takes beside its encoding.
const TransactionMemory = 400

// Outline is the content of a block's RLP before its transactions are decoded. Ten bytes of RLP decode to a
// transaction of TransactionMemory. A block's outline and gas are therefore checked before it is decoded.
type Outline struct {
	Header       *types.Header
	Transactions int    // in the body
	MinGas       uint64 // intrinsic gas of the transactions without their data: a lower bound
}

// OutlineBlock outlines the RLP of a block. The error of a block that cannot be one names the part that is wrong.
// OutlineBlock allocates the header only, and takes time in proportion to the number of transactions and
// authorizations.
func OutlineBlock(raw []byte) (*Outline, error) {
	content, rest, err := rlp.SplitList(raw)
	if err != nil {
		return nil, fmt.Errorf("block: %w", err)
	}
	if len(rest) > 0 {
		return nil, fmt.Errorf("block: %d surplus bytes", len(rest))
	}
	_, body, err := rlp.SplitList(content)
	if err != nil {
		return nil, fmt.Errorf("header: %w", err)
	}
	encoded := content[:len(content)-len(body)]
	o := &Outline{Header: new(types.Header)}
	if err := rlp.DecodeBytes(encoded, o.Header); err != nil {
		return nil, fmt.Errorf("header: %w", err)
	}
	txs, _, err := rlp.SplitList(body)
	if err != nil {
		return nil, fmt.Errorf("transactions: %w", err)
	}
	return o, o.count(txs)
}

// OutlineBody is OutlineBlock for the RLP of a body that belongs to a header.
func OutlineBody(header *types.Header, raw []byte) (*Outline, error) {
	content, rest, err := rlp.SplitList(raw)
	if err != nil {
		return nil, fmt.Errorf("body: %w", err)
	}
	if len(rest) > 0 {
		return nil, fmt.Errorf("body: %d surplus bytes", len(rest))
	}
	txs, _, err := rlp.SplitList(content)
	if err != nil {
		return nil, fmt.Errorf("transactions: %w", err)
	}
	o := &Outline{Header: header}
	return o, o.count(txs)
}

// CheckGas returns an error for a block with transactions that need more gas than limit. At most a fifth of the gas
// is refunded (EIP-3529).
func (o *Outline) CheckGas(limit uint64) error {
	if used := o.MinGas - o.MinGas/gethparams.RefundQuotientEIP3529; used > limit {
		return fmt.Errorf("%d transactions use %d gas at least, the limit is %d", o.Transactions, used, limit)
	}
	return nil
}

// MaxGasLimit returns the highest gas limit that a child of a header may have (spec chain 6.1).
func MaxGasLimit(parent *types.Header) uint64 {
	step := parent.GasLimit / gethparams.GasLimitBoundDivisor
	if parent.GasLimit > math.MaxUint64-step {
		return math.MaxUint64
	}
	return parent.GasLimit + step
}

// count counts the items of a list of transactions and what they cost at least.
func (o *Outline) count(txs []byte) error {
	for len(txs) > 0 {
		kind, content, rest, err := rlp.Split(txs)
		if err != nil {
			return fmt.Errorf("transaction %d: %w", o.Transactions, err)
		}
		gas, err := minGas(kind, content)
		if err != nil {
			return fmt.Errorf("transaction %d: %w", o.Transactions, err)
		}
		o.Transactions++
		if o.MinGas > math.MaxUint64-gas {
			return errors.New("transactions: the gas that they need has more than 64 bits")
		}
		o.MinGas += gas
		txs = rest
	}
	return nil
}

// minGas returns the least gas of an encoded transaction: the intrinsic gas, and that of its access list and
// authorizations, which take more memory decoded than encoded.
func minGas(kind rlp.Kind, content []byte) (uint64, error) {
	gas := gethparams.TxGas
	if kind == rlp.List {
		return gas, nil // untyped: has neither list
	}
	if len(content) == 0 {
		return 0, errors.New("empty")
	}
	tx, payload := content[0], content[1:]
	fields, _, err := rlp.SplitList(payload)
	if err != nil {
		return 0, err
	}
	accessList, authorizations := -1, -1
	switch tx {
	case types.AccessListTxType:
		accessList = 7
	case types.DynamicFeeTxType, types.BlobTxType:
		accessList = 8
	case types.SetCodeTxType:
		accessList, authorizations = 8, 9
	case types.FeeDelegateTxType:
		accessList = 8
		if fields, _, err = rlp.SplitList(fields); err != nil {
			return 0, fmt.Errorf("sender's part: %w", err)
		}
	}
	for i := 0; len(fields) > 0 && i <= max(accessList, authorizations); i++ {
		kind, content, rest, err := rlp.Split(fields)
		if err != nil {
			return 0, err
		}
		switch {
		case kind != rlp.List:
		case i == accessList:
			listed, err := accessListGas(content)
			if err != nil {
				return 0, err
			}
			gas += listed
		case i == authorizations:
			n, err := rlp.CountValues(content)
			if err != nil {
				return 0, err
			}
			gas += uint64(n) * gethparams.CallNewAccountGas
		}
		fields = rest
	}
	return gas, nil
}

// accessListGas returns the gas of the accounts and storage keys in the content of an access list.
func accessListGas(content []byte) (gas uint64, err error) {
	const keySize = 33 // bytes of an encoded storage key
	for len(content) > 0 {
		tuple, rest, err := rlp.SplitList(content)
		if err != nil {
			return 0, err
		}
		_, keys, err := rlp.SplitString(tuple)
		if err != nil {
			return 0, err
		}
		if keys, _, err = rlp.SplitList(keys); err != nil {
			return 0, err
		}
		gas += gethparams.TxAccessListAddressGas + uint64(len(keys)/keySize)*gethparams.TxAccessListStorageKeyGas
		content = rest
	}
	return gas, nil
}
