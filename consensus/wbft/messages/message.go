// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package messages

import (
	"bytes"
	"cmp"
	"crypto/ecdsa"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/rlp"

	"gwon/consensus/wbft/bls"
	"gwon/consensus/wbft/internal/scheme"
)

// Message codes within the sub-protocol (spec wbft 4.1).
const (
	CodePrePrepare  uint64 = 0x12
	CodePrepare     uint64 = 0x13
	CodeCommit      uint64 = 0x14
	CodeRoundChange uint64 = 0x15
)

const (
	// SignatureLength is the length in bytes of a message signature, R || S || V with V 0 or 1 (spec wbft 2.3).
	SignatureLength = crypto.SignatureLength

	// SealLength is the length in bytes of a prepare or commit seal (spec wbft 2.4).
	SealLength = bls.SignatureLength
)

// View is a round of a sequence; the sequence is the number of the block to agree on.
type View struct{ Sequence, Round uint64 }

// Cmp orders views by sequence, then round: -1, 0 or 1.
func (v View) Cmp(other View) int {
	return cmp.Or(cmp.Compare(v.Sequence, other.Sequence), cmp.Compare(v.Round, other.Round))
}

func (v View) String() string { return fmt.Sprintf("(%d, %d)", v.Sequence, v.Round) }

// Signed is something a validator signs: a message, or the part of a ROUND-CHANGE that a PRE-PREPARE passes on.
type Signed interface {
	// View is the view the statement is about; for a round change the one to change to.
	View() View
	// SigningPayload is the RLP whose keccak is signed (spec wbft 4.3).
	SigningPayload() []byte
	// Signature is the signature, 65 bytes, or nil while there is none. It must not be changed.
	Signature() []byte
	// Signer recovers who signed. It is computed once.
	Signer() (common.Address, error)
	// SignWith signs with a function that signs keccak(payload) and returns 65 bytes. Note that it is handed the
	// signing payload, not its hash. The content must not change any more.
	SignWith(sign func(payload []byte) ([]byte, error)) error
}

// Message is one of *PrePrepare, *Prepare, *Commit and *RoundChange. A message is immutable once it is signed or
// decoded, and then safe for concurrent use.
type Message interface {
	Signed
	// Code is the message code, 0x12 to 0x15.
	Code() uint64
	// Encode returns the devp2p payload (spec wbft 4.2).
	Encode() []byte
}

// Sign signs m with a node key.
func Sign(m Signed, key *ecdsa.PrivateKey) error {
	return m.SignWith(scheme.SignWith(key))
}

// KnownHash names a payload in the caches that keep a message from being sent or handled twice: keccak of the payload
// encoded as an RLP string (spec wbft 4.4).
func KnownHash(payload []byte) common.Hash {
	return crypto.Keccak256Hash(encode(payload))
}

// errUnsigned is returned when the signer of an unsigned message is asked for.
var errUnsigned = errors.New("message is not signed")

// signature is the part all signed structures share.
type signature struct {
	sig    []byte
	signer atomic.Pointer[recovered]
}

type recovered struct {
	address common.Address
	err     error
}

func (s *signature) Signature() []byte { return s.sig }

func (s *signature) sign(payload []byte, sign func([]byte) ([]byte, error)) error {
	sig, err := sign(payload)
	if err != nil {
		return fmt.Errorf("sign message: %w", err)
	}
	if len(sig) != SignatureLength {
		return fmt.Errorf("sign message: signature has %d bytes instead of %d", len(sig), SignatureLength)
	}
	s.sig = bytes.Clone(sig)
	s.signer.Store(nil)
	return nil
}

// recover returns the signer of the payload, which is computed only if it is not known yet.
func (s *signature) recover(payload func() any) (common.Address, error) {
	if r := s.signer.Load(); r != nil {
		return r.address, r.err
	}
	if s.sig == nil {
		return common.Address{}, errUnsigned
	}
	r := new(recovered)
	var err error
	if r.address, err = scheme.Recover(keccak(payload()), s.sig); err != nil {
		r.err = fmt.Errorf("recover signer of message: %w", err)
	}
	s.signer.Store(r)
	return r.address, r.err
}

// keccak hashes the encoding of a value as encode makes it, which is nowhere as a whole.
func keccak(value any) []byte {
	hash := crypto.NewKeccakState()
	if err := rlp.Encode(hash, value); err != nil {
		panic(fmt.Sprintf("encode %T: %v", value, err))
	}
	return hash.Sum(nil)
}

// encode is for values whose encoding cannot fail: structures of integers, byte strings, blocks and lists of them.
func encode(value any) []byte {
	b, err := rlp.EncodeToBytes(value)
	if err != nil {
		panic(fmt.Sprintf("encode %T: %v", value, err))
	}
	return b
}
