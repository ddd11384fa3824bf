// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package loadtest

import (
	"crypto/ecdsa"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
)

// Kind is a kind of transaction.
type Kind string

// Kinds of transactions that a run sends.
const (
	Transfer  Kind = "transfer"  // coins from one account to another, type 2
	Delegated Kind = "delegated" // the same paid by another account, type 0x16
	Token     Kind = "erc20"     // transfer of the native coin adapter, type 2
	Mix       Kind = "mix"       // these in turn; without code at the adapter the first two
)

// Kinds are all of them.
var Kinds = []Kind{Transfer, Delegated, Token, Mix}

// Bounds of a run.
const (
	MaxCount   = 5_000_000
	maxSenders = 50_000
	maxWorkers = 1024
)

// Options tell what to put on which nodes.
type Options struct {
	Endpoints []string            // HTTP, WebSocket or IPC; transactions go to them in turn, blocks are watched at the first
	Keys      []*ecdsa.PrivateKey // accounts that have coins; they fund the senders and pay for delegated transactions
	Senders   int                 // accounts that send; each sends its transactions in the order of their nonces
	Kind      Kind
	Rate      float64       // transactions a second; 0 for as fast as they are accepted
	Duration  time.Duration // of the submission at most
	Count     int           // of transactions at most; 0 for Rate times Duration
	Workers   int           // requests in flight for each endpoint at most
	Settle    time.Duration // how long after the last submission blocks are watched for what was accepted, at most
	Resubmit  bool          // submit once more what was refused because of a full pool
	Spoil     int           // how many of 100 transactions get a signature that is not the sender's; their nonces are used by the next ones
	Gaps      int           // how many of 100 transactions are held back until the sender's next two are sent
	Progress  io.Writer     // a line a second; nil for none
}

func (o *Options) check() error {
	switch {
	case len(o.Endpoints) == 0:
		return errors.New("no endpoint: say which node to send to")
	case len(o.Keys) == 0:
		return errors.New("no funded account: give the file of a private key")
	case !slices.Contains(Kinds, o.Kind):
		return fmt.Errorf("unknown kind %q: it is one of %s", o.Kind, names(Kinds))
	case o.Rate < 0 || o.Duration < 0 || o.Count < 0 || o.Settle < 0:
		return errors.New("rate, duration, count and settling time cannot be negative")
	case o.Duration == 0:
		return errors.New("the duration is missing: a run is bounded in time")
	case o.Rate == 0 && o.Count == 0:
		return errors.New("give a rate, or a count: all transactions are signed before the first is sent")
	case o.Senders < 1 || o.Senders > maxSenders:
		return fmt.Errorf("%d senders, want 1 to %d", o.Senders, maxSenders)
	case o.Spoil < 0 || o.Gaps < 0 || o.Spoil+o.Gaps > 50:
		return fmt.Errorf("%d and %d of 100 transactions to spoil and to hold back, want 0 or more and no more than 50 together", o.Spoil, o.Gaps)
	case o.Workers < 1 || o.Workers > maxWorkers:
		return fmt.Errorf("%d requests in flight, want 1 to %d", o.Workers, maxWorkers)
	}
	if n := o.count(); n < 1 || n > MaxCount {
		return fmt.Errorf("%d transactions, want 1 to %d", n, MaxCount)
	}
	return nil
}

// count is how many transactions a run submits at most.
func (o *Options) count() int {
	n := o.Count
	if byRate := int(min(o.Rate*o.Duration.Seconds(), MaxCount+1)); o.Rate > 0 && (n == 0 || byRate < n) {
		n = byRate
	}
	return n
}

// oneIn tells whether transaction i is one of the share of 100, which lie evenly among all.
func oneIn(i, share int) bool { return (i+1)*share/100 != i*share/100 }

// spoilt tells whether transaction i gets a wrong signature.
func (o *Options) spoilt(i int) bool { return oneIn(i, o.Spoil) }

// heldBack tells whether transaction i leaves a gap for a while.
func (o *Options) heldBack(i int) bool { return !o.spoilt(i) && oneIn(i+7, o.Gaps) } // beside the spoilt ones

func names(kinds []Kind) string {
	list := make([]string, len(kinds))
	for i, k := range kinds {
		list[i] = string(k)
	}
	return strings.Join(list, ", ")
}
