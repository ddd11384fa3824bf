// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package wkrc

import (
	"encoding/json"
	"testing"
)

// FuzzAnswers: any answer of a node is refused, or is a transaction that is written and read again with its hash.
// Receipts and blocks are read without a panic.
func FuzzAnswers(f *testing.F) {
	for _, v := range readValid(f).Vectors {
		if tx, err := Decode(v.Raw); err == nil {
			if object, err := json.Marshal(tx); err == nil {
				f.Add(object)
			}
		}
	}
	f.Add([]byte(`{"type": "0x16", "hash": null, "transactions": [null], "logs": [null]}`))
	f.Fuzz(func(t *testing.T, object []byte) {
		if !json.Valid(object) {
			return
		}
		_, _ = new(Receipt).UnmarshalJSON(object), new(Block).UnmarshalJSON(object)
		tx := new(Transaction)
		if tx.UnmarshalJSON(object) != nil {
			return
		}
		written := must(json.Marshal(tx))(t)
		again := new(Transaction)
		if err := again.UnmarshalJSON(written); err != nil || again.Hash() != tx.Hash() {
			t.Errorf("%s is read as %s, %v", object, written, err)
		}
	})
}
