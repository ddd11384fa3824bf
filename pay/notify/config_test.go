// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package notify

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
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
		"nothing wrong":      {},
		"unknown key":        {old: "state =", replacement: "stat =", want: "line 2"},
		"syntax":             {old: `"shop"`, replacement: `"shop`, want: "line 5"},
		"no node":            {old: `node = "http://127.0.0.1:8545"`, want: "node is missing"},
		"no state":           {old: `state = "state"`, want: "state is missing"},
		"label":              {old: `"shop"`, replacement: `"../shop"`, want: "label must be"},
		"url":                {old: "https://shop", replacement: "ftp://shop", want: "not an http or https URL"},
		"address":            {old: "00aa\"", replacement: "00a\"", want: "line 7"},
		"no addresses":       {old: `"0x00000000000000000000000000000000000000aa"`, want: "addresses is empty"},
		"direction":          {old: "url =", replacement: "direction = \"up\"\nurl =", want: `"in", "out" or "both"`},
		"start":              {old: "url =", replacement: "start = \"now\"\nurl =", want: `"latest" or the number`},
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
			if err := os.WriteFile(filepath.Join(directory, "secret"), []byte(testSecret), mode); err != nil {
				t.Fatal(err)
			}
			file := filepath.Join(directory, "notify.toml")
			text := good
			if row.old != "" {
				text = strings.Replace(good, row.old, row.replacement, 1)
			}
			if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			c, err := LoadConfig(file)
			switch {
			case row.want == "" && err != nil:
				t.Fatal(err)
			case row.want == "":
				if w := c.Webhook[0]; *w.Contract != coin || w.Direction != In || c.State != filepath.Join(directory, "state") {
					t.Errorf("defaults: %+v", c)
				}
			case err == nil || !strings.Contains(err.Error(), row.want) || !strings.Contains(err.Error(), file):
				t.Errorf("error %v, want the file and %q", err, row.want)
			}
		})
	}
}

// The signature is the one that the documentation computes: HMAC-SHA256 of "seconds.body".
func TestSign(t *testing.T) {
	// printf '1764086400.{}' | openssl dgst -sha256 -hmac 0123456789abcdef
	const want = "t=1764086400,v1=8d9804e1dc03f1f7cd2cf792abd606760f5f00d8440def72ac5c2e846136516d"
	if got := Sign([]byte("0123456789abcdef"), []byte("{}"), time.Unix(1764086400, 0)); got != want {
		t.Errorf("signature %s, want %s", got, want)
	}
}
