// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package founding

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"

	"gwon/cmd/internal/keys"
	"gwon/internal/expect"
	"gwon/internal/must"
	"gwon/operator/newnetwork"
)

// What gwon validator show --json prints has no field that a list of validators lacks.
func TestShownValidatorIsRead(t *testing.T) {
	key := must.Get(crypto.GenerateKey())(t)
	identity := must.Get(keys.Identify(key, "nodekey"))(t)
	identity.SignedFor = new(common.Hash)
	text := must.Get(json.Marshal(identity))(t)
	expect.Says(t, expect.Err(newnetwork.ReadValidators(bytes.NewReader(text))), "the key has served", "refusal")
}

// Coins are given by account, once each.
func TestFund(t *testing.T) {
	const account = "0x00000000000000000000000000000000000000aa"
	alloc := types.GenesisAlloc{}
	must.Do(t, fund(alloc, []string{account + "=1.5"}))
	expect.Equal(t, alloc[common.HexToAddress(account)].Balance.String(), "1500000000000000000", "balance")
	for _, row := range []struct{ entry, want string }{
		{account, "want ADDRESS=COINS"}, {"0xaa=1", "is no address"}, {account + "=", "is not an amount"},
		{account + "=-1", "is not an amount"}, {account + "=1 won each", "is not an amount"},
		{account + "=1", "given twice"}, {account[:len(account)-1] + "A=1", "the checksum of 0x"},
	} {
		t.Run(row.entry, func(t *testing.T) { expect.Says(t, fund(alloc, []string{row.entry}), row.want, "fund") })
	}
}
