// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

//go:build nodes && linux

package tests

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	gethrpc "github.com/ethereum/go-ethereum/rpc"

	"gwon/dev/devnet"
	"gwon/dev/loadtest"
	"gwon/internal/expect"
	"gwon/internal/must"
)

// soakTime names the environment variable with the length of TestSoak: half an hour in make soak.
const soakTime = "GWON_TEST_SOAK_TIME"

const (
	soakSample  = 10 * time.Second // between two samples
	soakWave    = 20 * time.Second // of load, and as long without
	soakFill    = 90 * time.Second // of 400 transfers a second at first, which fill the caches of 32,768 hashes
	soakRestart = 30 * time.Second // between two restarts
	soakLogSize = 1 << 20          // bytes of a log file before it is rotated
	soakLogs    = 2                // rotated log files that stay
)

// Bounds of the second half. Floors are compared: what is left when waves and collections of garbage are not
// counted. A leak shows in the heap (heapGrowth); resident memory has bounds against what is no heap.
const (
	soakMemory     = 2    // MiB a minute
	soakCaches     = 4    // MiB besides, for caches that still fill in a short run
	soakGoroutines = 5    // more at the end
	soakFiles      = 10   // more at the end; the database opens its tables one after the other
	soakDisk       = 4096 // bytes for each transaction
)

// soakNode is a node whose process lives as long as the test, with what was measured of it.
type soakNode struct {
	index   int
	pid     int
	metrics string // URL
	profile string // heap profile at the half of the time; "" before
	ipc     string // "" for a node that collects its garbage by debug_freeOSMemory over HTTP
	samples []soakPoint
}

// soakPoint is one measurement of a node.
type soakPoint struct {
	at                            time.Duration
	memory, heap, disk            float64 // MiB
	goroutines, files, txs, peers float64
}

// soak is a network that is worked hard.
type soak struct {
	*cluster
	lasts   time.Duration
	begun   time.Time
	watched []*soakNode
	flags   map[int][]string // of each node
	first   int              // index of the first follower

	mu  sync.Mutex
	txs int // included, as the load counts them
}

// newSoak starts four validators and two followers, one of which is public. Node 0 and the public one are watched.
func newSoak(t *testing.T, lasts time.Duration) *soak {
	t.Helper()
	s := &soak{cluster: prepareCluster(t, 4), lasts: lasts, flags: make(map[int][]string)}
	s.first = s.addFollowers(t, 2)
	for i := range s.network.Nodes {
		port := freePort(t)
		s.flags[i] = []string{
			"--metrics", "--metrics.addr", "127.0.0.1", "--metrics.port", strconv.Itoa(port),
			"--log.file", s.logPath(i), "--log.rotate", "--log.maxsize", strconv.Itoa(soakLogSize >> 20),
			"--log.maxbackups", strconv.Itoa(soakLogs), "--verbosity", "4",
		}
		if i != 0 && i != s.first {
			continue
		}
		node := &soakNode{index: i, metrics: fmt.Sprintf("http://127.0.0.1:%d/metrics", port)}
		if i == s.first {
			node.ipc = filepath.Join(s.network.Dir, "public.ipc")
		}
		s.watched = append(s.watched, node)
	}
	for i := range s.network.Nodes {
		if i == s.first {
			s.awaitHead(t, 1, 0, 1, 2, 3)
		}
		s.run(t, i)
	}
	for _, n := range s.watched {
		n.pid = s.processes[s.node(n.index)].Pid()
	}
	s.awaitHead(t, 3, s.running()...)
	return s
}

func (s *soak) logPath(i int) string { return filepath.Join(s.node(i).Dir, "rotated", "node.log") }

// run starts node i, which may have run before.
func (s *soak) run(t *testing.T, i int) {
	t.Helper()
	switch i {
	case s.first:
		node := s.node(i)
		var peers []string
		for p := range s.first {
			peers = append(peers, s.node(p).Enode())
		}
		writePeers(t, node, peers)
		p := must.Get(s.supervisor.StartWith(node, append([]string{
			"--datadir", node.Dir, "--config", filepath.Join(node.Dir, "config.toml"), "--exit.stdin",
			"--nodiscover", "--nat", "none", "--bootnodes", "", "--netrestrict", "127.0.0.0/8", "--cache", "64",
			"--ipcpath", s.watched[1].ipc, "--rpc.profile", "public", "--http.port", fmt.Sprint(node.HTTPPort),
		}, s.flags[i]...)))(t)
		s.processes[node] = p
	case s.first + 1:
		s.follow(t, i, []int{0, 1, 2, 3}, s.flags[i]...)
	default:
		s.start(t, i, s.flags[i]...)
	}
}

// work sends waves of transactions to node 0 until ctx ends. Where the heap is judged, a high one is first.
func (s *soak) work(t *testing.T, ctx context.Context) error {
	if s.lasts >= 2*heapWindows*heapWindow {
		if err := s.load(t, "400", soakFill, "--senders", "200"); err != nil {
			return err
		}
	}
	for wave := 0; ctx.Err() == nil; wave++ {
		if err := s.load(t, []string{"20", "60", "5"}[wave%3], soakWave, "--kind", "mix", "--senders", "10"); err != nil {
			return fmt.Errorf("wave %d: %w", wave, err)
		}
		select {
		case <-ctx.Done():
		case <-time.After(soakWave):
		}
	}
	return nil
}

// load sends one wave of transactions, a second's number of them for a time.
func (s *soak) load(t *testing.T, rate string, lasts time.Duration, args ...string) error {
	t.Helper()
	cmd := exec.Command(programPath("gwon-dev"), append([]string{"load", "--rpc", s.node(0).HTTP(), "--rate", rate,
		"--for", lasts.String(), "--quiet", "--json"}, args...)...)
	cmd.Env = environment(s.network.Dir)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	var rep loadtest.Report
	if err == nil {
		err = json.Unmarshal(out, &rep)
	}
	if err != nil {
		return fmt.Errorf("load of %s/s: %w: %s", rate, err, stderr.String())
	}
	s.mu.Lock()
	s.txs += int(rep.Included)
	s.mu.Unlock()
	t.Logf("%v: a wave of %s/s: %d included", s.since(), rate, rep.Included)
	return nil
}

func (s *soak) since() time.Duration { return time.Since(s.begun).Round(time.Second) }

// abuse sends what a public node refuses or bounds, one kind after the other, until ctx ends. It returns how many
// answers came.
func (s *soak) abuse(ctx context.Context) (answers int) {
	url := fmt.Sprintf("http://127.0.0.1:%d", s.node(s.first).HTTPPort)
	client := &http.Client{Timeout: 5 * time.Second}
	defer client.CloseIdleConnections()
	var kinds []string
	for kind, body := range abuses {
		if body != "" {
			kinds = append(kinds, kind)
		}
	}
	slices.Sort(kinds)
	for n := 0; ctx.Err() == nil; n++ {
		body := abuses[kinds[n/50%len(kinds)]]
		request, err := http.NewRequestWithContext(ctx, http.MethodPost, url, strings.NewReader(body))
		if err != nil {
			return answers
		}
		request.Header.Set("Content-Type", "application/json")
		if answer, err := client.Do(request); err == nil {
			if _, err = io.Copy(io.Discard, answer.Body); err == nil {
				answers++
			}
			_ = answer.Body.Close() // it was read
		}
	}
	return answers
}

// restarts ends one node after the other, by a kill and by a signal in turn, and starts it again, until ctx ends.
// It returns their number.
func (s *soak) restarts(t *testing.T, ctx context.Context) (count int) {
	victims := []int{1, 2, 3, s.first + 1}
	tick := time.NewTicker(soakRestart)
	defer tick.Stop()
	for ; ; count++ {
		select {
		case <-ctx.Done():
			return count
		case <-tick.C:
		}
		victim := victims[count%len(victims)]
		head := must.Get(s.head(0))(t)
		if count%2 == 0 {
			s.kill(t, victim)
		} else {
			s.stop(t, victim)
		}
		s.run(t, victim)
		s.awaitHead(t, head+1, victim)
	}
}

// measure takes one sample of each watched node.
func (s *soak) measure() error {
	s.mu.Lock()
	txs := s.txs
	s.mu.Unlock()
	for _, n := range s.watched {
		heap, err := n.collect(s.node(n.index).HTTP())
		if err != nil {
			return err
		}
		if n.profile == "" && time.Since(s.begun) >= s.lasts/2 {
			if n.profile, err = n.writeProfile(s.node(n.index), "half"); err != nil {
				return err
			}
		}
		memory, err := residentMemory(n.pid)
		if err != nil {
			return err
		}
		files, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", n.pid))
		if err != nil {
			return err
		}
		point := soakPoint{
			at: time.Since(s.begun), memory: float64(memory), heap: heap, files: float64(len(files)), txs: float64(txs),
		}
		if point.goroutines, err = metricOf(n.metrics, "system_cpu_goroutines"); err != nil {
			return err
		}
		if point.peers, err = metricOf(n.metrics, "p2p_peers"); err != nil {
			return err
		}
		if point.disk, err = databaseSize(s.node(n.index).Dir); err != nil {
			return err
		}
		n.samples = append(n.samples, point)
	}
	return nil
}

// dial connects to the methods of debug of a node.
func (n *soakNode) dial(url string) (*gethrpc.Client, error) {
	if n.ipc != "" {
		url = n.ipc
	}
	return gethrpc.Dial(url)
}

// collect has the node give back the memory that it does not use, and returns the MiB of its heap that are in use.
func (n *soakNode) collect(url string) (heap float64, err error) {
	client, err := n.dial(url)
	if err != nil {
		return 0, err
	}
	defer client.Close()
	var stats struct{ HeapAlloc uint64 }
	err = errors.Join(client.Call(nil, "debug_freeOSMemory"), client.Call(&stats, "debug_memStats"))
	return float64(stats.HeapAlloc) / (1 << 20), err
}

// writeProfile has the node write its heap profile to a file, and returns its path.
func (n *soakNode) writeProfile(node *devnet.Node, name string) (string, error) {
	client, err := n.dial(node.HTTP())
	if err != nil {
		return "", err
	}
	defer client.Close()
	path := filepath.Join(node.Dir, name+".heap")
	return path, client.Call(nil, "debug_writeMemProfile", path)
}

// judgeHeap compares the growth of the heap with its bound. Where it is exceeded, the output has what has grown.
func (n *soakNode) judgeHeap(t *testing.T, node *devnet.Node) {
	t.Helper()
	var points []heapPoint
	for _, p := range n.samples {
		points = append(points, heapPoint{p.at, p.heap})
	}
	growth, ok := growthOf(points)
	if !ok {
		t.Logf("%s: the run is too short to judge the heap, at least %v are needed", node.Name, 2*heapWindows*heapWindow)
		return
	}
	t.Logf("%s: heap grows by %+.2f MiB a minute in the second half", node.Name, growth)
	if growth <= heapGrowth {
		return
	}
	t.Errorf("%s: heap grows by %.2f MiB a minute, want at most %.1f", node.Name, growth, heapGrowth)
	end := must.Get(n.writeProfile(node, "end"))(t)
	diff, err := exec.Command("go", "tool", "pprof", "-top", "-inuse_space", "-diff_base", n.profile, end).CombinedOutput()
	t.Logf("%s: heap since the half of the time (%v):\n%s", node.Name, err, diff)
}

// metricOf returns the value of a metric.
func metricOf(url, name string) (float64, error) {
	answer, err := http.Get(url)
	if err != nil {
		return 0, err
	}
	defer func() { _ = answer.Body.Close() }()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		return 0, err
	}
	found := regexp.MustCompile(`(?m)^` + name + ` (\S+)$`).FindSubmatch(text)
	if found == nil {
		return 0, fmt.Errorf("%s has no metric %s", url, name)
	}
	return strconv.ParseFloat(string(found[1]), 64)
}

// databaseSize returns the MiB of the databases in a data directory, without the log.
func databaseSize(dir string) (mib float64, err error) {
	err = filepath.WalkDir(filepath.Join(dir, "gwon"), func(_ string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil // files come and go
		}
		if err != nil || d.IsDir() {
			return err
		}
		if info, err := d.Info(); err == nil {
			mib += float64(info.Size()) / (1 << 20)
		}
		return nil
	})
	return mib, err
}

// floors returns the least value of the third and of the last quarter of the samples, and the time between their
// middles.
func (n *soakNode) floors(value func(soakPoint) float64) (before, after float64, between time.Duration) {
	count := len(n.samples)
	third, last := n.samples[count/2:count*3/4], n.samples[count*3/4:]
	least := func(points []soakPoint) float64 {
		m := value(points[0])
		for _, p := range points {
			m = min(m, value(p))
		}
		return m
	}
	return least(third), least(last), last[len(last)/2].at - third[len(third)/2].at
}

// judge compares what was measured with the bounds, and prints it.
func (n *soakNode) judge(t *testing.T, name string) {
	t.Helper()
	before, after, between := n.floors(func(p soakPoint) float64 { return p.memory })
	growth := (after - before) / between.Minutes()
	t.Logf("%s: memory %.0f -> %.0f MiB, %+.2f MiB/min", name, before, after, growth)
	if after-before > soakMemory*between.Minutes()+soakCaches {
		t.Errorf("%s: memory grows by %.2f MiB a minute, want at most %d and once %d", name, growth, soakMemory, soakCaches)
	}
	peers := slices.MaxFunc(n.samples, func(a, b soakPoint) int { return cmp.Compare(a.peers, b.peers) }).peers
	for _, count := range []struct {
		what  string
		value func(soakPoint) float64
		most  float64
	}{
		{"goroutines", func(p soakPoint) float64 {
			if p.peers < peers {
				return math.Inf(1) // a peer has ten, and is restarted now and then
			}
			return p.goroutines
		}, soakGoroutines},
		{"open files", func(p soakPoint) float64 { return p.files }, soakFiles},
	} {
		before, after, _ := n.floors(count.value)
		t.Logf("%s: %s %.0f -> %.0f", name, count.what, before, after)
		if after-before > count.most {
			t.Errorf("%s: %.0f %s, then %.0f, want at most %.0f more", name, before, count.what, after, count.most)
		}
	}
	middle, end := n.samples[len(n.samples)/2], n.samples[len(n.samples)-1]
	txs := end.txs - middle.txs
	cost := (end.disk - middle.disk) * (1 << 20) / max(txs, 1)
	t.Logf("%s: disk %.1f -> %.1f MiB for %.0f transactions, %.0f bytes each", name, middle.disk, end.disk, txs, cost)
	if cost > soakDisk {
		t.Errorf("%s: %.0f bytes of disk for each transaction, want at most %d", name, cost, soakDisk)
	}
}

// checkLogs sees that the log of a node was rotated, and that old files went.
func (s *soak) checkLogs(t *testing.T, i int) {
	t.Helper()
	files := must.Get(filepath.Glob(filepath.Join(filepath.Dir(s.logPath(i)), "*")))(t)
	if len(files) < 2 || len(files) > soakLogs+1 {
		t.Errorf("%s has the log files %v, want 2 to %d", s.node(i).Name, files, soakLogs+1)
	}
	for _, file := range files {
		info, err := os.Stat(file)
		expect.That(t, err == nil && info.Size() <= soakLogSize, "%s: %v, error %v", file, info, err)
	}
}

// TestSoak works a network of four validators and two followers for long: load in waves, abuse of the public RPC,
// restarts by kill and by signal, and logs that are rotated. What the nodes hold does not grow with time.
func TestSoak(t *testing.T) {
	text := os.Getenv(soakTime)
	if text == "" {
		t.Skipf("%s names no time, such as 30m", soakTime)
	}
	lasts, err := time.ParseDuration(text)
	must.That(t, err == nil && lasts >= 2*time.Minute, "%s is %q, want two minutes or more: %v", soakTime, text, err)
	s := newSoak(t, lasts)
	s.begun = time.Now()
	ctx, cancel := context.WithTimeout(t.Context(), lasts)
	defer cancel()
	var others sync.WaitGroup
	var failed, unmeasured error
	answers := 0
	others.Go(func() { failed = s.work(t, ctx) })
	others.Go(func() { answers = s.abuse(ctx) })
	others.Go(func() {
		tick := time.NewTicker(soakSample)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
			if unmeasured = s.measure(); unmeasured != nil {
				return
			}
		}
	})
	restarts := s.restarts(t, ctx)
	others.Wait()
	must.Do(t, errors.Join(failed, unmeasured))
	head := must.Get(s.head(0))(t)
	s.judge(t, head, 0, 1, 2, 3)
	t.Logf("%d blocks, %d transactions, %d restarts, %d abusive calls answered in %v, longest interval %v", head, s.txs,
		restarts, answers, lasts, s.longestInterval(t, 1, head))
	for _, n := range s.watched {
		n.judge(t, s.node(n.index).Name)
		n.judgeHeap(t, s.node(n.index))
		s.checkLogs(t, n.index)
	}
	expect.That(t, restarts >= int(lasts/soakRestart)/2 && answers >= 100 && s.txs >= 100,
		"%d restarts, %d abusive calls, %d transactions", restarts, answers, s.txs)
}
