// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package signing

import (
	"crypto/ecdsa"
	"errors"
	"fmt"

	"github.com/ethereum/go-ethereum/core/types"

	"gwon/consensus/wbft/bls"
	"gwon/consensus/wbft/extra"
	"gwon/consensus/wbft/internal/scheme"
	"gwon/consensus/wbft/messages"
)

// ErrAway is wrapped by errors of a key in another process that cannot be reached.
var ErrAway = errors.New("the signer cannot be reached")

// Intent is a message that the core wants to be signed. A Sign function fills in the seal of a PREPARE or COMMIT and
// the signature.
type Intent struct {
	Message messages.Message
	// Header is that of the block of a PREPARE or COMMIT, which its seal covers; nil for other messages.
	Header *types.Header
	// Lock is the certificate that has to be durable no later than the message, with its round; nil for none.
	Lock      []byte
	LockRound uint64
}

// With returns a function that signs intents with a key of this process. sign returns the signature of 65 bytes over
// keccak(payload), seal the 96-byte BLS signature over a digest. Both must be deterministic: a message that is signed
// again has the same bytes, so its receivers drop the copy.
func With(sign func(payload []byte) ([]byte, error), seal func(digest [32]byte) []byte) func(Intent) error {
	return func(in Intent) error {
		var err error
		switch m := in.Message.(type) {
		case *messages.Prepare:
			m.Seal, err = sealOf(in, extra.Prepare, seal)
		case *messages.Commit:
			m.Seal, err = sealOf(in, extra.Commit, seal)
		}
		if err != nil {
			return err
		}
		return in.Message.SignWith(sign)
	}
}

// WithKeys returns With for the two keys of a validator.
func WithKeys(key *ecdsa.PrivateKey, secret *bls.SecretKey) func(Intent) error {
	return With(scheme.SignWith(key), func(digest [32]byte) []byte { return scheme.Seal(secret, digest[:]) })
}

// sealOf makes the seal of a vote over the header that comes with it, which must be the one that the vote names.
func sealOf(in Intent, kind byte, seal func(digest [32]byte) []byte) ([]byte, error) {
	view := in.Message.View()
	switch {
	case in.Header == nil || in.Header.Number == nil || !in.Header.Number.IsUint64():
		return nil, fmt.Errorf("the vote for sequence %d comes without the header of its block", view.Sequence)
	case in.Header.Number.Uint64() != view.Sequence:
		return nil, fmt.Errorf("the vote for sequence %d comes with the header of block %v", view.Sequence, in.Header.Number)
	case in.Header.Hash() != Subject(in.Message):
		return nil, fmt.Errorf("the vote for block %v comes with the header of %v", Subject(in.Message), in.Header.Hash())
	case view.Round > uint64(^uint32(0)):
		return nil, fmt.Errorf("seals cannot express round %d", view.Round)
	}
	return seal(extra.SealDigest(in.Header, uint32(view.Round), kind)), nil
}
