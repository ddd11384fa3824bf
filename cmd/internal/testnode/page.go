// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package testnode

import (
	"context"
	"fmt"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/node"

	"gwon/cmd/internal/datadir"
	"gwon/cmd/internal/feed"
	"gwon/cmd/internal/keys"
	"gwon/dev/devchain"
	"gwon/dev/web"
	"gwon/internal/release"
)

// describe describes the chain to its page.
func (c *Chain) describe(stack *node.Node) (*web.Options, error) {
	book, err := feed.LoadBook(c.ctx)
	if err != nil {
		return nil, err
	}
	o := &web.Options{
		Book: book, Network: "developer chain", Version: release.Version(), Client: stack.Attach(),
		Contracts: c.ctx.String(datadir.ContractsVersionFlag.Name), Period: c.ctx.Duration(periodFlag.Name),
	}
	prefix := keys.DevPrefix
	if c.ctx.IsSet(mnemonicFlag.Name) { // whose accounts the commands do not know
		prefix = "account "
	}
	for n, a := range c.accounts {
		name := fmt.Sprintf("%s%d", prefix, n+1)
		book.Name(a.Address, name)
		o.Accounts = append(o.Accounts, web.Account{Name: name, Key: a.Key(), Member: n == 0 && c.fork == nil})
	}
	book.Name(crypto.PubkeyToAddress(stack.Config().NodeKey().PublicKey), "validator")
	o.Fund = func(ctx context.Context, to common.Address) (hash common.Hash, err error) {
		return hash, o.Client.CallContext(ctx, &hash, devchain.FundMethod, to)
	}
	return o, nil
}

// Serve implements nodestart.OwnChain: it registers the page.
func (c *Chain) Serve(stack *node.Node) (err error) {
	if c.page, err = c.describe(stack); err != nil {
		return err
	}
	page, err := web.New(*c.page)
	if err != nil {
		return err
	}
	stack.RegisterHandler("Page", "GET /", page)
	stack.RegisterHandler("Page", "POST /api/", page)
	return nil
}
