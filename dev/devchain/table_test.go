// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package devchain

import (
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"gwon/internal/expect"
	"gwon/internal/must"
)

// referencePage is where the page lies.
const referencePage = "../../docs/reference/dev-methods.md"

// served returns the names of the RPC methods of services, in order.
func served(services ...any) []string {
	var names []string
	for _, service := range services {
		typ := reflect.TypeOf(service)
		for i := range typ.NumMethod() {
			name := typ.Method(i).Name
			names = append(names, strings.ToLower(name[:1])+name[1:])
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

func named(rows []row) []string {
	var names []string
	for _, r := range rows {
		names = append(names, r.name)
	}
	slices.Sort(names)
	return names
}

// TestTables checks that the tables name exactly the methods that are served.
func TestTables(t *testing.T) {
	for name, c := range map[string]struct{ got, want []string }{
		"prefixes": {served(&methods{}, &evmMethods{}, &hardhatMethods{}), named(testMethods)},
		"gwon":     {served(&coinMethods{}), named(coinTable)},
		"eth":      {served(&accountMethods{}), named(accountTable)},
	} {
		t.Run(name, func(t *testing.T) {
			expect.That(t, slices.Equal(c.got, c.want), "served %v\nin the table %v", c.got, c.want)
		})
	}
}

// TestReferenceIsCurrent checks that the page is made from the tables. go run ./tools/reference writes it.
func TestReferenceIsCurrent(t *testing.T) {
	if os.Getenv("GWON_TEST_WRITE_PAGES") != "" {
		must.Do(t, os.WriteFile(referencePage, []byte(page(t)), 0o600))
	}
	written := must.Get(os.ReadFile(referencePage))(t)
	expect.Equal(t, string(written), page(t), "docs/reference/dev-methods.md is stale: run go run ./tools/reference")
}

// page returns the page: the tables, and the comparison with other programs.
func page(t *testing.T) string {
	t.Helper()
	return reference() + comparison(comparedCases(t))
}
