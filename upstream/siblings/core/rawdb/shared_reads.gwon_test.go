// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package rawdb

import (
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/ethdb"
	"github.com/ethereum/go-ethereum/internal/must"
	"github.com/stretchr/testify/assert"
)

// Readers of the ancient store do not wait for each other, because the import of blocks would stand in the queue of RPC
// clients.
// spec: network 2.6
func TestAncientReadsAreShared(t *testing.T) {
	db := must.Get(Open(NewMemoryDatabase(), OpenOptions{Ancient: t.TempDir()}))(t)
	defer func() { assert.NoError(t, db.Close()) }()
	inside, release, done := make(chan struct{}, 2), make(chan struct{}), make(chan error, 2)
	for range 2 {
		go func() {
			done <- db.ReadAncients(func(ethdb.AncientReaderOp) error {
				inside <- struct{}{}
				<-release
				return nil
			})
		}()
	}
	for range 2 {
		select {
		case <-inside:
		case <-time.After(time.Minute):
			t.Error("a reader waits for another one")
		}
	}
	close(release)
	for range 2 {
		assert.NoError(t, <-done)
	}
}
