// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package contracts

import (
	"bytes"
	"encoding/json"
	"math"
	"math/big"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/state"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/core/vm/runtime"
	gethparams "github.com/ethereum/go-ethereum/params"
	"github.com/ethereum/go-ethereum/rlp"
	"github.com/supranational/blst/bindings/go"

	"gwon/internal/expect"
	"gwon/internal/must"
)

// Arguments of PaymentVerifier.
type (
	verifierKey = [4][32]byte

	verifierMember struct {
		Account common.Address
		Key     verifierKey
	}

	verifierSeal struct {
		Sealers   []byte
		Signature [8][32]byte
	}

	verifierSealed struct {
		Header              []byte
		Order               []uint16
		Prepared, Committed verifierSeal
	}

	verifierInclusion struct {
		Header          []byte
		Index           uint64
		Transaction     []byte
		TransactionPath [][]byte
		Receipt         []byte
		ReceiptPath     [][]byte
	}

	verifierPayment struct {
		Number, Time               uint64
		BlockHash, TransactionHash [32]byte
		Succeeded                  bool
		Transfers                  []struct {
			Token, From, To common.Address
			Value           *big.Int
		}
	}
)

type sealedHeader struct {
	Header     *types.Header    `json:"header"`
	Validators []common.Address `json:"validators"`
}

// receiptVector is a proof of the vectors that the SDKs share.
type receiptVector struct {
	Name    string `json:"name"`
	Trusted struct {
		ChainID int64 `json:"chainId"`
	} `json:"trusted"`
	Proof struct {
		Origin  []*types.Header `json:"origin"`
		Epochs  []sealedHeader  `json:"epochs"`
		Block   sealedHeader    `json:"block"`
		Receipt struct {
			Header          *types.Header   `json:"header"`
			Index           hexutil.Uint64  `json:"index"`
			Transaction     hexutil.Bytes   `json:"transaction"`
			TransactionPath []hexutil.Bytes `json:"transactionPath"`
			Receipt         hexutil.Bytes   `json:"receipt"`
			ReceiptPath     []hexutil.Bytes `json:"receiptPath"`
		} `json:"receipt"`
	} `json:"proof"`
	Payment struct {
		BlockNumber uint64      `json:"blockNumber"`
		BlockHash   common.Hash `json:"blockHash"`
		Time        uint64      `json:"time"`
		Hash        common.Hash `json:"hash"`
		Succeeded   bool        `json:"succeeded"`
		Transfers   []struct {
			Contract, From, To common.Address
			Value              string
		} `json:"transfers"`
	} `json:"payment"`
	Refused string `json:"refused"`
}

func receiptVectors(t *testing.T) []receiptVector {
	t.Helper()
	content := must.Get(os.ReadFile(filepath.Join("..", "sdk", "testdata", "proofs.json")))(t)
	var file struct{ Vectors []receiptVector }
	must.Do(t, json.Unmarshal(content, &file))
	return file.Vectors
}

// lies are vectors whose points can be given to the contract, with the error of the contract.
var lies = map[string]string{
	"seals of two of four":                                    "NotSealed",
	"another ancestor than the parent":                        "NotParent",
	"the sealed block itself":                                 "NotParent",
	"a block that was replaced":                               "NotParent",
	"a transaction of the sealed block":                       "NotInBlock",
	"a transaction for any chain in a block of another chain": "OtherChain",
}

// maxAge is the age of epoch blocks that the contracts of these tests trust, in seconds.
const maxAge = 1000

// verifier is a PaymentVerifier on a chain with the rules of Prague.
type verifier struct {
	abi     abi.ABI
	config  *runtime.Config
	address common.Address
	lists   map[uint64][]verifierMember // by epoch block
	gas     uint64                      // of the last call
}

func newVerifier(t *testing.T, p *receiptVector, change func(header []byte, keys []verifierKey)) (*verifier, error) {
	t.Helper()
	trusted := p.Proof.Origin[0]
	content := must.Get(os.ReadFile(filepath.Join("proof", "artifacts", "paymentVerifier.json")))(t)
	var artifact struct {
		ABI      abi.ABI       `json:"abi"`
		Creation hexutil.Bytes `json:"creation"`
	}
	must.Do(t, json.Unmarshal(content, &artifact))
	rules := *gethparams.MergedTestChainConfig
	rules.OsakaTime, rules.BPO1Time, rules.BPO2Time, rules.AmsterdamTime = nil, nil, nil, nil
	statedb := must.Get(state.New(types.EmptyRootHash, state.NewDatabaseForTesting()))(t)
	v := &verifier{abi: artifact.ABI, lists: make(map[uint64][]verifierMember)}
	v.config = &runtime.Config{ChainConfig: &rules, State: statedb, GasLimit: math.MaxInt32, Time: trusted.Time + maxAge}
	header, keys := encoded(t, trusted), v.appoint(t, trusted)
	hash := trusted.Hash()
	change(header, keys)
	input, err := v.abi.Pack("", big.NewInt(p.Trusted.ChainID), uint64(maxAge), header, hash, keys)
	must.Do(t, err)
	_, v.address, _, err = runtime.Create(append(slices.Clone(artifact.Creation), input...), v.config)
	return v, err
}

func encoded(t *testing.T, h *types.Header) []byte {
	t.Helper()
	return must.Get(rlp.EncodeToBytes(h))(t)
}

// appoint notes the validators of an epoch block, and returns their keys.
func (v *verifier) appoint(t *testing.T, epoch *types.Header) (keys []verifierKey) {
	t.Helper()
	extra, err := epoch.WBFTExtra()
	must.That(t, err == nil && extra.EpochInfo != nil, "block %d: %v", epoch.Number, err)
	var list []verifierMember
	for i, compressed := range extra.EpochInfo.BLSPublicKeys {
		point := new(blst.P1Affine).Uncompress(compressed)
		must.That(t, point != nil, "no point")
		var key verifierKey
		place(key[:], point.Serialize(), 0, 1)
		keys = append(keys, key)
		list = append(list, verifierMember{extra.EpochInfo.Candidates[extra.EpochInfo.Validators[i]].Address, key})
	}
	v.lists[epoch.Number.Uint64()] = list
	return keys
}

// place writes coordinates of 48 bytes, in an order, as words of the precompiles.
func place(words [][32]byte, coordinates []byte, order ...int) {
	for to, from := range order {
		part := coordinates[48*from : 48*from+48]
		copy(words[2*to][16:], part[:16])
		copy(words[2*to+1][:], part[16:])
	}
}

// sealed returns a header with its seals, as the validators of an epoch block have made them.
func (v *verifier) sealed(t *testing.T, from uint64, s sealedHeader) verifierSealed {
	t.Helper()
	extra := must.Get(s.Header.WBFTExtra())(t)
	made := verifierSealed{Header: encoded(t, s.Header)}
	for _, address := range s.Validators {
		at := slices.IndexFunc(v.lists[from], func(m verifierMember) bool { return m.Account == address })
		made.Order = append(made.Order, uint16(at)) //nolint:gosec // a small index
	}
	for _, seal := range []struct {
		to   *verifierSeal
		from *types.WBFTSeal
	}{{&made.Prepared, extra.PreparedSeal}, {&made.Committed, extra.CommittedSeal}} {
		point := new(blst.P2Affine).Uncompress(seal.from.Signature)
		must.That(t, point != nil, "no point")
		seal.to.Sealers = seal.from.Sealers
		place(seal.to.Signature[:], point.Serialize(), 1, 0, 3, 2) // the precompiles want c0 before c1
	}
	return made
}

// call calls the contract. The error is that of the EVM.
func (v *verifier) call(t *testing.T, method string, args ...any) ([]byte, error) {
	t.Helper()
	input := must.Get(v.abi.Pack(method, args...))(t)
	output, left, err := runtime.Call(v.address, input, v.config)
	v.gas = v.config.GasLimit - left
	return output, err
}

// followTo brings the epoch blocks of a proof, and returns the number of the last one.
func (v *verifier) followTo(t *testing.T, p *receiptVector) uint64 {
	t.Helper()
	from := p.Proof.Origin[0].Number.Uint64()
	for _, epoch := range p.Proof.Epochs {
		sealed := v.sealed(t, from, epoch)
		_, err := v.call(t, "advance", from, v.lists[from], sealed, v.appoint(t, epoch.Header))
		must.That(t, err == nil, "epoch block %d: %v", epoch.Header.Number, err)
		from = epoch.Header.Number.Uint64()
	}
	return from
}

func inclusionOf(t *testing.T, p *receiptVector) verifierInclusion {
	t.Helper()
	r := p.Proof.Receipt
	made := verifierInclusion{Header: encoded(t, r.Header), Index: uint64(r.Index), Transaction: r.Transaction,
		Receipt: r.Receipt}
	for _, node := range r.TransactionPath {
		made.TransactionPath = append(made.TransactionPath, node)
	}
	for _, node := range r.ReceiptPath {
		made.ReceiptPath = append(made.ReceiptPath, node)
	}
	return made
}

func unchanged([]byte, []verifierKey) {}

// A contract on a chain with EIP-2537 verifies the proofs that the SDKs verify, over changes of the validators.
// spec: wbft 1.4, 2.4, 2.5, 3.1
func TestPaymentVerifier(t *testing.T) {
	for _, p := range receiptVectors(t) {
		if p.Refused != "" {
			continue
		}
		t.Run(p.Name, func(t *testing.T) {
			v := must.Get(newVerifier(t, &p, unchanged))(t)
			from := v.followTo(t, &p)
			output := must.Get(v.call(t, "verify", from, v.lists[from], v.sealed(t, from, p.Proof.Block), inclusionOf(t, &p)))(t)
			values := must.Get(v.abi.Unpack("verify", output))(t)
			got := *abi.ConvertType(values[0], new(verifierPayment)).(*verifierPayment)
			want := p.Payment
			expect.That(t, got.Number == want.BlockNumber && got.BlockHash == want.BlockHash && got.Time == want.Time &&
				got.TransactionHash == want.Hash && got.Succeeded == want.Succeeded && len(got.Transfers) == len(want.Transfers),
				"%+v, want %+v", got, want)
			for i, transfer := range want.Transfers {
				have := got.Transfers[i]
				expect.That(t, have.Token == transfer.Contract && have.From == transfer.From && have.To == transfer.To &&
					have.Value.String() == transfer.Value, "transfer %d: %+v, want %+v", i, have, transfer)
			}
			t.Logf("%d gas for a verification by %d validators", v.gas, len(v.lists[from]))
		})
	}
}

// What is not proven reverts, whichever part is altered.
// spec: wbft 2.5, 3.2
func TestPaymentVerifierRefuses(t *testing.T) {
	vectors := receiptVectors(t)
	p := &vectors[slices.IndexFunc(vectors, func(v receiptVector) bool { return len(v.Proof.Epochs) > 0 })]
	for name, reason := range lies {
		t.Run(name, func(t *testing.T) {
			lie := &vectors[slices.IndexFunc(vectors, func(v receiptVector) bool { return v.Name == name })]
			v := must.Get(newVerifier(t, lie, unchanged))(t)
			from := v.followTo(t, lie)
			output, err := v.call(t, "verify", from, v.lists[from], v.sealed(t, from, lie.Proof.Block), inclusionOf(t, lie))
			id := v.abi.Errors[reason].ID
			expect.That(t, err != nil && bytes.Equal(output, id[:4]), "%x, %v, want %s", output, err, reason)
		})
	}
	v := must.Get(newVerifier(t, p, unchanged))(t)
	from := v.followTo(t, p)
	for _, test := range []struct {
		name   string
		change func(from *uint64, list []verifierMember, s *verifierSealed, i *verifierInclusion)
	}{
		{"an unknown epoch", func(from *uint64, _ []verifierMember, _ *verifierSealed, _ *verifierInclusion) { *from++ }},
		{"another member", func(_ *uint64, list []verifierMember, _ *verifierSealed, _ *verifierInclusion) {
			list[0].Account[0]++
		}},
		{"another key", func(_ *uint64, list []verifierMember, _ *verifierSealed, _ *verifierInclusion) {
			list[0].Key = list[1].Key
		}},
		{"another header", func(_ *uint64, _ []verifierMember, s *verifierSealed, _ *verifierInclusion) { s.Header[40]++ }},
		{"another round", func(_ *uint64, _ []verifierMember, s *verifierSealed, _ *verifierInclusion) {
			s.Header = bytes.Clone(encoded(t, p.Proof.Epochs[0].Header))
		}},
		{"a validator twice", func(_ *uint64, _ []verifierMember, s *verifierSealed, _ *verifierInclusion) {
			s.Order[0] = s.Order[len(s.Order)-1] + 1
		}},
		{"an order that is too short", func(_ *uint64, _ []verifierMember, s *verifierSealed, _ *verifierInclusion) {
			s.Order = s.Order[1:]
		}},
		{"no PREPARE seals", func(_ *uint64, _ []verifierMember, s *verifierSealed, _ *verifierInclusion) {
			s.Prepared.Sealers = nil
		}},
		{"no COMMIT seals", func(_ *uint64, _ []verifierMember, s *verifierSealed, _ *verifierInclusion) {
			s.Committed.Sealers = []byte{0}
		}},
		{"a sealer outside the set", func(_ *uint64, _ []verifierMember, s *verifierSealed, _ *verifierInclusion) {
			s.Committed.Sealers = []byte{0xff, 0xff}
		}},
		{"PREPARE for COMMIT", func(_ *uint64, _ []verifierMember, s *verifierSealed, _ *verifierInclusion) {
			s.Committed = s.Prepared
		}},
		{"an infinite signature", func(_ *uint64, _ []verifierMember, s *verifierSealed, _ *verifierInclusion) {
			s.Committed.Signature = [8][32]byte{}
		}},
		{"a signature off the curve", func(_ *uint64, _ []verifierMember, s *verifierSealed, _ *verifierInclusion) {
			s.Committed.Signature[1][31]++
		}},
		{"a parent of another number", func(_ *uint64, _ []verifierMember, _ *verifierSealed, i *verifierInclusion) {
			changed := types.CopyHeader(p.Proof.Receipt.Header)
			changed.Number.Sub(changed.Number, common.Big1)
			i.Header = encoded(t, changed)
		}},
		{"another index", func(_ *uint64, _ []verifierMember, _ *verifierSealed, i *verifierInclusion) { i.Index++ }},
		{"another transaction", func(_ *uint64, _ []verifierMember, _ *verifierSealed, i *verifierInclusion) {
			i.Transaction[5]++
		}},
		{"another receipt", func(_ *uint64, _ []verifierMember, _ *verifierSealed, i *verifierInclusion) { i.Receipt[5]++ }},
		{"another node", func(_ *uint64, _ []verifierMember, _ *verifierSealed, i *verifierInclusion) {
			i.ReceiptPath[0][9]++
		}},
		{"a node less", func(_ *uint64, _ []verifierMember, _ *verifierSealed, i *verifierInclusion) {
			i.ReceiptPath = i.ReceiptPath[:len(i.ReceiptPath)-1]
		}},
		{"a node more", func(_ *uint64, _ []verifierMember, _ *verifierSealed, i *verifierInclusion) {
			i.TransactionPath = append(i.TransactionPath, i.TransactionPath[0])
		}},
		{"no path", func(_ *uint64, _ []verifierMember, _ *verifierSealed, i *verifierInclusion) { i.TransactionPath = nil }},
	} {
		t.Run(test.name, func(t *testing.T) {
			epoch, list := from, slices.Clone(v.lists[from])
			s, i := v.sealed(t, from, p.Proof.Block), inclusionOf(t, copyOf(t, p))
			must.Do(t, expect.Err(v.call(t, "verify", epoch, list, s, i)), "unaltered:")
			test.change(&epoch, list, &s, &i)
			output, err := v.call(t, "verify", epoch, list, s, i)
			expect.That(t, err != nil, "accepted: %x", output)
		})
	}
	for name, change := range map[string]func(header []byte, keys []verifierKey){
		"a header of another hash": func(header []byte, _ []verifierKey) { header[40]++ },
		"another key":              func(_ []byte, keys []verifierKey) { keys[0] = keys[1] },
		"the other root": func(_ []byte, keys []verifierKey) {
			field, _ := new(big.Int).SetString(
				"1a0111ea397fe69a4b1ba7b6434bacd764774b84f38512bf6730d2a0f6b0f6241eabfffeb153ffffb9feffffffffaaab", 16)
			y := new(big.Int).SetBytes(append(slices.Clone(keys[0][2][:]), keys[0][3][:]...))
			place(keys[0][2:], field.Sub(field, y).FillBytes(make([]byte, 48)), 0)
		},
		"a point off the curve": func(_ []byte, keys []verifierKey) { keys[0][3][31]++ },
	} {
		t.Run("construction with "+name, func(t *testing.T) {
			expect.Refused(t, expect.Err(newVerifier(t, p, change)), "accepted")
		})
	}
	t.Run("an epoch that appoints nobody", func(t *testing.T) {
		output, err := v.call(t, "advance", from, v.lists[from], v.sealed(t, from, p.Proof.Block),
			[]verifierKey{})
		expect.That(t, err != nil, "accepted: %x", output)
	})
}

// A set that has ended follows no epoch and proves no later block, a known epoch is written once, and no set outlives
// its age. docs/develop/proofs.md
func TestPaymentVerifierEndsTrust(t *testing.T) {
	vectors := receiptVectors(t)
	p := &vectors[slices.IndexFunc(vectors, func(v receiptVector) bool { return len(v.Proof.Epochs) == 2 })]
	first, second := p.Proof.Epochs[0], p.Proof.Epochs[1]
	ends := [3]uint64{p.Proof.Origin[0].Number.Uint64(), first.Header.Number.Uint64(), second.Header.Number.Uint64()}
	start := func(t *testing.T) *verifier {
		v := must.Get(newVerifier(t, p, unchanged))(t)
		v.followTo(t, p)
		return v
	}
	advance := func(t *testing.T, v *verifier, from uint64, s sealedHeader) ([]byte, error) {
		return v.call(t, "advance", from, v.lists[from], v.sealed(t, from, s), v.appoint(t, s.Header))
	}
	verify := func(t *testing.T, v *verifier, from uint64, shown *receiptVector) ([]byte, error) {
		return v.call(t, "verify", from, v.lists[from], v.sealed(t, from, shown.Proof.Block), inclusionOf(t, shown))
	}
	early := &vectors[slices.IndexFunc(vectors, func(v receiptVector) bool { return v.Name == "type 2" })]
	for _, test := range []struct {
		name, reason string
		try          func(t *testing.T, v *verifier) ([]byte, error)
	}{
		{"the first set advances again", "Ended", func(t *testing.T, v *verifier) ([]byte, error) {
			return advance(t, v, ends[0], first)
		}},
		{"the second set advances again", "Ended", func(t *testing.T, v *verifier) ([]byte, error) {
			return advance(t, v, ends[1], second)
		}},
		{"the first set proves a block of the last", "Ended", func(t *testing.T, v *verifier) ([]byte, error) {
			return verify(t, v, ends[0], p)
		}},
		{"a set of an old epoch block advances", "Expired", func(t *testing.T, v *verifier) ([]byte, error) {
			v.config.Time = second.Header.Time + maxAge + 1
			return advance(t, v, ends[2], second)
		}},
		{"a set of an old epoch block proves", "Expired", func(t *testing.T, v *verifier) ([]byte, error) {
			v.config.Time = second.Header.Time + maxAge + 1
			return verify(t, v, ends[2], p)
		}},
		{"a set that has ended proves its own blocks", "", func(t *testing.T, v *verifier) ([]byte, error) {
			return verify(t, v, ends[0], early)
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			v := start(t)
			output, err := test.try(t, v)
			if test.reason == "" {
				expect.Error(t, err, nil, "%x", output)
				return
			}
			id := v.abi.Errors[test.reason].ID
			expect.That(t, err != nil && bytes.Equal(output, id[:4]), "%x, %v, want %s", output, err, test.reason)
		})
	}
}

// copyOf returns a vector with bytes of its own.
func copyOf(t *testing.T, p *receiptVector) *receiptVector {
	t.Helper()
	encoded := must.Get(json.Marshal(p.Proof.Receipt))(t)
	made := *p
	made.Proof.Receipt = receiptVector{}.Proof.Receipt
	must.Do(t, json.Unmarshal(encoded, &made.Proof.Receipt))
	return &made
}
