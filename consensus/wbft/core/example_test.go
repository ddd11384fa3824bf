// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package core_test

import (
	"crypto/sha256"
	"fmt"
	"math/big"
	"time"

	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"

	"gwon/consensus/wbft/bls"
	"gwon/consensus/wbft/core"
	"gwon/consensus/wbft/signing"
	"gwon/consensus/wbft/validators"
)

// The only validator of a network proposes a block, executes it and decides it. The loop stands for the driver.
func ExampleCore_Step() {
	seed := sha256.Sum256([]byte("example"))
	key, err := crypto.ToECDSA(seed[:])
	if err != nil {
		panic(err)
	}
	blsKey, err := bls.DeriveKey(key)
	if err != nil {
		panic(err)
	}
	address := crypto.PubkeyToAddress(key.PublicKey)
	set := validators.NewSet([]validators.Validator{{Address: address, Key: blsKey.PublicKey()}})
	genesis := &types.Header{
		Number: new(big.Int), Difficulty: big.NewInt(1), Extra: new(types.WBFTExtra).Encode(),
		BaseFee: big.NewInt(1), UncleHash: types.EmptyUncleHash, GasLimit: 105_000_000,
	}
	block := types.NewBlockWithHeader(&types.Header{
		ParentHash: genesis.Hash(), Number: big.NewInt(1), Difficulty: big.NewInt(1), Coinbase: address,
		Extra: new(types.WBFTExtra).Encode(), BaseFee: big.NewInt(1), UncleHash: types.EmptyUncleHash,
		TxHash: types.EmptyTxsHash, ReceiptHash: types.EmptyReceiptsHash, Root: types.EmptyRootHash,
		GasLimit: 105_000_000,
	})

	c := core.New(core.Config{
		Address: address,
		Sign:    signing.WithKeys(key, blsKey),
	})
	c.Restore(core.Restored{Complete: true})
	now := time.Unix(1_700_000_000, 0)
	params := core.Params{BlockPeriod: time.Second, RequestTimeout: 2 * time.Second}
	events := []core.Event{core.NewHead{Head: core.Head{Header: genesis, Set: set, Params: params}}}
	for len(events) > 0 {
		event := events[0]
		events = events[1:]
		for _, effect := range c.Step(now, event) {
			switch e := effect.(type) {
			case core.Build:
				fmt.Println("build for sequence", e.Sequence)
				events = append(events, core.Candidate{Block: block, Round: e.Round})
			case core.Execute:
				fmt.Println("execute block", e.Block.Number())
				events = append(events, core.Validated{Hash: e.Block.Hash()})
			case core.Persist:
				fmt.Printf("record message %#x\n", e.Code)
			case core.PersistLock:
				fmt.Println("record the lock of round", e.Round)
			case core.Send:
				fmt.Printf("send message %#x\n", e.Code)
			case core.Commit:
				fmt.Println("block", e.Block.Number(), "is decided in round", e.Round)
			}
		}
	}
	// Output:
	// build for sequence 1
	// record message 0x12
	// send message 0x12
	// execute block 1
	// record message 0x13
	// send message 0x13
	// record the lock of round 0
	// record message 0x14
	// send message 0x14
	// block 1 is decided in round 0
}
