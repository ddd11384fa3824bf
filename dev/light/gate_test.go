// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package light

import (
	"strings"
	"testing"

	"gwon/internal/door/calls"
	"gwon/internal/expect"
)

// What is not offered is refused by its name and with the reason.
func TestRefusalsNameMethodAndReason(t *testing.T) {
	g := &gate{calls.New(calls.Limits{}), map[string]struct{}{"eth_chainId": {}}}
	expect.Error(t, g.Call(t.Context(), nil, "eth_chainId", nil), nil, "an offered method")
	for method, reason := range map[string]string{
		"txpool_content": "pool", "eth_newPendingTransactionFilter": "pool",
		"trace_block":       "traces",
		"eth_signTypedData": "no keys", "personal_sign": "no keys", "istanbul_getValidators": "gwon proof",
		"eth_simulateV1": "tries", "eth_unknown": "not proven", "web3_unknown": "not proven",
	} {
		err := g.Call(t.Context(), nil, method, nil)
		expect.That(t, err != nil && strings.Contains(err.Error(), method) && strings.Contains(err.Error(), reason),
			"%s: %v, want %q", method, err, reason)
	}
}
