// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package diagnosis

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"

	"gwon/cmd/internal/program"
	"gwon/cmd/internal/settings"
	"gwon/consensus/wbft/keylock"
)

// The ports of the doctor are those that the flags open.
func TestNodePorts(t *testing.T) {
	cfg := settings.Default()
	cfg.Node.P2P.ListenAddr, cfg.Node.P2P.NoDiscovery = ":1", true
	cfg.Node.HTTPHost, cfg.Node.HTTPPort = "127.0.0.1", 2
	cfg.Node.WSHost, cfg.Node.WSPort = "127.0.0.1", 2
	cfg.Metrics.Enabled, cfg.Metrics.HTTP, cfg.Metrics.Port = true, "127.0.0.1", 3
	cfg.Gwon.Profile, cfg.Gwon.OperatorPort = settings.ProfileOperator, 4
	var got []string
	for _, p := range nodePorts(&cfg) {
		got = append(got, p.Network+" "+p.Address+" "+p.Flag)
	}
	want := []string{
		"tcp :1 port",
		"tcp 127.0.0.1:2 http.port",
		"tcp 127.0.0.1:4 rpc.operator.port",
		"tcp 127.0.0.1:3 metrics.port",
	}
	if !slices.Equal(got, want) {
		t.Errorf("ports %q, want %q", got, want)
	}
	cfg.Node.P2P.NoDiscovery = false
	if got := nodePorts(&cfg)[1]; got.Network != "udp" || got.Address != ":1" {
		t.Errorf("discovery: %+v", got)
	}
}

// A key that another process validates with is found.
func TestCheckKeyLock(t *testing.T) {
	key, err := crypto.GenerateKey()
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "nodekey")
	if err := crypto.SaveECDSA(file, key); err != nil {
		t.Fatal(err)
	}
	genesis := common.Hash{1}
	if _, err := checkKeyLock(file, genesis); err != nil {
		t.Errorf("free: %v", err)
	}
	lock, err := keylock.Acquire(crypto.PubkeyToAddress(key.PublicKey), genesis)
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Close() //nolint:errcheck // the test ends
	if _, err := checkKeyLock(file, genesis); err == nil || !strings.Contains(err.Error(), "in use by another process") {
		t.Errorf("taken: %v", err)
	}
}

// A vote log that is damaged ends with a remedy; none is well.
func TestCheckVotes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "votes.log")
	if text, err := checkVotes(path); err != nil || !strings.Contains(text, "no vote log") {
		t.Errorf("absent: %q %v", text, err)
	}
	if err := os.WriteFile(path, []byte(strings.Repeat("x", 200)), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := checkVotes(path); err == nil || !strings.Contains(err.Error(), "votes-lost.md") {
		t.Errorf("damaged: %v", err)
	}
}

// A configuration that cannot be used is the only finding, and a bad one.
func TestDoctorConfig(t *testing.T) {
	out, err := run(t, "doctor", "--datadir", t.TempDir(), "--config", filepath.Join(t.TempDir(), "none"))
	if program.StatusOf(err) != 1 || !strings.HasPrefix(out, "bad  config  open configuration file") ||
		strings.Count(out, "\n") != 1 {
		t.Errorf("error %v, output %q", err, out)
	}
}
