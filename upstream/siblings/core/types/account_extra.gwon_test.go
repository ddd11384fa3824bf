// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package types

import (
	"bytes"
	"encoding/json"
	"math/big"
	"reflect"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/internal/must"
	"github.com/ethereum/go-ethereum/rlp"
	"github.com/holiman/uint256"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Spec chain 4: full and slim form of an account with an extra word.
func TestAccountExtraEncoding(t *testing.T) {
	var v struct {
		Cases []struct {
			Note                  string
			Nonce                 *uint64
			Balance               *hexutil.U256
			StorageRoot, CodeHash common.Hash
			Extra                 hexutil.Bytes
			FullRLP, SlimRLP      hexutil.Bytes
		}
	}
	readVectors(t, "account_rlp.json", &v)
	flagged := 0
	for _, c := range v.Cases {
		if c.Nonce == nil {
			continue
		}
		acct := StateAccount{
			Nonce:    *c.Nonce,
			Balance:  (*uint256.Int)(c.Balance),
			Root:     c.StorageRoot,
			CodeHash: c.CodeHash[:],
			Extra:    new(big.Int).SetBytes(c.Extra).Uint64(),
		}
		if acct.Extra != 0 {
			flagged++
		}
		enc, err := rlp.EncodeToBytes(&acct)
		assert.Truef(t, err == nil && bytes.Equal(enc, c.FullRLP), "%s: full %x, %v, want %x", c.Note, enc, err, c.FullRLP)
		enc = SlimAccountRLP(acct)
		assert.Truef(t, bytes.Equal(enc, c.SlimRLP), "%s: slim %x, want %x", c.Note, enc, c.SlimRLP)
		var full StateAccount
		err = rlp.DecodeBytes(c.FullRLP, &full)
		assert.Truef(t, err == nil && reflect.DeepEqual(full, acct), "%s: full decodes to %+v, %v", c.Note, full, err)
		slim, err := FullAccount(c.SlimRLP)
		assert.Truef(t, err == nil && reflect.DeepEqual(*slim, acct), "%s: slim decodes to %+v, %v", c.Note, slim, err)
		enc, err = FullAccountRLP(c.SlimRLP)
		assert.Truef(t, err == nil && bytes.Equal(enc, c.FullRLP), "%s: full from slim %x, %v", c.Note, enc, err)
		cpy := acct.Copy()
		assert.Truef(t, reflect.DeepEqual(*cpy, acct), "%s: copy %+v", c.Note, cpy)
	}
	assert.True(t, flagged != 0, "no vector with an extra word")
}

// Spec chain 4: four or five items, a fifth item of zero is read but never written.
func TestAccountExtraDecoding(t *testing.T) {
	for _, c := range []struct {
		name, slim string
		extra      uint64
		ok         bool
	}{
		{"four items", "c480808080", 0, true},
		{"explicit zero", "c58080808080", 0, true},
		{"bit 0", "c58080808001", 1, true},
		{"bit 63", "cd80808080888000000000000000", 1 << 63, true},
		{"three items", "c3808080", 0, false},
		{"six items", "c6808080800180", 0, false},
		{"leading zero", "c680808080820001", 0, false},
		{"zero byte", "c58080808000", 0, false},
		{"65 bits", "ce8080808089010000000000000000", 0, false},
		{"a list", "c580808080c0", 0, false},
	} {
		in := common.FromHex(c.slim)
		acct, err := FullAccount(in)
		if (err == nil) != c.ok {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if err != nil {
			continue
		}
		assert.Equalf(t, c.extra, acct.Extra, "%s: extra", c.name)
		out := SlimAccountRLP(*acct)
		assert.Truef(t, c.extra != 0 || len(out) == 5, "%s: written as %x", c.name, out)
	}
}

// Spec chain 4: the optional key of the genesis allocation, read as decimal or hex, written as hex, omitted when 0.
func TestGenesisAccountExtraJSON(t *testing.T) {
	for _, c := range []struct {
		in   string
		want uint64
		ok   bool
	}{
		{`{"balance":"0x0"}`, 0, true},
		{`{"balance":"0x0","extra":"0x8000000000000000"}`, AccountBlacklisted, true},
		{`{"balance":"0x0","extra":"4611686018427387904"}`, AccountAuthorized, true},
		{`{"balance":"0x0","extra":"0x10000000000000000"}`, 0, false},
		{`{"balance":"0x0","extra":"-1"}`, 0, false},
	} {
		var a Account
		err := json.Unmarshal([]byte(c.in), &a)
		assert.Truef(t, (err == nil) == c.ok && a.Extra == c.want, "%s: extra %x, %v", c.in, a.Extra, err)
	}
	for extra, want := range map[uint64]string{
		0:                  `{"balance":"0x1"}`,
		AccountBlacklisted: `{"balance":"0x1","extra":"0x8000000000000000"}`,
	} {
		out, err := json.Marshal(Account{Balance: big.NewInt(1), Extra: extra})
		assert.Truef(t, err == nil && string(out) == want, "JSON %s, %v, want %s", out, err, want)
	}
}

func FuzzAccountExtra(f *testing.F) {
	f.Add(common.FromHex("c58080808001"))
	f.Add(common.FromHex("cd80808080888000000000000000"))
	f.Fuzz(func(t *testing.T, in []byte) {
		acct, err := FullAccount(in)
		if err != nil {
			return
		}
		again, err := FullAccount(SlimAccountRLP(*acct))
		require.Truef(t, err == nil && reflect.DeepEqual(again.Copy(), acct.Copy()), "slim round trip: %+v, %v", again, err)
		enc := must.Get(rlp.EncodeToBytes(acct))(t)
		var full StateAccount
		err = rlp.DecodeBytes(enc, &full)
		require.Truef(t, err == nil && full.Extra == acct.Extra, "full round trip: %+v, %v", full, err)
	})
}
