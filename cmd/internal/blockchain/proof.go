// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package blockchain

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"os"
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
	"gwon/consensus/wbft/validators"
	"gwon/internal/atomicfile"
	"gwon/internal/dial"
	"gwon/params"
)

var (
	proofTrustedFlag = &cli.StringFlag{
		Name:  "trusted",
		Usage: "Hash of the block that you trust: a genesis block or a later one",
	}
	proofChainFlag = &cli.Uint64Flag{
		Name:  "chain",
		Usage: "Chain ID of a network that is not public, with --trusted",
	}
)

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
				"--mainnet or the block of --trusted. " +
				"Keys can serve two chains, so that the chain ID counts, too: it is that of --testnet, --mainnet or --chain. " +
				"The block is printed if a quorum of the validators in charge has " +
				"sealed it, with the transaction that the proof shows in it. The exit status is 0 then and 1 otherwise.",
			Flags:  append([]cli.Flag{proofTrustedFlag, proofChainFlag, program.JSONFlag}, settings.NetworkFlags...),
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
			Flags:  append([]cli.Flag{attach.RPCFlag, proofTrustedFlag, proofChainFlag}, settings.NetworkFlags...),
			Action: fetchReceiptProof,
		},
	},
}

// provenBlock is what gwon proof verify --json prints.
type provenBlock struct {
	Number        uint64      `json:"number"`
	Hash          common.Hash `json:"hash"`
	StateRoot     common.Hash `json:"stateRoot"`
	Timestamp     uint64      `json:"timestamp"`
	TrustedNumber uint64      `json:"trustedNumber"`
	TrustedHash   common.Hash `json:"trustedHash"`
	EpochHeaders  int         `json:"epochHeaders"`
	SmallestSet   int         `json:"smallestSet"` // of validators; 0 for the trusted block itself

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
	trusted, err := trustedBlock(ctx)
	if err != nil {
		return err
	}
	name := program.ExpandHome(ctx.Args().First())
	proof, err := readProof(ctx, name)
	if err != nil {
		return err
	}
	trusted.Number = startOf(proof)
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
		TrustedNumber: trusted.Number, TrustedHash: trusted.Hash, EpochHeaders: len(proof.Epochs),
		SmallestSet: proof.Smallest(), Transaction: transaction,
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

// startOf returns the number of the block that a proof starts from. The trusted hash covers it, so that no reader need
// know it.
func startOf(proof *finality.Proof) uint64 { return proof.Origin[len(proof.Origin)-1].Number.Uint64() }

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
	name := program.ExpandHome(ctx.Args().Get(1))
	if err := program.RefuseExisting(name); err != nil {
		return err
	}
	trusted, err := trustedBlock(ctx)
	if err != nil {
		return err
	}
	hash, err := readHash("transaction hash", ctx.Args().First())
	if err != nil {
		return err
	}
	until, cancel := context.WithTimeout(ctx.Context, 2*time.Minute)
	defer cancel()
	url := program.ExpandHome(ctx.String(attach.RPCFlag.Name))
	client, err := dial.Node(until, url)
	if err != nil {
		return err
	}
	defer client.Close()
	url = dial.Shown(url)
	answer, err := askReceiptProof(until, client, hash, trusted.Hash)
	if err != nil {
		return fmt.Errorf("node %s: %w", url, err)
	}
	proof, err := finality.Decode(bytes.NewReader(answer))
	if err != nil {
		return fmt.Errorf("node %s: %w", url, err)
	}
	trusted.Number = startOf(proof)
	shown, err := finality.VerifyReceipt(proof, trusted)
	if err != nil {
		return fmt.Errorf("the proof of node %s is wrong, ask another one: %w", url, err)
	}
	if shown.Transaction.Hash() != hash {
		return fmt.Errorf("node %s proves transaction %v instead: ask another one", url, shown.Transaction.Hash())
	}
	content := append(answer, '\n')
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
		if !dial.Says(err, finality.ErrNewest.Error()) {
			return answer, err
		}
		select {
		case <-time.After(time.Second / 2):
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

// trustedBlock returns chain and hash of the block that the flags name: a genesis block of a public network, or
// another one.
func trustedBlock(ctx *cli.Context) (trusted finality.Trusted, err error) {
	id, chains := ctx.Uint64(proofChainFlag.Name), 0
	if id != 0 {
		chains++
	}
	for _, n := range params.Networks() {
		if ctx.Bool(n.Name) {
			id, trusted.Hash, chains = n.ID, n.GenesisHash, chains+1
		}
	}
	if text := ctx.String(proofTrustedFlag.Name); text != "" {
		if trusted.Hash, err = readHash("block hash of --"+proofTrustedFlag.Name, text); err != nil {
			return trusted, err
		}
	}
	if chains != 1 || trusted.Hash == (common.Hash{}) {
		return trusted, fmt.Errorf("a proof starts from a block that you trust, of one chain: give --%s or --%s, or --%s ID "+
			"with --%s HASH", settings.TestnetFlag.Name, settings.MainnetFlag.Name, proofChainFlag.Name,
			proofTrustedFlag.Name)
	}
	trusted.ChainID = new(big.Int).SetUint64(id)
	return trusted, nil
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

// worth says how many keys can forge a proof, by the smallest set of validators that it rests on.
func worth(smallest int) string {
	switch smallest {
	case 0:
		return "  it is the trusted block itself\n"
	case 1:
		return "  WARNING: a set of 1 validator has sealed for it: the holder of that one key can forge this proof\n"
	}
	return fmt.Sprintf("  sealed by %d of %d validators in the smallest set, and as many keys can forge it\n",
		validators.QuorumOf(smallest), smallest)
}

func printProven(ctx *cli.Context, block *provenBlock) error {
	if ctx.Bool(program.JSONFlag.Name) {
		return program.PrintIndented(ctx.App.Writer, block)
	}
	if _, err := fmt.Fprintf(ctx.App.Writer, "Block %d is final\n  hash        %v\n  state root  %v\n  time        %s\n"+
		"  proven from block %d, %v, by %d changes of the validators\n%s", block.Number, block.Hash, block.StateRoot,
		time.Unix(int64(min(block.Timestamp, 1<<62)), 0).UTC().Format(time.RFC3339), block.TrustedNumber,
		block.TrustedHash, block.EpochHeaders, worth(block.SmallestSet)); err != nil || block.Transaction == nil {
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
