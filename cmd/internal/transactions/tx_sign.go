// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package transactions

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/ethereum/go-ethereum/cmd/utils"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/urfave/cli/v2"

	"gwon/cmd/internal/attach"
	"gwon/cmd/internal/keys"
	"gwon/cmd/internal/program"
	"gwon/cmd/internal/settings"
	"gwon/internal/amounts"
	"gwon/internal/dial"
	"gwon/internal/secretfile"
	"gwon/pay/txrequest"
	"gwon/pay/txsign"
)

var (
	txChainIDFlag = &cli.Uint64Flag{Name: "chainid", Usage: "Chain ID: 8282 is mainnet, 8283 testnet"}
	txToFlag      = &cli.StringFlag{Name: "to", Usage: "Address of the recipient"}
	txCreateFlag  = &cli.BoolFlag{Name: "create", Usage: "Create a contract of the code in --data, in place of --to"}
	txValueFlag   = &cli.StringFlag{Name: "value", Usage: "Amount to send, in wei or with a unit: \"5 WKRC\" (default: " +
		"nothing)"}
	txDataFlag   = &cli.StringFlag{Name: "data", Usage: "Data of the call, 0x and hexadecimal digits (default: none)"}
	txNonceFlag  = &cli.Uint64Flag{Name: "nonce", Usage: "Nonce of the sender"}
	txGasFlag    = &cli.Uint64Flag{Name: "gas", Usage: "Gas limit; a transfer to an account without code takes 21000"}
	txFeeCapFlag = &cli.StringFlag{Name: "fee-cap", Usage: "Most to pay for a unit of gas, as \"70000 gwei\""}
	txTipFlag    = &cli.StringFlag{Name: "tip", Usage: "Tip for a unit of gas, as \"27600 gwei\""}
	txKeyFlag    = &cli.StringFlag{Name: "key", Usage: "File with the private key in hexadecimal, in place of the key " +
		"store"}
	txFromFlag = &cli.StringFlag{Name: "from",
		Usage: "Account that signs: address or index in the key store, or devnet:1 for the first account of a devnet"}
	txWaitFlag = &cli.DurationFlag{Name: "wait", Usage: "How long to wait for a block with the " +
		"transaction (0 = not at all)",
		Value: time.Minute}
)

// txSignCommands are the commands of gwon-dev tx that make and submit transactions.
func txSignCommands() []*cli.Command {
	signers := []cli.Flag{txFromFlag, txKeyFlag, utils.PasswordFileFlag, settings.DataDirFlag, utils.KeyStoreDirFlag}
	return []*cli.Command{
		{
			Name: "sign", Usage: "Sign a transaction, without a node", ArgsUsage: "[FILE]",
			Flags: append([]cli.Flag{txChainIDFlag, txToFlag, txCreateFlag, txValueFlag, txDataFlag, txNonceFlag, txGasFlag,
				txFeeCapFlag, txTipFlag, utils.ExternalSignerFlag, program.JSONFlag}, signers...),
			Description: "Nothing is looked up: chain ID, nonce, gas and fees are given by flags, or by FILE, a JSON " +
				"object with the keys chainId, nonce, to, value, data, gas, maxFeePerGas, maxPriorityFeePerGas and " +
				`accessList. "-" is standard input. Flags win over FILE. The transaction has type 2; gwon-dev tx cosign adds a ` +
				"fee payer, gwon-dev tx send submits it. --signer has clef or the like sign.",
			Action: txSign,
		},
		{
			Name: "cosign", Usage: "Add a fee payer to a signed transaction, without a node", ArgsUsage: "TRANSACTION",
			Flags: append([]cli.Flag{txChainIDFlag, program.JSONFlag}, signers...),
			Description: `TRANSACTION is what gwon-dev tx sign has printed, or a file with it; "-" is standard input. ` +
				"--from or --key is the fee payer. Everything that the sender has signed stays. The fee payer pays gas " +
				"times the price for it, at most gas times the fee cap.",
			Action: txCosign,
		},
		{
			Name: "send", Usage: "Send a signed transaction to a node", ArgsUsage: "TRANSACTION",
			Flags: []cli.Flag{attach.RPCFlag, txWaitFlag, program.JSONFlag},
			Description: `TRANSACTION is what gwon-dev tx sign or gwon-dev tx cosign has printed, or a file with it; "-" is ` +
				"standard input. The exit status is 1 when the transaction is refused, when it fails in its block, and " +
				"when no block has it in time.",
			Action: txSend,
		},
	}
}

// readSigned reads the signed transaction that the only argument is or names.
func readSigned(ctx *cli.Context) (*txsign.Signed, error) {
	if ctx.NArg() != 1 {
		return nil, fmt.Errorf("name one signed transaction: 0x and hexadecimal digits, a file, or - for standard input")
	}
	input, err := program.ReadTransaction(ctx.Args().First())
	if err != nil {
		return nil, err
	}
	return txsign.Parse(input)
}

func txSign(ctx *cli.Context) error {
	request, err := txRequest(ctx)
	if err != nil {
		return err
	}
	unsigned, err := request.Transaction()
	if err != nil {
		return err
	}
	signer, err := keys.NewSigner(ctx)
	if err != nil {
		return err
	}
	signed, err := txrequest.Sign(unsigned, signer.Address(), signer.SignTx)
	if err != nil {
		return err
	}
	return printSigned(ctx, signed)
}

// txRequest reads the description of a transaction from the file, if any, and the flags.
func txRequest(ctx *cli.Context) (*txrequest.Request, error) {
	request := new(txrequest.Request)
	switch ctx.NArg() {
	case 0:
	case 1:
		input, err := program.ReadTransaction(ctx.Args().First())
		if err != nil {
			return nil, err
		}
		if request, err = txrequest.ParseRequest(input); err != nil {
			return nil, err
		}
	default:
		return nil, errors.New("name one file that describes the transaction, or none")
	}
	for _, f := range []struct {
		flag  string
		value **txrequest.Amount
	}{
		{txChainIDFlag.Name, &request.ChainID}, {txNonceFlag.Name, &request.Nonce}, {txGasFlag.Name, &request.Gas},
		{txFeeCapFlag.Name, &request.FeeCap}, {txTipFlag.Name, &request.Tip}, {txValueFlag.Name, &request.Value},
	} {
		if !ctx.IsSet(f.flag) {
			continue
		}
		bare := amounts.Wei
		if f.flag == txFeeCapFlag.Name || f.flag == txTipFlag.Name {
			bare = "" // a fee in wei was meant in gwei
		}
		n, err := amounts.Parse(fmt.Sprint(ctx.Value(f.flag)), bare)
		if err != nil {
			return nil, fmt.Errorf("--%s: %w", f.flag, err)
		}
		*f.value = (*txrequest.Amount)(n)
	}
	if ctx.IsSet(txToFlag.Name) {
		to := ctx.String(txToFlag.Name)
		if strings.HasPrefix(to, keys.DevnetPrefix) {
			account, err := keys.WellKnownAccount(to)
			if err != nil {
				return nil, fmt.Errorf("--%s: %w", txToFlag.Name, err)
			}
			to = account.Address.Hex()
		}
		request.To = &to
	}
	if ctx.IsSet(txCreateFlag.Name) {
		request.Create = ctx.Bool(txCreateFlag.Name)
	}
	if ctx.IsSet(txDataFlag.Name) {
		data, err := hexutil.Decode(ctx.String(txDataFlag.Name))
		if err != nil {
			return nil, fmt.Errorf("--%s: %w: give 0x and hexadecimal digits", txDataFlag.Name, err)
		}
		request.Data = (*hexutil.Bytes)(&data)
	}
	return request, nil
}

func txCosign(ctx *cli.Context) error {
	sender, err := readSigned(ctx)
	if err != nil {
		return err
	}
	if !ctx.IsSet(txChainIDFlag.Name) {
		return fmt.Errorf("say on which chain the fee payer pays: --%s %v is that of the transaction", txChainIDFlag.Name,
			sender.ChainID.ToInt())
	}
	payer, sign, err := txFeePayer(ctx)
	if err != nil {
		return err
	}
	chainID := new(big.Int).SetUint64(ctx.Uint64(txChainIDFlag.Name))
	cosigned, err := txsign.Cosign(sender, chainID, payer, sign)
	if err != nil {
		return err
	}
	return printSigned(ctx, cosigned)
}

// txFeePayer returns the account that pays and what signs for it. External signers are not asked: none of them signs
// the hash of a type that it does not know.
func txFeePayer(ctx *cli.Context) (common.Address, func(common.Hash) ([]byte, error), error) {
	from, file := ctx.String(txFromFlag.Name), ctx.String(txKeyFlag.Name)
	switch {
	case file != "" && from != "":
		return common.Address{}, nil, fmt.Errorf("--%s names the fee payer by itself: leave --%s out", txKeyFlag.Name,
			txFromFlag.Name)
	case file == "" && from == "":
		return common.Address{}, nil, fmt.Errorf("say who pays: --%s with an account of the key store, "+
			"or --%s with a key file", txFromFlag.Name, txKeyFlag.Name)
	case file != "":
		key, err := secretfile.LoadKey(program.ExpandHome(file))
		if err != nil {
			return common.Address{}, nil, fmt.Errorf("private key: %w", err)
		}
		return crypto.PubkeyToAddress(key.PublicKey), func(hash common.Hash) ([]byte,
			error) {
			return crypto.Sign(hash[:], key)
		}, nil
	case strings.HasPrefix(from, keys.DevnetPrefix):
		account, err := keys.WellKnownAccount(from)
		if err != nil {
			return common.Address{}, nil, fmt.Errorf("--%s: %w", txFromFlag.Name, err)
		}
		return account.Address, func(hash common.Hash) ([]byte, error) { return crypto.Sign(hash[:], account.Key) }, nil
	}
	account, err := keys.OpenAccount(ctx, txFromFlag.Name, from)
	if err != nil {
		return common.Address{}, nil, err
	}
	return account.Address, func(hash common.Hash) ([]byte, error) {
		return account.SignHash("Signing as fee payer", hash)
	}, nil
}

// printSigned prints the bytes of a signed transaction on a line, or with --json all that is known of it.
func printSigned(ctx *cli.Context, signed *txsign.Signed) error {
	if ctx.Bool(program.JSONFlag.Name) {
		return program.PrintIndented(ctx.App.Writer, signed)
	}
	_, err := fmt.Fprintln(ctx.App.Writer, signed.Raw)
	return err
}

// sentTransaction is what gwon-dev tx send --json prints.
type sentTransaction struct {
	Hash                  common.Hash     `json:"hash"`
	SenderTransactionHash *common.Hash    `json:"senderTransactionHash,omitempty"`
	Receipt               json.RawMessage `json:"receipt"` // null without --wait
}

func txSend(ctx *cli.Context) error {
	signed, err := readSigned(ctx)
	if err != nil {
		return err
	}
	until, stop := signal.NotifyContext(ctx.Context, os.Interrupt, syscall.SIGTERM)
	defer stop()
	wait := ctx.Duration(txWaitFlag.Name)
	if wait < 0 {
		return fmt.Errorf("--%s %v: give a time of 0 or more", txWaitFlag.Name, wait)
	}
	submitting, cancel := context.WithTimeout(until, dial.Timeout)
	defer cancel()
	node, err := dial.Node(submitting, ctx.String(attach.RPCFlag.Name))
	if err != nil {
		return err
	}
	defer node.Close()
	receipt, err := txrequest.Submit(submitting, node, signed)
	if err != nil {
		return err
	}
	sent := sentTransaction{Hash: signed.Hash, SenderTransactionHash: signed.SenderTransactionHash,
		Receipt: json.RawMessage("null")}
	out := ctx.App.Writer
	if !ctx.Bool(program.JSONFlag.Name) {
		if _, err := fmt.Fprintln(out, sent.Hash.Hex()); err != nil {
			return err
		}
	}
	if wait == 0 && receipt == nil {
		if ctx.Bool(program.JSONFlag.Name) {
			return program.PrintIndented(ctx.App.Writer, sent)
		}
		return nil
	}
	waiting, cancel := context.WithTimeout(until, wait)
	defer cancel()
	if receipt == nil {
		if receipt, err = txrequest.Await(waiting, node, sent.Hash); err != nil {
			return err
		}
	}
	if ctx.Bool(program.JSONFlag.Name) {
		sent.Receipt = receipt.All
		if err := program.PrintIndented(ctx.App.Writer, sent); err != nil {
			return err
		}
	} else {
		if err := printReceipt(out, signed, receipt); err != nil {
			return err
		}
	}
	if receipt.Status != 1 {
		return fmt.Errorf("transaction failed in block %d: its gas is paid, nothing else happened", receipt.BlockNumber)
	}
	return nil
}

// printReceipt prints in words what became of a transaction.
func printReceipt(out io.Writer, signed *txsign.Signed, receipt *txrequest.Receipt) error {
	payer := signed.Sender.Hex()
	switch { // what was signed may have got its fee payer on the way
	case receipt.FeePayer != nil:
		payer = receipt.FeePayer.Hex()
	case signed.FeePayer != nil:
		payer = signed.FeePayer.Hex()
	case receipt.Type == types.FeeDelegateTxType:
		payer = "a fee payer"
	}
	line := fmt.Sprintf("In block %d, final.", receipt.BlockNumber)
	if receipt.EffectiveGasPrice != nil {
		fee := new(big.Int).Mul(receipt.EffectiveGasPrice.ToInt(), new(big.Int).SetUint64(uint64(receipt.GasUsed)))
		line += fmt.Sprintf(" Fee: %s, paid by %s.", txsign.FormatCoins(fee), payer)
	}
	if receipt.ContractAddress != nil {
		line += fmt.Sprintf(" Contract: %s.", receipt.ContractAddress.Hex())
	}
	_, err := fmt.Fprintln(out, line)
	return err
}
