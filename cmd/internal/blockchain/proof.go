// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package blockchain

import (
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/urfave/cli/v2"

	"gwon/cmd/internal/program"
	"gwon/cmd/internal/settings"
	"gwon/consensus/finality"
	"gwon/params"
)

var proofTrustedFlag = &cli.StringFlag{
	Name:  "trusted",
	Usage: "Hash of the block that you trust: a genesis block or a later one",
}

// ProofCommand verifies proofs of finality.
var ProofCommand = &cli.Command{
	Name:  "proof",
	Usage: "Verify proofs that a block is final",
	Subcommands: []*cli.Command{
		{
			Name:      "verify",
			Usage:     "Verify an answer of istanbul_getFinalityProof, offline",
			ArgsUsage: "<file>",
			Description: `Reads the proof, or the whole answer of the node, from the file; "-" stands for standard ` +
				"input. The proof has to lead from the block that you trust, which is the genesis block of --testnet or " +
				"--mainnet or the block of --trusted. The block is printed if a quorum of the validators in charge has " +
				"sealed it. The exit status is 0 then and 1 otherwise.",
			Flags:  append([]cli.Flag{proofTrustedFlag, program.JSONFlag}, settings.NetworkFlags...),
			Action: verifyProof,
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
	// The hash covers the number, which a reader need not know.
	trusted := finality.Trusted{Number: proof.Origin[len(proof.Origin)-1].Number.Uint64(), Hash: hash}
	header, err := finality.Verify(proof, trusted)
	if err != nil {
		return fmt.Errorf("proof %s: %w", name, err)
	}
	return printProven(ctx, header, trusted, len(proof.Epochs))
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
		hash, err := hexutil.Decode(text)
		if err != nil || len(hash) != common.HashLength {
			return common.Hash{}, fmt.Errorf("--%s %.80s: give a block hash, 0x and 64 hexadecimal digits",
				proofTrustedFlag.Name, text)
		}
		hashes = append(hashes, common.BytesToHash(hash))
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

func printProven(ctx *cli.Context, h *types.Header, trusted finality.Trusted, epochs int) error {
	block := provenBlock{h.Number.Uint64(), h.Hash(), h.Root, h.Time, trusted.Number, trusted.Hash, epochs}
	if ctx.Bool(program.JSONFlag.Name) {
		return program.PrintIndented(ctx.App.Writer, block)
	}
	_, err := fmt.Fprintf(ctx.App.Writer, "Block %d is final\n  hash        %v\n  state root  %v\n  time        %s\n"+
		"  proven from block %d, %v, by %d changes of the validators\n", block.Number, block.Hash, block.StateRoot,
		time.Unix(int64(min(block.Timestamp, 1<<62)), 0).UTC().Format(time.RFC3339), trusted.Number, trusted.Hash, epochs)
	return err
}
