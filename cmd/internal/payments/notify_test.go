// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package payments

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/urfave/cli/v2"

	"gwon/internal/expect"
	"gwon/internal/must"
)

// What would leave a payment unproven is refused at the start, with the flag or key that helps.
func TestNotifyProvenRefusals(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		t.Helper()
		path := filepath.Join(dir, name)
		must.Do(t, os.WriteFile(path, []byte(text), 0o600))
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
			expect.Says(t, err, test.want, "refusal")
		})
	}
}

// What is left of a label without a webhook is listed, and sent to the one that is named, each letter by itself.
// docs/develop/notify.md
func TestNotifyLettersOfOldLabels(t *testing.T) {
	dir, taken := t.TempDir(), 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if body, err := io.ReadAll(r.Body); err != nil || strings.Contains(string(body), `"first"`) {
			w.WriteHeader(http.StatusUnprocessableEntity)
			return
		}
		taken++
	}))
	defer server.Close()
	config := filepath.Join(dir, "notify.toml")
	for path, text := range map[string]string{
		config: "node = \"http://127.0.0.1:1\"\nstate = \"state\"\n[[webhook]]\nlabel = \"shop\"\nurl = \"" + server.URL +
			"\"\nsecret_file = \"secret\"\naddresses = [\"0x70997970C51812dc3A010C7d01b50e0d17dc79C8\"]\n",
		filepath.Join(dir, "secret"):                   strings.Repeat("s", 32),
		filepath.Join(dir, "state/waiting/old/1.json"): `{"transfer": {"id": "first"}}`,
		filepath.Join(dir, "state/waiting/old/2.json"): `{"transfer": {"id": "second"}}`,
	} {
		must.Do(t, errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)))
	}
	for _, step := range []struct {
		args        []string
		want, fails string
		taken       int
	}{
		{nil, "set aside: old first", "", 0},
		{[]string{"--json"}, `"label": "old",`, "", 0},
		{[]string{"--id", "0xzz"}, "", "no letter has this ID", 0},
		{[]string{"--id", "0xzz", "--send"}, "", "no letter has this ID", 0},
		{[]string{"--id", "0xzz", "--remove"}, "", "no letter has this ID", 0},
		{[]string{"--send"}, "", "--to", 0},
		{[]string{"--send", "--to", "shop"}, "sent: shop second", "first: the receiver answered 422", 1},
		{[]string{"--remove"}, "removed: old first", "", 1},
		{nil, "no letters are set aside", "", 1},
	} {
		var out bytes.Buffer
		app := &cli.App{Name: "gwon-pay", Commands: []*cli.Command{NotifyCommand}, Writer: &out}
		args := append([]string{"gwon-pay", "notify", "letters", "--config", config}, step.args...)
		err := app.RunContext(t.Context(), args)
		if !strings.Contains(out.String(), step.want) || (err != nil) != (step.fails != "") || taken != step.taken ||
			err != nil && !strings.Contains(err.Error(), step.fails) {
			t.Errorf("%v: %d taken, %v: %s", step.args, taken, err, out.String())
		}
	}
}

// A check says what each webhook receives, and what the state has of labels that were renamed or removed.
// docs/develop/notify.md
func TestNotifyCheck(t *testing.T) {
	dir := t.TempDir()
	config := filepath.Join(dir, "notify.toml")
	for path, text := range map[string]string{
		config: `node = "http://127.0.0.1:1"
state = "state"
[[webhook]]
label = "shop"
url = "http://127.0.0.1:1/"
secret_file = "secret"
addresses = ["0x70997970C51812dc3A010C7d01b50e0d17dc79C8", "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC"]
[[webhook]]
label = "kiosk"
url = "http://127.0.0.1:1/"
secret_file = "secret"
contracts = ["0x70997970C51812dc3A010C7d01b50e0d17dc79C8"]
[[webhook.event]]
signature = "Paid(address indexed merchant)"
`,
		filepath.Join(dir, "secret"):                   strings.Repeat("s", 32),
		filepath.Join(dir, "state/shop.json"):          "{}",
		filepath.Join(dir, "state/broken.json"):        "{}",
		filepath.Join(dir, "state/letters/old/1.json"): "{}",
		filepath.Join(dir, "state/proven/gone.json"):   "{}",
		filepath.Join(dir, "state/store.json"): `{"next": 7, "seen": 6, "chainId": 8283, "hash": "0x` +
			strings.Repeat("ab", 32) + `"}`,
	} {
		must.Do(t, errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)))
	}
	var out, warnings bytes.Buffer
	app := &cli.App{Name: "gwon-pay", Commands: []*cli.Command{NotifyCommand}, Writer: &out, ErrWriter: &warnings}
	must.Do(t, app.RunContext(t.Context(), []string{"gwon-pay", "notify", "check", config}))
	want := "shop: transfers (in) of 2 addresses to http://127.0.0.1:1\nkiosk: 1 event of 1 contract to " +
		"http://127.0.0.1:1\n"
	expect.That(t, out.String() == want, "%q, want %q", out.String(), want)
	for _, want := range []string{
		"cursor store.json belongs to no webhook: it stopped at block 7: give the label store back, or remove",
		"cursor broken.json belongs to no webhook: cursor", "1 notice in " + filepath.Join(dir, "state/letters/old"),
	} {
		expect.Contains(t, warnings.String(), want, "%q is missing", want)
	}
	n := strings.Count(warnings.String(), "\n")
	expect.That(t, n == 3, "%d warnings: %s", n, warnings.String())
}
