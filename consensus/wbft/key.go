// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package wbft

import (
	"crypto/ecdsa"
	"math/big"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"

	"gwon/consensus/wbft/bls"
	"gwon/consensus/wbft/extra"
	"gwon/consensus/wbft/signing"
	"gwon/consensus/wbft/votelog"
)

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
	OpenVotes(owner votelog.Owner) (votelog.Votes, error)
	// Away returns why the process cannot be reached, or "". Errors wrap signing.ErrAway then.
	Away() string
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
