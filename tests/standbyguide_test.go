// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

//go:build nodes && unix

package tests

import (
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/crypto"

	"gwon/internal/must"
)

// The commands of docs/operate/standby.md work in their order, for a stand-by from nothing: it is ready, shows the
// metrics of the page, and takes the place at the end.
func TestStandbyGuide(t *testing.T) {
	t.Parallel()
	g := startGoverned(t, 4, unchanged)
	g.awaitHead(t, 3, 0, 1, 2, 3)
	dir := workDir(t)
	operator, peers, data := filepath.Join(dir, "operator"), filepath.Join(dir, "peers.toml"), filepath.Join(dir, "data")
	must.Do(t, os.WriteFile(operator, []byte(hex.EncodeToString(crypto.FromECDSA(g.network.Accounts[3].Key()))),
		0o600))
	text := fmt.Sprintf("[Node.P2P]\nNoDiscovery = true\nStaticNodes = [%q, %q]\n", g.node(0).Enode(), g.node(1).Enode())
	must.Do(t, os.WriteFile(peers, []byte(text), 0o600))
	before := must.Get(g.registration(3))(t)
	runPage(t, dir, "docs/operate/standby.md", "", []string{"NODE", "WATCHER"},
		"gwon --testnet --datadir DATA --mine", "gwon --datadir DATA --config "+peers+
			" --mine --bootnodes= --nodiscover --nat none --port 0 --cache 64",
		" --testnet", "", "DATA", data, "GENESIS", filepath.Join(g.network.Dir, "genesis.json"), "OPERATOR-KEY", operator,
		"127.0.0.1:6063", fmt.Sprintf("127.0.0.1:%d", freePort(t)))

	key := must.Get(crypto.LoadECDSA(filepath.Join(data, "gwon", "nodekey")))(t)
	after, err := g.registration(3)
	if own := crypto.PubkeyToAddress(key.PublicKey); err != nil || after != own || before == own {
		t.Errorf("the operator's validator was %v and is %v, want %v: %v", before, after, own, err)
	}
	metrics := must.Get(os.ReadFile(filepath.Join(dir, "metrics")))(t)
	names := strings.Fields(string(metrics))
	for _, name := range []string{"ready", "replaced", "signs", "switches", "failures"} {
		if !slices.Contains(names, "gwon_standby_"+name) {
			t.Errorf("the watcher has no metric gwon_standby_%s", name)
		}
	}
}
