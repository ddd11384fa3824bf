// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package messages_test

import (
	"crypto/sha256"
	"fmt"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"

	"gwon/consensus/wbft/messages"
)

// A validator signs a PREPARE. The receiver decodes it and recovers its author.
func ExampleDecode() {
	seed := sha256.Sum256([]byte("example"))
	key, err := crypto.ToECDSA(seed[:])
	if err != nil {
		panic(err)
	}
	prepare := &messages.Prepare{
		Sequence: 7, Round: 1, Digest: common.Hash{1}, Seal: make([]byte, messages.SealLength),
	}
	if err := messages.Sign(prepare, key); err != nil {
		panic(err)
	}

	m, err := messages.Decode(messages.CodePrepare, prepare.Encode())
	if err != nil {
		panic(err)
	}
	author, err := m.Signer()
	if err != nil {
		panic(err)
	}
	fmt.Println(m.View(), author == crypto.PubkeyToAddress(key.PublicKey))
	// Output: (7, 1) true
}

// A receiver opens a message before it decodes it: view and author decide whether the rest is worth the time.
func ExampleOpen() {
	seed := sha256.Sum256([]byte("example"))
	key, err := crypto.ToECDSA(seed[:])
	if err != nil {
		panic(err)
	}
	change := new(messages.RoundChange)
	change.Sequence, change.Round = 7, 2
	if err := messages.Sign(change, key); err != nil {
		panic(err)
	}

	envelope, err := messages.Open(messages.CodeRoundChange, change.Encode())
	if err != nil {
		panic(err)
	}
	fmt.Println("round change to", envelope.View, "with a prepared block:", envelope.Block != nil)
	// Output: round change to (7, 2) with a prepared block: false
}
