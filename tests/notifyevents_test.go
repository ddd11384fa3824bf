// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

//go:build nodes

package tests

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/big"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"

	"gwon/consensus/finality"
	"gwon/internal/expect"
	"gwon/internal/must"
	"gwon/pay/notify"
)

// settling returns the code of a kiosk. It logs PaymentSettled with the first two words of its input as merchant and
// order, and the rest as data.
func settling(topic common.Hash) []byte {
	runtime := slices.Concat(common.FromHex("0x60403603806040600037602035600035"), common.FromHex("0x7f"), topic[:],
		common.FromHex("0x836000a300"))
	return slices.Concat([]byte{0x61, 0, byte(len(runtime))}, common.FromHex("0x80600c6000396000f3"), runtime)
}

// Every event of a kiosk reaches its webhook with the proof of its receipt, while the notifier is killed in between.
// The proof is verified from the genesis block on, by this program and by gwon proof verify (docs/develop/notify.md).
// spec: wbft 3.1, 7.5
func TestNotifyOfEvents(t *testing.T) {
	t.Parallel()
	c := startCluster(t, 1)
	c.awaitHead(t, 1, 0)
	genesis := get[*types.Header](t, c, 0, "eth_getBlockByNumber", "0x0", false)
	signer := types.LatestSignerForChainID(new(big.Int).SetUint64(chainID))
	send := func(nonce uint64, to *common.Address, data []byte) *types.Receipt {
		t.Helper()
		tip, feeCap := c.fees(t, 0)
		tx := must.Get(types.SignNewTx(c.network.Accounts[1].Key(), signer, &types.DynamicFeeTx{
			ChainID: signer.ChainID(), Nonce: nonce, GasTipCap: tip, GasFeeCap: feeCap, Gas: 200_000, To: to, Data: data,
		}))(t)
		raw := must.Get(tx.MarshalBinary())(t)
		hash := get[common.Hash](t, c, 0, "eth_sendRawTransaction", hexutil.Bytes(raw))
		r := c.receipt(t, 0, hash)
		must.Equal(t, r.Status, types.ReceiptStatusSuccessful, "transaction %v failed", hash)
		return r
	}
	topic := crypto.Keccak256Hash([]byte("PaymentSettled(address,bytes32,uint256)"))
	kiosk := send(0, nil, settling(topic)).ContractAddress

	var mu sync.Mutex
	delivered := make(map[string]*notify.Event)
	var orders []string // in the order of first deliveries
	var slowest time.Duration
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		var d notify.Delivery
		if err := json.NewDecoder(r.Body).Decode(&d); err != nil {
			return // the notifier was killed
		}
		mu.Lock()
		defer mu.Unlock()
		for _, e := range d.Events {
			if delivered[e.ID] == nil {
				orders = append(orders, fmt.Sprint(e.Arguments[1].Value))
				slowest = max(slowest, time.Since(time.Unix(int64(e.Timestamp), 0))) //nolint:gosec // a time of this test
			}
			delivered[e.ID] = e
		}
	}))
	t.Cleanup(receiver.Close)

	merchant, other := common.Address{0x11}, common.Address{0x22}
	config := fmt.Sprintf(`node = %q
state = "state"
[[webhook]]
label = "kiosk"
url = %q
secret_file = "secret"
contracts = [%q]
proof = true
start = "0"
[[webhook.event]]
signature = "PaymentSettled(address indexed merchant, bytes32 indexed orderId, uint256 amount)"
[webhook.event.where]
merchant = [%q]
`, c.node(0).HTTP(), receiver.URL, kiosk.Hex(), merchant.Hex())
	killNotifier := startNotifier(t, config)

	const payments = 8
	var want []string
	paid := make(map[common.Hash]bool)
	for i := range uint64(payments) {
		order := common.BigToHash(new(big.Int).SetUint64(100 + i))
		to := merchant
		if i == 2 {
			to = other // not asked for
		}
		input := slices.Concat(common.LeftPadBytes(to[:], 32), order[:], common.BigToHash(big.NewInt(5000)).Bytes())
		r := send(i+1, &kiosk, input)
		if to == merchant {
			want = append(want, order.Hex())
			paid[r.TxHash] = true
		}
		if i == 1 || i == 4 {
			killNotifier()
		}
	}
	c.await(t, "all events to be delivered", func() (bool, string) {
		mu.Lock()
		defer mu.Unlock()
		return len(orders) == len(want), fmt.Sprint(orders)
	})
	mu.Lock()
	defer mu.Unlock()
	expect.Slice(t, orders, want, "orders")
	t.Logf("slowest delivery: %v after the time of its block", slowest)
	var proof []byte
	for id, e := range delivered {
		expect.That(t, e.Undecoded == "" && e.Arguments[0].Value == merchant.Hex() && e.Arguments[2].Value == "5000",
			"%s: %v, %s", id, e.Arguments, e.Undecoded)
		decoded, err := finality.Decode(bytes.NewReader(e.Proof))
		if err != nil {
			t.Fatalf("%s: %v, %s", id, err, e.ProofError)
		}
		shown, err := finality.VerifyReceipt(decoded, finality.Trusted{ChainID: big.NewInt(chainID), Hash: genesis.Hash()})
		must.That(t, err == nil, "%s: %v", id, err)
		log := shown.Receipt.Logs[0]
		hash := shown.Transaction.Hash()
		expect.That(t, hash == e.Transaction && paid[hash] && slices.Equal(log.Topics, e.Topics) && log.Address == kiosk &&
			shown.Header.Hash() == e.BlockHash, "%s: proven is %v with %+v", id, hash, log)
		proof = e.Proof
	}
	directory := workDir(t)
	file := filepath.Join(directory, "proof.json")
	must.Do(t, os.WriteFile(file, proof, 0o600))
	out, _, err := gwon(t, directory, "proof", "verify", "--chain", strconv.Itoa(chainID),
		"--trusted", genesis.Hash().Hex(), file)
	expect.That(t, err == nil && strings.Contains(out, "to          "+kiosk.Hex()) &&
		strings.Contains(out, "succeeded, 1 logs"), "%v, %s", err, out)
	var hash common.Hash
	for hash = range paid {
		break
	}
	fetched := filepath.Join(directory, "fetched.json")
	out, _, err = gwon(t, directory, "proof", "receipt", "--rpc", c.node(0).HTTP(), "--chain", strconv.Itoa(chainID),
		"--trusted", genesis.Hash().Hex(), hash.Hex(), fetched)
	expect.That(t, err == nil && strings.Contains(out, "written to"), "%v, %s", err, out)
}
