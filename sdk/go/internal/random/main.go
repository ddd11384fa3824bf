// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Command random signs the transactions that standard input describes, one JSON object a line, and writes hashes and
// bytes of each to standard output (sdk/testdata/README.md). A test compares them with those of the node and of the
// JavaScript library.
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"

	wkrc "gwon/sdk/go"
)

// line describes a transaction and the keys that sign it.
type line struct {
	ChainID              *hexutil.Big     `json:"chainId"`
	Nonce                hexutil.Uint64   `json:"nonce"`
	To                   *common.Address  `json:"to"`
	Value                *hexutil.Big     `json:"value"`
	Data                 hexutil.Bytes    `json:"data"`
	Gas                  hexutil.Uint64   `json:"gas"`
	MaxFeePerGas         *hexutil.Big     `json:"maxFeePerGas"`
	MaxPriorityFeePerGas *hexutil.Big     `json:"maxPriorityFeePerGas"`
	AccessList           types.AccessList `json:"accessList"`
	SenderKey            hexutil.Bytes    `json:"senderKey"`
	FeePayerKey          hexutil.Bytes    `json:"feePayerKey"`
}

// answer is what the transaction becomes.
type answer struct {
	SenderHash common.Hash   `json:"senderHash"`
	Raw        hexutil.Bytes `json:"raw"`
	Hash       common.Hash   `json:"hash"`
}

func main() {
	if err := run(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "random:", err)
		os.Exit(1)
	}
}

func run(in io.Reader, out io.Writer) error {
	lines, answers := json.NewDecoder(in), bufio.NewWriter(out)
	encoder := json.NewEncoder(answers)
	for n := 1; ; n++ {
		var l line
		if err := lines.Decode(&l); errors.Is(err, io.EOF) {
			return answers.Flush()
		} else if err != nil {
			return fmt.Errorf("line %d: %w", n, err)
		}
		a, err := l.sign()
		if err != nil {
			return fmt.Errorf("line %d: %w", n, err)
		}
		if err := encoder.Encode(a); err != nil {
			return err
		}
	}
}

func (l *line) sign() (*answer, error) {
	if l.ChainID == nil || l.Value == nil || l.MaxFeePerGas == nil || l.MaxPriorityFeePerGas == nil {
		return nil, errors.New("chainId, value, maxFeePerGas or maxPriorityFeePerGas is missing")
	}
	sender, err := crypto.ToECDSA(l.SenderKey)
	if err != nil {
		return nil, fmt.Errorf("senderKey: %w", err)
	}
	payer, err := crypto.ToECDSA(l.FeePayerKey)
	if err != nil {
		return nil, fmt.Errorf("feePayerKey: %w", err)
	}
	signed, err := wkrc.SignAsSender(&types.DynamicFeeTx{
		ChainID: l.ChainID.ToInt(), Nonce: uint64(l.Nonce), GasTipCap: l.MaxPriorityFeePerGas.ToInt(),
		GasFeeCap: l.MaxFeePerGas.ToInt(), Gas: uint64(l.Gas), To: l.To, Value: l.Value.ToInt(), Data: l.Data,
		AccessList: l.AccessList,
	}, sender)
	if err != nil {
		return nil, err
	}
	tx, err := wkrc.AddFeePayer(signed, l.ChainID.ToInt(), payer)
	if err != nil {
		return nil, err
	}
	raw, err := tx.MarshalBinary()
	if err != nil {
		return nil, err
	}
	decoded, err := wkrc.Decode(raw)
	if err != nil {
		return nil, fmt.Errorf("decode what was made: %w", err)
	}
	return &answer{decoded.SenderHash(), raw, decoded.Hash()}, nil
}
