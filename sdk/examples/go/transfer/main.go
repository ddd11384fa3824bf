// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Command transfer sends coins from an account whose gas another account pays, and waits until the block is final. It
// reads RPC, KEY, TO, and PAYER_KEY or SPONSOR (sdk/examples/README.md).
package main

import (
	"cmp"
	"context"
	"fmt"
	"log"
	"math/big"
	"os"
	"strings"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"

	wkrc "gwon/sdk/go"
)

func main() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	client := must(wkrc.Dial(ctx, cmp.Or(os.Getenv("RPC"), "http://127.0.0.1:8545")))
	defer client.Close()

	key := must(crypto.HexToECDSA(strings.TrimPrefix(os.Getenv("KEY"), "0x")))
	to, chainID := must(common.NewMixedcaseAddressFromString(os.Getenv("TO"))).Address(), must(client.ChainID(ctx))
	tip, head := must(client.SuggestGasTipCap(ctx)), must(client.HeaderByNumber(ctx, nil))
	signed := must(wkrc.SignAsSender(&types.DynamicFeeTx{
		ChainID: chainID, Nonce: must(client.PendingNonceAt(ctx, crypto.PubkeyToAddress(key.PublicKey))),
		To: &to, Value: big.NewInt(1e18), Gas: 21000,
		GasTipCap: tip, GasFeeCap: new(big.Int).Add(tip, new(big.Int).Mul(head.BaseFee, big.NewInt(2))),
	}, key))

	backend := client.Sponsored(sponsor(ctx))
	if err := backend.SendTransaction(ctx, signed); err != nil {
		log.Fatal(err)
	}
	receipt := must(backend.WaitFinal(ctx, signed.Hash())) // by the hash that the sender knows
	fmt.Println("final in block", receipt.BlockNumber, "status", receipt.Status, "fee", receipt.Fee(), "wei")
}

// sponsor pays at a URL, or with a key of its own.
func sponsor(ctx context.Context) wkrc.Sponsor {
	if url := os.Getenv("SPONSOR"); url != "" {
		return must(wkrc.DialSponsor(ctx, url))
	}
	return wkrc.PayWith(must(crypto.HexToECDSA(strings.TrimPrefix(os.Getenv("PAYER_KEY"), "0x"))))
}

func must[T any](value T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return value
}
