// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package blockgossip

import (
	"context"
	"slices"
	"sync"
	"time"

	protocol "github.com/ethereum/go-ethereum/eth/protocols/eth"

	"gwon/eth/session"
)

// Limits of announcements (spec network 2.6).
const maxPeerHashes = 256 // blocks announced by one peer that are yet to be fetched

// offer is a block that peers say they have.
type offer struct {
	from  []*session.Session // those that have not failed; the first ones, in the order of asking, are being asked
	asked int                // how many are
}

// fetcher requests announced blocks that do not arrive by themselves. It is safe for concurrent use.
type fetcher struct {
	wanted func(ses *session.Session, a protocol.BlockAnnouncement) bool // the block is of interest, and not here yet
	get    func(ctx context.Context, ses *session.Session, a protocol.BlockAnnouncement) error
	wake   func() // called with the lock held when a block without a fetch is announced; returns at once

	mu     sync.Mutex
	offers map[protocol.BlockAnnouncement]*offer
	fresh  []protocol.BlockAnnouncement // of offers, those without a running fetch
	hashes map[*session.Session]int     // offers by peer, without those that are zero
}

func newFetcher(
	wanted func(*session.Session, protocol.BlockAnnouncement) bool,
	get func(context.Context, *session.Session, protocol.BlockAnnouncement) error, wake func(),
) *fetcher {
	return &fetcher{
		wanted: wanted, get: get, wake: wake,
		offers: make(map[protocol.BlockAnnouncement]*offer), hashes: make(map[*session.Session]int),
	}
}

// announced notes that a peer can be asked for a block.
func (f *fetcher) announced(ses *session.Session, a protocol.BlockAnnouncement) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.hashes[ses] == maxPeerHashes {
		return
	}
	o := f.offers[a]
	if o == nil {
		o = new(offer)
		f.offers[a] = o
		f.fresh = append(f.fresh, a)
		f.wake()
	} else if slices.Contains(o.from, ses) {
		return
	}
	o.from = append(o.from, ses)
	f.hashes[ses]++
}

// unfetched returns the announced blocks without a running fetch. The caller starts one for each.
func (f *fetcher) unfetched() []protocol.BlockAnnouncement {
	f.mu.Lock()
	defer f.mu.Unlock()
	fresh := f.fresh
	f.fresh = nil
	return fresh
}

// fetch requests an announced block unless it arrives by itself. It asks the peers that announced it one after the
// other, without waiting long for an answer. Those come first that owe the fewest answers, so that peers which announce
// and stay silent delay few blocks.
func (f *fetcher) fetch(ctx context.Context, a protocol.BlockAnnouncement) {
	f.mu.Lock()
	o := f.offers[a]
	f.mu.Unlock()
	timer := time.NewTimer(450 * time.Millisecond) // for the block to arrive by itself
	defer timer.Stop()
	ctx, cancel := context.WithCancel(ctx)
	var asking sync.WaitGroup
	defer asking.Wait()
	defer cancel()
	answered := make(chan struct{}, 1)
	for {
		select {
		case <-timer.C:
		case <-answered:
		case <-ctx.Done():
			return
		}
		ses, open := f.next(a, o)
		switch {
		case !open:
			return
		case ses == nil: // all are being asked
		case !f.wanted(ses, a):
			f.asked(a, o, ses, true)
			return
		default:
			asking.Go(func() {
				ses.Unanswered.Add(1)
				err := f.get(ctx, ses, a)
				if err == nil {
					ses.Unanswered.Store(0)
				}
				if err != nil && ctx.Err() == nil {
					ses.Peer.Log().Debug("Announced block not fetched", "number", a.Number, "hash", a.Hash, "err", err)
				}
				f.asked(a, o, ses, err == nil)
				select {
				case answered <- struct{}{}:
				default:
				}
			})
		}
		timer.Reset(500 * time.Millisecond)
	}
}

// next returns the next peer to ask for a block, nil for none yet, and whether the block is still on offer.
func (f *fetcher) next(a protocol.BlockAnnouncement, o *offer) (ses *session.Session, open bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.offers[a] != o || o.asked == len(o.from) {
		return nil, f.offers[a] == o
	}
	left := o.from[o.asked:]
	best := 0
	for i, ses := range left {
		if ses.Unanswered.Load() < left[best].Unanswered.Load() {
			best = i
		}
	}
	left[0], left[best] = left[best], left[0]
	o.asked++
	return left[0], true
}

// asked removes a peer from an offer, and the offer when the block is present or no peer is left.
func (f *fetcher) asked(a protocol.BlockAnnouncement, o *offer, ses *session.Session, done bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.offers[a] != o {
		return // over, by another answer
	}
	if i := slices.Index(o.from, ses); !done && len(o.from) > 1 {
		f.uncount(ses)
		o.from, o.asked = slices.Delete(o.from, i, i+1), o.asked-1
		return
	}
	for _, ses := range o.from {
		f.uncount(ses)
	}
	delete(f.offers, a)
}

// uncount takes an offer off the count of a peer. The lock is held.
func (f *fetcher) uncount(ses *session.Session) {
	if f.hashes[ses]--; f.hashes[ses] == 0 {
		delete(f.hashes, ses)
	}
}
