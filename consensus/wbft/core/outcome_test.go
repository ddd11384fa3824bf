// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package core

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"

	"gwon/internal/expect"
	"gwon/internal/must"
)

// outcomeNames are the names of the outcomes in docs/consensus.md.
var outcomeNames = [...]string{
	ordinary: "ordinary", late: "late", redundant: "redundant", decided: "decided", early: "early", crowding: "crowding",
	malformed: "malformed", misplaced: "misplaced", excessive: "excessive", outsider: "outsider", unproven: "unproven",
	carried: "carried", disproved: "disproved", barred: "barred", unopened: "unopened",
}

// tableOf returns the rows of a table of docs/consensus.md, each with its cells.
func tableOf(t *testing.T, head string) [][]string {
	t.Helper()
	manual := must.Get(os.ReadFile("../../../docs/consensus.md"))(t)
	_, rest, found := strings.Cut(string(manual), head+"\n")
	must.That(t, found, "no table with the head %q", head)
	var rows [][]string
	for _, line := range strings.Split(rest, "\n")[1:] {
		if !strings.HasPrefix(line, "|") {
			break
		}
		cells := strings.Split(strings.Trim(line, "|"), "|")
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		rows = append(rows, cells)
	}
	return rows
}

// charged returns what a core has charged to a deliverer, as docs/consensus.md calls it.
func (p *player) charged(from common.Address) string {
	d := p.deliveries
	var accounts []string
	for name, count := range map[string]int{
		"useless":          d.useless[from],
		"own failure":      d.own[from].count,
		"relayed failure":  d.relayed[from],
		"repeated failure": d.repeated[from],
	} {
		if count > 0 {
			accounts = append(accounts, name)
		}
	}
	if len(only[Disconnect](p.effects)) > 0 {
		accounts = append(accounts, "disconnected")
	}
	if len(accounts) == 0 {
		return "free"
	}
	return strings.Join(accounts, ", ")
}

// The table of docs/consensus.md, Cost of messages, is what the core does: the meter that counts a message without
// effect, and what its deliverer is charged.
// spec: wbft 4.4
func TestOutcomesAreDocumented(t *testing.T) {
	f := newFixture(t, 4)
	rows := tableOf(t, "| Outcome | Message | Meter | Delivered by its author | Delivered by another node |")
	must.Equal(t, len(rows), len(outcomeNames), "outcomes are documented")
	for i, row := range rows {
		t.Run(outcomeNames[i], func(t *testing.T) {
			must.Equal(t, row[0], "`"+outcomeNames[i]+"`", "documented in row %d", i)
			for cell, from := range map[int]common.Address{3: f.address(1), 4: f.address(3)} {
				p := f.player(2)
				p.Core.effects, p.delivery = nil, delivery{from: from, size: smallMessage + 1}
				p.settle(refuse(outcome(i), f.address(1), "a reason"))
				p.effects = p.Core.effects
				expect.Equal(t, p.charged(from), row[cell], "charged")
				dropped := only[Dropped](p.effects)
				expect.That(t, len(dropped) == 1 && string(dropped[0].Cause) == strings.Trim(row[2], "`"),
					"%+v, documented %s", dropped, row[2])
				expect.Equal(t, dropped[0].Unopened, outcome(i) == unopened, "%+v", dropped)
				blamed := only[BadDelivery](p.effects)
				expect.That(t, (len(blamed) == 1) == strings.Contains(row[cell], "failure"), "blamed %v for %s", blamed, row[cell])
			}
		})
	}
}

// The bounds in docs/consensus.md, Cost of messages, are those of limits.go.
func TestAccountsAreDocumented(t *testing.T) {
	thousands := func(n int) string { return fmt.Sprintf("%d,%03d", n/1000, n%1000) }
	want := [][]string{
		{"useless", fmt.Sprintf("%d messages above %d bytes; nodes outside of the set %d together, then one each up to %s",
			maxUseless, smallMessage, strangersUseless, thousands(maxStrangersUseless)), "end of the round"},
		{"own failure", fmt.Sprint(maxFailures), fmt.Sprintf("%d sequences after the last one", failureMemory)},
		{"relayed failure", fmt.Sprintf("%d; nodes outside of the set %d together", maxFailures, maxFailures),
			"end of the sequence"},
		{"repeated failure", fmt.Sprint(maxFailures), "end of the round"},
	}
	rows := tableOf(t, "| Account | Bound | Until | Beyond the bound |")
	must.Equal(t, len(rows), len(want), "accounts are documented")
	for i, row := range rows {
		t.Run(want[i][0], func(t *testing.T) {
			expect.Slice(t, row[:3], want[i], "documented")
		})
	}
}

// A small useless message costs nothing.
// spec: wbft 4.4
func TestSmallUselessMessageIsFree(t *testing.T) {
	f := newFixture(t, 4)
	p := f.player(2)
	p.delivery = delivery{from: f.address(1), size: smallMessage}
	p.settle(reject(malformed, "a reason"))
	p.effects = nil
	expect.That(t, p.charged(f.address(1)) == "free", "charged: %+v", p.deliveries)
}
