// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package wkrc

import (
	"context"
	"crypto/ecdsa"
	"errors"
	"fmt"
	"math/big"

	"github.com/ethereum/go-ethereum"
	"github.com/ethereum/go-ethereum/accounts/abi/bind"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/rpc"
)

// Sponsor adds a fee payer to the transactions of senders, and submits them.
type Sponsor interface {
	// Submit has a sender's signed type-2 transaction paid by a fee payer and submits it, to the node of the client or
	// elsewhere.
	Submit(ctx context.Context, node *Client, senderTx *types.Transaction) error
}

// PayWith returns a sponsor that signs as fee payer with a key of this process.
func PayWith(key *ecdsa.PrivateKey) Sponsor { return payerKey{key} }

type payerKey struct{ key *ecdsa.PrivateKey }

// Submit implements Sponsor.
func (p payerKey) Submit(ctx context.Context, node *Client, senderTx *types.Transaction) error {
	chainID, err := node.ChainID(ctx)
	if err != nil {
		return fmt.Errorf("ask the node for its chain ID: %w", err)
	}
	tx, err := AddFeePayer(senderTx, chainID, p.key)
	if err != nil {
		return err
	}
	return node.Send(ctx, tx)
}

// URL is a sponsor that takes type-2 transactions by eth_sendRawTransaction at an endpoint of its own, such as one of
// gwon-pay sponsor.
type URL struct{ endpoint *rpc.Client }

// DialSponsor connects to a sponsor's endpoint.
func DialSponsor(ctx context.Context, url string) (*URL, error) {
	endpoint, err := rpc.DialContext(ctx, url)
	if err != nil {
		return nil, fmt.Errorf("connect to sponsor: %w", err)
	}
	return &URL{endpoint}, nil
}

// Submit implements Sponsor. The sponsor may answer with the sender's hash or with that of the transaction on the
// chain.
func (u *URL) Submit(ctx context.Context, node *Client, senderTx *types.Transaction) error {
	if senderTx.Type() != types.DynamicFeeTxType {
		return notSponsored(senderTx.Type())
	}
	raw, err := senderTx.MarshalBinary()
	if err != nil {
		return fmt.Errorf("encode transaction: %w", err)
	}
	var hash common.Hash
	if err := u.endpoint.CallContext(ctx, &hash, "eth_sendRawTransaction", hexutil.Encode(raw)); err != nil {
		return fmt.Errorf("sponsor: %w", err)
	}
	if hash == (common.Hash{}) {
		return errors.New("sponsor answered with an empty hash: ask its operator whether it accepted the transaction")
	}
	if hash != senderTx.Hash() {
		node.sent.Add(senderTx.Hash(), hash)
	}
	return nil
}

// receipt asks the sponsor for a receipt, which it may know by the sender's hash where the node does not.
func (u *URL) receipt(ctx context.Context, hash common.Hash) (*Receipt, error) {
	return NewClient(u.endpoint).Receipt(ctx, hash)
}

// Close ends the connection.
func (u *URL) Close() { u.endpoint.Close() }

// SponsoredBackend is a backend for abigen bindings whose transactions a fee payer pays: their senders need no coins
// for gas. Bindings, bind.WaitMined and bind.WaitDeployed work as with any other backend, and know a transaction by
// the hash that its sender knows.
type SponsoredBackend struct {
	*Client
	sponsor Sponsor
}

var (
	_ bind.ContractBackend = (*SponsoredBackend)(nil)
	_ bind.DeployBackend   = (*SponsoredBackend)(nil)
	_ bind.DeployBackend   = (*Client)(nil)
)

// Sponsored returns a backend for bindings whose transactions the sponsor pays.
func (c *Client) Sponsored(sponsor Sponsor) *SponsoredBackend { return &SponsoredBackend{c, sponsor} }

// SendTransaction has the sponsor pay for a signed type-2 transaction, and submits it. Other types are a *TypeError:
// leave GasPrice unset in bind.TransactOpts.
func (b *SponsoredBackend) SendTransaction(ctx context.Context, tx *types.Transaction) error {
	if tx.Type() != types.DynamicFeeTxType {
		return notSponsored(tx.Type())
	}
	return b.sponsor.Submit(ctx, b.Client, tx)
}

// EstimateGas estimates a call without its fees, which are not the sender's to pay. Authorizations and blobs are a
// *TypeError: SendTransaction would refuse the transaction.
func (b *SponsoredBackend) EstimateGas(ctx context.Context, call ethereum.CallMsg) (uint64, error) {
	switch {
	case call.AuthorizationList != nil:
		return 0, notSponsored(types.SetCodeTxType)
	case call.BlobHashes != nil || call.BlobGasFeeCap != nil:
		return 0, notSponsored(types.BlobTxType)
	}
	call.GasPrice, call.GasFeeCap, call.GasTipCap = nil, nil, nil
	return b.Client.EstimateGas(ctx, call)
}

// Receipt is [Client.Receipt], and asks the sponsor where the node does not know the hash.
func (b *SponsoredBackend) Receipt(ctx context.Context, hash common.Hash) (*Receipt, error) {
	receipt, err := b.Client.Receipt(ctx, hash)
	if url, ok := b.sponsor.(*URL); ok && errors.Is(err, ethereum.NotFound) {
		return url.receipt(ctx, hash)
	}
	return receipt, err
}

// TransactionReceipt implements bind.DeployBackend.
func (b *SponsoredBackend) TransactionReceipt(ctx context.Context, hash common.Hash) (*types.Receipt, error) {
	receipt, err := b.Receipt(ctx, hash)
	if err != nil {
		return nil, err
	}
	return receipt.Receipt, nil
}

// WaitFinal is [Client.WaitFinal] with the receipts of Receipt.
func (b *SponsoredBackend) WaitFinal(ctx context.Context, hash common.Hash) (*Receipt, error) {
	return b.waitFinal(ctx, hash, b.Receipt)
}

// finalNumber is the argument for the newest final block.
var finalNumber = big.NewInt(int64(rpc.FinalizedBlockNumber))
