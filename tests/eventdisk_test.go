// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

//go:build nodes && linux

package tests

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// A disk that is full under the stream of events is said once, and the validator seals on. With room the stream goes
// on. The gap in its sequence numbers is what the metric has counted, and no record is half.
func TestEventsOnAFullDisk(t *testing.T) {
	t.Parallel()
	c, err := newCluster(workDir(t), 1)
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(c.network.Dir, "events")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	mountSmall(t, dir, "64k")
	t.Cleanup(func() { // before the file system goes
		if err := c.close(); err != nil {
			t.Error(err)
		}
	})
	file, port := filepath.Join(dir, "events.jsonl"), strconv.Itoa(freePort(t))
	c.start(t, 0, "--wbft.events", file, "--metrics", "--metrics.addr", "127.0.0.1", "--metrics.port", port)
	c.awaitLine(t, 0, "Event stream interrupted")
	head, err := c.head(0)
	if err != nil {
		t.Fatal(err)
	}
	c.awaitHead(t, head+3, 0)
	if err := syscall.Mount("tmpfs", dir, "tmpfs", syscall.MS_REMOUNT, "size=8m"); err != nil {
		t.Fatal(err)
	}
	c.awaitLine(t, 0, "Event stream resumed")
	lost, err := metricOf(fmt.Sprintf("http://127.0.0.1:%s/debug/metrics/prometheus", port), "wbft_events_lost")
	if err != nil {
		t.Fatal(err)
	}
	c.stop(t, 0)

	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	next, missing := uint64(0), uint64(0)
	for line := range bytes.Lines(content) {
		var e struct{ Seq uint64 }
		if err := json.Unmarshal(line, &e); err != nil || e.Seq < next {
			t.Fatalf("after record %d: %v: %s", next, err, line)
		}
		missing += e.Seq - next
		next = e.Seq + 1
	}
	if missing == 0 || float64(missing) != lost {
		t.Errorf("%d records are missing, %v were counted", missing, lost)
	}
	if n := strings.Count(nodeLog(t, c, 0), "Event stream interrupted"); n != 1 {
		t.Errorf("the log says %d times that the stream was interrupted", n)
	}
}
