// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package notify

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/rpc"

	"gwon/internal/dial"
)

const maxProof = 1 << 20 // bytes of one proof

// prove adds the proofs of their receipts to notices. A node that cannot be reached is asked again later. One that
// refuses is asked in three rounds more, since it may lag behind others; then its reason is delivered.
// made has the first place of each transaction.
func (s *Service) prove(ctx context.Context, w *webhook, notices []notice, made map[common.Hash]*Place) error {
	for _, n := range notices {
		p := n.place()
		if p.Proof != nil || p.ProofError != "" {
			continue
		}
		if first := made[p.Transaction]; first != nil {
			p.Proof, p.ProofError = first.Proof, first.ProofError
			continue
		}
		query, cancel := context.WithTimeout(ctx, dial.Timeout)
		proof, err := s.source.receiptProof(query, p, w.Trusted)
		cancel()
		switch {
		case err == nil && len(proof) <= maxProof:
			p.Proof = proof
		case err == nil:
			p.ProofError = fmt.Sprintf("the proof has %d bytes, at most %d are delivered: set trusted to a later block",
				len(proof), maxProof)
		case !errors.As(err, new(rpc.Error)):
			return err
		case !dial.LacksMethod(err) && w.refused < 3:
			w.refused++
			return fmt.Errorf("proof of transaction %v: %w", p.Transaction, err)
		default:
			p.ProofError = fmt.Sprintf("%.300s", err)
		}
		made[p.Transaction] = p
	}
	w.refused = 0
	return nil
}

func (s node) receiptProof(ctx context.Context, at *Place, trusted string) (json.RawMessage, error) {
	var proof json.RawMessage
	return proof, s.client.CallContext(ctx, &proof, "istanbul_getReceiptProof", at.Transaction, trusted)
}
