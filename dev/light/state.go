// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package light

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/state"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/ethdb/memorydb"

	"gwon/consensus/finality/remotestate"
)

// errReads refuses a request that reads more than one may.
var errReads = fmt.Errorf("the request reads more than %d accounts and slots, or more than %d bytes of code: ask a "+
	"node", maxReads, maxReadCode)

// provenNodes has the nodes of tries that were proven, by their hashes. Nothing is written.
type provenNodes struct {
	*memorydb.Database
	reader *remotestate.Reader
}

// Get implements ethdb.KeyValueReader.
func (n provenNodes) Get(key []byte) ([]byte, error) {
	return n.reader.StoredNode(common.BytesToHash(key))
}

// Has implements ethdb.KeyValueReader.
func (n provenNodes) Has(key []byte) (bool, error) {
	_, err := n.Get(key)
	return err == nil, nil
}

// database is the state after one proven block, as one request reads it. Each account and slot is read once.
type database struct {
	*state.MPTDatabase
	ctx   context.Context
	state *remotestate.State

	mu       sync.Mutex // guards what follows
	accounts map[common.Address]*types.StateAccount
	slots    map[slotKey]common.Hash
	code     int   // bytes that were read
	failed   error // the first read that has failed
}

type slotKey struct {
	address common.Address
	slot    common.Hash
}

func (e *Endpoint) database(ctx context.Context, header *types.Header) *database {
	return &database{
		MPTDatabase: state.NewMPTDatabase(e.tries, nil), ctx: ctx, state: e.reader.State(header),
		accounts: make(map[common.Address]*types.StateAccount), slots: make(map[slotKey]common.Hash),
	}
}

// Reader implements state.Database.
func (d *database) Reader(common.Hash) (state.Reader, error) { return d, nil }

// Account implements state.StateReader.
func (d *database) Account(address common.Address) (*types.StateAccount, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	known, found := d.accounts[address]
	if !found {
		var err error
		if err = d.spend(); err == nil {
			known, err = d.state.Account(d.ctx, address)
		}
		if err != nil {
			return nil, d.fail(err)
		}
		d.accounts[address] = known
	}
	if known == nil {
		return nil, nil
	}
	return known.Copy(), nil
}

// Storage implements state.StateReader.
func (d *database) Storage(address common.Address, slot common.Hash) (common.Hash, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	key := slotKey{address, slot}
	if word, found := d.slots[key]; found {
		return word, nil
	}
	if err := d.spend(); err != nil {
		return common.Hash{}, d.fail(err)
	}
	word, err := d.state.Storage(d.ctx, address, slot)
	if err != nil {
		return common.Hash{}, d.fail(err)
	}
	d.slots[key] = word
	return word, nil
}

// Code implements state.ContractCodeReader. The interface has no error: the request asks for it at its end.
func (d *database) Code(address common.Address, hash common.Hash) []byte {
	d.mu.Lock()
	defer d.mu.Unlock()
	code, err := d.state.Code(d.ctx, address)
	if err == nil {
		if d.code += len(code); d.code > maxReadCode {
			err = errReads
		}
	}
	if err != nil {
		_ = d.fail(err) // kept for the end
		return nil
	}
	return code
}

// CodeSize implements state.ContractCodeReader.
func (d *database) CodeSize(address common.Address, hash common.Hash) int {
	return len(d.Code(address, hash))
}

// Has implements state.ContractCodeReader.
func (d *database) Has(address common.Address, hash common.Hash) bool {
	return len(d.Code(address, hash)) > 0
}

// spend counts a read. The lock is held.
func (d *database) spend() error {
	if len(d.accounts)+len(d.slots) >= maxReads {
		return errReads
	}
	return d.ctx.Err()
}

// fail keeps the first error. The lock is held.
func (d *database) fail(err error) error {
	if d.failed == nil {
		d.failed = err
	}
	return err
}

// failure returns why a read has failed. What was made of the state then is no answer.
func (d *database) failure() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if errors.Is(d.failed, context.DeadlineExceeded) {
		return fmt.Errorf("the request took too long to read its state: %w", d.failed)
	}
	return d.failed
}
