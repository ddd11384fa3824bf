// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package apptest

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/log"
	"github.com/urfave/cli/v2"
)

// CheckHidden runs calls of a program while an endpoint fails in several ways. URL stands for the endpoint with a user,
// a password, and keys in path and query, and DIR for a new directory. No text that comes out has any of these secrets.
func CheckHidden(t *testing.T, newApp func() *cli.App, calls ...string) {
	t.Helper()
	refusing := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		user, password, _ := r.BasicAuth()
		http.Error(w, fmt.Sprintf("no plan of %s:%s has %v", user, password, r.URL), http.StatusUnauthorized)
	}))
	t.Cleanup(refusing.Close)
	moved := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Location", refusing.URL+"/moved"+r.URL.String())
		w.WriteHeader(http.StatusPermanentRedirect)
	}))
	t.Cleanup(moved.Close)
	dead := httptest.NewServer(nil)
	dead.Close()
	var logged bytes.Buffer
	before := log.Root()
	log.SetDefault(log.NewLogger(log.NewTerminalHandler(&logged, false)))
	t.Cleanup(func() { log.SetDefault(before) })
	for _, call := range calls {
		for name, at := range map[string]string{"refuses": refusing.URL, "has moved": moved.URL, "is gone": dead.URL} {
			t.Run(strings.ReplaceAll(call, "/", " ")+" "+name, func(t *testing.T) {
				url := strings.Replace(at, "http://", "http://carol:hunter22@", 1) + "/v2/PATHKEY?apikey=QUERYKEY"
				line := strings.NewReplacer("URL", url, "DIR", t.TempDir()).Replace(call)
				logged.Reset()
				out, says, err := RunApart(t, newApp(), strings.Fields(line)...)
				all := fmt.Sprintln(out, says, logged.String(), err)
				if err == nil {
					t.Errorf("no error: %s", all)
				}
				for _, secret := range []string{"carol", "hunter22", "PATHKEY", "QUERYKEY"} {
					if strings.Contains(all, secret) {
						t.Errorf("%s is shown: %s", secret, all)
					}
				}
			})
		}
	}
}
