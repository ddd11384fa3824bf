// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package sponsor

import (
	"fmt"
	"time"

	"gwon/internal/door"
)

// limiters bound the requests of each key and of each address.
type limiters struct{ keys, clients *door.Rates[string] }

func newLimiters() *limiters {
	return &limiters{
		keys:    door.NewRates[string](defaultKeyRate, burst(defaultKeyRate), time.Now),
		clients: door.NewRates[string](defaultClientRate, burst(defaultClientRate), time.Now),
	}
}

// refuse counts n requests, and returns the limit that they exceed. A burst is two seconds' worth.
func (l *limiters) refuse(c *Config, label, client string, n int) *Refusal {
	for _, bound := range []struct {
		rule  string
		rates *door.Rates[string]
		owner []string
		now   float64
	}{
		{"rate_per_address", l.clients, door.OwnerOfClient(client), c.ClientRate},
		{"rate_per_key", l.keys, []string{label}, c.KeyRate},
	} {
		bound.rates.Set(bound.now, burst(bound.now)) // the configuration may have been read again
		if !bound.rates.Allow(bound.owner, n) {
			return exceeded(bound.rule, fmt.Sprintf("%v a second", bound.now), nil, "too many requests: try again later")
		}
	}
	return nil
}

func burst(perSecond float64) int { return max(maxBatch, int(2*perSecond)) }
