// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package nodestart

import (
	"testing"

	"github.com/ethereum/go-ethereum/metrics"
)

// Consensus metrics have the network's names too. spec: network 7.2
func TestNetworkNames(t *testing.T) {
	addNetworkNames(metrics.DefaultRegistry)
	for own, theirs := range networkNames {
		t.Run(theirs, func(t *testing.T) {
			m := metrics.DefaultRegistry.Get(own)
			if m == nil || metrics.DefaultRegistry.Get(theirs) != m {
				t.Errorf("%s is %v, not %s, which is %v", theirs, metrics.DefaultRegistry.Get(theirs), own, m)
			}
		})
	}
}
