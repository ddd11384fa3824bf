// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package payments

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/urfave/cli/v2"
)

// What would leave a payment unproven is refused at the start, with the flag or key that helps.
func TestNotifyProvenRefusals(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	write("secret", strings.Repeat("s", 32))
	const rest = "state = \"state\"\n[[webhook]]\nlabel = \"shop\"\nurl = \"http://127.0.0.1:1/\"\n" +
		"secret_file = \"secret\"\naddresses = [\"0x70997970C51812dc3A010C7d01b50e0d17dc79C8\"]\n"
	anyChain := write("any.toml", "node = \"http://127.0.0.1:1\"\n"+rest)
	testnet := write("testnet.toml", "node = \"ws://127.0.0.1:1\"\nchain = 8283\n"+rest)
	for _, test := range []struct {
		name, want string
		args       []string
	}{
		{"a genesis that is believed", "--genesis goes with --proven", []string{"--config", testnet, "--genesis", "file"}},
		{"no chain", "set chain", []string{"--config", anyChain, "--proven"}},
		{"a node that answers no batches of HTTP", "no URL of http", []string{"--config", testnet, "--proven"}},
		{"a webhook for what is not sent", "--to goes with --send", []string{"letters", "--to", "shop"}},
		{"half a checkpoint", "--checkpoint", []string{"--config", testnet, "--proven", "--checkpoint", "7"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			app := &cli.App{Name: "gwon-pay", Commands: []*cli.Command{NotifyCommand}}
			err := app.RunContext(t.Context(), append([]string{"gwon-pay", "notify"}, test.args...))
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("%v, want %q", err, test.want)
			}
		})
	}
}
