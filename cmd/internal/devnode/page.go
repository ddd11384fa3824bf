// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package devnode

import (
	"context"
	"crypto/ecdsa"
	"fmt"
	"math/big"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/log"
	"github.com/ethereum/go-ethereum/node"
	gethparams "github.com/ethereum/go-ethereum/params"
	gethrpc "github.com/ethereum/go-ethereum/rpc"
	"github.com/urfave/cli/v2"

	"gwon/cmd/internal/program"
	"gwon/cmd/internal/settings"
	"gwon/cmd/internal/transactions"
	"gwon/dev/devchain"
	"gwon/dev/devnet"
	"gwon/dev/web"
)

// developed describes the development network of a node, nil for every other network.
func developed(ctx *cli.Context, stack *node.Node, chain *gethparams.ChainConfig) (*web.Options, error) {
	mark := &devnet.Mark{
		Accounts: settings.DevAccounts, Members: 1, Contracts: ctx.String(settings.ContractsVersionFlag.Name),
		Period: uint64(ctx.Duration(settings.DevPeriodFlag.Name) / time.Second),
	}
	o := &web.Options{Network: "developer chain", Version: program.Version()}
	if !ctx.Bool(settings.DevFlag.Name) {
		if stack.InstanceDir() == "" || chain.Anzeon == nil || chain.Anzeon.Init == nil {
			return nil, nil
		}
		var err error
		if mark, err = devnet.ReadMark(stack.InstanceDir(), chain.ChainID, chain.Anzeon.Init.Validators); err != nil {
			log.Warn("Page of a devnet refused", "err", err)
			return nil, nil
		}
		if mark == nil {
			return nil, nil
		}
		o.Network, o.Node = "devnet", mark.Node
	}
	book, err := transactions.LoadBook(ctx)
	if err != nil {
		return nil, err
	}
	for address, name := range mark.Validators() {
		book.Name(address, name)
	}
	keys, err := knownKeys(ctx, mark.Accounts)
	if err != nil {
		return nil, err
	}
	for n, key := range keys {
		name := fmt.Sprintf("account %d", n+1)
		book.Name(crypto.PubkeyToAddress(key.PublicKey), name)
		o.Accounts = append(o.Accounts, web.Account{Name: name, Key: key, Member: n < mark.Members})
	}
	if ctx.Bool(settings.DevFlag.Name) {
		book.Name(crypto.PubkeyToAddress(stack.Config().NodeKey().PublicKey), "validator")
	}
	o.Book, o.Contracts, o.Period = book, mark.Contracts, time.Duration(mark.Period)*time.Second
	return o, nil
}

// knownKeys returns the keys of the well-known accounts of a development network.
func knownKeys(ctx *cli.Context, count int) ([]*ecdsa.PrivateKey, error) {
	keys := make([]*ecdsa.PrivateKey, count)
	if ctx.Bool(settings.DevFlag.Name) {
		list, err := devchain.Accounts(ctx.String(settings.DevMnemonicFlag.Name), count)
		if err != nil {
			return nil, fmt.Errorf("--%s: %w", settings.DevMnemonicFlag.Name, err)
		}
		for n, a := range list {
			keys[n] = a.Key
		}
		return keys, nil
	}
	for n := range keys {
		account, err := devnet.NewAccount(n)
		if err != nil {
			return nil, err
		}
		keys[n] = account.Key()
	}
	return keys, nil
}

// ServePage registers the page of a development network, before the node starts. It returns nil for every other
// network.
func ServePage(ctx *cli.Context, stack *node.Node, chain *gethparams.ChainConfig) (*web.Options, error) {
	o, err := developed(ctx, stack, chain)
	if err != nil {
		return nil, err
	}
	if o == nil {
		if ctx.IsSet(settings.ABIFlag.Name) {
			return nil, fmt.Errorf("--%s goes with --%s and gwon devnet: no other network has a page", settings.ABIFlag.Name,
				settings.DevFlag.Name)
		}
		return nil, nil
	}
	o.Client = stack.Attach()
	if ctx.Bool(settings.DevFlag.Name) {
		o.Fund = func(ctx context.Context, to common.Address) (hash common.Hash, err error) {
			return hash, o.Client.CallContext(ctx, &hash, devchain.FundMethod, to)
		}
	} else {
		giver := newFaucet(o)
		o.Fund = func(ctx context.Context, to common.Address) (common.Hash, error) {
			return giver.Fund(ctx, devchain.Address(to))
		}
		stack.RegisterAPIs([]gethrpc.API{{Namespace: "gwon", Service: giver}})
	}
	page, err := web.New(*o)
	if err != nil {
		return nil, err
	}
	stack.RegisterHandler("Page", "GET /", page)
	stack.RegisterHandler("Page", "POST /api/", page)
	return o, nil
}

// faucet gives coins of the last well-known account of a devnet but one. The last one is the payer of the sponsor. The
// method of the faucet is gwon_fund.
type faucet struct {
	client *gethrpc.Client
	giver  web.Account
	one    chan struct{} // a transaction of the giver after the other, for its nonces
}

func newFaucet(o *web.Options) *faucet {
	return &faucet{client: o.Client, giver: o.Accounts[max(0, len(o.Accounts)-2)], one: make(chan struct{}, 1)}
}

// Fund sends the account a thousand coins and returns the hash of the transaction.
func (f *faucet) Fund(ctx context.Context, account devchain.Address) (common.Hash, error) {
	select {
	case f.one <- struct{}{}:
	case <-ctx.Done():
		return common.Hash{}, ctx.Err()
	}
	defer func() { <-f.one }()
	return pay(ctx, f.client, f.giver, common.Address(account))
}

// pay sends the coins of the faucet.
func pay(
	ctx context.Context, client *gethrpc.Client, giver web.Account, to common.Address,
) (hash common.Hash, err error) {
	var (
		nonce          hexutil.Uint64
		tip, price, id hexutil.Big
		from           = crypto.PubkeyToAddress(giver.Key.PublicKey)
	)
	calls := []gethrpc.BatchElem{
		{Method: "eth_getTransactionCount", Args: []any{from, "pending"}, Result: &nonce},
		{Method: "eth_maxPriorityFeePerGas", Result: &tip},
		{Method: "eth_gasPrice", Result: &price},
		{Method: "eth_chainId", Result: &id},
	}
	if err := client.BatchCallContext(ctx, calls); err != nil {
		return hash, err
	}
	for _, c := range calls {
		if c.Error != nil {
			return hash, fmt.Errorf("%s: %w", c.Method, c.Error)
		}
	}
	tx, err := types.SignNewTx(giver.Key, types.LatestSignerForChainID(id.ToInt()), &types.DynamicFeeTx{
		ChainID: id.ToInt(), Nonce: uint64(nonce), To: &to, Value: devchain.FaucetAmount(), Gas: 100_000,
		GasTipCap: tip.ToInt(),
		GasFeeCap: new(big.Int).Lsh(price.ToInt(), 1),
	})
	if err != nil {
		return hash, fmt.Errorf("sign as %s: %w", giver.Name, err)
	}
	raw, err := tx.MarshalBinary()
	if err != nil {
		return hash, fmt.Errorf("encode the transaction: %w", err)
	}
	return tx.Hash(), client.CallContext(ctx, &hash, "eth_sendRawTransaction", hexutil.Bytes(raw))
}
