// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package core

import (
	"errors"
	"fmt"

	"github.com/ethereum/go-ethereum/common"

	"gwon/consensus/wbft/validators"
)

// CheckLock verifies the certificate of a lock that another vote log has: a proposal of the sequence, and PREPAREs for
// it in the round by distinct authors. With the validator set they must be a quorum with good seals. With nil the set
// is unknown, and the certificate may be a forgery.
func CheckLock(sequence, round uint64, encoded []byte, set *validators.Set) error {
	cert, err := decodeCertificate(encoded)
	if err != nil {
		return err
	}
	if cert.round != round {
		return fmt.Errorf("the certificate is of round %d, want %d", cert.round, round)
	}
	if err := checkUnsealed(cert.block, sequence); err != nil {
		return err
	}
	if set == nil {
		return cert.checkStrangers(sequence)
	}
	certs := &certificates{sequence: sequence, set: set, proven: make(map[provenKey]int)}
	return certs.checkPrepares(cert.prepares, round, cert.block)
}

// checkStrangers checks the PREPAREs as far as that is possible without a set.
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
