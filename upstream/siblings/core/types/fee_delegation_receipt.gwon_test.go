// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package types_test

import (
	"bytes"
	"encoding/json"
	"os"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/internal/must"
	"github.com/ethereum/go-ethereum/rlp"
	"github.com/ethereum/go-ethereum/trie"
	"github.com/stretchr/testify/assert"
)

// Spec transactions 1.4: the consensus form of a receipt, alone and in the receipts root.
func TestFeeDelegateReceiptEncoding(t *testing.T) {
	data := must.Get(os.ReadFile("testdata/receipts.json"))(t)
	var v struct {
		Vectors []struct {
			Name                        string
			ReceiptConsensusEncoding    hexutil.Bytes
			ReceiptsRootOfSingleTxBlock common.Hash
		}
	}
	must.Do(t, json.Unmarshal(data, &v))
	delegated := 0
	for _, v := range v.Vectors {
		if v.ReceiptConsensusEncoding[0] == types.FeeDelegateTxType {
			delegated++
		}
		r := new(types.Receipt)
		if err := r.UnmarshalBinary(v.ReceiptConsensusEncoding); err != nil {
			t.Errorf("%s: %v", v.Name, err)
			continue
		}
		if enc, err := r.MarshalBinary(); err != nil || !bytes.Equal(enc, v.ReceiptConsensusEncoding) {
			t.Errorf("%s: encodes to %x, %v", v.Name, enc, err)
		}
		if root := types.DeriveSha(types.Receipts{r}, trie.NewListHasher()); root != v.ReceiptsRootOfSingleTxBlock {
			t.Errorf("%s: root %v, want %v", v.Name, root, v.ReceiptsRootOfSingleTxBlock)
		}
		enc := must.Get(rlp.EncodeToBytes(r))(t)
		inList := new(types.Receipt)
		err := rlp.DecodeBytes(enc, inList)
		assert.Truef(t, err == nil && inList.Type == r.Type, "%s: in a list: %v", v.Name, err)
	}
	assert.True(t, delegated != 0, "no receipt of a fee-delegated transaction")
}
