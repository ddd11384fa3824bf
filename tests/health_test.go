// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

//go:build nodes

package tests

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"strings"
	"testing"
	"time"

	"gwon/internal/expect"
	"gwon/internal/must"
	"gwon/operator/health"
	"gwon/operator/status"
)

// probe asks a node for its readiness, as a proxy does under a name that the node has not heard of.
func (c *cluster) probe(i int) (status int, text string, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, c.node(i).HTTP()+health.ReadyPath+"?verbose", nil)
	if err != nil {
		return 0, "", err
	}
	request.Host = "balancer.example"
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0, "", err
	}
	body, err := io.ReadAll(answer.Body)
	return answer.StatusCode, string(body), errors.Join(err, answer.Body.Close())
}

// awaitReadiness waits until node i answers its probe with this status.
func (c *cluster) awaitReadiness(t *testing.T, i, want int) (text string) {
	t.Helper()
	c.await(t, fmt.Sprintf("status %d of %s", want, c.node(i).Name), func() (bool, string) {
		status, answer, err := c.probe(i)
		text = answer
		return err == nil && status == want, fmt.Sprint(status, answer, err)
	})
	return text
}

// Validators and a follower are ready and stay so under load. A follower without peers is not, and comes back
// with them.
func TestReadiness(t *testing.T) {
	t.Parallel()
	c := startCluster(t, 4)
	follower := c.addFollowers(t, 1)
	c.follow(t, follower, []int{0})
	for i := range c.network.Nodes {
		c.awaitReadiness(t, i, http.StatusOK)
	}

	ended := make(chan error, 1)
	go func() {
		_, stderr, err := gwonDev(t, t.TempDir(), "load", "--rpc", c.node(0).HTTP(), "--rate", "100", "--for", "10s",
			"--quiet")
		if err != nil {
			err = fmt.Errorf("load: %w: %s", err, stderr)
		}
		ended <- err
	}()
	probes, ticker := 0, time.NewTicker(pollInterval)
	defer ticker.Stop()
	for loaded := true; loaded; {
		select {
		case err := <-ended:
			must.Do(t, err)
			loaded = false
		case <-ticker.C:
			for i := range c.network.Nodes {
				status, text, err := c.probe(i)
				if err != nil || status != http.StatusOK {
					t.Fatalf("%s under load: status %d, error %v: %s", c.node(i).Name, status, err, text)
				}
				probes++
			}
		}
	}
	expect.That(t, probes >= 100, "%d probes under load", probes)

	c.stop(t, 0)
	text := c.awaitReadiness(t, follower, http.StatusServiceUnavailable)
	expect.That(t, strings.Contains(text, "peers") && !strings.Contains(text, "connected"),
		"a follower without peers answers a proxy: %s", text)
	c.start(t, 0, withAdmin...)
	c.awaitHead(t, 0, 0)
	var done bool // the follower dials again after half a minute
	c.must(t, 0, &done, "admin_addPeer", c.node(follower).Enode())
	c.awaitReadiness(t, follower, http.StatusOK)
}

// gwon status shows a healthy network without warnings. It names a validator that is gone, with exit status 2, and ends
// with 1 and a remedy where no node is.
func TestStatusCommand(t *testing.T) {
	t.Parallel()
	c := startCluster(t, 4)
	c.awaitHead(t, 3, c.running()...)
	var report status.Report
	show := func() (code int, seen string) {
		out, stderr, err := gwon(t, t.TempDir(), "status", "--rpc", c.node(0).HTTP(), "--json")
		if exit, ok := err.(*exec.ExitError); ok { //nolint:errorlint // as exec returns it
			code = exit.ExitCode()
		}
		report = status.Report{}
		must.Do(t, json.Unmarshal([]byte(out), &report), out, stderr)
		return code, fmt.Sprint(code, out)
	}
	c.await(t, "status without warnings", func() (bool, string) {
		code, seen := show()
		return code == 0 && len(report.Warnings) == 0 && report.Head.Number > 2 && report.Peers.Total == 3, seen
	})
	gone := c.node(3).Address
	c.kill(t, 3)
	c.await(t, "warning about a validator that is gone", func() (bool, string) {
		code, seen := show()
		named := strings.Contains(strings.Join(report.Warnings, " "), gone.Hex()+" has not sealed")
		return code == 2 && named && report.Seals.Validators[0].Address == gone, seen
	})
	_, stderr, err := gwon(t, t.TempDir(), "status")
	expect.That(t, err != nil && strings.Contains(stderr, "start one, or give its address"),
		"no node there: %v %q", err, stderr)
}
