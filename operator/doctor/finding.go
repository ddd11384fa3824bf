// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package doctor

import (
	"context"
	"fmt"
	"io"
	"slices"
	"text/tabwriter"
)

// Levels of findings.
const (
	OK   = "ok"
	Warn = "warn" // works, but needs the operator before long
	Bad  = "bad"  // the node does not start, does not take part, or is in danger
)

// Finding is what a check has found: one sentence with the cure.
type Finding struct {
	Check string `json:"check"`
	Level string `json:"level"`
	Text  string `json:"text"`
}

// AnyBad reports whether one of the findings is bad.
func AnyBad(findings []Finding) bool {
	return slices.ContainsFunc(findings, func(f Finding) bool { return f.Level == Bad })
}

// WriteText writes the findings for a person, a line each.
func WriteText(w io.Writer, findings []Finding) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, f := range findings {
		fmt.Fprintf(table, "%s\t%s\t%s\n", f.Level, f.Check, f.Text)
	}
	return table.Flush()
}

// Check looks at one thing.
type Check struct {
	Name string
	Run  func(ctx context.Context, report func(level, format string, args ...any))
}

// Examine runs the checks in their order until ctx ends, and returns what they find.
func Examine(ctx context.Context, checks []Check) (findings []Finding) {
	for _, c := range checks {
		if ctx.Err() != nil {
			break
		}
		c.Run(ctx, func(level, format string, args ...any) {
			findings = append(findings, Finding{c.Name, level, fmt.Sprintf(format, args...)})
		})
	}
	return findings
}
