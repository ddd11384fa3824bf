// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package sdk

import (
	"bufio"
	"bytes"
	"encoding/json"
	"flag"
	"math/big"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"

	"gwon/internal/must"
)

var (
	count  = flag.Int("sdk.count", 10_000, "random transactions to compare")
	seed   = flag.Uint64("sdk.seed", 1, "seed of the random transactions")
	needJS = flag.Bool("sdk.js", false, "fail, and do not skip, when the JavaScript library is not built")
)

// line describes a transaction and the keys that sign it (sdk/testdata/README.md).
type line struct {
	ChainID              *hexutil.Big     `json:"chainId"`
	Nonce                hexutil.Uint64   `json:"nonce"`
	To                   *common.Address  `json:"to"`
	Value                *hexutil.Big     `json:"value"`
	Data                 hexutil.Bytes    `json:"data"`
	Gas                  hexutil.Uint64   `json:"gas"`
	MaxFeePerGas         *hexutil.Big     `json:"maxFeePerGas"`
	MaxPriorityFeePerGas *hexutil.Big     `json:"maxPriorityFeePerGas"`
	AccessList           types.AccessList `json:"accessList"`
	SenderKey            hexutil.Bytes    `json:"senderKey"`
	FeePayerKey          hexutil.Bytes    `json:"feePayerKey"`
}

// answer is what the transaction becomes.
type answer struct {
	SenderHash common.Hash   `json:"senderHash"`
	Raw        hexutil.Bytes `json:"raw"`
	Hash       common.Hash   `json:"hash"`
}

// generator draws transactions with many zeros, ones and full widths in them, where encodings differ.
type generator struct{ *rand.Rand }

func (g generator) bytes(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(g.Uint32())
	}
	return b
}

// integer draws an integer of up to so many bits; small ones as often as large ones.
func (g generator) integer(bits int) *big.Int {
	n := g.IntN(bits + 1)
	if n == 0 {
		return new(big.Int)
	}
	x := new(big.Int).SetBytes(g.bytes((n + 7) / 8))
	x.And(x, new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), uint(n)), big.NewInt(1)))
	return x.SetBit(x, n-1, 1)
}

func (g generator) key() []byte {
	for {
		secret := g.bytes(32)
		if _, err := crypto.ToECDSA(secret); err == nil {
			return secret
		}
	}
}

func (g generator) line() *line {
	tip, feeCap := g.integer(256), g.integer(256)
	if tip.Cmp(feeCap) > 0 {
		tip, feeCap = feeCap, tip
	}
	l := &line{
		ChainID: (*hexutil.Big)(new(big.Int).Add(g.integer(52), big.NewInt(1))),
		Nonce:   hexutil.Uint64(g.integer(53).Uint64()),
		Value:   (*hexutil.Big)(g.integer(256)), Data: g.bytes([]int{0, 1, 4, 55, 56, 300}[g.IntN(6)]),
		Gas:          hexutil.Uint64(g.integer(53).Uint64()),
		MaxFeePerGas: (*hexutil.Big)(feeCap), MaxPriorityFeePerGas: (*hexutil.Big)(tip),
		AccessList: types.AccessList{}, SenderKey: g.key(), FeePayerKey: g.key(),
	}
	if g.IntN(8) > 0 {
		to := common.BytesToAddress(g.bytes(20))
		l.To = &to
	}
	if len(l.Data) == 1 {
		l.Data[0] &= 0x8f // both sides of 0x80, where a byte gets a prefix
	}
	for range g.IntN(4) {
		entry := types.AccessTuple{Address: common.BytesToAddress(g.bytes(20)), StorageKeys: []common.Hash{}}
		for range g.IntN(3) {
			entry.StorageKeys = append(entry.StorageKeys, common.BytesToHash(g.bytes(32)))
		}
		l.AccessList = append(l.AccessList, entry)
	}
	return l
}

// sign makes the transaction with the node's own types.
func (l *line) sign(t *testing.T) answer {
	t.Helper()
	senderKey := must.Get(crypto.ToECDSA(l.SenderKey))(t)
	payerKey := must.Get(crypto.ToECDSA(l.FeePayerKey))(t)
	chainID := l.ChainID.ToInt()
	sender := must.Get(types.SignNewTx(senderKey, types.NewLondonSigner(chainID), &types.DynamicFeeTx{
		ChainID: chainID, Nonce: uint64(l.Nonce),
		GasTipCap: l.MaxPriorityFeePerGas.ToInt(), GasFeeCap: l.MaxFeePerGas.ToInt(),
		Gas: uint64(l.Gas), To: l.To, Value: l.Value.ToInt(), Data: l.Data, AccessList: l.AccessList,
	}))(t)
	tx := must.Get(types.WrapFeeDelegated(sender, crypto.PubkeyToAddress(payerKey.PublicKey)))(t)
	tx = must.Get(types.SignTx(tx, types.NewFeeDelegateSigner(chainID), payerKey))(t)
	raw := must.Get(tx.MarshalBinary())(t)
	must.Equal(t, *tx.SenderTransactionHash(), sender.Hash(),
		"sender's hash %v, want %v", tx.SenderTransactionHash(), sender.Hash())
	return answer{sender.Hash(), raw, tx.Hash()}
}

// TestRandomTransactionsAreEqual has node, Go library and JavaScript library sign the same transactions: bytes and
// hashes are the same.
// spec: transactions 1.2
func TestRandomTransactionsAreEqual(t *testing.T) {
	n := *count
	if testing.Short() {
		n = min(n, 200)
	}
	root := must.Get(filepath.Abs(filepath.Join("..", "..")))(t)
	g := generator{rand.New(rand.NewPCG(*seed, 0))}
	var lines bytes.Buffer
	encoder, want := json.NewEncoder(&lines), make([]answer, n)
	for i := range n {
		l := g.line()
		must.Do(t, encoder.Encode(l))
		want[i] = l.sign(t)
	}
	t.Run("go", func(t *testing.T) {
		if os.Getenv("GWON_TEST_SDK") == "" {
			t.Skip("make smoke-sdk and make sdk-go run this test, which compiles go-ethereum as it is upstream")
		}
		binary := filepath.Join(t.TempDir(), "random")
		build := exec.Command("go", "build", "-o", binary, "./internal/random")
		build.Dir, build.Env = filepath.Join(root, "sdk", "go"), append(os.Environ(), "GOWORK=off")
		out, err := build.CombinedOutput()
		must.That(t, err == nil, "build the Go library's program: %v\n%s", err, out)
		compare(t, exec.Command(binary), lines.Bytes(), want)
	})
	t.Run("javascript", func(t *testing.T) {
		node, err := exec.LookPath("node")
		if err != nil {
			t.Skip("node is not installed: the JavaScript library is not compared")
		}
		script := filepath.Join(root, "sdk", "js")
		for _, dir := range []string{"dist", "node_modules"} {
			if _, err := os.Stat(filepath.Join(script, dir)); err != nil && *needJS {
				t.Fatalf("sdk/js/%s is missing: run make sdk before", dir)
			} else if err != nil {
				t.Skipf("sdk/js/%s is missing: run make sdk before, to compare the JavaScript library", dir)
			}
		}
		command := exec.Command(node, filepath.Join("test", "random.mjs"))
		command.Dir = script
		compare(t, command, lines.Bytes(), want)
	})
}

// compare runs a program with the lines on standard input and compares its answers.
func compare(t *testing.T, command *exec.Cmd, lines []byte, want []answer) {
	t.Helper()
	var problems bytes.Buffer
	command.Stdin, command.Stderr = bytes.NewReader(lines), &problems
	out, err := command.Output()
	must.That(t, err == nil, "%v\n%s", err, problems.String())
	answers := bufio.NewScanner(bytes.NewReader(out))
	i := 0
	for ; answers.Scan(); i++ {
		var got answer
		must.Do(t, json.Unmarshal(answers.Bytes(), &got), "answer", i)
		must.That(t, i < len(want), "more than %d answers", len(want))
		must.That(t, got.SenderHash == want[i].SenderHash && got.Hash == want[i].Hash && bytes.Equal(got.Raw, want[i].Raw),
			"transaction %d of seed %d:\ngot  %+v\nwant %+v", i, *seed, got, want[i])
	}
	err = answers.Err()
	must.That(t, err == nil && i == len(want), "%d answers of %d, error %v", i, len(want), err)
}
