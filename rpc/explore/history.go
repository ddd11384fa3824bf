// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package explore

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/state"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/ethereum/go-ethereum/eth"
	"github.com/ethereum/go-ethereum/eth/tracers"
	gethrpc "github.com/ethereum/go-ethereum/rpc"
)

// stateAt returns the state after a block of the chain.
func (n *node) stateAt(ctx context.Context, number uint64) (*state.StateDB, error) {
	db, _, err := n.backend.StateAndHeaderByNumber(ctx, gethrpc.BlockNumber(number)) // #nosec G115 -- below the head
	if err != nil {
		return nil, &stateError{number, err}
	}
	return db, nil
}

// nonceAt returns the nonce of an account after a block.
func (n *node) nonceAt(ctx context.Context, address common.Address, number uint64) (uint64, error) {
	db, err := n.stateAt(ctx, number)
	if err != nil {
		return 0, err
	}
	return db.GetNonce(address), db.Error()
}

// codeAt returns the code of an account after a block.
func (n *node) codeAt(ctx context.Context, address common.Address, number uint64) ([]byte, error) {
	db, err := n.stateAt(ctx, number)
	if err != nil {
		return nil, err
	}
	return db.GetCode(address), db.Error()
}

// firstBlock returns the first block above low, and not above high, after which holds is true. It must be true after
// high and stay so.
func firstBlock(w *work, low, high uint64, holds func(number uint64) (bool, error)) (uint64, error) {
	for low+1 < high {
		if err := w.err(); err != nil {
			return 0, err
		}
		middle := low + (high-low)/2
		ok, err := holds(middle)
		switch {
		case err != nil:
			return 0, err
		case ok:
			high = middle
		default:
			low = middle
		}
	}
	return high, nil
}

// sent returns the indexes of a block's transactions that an account sent with the nonces low to high-1.
func (n *node) sent(block *types.Block, address common.Address, low, high uint64) ([]int, error) {
	var indexes []int
	signer := n.signer(block)
	for i, tx := range block.Transactions() {
		if tx.Nonce() < low || tx.Nonce() >= high {
			continue
		}
		sender, err := types.Sender(signer, tx)
		if err != nil {
			return nil, err
		}
		if sender == address {
			indexes = append(indexes, i)
		}
	}
	return indexes, nil
}

// GetTransactionBySenderAndNonce implements ots_getTransactionBySenderAndNonce: a hash, null if there is none.
func (o *otterscan) GetTransactionBySenderAndNonce(ctx context.Context, address common.Address,
	nonce Number) (*common.Hash, error) {
	w, end := o.bounds.begin(ctx, 0)
	defer end()
	wanted, head := uint64(nonce), o.backend.CurrentBlock().Number.Uint64()
	used := func(number uint64) (bool, error) {
		next, err := o.nonceAt(w, address, number)
		return next > wanted, err
	}
	if ok, err := used(head); err != nil || !ok {
		return nil, err
	}
	if ok, err := used(0); err != nil || ok {
		return nil, err
	}
	number, err := firstBlock(w, 0, head, used)
	if err != nil {
		return nil, err
	}
	block, err := o.stored(w, number)
	if err != nil {
		return nil, err
	}
	indexes, err := o.sent(block, address, wanted, wanted+1)
	if err != nil || len(indexes) == 0 {
		return nil, err // a contract's creation, or an authorization, used the nonce
	}
	hash := block.Transactions()[indexes[0]].Hash()
	return &hash, nil
}

// stored returns a block of the chain by number.
func (n *node) stored(ctx context.Context, number uint64) (*types.Block, error) {
	block, err := n.backend.BlockByNumber(ctx, gethrpc.BlockNumber(number)) // #nosec G115 -- below the head
	if err == nil && block == nil {
		err = fmt.Errorf("block %d is not stored here", number)
	}
	return block, err
}

// creation is the result of ots_getContractCreator.
type creation struct {
	Hash    common.Hash    `json:"hash"`
	Creator common.Address `json:"creator"` // an account or a contract
}

// delegation begins the code of an account that delegates to a contract (EIP-7702).
var delegation = []byte{0xef, 0x01, 0x00}

// isContract reports whether code is that of a contract, which sends no transactions.
func isContract(code []byte) bool { return len(code) > 0 && !bytes.HasPrefix(code, delegation) }

// GetContractCreator implements ots_getContractCreator. It is null for accounts that are no contracts, and for
// contracts that no transaction created, like those of genesis.
func (o *otterscan) GetContractCreator(ctx context.Context, address common.Address) (*creation, error) {
	w, end := o.bounds.begin(ctx, 0)
	defer end()
	number, err := o.creationBlock(w, address, o.backend.CurrentBlock().Number.Uint64())
	if err != nil || number == 0 {
		return nil, err
	}
	block, err := o.stored(w, number)
	if err != nil {
		return nil, err
	}
	found, _, err := o.creationIn(w, block, address)
	return found, err
}

// creationBlock returns the block in which a contract came to be that exists after the block head; 0 if it exists since
// genesis, or not at all.
func (o *otterscan) creationBlock(w *work, address common.Address, head uint64) (uint64, error) {
	exists := func(number uint64) (bool, error) {
		code, err := o.codeAt(w, address, number)
		return isContract(code), err
	}
	if ok, err := exists(head); err != nil || !ok {
		return 0, err
	}
	if ok, err := exists(0); err != nil || ok {
		return 0, err
	}
	return firstBlock(w, 0, head, exists)
}

// errFound ends an execution whose purpose is reached.
var errFound = errors.New("found")

// creationIn finds the transaction of a block after which a contract exists, its index, and who created it. Without one
// it returns nil and -1: a fork of the chain has put the code there.
func (o *otterscan) creationIn(w *work, block *types.Block, address common.Address) (*creation, int, error) {
	var found *creation
	index := -1
	err := o.execute(w, block, 0, len(block.Transactions())-1,
		func(tx *types.Transaction, place *tracers.Context) (*tracers.Tracer, func(*state.StateDB) error, error) {
			f, tracer := record(w, false)
			return tracer, func(db *state.StateDB) error {
				if err := w.spend(-frameSize * len(f.all)); err != nil {
					return err
				}
				if db.GetCodeSize(address) == 0 {
					return nil
				}
				for _, entry := range f.all {
					if (entry.kind == vm.CREATE || entry.kind == vm.CREATE2) && entry.To == address && !entry.lost {
						found, index = &creation{tx.Hash(), entry.From}, place.TxIndex
					}
				}
				return errFound
			}, nil
		})
	if errors.Is(err, errFound) {
		err = nil
	}
	return found, index, err
}

// stateSamples is how many blocks are looked at for missing states.
const stateSamples = 16

// MissingStates returns a block below which states are missing, found by samples. It is 0 if all samples have one.
func MissingStates(backend *eth.EthAPIBackend) uint64 {
	n := &node{backend: backend}
	has := func(number uint64) bool {
		_, err := n.stateAt(context.Background(), number)
		return err == nil
	}
	head := backend.CurrentBlock().Number.Uint64()
	high := head
	for i := uint64(stateSamples); i > 0; i-- {
		low := head / stateSamples * (i - 1)
		if has(low) {
			high = low
			continue
		}
		for low+1 < high {
			if middle := low + (high-low)/2; has(middle) {
				high = middle
			} else {
				low = middle
			}
		}
		return high
	}
	return 0
}
