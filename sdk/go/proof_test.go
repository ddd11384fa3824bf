// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package wkrc

import (
	"encoding/json"
	"errors"
	"math/big"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/rpc"
)

// proofVector is a proof that a node's code made, and what it says.
type proofVector struct {
	Name    string `json:"name"`
	Trusted struct {
		ChainID int64          `json:"chainId"`
		Number  hexutil.Uint64 `json:"number"`
		Hash    common.Hash    `json:"hash"`
	} `json:"trusted"`
	Proof   json.RawMessage `json:"proof"`
	Payment *struct {
		BlockNumber uint64          `json:"blockNumber"`
		BlockHash   common.Hash     `json:"blockHash"`
		Time        uint64          `json:"time"`
		Hash        common.Hash     `json:"hash"`
		From        common.Address  `json:"from"`
		To          *common.Address `json:"to"`
		Value       string          `json:"value"`
		FeePayer    *common.Address `json:"feePayer"`
		Succeeded   bool            `json:"succeeded"`
		Transfers   []struct {
			Contract, From, To common.Address
			Value              string
		} `json:"transfers"`
	} `json:"payment"`
	Refused string `json:"refused"`
}

func (v *proofVector) checkpoint() Checkpoint {
	return Checkpoint{big.NewInt(v.Trusted.ChainID), uint64(v.Trusted.Number), v.Trusted.Hash}
}

func proofVectors(t testing.TB) []proofVector {
	t.Helper()
	content := must(os.ReadFile(filepath.Join("..", "testdata", "proofs.json")))(t)
	var file struct{ Vectors []proofVector }
	if err := json.Unmarshal(content, &file); err != nil || len(file.Vectors) < 20 {
		t.Fatalf("%d vectors, %v", len(file.Vectors), err)
	}
	return file.Vectors
}

// Proofs of a node's code are verified, and lies are refused with the word that names them. spec: wbft 2.5, 3.1, 7.5
func TestVerifyPayment(t *testing.T) {
	for _, v := range proofVectors(t) {
		t.Run(v.Name, func(t *testing.T) {
			p, err := VerifyPayment(v.Proof, v.checkpoint())
			var refused *ProofError
			if v.Refused != "" {
				if !errors.As(err, &refused) || refused.Code != v.Refused || p != nil {
					t.Errorf("%v, want %s", err, v.Refused)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			want := v.Payment
			if p.BlockNumber != want.BlockNumber || p.BlockHash != want.BlockHash || p.Time != want.Time ||
				p.Hash != want.Hash || p.From != want.From || !reflect.DeepEqual(p.To, want.To) ||
				p.Value.String() != want.Value || !reflect.DeepEqual(p.FeePayer, want.FeePayer) ||
				p.Succeeded != want.Succeeded || len(p.Transfers) != len(want.Transfers) {
				t.Errorf("%+v, want %+v", p, want)
			}
			for i, transfer := range want.Transfers {
				value, _ := new(big.Int).SetString(transfer.Value, 10)
				if got := p.Transfers[i]; got.Contract != transfer.Contract || got.From != transfer.From ||
					got.To != transfer.To || got.Value.Cmp(value) != 0 {
					t.Errorf("transfer %d: %+v, want %+v", i, got, transfer)
				}
				if !p.Paid(transfer.Contract, transfer.To, value) || p.Paid(transfer.To, transfer.To, value) ||
					p.Paid(transfer.Contract, common.Address{}, value) ||
					p.Paid(transfer.Contract, transfer.To, new(big.Int).Add(value, common.Big1)) {
					t.Errorf("transfer %d is not judged by contract, recipient and value", i)
				}
			}
		})
	}
}

// A checkpoint without a chain is none.
func TestCheckpointNamesItsChain(t *testing.T) {
	v := proofVectors(t)[0]
	trusted := v.checkpoint()
	trusted.ChainID = nil
	var refused *ProofError
	if _, err := VerifyPayment(v.Proof, trusted); !errors.As(err, &refused) || refused.Code != "trust" {
		t.Error(err)
	}
}

// bytesOf matches bytes in the JSON of a proof.
var bytesOf = regexp.MustCompile(`"0x[0-9a-f]{2,}"`)

// A byte that is altered anywhere leads to a refusal. The seals of trusted headers, the hash that a node writes beside
// a header, and the case of digits mean nothing: the payment is the same then.
func TestAlteredProofs(t *testing.T) {
	vectors := proofVectors(t)
	vectors = slices.DeleteFunc(vectors, func(v proofVector) bool { return v.Refused != "" })
	random := rand.New(rand.NewPCG(1, 2))
	refusals := 0
	const rounds = 250
	for range rounds {
		v := vectors[random.IntN(len(vectors))]
		places := bytesOf.FindAllIndex(v.Proof, -1)
		place := places[random.IntN(len(places))]
		altered := slices.Clone(v.Proof)
		at := place[0] + 3 + random.IntN(place[1]-place[0]-4)
		for altered[at] == v.Proof[at] {
			altered[at] = "0123456789abcdef"[random.IntN(16)]
		}
		p, err := VerifyPayment(altered, v.checkpoint())
		if err != nil {
			refusals++
			continue
		}
		if want, _ := VerifyPayment(v.Proof, v.checkpoint()); !reflect.DeepEqual(plain(p), plain(want)) {
			t.Fatalf("%s: accepted with byte %d altered, near %s", v.Name, at, v.Proof[max(0, place[0]-40):place[0]+20])
		}
	}
	if refusals < rounds*2/3 {
		t.Errorf("%d of %d refused", refusals, rounds)
	}
}

// plain returns a payment without the pointers into its transaction.
func plain(p *Payment) Payment {
	c := *p
	c.Transaction = nil
	return c
}

// Text that is no proof is refused without a panic.
func FuzzVerifyPayment(f *testing.F) {
	vectors := proofVectors(f)
	f.Add([]byte(vectors[0].Proof))
	f.Add([]byte(`{"version":1,"origin":[null],"epochs":[{}],"block":{},"receipt":{"index":"0x0"}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := VerifyPayment(data, vectors[0].checkpoint())
		if err == nil && p.Hash == (common.Hash{}) {
			t.Fatal("an empty payment")
		}
	})
}

// provingNode answers with a vector, after it has refused.
type provingNode struct {
	v      proofVector
	newest int // refusals to come
}

func (n *provingNode) GetReceiptProof(hash, trusted common.Hash) (json.RawMessage, error) {
	if n.newest > 0 {
		n.newest--
		return nil, errors.New("block 3 is the newest: its child, with which the proof is made, comes within seconds: " +
			"ask again")
	}
	if hash != n.v.Payment.Hash || trusted != n.v.Trusted.Hash {
		return nil, errors.New("unknown transaction")
	}
	return n.v.Proof, nil
}

// A client fetches the proof that VerifyPayment verifies. It waits for the child of the newest block.
func TestReceiptProof(t *testing.T) {
	v := proofVectors(t)[0]
	server := rpc.NewServer()
	do(t, server.RegisterName("istanbul", &provingNode{v, 2}))
	t.Cleanup(server.Stop)
	client := NewClient(rpc.DialInProc(server))
	proof := must(client.ReceiptProof(t.Context(), v.Payment.Hash, v.checkpoint()))(t)
	if p, err := VerifyPayment(proof, v.checkpoint()); err != nil || p.Hash != v.Payment.Hash {
		t.Errorf("%v, %v", p, err)
	}
	if _, err := client.ReceiptProof(t.Context(), common.Hash{}, v.checkpoint()); err == nil {
		t.Error("an unknown transaction is proven")
	}
}
