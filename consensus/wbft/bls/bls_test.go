// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package bls

import (
	"bytes"
	"crypto/ecdsa"
	"math/big"
	"slices"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/supranational/blst/bindings/go"
	"pgregory.net/rapid"

	"gwon/internal/expect"
	"gwon/internal/must"
	"gwon/internal/vectors"
)

func blsKey(t rapid.TB, i int) *SecretKey {
	t.Helper()
	return must.Get(DeriveKey(vectors.NodeKey(t, i)))(t)
}

// Spec wbft 2.1 and 2.2 against every key of the vectors.
func TestDerivedKeys(t *testing.T) {
	var recorded struct {
		Keys []struct {
			Index        int
			PrivateKey   hexutil.Bytes
			BLSSecretKey hexutil.Bytes
			BLSPublicKey hexutil.Bytes
			Proof        hexutil.Bytes `json:"proofOfPossession"`
		}
	}
	vectors.Load(t, "keys.json", &recorded)
	must.That(t, len(recorded.Keys) != 0, "no vectors")
	for _, v := range recorded.Keys {
		key := must.Get(crypto.ToECDSA(v.PrivateKey))(t)
		sk := must.Get(DeriveKey(key))(t)
		expect.Slice(t, sk.Bytes(), v.BLSSecretKey, "key %d: secret key", v.Index)
		expect.Slice(t, sk.PublicKey().Bytes(), v.BLSPublicKey, "key %d: public key", v.Index)
		expect.Slice(t, sk.ProofOfPossession(), v.Proof, "key %d: proof of possession", v.Index)
		parsed := must.Get(ParsePublicKey(v.BLSPublicKey))(t)
		expect.That(t, parsed.Equal(sk.PublicKey()), "key %d: parsed key differs", v.Index)
		expect.That(t, VerifyPossession(parsed, v.Proof), "key %d: proof of possession does not verify", v.Index)
	}
	first, second := recorded.Keys[0], recorded.Keys[1]
	pk, _ := ParsePublicKey(first.BLSPublicKey)
	expect.That(t, !VerifyPossession(pk, second.Proof) && !VerifyPossession(nil, first.Proof),
		"foreign proof of possession verifies")
}

// Own signing makes the same signature as the library, for a new message and for a kept one.
// spec: wbft 2.4
func TestSignIsTheLibrarys(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		messages := rapid.SliceOfN(rapid.SliceOfN(rapid.Byte(), 0, 48), 1, 3).Draw(t, "messages")
		for range 2 * len(messages) {
			sk, msg := blsKey(t, rapid.IntRange(0, 3).Draw(t, "key")), rapid.SampledFrom(messages).Draw(t, "message")
			want := new(blst.P2Affine).Sign(sk.scalar, msg, ciphersuite).Compress()
			have := sk.Sign(msg)
			must.That(t, bytes.Equal(have, want), "signature %x over %x, want %x", have, msg, want)
		}
	})
}

func TestDeriveKeyRefusesUnusableNodeKeys(t *testing.T) {
	for name, key := range map[string]*ecdsa.PrivateKey{
		"nil":      nil,
		"no value": {},
		"zero":     {D: new(big.Int)},
		"negative": {D: big.NewInt(-1)},
		"too long": {D: new(big.Int).Lsh(common.Big1, 256)},
	} {
		t.Run(name, func(t *testing.T) {
			expect.Refused(t, expect.Err(DeriveKey(key)), "%s: derived a key", name)
		})
	}
}

// offSubgroup is a point of the curve y^2 = x^3 + 4 outside the subgroup of order r (x = 4).
const offSubgroup = "0x800000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000004"

func TestParsePublicKeyChecks(t *testing.T) {
	good := blsKey(t, 0).PublicKey().Bytes()
	infinity := append([]byte{0xc0}, make([]byte, PublicKeyLength-1)...)
	uncompressed := bytes.Clone(good)
	uncompressed[0] &^= 0x80
	beyond := bytes.Repeat([]byte{0xff}, PublicKeyLength)
	beyond[0] = 0x9f
	for name, in := range map[string][]byte{
		"nil":            nil,
		"short":          good[:47],
		"long":           append(bytes.Clone(good), 0),
		"infinity":       infinity,
		"no flag":        uncompressed,
		"x beyond field": beyond,
		"off subgroup":   hexutil.MustDecode(offSubgroup),
		"zero":           make([]byte, PublicKeyLength),
	} {
		t.Run(name, func(t *testing.T) {
			expect.Error(t, expect.Err(ParsePublicKey(in)), ErrPublicKey, "%s: error", name)
		})
	}
	for range 2 { // decoded, then from the cache
		pk, err := ParsePublicKey(good)
		must.That(t, err == nil && bytes.Equal(pk.Bytes(), good), "good key: %v", err)
		pk.Bytes()[0] = 0 // must be a copy
	}
}

func TestVerify(t *testing.T) {
	sk, other := blsKey(t, 0), blsKey(t, 1)
	msg := crypto.Keccak256([]byte("digest"))
	sig := sk.Sign(msg)
	must.That(t, len(sig) == SignatureLength && Verify(sk.PublicKey(), msg, sig), "own signature does not verify")
	infinity := append([]byte{0xc0}, make([]byte, SignatureLength-1)...)
	for name, c := range map[string]struct {
		pk       *PublicKey
		msg, sig []byte
	}{
		"nil key":     {nil, msg, sig},
		"other key":   {other.PublicKey(), msg, sig},
		"other msg":   {sk.PublicKey(), msg[1:], sig},
		"empty sig":   {sk.PublicKey(), msg, nil},
		"short sig":   {sk.PublicKey(), msg, sig[:95]},
		"infinity":    {sk.PublicKey(), msg, infinity},
		"negated":     {sk.PublicKey(), msg, negated(sig)},
		"not a point": {sk.PublicKey(), msg, bytes.Repeat([]byte{0xab}, SignatureLength)},
	} {
		t.Run(name, func(t *testing.T) {
			expect.That(t, !Verify(c.pk, c.msg, c.sig), "%s: verifies", name)
		})
	}
}

// Aggregates of the vectors: sums of the commit seals of listed validators (spec wbft 2.5).
func TestAggregateVectors(t *testing.T) {
	var recorded struct {
		Digests []struct {
			Round  uint32
			Commit common.Hash `json:"commitDigest"`
		}
		Aggregates []struct {
			Indices   []int
			PublicKey hexutil.Bytes `json:"aggregatePublicKey"`
			Signature hexutil.Bytes `json:"aggregateSignature"`
		} `json:"aggregateCommitRound1"`
	}
	vectors.Load(t, "seals.json", &recorded)
	must.That(t, len(recorded.Aggregates) != 0, "no vectors")
	var digest common.Hash
	for _, d := range recorded.Digests {
		if d.Round == 1 {
			digest = d.Commit
		}
	}
	for _, v := range recorded.Aggregates {
		var sigs [][]byte
		var pks []*PublicKey
		for _, i := range v.Indices {
			sigs = append(sigs, blsKey(t, i).Sign(digest[:]))
			pks = append(pks, blsKey(t, i).PublicKey())
		}
		got, err := aggregate(sigs)
		expect.That(t, err == nil && bytes.Equal(got, v.Signature),
			"%v: aggregate %x, %v, want %x", v.Indices, got, err, v.Signature)
		expect.That(t, VerifyAggregate(pks, digest[:], v.Signature), "%v: aggregate does not verify", v.Indices)
		sum, err := ParsePublicKey(v.PublicKey)
		expect.That(t, err == nil && Verify(sum, digest[:], v.Signature),
			"%v: aggregate does not verify under the summed key: %v", v.Indices, err)
		expect.That(t, !VerifyAggregate(pks[1:], digest[:], v.Signature) &&
			!VerifyAggregate(append(pks, pks[0]), digest[:], v.Signature), "%v: verifies under other keys", v.Indices)
	}
}

func TestAggregateEdges(t *testing.T) {
	sk := blsKey(t, 0)
	msg := []byte("message")
	sig := sk.Sign(msg)
	expect.Error(t, expect.Err(aggregate([][]byte{sig, sig[:10]})), ErrSignature, "error")
	one, err := aggregate([][]byte{sig})
	expect.That(t, err == nil && bytes.Equal(one, sig), "aggregate of one signature: %x, %v", one, err)
	// A point added to itself is doubled, and the doubled signature verifies under the doubled key only.
	double := must.Get(aggregate([][]byte{sig, sig}))(t)
	pk := sk.PublicKey()
	expect.That(t, VerifyAggregate([]*PublicKey{pk, pk}, msg, double) && !VerifyAggregate([]*PublicKey{pk}, msg, double),
		"doubling is wrong")
	// Adding infinity changes nothing; a signature and its negation sum to infinity, which verifies nowhere.
	infinity := append([]byte{0xc0}, make([]byte, SignatureLength-1)...)
	same, err := aggregate([][]byte{infinity, sig})
	expect.That(t, err == nil && bytes.Equal(same, sig), "infinity plus a signature: %x, %v", same, err)
	zero, err := aggregate([][]byte{sig, negated(sig)})
	expect.That(t, err == nil && bytes.Equal(zero, infinity), "signature plus its negation: %x, %v", zero, err)
	expect.That(t, !VerifyAggregate(nil, msg, sig) && !VerifyAggregate(nil, msg, infinity) &&
		!VerifyAggregate([]*PublicKey{pk, nil}, msg, sig), "verifies without keys")
	// Keys that sum to infinity must not accept the infinite signature.
	minus := must.Get(ParsePublicKey(negated(pk.Bytes())))(t)
	expect.That(t, !VerifyAggregate([]*PublicKey{pk, minus}, msg, infinity),
		"infinite aggregate key accepts the infinite signature")
}

// Any subset of bad signatures is found exactly, whatever makes them bad.
func TestInvalidFindsExactlyTheBadOnes(t *testing.T) {
	const most = 7
	msg := crypto.Keccak256([]byte("proposal"))
	var keys []*PublicKey
	var good, foreign [][]byte
	for i := range most {
		sk := blsKey(t, i)
		keys = append(keys, sk.PublicKey())
		good = append(good, sk.Sign(msg))
		foreign = append(foreign, sk.Sign([]byte("something else")))
	}
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, most).Draw(t, "n")
		sigs := slices.Clone(good[:n])
		var want []int
		for i := range n {
			switch rapid.IntRange(0, 4).Draw(t, "kind") {
			case 0:
				sigs[i] = foreign[i]
			case 1:
				sigs[i] = []byte("garbage")
			default:
				continue
			}
			want = append(want, i)
		}
		got := FindBad(Singles{keys[:n], msg, decoded(sigs)})
		must.That(t, slices.Equal(got, want), "bad ones %v, want %v", got, want)
	})
	expect.Slice(t, FindBad(Singles{[]*PublicKey{keys[0], nil, keys[2], keys[3]}, msg, decoded(good[:3])}), []int{1, 3},
		"missing key and missing signature")
}

// decoded decodes signatures; nil stands for what is none.
func decoded(sigs [][]byte) []*Signature {
	list := make([]*Signature, len(sigs))
	for i := range sigs {
		list[i], _ = ParseSignature(sigs[i])
	}
	return list
}

// Offsetting signatures are found: signatures that were verified together stay good one by one.
// spec: wbft 2.5
func TestInvalidTakesNoSumForItsParts(t *testing.T) {
	msg, other := []byte("message"), []byte("other")
	a, b, c := blsKey(t, 0), blsKey(t, 1), blsKey(t, 2)
	deviation := a.Sign(other)
	shifted, back := plus(t, a.Sign(msg), deviation), plus(t, b.Sign(msg), negated(deviation))
	pks := []*PublicKey{a.PublicKey(), c.PublicKey(), b.PublicKey()}
	sigs := [][]byte{shifted, c.Sign(msg), back}
	sum, err := aggregate(sigs)
	must.That(t, err == nil && VerifyAggregate(pks, msg, sum), "the sum does not verify: %v", err)
	lot := func(pks []*PublicKey, sigs [][]byte) Singles { return Singles{pks, msg, decoded(sigs)} }
	expect.That(t, !AllValid(lot(pks, sigs)), "wrong signatures pass because their sum is right")
	bad := FindBad(Singles{pks, msg, decoded(sigs)})
	expect.That(t, slices.Equal(bad, []int{0, 2}), "bad ones %v, want 0 and 2", bad)
	expect.That(t, AllValid(lot(pks[1:2], sigs[1:2])) && AllValid(lot(nil, nil)) && !AllValid(lot(pks, sigs[:2])) &&
		!AllValid(lot(pks[:2], sigs)), "wrong verdict on good signatures or on lists of different lengths")
}

// plus returns the sum of two points of the curve, in the group or not.
func plus(t *testing.T, x, y []byte) []byte {
	t.Helper()
	points := decoded([][]byte{x, y})
	must.That(t, !slices.Contains(points, nil), "no point of the curve")
	return Sum(points)
}

// times multiplies any point of the curve; the library's multiplication is for points of the group.
func times(point *blst.P2Affine, k *big.Int) *blst.P2Affine {
	var multiple blst.P2
	for i := k.BitLen() - 1; i >= 0; i-- {
		if multiple.AddAssign(multiple.ToAffine()); k.Bit(i) == 1 {
			multiple.AddAssign(point)
		}
	}
	return multiple.ToAffine()
}

// hexInt reads a number.
func hexInt(digits string) *big.Int {
	k, ok := new(big.Int).SetString(digits, 16)
	if !ok {
		panic(digits)
	}
	return k
}

var (
	groupOrder = hexInt("73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001")

	// cofactor is how many times as many points the curve of signatures has as their group.
	cofactor = hexInt(

		"5d543a95414e7f1091d50792876a202cd91de4547085abaa68a205b2e5a7ddfa" +
			"628f1cb4d9e82ef21537e293a6691ae1616ec6e786f0c70cf1c38e31c7238e5",
	)
)

// multiple returns a point of the curve that is k times another one and not infinite.
func multiple(t *testing.T, k *big.Int) *blst.P2Affine {
	t.Helper()
	encoded := append([]byte{0x80}, make([]byte, SignatureLength-1)...)
	for x := byte(1); x < 100; x++ {
		encoded[SignatureLength-1] = x
		if point, err := decode(encoded); err == nil {
			if point = times(point, k); !point.Equals(new(blst.P2Affine)) {
				return point
			}
		}
	}
	t.Fatal("no such point found")
	return nil
}

// outside returns a point of the curve of signatures outside their group: its order does not divide the order of the
// group.
func outside(t *testing.T) []byte { return multiple(t, groupOrder).Compress() }

// ofOrder13 returns a point of the curve with order 13. Random factors of two such points are equal once in 13 times.
func ofOrder13(t *testing.T) []byte {
	thirteen := big.NewInt(13)
	rest := new(big.Int).Mul(groupOrder, cofactor)
	point := multiple(t, rest.Div(rest, new(big.Int).Mul(thirteen, thirteen)))
	if next := times(point, thirteen); !next.Equals(new(blst.P2Affine)) {
		point = next
	}
	must.That(t, times(point, thirteen).Equals(new(blst.P2Affine)), "the point is of another order")
	return point.Compress()
}

// negated returns the point on the other side of the curve.
func negated(point []byte) []byte {
	opposite := bytes.Clone(point)
	opposite[0] ^= 0x20 // the sign bit of a compressed point
	return opposite
}

// Signatures that are verified in sum are good in sum, for each message by itself. Offsetting signatures pass only
// over one message.
// spec: wbft 2.5
func TestSumsValid(t *testing.T) {
	a, b := blsKey(t, 0), blsKey(t, 1)
	one, two := []byte("message one"), []byte("message two")
	lot := func(msg []byte, sigs [][]byte, keys ...*SecretKey) Singles {
		l := Singles{Message: msg, Signatures: decoded(sigs)}
		for _, key := range keys {
			l.Keys = append(l.Keys, key.PublicKey())
		}
		return l
	}
	deviation, stray := a.Sign([]byte("any point will do")), outside(t)
	infinity := append([]byte{0xc0}, make([]byte, SignatureLength-1)...)
	first, second := lot(one, [][]byte{a.Sign(one), b.Sign(one)}, a, b), lot(two, [][]byte{b.Sign(two)}, b)
	for name, test := range map[string]struct {
		lots []Singles
		want bool
	}{
		"nothing":     {nil, true},
		"one message": {[]Singles{first}, true},
		"good":        {[]Singles{first, second}, true},
		"the same key twice": {
			[]Singles{lot(one, [][]byte{a.Sign(one)}, a), lot(two, [][]byte{a.Sign(two)}, a)}, true,
		},
		"right in sum": {
			[]Singles{
				lot(one, [][]byte{plus(t, a.Sign(one), deviation), plus(t, b.Sign(one), negated(deviation))}, a, b), second,
			},
			true,
		},
		"outside, right in sum": {
			[]Singles{lot(one, [][]byte{plus(t, a.Sign(one), stray), plus(t, b.Sign(one), negated(stray))}, a, b), second}, true,
		},
		"outside":        {[]Singles{lot(one, [][]byte{plus(t, a.Sign(one), stray), b.Sign(one)}, a, b)}, false},
		"second outside": {[]Singles{first, lot(two, [][]byte{plus(t, b.Sign(two), stray)}, b)}, false},
		"messages changed places": {
			[]Singles{lot(two, [][]byte{a.Sign(one)}, a), lot(one, [][]byte{a.Sign(two)}, a)}, false,
		},
		"signatures changed places": {
			[]Singles{lot(one, [][]byte{a.Sign(two)}, a), lot(two, [][]byte{a.Sign(one)}, a)}, false,
		},
		"second is bad": {[]Singles{first, lot(two, [][]byte{b.Sign(one)}, b)}, false},
		"first is bad":  {[]Singles{lot(one, [][]byte{a.Sign(two)}, a), second}, false},
		"right over both messages": {
			[]Singles{
				lot(one, [][]byte{plus(t, a.Sign(one), deviation)}, a),
				lot(two, [][]byte{plus(t, b.Sign(two), negated(deviation))}, b),
			},
			false,
		},
		"outside over both": {
			[]Singles{
				lot(one, [][]byte{plus(t, a.Sign(one), stray)}, a), lot(two, [][]byte{plus(t, b.Sign(two), negated(stray))}, b),
			},
			false,
		},
		"a signature too few": {[]Singles{lot(one, [][]byte{plus(t, a.Sign(one), b.Sign(one))}, a, b)}, false},
		"a key too few":       {[]Singles{lot(one, [][]byte{a.Sign(one), infinity}, a)}, false},
		"infinite":            {[]Singles{lot(one, [][]byte{infinity}, a), second}, false},
		"missing":             {[]Singles{lot(one, [][]byte{nil}, a), second}, false},
		"empty":               {[]Singles{{Message: one}, second}, false},
	} {
		t.Run(name, func(t *testing.T) {
			for range 2 { // the second time with messages that were hashed before
				expect.Equal(t, SumsValid(test.lots...), test.want, "%s", name)
			}
		})
	}
}

// A signature that differs from a good one by a point outside the group is bad, and so are two that offset each other.
// spec: wbft 2.1
func TestInvalidFindsWhatIsOutsideTheGroup(t *testing.T) {
	msg, stray := []byte("message"), outside(t)
	var pks []*PublicKey
	var sigs [][]byte
	for i := range 5 {
		pks, sigs = append(pks, blsKey(t, i).PublicKey()), append(sigs, blsKey(t, i).Sign(msg))
	}
	sigs[1], sigs[3] = plus(t, sigs[1], stray), plus(t, sigs[3], negated(stray))
	bad := FindBad(Singles{pks, msg, decoded(sigs)})
	expect.That(t, slices.Equal(bad, []int{1, 3}), "bad ones %v, want 1 and 3", bad)
	expect.That(t, !AllValid(Singles{pks, msg, decoded(sigs)}) && !AllValid(Singles{pks[1:2], msg, decoded(sigs[1:2])}),
		"they are taken for valid")
}

// Faults of small order are found in every attempt. Factors do not separate them, so each signature or sum must be in
// the group.
// spec: wbft 2.1
func TestFaultsOfSmallOrder(t *testing.T) {
	one, two, stray := []byte("message one"), []byte("message two"), ofOrder13(t)
	a, b := blsKey(t, 0), blsKey(t, 1)
	keys := []*PublicKey{a.PublicKey(), b.PublicKey()}
	sigs := [][]byte{plus(t, a.Sign(one), stray), plus(t, b.Sign(one), negated(stray))}
	first, second := Singles{
		keys[:1],
		one,
		decoded(sigs[:1]),
	}, Singles{
		keys[1:],
		two,
		decoded([][]byte{plus(t, b.Sign(two), negated(stray))}),
	}
	batch := []Signed{
		{Keys: keys[:1], Message: one, Signature: sigs[0]},
		{Keys: keys[1:], Message: two, Signature: plus(t, b.Sign(two), negated(stray))},
	}
	for range 100 {
		must.That(t, !AllValid(Singles{keys, one, decoded(sigs)}), "AllValid takes them for valid")
		bad := FindBad(Singles{keys, one, decoded(sigs)})
		must.That(t, slices.Equal(bad, []int{0, 1}), "Invalid finds %v", bad)
		must.That(t, !SumsValid(first, second), "SumsValid takes two sums for valid")
		must.That(t, !VerifyBatch(batch), "VerifyBatch takes two aggregates for valid")
	}
	expect.That(t, SumsValid(Singles{keys, one, decoded(sigs)}), "they do not hold in sum")
	expect.Refused(t, expect.Err(aggregate(sigs)), "parseSignature takes them for signatures")
}

// Infinity never verifies, however good the rest is; keys that cancel are good one by one.
func TestOppositeKeys(t *testing.T) {
	one, two, a, b := []byte("message one"), []byte("message two"), blsKey(t, 0), blsKey(t, 1)
	key := must.Get(ParsePublicKey(negated(a.PublicKey().Bytes())))(t)
	infinity := append([]byte{0xc0}, make([]byte, SignatureLength-1)...)
	keys, sigs := []*PublicKey{a.PublicKey(), key}, decoded([][]byte{a.Sign(one), negated(a.Sign(one))})
	good := Singles{[]*PublicKey{b.PublicKey()}, two, decoded([][]byte{b.Sign(two)})}
	expect.That(t, !VerifyAggregate(keys, one, infinity) && !SumsValid(Singles{keys, one, sigs}) &&
		!SumsValid(Singles{keys, one, sigs}, good) && !SumsValid(good, Singles{keys, one, sigs}), "a sum of no key verifies")
	expect.That(t, AllValid(Singles{keys, one, sigs}) && FindBad(Singles{keys, one, sigs}) == nil,
		"good signatures are not")
}

// The first factor is 1; the others are odd, of 64 bits and different.
func TestWeights(t *testing.T) {
	entries := make([]entry, 1000)
	weigh(entries)
	seen, ored := make(map[[8]byte]bool), [8]byte{}
	for i, e := range entries {
		factor := [8]byte(e.factor[:8])
		must.That(t, (i == 0) == e.unweighted() && factor[0]&1 != 0 && !seen[factor] &&
			bytes.Equal(e.factor[8:], make([]byte, len(e.factor)-8)), "factor %d: %x", i, e.factor)
		seen[factor] = true
		for k := range ored {
			ored[k] |= factor[k]
		}
	}
	expect.Equal(t, ored, [8]byte(bytes.Repeat([]byte{0xff}, 8)), "bits that are never set")
}

// Any number of bad ones is found, whether halving pays or not.
func TestInvalidFindsManyBadOnes(t *testing.T) {
	msg := []byte("message")
	const n = 33
	var pks []*PublicKey
	var good [][]byte
	for i := range n {
		pks, good = append(pks, blsKey(t, i).PublicKey()), append(good, blsKey(t, i).Sign(msg))
	}
	for _, every := range []int{1, 2, 3, 10} {
		sigs, want := slices.Clone(good), []int{}
		for i := 0; i < n; i += every {
			sigs[i] = blsKey(t, i).Sign([]byte("other"))
			want = append(want, i)
		}
		expect.Slice(t, FindBad(Singles{pks, msg, decoded(sigs)}), want, "every %d.: bad ones", every)
	}
}

func FuzzParse(f *testing.F) {
	f.Add(blsKey(f, 0).PublicKey().Bytes())
	f.Add(hexutil.MustDecode(offSubgroup))
	f.Add(blsKey(f, 0).Sign([]byte("x")))
	f.Fuzz(func(t *testing.T, in []byte) {
		if pk, err := ParsePublicKey(in); err == nil && !bytes.Equal(pk.Bytes(), in) {
			t.Errorf("public key %x encodes as %x", in, pk.Bytes())
		}
		one, err := aggregate([][]byte{in})
		expect.That(t, err != nil || bytes.Equal(one, in), "signature %x encodes as %x", in, one)
	})
}

// An own signature or sum decodes to the same point as elsewhere, and no other bytes do.
// spec: wbft 2.1
func TestOwnPoints(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		msg := rapid.SliceOfN(rapid.Byte(), 32, 32).Draw(t, "message")
		var keys []*PublicKey
		var made [][]byte
		for i := range rapid.IntRange(1, 4).Draw(t, "signers") {
			keys, made = append(keys, blsKey(t, i).PublicKey()), append(made, blsKey(t, i).Sign(msg))
		}
		made = append(made, Sum(decoded(made)))
		must.That(t, VerifyAggregate(keys, msg, made[len(keys)]) && AllValid(Singles{keys, msg, decoded(made[:len(keys)])}),
			"does not verify")
		made = append(made, Sum(decoded(made))) // of a sum
		for _, encoded := range made {
			must.That(t, own.Contains([SignatureLength]byte(encoded)), "is decoded again")
			have, err := ParseSignature(encoded)
			must.That(t, err == nil && have.point.Equals(new(blst.P2Affine).Uncompress(encoded)),
				"%x decodes to %x: %v", encoded, have.Bytes(), err)
			encoded[rapid.IntRange(1, SignatureLength-1).Draw(t, "at")] ^= 1
			other, err := ParseSignature(encoded)
			must.That(t, err != nil || !other.point.Equals(have.point), "another encoding of the same point")
		}
	})
}
