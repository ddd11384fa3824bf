// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package blockchain

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	gethrpc "github.com/ethereum/go-ethereum/rpc"
	"github.com/urfave/cli/v2"

	"gwon/cmd/internal/attach"
	"gwon/cmd/internal/program"
	"gwon/cmd/internal/settings"
	"gwon/consensus/finality"
	"gwon/internal/atomicfile"
	"gwon/internal/dial"
	"gwon/params"
)

var proofTrustedFlag = &cli.StringFlag{
	Name:  "trusted",
	Usage: "Hash of the block that you trust: a genesis block or a later one",
}

// ProofCommand verifies proofs of finality.
var ProofCommand = &cli.Command{
	Name:  "proof",
	Usage: "Fetch and verify proofs that a block or a transaction is final",
	Subcommands: []*cli.Command{
		{
			Name:      "verify",
			Usage:     "Verify an answer of istanbul_getFinalityProof or istanbul_getReceiptProof, offline",
			ArgsUsage: "<file>",
			Description: `Reads the proof, or the whole answer of the node, from the file; "-" stands for standard ` +
				"input. The proof has to lead from the block that you trust, which is the genesis block of --testnet or " +
				"--mainnet or the block of --trusted. The block is printed if a quorum of the validators in charge has " +
				"sealed it, with the transaction that the proof shows in it. The exit status is 0 then and 1 otherwise.",
			Flags:  append([]cli.Flag{proofTrustedFlag, program.JSONFlag}, settings.NetworkFlags...),
			Action: verifyProof,
		},
		{
			Name:      "receipt",
			Usage:     "Fetch the proof of a transaction and its receipt from a node, and write it to a file",
			ArgsUsage: "<transaction hash> <file>",
			Description: "Asks the node for the proof from the block that you trust on, as gwon proof verify names it. The " +
				"proof is verified before it is written, so that the node need not be trusted. A transaction in the newest " +
				"block is proven with the next one, which is waited for. " +
				`The file "-" is standard output.`,
			Flags:  append([]cli.Flag{attach.RPCFlag, proofTrustedFlag}, settings.NetworkFlags...),
			Action: fetchReceiptProof,
		},
	},
}

const (
	// fetchTimeout bounds the question for a proof.
	fetchTimeout = 2 * time.Minute
	// newestPause is the time before the proof of a transaction in the newest block is asked for again.
	newestPause = time.Second / 2
)

// provenBlock is what gwon proof verify --json prints.
type provenBlock struct {
	Number        uint64      `json:"number"`
	Hash          common.Hash `json:"hash"`
	StateRoot     common.Hash `json:"stateRoot"`
	Timestamp     uint64      `json:"timestamp"`
	TrustedNumber uint64      `json:"trustedNumber"`
	TrustedHash   common.Hash `json:"trustedHash"`
	EpochHeaders  int         `json:"epochHeaders"`

	Transaction *provenTransaction `json:"transaction,omitempty"`
}

// provenTransaction is what gwon proof verify --json prints about a transaction.
type provenTransaction struct {
	Hash     common.Hash     `json:"hash"`
	Index    uint64          `json:"index"`
	From     common.Address  `json:"from"`
	To       *common.Address `json:"to"`
	Value    string          `json:"value"` // decimal, in wei
	FeePayer *common.Address `json:"feePayer,omitempty"`
	Status   uint64          `json:"status"`
	Logs     []*types.Log    `json:"logs"`
}

func verifyProof(ctx *cli.Context) error {
	if ctx.NArg() != 1 {
		return errors.New("give one file with a proof, or - for standard input")
	}
	hash, err := trustedHash(ctx)
	if err != nil {
		return err
	}
	name := program.ExpandHome(ctx.Args().First())
	proof, err := readProof(ctx, name)
	if err != nil {
		return err
	}
	trusted := trustedBy(proof, hash)
	var header *types.Header
	var transaction *provenTransaction
	if proof.Receipt == nil {
		header, err = finality.Verify(proof, trusted)
	} else {
		header, transaction, err = provenReceipt(proof, trusted)
	}
	if err != nil {
		return fmt.Errorf("proof %s: %w", name, err)
	}
	return printProven(ctx, &provenBlock{
		Number: header.Number.Uint64(), Hash: header.Hash(), StateRoot: header.Root, Timestamp: header.Time,
		TrustedNumber: trusted.Number, TrustedHash: trusted.Hash, EpochHeaders: len(proof.Epochs), Transaction: transaction,
	})
}

// provenReceipt returns the transaction that a proof shows, with the header of its block.
func provenReceipt(proof *finality.Proof, trusted finality.Trusted) (*types.Header, *provenTransaction, error) {
	shown, err := finality.VerifyReceipt(proof, trusted)
	if err != nil {
		return nil, nil, err
	}
	transaction, err := transactionOf(shown)
	return shown.Header, transaction, err
}

// trustedBy returns the block of a hash with its number in a proof: the hash covers it, so that no reader need know it.
func trustedBy(proof *finality.Proof, hash common.Hash) finality.Trusted {
	return finality.Trusted{Number: proof.Origin[len(proof.Origin)-1].Number.Uint64(), Hash: hash}
}

func transactionOf(e *finality.Executed) (*provenTransaction, error) {
	tx := e.Transaction
	from, err := types.Sender(types.NewFeeDelegateSigner(tx.ChainId()), tx)
	if err != nil {
		return nil, fmt.Errorf("sender of transaction %v: %w", tx.Hash(), err)
	}
	logs := e.Receipt.Logs
	if logs == nil {
		logs = []*types.Log{}
	}
	return &provenTransaction{tx.Hash(), e.Index, from, tx.To(), tx.Value().String(), tx.FeePayer(), e.Receipt.Status,
		logs}, nil
}

func fetchReceiptProof(ctx *cli.Context) error {
	if ctx.NArg() != 2 {
		return errors.New("give the hash of a transaction, and a file for the proof or - for standard output")
	}
	trusted, err := trustedHash(ctx)
	if err != nil {
		return err
	}
	hash, err := readHash("transaction hash", ctx.Args().First())
	if err != nil {
		return err
	}
	until, cancel := context.WithTimeout(ctx.Context, fetchTimeout)
	defer cancel()
	url := program.ExpandHome(ctx.String(attach.RPCFlag.Name))
	client, err := dial.Node(until, url)
	if err != nil {
		return err
	}
	defer client.Close()
	url = dial.Shown(url)
	answer, err := askReceiptProof(until, client, hash, trusted)
	if err != nil {
		return fmt.Errorf("node %s: %w", url, err)
	}
	proof, err := finality.Decode(bytes.NewReader(answer))
	if err != nil {
		return fmt.Errorf("node %s: %w", url, err)
	}
	shown, err := finality.VerifyReceipt(proof, trustedBy(proof, trusted))
	if err != nil {
		return fmt.Errorf("the proof of node %s is wrong, ask another one: %w", url, err)
	}
	if shown.Transaction.Hash() != hash {
		return fmt.Errorf("node %s proves transaction %v instead: ask another one", url, shown.Transaction.Hash())
	}
	content := append(answer, '\n')
	name := program.ExpandHome(ctx.Args().Get(1))
	if name == "-" {
		_, err = ctx.App.Writer.Write(content)
		return err
	}
	if err := atomicfile.Write(name, content, 0o644); err != nil {
		return fmt.Errorf("write the proof: %w", err)
	}
	_, err = fmt.Fprintf(ctx.App.Writer, "Proof of transaction %v in block %d written to %s\n", hash, shown.Header.Number,
		name)
	return err
}

// askReceiptProof asks a node for a proof. For the newest block it asks again until that has a child.
func askReceiptProof(ctx context.Context, client *gethrpc.Client, hash, trusted common.Hash) (json.RawMessage, error) {
	for {
		var answer json.RawMessage
		err := client.CallContext(ctx, &answer, "istanbul_getReceiptProof", hash, trusted)
		if err == nil || !strings.Contains(err.Error(), finality.ErrNewest.Error()) {
			return answer, err
		}
		select {
		case <-time.After(newestPause):
		case <-ctx.Done():
			return nil, err
		}
	}
}

func readHash(name, text string) (common.Hash, error) {
	hash, err := hexutil.Decode(text)
	if err != nil || len(hash) != common.HashLength {
		return common.Hash{}, fmt.Errorf("%s %.80s: give 0x and 64 hexadecimal digits", name, text)
	}
	return common.BytesToHash(hash), nil
}

// trustedHash returns the hash that exactly one of the flags gives.
func trustedHash(ctx *cli.Context) (common.Hash, error) {
	var hashes []common.Hash
	for _, n := range params.Networks() {
		if ctx.Bool(n.Name) {
			hashes = append(hashes, n.GenesisHash)
		}
	}
	if text := ctx.String(proofTrustedFlag.Name); text != "" {
		hash, err := readHash("block hash of --"+proofTrustedFlag.Name, text)
		if err != nil {
			return common.Hash{}, err
		}
		hashes = append(hashes, hash)
	}
	if len(hashes) != 1 {
		return common.Hash{}, fmt.Errorf("a proof starts from a block that you trust: give one of --%s, --%s and --%s HASH",
			settings.TestnetFlag.Name, settings.MainnetFlag.Name, proofTrustedFlag.Name)
	}
	return hashes[0], nil
}

func readProof(ctx *cli.Context, name string) (*finality.Proof, error) {
	in := ctx.App.Reader
	if name != "-" {
		file, err := os.Open(name)
		if err != nil {
			return nil, fmt.Errorf("open the proof: %w", err)
		}
		defer file.Close() //nolint:errcheck // read only
		in = file
	}
	proof, err := finality.Decode(in)
	if err != nil {
		return nil, fmt.Errorf("proof %s: %w", name, err)
	}
	return proof, nil
}

func printProven(ctx *cli.Context, block *provenBlock) error {
	if ctx.Bool(program.JSONFlag.Name) {
		return program.PrintIndented(ctx.App.Writer, block)
	}
	if _, err := fmt.Fprintf(ctx.App.Writer, "Block %d is final\n  hash        %v\n  state root  %v\n  time        %s\n"+
		"  proven from block %d, %v, by %d changes of the validators\n", block.Number, block.Hash, block.StateRoot,
		time.Unix(int64(min(block.Timestamp, 1<<62)), 0).UTC().Format(time.RFC3339), block.TrustedNumber,
		block.TrustedHash, block.EpochHeaders); err != nil || block.Transaction == nil {
		return err
	}
	tx := block.Transaction
	status, to, payer := "succeeded", "a new contract", tx.From
	if tx.Status != types.ReceiptStatusSuccessful {
		status = "failed"
	}
	if tx.To != nil {
		to = tx.To.Hex()
	}
	if tx.FeePayer != nil {
		payer = *tx.FeePayer
	}
	_, err := fmt.Fprintf(ctx.App.Writer, "Transaction %v is in it, at index %d\n  %s, %d logs (--json prints them)\n"+
		"  from        %v\n  to          %s\n  value       %s wei\n  fee payer   %v\n", tx.Hash, tx.Index, status,
		len(tx.Logs), tx.From, to, tx.Value, payer)
	return err
}
