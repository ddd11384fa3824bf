// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

//go:build unix

package tests

import (
	"path/filepath"
	"testing"
	"time"
)

// BenchmarkDevnetStart measures the time from gwon devnet to a block on each of four validators.
func BenchmarkDevnetStart(b *testing.B) {
	for b.Loop() {
		start := time.Now()
		d := runDevnet(b, filepath.Join(workDir(b), "net"))
		b.ReportMetric(time.Since(start).Seconds(), "s/first-block")
		d.interrupt(b)
	}
}

// BenchmarkIdleMinute counts the blocks of four idle validators in a minute; the period is a second.
func BenchmarkIdleMinute(b *testing.B) {
	d := runDevnet(b, filepath.Join(workDir(b), "net"))
	for b.Loop() {
		first := d.head(b)
		time.Sleep(time.Minute)
		b.ReportMetric(float64(d.head(b)-first), "blocks/min")
	}
	d.interrupt(b)
}
