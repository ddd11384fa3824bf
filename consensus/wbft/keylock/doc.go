// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Package keylock keeps two processes of one machine from validating with one key on one chain. Each would keep a vote
// log of its own and contradict the other.
//
// On Linux the lock is an abstract socket that is named by validator and chain. The kernel frees it when the process
// ends. Processes in different network namespaces, as most containers are, do not see each other's locks. Elsewhere it
// is a locked file in the directory for temporary files.
//
// The package supports spec wbft 9.1 no. 3, which forbids contradicting votes.
package keylock

import (
	"errors"
	"fmt"

	"github.com/ethereum/go-ethereum/common"
)

// ErrInUse is returned when another process has the lock.
var ErrInUse = errors.New("the key of validator is in use by another process on this machine, " +
	"which must not be: stop one of them, or give a copy that only follows a node key of its own")

// name returns the name of the lock of a validator on the chain with a genesis block.
func name(validator common.Address, genesis common.Hash) string {
	return fmt.Sprintf("gwon-validator-%#x-%#x", validator, genesis[:8])
}

func inUse(validator common.Address, by string) error {
	return fmt.Errorf("%w (validator %v%s)", ErrInUse, validator, by)
}
