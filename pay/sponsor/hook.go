// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package sponsor

import (
	"context"
	"encoding/json"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/log"

	"gwon/internal/txobject"
)

// hookRequest is what a policy's own judge is asked.
type hookRequest struct {
	Label  string          `json:"label"`
	Hash   common.Hash     `json:"senderTransactionHash"`
	Sender common.Address  `json:"sender"`
	To     *common.Address `json:"to"`
	Value  *hexutil.Big    `json:"value"`
	Data   hexutil.Bytes   `json:"data"`
	Gas    hexutil.Uint64  `json:"gas"`
	FeeCap *hexutil.Big    `json:"maxFeePerGas"`
	Cost   *hexutil.Big    `json:"maxCost"`
	Nonce  hexutil.Uint64  `json:"nonce"`
	Tip    *hexutil.Big    `json:"maxPriorityFeePerGas"`

	AccessList types.AccessList `json:"accessList"`
}

// refuseHook asks the service of the policy. Anything but {"allow": true} refuses, an error too.
func (s *Sponsor) refuseHook(ctx context.Context, k *Key, r *txobject.Transaction, hash common.Hash) *Refusal {
	if k.Hook == "" {
		return nil
	}
	answer, err := post(ctx, s.hooks, k.Hook, &hookRequest{
		k.Label, hash, r.Sender, r.To, (*hexutil.Big)(r.Value), r.Data, hexutil.Uint64(r.Gas), (*hexutil.Big)(r.GasFeeCap),
		(*hexutil.Big)(r.Cost()), hexutil.Uint64(r.Nonce), (*hexutil.Big)(r.GasTipCap), r.Accesses(),
	}, maxReply)
	var verdict struct {
		Allow  bool   `json:"allow"`
		Reason string `json:"reason"`
	}
	if err == nil {
		err = json.Unmarshal(answer, &verdict)
	}
	switch {
	case err != nil:
		log.Warn("Hook not answered", "label", k.Label, "err", err)
		return refuse("hook", nil, nil, "the service that judges transactions of this key gave no answer")
	case !verdict.Allow:
		return refuse("hook", nil, verdict.Reason, "the service that judges transactions of this key forbids it")
	}
	return nil
}
