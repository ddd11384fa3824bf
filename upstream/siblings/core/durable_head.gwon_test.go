// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package core

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"

	"github.com/ethereum/go-ethereum/core/rawdb"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/ethdb"
	"github.com/ethereum/go-ethereum/internal/must"
	"github.com/stretchr/testify/assert"
)

// syncedDatabase notes the head that its last sync made durable.
type syncedDatabase struct {
	ethdb.Database
	syncs atomic.Uint64
	head  atomic.Uint64
	fails atomic.Bool
}

func (db *syncedDatabase) SyncKeyValue() error {
	if db.fails.Load() {
		return errors.New("disk failed")
	}
	db.syncs.Add(1)
	if number, ok := rawdb.ReadHeaderNumber(db, rawdb.ReadHeadBlockHash(db)); ok {
		db.head.Store(number)
	}
	return db.Database.SyncKeyValue()
}

// A head is announced after it is on disk, whether it was committed or imported: an event of a head, and the mark of
// the final block, come after the sync (spec wbft 5.10, 7.5). A chain of other rules syncs when upstream does.
func TestHeadIsDurableBeforeItIsTold(t *testing.T) {
	db := &syncedDatabase{Database: rawdb.NewMemoryDatabase()}
	chain, err := NewBlockChain(db, proposalGenesis(), newStageEngine(), DefaultConfig().WithStateScheme(rawdb.PathScheme))
	must.Do(t, err)
	defer chain.Stop()
	heads := make(chan ChainHeadEvent) // the sender waits for the receiver
	sub := chain.SubscribeChainHeadEvent(heads)
	defer sub.Unsubscribe()
	told := make(chan error)
	expect := func(number uint64) {
		go func() {
			event := <-heads
			switch synced := db.head.Load(); {
			case event.Header.Number.Uint64() != number:
				told <- errors.New("event of another head")
			case synced < number:
				told <- errors.New("the head is told of before it is synced")
			default:
				told <- nil
			}
		}()
	}
	check := func(name string) {
		t.Helper()
		assert.NoError(t, <-told, name)
	}
	blocks := proposals(t, 6, 1)
	ex := must.Get(chain.ExecuteProposal(context.Background(), blocks[0]))(t)
	expect(1)
	must.Do(t, chain.CommitExecuted(blocks[0], ex))
	check("committed block")
	final := chain.CurrentFinalBlock()
	assert.True(t, final != nil && final.Number.Uint64() == 1, "the committed block is not final")
	before := db.syncs.Load()
	expect(4)
	must.Get(chain.InsertChain(blocks[1:4]))(t)
	check("imported blocks")
	n := db.syncs.Load() - before
	assert.Truef(t, n == 1, "%d syncs for a run of blocks, want one", n)
	// Without a disk the chain goes on, and says so.
	db.fails.Store(true)
	expect(5)
	_, err = chain.InsertChain(blocks[4:5])
	assert.NoError(t, err)
	assert.Error(t, <-told, "a failed sync went unnoticed by this test")
	expect(6)
	ex = must.Get(chain.ExecuteProposal(context.Background(), blocks[5]))(t)
	assert.Error(t, chain.CommitExecuted(blocks[5], ex), "the commit does not report that its block is not on disk")
	<-told //nolint:errcheck // the subscription has ended
}

func TestForeignChainSyncsAsUpstream(t *testing.T) {
	bench := proposalGenesis()
	config := *bench.Config
	config.Anzeon, config.ApplepieBlock, config.BohoBlock = nil, nil, nil
	bench.Config = &config
	db := &syncedDatabase{Database: rawdb.NewMemoryDatabase()}
	engine := newStageEngine()
	chain := must.Get(NewBlockChain(db, bench, engine, DefaultConfig().WithStateScheme(rawdb.PathScheme)))(t)
	defer chain.Stop()
	_, blocks, _ := GenerateChainWithGenesis(bench, engine, 2, func(int, *BlockGen) {})
	before := db.syncs.Load()
	must.Get(chain.InsertChain(types.Blocks(blocks)))(t)
	n := db.syncs.Load() - before
	assert.Truef(t, n == 0, "%d syncs, want none", n)
}
