// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

//go:build nodes

package tests

import (
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"gwon/internal/expect"
	"gwon/internal/must"
)

// randomness returns a source of random numbers of a seed.
func randomness(t *testing.T) *rand.Rand {
	t.Helper()
	return rand.New(rand.NewPCG(seedOf(t), 0))
}

// seedOf returns a seed and prints it; GWON_TEST_SEED repeats a run.
func seedOf(t *testing.T) uint64 {
	t.Helper()
	seed := uint64(time.Now().UnixNano())
	if text := os.Getenv("GWON_TEST_SEED"); text != "" {
		var err error
		seed, err = strconv.ParseUint(text, 10, 64)
		must.Do(t, err)
	}
	t.Logf("GWON_TEST_SEED=%d repeats this run", seed)
	return seed
}

// steps returns what gives the steps of a schedule in a random order: each of them once before one comes again.
func steps[T any](random *rand.Rand, all []T) (next func() T) {
	var deck []T
	return func() (step T) {
		if len(deck) == 0 {
			deck = slices.Clone(all)
			random.Shuffle(len(deck), func(i, j int) { deck[i], deck[j] = deck[j], deck[i] })
		}
		step, deck = deck[0], deck[1:]
		return step
	}
}

// written returns a number that changes when a file below dir does.
func written(dir string) (sum int64) {
	_ = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			if info, err := d.Info(); err == nil {
				sum += info.Size() + info.ModTime().UnixNano()
			}
		}
		return nil // files come and go while the node works
	})
	return sum
}

// moment is a point in the life of a node's process at which a test kills it.
type moment struct {
	name string
	wait func(c *cluster, t *testing.T, i int)
}

// nodeLog returns what a node's processes have logged; nothing before the first.
func nodeLog(t *testing.T, c *cluster, i int) string {
	t.Helper()
	text, err := os.ReadFile(c.node(i).LogFile())
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return string(text)
}

func logSize(c *cluster, i int) int64 {
	info, err := os.Stat(c.node(i).LogFile())
	if err != nil {
		return 0
	}
	return info.Size()
}

// changes waits until value changes, looking as often as it can: the moment after the change is what matters.
func changes(c *cluster, t *testing.T, what string, value func() int64) {
	before := value()
	for deadline := time.Now().Add(patience); value() == before; time.Sleep(time.Millisecond) {
		must.That(t, !time.Now().After(deadline), "%s did not happen within %v", what, patience)
	}
}

var moments = []moment{
	{"its first words", func(c *cluster, t *testing.T, i int) {
		changes(c, t, "output of "+c.node(i).Name, func() int64 { return logSize(c, i) })
	}},
	{"its first answer", func(c *cluster, t *testing.T, i int) { c.awaitHead(t, 0, i) }},
	{"a vote or block being written", func(c *cluster, t *testing.T, i int) {
		c.awaitHead(t, 0, i)
		dir := filepath.Join(c.node(i).Dir, "gwon")
		changes(c, t, "a write of "+c.node(i).Name, func() int64 { return written(dir) })
	}},
	{"a vote written", func(c *cluster, t *testing.T, i int) {
		file := filepath.Join(c.node(i).Dir, "gwon", "votes.log")
		if _, err := os.Stat(file); err != nil {
			c.awaitHead(t, 0, i) // not a validator
			return
		}
		changes(c, t, "a vote of "+c.node(i).Name, func() int64 { return written(file) })
	}},
	{"a new block", func(c *cluster, t *testing.T, i int) {
		c.awaitHead(t, 0, i)
		head := must.Get(c.head(i))(t)
		c.awaitHead(t, head+1, i)
	}},
}

var (
	blockLine    = regexp.MustCompile(`Block committed +number=([\d,]+)`)
	loadedLine   = regexp.MustCompile(`Loaded most recent local block +number=([\d,]+)`)
	repairLine   = regexp.MustCompile(`Head state missing`)
	replayedLine = regexp.MustCompile(`Executed stored blocks again +from=[\d,]+ +to=([\d,]+)`)
)

// told is what a node has called final before it was killed, by how many times its log speaks of the block it loaded,
// which a start may do twice.
type told map[int]uint64

// before returns the newest block that was called final before the log spoke of that for the n-th time.
func (told told) before(n int) (final uint64) {
	for at, number := range told {
		if at < n {
			final = max(final, number)
		}
	}
	return final
}

// killTelling kills a node and notes what it had told of before: the newest final block, if it answered.
func (c *cluster) killTelling(t *testing.T, i int, told told) {
	t.Helper()
	var final *block
	err := c.call(i, &final, "eth_getBlockByNumber", "finalized", false)
	c.kill(t, i)
	if err == nil && final != nil {
		told[len(loadedLine.FindAllString(nodeLog(t, c, i), -1))] = uint64(final.Number)
	}
}

// checkRecovered reads in a node's log which block it had last before each start, and which after it: what was
// decided is still there. A committed block is synced before the log speaks of it, and whatever block came in
// whatever way before it is called final.
func (c *cluster) checkRecovered(t *testing.T, i int, told told) (starts int) {
	t.Helper()
	text := nodeLog(t, c, i)
	number := func(text string) uint64 {
		return must.Get(strconv.ParseUint(strings.ReplaceAll(text, ",", ""), 10, 64))(t)
	}
	var committed, loaded uint64
	repairing := false
	check := func() {
		if final := told.before(starts); repairing || loaded < committed || loaded < final {
			t.Errorf("%s: start %d found block %d (state missing: %t), it had committed block %d and called block %d final",
				c.node(i).Name, starts, loaded, repairing, committed, final)
		}
	}
	pending := false
	for line := range strings.Lines(text) {
		switch {
		case loadedLine.MatchString(line):
			starts++
			loaded, repairing, pending = number(loadedLine.FindStringSubmatch(line)[1]), false, true
		case repairLine.MatchString(line):
			repairing = true
		case replayedLine.MatchString(line):
			loaded, repairing = number(replayedLine.FindStringSubmatch(line)[1]), false
		case strings.Contains(line, "Started P2P networking") && pending:
			check()
			pending = false
		case blockLine.MatchString(line) && !pending:
			committed = max(committed, number(blockLine.FindStringSubmatch(line)[1]))
		}
	}
	return starts
}

// Nodes are killed at any moment, one, several or all at a time, and started again. Nothing that was decided is lost,
// nothing is decided twice, and the network goes on (spec wbft 5.10).
func TestKills(t *testing.T) {
	t.Parallel()
	kills := testCount(t, "GWON_TEST_KILLS", 16)
	random := randomness(t)
	c := startCluster(t, 4)
	follower := c.addFollowers(t, 1)
	start := func(i int) {
		if i == follower {
			c.follow(t, i, []int{0, 1, 2, 3})
		} else {
			c.start(t, i)
		}
	}
	start(follower)
	c.awaitHead(t, 3, c.running()...)

	final := make(map[uint64]common.Hash) // what any node has called final
	var kept [5]told
	for i := range kept {
		kept[i] = make(told)
	}
	next := steps(random, moments)
	const least = 5 // final blocks that have to be seen, whatever the moments are
	for done := 0; done < kills || len(final) < least && done < 4*kills; {
		victims := random.Perm(5)[:1]
		switch random.IntN(10) {
		case 0:
			victims = random.Perm(5) // power loss
		case 1, 2:
			victims = random.Perm(5)[:2] // no quorum, unless one is the follower
		}
		when := next()
		t.Logf("%2d: killing %v at %s", done, victims, when.name)
		when.wait(c, t, victims[0])
		for _, i := range victims {
			var b *block
			if c.call(i, &b, "eth_getBlockByNumber", "finalized", false) == nil && b != nil {
				if known, ok := final[uint64(b.Number)]; ok && known != b.Hash {
					t.Fatalf("block %d was final as %v, %s calls %v final", b.Number, known, c.node(i).Name, b.Hash)
				}
				final[uint64(b.Number)] = b.Hash
			}
		}
		for _, i := range victims {
			c.killTelling(t, i, kept[i])
			done++
		}
		for _, i := range victims {
			start(i)
		}
	}

	var last uint64
	for _, i := range c.running() {
		c.awaitHead(t, 0, i)
		head := must.Get(c.head(i))(t)
		last = max(last, head)
	}
	// Validators that keep their vote log contradict nothing that they said before a crash.
	c.judge(t, last+3, c.running()...)
	for number, b := range c.chain(t, follower, last+3) {
		hash, ok := final[uint64(number)]
		expect.That(t, !ok || hash == b.Hash, "block %d was final as %v, is %v", number, hash, b.Hash)
	}
	for _, i := range c.running() {
		if balance := c.balance(t, i, c.network.Accounts[1].Address, "latest"); balance.Sign() <= 0 {
			t.Errorf("%s: the state of the head has balance %v", c.node(i).Name, balance)
		}
		t.Logf("%s started %d times", c.node(i).Name, c.checkRecovered(t, i, kept[i]))
	}
	expect.That(t, len(final) >= least, "only %d final blocks were seen", len(final))
}

// gwon import that is killed and given the same file again finishes its work. It is killed after a part of the
// processor time that a whole import takes, whatever else the machine does.
func TestKillsDuringImport(t *testing.T) {
	t.Parallel()
	const (
		blocks = 300
		kills  = 10
		part   = 0.6 // at most
	)
	random := randomness(t)
	c := agedCluster(t, 1, time.Hour)
	file := c.prehistory(t, blocks, c.payments(t, 2))
	begin := func(i int) (cmd *exec.Cmd, ended chan error) {
		cmd, ended = exec.Command(binary, "--datadir", c.node(i).Dir, "--cache", "64", "import", file), make(chan error, 1)
		cmd.Env, cmd.Stderr = environment(c.node(i).Dir), t.Output()
		must.Do(t, cmd.Start())
		go func() { ended <- cmd.Wait() }()
		return cmd, ended
	}
	cmd, ended := begin(c.addFollowers(t, 1))
	must.Do(t, <-ended)
	whole := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	finished := 0
	for range kills {
		cmd, ended := begin(0)
		limit := time.Duration(part * random.Float64() * float64(whole))
		for running := true; running; {
			select {
			case err := <-ended:
				must.Do(t, err)
				finished++
				running = false
			case <-time.After(time.Millisecond):
				if cpuTime(cmd.Process.Pid) >= limit {
					_ = cmd.Process.Kill() // it may have ended
					<-ended                //nolint:errcheck // a kill ends it with an error
					running = false
				}
			}
		}
	}
	t.Logf("%d of %d runs came to their end before they were killed", finished, kills)
	expect.That(t, finished <= kills/2, "%d of %d imports were not killed: the test kills too late", finished, kills)
	_, ended = begin(0)
	must.Do(t, <-ended)
	c.start(t, 0, "--validator.signfrom", strconv.Itoa(blocks+1)) // the blocks have its seals, and there is no log of them
	c.awaitHead(t, blocks+2, 0)
	other := filepath.Join(c.network.Dir, "again.rlp")
	c.stop(t, 0)
	_, stderr, err := gwon(t, c.node(0).Dir, "--datadir", c.node(0).Dir, "export", other, "0", fmt.Sprint(blocks))
	must.That(t, err == nil, "export: %v: %s", err, stderr)
	want := must.Get(os.ReadFile(file))(t)
	if got, err := os.ReadFile(other); err != nil || string(got) != string(want) {
		t.Errorf("the imported chain is not the one in the file: %d bytes, want %d, error %v", len(got), len(want), err)
	}
}

// A follower that is killed again and again while it executes the chain gets to the head, and has what the others have.
func TestKillsDuringSync(t *testing.T) {
	t.Parallel()
	const (
		blocks = 500
		kills  = 6
	)
	random := randomness(t)
	c := startAgedCluster(t, 1, blocks, 5, 0)
	node, kept := c.addFollowers(t, 1), make(told)
	for i := range uint64(kills) {
		c.follow(t, node, []int{0})
		c.awaitHead(t, (i+random.Uint64N(2))*blocks/kills, node)
		c.killTelling(t, node, kept)
	}
	c.follow(t, node, []int{0})
	c.atHead(t, node, 0)
	t.Logf("%s started %d times, told of %v", c.node(node).Name, c.checkRecovered(t, node, kept), kept)
	c.judge(t, must.Get(c.head(0))(t), c.running()...)
}
