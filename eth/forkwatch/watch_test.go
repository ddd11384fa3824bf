// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package forkwatch

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/forkid"

	"gwon/internal/expect"
)

const ownClient = "gwon/gstable-compatible/v0.3.0-abcdef/linux-amd64/go1.26"

func peer(i int) common.Address { return common.Address{byte(i), byte(i >> 8)} }

// validators are the peers whose number is below 10.
func validators(address common.Address) bool { return address[0] < 10 && address[1] == 0 }

func TestParse(t *testing.T) {
	for client, want := range map[string]string{
		"Gstable/v1.1.0-stable-71e3f820/linux-amd64/go1.25.3": "gstable v1.1.0",
		"Gstable/wbft-stablenet/v1.2.3-unstable/linux/go":     "gstable v1.2.3",
		ownClient:                              "gwon v0.3.0",
		"gwon/v0.2.0+meta/linux":               "gwon v0.2.0",
		"Geth":                                 "",
		"":                                     "",
		"/v1.0.0":                              "",
		"Gstable/1.1.0":                        "",
		"Gstable/v1.1":                         "",
		"Gstable/v1.1.x":                       "",
		"Gstable/v1.-1.0":                      "",
		"Gstable/v1.4294967296.0":              "",
		"a/v1.0.0-" + strings.Repeat("a", 300): "",
	} {
		name, version, ok := Parse(client)
		got := ""
		if ok {
			got = name + " " + version.String()
		}
		expect.Equal(t, got, want, "%.60q", client)
	}
}

// Each kind of sign is counted by itself, and a peer without one is none.
func TestSigns(t *testing.T) {
	w := New(ownClient, validators)
	ours := forkid.ID{Hash: [4]byte{1}, Next: 100}
	w.Met(peer(1), "Gstable/v1.1.0-stable/linux", ours, ours)
	w.Met(peer(2), "Gstable/v1.1.0-stable/linux", forkid.ID{Hash: [4]byte{9}, Next: 50}, ours) // behind
	w.Met(peer(3), "Gstable/v1.1.0-stable/linux", forkid.ID{Hash: [4]byte{1}}, ours)           // knows of no next fork
	w.Met(peer(4), ownClient, ours, ours)
	w.Met(peer(5), "Other/v99.0.0/linux", ours, ours) // a client that nothing is known of
	expect.Deep(t, w.Report(), Report{Blocks: []Refusal{}}, "signs of nothing")
	w.Met(peer(6), "Gstable/v1.2.0-rc1/linux", ours, ours)
	w.Met(peer(17), "gwon/v0.4.0/linux", ours, ours)
	w.Met(peer(18), "Gstable/v1.1.0/linux", forkid.ID{Hash: [4]byte{1}, Next: 200}, ours)
	w.Refused(peer(9), "Gstable/v2.0.0/linux")
	w.BlockRefused(7, errors.New("block RLP-encoded size exceeds maximum"))
	w.BlockRefused(7, errors.New("block RLP-encoded size exceeds maximum"))
	want := Report{
		ForkIDs: 2, Newer: 3, Newest: "gstable v2.0.0", Validators: 2,
		Blocks: []Refusal{{7, "block RLP-encoded size exceeds maximum"}},
	}
	r := w.Report()
	expect.That(t, reflect.DeepEqual(r, want), "%+v, want %+v", r, want)
	if signs, claims := signsGauge.Snapshot().Value(), claimsGauge.Snapshot().Value(); signs != 3 || claims != 2 {
		t.Errorf("%d signs of validators and blocks, %d claims of others; want 3 and 2", signs, claims)
	}
	w.Met(peer(6), "Gstable/v1.1.0/linux", ours, ours) // it went back
	r = w.Report()
	expect.That(t, r.Newer == 2 && r.Validators == 1, "%d newer peers, %d validators", r.Newer, r.Validators)
}

// Another chain configuration is a sign as long as a connection shows it, beside those of the handshake. A validator's
// is named before that of another peer.
func TestConfigurationsDiffer(t *testing.T) {
	w := New(ownClient, validators)
	ours := forkid.ID{Hash: [4]byte{1}}
	w.Configured(peer(1), "VALIDATOR")
	w.Met(peer(1), "Gstable/v1.2.0/linux", ours, ours)
	w.Met(peer(17), "gwon/v0.3.0/linux", ours, ours)
	w.Configured(peer(17), "STRANGER")
	want := Report{
		Newer: 1, Newest: "gstable v1.2.0", Configs: 2, Difference: "VALIDATOR", Validators: 1, Blocks: []Refusal{},
	}
	r := w.Report()
	expect.That(t, reflect.DeepEqual(r, want), "%+v, want %+v", r, want)
	cause := w.Cause()
	expect.That(t, strings.HasSuffix(cause, "of a peer: VALIDATOR"), "the reason of a halt ends with %q", cause)
	w.Configured(peer(1), "")
	w.Configured(peer(17), "")
	want.Configs, want.Difference = 0, ""
	expect.Equal(t, w.Cause(), "", "the reason of a halt ends with")
	r = w.Report()
	expect.That(t, reflect.DeepEqual(r, want), "%+v, want %+v", r, want)
}

// A stranger never counts as a sign, and many of them leave what a validator has shown.
func TestStrangersClaim(t *testing.T) {
	w := New(ownClient, validators)
	ours := forkid.ID{Hash: [4]byte{1}}
	w.Met(peer(1), "Gstable/v1.2.0/linux", ours, ours)
	for i := range 2 * maxPeers {
		w.Met(peer(10+i), "Gstable/v99.0.0/linux", ours, ours)
	}
	r := w.Report()
	expect.That(t, r.Validators == 1 && r.Newer == 1+maxPeers, "%d validators of %d peers", r.Validators, r.Newer)
	expect.Equal(t, signsGauge.Snapshot().Value(), 1, "signs")
}

// A sign is forgotten after an hour.
func TestSignsEnd(t *testing.T) {
	w := New(ownClient, validators)
	now := time.Unix(1_700_000_000, 0)
	w.now = func() time.Time { return now }
	w.Refused(peer(1), "")
	w.BlockRefused(1, errors.New("rule"))
	now = now.Add(kept)
	r := w.Report()
	expect.That(t, r.ForkIDs == 1 && len(r.Blocks) == 1, "after an hour: %+v", r)
	now = now.Add(time.Second)
	r = w.Report()
	expect.That(t, r.ForkIDs == 0 && len(r.Blocks) == 0, "a second later: %+v", r)
	expect.Equal(t, signsGauge.Snapshot().Value(), 0, "signs")
}

// What peers claim takes bounded memory.
func TestSignsAreBounded(t *testing.T) {
	w := New(ownClient, validators)
	for i := range 4 * maxPeers {
		w.Refused(peer(10+i), strings.Repeat("x", 10_000))
		w.BlockRefused(uint64(i), fmt.Errorf("%s", strings.Repeat("y", 10_000)))
	}
	r := w.Report()
	expect.That(t, r.ForkIDs == maxPeers && len(r.Blocks) == maxBlocks && len(r.Blocks[0].Rule) == maxRule,
		"%d peers, %d blocks, %d bytes", r.ForkIDs, len(r.Blocks), len(r.Blocks[0].Rule))
	expect.Equal(t, r.Blocks[maxBlocks-1].Number, 4*maxPeers-1, "the newest is block")
}
