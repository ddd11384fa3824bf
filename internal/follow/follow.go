// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package follow

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/rpc"
	"golang.org/x/time/rate"

	"gwon/internal/dial"
	"gwon/params"
)

// Place is the last block of a chain that was read, with block 0 of the chain. A hash that is not known is zero.
type Place struct {
	Number        uint64
	Hash, Genesis common.Hash
}

// ErrOtherChain means that a node does not have the chain of a place: another one was begun, or blocks were taken back.
var ErrOtherChain = errors.New("the node is on another chain")

// ErrBehind means that a node does not have a block that was read before, which another one behind a load balancer has.
var ErrBehind = errors.New("the node is behind: it lacks a block that was read before, wait until it has synced")

// maxAge is how old the newest block of a network may be, which seals one a second.
const maxAge = time.Minute

// Stale returns why a node is not at the head of its network, empty where its newest block is new. Blocks of a
// developer chain wait for transactions.
func Stale(newest time.Time, chainID uint64) string {
	age := time.Since(newest)
	if age <= maxAge || chainID == params.DevChainID {
		return ""
	}
	return fmt.Sprintf("the newest block of the node is %v old: wait until it has synced, or name another one",
		age.Round(time.Second))
}

// Follower reads the head of a chain again and again, for one goroutine. T is what is read of each transaction.
type Follower[T any] struct {
	Block  func(context.Context, rpc.BlockNumber) (*dial.Block[T], error) // nil for one that the node does not have
	Every  time.Duration                                                  // between two steps
	Most   time.Duration                                                  // after a failure
	Final  func(error) bool                                               // reports whether an error ends Run
	Report func(err error, rest time.Duration)                            // has a failure that lasts, once a minute

	Pause time.Duration // after the next failure, which doubles it; a step that succeeds sets it back
}

// Look returns the newest block of the node, which has the chain of a place: the block of the place is compared before
// each newer one, because a chain may be begun again, or taken back, at any time.
func (f *Follower[T]) Look(ctx context.Context, last Place) (*dial.Block[T], error) {
	head, err := f.Block(ctx, rpc.LatestBlockNumber)
	if err != nil || head != nil && uint64(head.Number) == last.Number && head.Hash == last.Hash {
		return head, err
	}
	b, err := f.Block(ctx, rpc.BlockNumber(last.Number)) //nolint:gosec // of a block
	behind := err == nil && (head == nil || b == nil)
	if behind && last.Genesis != (common.Hash{}) {
		last.Number, last.Hash = 0, last.Genesis
		b, err = f.Block(ctx, 0)
	}
	switch {
	case err != nil:
		return nil, err
	case b != nil && b.Hash != last.Hash && last.Hash != (common.Hash{}):
		return nil, fmt.Errorf("%w: block %d is %v there, and it was %v: name a node of that chain, or begin in a new "+
			"directory", ErrOtherChain, last.Number, b.Hash, last.Hash)
	case behind:
		return nil, ErrBehind
	}
	return head, nil
}

// Run takes a step again and again until ctx ends, which is no error: at once where there is more to do, and after a
// rest where it has failed.
func (f *Follower[T]) Run(ctx context.Context, step func(context.Context) (more bool, err error)) error {
	reports := rate.Sometimes{Interval: time.Minute}
	for ctx.Err() == nil {
		more, err := step(ctx)
		wait := f.Every
		switch {
		case ctx.Err() != nil:
			return nil
		case err != nil && f.Final(err):
			return err
		case err != nil:
			wait = f.Rest()
			reports.Do(func() { f.Report(err, wait) })
		case more:
			continue
		default:
			reports = rate.Sometimes{Interval: time.Minute}
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
		}
	}
	return nil
}

// Rest returns how long to wait after a failure: longer with each one until Pause is set back.
func (f *Follower[T]) Rest() time.Duration {
	wait := f.Pause/2 + rand.N(f.Pause/2+1) //nolint:gosec // spreads retries, no secret
	f.Pause = min(2*f.Pause, f.Most)
	return wait
}
