// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package wbft

import (
	"bytes"
	"testing"

	"gwon/internal/expect"
	"gwon/internal/must"
)

// Headers of a chain that go-stablenet has made stay as they came, though their children hold other seals over
// them. spec: wbft 1.4, 5.8
func TestReceiveRecordedHeaders(t *testing.T) {
	v, _ := loadChain(t, 0)
	_, chain := loadChain(t, len(v.Blocks))
	came := chain.headers[1:]
	adopted := must.Get(AdoptSeals(came))(t)
	differ := 0
	for i, h := range came {
		if !bytes.Equal(h.Extra, adopted[i].Extra) {
			differ++
		}
	}
	must.That(t, differ != 0, "no child holds other seals: the vectors show nothing")
	for _, vouched := range []bool{true, false} {
		fresh := &recordedChain{config: chain.config, headers: chain.headers[:1]}
		engine := must.Get(New(chain.config, nil))(t)
		kept, damaged, err := engine.Receive(fresh, came, 0, vouched)
		must.That(t, err == nil && damaged == 0, "vouched %t: %d damaged, %v", vouched, damaged, err)
		for i, h := range kept {
			expect.Slice(t, h.Extra, came[i].Extra, "vouched %t: header %d has changed", vouched, h.Number)
		}
		abort, results := engine.VerifyHeaders(fresh, kept)
		for i := range kept {
			expect.Error(t, <-results, nil, "vouched %t: header %d", vouched, i+1)
		}
		close(abort)
	}
}
