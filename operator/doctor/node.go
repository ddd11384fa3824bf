// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package doctor

import (
	"context"
	"strings"

	"gwon/internal/failures"
	"gwon/operator/status"
)

// Running turns the status of a running node into findings.
func Running(node status.Node) Check {
	return Check{"node", func(ctx context.Context, report func(string, string, ...any)) {
		r, err := status.Collect(ctx, node)
		if err != nil {
			report(Bad, "the node does not answer at %s (%v): look at its log", node.Endpoint, err)
			return
		}
		level := Warn
		if c := r.Consensus; c != nil && c.Halted+c.Muted+r.Excluded() != "" {
			level = Bad
		}
		for _, warning := range r.Warnings {
			report(level, "%s", warning)
		}
		if len(r.Warnings) == 0 {
			report(OK, "%s runs at block %d", r.Version, r.Head.Number)
		}
	}}
}

// Test is a check that is bad with an error, whose text names the cure. That of a failure at a file is added. Each line
// of the text is a finding.
func Test(name string, test func() (ok string, err error)) Check {
	return Check{name, func(_ context.Context, report func(string, string, ...any)) {
		text, err := test()
		if err == nil {
			report(OK, "%s", text)
			return
		}
		for line := range strings.SplitSeq(failures.Sentence(err), "\n") {
			report(Bad, "%s", line)
		}
	}}
}
