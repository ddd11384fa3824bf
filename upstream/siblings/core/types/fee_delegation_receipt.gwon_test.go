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
	"github.com/ethereum/go-ethereum/rlp"
	"github.com/ethereum/go-ethereum/trie"
)

// Spec transactions 1.4: the consensus form of a receipt, alone and in the receipts root.
func TestFeeDelegateReceiptEncoding(t *testing.T) {
	data, err := os.ReadFile("testdata/receipts.json")
	if err != nil {
		t.Fatal(err)
	}
	var v struct {
		Vectors []struct {
			Name                        string
			ReceiptConsensusEncoding    hexutil.Bytes
			ReceiptsRootOfSingleTxBlock common.Hash
		}
	}
	if err := json.Unmarshal(data, &v); err != nil {
		t.Fatal(err)
	}
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
		enc, err := rlp.EncodeToBytes(r)
		if err != nil {
			t.Fatal(err)
		}
		inList := new(types.Receipt)
		if err := rlp.DecodeBytes(enc, inList); err != nil || inList.Type != r.Type {
			t.Errorf("%s: in a list: %v", v.Name, err)
		}
	}
	if delegated == 0 {
		t.Error("no receipt of a fee-delegated transaction")
	}
}
