// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package main

import (
	"io"
	"regexp"
	"testing"

	"github.com/ethereum/go-ethereum/metrics"
	"github.com/urfave/cli/v2"

	"gwon/cmd/internal/apptest"
	"gwon/internal/expect"
	"gwon/tools/reference/page"
)

// ownMetric matches the names of gwon's own metrics, and of those in upstream's namespaces that gwon alone has.
var ownMetric = regexp.MustCompile(`^(gwon|wbft|txpool|rpc/refused)/`)

// unused matches metrics of upstream's pool, which no node of gwon runs.
var unused = regexp.MustCompile(`^txpool/(dropbetweenreorg|local|reheap|throttle|underpriced|(pending|queued)/` +
	`(accounts|discard|nofunds|ratelimit|replace))$`)

// family matches the name of a description for metrics that come into being while the node runs.
var family = regexp.MustCompile(`/[A-Z]+$`)

// Every metric of gwon has a description, and every description a metric.
func TestMetricDescriptions(t *testing.T) {
	count := 0
	metrics.DefaultRegistry.Each(func(name string, _ any) {
		if !ownMetric.MatchString(name) || unused.MatchString(name) {
			return
		}
		count++
		described := page.MetricMeanings()[name] != ""
		for pattern := range page.MetricMeanings() {
			at := family.FindStringIndex(pattern)
			if at == nil {
				continue
			}
			member := regexp.MustCompile("^" + regexp.QuoteMeta(pattern[:at[0]]) + "/[^/]+$")
			described = described || member.MatchString(name)
		}
		expect.That(t, described, "metric %s has no description in tools/reference/page/metrics.csv", name)
	})
	expect.That(t, count >= 50, "%d metrics of gwon are registered", count)
	for name := range page.MetricMeanings() {
		expect.That(t, metrics.DefaultRegistry.Get(name) != nil || family.MatchString(name),
			"description of %s, which is no metric", name)
	}
}

// pages are the generated pages of this program.
var pages = map[string]apptest.Page{
	"flags.md":   func(w io.Writer, app *cli.App) error { return page.Flags(w, app.Flags) },
	"metrics.md": func(w io.Writer, _ *cli.App) error { return page.Metrics(w) },
}

// TestMain runs the tests, or the program for a test that needs a process of its own.
func TestMain(m *testing.M) { apptest.Main(m, main, newApp, pages) }

// The generated pages are those of this program.
func TestReferenceIsCurrent(t *testing.T) { apptest.CheckReference(t, pages) }
