// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package devchain

import (
	"crypto/rand"
	"fmt"

	"github.com/ethereum/go-ethereum/common"
)

// instanceKey is the key of the instance in the database of the chain.
var instanceKey = []byte("gwon-dev-instance")

// openInstance reads by which hash test tools know this chain, or chooses one. A chain that is continued is the same.
func (c *Chain) openInstance() error {
	known, err := c.db.Has(instanceKey)
	if err != nil {
		return fmt.Errorf("read the instance of the chain: %w", err)
	}
	if !known {
		return c.renewInstance()
	}
	stored, err := c.db.Get(instanceKey)
	if err != nil {
		return fmt.Errorf("read the instance of the chain: %w", err)
	}
	if len(stored) != common.HashLength {
		return fmt.Errorf("the instance of the chain has %d bytes, want %d", len(stored), common.HashLength)
	}
	c.instance = common.BytesToHash(stored)
	return nil
}

// renewInstance makes the chain another one for test tools.
func (c *Chain) renewInstance() error {
	var next common.Hash
	_, _ = rand.Read(next[:]) // never fails
	if err := c.db.Put(instanceKey, next[:]); err != nil {
		return fmt.Errorf("store the instance of the chain: %w", err)
	}
	c.instance = next
	return nil
}
