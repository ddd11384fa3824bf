// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package wbft

import (
	"crypto/ecdsa"
	"errors"
	"math/big"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"

	"gwon/consensus/wbft/bls"
	"gwon/consensus/wbft/extra"
	"gwon/consensus/wbft/signing"
	"gwon/consensus/wbft/votelog"
)

// ErrKeyAway is wrapped by errors of a Keeper whose process cannot be reached. The node follows the chain meanwhile.
var ErrKeyAway = errors.New("the signer cannot be reached")

// Key signs for a validator.
type Key interface {
	Address() common.Address
	// Sign gives a message its signature, and a vote its seal.
	Sign(signing.Intent) error
	// RandaoReveal returns the reveal of a block (spec wbft 2.3).
	RandaoReveal(chainID *big.Int, number uint64) ([]byte, error)
}

// Keeper is a Key in another process, which keeps the vote log. A message that it has signed is in that log.
type Keeper interface {
	Key
	// OpenVotes returns the vote log, which must be the owner's.
	OpenVotes(owner votelog.Owner) (Votes, error)
	// Away returns why the process cannot be reached, or "".
	Away() string
}

// Votes is the vote log as the driver uses it: a votelog.Log, whose methods have the same meaning, or that of a Keeper.
type Votes interface {
	Torn() int64
	Origin() *votelog.Origin
	SetOrigin(votelog.Origin) error
	Write([]votelog.Record, []votelog.Lock) error
	Sequences() []votelog.Sequence
	Knows(sequence uint64) bool
	Floor() uint64
	Prune(sequence uint64)
	Wasteful() bool
	Compact() error
	Close() error
}

// ownKey is the key of a validator in this process.
type ownKey struct {
	ecdsa *ecdsa.PrivateKey
	bls   *bls.SecretKey
}

// Address implements Key.
func (k *ownKey) Address() common.Address { return crypto.PubkeyToAddress(k.ecdsa.PublicKey) }

// Sign implements Key.
func (k *ownKey) Sign(in signing.Intent) error { return signing.WithKeys(k.ecdsa, k.bls)(in) }

// RandaoReveal implements Key.
func (k *ownKey) RandaoReveal(chainID *big.Int, number uint64) ([]byte, error) {
	return extra.RandaoReveal(k.ecdsa, chainID, number)
}
