// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package vm

import (
	"errors"

	"github.com/ethereum/go-ethereum/common/lru"
	"github.com/ethereum/go-ethereum/params"
)

const (
	maxFailures     = 4096 // two blocks of point evaluations
	maxFailureInput = 512  // bytes; no precompile takes long to fail on a longer one
)

// failures holds the errors of precompiles whose results may be cached, by name and input. Upstream's cache holds
// results only, and a point evaluation that fails costs as much as one that does not. The cache answers
// when a second proposal executes it.
var failures = lru.NewCache[string, error](maxFailures)

func failureKey(p PrecompiledContract, input []byte) string { return p.Name() + "\x00" + string(input) }

// failure returns the error of an earlier run of a precompile with an input, nil if none is known.
func failure(rules params.Rules, p PrecompiledContract, input []byte) error {
	if !rules.IsAnzeon || len(input) > maxFailureInput {
		return nil
	}
	err, _ := failures.Get(failureKey(p, input))
	return err
}

// noteFailure remembers that a precompile fails on an input. It ignores a nil error and a call that was given up.
func noteFailure(rules params.Rules, p PrecompiledContract, input []byte, err error) {
	if err != nil && !errors.Is(err, ErrInterrupted) && rules.IsAnzeon && len(input) <= maxFailureInput {
		failures.Add(failureKey(p, input), err)
	}
}
