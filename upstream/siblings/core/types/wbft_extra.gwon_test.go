// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package types

import (
	"bytes"
	"encoding/json"
	"math/big"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/internal/must"
	"github.com/ethereum/go-ethereum/rlp"
)

// readVectors fills v from a file in testdata. The vectors were recorded with the network's reference client.
func readVectors(tb testing.TB, name string, v any) {
	tb.Helper()
	data := must.Get(os.ReadFile(filepath.Join("testdata", name)))(tb)
	if err := json.Unmarshal(data, v); err != nil {
		tb.Fatalf("%s: %v", name, err)
	}
}

// wbftModel is the extra data as upstream's reflecting RLP coder sees it: a second opinion on the codec.
type wbftModel struct {
	Vanity, RandaoReveal        []byte
	PrevRound                   uint32
	PrevPrepared, PrevCommitted *WBFTSeal `rlp:"nil"`
	Round                       uint32
	Prepared, Committed         *WBFTSeal `rlp:"nil"`
	GasTip                      *big.Int
	EpochInfo                   *EpochInfo `rlp:"nil"`
}

func (m *wbftModel) extra() *WBFTExtra {
	return &WBFTExtra{m.Vanity, m.RandaoReveal, m.PrevRound, m.PrevPrepared, m.PrevCommitted, m.Round, m.Prepared,
		m.Committed, m.GasTip, m.EpochInfo}
}

type sealVector struct {
	Sealers   hexutil.Bytes `json:"sealers"`
	Signature hexutil.Bytes `json:"signature"`
}

func (s *sealVector) seal() *WBFTSeal {
	if s == nil {
		return nil
	}
	return &WBFTSeal{s.Sealers, s.Signature}
}

type extraVector struct {
	Vanity            hexutil.Bytes `json:"vanity"`
	RandaoReveal      hexutil.Bytes `json:"randaoReveal"`
	PrevRound         uint32        `json:"prevRound"`
	PrevPreparedSeal  *sealVector   `json:"prevPreparedSeal"`
	PrevCommittedSeal *sealVector   `json:"prevCommittedSeal"`
	Round             uint32        `json:"round"`
	PreparedSeal      *sealVector   `json:"preparedSeal"`
	CommittedSeal     *sealVector   `json:"committedSeal"`
	GasTip            *string       `json:"gasTip"`
	EpochInfo         *struct {
		Candidates    []EpochCandidate `json:"candidates"`
		Validators    []uint32         `json:"validators"`
		BLSPublicKeys []hexutil.Bytes  `json:"blsPublicKeys"`
	} `json:"epochInfo"`
}

func (v *extraVector) extra(t *testing.T) *WBFTExtra {
	x := &WBFTExtra{
		Vanity:            v.Vanity,
		RandaoReveal:      v.RandaoReveal,
		PrevRound:         v.PrevRound,
		PrevPreparedSeal:  v.PrevPreparedSeal.seal(),
		PrevCommittedSeal: v.PrevCommittedSeal.seal(),
		Round:             v.Round,
		PreparedSeal:      v.PreparedSeal.seal(),
		CommittedSeal:     v.CommittedSeal.seal(),
	}
	if v.GasTip != nil {
		tip, ok := new(big.Int).SetString(*v.GasTip, 10)
		if !ok {
			t.Fatalf("bad gas tip %q", *v.GasTip)
		}
		x.GasTip = tip
	}
	if e := v.EpochInfo; e != nil {
		x.EpochInfo = &EpochInfo{Candidates: e.Candidates, Validators: e.Validators}
		for _, key := range e.BLSPublicKeys {
			x.EpochInfo.BLSPublicKeys = append(x.EpochInfo.BLSPublicKeys, key)
		}
	}
	return x
}

// sameExtra compares by value; an empty list and an absent one are the same.
func sameExtra(a, b *WBFTExtra) bool {
	norm := func(x *WBFTExtra) *WBFTExtra {
		x = x.Copy()
		if x.GasTip == nil {
			x.GasTip = new(big.Int)
		}
		x.GasTip = new(big.Int).SetBytes(x.GasTip.Bytes())
		x.Vanity, x.RandaoReveal = append([]byte{}, x.Vanity...), append([]byte{}, x.RandaoReveal...)
		for _, s := range []*WBFTSeal{x.PrevPreparedSeal, x.PrevCommittedSeal, x.PreparedSeal, x.CommittedSeal} {
			if s != nil {
				s.Sealers, s.Signature = append([]byte{}, s.Sealers...), append([]byte{}, s.Signature...)
			}
		}
		if e := x.EpochInfo; e != nil {
			e.Candidates = append([]EpochCandidate{}, e.Candidates...)
			e.Validators = append([]uint32{}, e.Validators...)
			e.BLSPublicKeys = append([][]byte{}, e.BLSPublicKeys...)
			for i := range e.BLSPublicKeys {
				e.BLSPublicKeys[i] = append([]byte{}, e.BLSPublicKeys[i]...)
			}
		}
		return x
	}
	return reflect.DeepEqual(norm(a), norm(b))
}

// Spec wbft 1.2: the recorded encodings decode to the recorded fields, and the fields encode to them.
func TestWBFTExtraVectors(t *testing.T) {
	var v struct {
		Extra []struct {
			Name          string
			RLP           hexutil.Bytes
			Fields        extraVector
			DecodedFields extraVector
		}
		Genesis []struct {
			ExtraData hexutil.Bytes
			Fields    extraVector
			HeaderRlp hexutil.Bytes
			Hash      common.Hash
		}
	}
	readVectors(t, "wbft_extra.json", &v)
	if len(v.Extra) == 0 || len(v.Genesis) == 0 {
		t.Fatal("no vectors")
	}
	check := func(name string, enc []byte, fields, decoded *extraVector) {
		if got := fields.extra(t).Encode(); !bytes.Equal(got, enc) {
			t.Errorf("%s: encodes to %x, want %x", name, got, enc)
		}
		got, err := DecodeWBFTExtra(enc)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if want := decoded.extra(t); !sameExtra(got, want) {
			t.Errorf("%s: decodes to %+v, want %+v", name, got, want)
		}
		if tip, err := WBFTGasTip(enc); err != nil || tip.Cmp(got.GasTip) != 0 {
			t.Errorf("%s: gas tip %v, %v, want %v", name, tip, err, got.GasTip)
		}
		if got.GasTip == nil {
			t.Errorf("%s: gas tip decodes to nil", name)
		}
	}
	for _, x := range v.Extra {
		check(x.Name, x.RLP, &x.Fields, &x.DecodedFields)
	}
	for _, g := range v.Genesis {
		check("genesis", g.ExtraData, &g.Fields, &g.Fields)
		var h Header
		must.Do(t, rlp.DecodeBytes(g.HeaderRlp, &h))
		if h.Hash() != g.Hash {
			t.Errorf("genesis hash %v, want %v", h.Hash(), g.Hash)
		}
	}
}

// Spec wbft 1.2, "Strictness".
func TestWBFTExtraRefuses(t *testing.T) {
	for _, c := range []struct{ name, hex, text string }{
		{"nothing", "", "EOF"},
		{"a string", "8a808080c0c080c0c080c0", "expected List"},
		{"bytes behind the list", "ca808080c0c080c0c080c000", "1 bytes behind"},
		{"list longer than the data", "cb808080c0c080c0c080c0", "exceeds available"},
		{"list size not minimal", "f80a808080c0c080c0c080c0", "non-canonical size"},
		{"nine items", "c9808080c0c080c0c080", "too few"},
		{"eleven items", "cb808080c0c080c0c080c080", "surplus"},
		{"vanity a list", "cac08080c0c080c0c080c0", "expected String"},
		{"vanity byte with a length", "cb81008080c0c080c0c080c0", "non-canonical size"},
		{"seal a string", "ca80808080c080c0c080c0", "expected List"},
		{"committed seal a string", "ca808080c0c080c08080c0", "expected List"},
		{"seal of one item", "cb808080c180c080c0c080c0", "too few"},
		{"seal of three items", "cd808080c3808080c080c0c080c0", "surplus"},
		{"seal with a list inside", "cc808080c2c080c080c0c080c0", "expected String"},
		{"epoch info a string", "ca808080c0c080c0c08080", "expected List"},
		{"epoch info of two items", "cc808080c0c080c0c080c2c0c0", "too few"},
		{"epoch info of four items", "ce808080c0c080c0c080c4c0c0c0c0", "surplus"},
		{"candidate without items", "ce808080c0c080c0c080c4c1c0c0c0", "too few"},
		{"candidate with a short address", "d2808080c0c080c0c080c8c5c482010180c0c0", "20 bytes"},
		{"round zero as a byte", "ca808080c0c000c0c080c0", "canonical integer"},
		{"previous round zero as a byte", "ca808000c0c080c0c080c0", "canonical integer"},
		{"round with a leading zero", "cc808080c0c0820001c0c080c0", "canonical integer"},
		{"round above 32 bits", "cf808080c0c0850100000000c0c080c0", "above 32 bits"},
		{"round above 64 bits", "d3808080c0c089010000000000000000c0c080c0", "overflow"},
		{"gas tip with a leading zero", "cc808080c0c080c0c0820001c0", "leading zero"},
		{"gas tip zero as a byte", "ca808080c0c080c0c000c0", "leading zero"},
		{"gas tip a list", "ca808080c0c080c0c0c0c0", "expected String"},
		{"validator index above 32 bits", "d3808080c0c080c0c080c9c0c6850100000000c0", "above 32 bits"},
	} {
		enc := common.FromHex(c.hex)
		x, err := DecodeWBFTExtra(enc)
		if err == nil {
			t.Errorf("%s: accepted as %+v", c.name, x)
		} else if !strings.Contains(err.Error(), c.text) {
			t.Errorf("%s: error %q does not say %q", c.name, err, c.text)
		}
		if _, err := WBFTGasTip(enc); err == nil {
			t.Errorf("%s: gas tip accepted", c.name)
		}
		if rlp.DecodeBytes(enc, new(wbftModel)) == nil {
			t.Errorf("%s: the model accepts it", c.name)
		}
	}
}

func TestWBFTExtraCopyIsDeep(t *testing.T) {
	x := fullExtra()
	before := x.Encode()
	c := x.Copy()
	c.Vanity[0]++
	c.RandaoReveal[0]++
	for _, s := range []*WBFTSeal{c.PrevPreparedSeal, c.PrevCommittedSeal, c.PreparedSeal, c.CommittedSeal} {
		s.Sealers[0]++
		s.Signature[0]++
	}
	c.GasTip.SetUint64(1)
	c.EpochInfo.Candidates[0].Diligence++
	c.EpochInfo.Validators[0]++
	c.EpochInfo.BLSPublicKeys[0][0]++
	if !bytes.Equal(x.Encode(), before) {
		t.Error("a change of the copy changed the original")
	}
	if bytes.Equal(c.Encode(), before) {
		t.Error("the copy did not change")
	}
	if (*WBFTExtra)(nil).Copy() != nil {
		t.Error("copy of nil is not nil")
	}
}

func fullExtra() *WBFTExtra {
	seal := func(b byte) *WBFTSeal {
		return &WBFTSeal{Sealers: []byte{b, 1}, Signature: bytes.Repeat([]byte{b}, 96)}
	}
	return &WBFTExtra{
		Vanity:            bytes.Repeat([]byte{1}, 32),
		RandaoReveal:      bytes.Repeat([]byte{2}, 65),
		PrevRound:         3,
		PrevPreparedSeal:  seal(4),
		PrevCommittedSeal: seal(5),
		Round:             300,
		PreparedSeal:      seal(6),
		CommittedSeal:     seal(7),
		GasTip:            big.NewInt(27_600_000_000_000),
		EpochInfo: &EpochInfo{
			Candidates:    []EpochCandidate{{common.Address{8}, 1_900_000}, {common.Address{9}, 0}},
			Validators:    []uint32{1, 0},
			BLSPublicKeys: [][]byte{bytes.Repeat([]byte{10}, 48), bytes.Repeat([]byte{11}, 48)},
		},
	}
}

type headerVectors struct {
	GenesisHash      common.Hash
	GenesisHeaderRlp hexutil.Bytes
	Blocks           []struct {
		Number            json.Number
		Hash              common.Hash
		Round             uint32
		HashWithRound     common.Hash
		HeaderRlp         hexutil.Bytes
		FilteredHeaderRlp hexutil.Bytes
		PrepareSealDigest common.Hash
		CommitSealDigest  common.Hash
		Extra             extraVector
	}
}

func decodeHeader(tb testing.TB, enc []byte) *Header {
	tb.Helper()
	h := new(Header)
	must.Do(tb, rlp.DecodeBytes(enc, h))
	return h
}

// slowHash follows the definition of the block hash to the letter (spec wbft 1.4).
func slowHash(h *Header, round uint32) common.Hash {
	m := new(wbftModel)
	if h.Difficulty == nil || h.Difficulty.Cmp(common.Big1) != 0 || rlp.DecodeBytes(h.Extra, m) != nil {
		return rlpHash(h)
	}
	m.Round, m.Prepared, m.Committed = round, nil, nil
	c := CopyHeader(h)
	c.Extra = m.extra().Encode()
	return rlpHash(c)
}

// Spec wbft 1.4 on a recorded chain, with rounds above zero and epoch blocks.
func TestWBFTBlockHash(t *testing.T) {
	var v headerVectors
	readVectors(t, "wbft_headers.json", &v)
	if h := decodeHeader(t, v.GenesisHeaderRlp); h.Hash() != v.GenesisHash {
		t.Errorf("genesis hash %v, want %v", h.Hash(), v.GenesisHash)
	}
	parent := v.GenesisHash
	for _, b := range v.Blocks {
		h := decodeHeader(t, b.HeaderRlp)
		if h.ParentHash != parent {
			t.Errorf("block %s: parent %v, want %v", b.Number, h.ParentHash, parent)
		}
		parent = b.Hash
		filtered := decodeHeader(t, b.FilteredHeaderRlp)
		if crypto.Keccak256Hash(b.FilteredHeaderRlp) != b.Hash || filtered.Hash() != b.Hash {
			t.Errorf("block %s: hash of the filtered header differs", b.Number)
		}
		if h.Hash() != b.Hash || slowHash(h, 0) != b.Hash || h.RoundHash(0) != b.Hash {
			t.Errorf("block %s: hash %v, want %v", b.Number, h.Hash(), b.Hash)
		}
		x := must.Get(h.WBFTExtra())(t)
		if !sameExtra(x, b.Extra.extra(t)) || !bytes.Equal(x.Encode(), h.Extra) {
			t.Errorf("block %s: extra data decodes to %+v", b.Number, x)
		}
		round := h.RoundHash(b.Round)
		if x.Round != b.Round || round != b.HashWithRound {
			t.Errorf("block %s: round hash %v, want %v", b.Number, round, b.HashWithRound)
		}
		if d := crypto.Keccak256Hash(round[:], []byte{0}); d != b.PrepareSealDigest {
			t.Errorf("block %s: prepare digest %v, want %v", b.Number, d, b.PrepareSealDigest)
		}
		if d := crypto.Keccak256Hash(round[:], []byte{1}); d != b.CommitSealDigest {
			t.Errorf("block %s: commit digest %v, want %v", b.Number, d, b.CommitSealDigest)
		}
		sealed := must.Get(filtered.WithWBFTSeals(x.Round, x.PreparedSeal, x.CommittedSeal))(t)
		enc, err := rlp.EncodeToBytes(sealed)
		if err != nil || !bytes.Equal(enc, b.HeaderRlp) {
			t.Errorf("block %s: sealing the filtered header gives %x, %v", b.Number, enc, err)
		}
		if filtered.Hash() != b.Hash || !bytes.Equal(filtered.Extra, decodeHeader(t, b.FilteredHeaderRlp).Extra) {
			t.Errorf("block %s: sealing changed the original", b.Number)
		}
	}
}

func TestWBFTRoundDigests(t *testing.T) {
	var v struct {
		HeaderRlp hexutil.Bytes
		BlockHash common.Hash
		Digests   []struct {
			Round                       uint32
			HashWithRound               common.Hash
			PrepareDigest, CommitDigest common.Hash
		}
	}
	readVectors(t, "wbft_digests.json", &v)
	h := decodeHeader(t, v.HeaderRlp)
	if h.Hash() != v.BlockHash {
		t.Errorf("hash %v, want %v", h.Hash(), v.BlockHash)
	}
	for _, d := range v.Digests {
		hash := h.RoundHash(d.Round)
		if hash != d.HashWithRound || crypto.Keccak256Hash(hash[:], []byte{0}) != d.PrepareDigest ||
			crypto.Keccak256Hash(hash[:], []byte{1}) != d.CommitDigest {
			t.Errorf("round %d: hash %v, want %v", d.Round, hash, d.HashWithRound)
		}
	}
}

// Spec wbft 1.4: only difficulty 1 with decodable extra data is special, and only three items are outside the hash.
func TestWBFTHashCovers(t *testing.T) {
	base := &Header{Difficulty: big.NewInt(1), Number: big.NewInt(7), BaseFee: big.NewInt(9), Extra: fullExtra().Encode()}
	hash := base.Hash()
	with := func(edit func(x *WBFTExtra)) *Header {
		h, x := CopyHeader(base), fullExtra()
		edit(x)
		h.Extra = x.Encode()
		return h
	}
	for name, h := range map[string]*Header{
		"round":          with(func(x *WBFTExtra) { x.Round = 1 << 31 }),
		"prepared seal":  with(func(x *WBFTExtra) { x.PreparedSeal = nil }),
		"empty seal":     with(func(x *WBFTExtra) { x.PreparedSeal = new(WBFTSeal) }),
		"committed seal": with(func(x *WBFTExtra) { x.CommittedSeal.Sealers = bytes.Repeat([]byte{1}, 300) }),
		"no seals":       with(func(x *WBFTExtra) { x.Round, x.PreparedSeal, x.CommittedSeal = 0, nil, nil }),
	} {
		if h.Hash() != hash {
			t.Errorf("%s changes the hash", name)
		}
	}
	for name, h := range map[string]*Header{
		"vanity":         with(func(x *WBFTExtra) { x.Vanity = nil }),
		"randao":         with(func(x *WBFTExtra) { x.RandaoReveal[64]++ }),
		"previous round": with(func(x *WBFTExtra) { x.PrevRound++ }),
		"prev prepared":  with(func(x *WBFTExtra) { x.PrevPreparedSeal = nil }),
		"prev committed": with(func(x *WBFTExtra) { x.PrevCommittedSeal.Sealers = []byte{1} }),
		"gas tip":        with(func(x *WBFTExtra) { x.GasTip = nil }),
		"epoch info":     with(func(x *WBFTExtra) { x.EpochInfo = nil }),
	} {
		if h.Hash() == hash {
			t.Errorf("%s does not change the hash", name)
		}
	}
	for name, edit := range map[string]func(h *Header){
		"difficulty nil": func(h *Header) { h.Difficulty = nil },
		"difficulty 0":   func(h *Header) { h.Difficulty = new(big.Int) },
		"difficulty 2":   func(h *Header) { h.Difficulty = big.NewInt(2) },
		"difficulty 2^64+1": func(h *Header) {
			h.Difficulty = new(big.Int).Add(new(big.Int).Lsh(common.Big1, 64), common.Big1)
		},
		"undecodable extra": func(h *Header) { h.Extra = append(h.Extra, 0) },
	} {
		h := CopyHeader(base)
		edit(h)
		if h.Hash() != rlpHash(h) {
			t.Errorf("%s: the hash is not that of all bytes", name)
		}
	}
	h := CopyHeader(base)
	h.Extra = []byte{1, 2}
	if _, err := h.WithWBFTSeals(0, nil, nil); err == nil {
		t.Error("sealed a header whose extra data does not decode")
	}
}

func FuzzWBFTExtra(f *testing.F) {
	f.Add(fullExtra().Encode(), uint32(0))
	f.Add(new(WBFTExtra).Encode(), uint32(70000))
	f.Add((&WBFTExtra{EpochInfo: new(EpochInfo), PreparedSeal: new(WBFTSeal)}).Encode(), uint32(1))
	var v headerVectors
	readVectors(f, "wbft_headers.json", &v)
	for _, b := range v.Blocks {
		f.Add(decodeHeader(f, b.HeaderRlp).Extra, b.Round)
	}
	f.Fuzz(func(t *testing.T, enc []byte, round uint32) {
		x, err := DecodeWBFTExtra(enc)
		m := new(wbftModel)
		if modelErr := rlp.DecodeBytes(enc, m); (err == nil) != (modelErr == nil) {
			t.Fatalf("decoder says %v, model says %v", err, modelErr)
		}
		h := &Header{Difficulty: big.NewInt(1), Number: big.NewInt(7), BaseFee: big.NewInt(9), Extra: enc}
		if h.Hash() != slowHash(h, 0) {
			t.Fatal("hash differs from its definition")
		}
		if h.RoundHash(round) != slowHash(h, round) {
			t.Fatal("round hash differs from its definition")
		}
		if err != nil {
			return
		}
		if !sameExtra(x, m.extra()) {
			t.Fatalf("decoded %+v, the model %+v", x, m.extra())
		}
		if !bytes.Equal(x.Encode(), enc) {
			t.Fatalf("encodes to %x, was %x", x.Encode(), enc)
		}
	})
}

func BenchmarkHeaderHash(b *testing.B) {
	var v headerVectors
	readVectors(b, "wbft_headers.json", &v)
	last := v.Blocks[len(v.Blocks)-1]
	for _, c := range []struct {
		name string
		enc  []byte
	}{{"sealed", last.HeaderRlp}, {"unsealed", last.FilteredHeaderRlp}} {
		b.Run(c.name, func(b *testing.B) {
			h := decodeHeader(b, c.enc)
			b.ReportAllocs()
			for b.Loop() {
				h.Hash()
			}
		})
	}
}

// A missing header has a hash, as in upstream, whose skeleton sync asks for it.
func TestHashOfMissingHeader(t *testing.T) {
	var missing *Header
	if have, want := missing.Hash(), rlpHash(missing); have != want {
		t.Errorf("hash %v, want %v", have, want)
	}
}
