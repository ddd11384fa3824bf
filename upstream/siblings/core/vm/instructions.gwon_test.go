// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package vm

import (
	"testing"

	"github.com/ethereum/go-ethereum/params"
	"github.com/holiman/uint256"
	"github.com/stretchr/testify/assert"
)

// The gas of init code in CREATE and CREATE2 is that of EIP-3860. The limit is that of Anzeon, and upstream's lower one
// does not apply (spec chain 2.2, 6.1).
func TestAnzeonInitCode(t *testing.T) {
	upstream := map[OpCode]gasFunc{CREATE: gasCreateEip3860, CREATE2: gasCreate2Eip3860}
	for code, shanghai := range upstream {
		anzeon := anzeonInstructionSet[code].dynamicGas
		for _, size := range []uint64{
			0, 1, 32, 33, params.MaxInitCodeSize, params.MaxInitCodeSize + 1, MaxCodeSizeAnzeon, MaxCodeSizeAnzeon + 1,
		} {
			evm, _ := anzeonTestEVM(t, 1)
			stack := newStackForTesting()
			for _, word := range []uint64{0, size, 0, 0} { // salt, size, offset, value
				stack.push(uint256.NewInt(word))
			}
			memory := toWordSize(size) * 32
			have, err := anzeon(evm, nil, stack, NewMemory(), memory)
			if size > MaxCodeSizeAnzeon {
				assert.ErrorIsf(t, err, ErrMaxInitCodeSizeExceeded, "%v of %d bytes", code, size)
				continue
			}
			want, wantErr := shanghai(new(EVM), nil, stack, NewMemory(), memory) // without rules there is no limit
			assert.Truef(t, err == nil && wantErr == nil && have == want,
				"%v of %d bytes: gas %v (error %v), want %v (error %v)", code, size, have, err, want, wantErr)
			evm.readOnly = true
			_, err = anzeon(evm, nil, stack, NewMemory(), memory)
			assert.ErrorIsf(t, err, ErrWriteProtection, "%v of %d bytes in a static call", code, size)
		}
	}
}
