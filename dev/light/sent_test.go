// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package light

import (
	"encoding/binary"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"gwon/internal/expect"
	"gwon/internal/must"
)

// The next nonce is behind those that are proven and those that were submitted, until these are too old.
func TestSubmittedNoncesCount(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s submitted
		sender := common.Address{1}
		want := func(proven, next uint64) {
			t.Helper()
			expect.Equal(t, s.next(sender, proven), next, "after %d proven ones the next nonce", proven)
		}
		want(5, 5)
		s.add(sender, 5)
		s.add(sender, 6)
		s.add(sender, 5) // again, with a higher price
		want(5, 7)
		want(9, 9)
		time.Sleep(idleTime)
		want(5, 5)
		s.add(sender, 2)
		want(2, 3)
		for i := range uint64(3 * maxSenders) {
			s.add(common.Address(binary.BigEndian.AppendUint64(make([]byte, 12), i)), 1)
			must.That(t, len(s.last) <= maxSenders, "%d senders are remembered", len(s.last))
		}
	})
}
