// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package notify

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"gwon/consensus/finality"
	"gwon/consensus/finality/remotestate"
	"gwon/consensus/finality/remotestate/remotetest"
	"gwon/internal/expect"
	"gwon/internal/follow"
	"gwon/internal/must"
)

// payment is a log of the coin.
func payment(from, to common.Address, value int64) *types.Log {
	return &types.Log{
		Address: coin, Data: common.BigToHash(big.NewInt(value)).Bytes(),
		Topics: []common.Hash{transferTopic, common.BytesToHash(from[:]), common.BytesToHash(to[:])},
	}
}

// newSealed returns a sealed chain with a payment to account 3 in every second block, and the IDs of those payments and
// of what has the name of one.
func newSealed(t *testing.T, blocks int) (c *remotetest.Chain, want []string) {
	t.Helper()
	c = remotetest.New(t, testChain)
	for i := range blocks {
		logs := []*types.Log{payment(account(1), account(2), 5)}
		if i%2 == 1 {
			logs = append(logs, payment(account(1), account(3), int64(i)), payment(account(1), account(3), 0),
				payment(account(1), account(3), 9))
			logs[3].Topics = append(logs[3].Topics, common.Hash{}) // as of ERC-721
		}
		block := c.Grow(t, nil, logs)
		if i%2 == 1 {
			want = append(want, fmt.Sprintf("%v-1", block.Hash()), fmt.Sprintf("%v-3", block.Hash()))
		}
	}
	return c, want
}

// provenUntil runs a service that reads from nodes until it ends or the receiver has the transfers, and returns why it
// has ended.
func provenUntil(t *testing.T, c *remotetest.Chain, config *Config, r *receiver, want []string,
	nodes ...*remotetest.Node,
) error {
	t.Helper()
	s := must.Get(NewProven(config, c.Open(t, remotestate.Options{Memory: Memory}, nodes...)))(t)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	ended := make(chan error, 1)
	go func() { ended <- s.Run(ctx) }()
	for len(want) == 0 || !slices.Equal(r.distinct(), want) {
		select {
		case <-r.arrived:
			continue
		case <-ctx.Done():
			t.Errorf("%d transfers delivered, want %d: %+v", len(r.distinct()), len(want), s.Status())
		case err := <-ended:
			return errors.Join(err, s.Close())
		}
		break
	}
	cancel()
	return errors.Join(<-ended, s.Close(), r.failed)
}

// Every payment that seals prove is delivered, in order, from nodes that are not trusted. Its proof is made here.
//
// spec: wbft 3.1, 7.5
func TestProvenTransfersAreDelivered(t *testing.T) {
	c, want := newSealed(t, 20)
	for _, proof := range []bool{false, true} {
		t.Run(fmt.Sprintf("proof %t", proof), func(t *testing.T) {
			r, config := newReceiver(t, "unused", Webhook{Addresses: []common.Address{account(3)}, Start: "0", Proof: proof})
			most := want
			if proof {
				most = want[:len(want)-2] // the last block has no child
			}
			must.Do(t, provenUntil(t, c, config, r, most, c.Serve(t, nil)))
			for i, at := range r.places {
				expect.That(t, at.BlockHash == c.Block(at.Block).Hash() && at.Timestamp == c.Block(at.Block).Time(),
					"%s: block %v at %d", at.ID, at.BlockHash, at.Timestamp)
				if !proof {
					continue
				}
				decoded, err := finality.Decode(bytes.NewReader(at.Proof))
				if err != nil {
					t.Fatalf("notice %d: %v, %s", i, err, at.ProofError)
				}
				executed, err := finality.VerifyReceipt(decoded,
					finality.Trusted{ChainID: c.Config().ChainID, Hash: c.Genesis().Hash()})
				expect.That(t, err == nil && executed.Transaction.Hash() == at.Transaction, "notice %d: %v", i, err)
			}
		})
	}
}

// eachLog returns a lie about each log of receipts.
func eachLog(change func(log map[string]any)) func(string, any) any {
	return func(method string, answer any) any {
		receipts, isList := answer.([]any)
		if method != "eth_getBlockReceipts" || !isList {
			return answer
		}
		for _, r := range receipts {
			for _, l := range r.(map[string]any)["logs"].([]any) {
				change(l.(map[string]any))
			}
		}
		return answer
	}
}

// No lie of a node leads to a delivery or hides one: the node is named, and nothing is delivered without another one.
//
// spec: wbft 7.1, 7.5
func TestLiesCauseNoDelivery(t *testing.T) {
	c, want := newSealed(t, 4)
	lies := []struct {
		name string
		lie  func(method string, answer any) any
	}{
		{"another amount", eachLog(func(l map[string]any) { l["data"] = common.BigToHash(big.NewInt(1e9)).Hex() })},
		{"another receiver", eachLog(func(l map[string]any) {
			to := account(3)
			l["topics"].([]any)[2] = common.BytesToHash(to[:]).Hex()
		})},
		{"another contract", eachLog(func(l map[string]any) { l["address"] = common.Address{7}.Hex() })},
		{"another transaction", eachLog(func(l map[string]any) { l["transactionHash"] = common.Hash{7}.Hex() })},
		{"another log index", eachLog(func(l map[string]any) { l["logIndex"] = "0x63" })},
		{"a forged transfer", func(method string, answer any) any {
			if receipts, isList := answer.([]any); method == "eth_getBlockReceipts" && isList {
				first, last := receipts[0].(map[string]any), receipts[1].(map[string]any)
				first["logs"], first["logsBloom"] = last["logs"], last["logsBloom"]
			}
			return answer
		}},
		{"a hidden transfer", remotetest.Alter("eth_getBlockReceipts", map[string]any{
			"logs": []any{}, "logsBloom": "0x" + strings.Repeat("00", types.BloomByteLength),
		})},
		{"hidden receipts", func(method string, answer any) any {
			if method == "eth_getBlockReceipts" {
				return []any{}
			}
			return answer
		}},
		{"a block without transfers", func(method string, answer any) any {
			if block, isObject := answer.(map[string]any); method == "eth_getBlockByNumber" && isObject {
				block["logsBloom"] = "0x" + strings.Repeat("00", types.BloomByteLength)
			}
			return answer
		}},
		{"another sealed block", func(method string, answer any) any {
			if proof, isObject := answer.(map[string]any); method == "istanbul_getFinalityProof" && isObject {
				block := proof["block"].(map[string]any)["header"].(map[string]any)
				block["receiptsRoot"] = common.Hash{7}.Hex()
			}
			return answer
		}},
	}
	for _, test := range lies {
		t.Run(test.name, func(t *testing.T) {
			w := Webhook{Addresses: []common.Address{account(3)}, Start: "0"}
			liar := c.Serve(t, test.lie)
			r, config := newReceiver(t, "unused", w)
			err := provenUntil(t, c, config, r, nil, liar)
			expect.That(t, errors.Is(err, remotestate.ErrLeft) && strings.Contains(err.Error(), liar.URL),
				"the service ended with %v, want the name of the liar", err)
			got := r.distinct()
			expect.That(t, len(got) == 0, "%d transfers delivered", len(got))
			r, config = newReceiver(t, "unused", w)
			expect.Error(t, provenUntil(t, c, config, r, want, liar, c.Serve(t, nil)), nil, "beside an honest node")
		})
	}
}

// Another chain than the one of the configuration ends the service, whatever proves its blocks.
func TestOtherChainThanWantedIsRefused(t *testing.T) {
	c, _ := newSealed(t, 4)
	r, config := newReceiver(t, "unused", Webhook{Addresses: []common.Address{account(3)}, Start: "0"})
	config.Chain = testChain + 1
	err := provenUntil(t, c, config, r, nil, c.Serve(t, nil))
	if !errors.Is(err, follow.ErrOtherChain) || len(r.distinct()) > 0 {
		t.Errorf("%v with %d transfers delivered", err, len(r.distinct()))
	}
}

// A proof that cannot be made is no reason to keep a payment back: its place says why there is none.
func TestProvenNoticeWithoutProof(t *testing.T) {
	c, want := newSealed(t, 8)
	r, config := newReceiver(t, "unused", Webhook{
		Addresses: []common.Address{account(3)}, Start: "0", Proof: true, Trusted: "6",
	})
	must.Do(t, provenUntil(t, c, config, r, want[:6], c.Serve(t, nil)))
	for _, at := range r.places {
		if at.Block < 5 && (!strings.Contains(at.ProofError, "older than the trusted") || at.Proof != nil) {
			t.Errorf("block %d: %s %s", at.Block, at.ProofError, at.Proof)
		}
		expect.That(t, at.Block != 6 || at.Proof != nil, "block 6: %s", at.ProofError)
	}
}
