// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package settings

import (
	"strings"
	"testing"

	"github.com/urfave/cli/v2"

	"gwon/internal/expect"
	"gwon/internal/must"
)

// A namespace that no node has is refused, and the error names the flag and what there is.
func TestUnknownNamespace(t *testing.T) {
	for _, row := range []struct {
		args []string
		want []string // in the error; none for no error
	}{
		{[]string{"--http.api", "eth,net,istanbul,personal"}, nil},
		{[]string{"--ws.api", "eth, debug"}, nil},
		{[]string{"--http.api", "eth,engine"}, []string{"--http.api", `"engine"`, "choose from admin"}},
		{[]string{"--ws.api", "istambul"}, []string{"--ws.api", `"istambul"`, "istanbul"}},
	} {
		t.Run(strings.Join(row.args, " "), func(t *testing.T) {
			err := withFlags(t, func(ctx *cli.Context) error {
				_, _, err := Load(ctx)
				return err
			}, append([]string{"--datadir", t.TempDir()}, row.args...)...)
			must.Equal(t, err != nil, row.want != nil, "error %v", err)
			for _, part := range row.want {
				expect.That(t, strings.Contains(err.Error(), part), "error %v lacks %q", err, part)
			}
		})
	}
}
