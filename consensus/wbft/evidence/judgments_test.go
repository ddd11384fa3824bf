// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package evidence

import (
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
)

// The author of a file cannot write lines of the report.
func TestReportHasNoForgedLines(t *testing.T) {
	v := newSigner(t, "v")
	set := court(v).Set
	out := NewJudgments(NamedJury(set, common.Hash{}))
	forged := &Evidence{Kind: "x\nPROVEN: " + Kind(v.address().Hex()), Validator: v.address(), Sequence: sequence}
	must(t, out.Add(t.Context(), "file", &List{Version: FormatVersion, Evidence: []*Evidence{forged}}))
	out.Count()
	var text strings.Builder
	must(t, out.WriteText(&text))
	if strings.Contains(text.String(), "\nPROVEN") || out.Refused != 1 {
		t.Errorf("report of a forged kind:\n%s", &text)
	}
}
