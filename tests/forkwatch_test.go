// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

//go:build nodes

package tests

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	protocol "github.com/ethereum/go-ethereum/eth/protocols/eth"

	"gwon/eth/forkwatch"
	"gwon/internal/expect"
	"gwon/internal/must"
)

// otherRulesAlert is the expression of the alert GwonOtherRules.
const otherRulesAlert = "gwon_forks_signs > 0 or gwon_forks_claims > p2p_peers / 2"

// otherRules reports whether the alert GwonOtherRules is due by the metrics at a URL.
func otherRules(t *testing.T, url string) bool {
	t.Helper()
	at := slices.IndexFunc(alertRules(t), func(r alertRule) bool { return r.Alert == "GwonOtherRules" })
	must.That(t, at >= 0 && alertRules(t)[at].Expr == otherRulesAlert,
		"the alert GwonOtherRules is no longer %q", otherRulesAlert)
	var values []float64
	for _, name := range []string{"gwon_forks_signs", "gwon_forks_claims", "p2p_peers"} {
		value := must.Get(metricOf(url, name))(t)
		values = append(values, value)
	}
	return values[0] > 0 || values[1] > values[2]/2
}

// Strangers that claim a newer release or another fork id are claims of the node that they connect to, and no signs,
// however many they are. A validator that claims is a sign until it takes that back. None of it changes what the
// validators do.
func TestForkWatch(t *testing.T) {
	t.Parallel()
	const watcher, fourth = 0, 3
	c := prepareCluster(t, 4)
	port := strconv.Itoa(freePort(t))
	url := fmt.Sprintf("http://127.0.0.1:%s/debug/metrics/prometheus", port)
	measured := []string{"--metrics", "--metrics.addr", "127.0.0.1", "--metrics.port", port}
	c.start(t, watcher, append(measured, withAdmin...)...)
	c.start(t, 1)
	c.start(t, 2)
	c.awaitHead(t, 2, 0, 1, 2)
	await := func(want forkwatch.Report, signs, claims float64, alert bool) {
		t.Helper()
		want.Blocks = []forkwatch.Refusal{}
		c.await(t, fmt.Sprintf("%+v", want), func() (bool, string) {
			got, status := c.forks(t, watcher)
			must.Equal(t, status, consensusStatus{}, "status")
			return reflect.DeepEqual(got, want), fmt.Sprintf("%+v", got)
		})
		for name, want := range map[string]float64{"gwon_forks_signs": signs, "gwon_forks_claims": claims} {
			value, err := metricOf(url, name)
			expect.That(t, err == nil && value == want, "%s is %v, error %v, want %v", name, value, err, want)
		}
		expect.Equal(t, otherRules(t, url), alert, "alert")
	}
	await(forkwatch.Report{}, 0, 0, false)

	dial := func(m manners) {
		t.Helper()
		must.Get(newLiar(t, nil, m).dial(t.Context(), c.node(watcher)))(t)
	}
	dial(manners{name: "Gstable/v1.1.0-stable-71e3f820/linux-amd64/go1.25"}) // runs what is known
	dial(manners{name: "Gstable/v99.0.0-stable/linux-amd64/go1.25"})
	await(forkwatch.Report{Newer: 1, Newest: "gstable v99.0.0"}, 0, 1, false)
	dial(manners{status: func(s *protocol.StatusPacket68) { s.ForkID.Next = 1 << 40 }})
	other := newLiar(t, nil, manners{status: func(s *protocol.StatusPacket68) { s.ForkID.Hash[0] ^= 1 }})
	must.Do(t, other.knock(t.Context(), c.node(watcher)))
	// Three claims of others, and five peers: the one with another checksum was not let in.
	await(forkwatch.Report{ForkIDs: 2, Newer: 1, Newest: "gstable v99.0.0"}, 0, 3, true)

	impostor := newLiar(t, c.sealers(t).Keys[c.node(fourth).Address], manners{name: "Gstable/v1.2.0/linux-amd64/go1.26"})
	must.Get(impostor.dial(t.Context(), c.node(watcher)))(t)
	await(forkwatch.Report{ForkIDs: 2, Newer: 2, Newest: "gstable v99.0.0", Validators: 1}, 1, 3, true)
	out, stderr, err := gwon(t, t.TempDir(), "status", "--rpc", c.node(watcher).HTTP())
	line := "peers newer than any known release: 2, up to gstable v99.0.0"
	expect.That(t, strings.Contains(out, line), "gwon status does not say %q: %v\n%s%s", line, err, out, stderr)
	head := must.Get(c.head(watcher))(t)
	c.awaitHead(t, head+3, 0, 1, 2)

	impostor.server.Stop()
	c.start(t, fourth) // a sixth peer
	await(forkwatch.Report{ForkIDs: 2, Newer: 1, Newest: "gstable v99.0.0"}, 0, 3, false)
	c.sameChain(t, head+5)
}
