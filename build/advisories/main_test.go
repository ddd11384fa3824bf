// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package main

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
)

// The module of this repository is behind no row, and no row is malformed.
func TestRepositoryIsNotBehind(t *testing.T) {
	mod, err := os.ReadFile("../../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile("../../" + table)
	if err != nil {
		t.Fatal(err)
	}
	used, err := versions(mod)
	if err != nil {
		t.Fatal(err)
	}
	list, err := parse(string(text))
	if err != nil {
		t.Fatal(err)
	}
	if behind := compare(used, list); len(behind) > 0 {
		t.Error(strings.Join(behind, "\n"))
	}
}

// Versions are compared as Go orders them, also of indirect modules, of candidates and of untagged commits.
func TestCompare(t *testing.T) {
	list, err := parse("# comment\n\ngo 1.26.9 A 2026-10-02\ngo 1.27.2 A 2026-10-02\nexample.org/m 1.10.0 B 2026-10-08\n")
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		name, toolchain, module string
		behind                  []string
	}{
		{"newer", "go1.27.4", "v1.11.0", nil},
		{"the corrections themselves", "go1.27.2", "v1.10.0", nil},
		{"two digits are more than one", "go1.27.4", "v1.9.0", []string{"B"}},
		{"candidate of the correction", "go1.27.4", "v1.10.0-rc.1", []string{"B"}},
		{"commit before the correction", "go1.27.4", "v1.9.1-0.20250101000000-0123456789ab", []string{"B"}},
		{"commit after the correction", "go1.27.4", "v1.10.1-0.20260101000000-0123456789ab", nil},
		{"toolchain before its line's correction", "go1.27.1", "v1.10.0", []string{"A"}},
		{"toolchain of the older line with the correction", "go1.26.10", "v1.10.0", nil},
		{"toolchain of the older line before it", "go1.26.8", "v1.10.0", []string{"A"}},
		{"candidate of a line", "go1.27rc1", "v1.10.0", []string{"A"}},
		{"line without a correction", "go1.25.14", "v1.10.0", []string{"A", "A"}},
		{"line after all corrections", "go1.28.0", "v1.10.0", nil},
	} {
		t.Run(row.name, func(t *testing.T) {
			used, err := versions([]byte("module m\n\ngo 1.26\n\ntoolchain " + row.toolchain +
				"\n\nrequire example.org/m " + row.module + " // indirect\n"))
			if err != nil {
				t.Fatal(err)
			}
			var names []string
			for _, line := range compare(used, list) {
				_, name, _ := strings.Cut(line, "mends ")
				name, _, _ = strings.Cut(name, ":")
				names = append(names, name)
			}
			if !slices.Equal(names, row.behind) {
				t.Errorf("behind %v, want %v", names, row.behind)
			}
		})
	}
}

func TestRefusesMalformedRows(t *testing.T) {
	for name, text := range map[string]string{
		"no rows":          "# nothing\n",
		"three columns":    "go 1.26.9 A\n",
		"no version":       "example.org/m latest A 2026-10-02\n",
		"no version of Go": "go x A 2026-10-02\n",
		"no date":          "go 1.26.9 A October\n",
	} {
		t.Run(name, func(t *testing.T) {
			if list, err := parse(text); err == nil {
				t.Errorf("accepted as %v", list)
			}
		})
	}
	if _, err := versions([]byte("module m\n\ngo 1.26\n")); err == nil {
		t.Error("a go.mod without toolchain was accepted")
	}
}

// A toolchain is behind a patch release of its own line that is 14 days old or has no date.
func TestNewestPatch(t *testing.T) {
	const all = "1.26.10 1.26.11 1.27rc1 1.27.0 1.27.3 1.27.4 1.27.10 1.28.0"
	now := time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)
	for _, row := range []struct {
		name, toolchain, versions string
		dates                     map[string]string
		want                      string
	}{
		{"newest", "go1.27.10", all, nil, ""},
		{"newest of an older line", "go1.26.11", all, nil, ""},
		{"without a date it counts at once", "go1.27.4", all, nil, "go1.27.10"},
		{"young", "go1.27.4", all, map[string]string{"go1.27.10": "2026-11-16"}, ""},
		{"old enough", "go1.27.4", all, map[string]string{"go1.27.10": "2026-11-15"}, "go1.27.10"},
		{"an old one below a young one", "go1.27.3", all,
			map[string]string{"go1.27.10": "2026-11-28", "go1.27.4": "2026-11-02"}, "go1.27.4"},
		{"the proxy cannot be asked", "go1.27.4", "", nil, "unreachable"},
		{"the proxy does not know the line", "go1.29.1", all, nil, "unreachable"},
	} {
		t.Run(row.name, func(t *testing.T) {
			got, err := newestPatch(row.toolchain, now, func(args ...string) (string, error) {
				if args[0] == "-versions" {
					if row.versions == "" {
						return "", errors.New("no route")
					}
					return "go " + row.versions, nil
				}
				version := strings.TrimPrefix(strings.TrimSuffix(args[2], ".linux-amd64"), "golang.org/toolchain@v0.0.1-")
				if date := row.dates[version]; date != "" {
					return date + "\n", nil
				}
				return "", fmt.Errorf("no date of %s", version)
			})
			if err != nil {
				got = "unreachable"
			}
			if got != row.want {
				t.Errorf("%q, %v; want %q", got, err, row.want)
			}
		})
	}
}
