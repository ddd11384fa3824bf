// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package kzg4844

import (
	"math/rand"
	"os"
	"os/exec"
	"testing"

	"github.com/consensys/gnark-crypto/ecc/bls12-381/fp"
	"github.com/consensys/gnark-crypto/ecc/bls12-381/fr"

	"github.com/ethereum/go-ethereum/internal/must"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// opening is the input of one check.
type opening struct {
	commitment Commitment
	point      Point
	claim      Claim
	proof      Proof
}

// same fails the test unless the check without the set-up says what the library's says.
func (o opening) same(t *testing.T) (valid bool) {
	t.Helper()
	have := VerifyOpening(o.commitment, o.point, o.claim, o.proof)
	want := gokzgVerifyProof(o.commitment, o.point, o.claim, o.proof)
	require.Truef(t, (have == nil) == (want == nil), "%x: without the set-up: %v, with it: %v", o, have, want)
	return have == nil
}

// openings returns valid openings: of a random polynomial at a random point, at a root of unity and at zero; of a
// constant and of zero.
func openings(t testing.TB, random *rand.Rand) []opening {
	t.Helper()
	scalar := func() (b [32]byte) {
		random.Read(b[1:]) // below the modulus
		return b
	}
	blob, constant, zero := new(Blob), new(Blob), new(Blob)
	value := scalar()
	for i := 0; i < len(blob); i += 32 {
		s := scalar()
		copy(blob[i:], s[:])
		copy(constant[i:], value[:])
	}
	one := Point{31: 1} // a root of unity: the quotient is computed in another way there
	var list []opening
	for _, b := range []*Blob{blob, constant, zero} {
		commitment := must.Get(BlobToCommitment(b))(t)
		for _, point := range []Point{scalar(), {}, one} {
			proof, claim, err := ComputeProof(b, point)
			must.Do(t, err)
			list = append(list, opening{commitment, point, claim, proof})
		}
	}
	return list
}

// The check without the trusted setup accepts and refuses the same as the library's: valid and false openings, numbers
// that are not reduced, points that are not on the curve or not in the group.
func TestOpeningWithoutSetup(t *testing.T) {
	random := rand.New(rand.NewSource(1))
	list := openings(t, random)
	for i, o := range list {
		assert.Truef(t, o.same(t), "valid opening %d is refused", i)
		other := list[(i+1)%len(list)]
		for _, wrong := range []opening{
			{other.commitment, o.point, o.claim, o.proof}, {o.commitment, Point{1}, o.claim, o.proof},
			{o.commitment, o.point, Claim{2}, o.proof}, {o.commitment, o.point, o.claim, other.proof},
		} {
			wrong.same(t)
		}
	}
	good := list[0]
	assert.False(t, (opening{good.commitment, good.point, Claim{3}, good.proof}).same(t), "a false claim is accepted")

	order, field := fr.Modulus().FillBytes(make([]byte, 32)), fp.Modulus().FillBytes(make([]byte, 48))
	for name, change := range map[string]func(*opening){
		"point is the order":             func(o *opening) { copy(o.point[:], order) },
		"claim is the order":             func(o *opening) { copy(o.claim[:], order) },
		"point is not reduced":           func(o *opening) { o.point[0] = 0xff },
		"commitment is not compressed":   func(o *opening) { o.commitment[0] &^= 0x80 },
		"commitment has the wrong sign":  func(o *opening) { o.commitment[0] ^= 0x20 },
		"commitment is infinity and not": func(o *opening) { o.commitment = Commitment{0: 0xc0, 47: 1} },
		"commitment is infinity":         func(o *opening) { o.commitment = Commitment{0: 0xc0} },
		"commitment's x is the field's modulus": func(o *opening) {
			copy(o.commitment[:], field)
			o.commitment[0] |= 0x80
		},
		"proof is infinity": func(o *opening) { o.proof = Proof{0: 0xc0} },
		"proof is zero":     func(o *opening) { o.proof = Proof{} },
	} {
		o := good
		change(&o)
		assert.Falsef(t, o.same(t), "%s: accepted", name)
	}
	outside := 0
	for i := range 200 { // most x are on no point, half of the rest are on the curve; hardly any in the group
		o := good
		random.Read(o.proof[1:])
		o.proof[0] = 0x80 | byte(i)&0x0f
		if !o.same(t) {
			outside++
		}
	}
	assert.Equal(t, 200, outside, "of 200 random points are refused")
}

// The point evaluation prepares nothing when the set-up is not wanted; what needs the set-up still gets it.
func TestWithoutSetup(t *testing.T) {
	const child = "GWON_TEST_WITHOUT_SETUP"
	if os.Getenv(child) == "" { // in a process of its own: the set-up of this one may be there already
		cmd := exec.Command(os.Args[0], "-test.run=^TestWithoutSetup$", "-test.v")
		cmd.Env = append(os.Environ(), child+"=1")
		out, err := cmd.CombinedOutput()
		require.Truef(t, err == nil, "%v\n%s", err, out)
		return
	}
	WithoutSetup = true
	must.Do(t, UseCKZG(false))
	infinity := opening{commitment: Commitment{0: 0xc0}, proof: Proof{0: 0xc0}} // zero is zero everywhere
	assert.NoError(t, VerifyOpening(infinity.commitment, infinity.point, infinity.claim, infinity.proof))
	require.True(t, context == nil, "the trusted set-up was prepared")
	_, err := BlobToCommitment(new(Blob))
	assert.Truef(t, err == nil && context != nil, "a commitment with the set-up: %v", err)
}

func FuzzOpeningWithoutSetup(f *testing.F) {
	for _, o := range openings(f, rand.New(rand.NewSource(2))) {
		f.Add(o.commitment[:], o.point[:], o.claim[:], o.proof[:])
	}
	f.Fuzz(func(t *testing.T, commitment, point, claim, proof []byte) {
		var o opening
		copy(o.commitment[:], commitment)
		copy(o.point[:], point)
		copy(o.claim[:], claim)
		copy(o.proof[:], proof)
		o.same(t)
	})
}

// One evaluation, and what the first one of a process costs: the figure of the set-up is beside it.
func BenchmarkOpening(b *testing.B) {
	o := opening{commitment: Commitment{0: 0xc0}, proof: Proof{0: 0xc0}}
	for name, verify := range map[string]func(Commitment, Point, Claim, Proof) error{
		"without setup": VerifyOpening, "library": gokzgVerifyProof,
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				must.Do(b, verify(o.commitment, o.point, o.claim, o.proof))
			}
		})
	}
}
