// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package eth

import (
	"context"
	"fmt"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"
	protocol "github.com/ethereum/go-ethereum/eth/protocols/eth"
	"github.com/ethereum/go-ethereum/rlp"

	"gwon/eth/session"
)

const (
	// overdueAfter is how long a transaction that was submitted here waits before the peers are told of it once more: when they heard of
	// it first their pools may have been full, and what they refuse they do not ask for again.
	overdueAfter = 5 * time.Second

	// overdueAtOnce is how many hashes are announced again at a time: as many as a peer takes notes of (network 5 no. 10).
	overdueAtOnce = 4096

	// shortest is how many bytes a transaction has at least in a message: the nine fields of an untyped one, a byte each, and their head.
	shortest = 10
)

// unheard returns what is new in a message of whole transactions, still encoded. What known holds is dropped before anything is decoded: it is
// found by the hash of its bytes. All hashes are noted by mark, for the sender has the transactions. What is too short for a transaction, and a
// transaction that comes twice, known or not, is an error of the whole message (spec network 2.4); anything else that is none is left to who
// decodes it.
func unheard(packet *protocol.TransactionsPacket, known func(common.Hash) bool, mark func(common.Hash)) (*protocol.TransactionsPacket, error) {
	fresh, seen := new(protocol.TransactionsPacket), make(map[common.Hash]struct{}, packet.Len())
	for it := packet.ContentIterator(); it.Next(); {
		raw, at := it.Value(), len(seen)
		if len(raw) < shortest {
			return nil, fmt.Errorf("transaction %d: %d bytes are none", at, len(raw))
		}
		kind, content, _, err := rlp.Split(raw)
		if err != nil {
			return nil, fmt.Errorf("transaction %d: %w", at, err)
		}
		if kind == rlp.List {
			content = raw // an untyped transaction is hashed as it stands in the list (EIP-2718)
		}
		hash := crypto.Keccak256Hash(content)
		if _, twice := seen[hash]; twice {
			return nil, fmt.Errorf("transaction %d: %v comes twice in a message", at, hash)
		}
		seen[hash] = struct{}{}
		if known(hash) {
			mark(hash)
			continue
		}
		if err := fresh.AppendRaw(raw); err != nil {
			return nil, fmt.Errorf("transaction %d: %w", at, err)
		}
	}
	return fresh, nil
}

// unasked returns of announced transactions those that are worth asking for: neither pooled nor in a recent block nor refused for good. The
// protocol has checked that the three lists are of one length.
func unasked(packet *protocol.NewPooledTransactionHashesPacket71, known func(common.Hash) bool) *protocol.NewPooledTransactionHashesPacket71 {
	fresh := new(protocol.NewPooledTransactionHashesPacket71)
	for i, hash := range packet.Hashes {
		if !known(hash) {
			fresh.Types, fresh.Sizes, fresh.Hashes = append(fresh.Types, packet.Types[i]), append(fresh.Sizes, packet.Sizes[i]), append(fresh.Hashes, hash)
		}
	}
	return fresh
}

// announceOverdue tells the peers again of the transactions that were submitted here and wait for too long, until ctx ends. Without it what
// a node without a vote has promised could stay in its own pool for ever.
func (s *Service) announceOverdue(ctx context.Context) {
	ticker := time.NewTicker(overdueAfter)
	defer ticker.Stop()
	for {
		select {
		case now := <-ticker.C:
			announce(s.pool.Overdue(now.Add(-overdueAfter), overdueAtOnce), s.sessions.Ready())
		case <-ctx.Done():
			return
		}
	}
}

func announce(hashes []common.Hash, to []*session.Session) {
	if len(hashes) == 0 {
		return
	}
	for _, ses := range to {
		if p := ses.Up(); p != nil {
			p.AsyncSendPooledTransactionHashes(hashes)
		}
	}
}
