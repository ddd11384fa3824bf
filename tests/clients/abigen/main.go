// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Command abigen does with stock go-ethereum what bindings of abigen do: it creates a contract, calls it, waits, and
// reads transaction and block. Its account has no coins, and the sponsor's URL is its only setting.
//
// Usage: abigen URL, with {"abi": [...], "bytecode": "0x..."} of the contract Counter on standard input.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"os"
	"time"

	"github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/accounts/abi/bind"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/ethclient"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: abigen URL < counter.json")
		os.Exit(2)
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := run(ctx, os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println("ok")
}

func run(ctx context.Context, url string) error {
	var contract struct {
		ABI      json.RawMessage `json:"abi"`
		Bytecode hexutil.Bytes   `json:"bytecode"`
	}
	if err := json.NewDecoder(os.Stdin).Decode(&contract); err != nil {
		return fmt.Errorf("read the contract: %w", err)
	}
	counter, err := abi.JSON(bytes.NewReader(contract.ABI))
	if err != nil {
		return err
	}
	client, err := ethclient.DialContext(ctx, url)
	if err != nil {
		return err
	}
	defer client.Close()
	chainID, err := client.ChainID(ctx)
	if err != nil {
		return err
	}
	key, err := crypto.GenerateKey()
	if err != nil {
		return err
	}
	opts, err := bind.NewKeyedTransactorWithChainID(key, chainID)
	if err != nil {
		return err
	}
	opts.Context = ctx
	_, created, bound, err := bind.DeployContract(opts, counter, contract.Bytecode, client)
	if err != nil {
		return fmt.Errorf("deploy: %w", err)
	}
	if err := check(ctx, client, created); err != nil {
		return fmt.Errorf("creation: %w", err)
	}
	called, err := bound.Transact(opts, "add")
	if err != nil {
		return fmt.Errorf("transact: %w", err)
	}
	if err := check(ctx, client, called); err != nil {
		return fmt.Errorf("call: %w", err)
	}
	var count []any
	if err := bound.Call(&bind.CallOpts{From: opts.From, Context: ctx}, &count, "count"); err != nil {
		return fmt.Errorf("count: %w", err)
	}
	if n, ok := count[0].(*big.Int); !ok || n.Cmp(common.Big1) != 0 {
		return fmt.Errorf("count is %v", count)
	}
	balance, err := client.BalanceAt(ctx, opts.From, nil)
	if err == nil && balance.Sign() != 0 {
		err = fmt.Errorf("the sender has %v wei", balance)
	}
	return err
}

// check waits for a transaction, and reads it by its hash and in its block.
func check(ctx context.Context, client *ethclient.Client, tx *types.Transaction) error {
	receipt, err := bind.WaitMined(ctx, client, tx)
	if err != nil {
		return err
	}
	if receipt.Status != types.ReceiptStatusSuccessful || receipt.TxHash != tx.Hash() || receipt.Type != tx.Type() {
		return fmt.Errorf("receipt %+v of %v", receipt, tx.Hash())
	}
	found, pending, err := client.TransactionByHash(ctx, tx.Hash())
	if err != nil {
		return fmt.Errorf("look up the transaction: %w", err)
	}
	if pending || found.Hash() != tx.Hash() {
		return fmt.Errorf("found %v, pending %v", found.Hash(), pending)
	}
	block, err := client.BlockByNumber(ctx, receipt.BlockNumber)
	if err != nil {
		return fmt.Errorf("read the block: %w", err)
	}
	if block.Transaction(tx.Hash()) == nil {
		return errors.New("the block has no such transaction")
	}
	one, err := client.TransactionInBlock(ctx, receipt.BlockHash, receipt.TransactionIndex)
	if err != nil {
		return fmt.Errorf("read the transaction in its block: %w", err)
	}
	if one.Hash() != tx.Hash() {
		return fmt.Errorf("the block has %v there", one.Hash())
	}
	return nil
}
