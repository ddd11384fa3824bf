// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package locals

import (
	"errors"
	"math/big"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/txpool"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/internal/must"
	"github.com/ethereum/go-ethereum/params"
	"github.com/stretchr/testify/assert"
)

// A local submission below the governed minimum is an error to its sender at once (spec rpc 8.3), and the transaction
// fetcher remembers it.
func TestMinimumIsReported(t *testing.T) {
	key := must.Get(crypto.ToECDSA(common.BigToHash(common.Big1).Bytes()))(t)
	zero, tip := new(big.Int), big.NewInt(27_600_000_000_000)
	config := &params.ChainConfig{ChainID: big.NewInt(8283), HomesteadBlock: zero, EIP150Block: zero, EIP155Block: zero,
		EIP158Block: zero, ByzantiumBlock: zero, ConstantinopleBlock: zero, PetersburgBlock: zero, IstanbulBlock: zero,
		BerlinBlock: zero, LondonBlock: zero, Anzeon: new(params.AnzeonConfig)}
	signer := types.LatestSigner(config)
	head := &types.Header{Number: big.NewInt(1), Difficulty: big.NewInt(1), GasLimit: 1e8}
	opts := &txpool.ValidationOptions{Config: config, Accept: 1 << types.LegacyTxType, MaxSize: 1000, MinTip: tip}

	for _, tt := range []struct {
		price int64
		text  string
	}{
		{27_599_999_999_999, "transaction underpriced: gas tip cap 27599999999999, minimum needed 27600000000000"},
		{47_599_999_999_999, "transaction underpriced: gas fee cap 47599999999999, minimum needed 47600000000000"},
		{47_600_000_000_000, ""},
	} {
		inner := &types.LegacyTx{To: new(common.Address), Gas: 21000, GasPrice: big.NewInt(tt.price)}
		tx := types.MustSignNewTx(key, signer, inner)
		err := txpool.ValidateTransaction(tx, head, signer, opts)
		if tt.text == "" {
			assert.NoErrorf(t, err, "price %d", tt.price)
			continue
		}
		assert.Truef(t, err != nil && strings.HasPrefix(err.Error(), tt.text),
			"price %d: error %v, want %s", tt.price, err, tt.text)
		assert.Truef(t, !IsTemporaryReject(err) && errors.Is(err, txpool.ErrTxGasPriceTooLow),
			"price %d: the error is temporary, or not of the class the fetcher remembers", tt.price)
	}
	for _, err := range []error{txpool.ErrFeePayerFunds, txpool.ErrFeePayerLimit, txpool.ErrSenderValue, vm.ErrBlacklisted,
		types.ErrInvalidFeePayer} {
		assert.Falsef(t, IsTemporaryReject(err), "%v is taken for temporary", err)
	}
}
