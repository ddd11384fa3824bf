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
	Delegated Kind = "delegated" // the same with a fee payer, type 0x16
	Token     Kind = "erc20"     // transfer of the native coin adapter, type 2
	Mix       Kind = "mix"       // these alternately; without code at the adapter the first two
)

// Kinds lists all kinds.
var Kinds = []Kind{Transfer, Delegated, Token, Mix}

// Limits of a run.
const (
	MaxCount   = 5_000_000
	maxSenders = 50_000
	maxWorkers = 1024
)

// Options describes a run.
type Options struct {
	Endpoints []string            // HTTP, WebSocket or IPC; used alternately, and in place of one that does not answer
	Keys      []*ecdsa.PrivateKey // funded accounts; they fund the senders and pay for delegated transactions
	Senders   int                 // number of sending accounts; each sends in the order of nonces
	// Recipients is the number of accounts outside of the senders that are paid, by a fixed random order; 0 for the
	// senders. Their addresses are the numbers from 2^33 on.
	Recipients int
	Kind       Kind
	Rate       float64       // transactions a second; 0 means as fast as accepted
	Duration   time.Duration // largest time of submission
	Count      int           // largest number of transactions; 0 means Rate times Duration
	Workers    int           // largest number of concurrent requests for each endpoint
	Batch      int           // transactions of one request, at most Workers; 0 or 1 for requests of their own
	Settle     time.Duration // longest time that blocks are watched after the last submission
	Resubmit   bool          // submit again after a refusal by a full pool
	Spoil      int           // percentage of transactions with another account's signature, whose nonces are reused
	Gaps       int           // percentage of transactions deferred until the sender's next two are sent
	ReadRate   float64       // calls a second that are sent by a schedule meanwhile, of ten methods; 0 for none
	ReadFrom   []string      // endpoints of the calls, used alternately; empty for Endpoints
	Progress   io.Writer     // one line a second; nil for none
}

// onlyReads reports whether a run submits nothing.
func (o *Options) onlyReads() bool { return o.ReadRate > 0 && o.Rate == 0 && o.Count == 0 }

// readCount is how many reads a run sends at most.
func (o *Options) readCount() int { return int(min(o.ReadRate*o.Duration.Seconds(), MaxCount+1)) }

func (o *Options) check() error {
	switch {
	case len(o.Endpoints) == 0:
		return errors.New("no endpoint: say which node to send to")
	case o.ReadRate < 0:
		return errors.New("the rate of reads cannot be negative")
	case len(o.ReadFrom) > 0 && o.ReadRate == 0:
		return errors.New("endpoints to read from need a rate of reads")
	case len(o.Keys) == 0 && !o.onlyReads():
		return errors.New("no funded account: give the file of a private key")
	case !slices.Contains(Kinds, o.Kind):
		return fmt.Errorf("unknown kind %q: it is one of %s", o.Kind, names(Kinds))
	case o.Rate < 0 || o.Duration < 0 || o.Count < 0 || o.Settle < 0:
		return errors.New("rate, duration, count and settling time cannot be negative")
	case o.Duration == 0:
		return errors.New("the duration is missing: a run is bounded in time")
	case o.Rate == 0 && o.Count == 0 && !o.onlyReads():
		return errors.New("give a rate, a count, or a rate of reads: all transactions are signed before the first is sent")
	case o.Senders < 1 || o.Senders > maxSenders:
		return fmt.Errorf("%d senders, want 1 to %d", o.Senders, maxSenders)
	case o.Recipients < 0:
		return errors.New("the number of recipients cannot be negative")
	case o.Spoil < 0 || o.Gaps < 0 || o.Spoil+o.Gaps > 50:
		return fmt.Errorf("%d and %d of 100 transactions to spoil and to hold back, want 0 or more and no more than 50 "+
			"together", o.Spoil, o.Gaps)
	case o.Workers < 1 || o.Workers > maxWorkers:
		return fmt.Errorf("%d requests in flight, want 1 to %d", o.Workers, maxWorkers)
	case o.Batch < 0 || o.Batch > min(o.Workers, o.Senders/max(len(o.Endpoints), 1)):
		return fmt.Errorf("batches of %d transactions, want no more than the requests in flight (%d) and than the "+
			"senders of an endpoint", o.Batch, o.Workers)
	}
	if n := o.count(); (n < 1 || n > MaxCount) && !o.onlyReads() {
		return fmt.Errorf("%d transactions, want 1 to %d", n, MaxCount)
	}
	if n := o.readCount(); o.ReadRate > 0 && (n < 1 || n > MaxCount) {
		return fmt.Errorf("%d reads, want 1 to %d", n, MaxCount)
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

// oneIn reports whether transaction i belongs to a percentage, spread evenly.
func oneIn(i, share int) bool { return (i+1)*share/100 != i*share/100 }

// spoilt reports whether transaction i gets a wrong signature.
func (o *Options) spoilt(i int) bool { return oneIn(i, o.Spoil) }

// heldBack reports whether transaction i is deferred.
func (o *Options) heldBack(i int) bool { return !o.spoilt(i) && oneIn(i+7, o.Gaps) } // beside the spoilt ones

func names(kinds []Kind) string {
	list := make([]string, len(kinds))
	for i, k := range kinds {
		list[i] = string(k)
	}
	return strings.Join(list, ", ")
}
