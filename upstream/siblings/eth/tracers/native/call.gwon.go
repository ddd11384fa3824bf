// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package native

import (
	"encoding/json"

	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
)

// restoreLogs gives the outermost call of a failed transaction its logs again: AuthorizedTxExecuted, which is written
// after the execution (spec chain 5.1). On other chains a failed transaction has none.
func (t *callTracer) restoreLogs(receipt *types.Receipt) {
	if receipt == nil || receipt.Status == types.ReceiptStatusSuccessful {
		return
	}
	root := &t.callstack[0]
	for _, log := range receipt.Logs {
		root.Logs = append(root.Logs, callLog{
			Address: log.Address, Topics: log.Topics, Data: log.Data,
			Index: hexutil.Uint(log.Index), Position: hexutil.Uint(len(root.Calls)),
		})
	}
}

// marshalRoot returns the outermost call with, for a fee-delegated transaction, who paid its gas.
func (t *callTracer) marshalRoot() ([]byte, error) {
	frame, err := json.Marshal(t.callstack[0])
	if err != nil || t.feePayer == nil {
		return frame, err
	}
	payer, err := json.Marshal(t.feePayer)
	if err != nil {
		return nil, err
	}
	return append(append([]byte(`{"feePayer":`), payer...), append([]byte{','}, frame[1:]...)...), nil
}
