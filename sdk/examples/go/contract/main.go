// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Command contract calls a contract through package bind, as bindings of abigen do, while another account pays the
// gas. The contract is the coin itself. It reads RPC, KEY, TO, and PAYER_KEY or SPONSOR
// (sdk/examples/README.md).
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

	"github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/accounts/abi/bind"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"

	wkrc "gwon/sdk/go"
)

const coinABI = `[{"type":"function","name":"transfer","stateMutability":"nonpayable","outputs":[{"type":"bool"}],
	"inputs":[{"name":"to","type":"address"},{"name":"value","type":"uint256"}]}]`

func main() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	client := must(wkrc.Dial(ctx, cmp.Or(os.Getenv("RPC"), "http://127.0.0.1:8545")))
	defer client.Close()
	backend := client.Sponsored(sponsor(ctx))

	coin := bind.NewBoundContract(wkrc.CoinAddress, must(abi.JSON(strings.NewReader(coinABI))), backend, backend, backend)
	key := must(crypto.HexToECDSA(strings.TrimPrefix(os.Getenv("KEY"), "0x")))
	opts := must(bind.NewKeyedTransactorWithChainID(key, must(client.ChainID(ctx))))
	to := must(common.NewMixedcaseAddressFromString(os.Getenv("TO"))).Address()
	tx := must(coin.Transact(opts, "transfer", to, big.NewInt(1e18)))

	receipt := must(bind.WaitMined(ctx, backend, tx))
	mined, _, err := client.Transaction(ctx, receipt.TxHash)
	if err != nil {
		log.Fatal(err)
	}
	block := must(client.BlockByNumber(ctx, receipt.BlockNumber))
	fmt.Println("status", receipt.Status, "logs", len(receipt.Logs), "paid by", mined.FeePayer())
	fmt.Println("in block", block.Hash, "with", len(block.Transactions), "transactions")
	fmt.Println("validators", must(client.Validators(ctx, receipt.BlockNumber)))
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
