// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package localnet

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"net"
	"net/http"
	"os"
	"syscall"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	gethrpc "github.com/ethereum/go-ethereum/rpc"

	"gwon/cmd/internal/keys"
	"gwon/dev/devchain"
	"gwon/dev/web"
	"gwon/internal/dial"
	"gwon/internal/door"
	"gwon/internal/release"
)

const pagePort = 2000 // above the port of the first validator

// startPage serves the page of the network, beside its validators. The network goes on without one.
func (w *devnetWatcher) startPage() {
	port := 0
	if first := w.network.Nodes[0].HTTPPort; !w.freePorts && first+pagePort <= 65535 {
		port = first + pagePort
	}
	url, end, err := w.runPage(port)
	if errors.Is(err, syscall.EADDRINUSE) {
		url, end, err = w.runPage(0)
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "No page: %v\n", err)
		return
	}
	w.network.Page, w.page = url, end
}

func (w *devnetWatcher) runPage(port int) (url string, end func() error, err error) {
	listener, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port))
	if err != nil {
		return "", nil, fmt.Errorf("listen: %w", err)
	}
	ctx, cancel := context.WithTimeout(w.until, dial.Timeout)
	defer cancel()
	client, err := gethrpc.DialContext(ctx, w.network.Nodes[0].IPC())
	if err != nil {
		return "", nil, errors.Join(fmt.Errorf("connect to %s: %w", w.network.Nodes[0].Name, err), listener.Close())
	}
	options := w.describePage(client)
	giver := &faucet{options.Client, options.Accounts[max(0, len(options.Accounts)-2)], make(chan struct{}, 1)}
	options.Fund = func(ctx context.Context, to common.Address) (common.Hash, error) {
		return giver.Fund(ctx, devchain.Address(to))
	}
	methods := gethrpc.NewServer()
	if err := methods.RegisterName("gwon", giver); err != nil {
		return "", nil, errors.Join(fmt.Errorf("register the faucet: %w", err), listener.Close())
	}
	options.Methods = methods
	page, err := web.New(options)
	if err != nil {
		return "", nil, errors.Join(err, listener.Close())
	}
	server := door.NewServer(page)
	server.WriteTimeout = 0 // of a stream of events
	listener = door.ForClients(listener)
	go func() {
		if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			fmt.Fprintf(os.Stderr, "Page failed: %v\n", err)
		}
	}()
	return "http://" + listener.Addr().String() + "/", func() error {
		ending, cancel := context.WithTimeout(context.Background(), 5*time.Second) // Ctrl-C waits for it
		defer cancel()
		err := server.Shutdown(ending)
		if errors.Is(err, context.DeadlineExceeded) { // a browser that reads slowly
			err = server.Close()
		}
		methods.Stop()
		client.Close()
		return err
	}, nil
}

// describePage describes the network to its page, which shows it as the first validator sees it.
func (w *devnetWatcher) describePage(client *gethrpc.Client) web.Options {
	first := w.network.Nodes[0]
	o := web.Options{
		Client: client, RPC: first.HTTP(), Book: w.book, Network: "devnet", Node: first.Name, Version: release.Version(),
		Contracts: w.network.Contracts, Period: w.network.Period,
	}
	for i, a := range w.network.Accounts {
		name := fmt.Sprintf("%s%d", keys.DevnetPrefix, i+1)
		o.Accounts = append(o.Accounts, web.Account{Name: name, Key: a.Key(), Member: a.Member})
	}
	return o
}

// faucet gives coins of the last well-known account of a devnet but one. The last one is the payer of the sponsor. The
// method of the faucet is gwon_fund.
type faucet struct {
	client *gethrpc.Client
	giver  web.Account
	one    chan struct{} // a transaction of the giver after the other, for its nonces
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
