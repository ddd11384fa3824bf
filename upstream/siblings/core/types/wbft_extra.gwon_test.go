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
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// readVectors fills v from a file in testdata. The vectors were recorded with the network's reference client.
func readVectors(tb testing.TB, name string, v any) {
	tb.Helper()
	data := must.Get(os.ReadFile(filepath.Join("testdata", name)))(tb)
	require.NoError(tb, json.Unmarshal(data, v), name)
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
		require.Truef(t, ok, "bad gas tip %q", *v.GasTip)
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
	require.True(t, len(v.Extra) != 0 && len(v.Genesis) != 0, "no vectors")
	check := func(name string, enc []byte, fields, decoded *extraVector) {
		if got := fields.extra(t).Encode(); !bytes.Equal(got, enc) {
			t.Errorf("%s: encodes to %x, want %x", name, got, enc)
		}
		got, err := DecodeWBFTExtra(enc)
		require.NoError(t, err, name)
		want := decoded.extra(t)
		assert.Truef(t, sameExtra(got, want), "%s: decodes to %+v, want %+v", name, got, want)
		tip, err := WBFTGasTip(enc)
		assert.Truef(t, err == nil && tip.Cmp(got.GasTip) == 0, "%s: gas tip %v, %v, want %v", name, tip, err, got.GasTip)
		assert.Truef(t, got.GasTip != nil, "%s: gas tip decodes to nil", name)
	}
	for _, x := range v.Extra {
		check(x.Name, x.RLP, &x.Fields, &x.DecodedFields)
	}
	for _, g := range v.Genesis {
		check("genesis", g.ExtraData, &g.Fields, &g.Fields)
		var h Header
		must.Do(t, rlp.DecodeBytes(g.HeaderRlp, &h))
		assert.Equal(t, g.Hash, h.Hash(), "genesis hash")
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
		_, err = WBFTGasTip(enc)
		assert.Errorf(t, err, "%s: gas tip accepted", c.name)
		assert.Errorf(t, rlp.DecodeBytes(enc, new(wbftModel)), "%s: the model accepts it", c.name)
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
	assert.True(t, bytes.Equal(x.Encode(), before), "a change of the copy changed the original")
	assert.False(t, bytes.Equal(c.Encode(), before), "the copy did not change")
	assert.True(t, (*WBFTExtra)(nil).Copy() == nil, "copy of nil is not nil")
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
	assert.Equal(t, v.GenesisHash, decodeHeader(t, v.GenesisHeaderRlp).Hash(), "genesis hash")
	parent := v.GenesisHash
	for _, b := range v.Blocks {
		h := decodeHeader(t, b.HeaderRlp)
		assert.Equalf(t, parent, h.ParentHash, "block %s: parent", b.Number)
		parent = b.Hash
		filtered := decodeHeader(t, b.FilteredHeaderRlp)
		assert.Truef(t, crypto.Keccak256Hash(b.FilteredHeaderRlp) == b.Hash && filtered.Hash() == b.Hash,
			"block %s: hash of the filtered header differs", b.Number)
		assert.Truef(t, h.Hash() == b.Hash && slowHash(h, 0) == b.Hash && h.RoundHash(0) == b.Hash,
			"block %s: hash %v, want %v", b.Number, h.Hash(), b.Hash)
		x := must.Get(h.WBFTExtra())(t)
		assert.Truef(t, sameExtra(x, b.Extra.extra(t)) && bytes.Equal(x.Encode(), h.Extra),
			"block %s: extra data decodes to %+v", b.Number, x)
		round := h.RoundHash(b.Round)
		assert.Truef(t, x.Round == b.Round && round == b.HashWithRound,
			"block %s: round hash %v, want %v", b.Number, round, b.HashWithRound)
		assert.Equalf(t, b.PrepareSealDigest, crypto.Keccak256Hash(round[:], []byte{0}), "block %s: prepare digest", b.Number)
		assert.Equalf(t, b.CommitSealDigest, crypto.Keccak256Hash(round[:], []byte{1}), "block %s: commit digest", b.Number)
		sealed := must.Get(filtered.WithWBFTSeals(x.Round, x.PreparedSeal, x.CommittedSeal))(t)
		enc, err := rlp.EncodeToBytes(sealed)
		assert.Truef(t, err == nil && bytes.Equal(enc, b.HeaderRlp),
			"block %s: sealing the filtered header gives %x, %v", b.Number, enc, err)
		assert.Truef(t, filtered.Hash() == b.Hash && bytes.Equal(filtered.Extra, decodeHeader(t, b.FilteredHeaderRlp).Extra),
			"block %s: sealing changed the original", b.Number)
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
		assert.Truef(t, h.Hash() == hash, "%s changes the hash", name)
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
		assert.Truef(t, h.Hash() != hash, "%s does not change the hash", name)
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
		assert.Truef(t, h.Hash() == rlpHash(h), "%s: the hash is not that of all bytes", name)
	}
	h := CopyHeader(base)
	h.Extra = []byte{1, 2}
	_, err := h.WithWBFTSeals(0, nil, nil)
	assert.Error(t, err, "sealed a header whose extra data does not decode")
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
		modelErr := rlp.DecodeBytes(enc, m)
		require.Truef(t, (err == nil) == (modelErr == nil), "decoder says %v, model says %v", err, modelErr)
		h := &Header{Difficulty: big.NewInt(1), Number: big.NewInt(7), BaseFee: big.NewInt(9), Extra: enc}
		require.True(t, h.Hash() == slowHash(h, 0), "hash differs from its definition")
		require.True(t, h.RoundHash(round) == slowHash(h, round), "round hash differs from its definition")
		if err != nil {
			return
		}
		require.Truef(t, sameExtra(x, m.extra()), "decoded %+v, the model %+v", x, m.extra())
		require.Truef(t, bytes.Equal(x.Encode(), enc), "encodes to %x, was %x", x.Encode(), enc)
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
	have, want := missing.Hash(), rlpHash(missing)
	assert.Equal(t, want, have, "hash")
}
