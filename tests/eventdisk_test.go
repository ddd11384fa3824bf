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

	"gwon/internal/expect"
	"gwon/internal/must"
)

// A disk that is full under the stream of events is said once, and the validator seals on. With room the stream goes
// on. The gap in its sequence numbers is what the metric has counted, and no record is half.
func TestEventsOnAFullDisk(t *testing.T) {
	t.Parallel()
	c := must.Get(newCluster(workDir(t), 1))(t)
	dir := filepath.Join(c.network.Dir, "events")
	must.Do(t, os.Mkdir(dir, 0o700))
	mountSmall(t, dir, "64k")
	t.Cleanup(func() { // before the file system goes
		expect.Error(t, c.close(), nil, "c.close")
	})
	file, port := filepath.Join(dir, "events.jsonl"), strconv.Itoa(freePort(t))
	c.start(t, 0, "--wbft.events", file, "--metrics", "--metrics.addr", "127.0.0.1", "--metrics.port", port)
	c.awaitLine(t, 0, "Event stream interrupted")
	head := must.Get(c.head(0))(t)
	c.awaitHead(t, head+3, 0)
	must.Do(t, syscall.Mount("tmpfs", dir, "tmpfs", syscall.MS_REMOUNT, "size=8m"))
	c.awaitLine(t, 0, "Event stream resumed")
	lost := must.Get(metricOf(fmt.Sprintf("http://127.0.0.1:%s/debug/metrics/prometheus", port), "wbft_events_lost"))(t)
	c.stop(t, 0)

	content := must.Get(os.ReadFile(file))(t)
	next, missing := uint64(0), uint64(0)
	for line := range bytes.Lines(content) {
		var e struct{ Seq uint64 }
		err := json.Unmarshal(line, &e)
		must.That(t, err == nil && e.Seq >= next, "after record %d: %v: %s", next, err, line)
		missing += e.Seq - next
		next = e.Seq + 1
	}
	expect.That(t, missing != 0 && float64(missing) == lost, "%d records are missing, %v were counted", missing, lost)
	n := strings.Count(nodeLog(t, c, 0), "Event stream interrupted")
	expect.That(t, n == 1, "the log says %d times that the stream was interrupted", n)
}
