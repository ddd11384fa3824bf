// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package locals

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"github.com/ethereum/go-ethereum/core/txpool/legacypool"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/log"
	"github.com/ethereum/go-ethereum/rlp"
)

// loadBatch is how many journaled transactions are taken in at a time; senders wait for no longer than that.
const loadBatch = 256

// Beside is a TxTracker whose start does not wait for the journal: what a validator has to do first is sealing, and the journal of
// a busy node has thousands of transactions whose senders must be recovered. It implements node.Lifecycle.
type Beside struct{ *TxTracker }

// Start opens the journal for new transactions and reads the old ones beside.
func (b Beside) Start() error {
	tracker := b.TxTracker
	if tracker.journal == nil {
		return tracker.Start()
	}
	old, size, err := openJournal(tracker.journal.path)
	if err != nil {
		return err
	}
	if err := tracker.journal.setupWriter(); err != nil {
		if old != nil {
			err = errors.Join(err, old.Close())
		}
		return fmt.Errorf("open the journal of local transactions: %w", err)
	}
	tracker.wg.Add(1)
	go func() {
		if old != nil {
			tracker.loadOld(old, size)
		}
		tracker.loop()
	}()
	return nil
}

// openJournal opens the journal for reading as far as it goes now; nil if there is none.
func openJournal(path string) (file *os.File, size int64, err error) {
	file, err = os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, 0, nil
	}
	if err != nil {
		return nil, 0, fmt.Errorf("read the journal of local transactions: %w", err)
	}
	info, err := file.Stat()
	if err != nil {
		return nil, 0, errors.Join(fmt.Errorf("read the journal of local transactions: %w", err), file.Close())
	}
	return file, info.Size(), nil
}

// loadOld takes in the transactions that the journal held at the start, but for those that are mined, gives them to the pool,
// and writes the journal anew when it held others or ends in the middle of one, which a kill can leave: what is appended after
// that could not be read.
func (tracker *TxTracker) loadOld(file *os.File, size int64) {
	start := time.Now()
	stream := rlp.NewStream(io.LimitReader(file, size), 0)
	total, mined := 0, 0
	var failure error
	for failure == nil {
		var batch []*types.Transaction
		for len(batch) < loadBatch && failure == nil {
			tx := new(types.Transaction)
			if failure = stream.Decode(tx); failure == nil {
				batch = append(batch, tx)
			}
		}
		select {
		case <-tracker.shutdownCh:
			failure = errors.Join(failure, errShutdown)
		default:
			total += len(batch)
			mined += tracker.takeOld(batch)
		}
	}
	if err := file.Close(); err != nil {
		log.Warn("Cannot close the journal of local transactions", "err", err)
	}
	if errors.Is(failure, errShutdown) {
		return // the journal stays as it is
	}
	damaged := !errors.Is(failure, io.EOF)
	if damaged {
		log.Warn("The journal of local transactions ends in the middle of one, which is lost", "err", failure)
	}
	log.Info("Loaded local transaction journal", "transactions", total, "mined", mined, "elapsed", time.Since(start))
	if resubmits := tracker.recheck(damaged || mined > 0); len(resubmits) > 0 {
		tracker.pool.Add(resubmits, false)
	}
}

// errShutdown ends the loading of a journal when the node stops.
var errShutdown = errors.New("the node is being stopped")

// takeOld tracks journaled transactions without writing them to the journal again, and returns how many are mined already.
func (tracker *TxTracker) takeOld(txs []*types.Transaction) (mined int) {
	for _, tx := range txs {
		if _, err := types.Sender(tracker.signer, tx); err != nil { // outside the lock: it is remembered in the transaction
			log.Debug("Journaled transaction has no sender", "hash", tx.Hash(), "err", err)
		}
	}
	tracker.mu.Lock()
	defer tracker.mu.Unlock()
	for _, tx := range txs {
		from, err := types.Sender(tracker.signer, tx)
		if err != nil || tx.Nonce() < tracker.pool.Nonce(from) {
			mined++ // or can never be
			continue
		}
		if _, known := tracker.all[tx.Hash()]; known {
			continue
		}
		tracker.all[tx.Hash()] = tx
		if tracker.byAddr[from] == nil {
			tracker.byAddr[from] = legacypool.NewSortedMap()
		}
		tracker.byAddr[from].Put(tx)
	}
	localGauge.Update(int64(len(tracker.all)))
	return mined
}
