// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package feed

import (
	"github.com/ethereum/go-ethereum/event"
)

// Relay subscribes to a feed. The channel holds the last events, at most a number of them of at least one: an older
// event is dropped for a new one, so that the feed never waits for the reader. The subscription ends with that of the
// feed, or by Unsubscribe.
func Relay[E any](subscribe func(chan<- E) event.Subscription, last int) (<-chan E, event.Subscription) {
	in, out := make(chan E, 16), make(chan E, max(1, last))
	source := subscribe(in)
	return out, event.NewSubscription(func(quit <-chan struct{}) error {
		if source == nil { // the chain has been stopped
			return nil
		}
		defer source.Unsubscribe()
		for {
			select {
			case e := <-in:
				deliver(out, e)
			case err := <-source.Err():
				return err
			case <-quit:
				return nil
			}
		}
	})
}

// deliver puts an event into a channel with one sender, in place of the oldest if the channel is full.
func deliver[E any](out chan E, e E) {
	for {
		select {
		case out <- e:
			return
		default:
		}
		select {
		case <-out:
		default: // the reader was faster
		}
	}
}
