// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package remotestate

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"

	"gwon/internal/expect"
	"gwon/internal/must"
	"gwon/internal/vectors"
	"gwon/params"
)

// The recorded answers of go-stablenet v1.1.0 are proven from its genesis block: headers without a finished proof,
// transactions of types 2 and 0x16, and receipts.
//
// spec: wbft 7.1, transactions 1.2
func TestOtherClientIsProven(t *testing.T) {
	content := must.Get(os.ReadFile("../../../internal/vectors/testdata/network-v1.1.0.json"))(t)
	var answers struct {
		Blocks   map[string]json.RawMessage
		Receipts map[string]json.RawMessage
	}
	must.Do(t, json.Unmarshal(content, &answers))
	one := func(q question) string {
		var number hexutil.Uint64
		expect.That(t, len(q.Params) != 0 && json.Unmarshal(q.Params[0], &number) == nil, "%s%s", q.Method, q.Params)
		var result json.RawMessage
		key := strconv.FormatUint(uint64(number), 10)
		switch q.Method {
		case "eth_getBlockByNumber":
			result = answers.Blocks[key]
		case "eth_getBlockReceipts":
			result = answers.Receipts[key]
		default:
			return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"%s does not exist"}}`, q.ID,
				q.Method)
		}
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, q.ID, result)
	}
	node := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var raw json.RawMessage
		expect.Error(t, json.NewDecoder(r.Body).Decode(&raw), nil, "Decode")
		w.Header().Set("Content-Type", "application/json")
		var batch []question
		var q question
		if json.Unmarshal(raw, &batch) == nil {
			fmt.Fprintf(w, "[%s]", one(batch[0]))
		} else if json.Unmarshal(raw, &q) == nil {
			fmt.Fprint(w, one(q))
		}
	}))
	t.Cleanup(node.Close)

	recorded := vectors.LoadRecorded(t)
	r := must.Get(Open(t.Context(), Options{
		URLs: []string{node.URL}, Config: params.Testnet(), Genesis: recorded.Blocks[0].Header.Hash(), TrustOld: true,
		Now: func() time.Time { return time.Unix(0, 0) },
	}))(t)
	t.Cleanup(func() { expect.Error(t, r.Close(), nil, "Close") })
	for _, number := range []uint64{100, 33, 5, 1} {
		header, err := r.Header(t.Context(), number)
		must.That(t, err == nil && header.Hash() == recorded.Blocks[number].Hash, "block %d: %v", number, err)
	}
	block, err := r.Block(t.Context(), recorded.Blocks[33].Header)
	must.That(t, err == nil && len(block.Transactions()) == 2 && block.Transactions()[1].Type() == types.FeeDelegateTxType,
		"transactions: %v", err)
	receipts, err := r.Receipts(t.Context(), block)
	must.That(t, err == nil && len(receipts) == 2, "receipts: %v", err)
	for i, receipt := range receipts {
		want := recorded.Receipts[33][i]
		if receipt.EffectiveGasPrice.Cmp(want.EffectiveGasPrice.ToInt()) != 0 || len(receipt.Logs) != len(want.Logs) {
			t.Errorf("receipt %d: price %v, %d logs", i, receipt.EffectiveGasPrice, len(receipt.Logs))
		}
	}
}
