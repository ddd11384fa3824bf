// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package founding

import (
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"gwon/internal/must"
)

// Coins are given by account, once each.
func TestFund(t *testing.T) {
	const account = "0x00000000000000000000000000000000000000aa"
	alloc := types.GenesisAlloc{}
	must.Do(t, fund(alloc, []string{account + "=1.5"}))
	if got := alloc[common.HexToAddress(account)].Balance; got.String() != "1500000000000000000" {
		t.Errorf("balance %v", got)
	}
	for _, row := range []struct{ entry, want string }{
		{account, "want ADDRESS=COINS"}, {"0xaa=1", "want ADDRESS=COINS"}, {account + "=", "is no number of coins"},
		{account + "=-1", "is no number of coins"}, {account + "=1 gwei", "is no number of coins"},
		{account + "=1", "given twice"},
	} {
		t.Run(row.entry, func(t *testing.T) {
			if err := fund(alloc, []string{row.entry}); err == nil || !strings.Contains(err.Error(), row.want) {
				t.Errorf("error %v, want %q", err, row.want)
			}
		})
	}
}
