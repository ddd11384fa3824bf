// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package wbft

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/log"

	"gwon/consensus/wbft/core"
	"gwon/consensus/wbft/messages"
	"gwon/internal/expect"
	"gwon/internal/must"
)

// A validator that misbehaves all the time, with messages as large as it likes, does not fill the disk; what is left
// out is said, and a message too large is still identified.
func TestReportsAreBounded(t *testing.T) {
	var text bytes.Buffer
	expect.Log(t, log.LogfmtHandler(&text))

	small, large := []byte{0xc0, 0x01}, make([]byte, messages.MaxSmall+1)
	var r reports
	write := func(now time.Time) bool {
		return r.write(now, "Validator misbehavior", [][]byte{small, large}, "kind", core.InvalidProposal)
	}
	now := time.Now()
	written := 0
	for range 10 * reportsPerMinute {
		if write(now) {
			written++
		}
	}
	expect.Equal(t, written, reportsPerMinute, "cases written in a minute")
	expect.That(t, write(now.Add(time.Minute)), "nothing is written in the next minute")
	for _, want := range []string{
		hexutil.Encode(small),
		hexutil.Encode(crypto.Keccak256(large)),
		fmt.Sprintf("cases=%d", 9*reportsPerMinute),
	} {
		expect.That(t, strings.Contains(text.String(), want), "the log does not hold %s", want)
	}
	n := text.Len()
	expect.That(t, n <= (reportsPerMinute+2)*1024, "%d bytes of log", n)
}

// Where the chain configuration of a peer differs, every accusation by a rule says in what.
func TestAccusationsNameTheDifference(t *testing.T) {
	var text bytes.Buffer
	expect.Log(t, log.LogfmtHandler(&text))
	const cause = "; DIFFERENCE"
	for name, accuse := range map[string]func(*run) error{
		"misbehavior": func(r *run) error { return r.perform(core.Misbehavior{Kind: core.InvalidProposal}) },
		"delivery":    func(r *run) error { return r.perform(core.BadDelivery{Reason: "useless"}) },
		"probation":   func(r *run) error { return r.perform(core.Probation{}) },
	} {
		t.Run(name, func(t *testing.T) {
			text.Reset()
			d := new(Driver)
			d.cfg.Cause = func() string { return cause }
			r := &run{driver: d, cfg: &d.cfg, blamed: make(map[common.Address]time.Time)}
			must.Do(t, accuse(r))
			expect.That(t, strings.Contains(text.String(), cause), "the log lacks %q: %s", cause, &text)
		})
	}
}
