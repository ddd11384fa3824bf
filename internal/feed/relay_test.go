// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package feed

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/ethereum/go-ethereum/event"

	"gwon/internal/expect"
)

// A feed never waits for a reader. The reader finds the last events, in order.
func TestRelayNeverHoldsTheFeedUp(t *testing.T) {
	for _, last := range []int{0, 1, 3, 1000} {
		synctest.Test(t, func(t *testing.T) {
			var source event.FeedOf[int]
			out, sub := Relay(source.Subscribe, last)
			defer sub.Unsubscribe()
			const sent = 100
			for i := range sent {
				source.Send(i) // a send that waits for the reader ends the test with a deadlock
			}
			synctest.Wait()
			var have []int
			for len(out) > 0 {
				have = append(have, <-out)
			}
			var want []int
			for i := max(0, sent-max(1, last)); i < sent; i++ {
				want = append(want, i)
			}
			expect.Slice(t, have, want, "%d places: events", last)
		})
	}
}

// The end of the feed ends the subscription, and Unsubscribe ends the one below.
func TestRelayEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var source event.FeedOf[int]
		var scope event.SubscriptionScope
		_, sub := Relay(func(ch chan<- int) event.Subscription { return scope.Track(source.Subscribe(ch)) }, 1)
		scope.Close()
		expect.Error(t, <-sub.Err(), nil, "ended with")
		_, sub = Relay(source.Subscribe, 1)
		sub.Unsubscribe()
		expect.Equal(t, source.Send(1), 0, "subscribers after the end")
	})
}

// A subscription to a chain that has been stopped ends at once.
func TestRelayOfClosedFeed(t *testing.T) {
	var scope event.SubscriptionScope
	var source event.FeedOf[int]
	scope.Close()
	_, sub := Relay(func(ch chan<- int) event.Subscription { return scope.Track(source.Subscribe(ch)) }, 1)
	err, open := <-sub.Err()
	expect.That(t, err == nil && !open, "the subscription goes on: %v", err)
}

// Nothing in this module subscribes to the chain without the relay: one busy reader would hold all imports up.
func TestEverySubscriptionIsRelayed(t *testing.T) {
	direct := regexp.MustCompile(`[.]SubscribeChain\w*Event\(`)
	looked := 0
	root := filepath.Join("..", "..")
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir():
			if name, err := filepath.Rel(root, path); err == nil && (name == "build" || name == "upstream" || name == ".git") {
				return fs.SkipDir
			}
			return nil
		case !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || strings.Contains(path, "sessiontest/"):
			return nil
		}
		looked++
		text, err := os.ReadFile(path)
		expect.That(t, err != nil || !direct.Match(text), "%s subscribes to the chain directly: use feed.Relay", path)
		return err
	})
	expect.That(t, err == nil && looked >= 100, "%d files, %v", looked, err)
}
