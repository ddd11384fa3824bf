// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package filters

import (
	"context"
	"encoding/json"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/rpc"
)

// register is a gate that adds up what clients are charged.
type register struct {
	mu   sync.Mutex
	used map[string]time.Duration
}

func (*register) Request(w http.ResponseWriter, r *http.Request, next http.Handler) {
	next.ServeHTTP(w, r)
}
func (*register) Call(context.Context, string, string, json.RawMessage) error { return nil }
func (*register) Subscribe(string, int) error                                 { return nil }
func (*register) Notified(string, int) bool                                   { return true }

func (r *register) Used(remote, _ string, elapsed time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.used[remote] += elapsed
}

// Clients pay for the comparison of logs with what they wait for, whether something matches or not, and no longer than
// they wait. Filters for other things, and connections without units, pay nothing. spec: rpc 9.7
func TestMatchingIsCharged(t *testing.T) {
	gate := &register{used: make(map[string]time.Duration)}
	rpc.SetGate(gate)
	defer rpc.SetGate(nil)
	wanted := FilterCriteria{Addresses: make([]common.Address, 3)}
	bounds := Bounds{Filters: 10, PerClient: 10, Items: 10, Bytes: 1000, Criteria: 100, CriteriaPerClient: 50}
	const events, logs = 20, 2000
	inBubble(t, bounds, func(t *testing.T, backend *testBackend, b *BoundedAPI) {
		synctest.Wait() // until it hears of logs
		var ids []rpc.ID
		for _, client := range []string{"203.0.113.1/32", "2001:db8::/64", "127.0.0.1:1000"} {
			id, err := b.InstallLogs([]string{client}, wanted)
			if err != nil {
				t.Fatal(err)
			}
			ids = append(ids, id)
		}
		if _, err := b.Install([]string{"203.0.113.2/32"}, 0, pendingFilter(b, false)); err != nil {
			t.Fatal(err)
		}
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
		for _, remote := range []string{"203.0.113.1:0", "[2001:db8::]:0"} {
			if used := gate.used[remote]; used < want-chargedFrom || used > want {
				t.Errorf("%s pays for %v, want %v", remote, used, want)
			}
		}
		if len(gate.used) != 2 {
			t.Errorf("charged are %v", gate.used)
		}
		for _, id := range ids {
			b.UninstallFilter(id)
		}
		time.Sleep(2 * time.Second) // filters are counted each second
		synctest.Wait()
		before := gate.used["203.0.113.1:0"]
		send()
		if after := gate.used["203.0.113.1:0"]; after != before || len(b.watches) != 0 {
			t.Errorf("%v more after the end, %d watches", after-before, len(b.watches))
		}
	})
}
