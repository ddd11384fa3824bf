// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package wkrc_test

import (
	"context"
	"crypto/ecdsa"
	"errors"
	"fmt"
	"log"
	"math/big"

	"github.com/ethereum/go-ethereum/accounts/abi/bind"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"

	wkrc "gwon/sdk/go"
)

// A sender signs, a fee payer adds its signature. Nothing of this needs a node.
func ExampleAddFeePayer() {
	sender, err := crypto.HexToECDSA("0101010101010101010101010101010101010101010101010101010101010101")
	if err != nil {
		log.Fatal(err)
	}
	payer, err := crypto.HexToECDSA("0202020202020202020202020202020202020202020202020202020202020202")
	if err != nil {
		log.Fatal(err)
	}
	to := common.HexToAddress("0xdeadbeef")
	signed, err := wkrc.SignAsSender(&types.DynamicFeeTx{
		ChainID: big.NewInt(wkrc.TestnetChainID), To: &to, Value: big.NewInt(1e18), Gas: 21000,
		GasTipCap: wkrc.InitialTip(), GasFeeCap: big.NewInt(100_000_000_000_000),
	}, sender)
	if err != nil {
		log.Fatal(err)
	}
	tx, err := wkrc.AddFeePayer(signed, big.NewInt(wkrc.TestnetChainID), payer)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("type %#x\n", tx.Type())
	fmt.Println("sender knows", tx.SenderHash())
	fmt.Println("chain has   ", tx.Hash())
	// Output:
	// type 0x16
	// sender knows 0x57671c54558f272e51401d0e72faa99ff6368d0c88b0b98eba9f63cd48bbb247
	// chain has    0x82541a0c23713af017ed9c32f7a0605f4dd98dead76a386d399bf0815ce3a0f8
}

// A payer looks at what it is asked to pay, and refuses another chain's transaction.
func ExampleTransaction_Check() {
	sender, err := crypto.HexToECDSA("0101010101010101010101010101010101010101010101010101010101010101")
	if err != nil {
		log.Fatal(err)
	}
	signed, err := wkrc.SignAsSender(&types.DynamicFeeTx{ChainID: big.NewInt(wkrc.MainnetChainID), Gas: 21000}, sender)
	if err != nil {
		log.Fatal(err)
	}
	_, _, err = wkrc.Plain(signed).Check(big.NewInt(wkrc.TestnetChainID))
	var wrong *wkrc.ChainError
	fmt.Println(errors.As(err, &wrong), err)
	// Output: true transaction is signed for chain ID 8282: sign it for chain ID 8283
}

// A transfer that a fee payer pays, and the wait for its final block.
func ExampleClient_WaitFinal() {
	transfer := func(ctx context.Context, client *wkrc.Client, sender, payer *ecdsa.PrivateKey, to common.Address) error {
		chainID, err := client.ChainID(ctx)
		if err != nil {
			return err
		}
		nonce, err := client.PendingNonceAt(ctx, crypto.PubkeyToAddress(sender.PublicKey))
		if err != nil {
			return err
		}
		signed, err := wkrc.SignAsSender(&types.DynamicFeeTx{
			ChainID: chainID, Nonce: nonce, To: &to, Value: big.NewInt(1e18), Gas: 21000,
			GasTipCap: wkrc.InitialTip(), GasFeeCap: big.NewInt(100_000_000_000_000),
		}, sender)
		if err != nil {
			return err
		}
		if err := wkrc.PayWith(payer).Submit(ctx, client, signed); err != nil {
			return err
		}
		receipt, err := client.WaitFinal(ctx, signed.Hash()) // the sender's hash
		if err != nil {
			return err
		}
		fmt.Println("final in block", receipt.BlockNumber)
		return nil
	}
	_ = transfer
}

// A payment is proven without trust in the node.
func ExampleVerifyPayment() {
	check := func(ctx context.Context, client *wkrc.Client, hash common.Hash, shop common.Address, price *big.Int) error {
		trusted := wkrc.TestnetGenesis() // better a recent block from a source of your own
		proof, err := client.ReceiptProof(ctx, hash, trusted)
		if err != nil {
			return err
		}
		payment, err := wkrc.VerifyPayment(proof, trusted) // asks nobody
		if err != nil {
			return err
		}
		if !payment.Paid(wkrc.CoinAddress, shop, price) {
			return fmt.Errorf("transaction %v does not pay the order", hash)
		}
		return nil
	}
	_ = check
}

// A binding of abigen sends transactions that a sponsor pays.
func ExampleClient_Sponsored() {
	ctx := context.Background()
	client, err := wkrc.Dial(ctx, "http://127.0.0.1:8545")
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	sponsor, err := wkrc.DialSponsor(ctx, "http://127.0.0.1:9545")
	if err != nil {
		log.Fatal(err)
	}
	var backend bind.ContractBackend = client.Sponsored(sponsor) // for NewToken(address, backend)
	_ = backend
}
