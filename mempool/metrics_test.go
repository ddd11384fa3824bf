// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package mempool

import (
	"errors"
	"fmt"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	gethcore "github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/txpool"
	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/ethereum/go-ethereum/metrics"

	"gwon/internal/expect"
)

// A refusal is counted once, under its reason. One for want of room is counted where it arises.
func TestRefusalReasons(t *testing.T) {
	count := func() map[string]int64 {
		counts := make(map[string]int64)
		for _, name := range []string{"nonce", "payerfunds", "funds", "price", "gas", "signature", "blacklist", "other"} {
			counts[name] = metrics.Get("txpool/refused/" + name).(*metrics.Meter).Snapshot().Count()
		}
		return counts
	}
	for _, test := range []struct {
		err  error
		want string // empty for none
	}{
		{gethcore.ErrNonceTooLow, "nonce"},
		{fmt.Errorf("%w: balance 0", gethcore.ErrInsufficientFunds), "funds"},
		{txpool.ErrSenderValue, "funds"},
		{txpool.ErrFeePayerFunds, "payerfunds"},
		{txpool.ErrReplaceUnderpriced, "price"},
		{gethcore.ErrIntrinsicGas, "gas"},
		{txpool.ErrInvalidSender, "signature"},
		{vm.BlacklistedError(common.Address{1}), "blacklist"},
		{errors.New("anything else"), "other"},
		{full("no room"), ""},
		{&PayerLimitError{limit: 1}, ""},
		{txpool.ErrAlreadyKnown, ""},
	} {
		t.Run(test.err.Error(), func(t *testing.T) {
			before := count()
			countInvalid(test.err)
			for name, after := range count() {
				want := int64(0)
				if name == test.want {
					want = 1
				}
				expect.Equal(t, after-before[name], want, "refusals counted under %s", name)
			}
		})
	}
}
