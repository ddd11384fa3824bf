// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package wkrc

import (
	"context"
	"encoding/json"
	"math/big"
	"strings"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
)

// Validators returns the validators in charge of a block, in the order of the consensus; nil is the newest block.
func (c *Client) Validators(ctx context.Context, number *big.Int) ([]common.Address, error) {
	var list []common.Address
	return list, c.call(ctx, &list, "istanbul_getValidators", blockArgument(number))
}

// ValidatorsAtHash returns the validators in charge of a block by its hash.
func (c *Client) ValidatorsAtHash(ctx context.Context, block common.Hash) ([]common.Address, error) {
	var list []common.Address
	return list, c.call(ctx, &list, "istanbul_getValidatorsAtHash", block)
}

// NodeAddress returns the address of the node's own key, validator or not.
func (c *Client) NodeAddress(ctx context.Context) (common.Address, error) {
	var address common.Address
	return address, c.call(ctx, &address, "istanbul_nodeAddress")
}

// IsValidator reports whether the node is a validator in charge of a block; nil is the newest one.
func (c *Client) IsValidator(ctx context.Context, number *big.Int) (bool, error) {
	var is bool
	return is, c.call(ctx, &is, "istanbul_isValidator", blockArgument(number))
}

// CommitSigners are the validators that sealed a block.
type CommitSigners struct {
	Number     uint64           `json:"Number"`
	Hash       common.Hash      `json:"Hash"`
	Author     common.Address   `json:"Author"` // proposer
	Committers []common.Address `json:"Committers"`
}

// CommitSigners returns the validators that sealed a block; nil is the newest one.
func (c *Client) CommitSigners(ctx context.Context, number *big.Int) (*CommitSigners, error) {
	return ask[CommitSigners](ctx, c, "istanbul_getCommitSignersFromBlock", blockArgument(number))
}

// CommitSignersByHash returns the validators that sealed a block by its hash.
func (c *Client) CommitSignersByHash(ctx context.Context, block common.Hash) (*CommitSigners, error) {
	return ask[CommitSigners](ctx, c, "istanbul_getCommitSignersFromBlockByHash", block)
}

// SealStatus counts seals and rounds over a range of blocks.
type SealStatus struct {
	SealerActivity struct {
		Total         map[common.Address]uint64 `json:"total"`
		Prepared      map[common.Address]uint64 `json:"prepared"`
		Committed     map[common.Address]uint64 `json:"committed"`
		PrevPrepared  map[common.Address]uint64 `json:"prevPrepared"`
		PrevCommitted map[common.Address]uint64 `json:"prevCommitted"`
	} `json:"sealerActivity"`
	Author     map[common.Address]uint64 `json:"author"` // blocks proposed
	BlockRange struct {
		StartBlock  uint64 `json:"startBlock"`
		EndBlock    uint64 `json:"endBlock"` // inclusive
		TotalBlocks uint64 `json:"totalBlocks"`
	} `json:"blockRange"`
	RoundStats struct {
		RoundDistribution map[uint32]uint64 `json:"roundDistribution"` // blocks by the round that decided them
	} `json:"roundStats"`
}

// SealStatus counts seals and rounds from one block to another, inclusive, of at most 1,024 blocks. With nil for both
// it is the last 64 blocks.
func (c *Client) SealStatus(ctx context.Context, from, to *big.Int) (*SealStatus, error) {
	args := []any{}
	if from != nil || to != nil {
		args = append(args, blockArgument(from), blockArgument(to))
	}
	return ask[SealStatus](ctx, c, "istanbul_status", args...)
}

// Seal is a sum of seals and the validators that contributed to it.
type Seal struct {
	Sealers   []common.Address `json:"sealers"`
	Signature hexutil.Bytes    `json:"signature"` // 96 bytes
}

// Candidate is an account that may become a validator.
type Candidate struct {
	Address   common.Address `json:"addr"`
	Diligence hexutil.Uint64 `json:"diligence"`
}

// NextValidator is a validator of the epoch that begins after an epoch block.
type NextValidator struct {
	Index   hexutil.Uint64 `json:"index"` // in the candidates
	Address common.Address `json:"addr"`
	BLS     hexutil.Bytes  `json:"bls"` // public key, 48 bytes
}

// EpochInfo is in genesis and in epoch blocks.
type EpochInfo struct {
	Candidates []Candidate     `json:"candidates"`
	Validators []NextValidator `json:"validators"`
}

// ExtraInfo is the consensus part of a header.
type ExtraInfo struct {
	VanityData        hexutil.Bytes  `json:"vanityData"`
	RandaoReveal      hexutil.Bytes  `json:"randaoReveal"`
	PrevRound         hexutil.Uint64 `json:"prevRound"`
	PrevPreparedSeal  *Seal          `json:"prevPreparedSeal"`
	PrevCommittedSeal *Seal          `json:"prevCommittedSeal"`
	Round             hexutil.Uint64 `json:"round"`
	PreparedSeal      *Seal          `json:"preparedSeal"`
	CommittedSeal     *Seal          `json:"committedSeal"`
	GasTip            string         `json:"gasTip"` // wei, decimal
	EpochInfo         *EpochInfo     `json:"epochInfo"`
}

// ExtraInfo returns the consensus part of the header of a block; nil is the newest one, on gwon alone.
func (c *Client) ExtraInfo(ctx context.Context, number *big.Int) (*ExtraInfo, error) {
	return ask[ExtraInfo](ctx, c, "istanbul_getWbftExtraInfo", blockArgument(number))
}

// GovernedTip returns the tip in wei that the child of a block must carry; nil is the newest block. gwon alone has it.
func (c *Client) GovernedTip(ctx context.Context, number *big.Int) (*big.Int, error) {
	var tip hexutil.Big
	if err := c.call(ctx, &tip, "istanbul_gasTip", blockArgument(number)); err != nil {
		return nil, err
	}
	return tip.ToInt(), nil
}

// AccountFlags is what the council decided about an account.
type AccountFlags struct {
	Blacklisted bool `json:"blacklisted"` // sends, receives and pays for no transaction
	Authorized  bool `json:"authorized"`  // chooses its own tip
}

// AccountFlags returns the flags of an account at a block; nil is the newest one. gwon alone has it.
func (c *Client) AccountFlags(ctx context.Context, account common.Address, number *big.Int) (*AccountFlags, error) {
	return ask[AccountFlags](ctx, c, "istanbul_accountFlags", account, blockArgument(number))
}

// ReceiptProof asks a node for the proof of a transaction by its hash in the chain. The answer is for VerifyPayment
// with the same checkpoint. The node need not be trusted. A proof is made with the child of the block: ReceiptProof
// waits ten seconds for it when the block is the newest.
func (c *Client) ReceiptProof(ctx context.Context, hash common.Hash, trusted Checkpoint) (json.RawMessage, error) {
	for wait := 10 * time.Second; ; wait -= defaultPollInterval {
		var proof json.RawMessage
		err := c.call(ctx, &proof, "istanbul_getReceiptProof", hash, trusted.Hash)
		if err == nil || wait <= 0 || !strings.Contains(err.Error(), "is the newest: its child") {
			return proof, err
		}
		select {
		case <-time.After(defaultPollInterval):
		case <-ctx.Done():
			return nil, err
		}
	}
}
