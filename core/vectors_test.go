// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package core

import (
	"fmt"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"

	"gwon/internal/vectors"
	"gwon/params"
)

// wantAccount is an account of a genesis state in the vectors.
type wantAccount struct {
	Address     common.Address              `json:"address"`
	Balance     *hexutil.Big                `json:"balance"`
	Nonce       uint64                      `json:"nonce"`
	Extra       hexutil.Uint64              `json:"extra"`
	CodeHash    *common.Hash                `json:"codeHash"`
	StorageRoot common.Hash                 `json:"storageRoot"`
	Storage     map[common.Hash]common.Hash `json:"storage"`
	AccountRLP  hexutil.Bytes               `json:"accountRlp"`
}

type networkVector struct {
	GenesisHash common.Hash   `json:"genesisHash"`
	StateRoot   common.Hash   `json:"stateRoot"`
	HeaderRLP   hexutil.Bytes `json:"headerRlp"`
	Alloc       []wantAccount `json:"alloc"`
	ForkID      struct {
		AtGenesis      forkIDVector  `json:"atGenesis"`
		AtHead1000000  forkIDVector  `json:"atHead1000000"`
		AtHead14408500 *forkIDVector `json:"atHead14408500"` // absent for 8282, which has no fork
	} `json:"forkId"`
}

type forkIDVector struct {
	Hash hexutil.Bytes `json:"hash"`
	Next uint64        `json:"next"`
}

func readNetwork(t testing.TB, n params.Network) *networkVector {
	var v networkVector
	vectors.Load(t, fmt.Sprintf("network-%d.json", n.ID), &v)
	return &v
}
