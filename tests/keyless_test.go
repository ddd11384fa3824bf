// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

//go:build nodes && unix

package tests

import (
	"bytes"
	"math/big"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	gethparams "github.com/ethereum/go-ethereum/params"

	"gwon/dev/devchain"
	"gwon/internal/expect"
	"gwon/internal/must"
)

// TestKeylessDeployment deploys a contract by a transaction whose signature was made up, so that it names no chain.
// Development networks accept it at a gas price that pays the governed tip, and refuse it at another one with the
// figures.
// EIP-155; spec: transactions 4.1
func TestKeylessDeployment(t *testing.T) {
	t.Parallel()
	for _, network := range []string{"devnet", "dev"} {
		t.Run(network, func(t *testing.T) {
			t.Parallel()
			c := prepareCluster(t, 1)
			if network == "dev" {
				startDev(t, c)
			} else {
				c.start(t, 0)
				c.awaitHead(t, 1, 0)
			}
			c.awaitHead(t, 0, 0)
			_, enough := c.fees(t, 0)
			cheap := big.NewInt(100 * gethparams.GWei) // that of most deployments of this kind
			raw, sender := keyless(t, cheap)
			fund := func(address common.Address) {
				var hash common.Hash
				if network == "dev" {
					c.must(t, 0, &hash, "gwon_fund", address)
				} else {
					c.must(t, 0, &hash, "eth_sendTransaction", map[string]any{
						"from": c.network.Accounts[0].Address, "to": address, "value": (*hexutil.Big)(devchain.FaucetAmount()),
					})
				}
				c.receipt(t, 0, hash)
			}
			fund(sender)
			var hash common.Hash
			err := c.call(0, &hash, "eth_sendRawTransaction", raw)
			expect.That(t, err != nil && strings.Contains(err.Error(), "100000000000") &&
				strings.Contains(err.Error(), "27600000000000"), "at a gas price of %v wei: %v, error %v", cheap, hash, err)
			raw, sender = keyless(t, enough)
			fund(sender)
			c.must(t, 0, &hash, "eth_sendRawTransaction", raw)
			receipt := c.receipt(t, 0, hash)
			code := get[hexutil.Bytes](t, c, 0, "eth_getCode", crypto.CreateAddress(sender, 0), "latest")
			expect.That(t, receipt.Status == types.ReceiptStatusSuccessful && len(code) == 1,
				"receipt %+v, code %v", receipt, code)
		})
	}
}

// keyless returns a deployment of a one-byte contract, and the account that its signature belongs to.
func keyless(t *testing.T, gasPrice *big.Int) (hexutil.Bytes, common.Address) {
	t.Helper()
	number := bytes.Repeat([]byte{0x22}, 32)
	tx := types.NewTx(&types.LegacyTx{
		GasPrice: gasPrice, Gas: 100_000, Data: []byte{0x60, 0x01, 0x60, 0x00, 0xf3}, // RETURN(0, 1)
		V: big.NewInt(27), R: new(big.Int).SetBytes(number), S: new(big.Int).SetBytes(number),
	})
	sender := must.Get(types.Sender(types.HomesteadSigner{}, tx))(t)
	raw := must.Get(tx.MarshalBinary())(t)
	return raw, sender
}
