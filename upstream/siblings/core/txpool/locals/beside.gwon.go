// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package locals

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"slices"
	"sync/atomic"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/txpool"
	"github.com/ethereum/go-ethereum/core/txpool/legacypool"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/log"
	"github.com/ethereum/go-ethereum/rlp"
)

// loadBatch is how many journaled transactions are taken in at a time; senders wait for no longer than that.
const loadBatch = 256

// giveUpAfter is for how long a transaction that the pool no longer has is offered to it again, each minute.
const giveUpAfter = 3 * time.Hour

// Bounds of what is kept beside the pool, which bounds what it has itself.
const (
	maxLost    = 16 << 20 // bytes of transactions that the pool does not have
	maxGrowth  = 16 << 20 // bytes of submissions after which those are looked for, before the minute is over
	maxJournal = 64 << 20 // bytes of submissions after which the journal is rewritten
)

// submitted counts the bytes of the submissions of this process.
var submitted atomic.Int64

// Keep tracks a submission that the pool has accepted.
func Keep(tracker *TxTracker, tx *types.Transaction) {
	tracker.Track(tx)
	submitted.Add(int64(tx.Size()))
}

// Beside is a TxTracker whose start does not wait for the journal, because a validator has to seal first and the
// journal of a busy node has thousands of transactions whose senders must be recovered. It implements node.Lifecycle.
//
// It keeps the transactions that the pool has taken from this node's users over restarts, and offers those again that
// the pool has evicted. It forgets a transaction that can no longer be included at once, all others after three hours.
type Beside struct {
	*TxTracker
	Submit func(*types.Transaction) error // gives the pool a transaction of this node's users
}

// Start opens the journal for new transactions and reads the old ones beside.
func (b Beside) Start() error {
	tracker := b.TxTracker
	if tracker.journal == nil {
		tracker.wg.Add(1)
		go b.loop()
		return nil
	}
	if err := mendJournal(tracker.journal.path); err != nil {
		return err
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
			b.loadOld(old, size)
		}
		b.loop()
	}()
	return nil
}

// loop offers the pool again what it has lost, and rewrites the journal from time to time, until the node stops.
func (b Beside) loop() {
	tracker := b.TxTracker
	defer tracker.wg.Done()
	var (
		lastCheck, lastJournal = time.Now(), time.Now()
		checked, journaled     = submitted.Load(), submitted.Load()
		ticker                 = time.NewTicker(time.Second)
	)
	defer ticker.Stop()
	for {
		select {
		case <-tracker.shutdownCh:
			return
		case <-ticker.C:
			now := submitted.Load()
			if time.Since(lastCheck) < recheckInterval && now-checked < maxGrowth {
				continue
			}
			lastCheck, checked = time.Now(), now
			rewrite := tracker.journal != nil && (time.Since(lastJournal) > tracker.rejournal || now-journaled >= maxJournal)
			if rewrite {
				lastJournal, journaled = time.Now(), now
			}
			tracker.sweep()
			b.offer(tracker.recheck(rewrite))
		}
	}
}

// sweep forgets transactions whose place their own sender has given to another one.
func (tracker *TxTracker) sweep() {
	tracker.mu.Lock()
	defer tracker.mu.Unlock()
	for hash, tx := range tracker.all {
		from, err := types.Sender(tracker.signer, tx)
		if err != nil {
			continue
		}
		if txs := tracker.byAddr[from]; txs != nil {
			if kept := txs.Get(tx.Nonce()); kept != nil && kept.Hash() != hash {
				delete(tracker.all, hash)
			}
		}
	}
	localGauge.Update(int64(len(tracker.all)))
}

// offer gives transactions to the pool and forgets those that cannot come back, and those above the bound.
func (b Beside) offer(txs []*types.Transaction) {
	lost := make(map[common.Address][]*types.Transaction) // in the order of their nonces
	for _, tx := range txs {
		select {
		case <-b.shutdownCh:
			return
		default:
		}
		err := b.Submit(tx)
		if err == nil {
			continue
		}
		from, failed := types.Sender(b.signer, tx)
		if failed != nil || isGone(err) || time.Since(tx.Time()) > giveUpAfter {
			log.Debug("A local transaction is given up", "hash", tx.Hash(), "err", err)
			b.forget(tx)
			continue
		}
		lost[from] = append(lost[from], tx)
	}
	b.bound(lost, maxLost)
}

// bound forgets transactions that the pool does not have until they have a number of bytes at most: of the sender with
// most, from the highest nonce on.
func (b Beside) bound(lost map[common.Address][]*types.Transaction, most int) {
	sizes, all := make(map[common.Address]int), 0
	for from, txs := range lost {
		for _, tx := range txs {
			sizes[from] += int(tx.Size())
		}
		all += sizes[from]
	}
	if all <= most {
		return
	}
	senders := slices.SortedFunc(maps.Keys(sizes), func(a, b common.Address) int { return sizes[b] - sizes[a] })
	for round := 0; all > most; round++ {
		from := senders[round%len(senders)]
		txs := lost[from]
		for len(txs) > 0 && all > most && sizes[from] > most/len(senders) {
			last := txs[len(txs)-1]
			txs = txs[:len(txs)-1]
			sizes[from] -= int(last.Size())
			all -= int(last.Size())
			b.forget(last)
		}
		lost[from] = txs
	}
	log.Warn("Submissions that the pool has dropped are given up", "remaining", all, "most", most)
}

// isGone reports whether the pool will not take a transaction later either: its nonce is taken, or it offers too
// little.
func isGone(err error) bool {
	return errors.Is(err, core.ErrNonceTooLow) || errors.Is(err, txpool.ErrReplaceUnderpriced) ||
		errors.Is(err, txpool.ErrTxGasPriceTooLow) || errors.Is(err, types.ErrInvalidFeePayer)
}

// forget ends the tracking of a transaction; the journal follows when it is rewritten.
func (tracker *TxTracker) forget(tx *types.Transaction) {
	tracker.mu.Lock()
	defer tracker.mu.Unlock()
	delete(tracker.all, tx.Hash())
	from, err := types.Sender(tracker.signer, tx)
	if err != nil {
		return
	}
	txs := tracker.byAddr[from]
	if txs == nil {
		return
	}
	if kept := txs.Get(tx.Nonce()); kept != nil && kept.Hash() == tx.Hash() {
		txs.Remove(tx.Nonce())
	}
	if txs.Len() == 0 {
		delete(tracker.byAddr, from)
	}
	localGauge.Update(int64(len(tracker.all)))
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

// loadOld tracks the transactions that the journal held at the start, except those that are in blocks, gives them to
// the pool, and rewrites the journal when it held others.
func (b Beside) loadOld(file *os.File, size int64) {
	tracker := b.TxTracker
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
	unread := !errors.Is(failure, io.EOF)
	if unread {
		log.Error("The journal of local transactions cannot be read to its end", "err", failure)
	}
	log.Info("Loaded local transaction journal", "transactions", total, "mined", mined, "elapsed", time.Since(start))
	b.offer(tracker.recheck(!unread && mined > 0))
}

// errShutdown ends the loading of a journal when the node stops.
var errShutdown = errors.New("the node is being stopped")

// takeOld tracks journaled transactions without writing them to the journal again. It returns the number of those that
// are in blocks already.
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
