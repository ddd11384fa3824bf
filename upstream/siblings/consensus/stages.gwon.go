// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package consensus

import (
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/core/vm"
)

// Starter is an engine that judges a block against the state of its parent (spec wbft 7.1).
type Starter interface {
	// Start is called before the first transaction of the block with this header, while the state still is that of the
	// parent. It only reads. An error makes the block invalid.
	Start(header *types.Header, parentState vm.StateDB) error
}

// Finisher is an engine whose finalization can make a block invalid (spec wbft 6.4).
type Finisher interface {
	// Finish applies the state changes that follow the last transaction and checks what the header says about them. It
	// must not write into the header. An error makes the block invalid.
	Finish(chain ChainHeaderReader, header *types.Header, state vm.StateDB, body *types.Body) error
}

// Assembler is an engine that completes the header of a block that is being built.
type Assembler interface {
	// Assemble applies the state changes that follow the last transaction, like Finish, but fills header.Extra instead of
	// checking it. It is called before any root is taken. An error means that no block can be built.
	Assemble(chain ChainHeaderReader, header *types.Header, state vm.StateDB, body *types.Body) error
}

// Start calls Start of an engine that is a Starter, and does nothing for others.
func Start(engine Engine, header *types.Header, parentState vm.StateDB) error {
	if starter, ok := engine.(Starter); ok {
		return starter.Start(header, parentState)
	}
	return nil
}

// Finish calls Finish of an engine that is a Finisher, and Finalize of others.
func Finish(engine Engine, chain ChainHeaderReader, header *types.Header, state vm.StateDB, body *types.Body) error {
	if finisher, ok := engine.(Finisher); ok {
		return finisher.Finish(chain, header, state, body)
	}
	engine.Finalize(chain, header, state, body)
	return nil
}

// Assemble calls Assemble of an engine that is an Assembler, and Finish for others.
func Assemble(engine Engine, chain ChainHeaderReader, header *types.Header, state vm.StateDB, body *types.Body) error {
	if assembler, ok := engine.(Assembler); ok {
		return assembler.Assemble(chain, header, state, body)
	}
	return Finish(engine, chain, header, state, body)
}
