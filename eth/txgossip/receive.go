// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package txgossip

import (
	"fmt"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"
	protocol "github.com/ethereum/go-ethereum/eth/protocols/eth"
	"github.com/ethereum/go-ethereum/rlp"
)

// shortest is the smallest size in bytes of a transaction in a message: nine fields of a byte each, and their header.
const shortest = 10

// unheard returns the new transactions of a message of whole transactions, still encoded, with their hashes. Known
// transactions are found by the hash of their bytes and dropped without decoding. The function mark records that the
// sender has them.
//
// A transaction that is too short or contained twice, known or not, is an error of the message (spec network 2.4).
// The decoder checks everything else.
func unheard(
	packet *protocol.TransactionsPacket, known func(common.Hash) bool, mark func(common.Hash),
) (fresh *protocol.TransactionsPacket, hashes []common.Hash, err error) {
	fresh = new(protocol.TransactionsPacket)
	seen := make(map[common.Hash]struct{}, packet.Len())
	for it := packet.ContentIterator(); it.Next(); {
		raw, at := it.Value(), len(seen)
		if len(raw) < shortest {
			return nil, nil, fmt.Errorf("transaction %d: %d bytes are too few", at, len(raw))
		}
		kind, content, _, err := rlp.Split(raw)
		if err != nil {
			return nil, nil, fmt.Errorf("transaction %d: %w", at, err)
		}
		if kind == rlp.List {
			content = raw // an untyped transaction is hashed without a type byte (EIP-2718)
		}
		hash := crypto.Keccak256Hash(content)
		if _, twice := seen[hash]; twice {
			return nil, nil, fmt.Errorf("transaction %d: %v comes twice in a message", at, hash)
		}
		seen[hash] = struct{}{}
		if known(hash) {
			mark(hash)
			continue
		}
		if err := fresh.AppendRaw(raw); err != nil {
			return nil, nil, fmt.Errorf("transaction %d: %w", at, err)
		}
		hashes = append(hashes, hash)
	}
	return fresh, hashes, nil
}

// unasked returns the announced transactions that are to be requested. They are neither pooled nor in a recent block
// nor permanently refused. The protocol has checked that the three lists have one length.
func unasked(
	packet *protocol.NewPooledTransactionHashesPacket71, known func(common.Hash) bool,
) *protocol.NewPooledTransactionHashesPacket71 {
	fresh := new(protocol.NewPooledTransactionHashesPacket71)
	for i, hash := range packet.Hashes {
		if !known(hash) {
			fresh.Types = append(fresh.Types, packet.Types[i])
			fresh.Sizes = append(fresh.Sizes, packet.Sizes[i])
			fresh.Hashes = append(fresh.Hashes, hash)
		}
	}
	return fresh
}
