// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package core

import (
	"errors"
	"fmt"

	"github.com/ethereum/go-ethereum/common"

	"gwon/consensus/wbft/validators"
)

// CheckLock verifies the certificate of a lock that another vote log brings: a proposal of that sequence, and PREPAREs for it in that
// round, each by somebody else. With the validators of the sequence they have to be a quorum of them, seals included; with nil nobody
// knows who they are, and the certificate may be anybody's making.
func CheckLock(sequence, round uint64, encoded []byte, set *validators.Set) error {
	cert, err := decodeCertificate(encoded)
	if err != nil {
		return err
	}
	if cert.round != round {
		return fmt.Errorf("the certificate is of round %d", cert.round)
	}
	if err := checkUnsealed(cert.block, sequence); err != nil {
		return err
	}
	if set == nil {
		return cert.checkStrangers(sequence)
	}
	c := &Core{sequence: sequence, head: &Head{Set: set}, proven: make(map[provenKey]int)}
	return c.checkPrepares(cert.prepares, round, cert.block)
}

// checkStrangers is what checkPrepares can tell without a set.
func (cert *certificate) checkStrangers(sequence uint64) error {
	if n := len(cert.prepares); n == 0 || n > validators.MaxSize {
		return fmt.Errorf("%d PREPAREs, want 1 to %d", n, validators.MaxSize)
	}
	if err := checkViews(cert.prepares, sequence, cert.round, cert.digest); err != nil {
		return err
	}
	seen := make(map[common.Address]bool)
	for i, p := range cert.prepares {
		signer, err := p.Signer()
		if err != nil {
			return fmt.Errorf("PREPARE %d: %w", i, err)
		}
		if seen[signer] {
			return fmt.Errorf("PREPARE %d: second message of %s", i, signer)
		}
		seen[signer] = true
		if (&vote{seal: p.Seal}).decoded() == nil {
			return errors.New("prepare seals do not verify")
		}
	}
	return nil
}
