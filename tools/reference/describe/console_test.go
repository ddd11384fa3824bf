// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package describe

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/console"
	gethrpc "github.com/ethereum/go-ethereum/rpc"
)

// module is a service whose only task is that the server lists its namespace.
type module struct{}

func (module) Listed() {}

// Every method that only this network has, has an entry in the console (spec rpc 4).
func TestConsoleHasMethods(t *testing.T) {
	var own []Row
	server := gethrpc.NewServer()
	defer server.Stop()
	for _, row := range Rows() {
		if strings.HasPrefix(row.Differs, "Only ") {
			own = append(own, row)
			if err := server.RegisterName(namespace(row.Method), module{}); err != nil {
				t.Fatal(err)
			}
		}
	}
	if len(own) < 16 { // of the namespace istanbul alone
		t.Fatalf("%d methods found", len(own))
	}
	var out strings.Builder
	js, err := console.New(console.Config{
		DataDir: t.TempDir(), Client: gethrpc.DialInProc(server), Printer: &out,
	})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := js.Stop(false); err != nil {
			t.Error(err)
		}
	}()
	for _, row := range own {
		t.Run(row.Method, func(t *testing.T) {
			out.Reset()
			js.Evaluate(fmt.Sprintf("%q in %s", row.Method[len(namespace(row.Method))+1:], namespace(row.Method)))
			if got := out.String(); !strings.Contains(got, "true") {
				t.Errorf("no entry in upstream/siblings/internal/web3ext/scripts.gwon.go: the console answers %q", got)
			}
		})
	}
}
