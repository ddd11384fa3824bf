// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package transactions

import (
	"math/big"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/holiman/uint256"

	"gwon/internal/expect"
	"gwon/internal/must"
)

// A field that does not exist is named, as it would change nothing. Transactions that nodes answer are taken.
func TestObjectFields(t *testing.T) {
	const one, two = `"0x0000000000000000000000000000000000000001"`, `"0x0000000000000000000000000000000000000002"`
	for name, row := range map[string]struct{ content, want string }{
		"call":        {`{"from": ` + one + `, "to": ` + two + `, "feePayer": ` + one + `, "data": "0x"}`, ""},
		"transaction": {`{"hash": "0x01", "input": "0x", "type": "0x16", "fv": "0x0", "gasPrice": "0x1"}`, ""},
		"typing":      {`{"fro": ` + one + `}`, "fro is no field of a transaction"},
		"value":       {`{"gas": "21000"}`, "gas is no quantity"},
		"list":        {`{"to": `, "no JSON"},
		"text":        {"text", "neither a JSON object"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := parseObject([]byte(row.content))
			expect.Ends(t, err, row.want, "the error")
		})
	}
}

// A signed transaction is tried with all that it carries.
func TestSignedTransactionIsTriedWhole(t *testing.T) {
	key := must.Get(crypto.GenerateKey())(t)
	list := types.AccessList{{Address: common.Address{3}, StorageKeys: []common.Hash{{4}}}}
	authorization := must.Get(types.SignSetCode(key, types.SetCodeAuthorization{Address: common.Address{5}}))(t)
	chainID := uint256.NewInt(8283)
	tx := must.Get(types.SignNewTx(key, types.NewAnzeonSigner(big.NewInt(8283)), &types.SetCodeTx{
		ChainID: chainID, Nonce: 7, Gas: 100_000, To: common.Address{2}, Value: uint256.NewInt(6), Data: []byte{1},
		GasFeeCap: uint256.NewInt(9), AccessList: list, AuthList: []types.SetCodeAuthorization{authorization},
	}))(t)
	raw := must.Get(tx.MarshalBinary())(t)
	o := must.Get(parseObject([]byte(hexutil.Encode(raw))))(t)
	call := o.Call()
	expect.That(t, *call.From == crypto.PubkeyToAddress(key.PublicKey) && *call.To == *tx.To() &&
		call.Value.ToInt().Int64() == 6 && call.Input.String() == "0x01" && *call.Gas == 100_000 && *call.Nonce == 7 &&
		len(*call.AccessList) == 1 && len(call.AuthorizationList) == 1 && call.ChainID.ToInt().Int64() == 8283 &&
		call.FeeCap == nil, "call %+v", call)
}
