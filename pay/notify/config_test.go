// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package notify

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gwon/internal/expect"
	"gwon/internal/must"
	"gwon/internal/txobject"
)

// A file that cannot be served is refused with the file, the place and the remedy.
func TestLoadConfigRefuses(t *testing.T) {
	const good = `node = "http://127.0.0.1:8545"
state = "state"
[[webhook]]
label = "shop"
url = "https://shop.example/transfers"
secret_file = "secret"
addresses = ["0x00000000000000000000000000000000000000aa"]
`
	for name, row := range map[string]struct {
		old, replacement string
		secretMode       os.FileMode
		want             string
	}{
		"nothing wrong": {},
		"unknown key":   {old: "state =", replacement: "stat =", want: `line 2: stat: "stat" is no key here`},
		"syntax":        {old: `"shop"`, replacement: `"shop`, want: "line 5"},
		"no node":       {old: `node = "http://127.0.0.1:8545"`, want: "node is missing"},
		"no transport": {old: `"http://127.0.0.1:8545"`, replacement: `"htp://127.0.0.1:8545"`,
			want: `node: no node at htp://127.0.0.1:8545: "htp" is no known`},
		"no scheme":     {old: `"http://127.0.0.1:8545"`, replacement: `"127.0.0.1:8545"`, want: `begin it with http://`},
		"a host alone":  {old: `"http://127.0.0.1:8545"`, replacement: `"localhost:8545"`, want: `begin it with http://`},
		"several nodes": {old: `:8545"`, replacement: `:8545, htp://b"`, want: "no node at htp://b"},
		"no listen":     {old: "state =", replacement: "listen = \"9560\"\nstate =", want: `listen: "9560" is no address`},
		"no port":       {old: "state =", replacement: "listen = \"127.0.0.1:70000\"\nstate =", want: `listen: "127.0`},
		"no state":      {old: `state = "state"`, want: "state is missing"},
		"label":         {old: `"shop"`, replacement: `"../shop"`, want: "label must be"},
		"url":           {old: "https://shop", replacement: "ftp://shop", want: "not an http or https URL"},
		"address":       {old: "00aa\"", replacement: "00a\"", want: "line 7"},
		"checksum":      {old: "00000aa", replacement: "00000aA", want: `line 7: addresses: the checksum of 0x`},
		"a contract": {old: "url =", replacement: "contract = \"0x" + strings.Repeat("0", 38) + "aA\"\nurl =",
			want: "line 5: contract: the checksum of 0x"},
		"no addresses":       {old: `"0x00000000000000000000000000000000000000aa"`, want: "addresses is empty"},
		"direction":          {old: "url =", replacement: "direction = \"up\"\nurl =", want: `"in", "out" or "both"`},
		"start":              {old: "url =", replacement: "start = \"now\"\nurl =", want: `"latest" or the number`},
		"min_value":          {old: "url =", replacement: "min_value = \"0.5\"\nurl =", want: `min_value "0.5" is not`},
		"negative min_value": {old: "url =", replacement: "min_value = \"-1\"\nurl =", want: `min_value "-1" is not`},
		"large min_value": {old: "url =", replacement: "min_value = \"" + strings.Repeat("9", 79) + "\"\nurl =",
			want: "is not a decimal number"},
		"a number": {old: "url =", replacement: "min_value = 1000\nurl =",
			want: `line 5: min_value: this key cannot hold what TOML calls integer`},
		"no zero_transfers":  {old: "url =", replacement: "zero_transfers = false\nurl =", want: `give min_value = "0"`},
		"zero_transfers":     {old: "url =", replacement: "zero_transfers = true\nurl =", want: `give min_value = "0"`},
		"missing secret":     {old: `"secret"`, replacement: `"other"`, want: "no such file"},
		"readable secret":    {secretMode: 0o644, want: "chmod 600"},
		"two equal webhooks": {old: good, replacement: good + good[strings.Index(good, "[["):], want: "used twice"},
	} {
		t.Run(name, func(t *testing.T) {
			directory := t.TempDir()
			mode := row.secretMode
			if mode == 0 {
				mode = 0o600
			}
			must.Do(t, os.WriteFile(filepath.Join(directory, "secret"), []byte(testSecret), mode))
			file := filepath.Join(directory, "notify.toml")
			text := good
			if row.old != "" {
				text = strings.Replace(good, row.old, row.replacement, 1)
			}
			must.Do(t, os.WriteFile(file, []byte(text), 0o600))
			c, err := LoadConfig(file)
			switch {
			case row.want == "" && err != nil:
				t.Fatal(err)
			case row.want == "":
				w := c.Webhook[0]
				expect.That(t, *w.Contract == txobject.Address(coin) && w.Direction == In &&
					c.State == filepath.Join(directory, "state"), "defaults: %+v", c)
			case err == nil || !strings.Contains(err.Error(), row.want) || !strings.Contains(err.Error(), file):
				t.Errorf("error %v, want the file and %q", err, row.want)
			}
		})
	}
}

// Events and proofs are configured as the documentation shows; what contradicts itself is refused by its key.
func TestLoadConfigOfEvents(t *testing.T) {
	const good = `node = "http://127.0.0.1:8545"
state = "state"
[[webhook]]
label = "kiosk"
url = "https://shop.example/events"
secret_file = "secret"
contracts = ["0x00000000000000000000000000000000000000aa"]
proof = true
trusted = "1200000"
[[webhook.event]]
signature = "Paid(address indexed merchant, uint256 amount)"
[webhook.event.where]
merchant = ["0x70997970C51812dc3A010C7d01b50e0d17dc79C8"]
[[webhook.event]]
signature = "Refunded(address indexed merchant)"
`
	contract := `contracts = ["0x00000000000000000000000000000000000000aa"]` + "\n"
	for name, row := range map[string]struct{ old, replacement, want string }{
		"nothing wrong": {},
		"a hash":        {old: `"1200000"`, replacement: `"0x` + strings.Repeat("ab", 32) + `"`},
		"genesis":       {old: `"1200000"`, replacement: `"earliest"`},
		"no proof":      {old: "proof = true\n", want: "set proof = true with it"},
		"a tag":         {old: `"1200000"`, replacement: `"latest"`, want: `is not the number or the hash of a block`},
		"no contracts":  {old: contract, want: "contracts is empty"},
		"addresses": {old: contract, replacement: contract +
			strings.Replace(contract, "contracts", "addresses", 1), want: "go with transfers"},
		"min_value": {old: contract, replacement: contract + "min_value = \"1\"\n", want: "go with transfers"},
		"direction": {old: contract, replacement: contract + "direction = \"in\"\n", want: "go with transfers"},
		"many contracts": {old: contract, want: "1001 contracts, at most 1000", replacement: "contracts = [" +
			strings.Repeat(`"0x00000000000000000000000000000000000000aa",`, 1001) + "]\n"},
		"many events": {old: "[[webhook.event]]", want: "17 events, at most 16", replacement: strings.Repeat(
			"[[webhook.event]]\nsignature = \"A()\"\n", 15) +
			"[[webhook.event]]"},
		"an event": {old: `"Refunded(`, replacement: `"Refunded`, want: "event 2: signature"},
		"a value":  {old: `"0x7099`, replacement: `"7099`, want: "event 1: where: merchant"},
		"a checksum": {old: "C8\"", replacement: "c8\"",
			want: "event 1: where: merchant: \"0x70997970C51812dc3A010C7d01b50e0d17dc79c8\" is no right address"},
		"wrong contracts": {old: "00aa", replacement: "00aA", want: "line 7: contracts: the checksum of 0x"},
		"contracts alone": {old: good[strings.Index(good, "proof ="):], want: "add a [[webhook.event]]"},
		"an unknown key":  {old: "signature = \"Ref", replacement: "name_of = \"Ref", want: `"name_of" is no key here`},
	} {
		t.Run(name, func(t *testing.T) {
			directory := t.TempDir()
			file := filepath.Join(directory, "notify.toml")
			for path, text := range map[string]string{
				filepath.Join(directory, "secret"): testSecret, file: strings.Replace(good, row.old, row.replacement, 1),
			} {
				must.Do(t, os.WriteFile(path, []byte(text), 0o600))
			}
			c, err := LoadConfig(file)
			switch {
			case row.want == "" && err != nil:
				t.Fatal(err)
			case row.want == "":
				w := c.Webhook[0]
				expect.That(t, len(w.Event) == 2 && w.Event[0].topics[0] != nil && w.Proof && w.Trusted != "" && w.Contract == nil,
					"%+v", w)
			case err == nil || !strings.Contains(err.Error(), row.want):
				t.Errorf("error %v, want %q", err, row.want)
			}
		})
	}
}

// The signature is the one that the documentation computes: HMAC-SHA256 of "seconds.body".
func TestSign(t *testing.T) {
	// printf '1764086400.{}' | openssl dgst -sha256 -hmac 0123456789abcdef
	const want = "t=1764086400,v1=8d9804e1dc03f1f7cd2cf792abd606760f5f00d8440def72ac5c2e846136516d"
	expect.Equal(t, Sign([]byte("0123456789abcdef"), []byte("{}"), time.Unix(1764086400, 0)), want, "signature")
}
