// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package bls

import (
	"bytes"
	"crypto/ecdsa"
	"errors"
	"fmt"

	"github.com/ethereum/go-ethereum/common/lru"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/supranational/blst/bindings/go"
)

// Lengths in bytes of encoded keys and signatures (spec wbft 2.1).
const (
	SecretKeyLength = blst.BLST_SCALAR_BYTES
	PublicKeyLength = blst.BLST_P1_COMPRESS_BYTES
	SignatureLength = blst.BLST_P2_COMPRESS_BYTES
)

// ciphersuite is the domain separation tag of all signatures, seals and proofs of possession alike (spec wbft 2.1).
var ciphersuite = []byte("BLS_SIG_BLS12381G2_XMD:SHA-256_SSWU_RO_POP_")

// ErrPublicKey is returned for bytes that are no usable public key.
var ErrPublicKey = errors.New("invalid BLS public key")

// SecretKey is a BLS secret key.
type SecretKey struct {
	scalar *blst.SecretKey
	public *PublicKey
}

// DeriveKey derives the BLS key of a validator from its node key (spec wbft 2.1: KeyGen of draft 04 of the BLS
// signature standard with empty key info, which is the master key step of EIP-2333). The input is the node key as 32
// bytes big-endian.
func DeriveKey(nodeKey *ecdsa.PrivateKey) (*SecretKey, error) {
	//nolint:staticcheck // the standard library's other ways to read a key know no secp256k1
	if nodeKey == nil || nodeKey.D == nil || nodeKey.D.Sign() <= 0 || nodeKey.D.BitLen() > 256 {
		return nil, errors.New("cannot derive a BLS key without a valid node key")
	}
	ikm := crypto.FromECDSA(nodeKey)
	defer clear(ikm)
	scalar := blst.KeyGen(ikm)
	if scalar == nil {
		return nil, errors.New("cannot derive a BLS key: key generation refused the node key")
	}
	return newSecretKey(scalar), nil
}

func newSecretKey(scalar *blst.SecretKey) *SecretKey {
	point := new(blst.P1Affine).From(scalar)
	public := &PublicKey{point: point}
	copy(public.encoded[:], point.Compress())
	return &SecretKey{scalar: scalar, public: public}
}

// PublicKey returns the public key that belongs to sk.
func (sk *SecretKey) PublicKey() *PublicKey { return sk.public }

// Bytes returns the scalar, 32 bytes big-endian. It is the secret itself: keep it out of logs and files.
func (sk *SecretKey) Bytes() []byte { return sk.scalar.Serialize() }

// Sign signs msg, for a seal the 32 bytes of its digest (spec wbft 2.4). The 96-byte result is deterministic. The time
// of the multiplication does not depend on the key. The hash of the message is kept, because seals of others need it.
func (sk *SecretKey) Sign(msg []byte) []byte {
	var point blst.P2
	point.FromAffine(hashed(msg))
	return encode(point.MultAssign(sk.scalar).ToAffine())
}

// ProofOfPossession returns the signature over the own public key that registration demands (spec wbft 2.2), 96 bytes.
func (sk *SecretKey) ProofOfPossession() []byte { return sk.Sign(sk.public.encoded[:]) }

// VerifyPossession reports whether pop proves possession of the secret key of pk (spec wbft 2.2).
func VerifyPossession(pk *PublicKey, pop []byte) bool {
	return pk != nil && Verify(pk, pk.encoded[:], pop)
}

// PublicKey is a decoded public key that passed every check of spec wbft 2.1. It is immutable.
type PublicKey struct {
	point   *blst.P1Affine
	encoded [PublicKeyLength]byte
}

// Bytes returns the compressed form, 48 bytes.
func (pk *PublicKey) Bytes() []byte { return bytes.Clone(pk.encoded[:]) }

// Equal reports whether both are the same key.
func (pk *PublicKey) Equal(other *PublicKey) bool {
	return pk == other || pk != nil && other != nil && pk.encoded == other.encoded
}

// decodedKeys remembers keys that passed the checks, so that a validator's key is decompressed once and not once an
// epoch look-up. It is bounded well above the size of any validator set in use.
var decodedKeys = lru.NewCache[[PublicKeyLength]byte, *PublicKey](1024)

// ParsePublicKey decodes a compressed public key. It must have 48 bytes, lie on the curve and in the subgroup, and
// not be the point at infinity (spec wbft 2.1); otherwise the error wraps ErrPublicKey.
func ParsePublicKey(encoded []byte) (*PublicKey, error) {
	if len(encoded) != PublicKeyLength {
		return nil, fmt.Errorf("%w: %d bytes instead of %d", ErrPublicKey, len(encoded), PublicKeyLength)
	}
	id := [PublicKeyLength]byte(encoded)
	if pk, ok := decodedKeys.Get(id); ok {
		return pk, nil
	}
	point := new(blst.P1Affine).Uncompress(encoded)
	if point == nil {
		return nil, fmt.Errorf("%w: not a compressed point of the curve", ErrPublicKey)
	}
	if !point.KeyValidate() {
		return nil, fmt.Errorf("%w: infinity or outside the subgroup", ErrPublicKey)
	}
	pk := &PublicKey{point: point, encoded: id}
	decodedKeys.Add(id, pk)
	return pk, nil
}
