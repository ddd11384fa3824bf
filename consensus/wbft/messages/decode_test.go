// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package messages

import (
	"bytes"
	"errors"
	"math"
	"strings"
	"sync"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/rlp"
	"pgregory.net/rapid"

	"gwon/internal/expect"
	"gwon/internal/must"
	"gwon/internal/vectors"
)

// list and str build RLP by hand, to express what the encoder would not.
func list(items ...[]byte) []byte {
	var raw []rlp.RawValue
	for _, i := range items {
		raw = append(raw, i)
	}
	return encode(raw)
}

func str(b []byte) []byte { return encode(b) }
func num(n uint64) []byte { return encode(n) }
func fill(n int) []byte   { return str(bytes.Repeat([]byte{0xaa}, n)) }
func wide(n int) []byte   { return str(bytes.Repeat([]byte{0x01}, n)) } // an integer of n bytes
func leadingZero() []byte { return str([]byte{0, 1}) }

var empty, none = []byte{0x80}, []byte{0xc0}

// vote is a PREPARE or COMMIT of which some items are replaced by position: sequence, round, digest, seal, signature.
func vote(replace map[int][]byte) []byte {
	items := [][]byte{num(5), num(0), fill(32), fill(SealLength), fill(SignatureLength)}
	for i, item := range replace {
		items[i] = item
	}
	return list(list(items[:4]...), items[4])
}

// change is a signed round change, by position: sequence, round, prepared, signature.
func change(replace map[int][]byte) []byte {
	items := [][]byte{num(5), num(1), none, fill(SignatureLength)}
	for i, item := range replace {
		items[i] = item
	}
	return list(list(items[:3]...), items[3])
}

func block(t testing.TB) (encoded []byte, hash common.Hash) {
	var made madeMessages
	vectors.Load(t, "messages.json", &made)
	return made.Proposal, made.Hash
}

func proposal(encodedBlock, round, signature, changes, prepares []byte) []byte {
	return list(list(list(num(5), round, encodedBlock), signature), list(changes, prepares))
}

func repeat(item []byte, n int) []byte {
	items := make([][]byte, n)
	for i := range items {
		items[i] = item
	}
	return list(items...)
}

// Spec wbft 4.2, and what design adds to it: sizes, bounds, canonical form.
func TestDecodeStrictness(t *testing.T) {
	encodedBlock, hash := block(t)
	claim := list(num(0), str(hash[:]))
	good := vote(nil)
	sig := fill(SignatureLength)
	for name, c := range map[string]struct {
		code    uint64
		payload []byte
		want    string // "" if it decodes
	}{
		"vote":                       {CodePrepare, good, ""},
		"vote, largest view":         {CodeCommit, vote(map[int][]byte{0: num(math.MaxUint64), 1: num(math.MaxUint32)}), ""},
		"vote, sequence of 65 bits":  {CodePrepare, vote(map[int][]byte{0: wide(9)}), "uint64"},
		"vote, round of 33 bits":     {CodePrepare, vote(map[int][]byte{1: num(math.MaxUint32 + 1)}), "32 bits"},
		"vote, round of 65 bits":     {CodeCommit, vote(map[int][]byte{1: wide(9)}), "uint64"},
		"vote, leading zero":         {CodePrepare, vote(map[int][]byte{0: leadingZero()}), "non-canonical"},
		"vote, zero as a byte":       {CodePrepare, vote(map[int][]byte{1: {0}}), "non-canonical"},
		"vote, short digest":         {CodePrepare, vote(map[int][]byte{2: fill(31)}), "Hash"},
		"vote, long digest":          {CodePrepare, vote(map[int][]byte{2: fill(33)}), "Hash"},
		"vote, short seal":           {CodePrepare, vote(map[int][]byte{3: fill(95)}), "seal has 95"},
		"vote, no seal":              {CodeCommit, vote(map[int][]byte{3: empty}), "seal has 0"},
		"vote, seal is a list":       {CodeCommit, vote(map[int][]byte{3: none}), "expected input string"},
		"vote, short signature":      {CodeCommit, vote(map[int][]byte{4: fill(64)}), "signature has 64"},
		"vote, no signature":         {CodePrepare, vote(map[int][]byte{4: empty}), "signature has 0"},
		"vote, surplus item":         {CodePrepare, list(list(num(5), num(0), fill(32), fill(96), num(1)), sig), "too many"},
		"vote, surplus item outside": {CodePrepare, list(list(num(5), num(0), fill(32), fill(96)), sig, num(1)), "too many"},
		"vote, missing item":         {CodePrepare, list(list(num(5), num(0), fill(32)), sig), "too few"},
		"vote, surplus bytes":        {CodePrepare, append(bytes.Clone(good), 0), "more than one value"},
		"vote, cut":                  {CodePrepare, good[:len(good)-1], "value size exceeds"},
		"vote in a string":           {CodePrepare, str(good), "expected"},
		"nothing":                    {CodeCommit, nil, "EOF"},

		"change":                      {CodeRoundChange, list(change(nil), none, none), ""},
		"change, absent as strings":   {CodeRoundChange, list(change(nil), empty, empty), ""},
		"change, claim without proof": {CodeRoundChange, list(change(map[int][]byte{2: claim}), none, none), ""},
		"change, block": {
			CodeRoundChange, list(change(map[int][]byte{2: claim}), encodedBlock, list(good)), "",
		},
		"change, block without claim": {CodeRoundChange, list(change(nil), encodedBlock, none), errWrongBlock.Error()},
		"change, block of another hash": {
			CodeRoundChange, list(change(map[int][]byte{2: list(num(0), fill(32))}), encodedBlock, none), errWrongBlock.Error(),
		},
		"change, zero claim": {
			CodeRoundChange, list(change(map[int][]byte{2: list(num(0), str(make([]byte, 32)))}), none, none),
			errZeroClaim.Error(),
		},
		"change, claim as a string": {
			CodeRoundChange, list(change(map[int][]byte{2: empty}), none, none), "wrong kind of empty value",
		},
		"change, claim of one item": {
			CodeRoundChange, list(change(map[int][]byte{2: list(num(1))}), none, none), "too few",
		},
		"change, claim of three items": {
			CodeRoundChange, list(change(map[int][]byte{2: list(num(1), fill(32), num(1))}), none, none), "too many",
		},
		"change, claimed round too big": {
			CodeRoundChange, list(change(map[int][]byte{2: list(num(1<<32), fill(32))}), none, none), "32 bits",
		},
		"change, round too big": {
			CodeRoundChange, list(change(map[int][]byte{1: num(1 << 32)}), none, none), "32 bits",
		},
		"change, sequence too big": {CodeRoundChange, list(change(map[int][]byte{0: wide(9)}), none, none), "uint64"},
		"change, short signature": {
			CodeRoundChange, list(change(map[int][]byte{3: fill(64)}), none, none), "signature has 64",
		},
		"change, no optional items": {CodeRoundChange, list(change(nil)), "too few"},
		"change, one optional item": {CodeRoundChange, list(change(nil), none), "too few"},
		"change, surplus item":      {CodeRoundChange, list(change(nil), none, none, none), "too many"},
		"change, block is a byte":   {CodeRoundChange, list(change(map[int][]byte{2: claim}), num(5), none), ""},
		"change, block is a number": {
			CodeRoundChange, list(change(map[int][]byte{2: claim}), num(500), none), "prepared block",
		},
		"change, prepares are a string": {CodeRoundChange, list(change(nil), none, fill(3)), "prepares"},
		"change, bad prepare": {
			CodeRoundChange, list(change(nil), none, list(good, vote(map[int][]byte{3: fill(1)}))), "prepare 1: seal",
		},
		"change, too many prepares": {
			CodeRoundChange, list(change(nil), none, repeat(none, MaxListLength+1)), "longer than",
		},
		"change, junk list of prepares": {
			CodeRoundChange, list(change(nil), none, append([]byte{0xc2}, 0xb8, 0x01)), "prepares",
		},

		"proposal": {CodePrePrepare, proposal(encodedBlock, num(0), sig, none, none), ""},
		"proposal, justified": {
			CodePrePrepare, proposal(encodedBlock, num(1), sig, list(change(nil), change(nil)), list(good)), "",
		},
		"proposal, longest lists": {
			CodePrePrepare, proposal(encodedBlock, num(1), sig, repeat(change(nil), MaxListLength), repeat(good, MaxListLength)),
			"",
		},
		"proposal, too many changes": {
			CodePrePrepare, proposal(encodedBlock, num(1), sig, repeat(change(nil), MaxListLength+1), none), "longer than",
		},
		"proposal, too many prepares": {
			CodePrePrepare, proposal(encodedBlock, num(1), sig, none, repeat(good, MaxListLength+1)), "longer than",
		},
		"proposal, lists as strings":   {CodePrePrepare, proposal(encodedBlock, num(1), sig, empty, empty), "round changes"},
		"proposal, prepares as string": {CodePrePrepare, proposal(encodedBlock, num(1), sig, none, empty), "prepares"},
		"proposal, no block":           {CodePrePrepare, proposal(none, num(0), sig, none, none), "too few"},
		"proposal, round too big":      {CodePrePrepare, proposal(encodedBlock, num(1<<32), sig, none, none), "32 bits"},
		"proposal, short signature": {
			CodePrePrepare, proposal(encodedBlock, num(0), fill(64), none, none), "signature has 64",
		},
		"proposal, bad change": {
			CodePrePrepare, proposal(encodedBlock, num(1), sig, list(change(map[int][]byte{3: empty})), none), "round change 0",
		},
		"proposal, bad prepare": {
			CodePrePrepare, proposal(encodedBlock, num(1), sig, none, list(vote(map[int][]byte{4: empty}))), "prepare 0",
		},
		"proposal, whole round change": {
			CodePrePrepare, proposal(encodedBlock, num(1), sig, list(list(change(nil), none, none)), none), "round changes",
		},
		"proposal, no justification": {CodePrePrepare, list(list(list(num(5), num(0), encodedBlock), sig)), "too few"},

		"legacy wrapper": {0x11, str(good), ErrCode.Error()},
		"eth code":       {0x07, good, ErrCode.Error()},
		"too large":      {CodePrepare, make([]byte, MaxSize+1), "more than"},
	} {
		t.Run(name, func(t *testing.T) {
			m, err := Decode(c.code, c.payload)
			switch {
			case c.want == "" && err != nil:
				t.Errorf("%s: %v", name, err)
			case c.want == "":
				if again, err := Decode(c.code, m.Encode()); err != nil || !bytes.Equal(again.Encode(), m.Encode()) {
					t.Errorf("%s: does not survive encoding: %v", name, err)
				}
			case err == nil || !strings.Contains(err.Error(), c.want):
				t.Errorf("%s: error %v, want one with %q", name, err, c.want)
			case m != nil:
				t.Errorf("%s: error and message", name)
			}
		})
	}
	expect.Error(t, expect.Err(Decode(0x16, good)), ErrCode, "error")
}

// Absent parts in their other form are the same message (spec wbft 4.2).
func TestAbsentForms(t *testing.T) {
	want := list(change(nil), none, none)
	for _, payload := range [][]byte{
		want, list(change(nil), empty, none), list(change(nil), none, empty), list(change(nil), empty, empty),
		list(change(nil), num(5), none), list(change(nil), none, num(127)), list(change(nil), []byte{0}, []byte{0}),
	} {
		m := must.Get(Decode(CodeRoundChange, payload))(t)
		rc := m.(*RoundChange)
		expect.That(t, rc.PreparedBlock == nil && rc.Prepares == nil && rc.Prepared == nil && bytes.Equal(m.Encode(), want),
			"%x: %x", payload, m.Encode())
	}
}

// The sizes of spec wbft 4.2 and the worked example of 4.3.
func TestSizes(t *testing.T) {
	key := must.Get(crypto.GenerateKey())(t)
	for sequence, extra := range map[uint64]int{1: 0, 127: 0, 128: 1, 255: 1, 256: 2, 65535: 2} {
		p := &Prepare{Sequence: sequence, Seal: make([]byte, SealLength)}
		c := &Commit{Sequence: sequence, Seal: make([]byte, SealLength)}
		rc := new(RoundChange)
		rc.Sequence, rc.Round = sequence, 1
		for m, size := range map[Message]int{p: 204, c: 204, rc: 77} {
			must.Do(t, Sign(m, key))
			expect.Equal(t, len(m.Encode()), size+extra, "%T, sequence %d bytes", m, sequence)
		}
	}
	rc := new(RoundChange)
	rc.Sequence, rc.Round = 5, 1
	expect.Equal(t, hexutil.Encode(rc.SigningPayload()), "0xc515c30501c0", "signing payload")
	got := crypto.Keccak256Hash(rc.SigningPayload()).Hex()
	expect.That(t, got == "0xc7af11b3c7fe4e0e50160b7d7f35d261f03fdde49c9b40677c21180f1f0b9e87", "digest %s", got)
	rc.Prepared = new(PreparedClaim) // a claim of the zero hash is none
	expect.Equal(t, hexutil.Encode(rc.SigningPayload()), "0xc515c30501c0", "signing payload of an empty claim")
}

func TestSigning(t *testing.T) {
	key := must.Get(crypto.GenerateKey())(t)
	m := &Prepare{Sequence: 5, Seal: make([]byte, SealLength)}
	expect.That(t, expect.Err(m.Signer()) != nil && m.Signature() == nil, "unsigned message has a signer")
	failure := errors.New("no key")
	expect.Error(t, m.SignWith(func([]byte) ([]byte, error) { return nil, failure }), failure, "error")
	expect.Refused(t, m.SignWith(func([]byte) ([]byte, error) { return make([]byte, 64), nil }),
		"took a signature of 64 bytes")
	expect.That(t, m.Signature() == nil, "failed signing left a signature")
	must.Do(t, m.SignWith(func(payload []byte) ([]byte, error) {
		expect.That(t, bytes.Equal(payload, m.SigningPayload()), "signing %x, want the payload itself", payload)
		return make([]byte, 65), nil
	}))
	for range 2 {
		a, err := m.Signer()
		expect.Refused(t, err, "recovered %v from zeros", a)
	}
	must.Do(t, Sign(m, key))
	if a, err := m.Signer(); err != nil || a != crypto.PubkeyToAddress(key.PublicKey) {
		t.Errorf("signer %v, %v: signing again must forget the signer before", a, err)
	}
	// The code is part of what is signed: a PREPARE is no COMMIT (spec wbft 4.3).
	other := must.Get(Decode(CodeCommit, m.Encode()))(t)
	a, err := other.Signer()
	expect.That(t, err != nil || a != crypto.PubkeyToAddress(key.PublicKey), "signature of a PREPARE passes for a COMMIT")
}

// A decoded message may be asked for its signer from several goroutines.
func TestSignerConcurrently(t *testing.T) {
	key := must.Get(crypto.GenerateKey())(t)
	m := new(RoundChange)
	m.Sequence = 9
	must.Do(t, Sign(m, key))
	decoded := must.Get(Decode(CodeRoundChange, m.Encode()))(t)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			a, err := decoded.Signer()
			expect.That(t, err == nil && a == crypto.PubkeyToAddress(key.PublicKey), "signer %v, %v", a, err)
		})
	}
	wg.Wait()
}

// The result must not depend on the payload's buffer, which the network layer uses again.
func TestDecodeSharesNoMemory(t *testing.T) {
	var made madeMessages
	vectors.Load(t, "messages.json", &made)
	for _, v := range made.Messages {
		payload := bytes.Clone(v.Wire)
		m := must.Get(Decode(v.Code, payload))(t)
		clear(payload)
		expect.Slice(t, m.Encode(), v.Wire, "%s: changed with its payload", v.Name)
	}
}

// The bytes of a block are those received, which its author signed, and those of the block of the message.
// spec: wbft 4.2
func TestEncodedBlock(t *testing.T) {
	var made madeMessages
	vectors.Load(t, "messages.json", &made)
	seen := 0
	for _, v := range made.Messages {
		decoded := must.Get(Decode(v.Code, v.Wire))(t)
		m, ok := decoded.(*PrePrepare)
		if !ok {
			continue
		}
		seen++
		if got := m.EncodedBlock(); !bytes.Equal(got, encode(m.Block)) || &got[0] != &m.EncodedBlock()[0] {
			t.Errorf("%s: the block is %x, and encoded again", v.Name, got)
		}
		made := &PrePrepare{Sequence: m.Sequence, Round: m.Round, Block: m.Block}
		if got := made.EncodedBlock(); !bytes.Equal(got, m.EncodedBlock()) || &got[0] != &made.EncodedBlock()[0] {
			t.Errorf("%s: the block is %x once made, or encoded twice", v.Name, got)
		}
		header := m.Block.Header()
		header.GasUsed++
		other := m.Block.WithSeal(header)
		made.Block = other
		got := made.EncodedBlock()
		expect.That(t, bytes.Equal(got, encode(other)), "%s: the bytes %x are those of the block before", v.Name, got)
	}
	expect.That(t, seen != 0, "no vector has a proposal")
}

func TestViewOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		draw := func(name string) View {
			return View{rapid.Uint64Range(0, 2).Draw(t, name), rapid.Uint64Range(0, 2).Draw(t, name)}
		}
		a, b := draw("a"), draw("b")
		want := int(a.Sequence*3+a.Round) - int(b.Sequence*3+b.Round)
		got := a.Cmp(b)
		must.That(t, (got < 0) == (want < 0) && (got > 0) == (want > 0), "%v against %v: %d", a, b, got)
	})
}

// Whatever a peer sends: no panic, and what decodes is a fixed point of decoding and encoding.
func FuzzDecode(f *testing.F) {
	var made madeMessages
	vectors.Load(f, "messages.json", &made)
	for _, v := range made.Messages {
		f.Add(v.Code, []byte(v.Wire))
	}
	for _, file := range []string{"prepare", "commit", "preprepare", "roundchange"} {
		var recordings []recorded
		vectors.Load(f, "istanbul-"+file+".json", &recordings)
		for _, r := range recordings {
			f.Add(uint64(r.Code)-istanbulOffset, []byte(r.Payload))
		}
	}
	f.Fuzz(func(t *testing.T, code uint64, payload []byte) {
		m, err := Decode(code, payload)
		if err != nil {
			return
		}
		must.That(t, m.Code() == code && m.View().Round <= math.MaxUint32 && len(m.Signature()) == SignatureLength,
			"code 0x%x, view %v, signature of %d bytes", m.Code(), m.View(), len(m.Signature()))
		encoded := m.Encode()
		must.That(t, code == CodeRoundChange || bytes.Equal(encoded, payload), "%x encodes as %x", payload, encoded)
		if p, ok := m.(*PrePrepare); ok {
			got := encode(p.Block)
			must.That(t, bytes.Equal(got, p.EncodedBlock()), "the block %x encodes as %x", p.EncodedBlock(), got)
		}
		again, err := Decode(code, encoded)
		must.That(t, err == nil, "%x: %v", encoded, err)
		must.That(t, bytes.Equal(again.Encode(), encoded) && bytes.Equal(again.SigningPayload(), m.SigningPayload()),
			"%x is not stable", encoded)
		a, errA := m.Signer()
		b, errB := again.Signer()
		must.That(t, a == b && (errA == nil) == (errB == nil), "signers %v, %v", a, b)
	})
}
