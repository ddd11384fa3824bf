// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package transactions

import (
	"strings"
	"testing"
)

// A field of a call that does not exist is named, as it would change nothing.
func TestRequestFields(t *testing.T) {
	for name, row := range map[string]struct{ content, want string }{
		"call":        {`{"from": "0x01", "to": "0x02", "feePayer": "0x03", "data": "0x"}`, ""},
		"transaction": {`{"hash": "0x01", "input": "0x", "type": "0x16", "fv": "0x0"}`, ""},
		"typing": {`{"fro": "0x01"}`,
			`the file has the field "fro", which eth_call does not have: its fields are from, to,`},
		"list": {`{"to": `, "the file is no JSON object"},
		"text": {"text", "neither a JSON object"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := parseRequest(nil, []byte(row.content))
			if row.want == "" && err != nil || row.want != "" && (err == nil || !strings.Contains(err.Error(), row.want)) {
				t.Errorf("error %v, want %q", err, row.want)
			}
		})
	}
}
