// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package filters

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/internal/must"
	"github.com/ethereum/go-ethereum/rpc"
	"github.com/stretchr/testify/assert"
)

// Clients pay for the comparison of logs with what they wait for, whether something matches or not, and no longer than
// they wait. Filters for other things pay nothing. spec: rpc 9.7
func TestMatchingIsCharged(t *testing.T) {
	door := new(testDoor)
	wanted := FilterCriteria{Addresses: make([]common.Address, 3)}
	bounds := Bounds{Items: 10, Bytes: 1000}
	const events, logs = 20, 2000
	inBubble(t, door, bounds, func(t *testing.T, backend *testBackend, b *BoundedAPI) {
		synctest.Wait() // until it hears of logs
		var ids []rpc.ID
		for _, client := range []string{"203.0.113.1", "2001:db8::/64"} {
			id := must.Get(b.InstallLogs(rpc.Owner{client}, wanted))(t)
			ids = append(ids, id)
		}
		must.Get(b.Install(rpc.Owner{"203.0.113.2"}, nil, pendingFilter(b, false)))(t)
		send := func() {
			for range events {
				list := make([]*types.Log, logs)
				for i := range list {
					list[i] = &types.Log{Address: common.Address{9}}
				}
				backend.logsFeed.Send(list)
				synctest.Wait()
			}
		}
		send()
		want := events * matchTime(logs, 3)
		for _, remote := range []string{"203.0.113.1", "2001:db8::/64"} {
			used := door.used[remote]
			assert.Truef(t, used >= want-chargedFrom && used <= want, "%s pays for %v, want %v", remote, used, want)
		}
		assert.Truef(t, len(door.used) == 2, "charged are %v", door.used)
		for _, id := range ids {
			b.UninstallFilter(id)
		}
		time.Sleep(2 * time.Second) // filters are counted each second
		synctest.Wait()
		before := door.used["203.0.113.1"]
		send()
		if after := door.used["203.0.113.1"]; after != before || len(b.watches) != 1 {
			t.Errorf("%v more after the end, %d watches", after-before, len(b.watches))
		}
	})
}
