// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package vm

import (
	"errors"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/params"
	"github.com/stretchr/testify/assert"
)

var errCounted = errors.New("fails")

// countedFailure fails on inputs that begin with 1.
type countedFailure struct{ runs int }

func (p *countedFailure) RequiredGas([]byte) uint64 { return 50_000 }
func (p *countedFailure) Name() string              { return "COUNTED" }
func (p *countedFailure) Cacheable() bool           { return true }
func (p *countedFailure) Run(input []byte) ([]byte, error) {
	if p.runs++; input[0] == 1 {
		return nil, errCounted
	}
	return []byte{2}, nil
}

// A precompile that has failed on an input is not run on it again where results are cached, and ends in the same error
// with the same gas. Without a cache, as a block is built, it is.
func TestFailuresOfPrecompilesAreRemembered(t *testing.T) {
	long := make([]byte, maxFailureInput+1)
	long[0] = 1
	for _, c := range []struct {
		name  string
		rules params.Rules
		cache *PrecompileCache
		input []byte
		runs  int
		err   error
	}{
		{"failing", params.Rules{IsAnzeon: true}, NewPrecompileCache(), []byte{1}, 1, errCounted},
		{"without a cache", params.Rules{IsAnzeon: true}, nil, []byte{1}, 3, errCounted},
		{"long input", params.Rules{IsAnzeon: true}, NewPrecompileCache(), long, 3, errCounted},
		{"another chain", params.Rules{}, NewPrecompileCache(), []byte{1}, 3, errCounted},
		{"not failing", params.Rules{IsAnzeon: true}, NewPrecompileCache(), []byte{2}, 1, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			failures.Purge()
			p := new(countedFailure)
			for range 3 {
				_, left, err := RunPrecompiledContract(nil, p, common.Address{1}, c.input, NewGasBudget(60_000, 0), nil,
					c.rules, c.cache)
				assert.Truef(t, errors.Is(err, c.err) && left.ExecutionGas == 10_000, "%v with %d gas left", err, left.ExecutionGas)
			}
			assert.Truef(t, p.runs == c.runs, "run %d times, want %d", p.runs, c.runs)
		})
	}
}
