// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

//go:build nodes && unix

package tests

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	gethcore "github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/rlp"

	"gwon/core"
	"gwon/internal/expect"
	"gwon/internal/must"
	"gwon/operator/adopt"
	"gwon/operator/adopt/adopttest"
)

// sealsAfter is the most between the end of go-stablenet and the first seal of gwon, of blocks of a second.
const sealsAfter = 15 * time.Second

// move is a network of go-stablenet whose validators change to gwon. A process of gwon with a directory of its own
// stands for go-stablenet until its turn; its chain is written then in the formats of go-stablenet.
type move struct {
	*governed
	genesis *gethcore.Genesis
	dir     string
}

// section returns the commands of a section of a page.
func section(t *testing.T, page, title string) string {
	t.Helper()
	_, rest, found := strings.Cut(page, "\n## "+title+"\n")
	text, _, _ := strings.Cut(rest, "\n## ")
	must.That(t, found, "the page has no section %q", title)
	return commandsOf(t, text)
}

// standIn is the directory of the process that stands for go-stablenet, while it does not run.
func (m *move) standIn(i int) string { return filepath.Join(m.dir, fmt.Sprint("standin", i+1)) }

// old is the data directory of go-stablenet: that of gwon, as with one command line for both, or one of its own.
func (m *move) old(i int) string {
	if i%2 == 0 {
		return m.node(i).Dir
	}
	return filepath.Join(m.dir, fmt.Sprint("old", i+1))
}

// export returns the chain of a node that does not run, genesis block first.
func (m *move) export(t *testing.T, i int) (blocks types.Blocks) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "blocks")
	out, err := runGwon(t, "export", "--datadir", m.node(i).Dir, file)
	must.That(t, err == nil, "%v", out)
	text := must.Get(os.ReadFile(file))(t)
	for stream := rlp.NewStream(bytes.NewReader(text), 0); ; {
		b := new(types.Block)
		if err := stream.Decode(b); errors.Is(err, io.EOF) {
			return blocks
		} else if err != nil {
			t.Fatal(err)
		}
		blocks = append(blocks, b)
	}
}

// writeOld ends the stand-in of a validator: its chain, key and accepted transactions are go-stablenet's from now on.
func (m *move) writeOld(t *testing.T, i int, kind adopttest.Options) {
	t.Helper()
	blocks := m.export(t, i)
	from, to := filepath.Join(m.node(i).Dir, "gwon"), m.standIn(i)
	must.Do(t, os.Rename(from, to))
	var err error
	kind.Key, err = crypto.LoadECDSA(filepath.Join(to, "nodekey"))
	must.Do(t, err)
	adopttest.Write(t, m.old(i), m.genesis, blocks[1:], kind)
	m.keepAccepted(t, i)
}

// keepAccepted gives go-stablenet the accepted transactions of its stand-in.
func (m *move) keepAccepted(t *testing.T, i int) {
	t.Helper()
	const name = "transactions.rlp"
	accepted, err := os.ReadFile(filepath.Join(m.standIn(i), name))
	if err == nil {
		err = os.WriteFile(filepath.Join(m.old(i), adopt.Instance, name), accepted, 0o600)
	}
	must.Do(t, err)
}

// awaitSeal waits for the first seal of a validator above a block.
func (m *move) awaitSeal(t *testing.T, i, witness int, above uint64) {
	t.Helper()
	m.await(t, "a seal of "+m.node(i).Name, func() (bool, string) {
		head, err := m.head(witness)
		for ; err == nil && above < head; above++ {
			var signers struct {
				Author     common.Address
				Committers []common.Address
			}
			m.must(t, witness, &signers, "istanbul_getCommitSignersFromBlock", hexutil.Uint64(above+1))
			if slices.Contains(append(signers.Committers, signers.Author), m.node(i).Address) {
				return true, ""
			}
		}
		return false, fmt.Sprint(above, err)
	})
}

// play runs the commands of a section for a validator. A service that starts or stops is a process of this test. It
// returns what the commands print, and the time without a seal of the validator.
func (m *move) play(t *testing.T, i int, commands string, stopped, started func()) (out string, without time.Duration) {
	t.Helper()
	witness := (i + 1) % len(m.network.Nodes)
	environ := []string{
		"DATA=" + m.node(i).Dir, "OLD=" + m.old(i), "NODE=" + m.node(i).HTTP(), "OTHER=" + m.node(witness).HTTP(),
	}
	var last uint64
	var ended time.Time
	services := regexp.MustCompile(`(?m)^systemctl (stop|start) (gwon|gstable)\n`)
	rest := commands
	for _, at := range append(services.FindAllStringSubmatchIndex(commands, -1), nil) {
		script := rest
		if at != nil {
			script = commands[len(commands)-len(rest) : at[0]]
		}
		if script != "" {
			out += runCommands(t, m.dir, script, nil, environ...)
		}
		if at == nil {
			break
		}
		rest = commands[at[1]:]
		if commands[at[2]:at[3]] == "stop" {
			m.stop(t, i)
			ended = time.Now()
			stopped()
			last = m.nextHead(t, witness)
			continue
		}
		started()
		m.start(t, i)
		if service := commands[at[4]:at[5]]; service == "gstable" { // its stand-in knows that votes are lost, and waits
			m.awaitHead(t, m.nextHead(t, witness), i)
			continue
		}
		m.awaitSeal(t, i, witness, last)
		without = time.Since(ended)
	}
	return out, without
}

// newMove starts a network of go-stablenet.
func newMove(t *testing.T) *move {
	t.Helper()
	m := &move{governed: prepareGoverned(t, 4, unchanged), dir: workDir(t)}
	text := must.Get(os.Open(filepath.Join(m.network.Dir, "genesis.json")))(t)
	given, err := core.ReadGenesis(text)
	if err == nil {
		m.genesis, _, err = core.BuildGenesis(given, nil)
	}
	must.Do(t, errors.Join(err, text.Close()))
	for i := range m.network.Nodes {
		m.start(t, i)
	}
	m.awaitHead(t, 3, m.running()...)
	return m
}

// More validators than may fail change at once. The network stands still, because their votes for the next block are
// not known, until their operator names that block. spec: wbft 5.10
func TestChangeOfTwoAtOnce(t *testing.T) {
	t.Parallel()
	m := newMove(t)
	f := m.startFeed(t, m.network.Accounts[1])
	m.awaitHead(t, 12, m.running()...)
	f.end()
	for _, i := range []int{2, 3} {
		m.stop(t, i)
	}
	for i, n := range map[int]int{2: 2, 3: 4} { // pebble path, leveldb hash
		m.writeOld(t, i, adopttest.Kinds(8, 9)[n])
		if i == 3 { // as with one data directory for both programs
			name := adopt.Instance
			must.Do(t, os.Rename(filepath.Join(m.old(i), name), filepath.Join(m.node(i).Dir, name)))
		}
		m.start(t, i, "--adopt")
	}
	next := m.nextHead(t, 0)
	for _, i := range []int{2, 3} {
		m.awaitHead(t, next-1, i)
		m.await(t, "the command in the status", func() (bool, string) {
			out, _, err := gwon(t, t.TempDir(), "status", "--datadir", m.node(i).Dir)
			return strings.Contains(out, fmt.Sprint("--validator.signfrom ", next)), fmt.Sprint(out, err)
		})
	}
	now := m.nextHead(t, 0)
	expect.That(t, now == next, "block %d was made while two of four wait", now-1)
	for _, i := range []int{2, 3} {
		m.stop(t, i)
		m.start(t, i, "--adopt", "--validator.signfrom", fmt.Sprint(next))
	}
	m.judge(t, next+8, m.running()...)
}

// Four validators of go-stablenet change to gwon one after the other, by the commands of the page, each from a
// directory of another kind. The first one goes back, and changes once more by the flag of a start. Three keep sealing
// meanwhile, no transaction is lost, and no key contradicts itself. spec: wbft 9.1; network 10 no. 8
func TestChangeOfProgram(t *testing.T) {
	needTools(t, "sh", "curl")
	page := readPage(t, "docs/operate/moving.md")
	change := section(t, page, "All validators, one after the other")
	back, one := section(t, page, "The way back"), section(t, page, "Change the program")
	expect.Contains(t, change, one, "the commands for all validators lack those for one:\n%s", one)
	m := newMove(t)
	f := m.startFeed(t, m.network.Accounts[1])
	m.awaitHead(t, 12, m.running()...) // old directories have states of block 9
	usual := m.longestInterval(t, 3, 8)
	first := m.nextHead(t, 0)
	check := func(i int, without time.Duration) {
		t.Helper()
		t.Logf("%s seals %v after the stop", m.node(i).Name, without.Round(time.Millisecond))
		if without > sealsAfter {
			t.Errorf("%s seals %v after the stop, want at most %v", m.node(i).Name, without, sealsAfter)
		}
		if m.waits(t, i) {
			t.Errorf("%s waits, although it seals", m.node(i).Name)
		}
	}
	for i, n := range []int{2, 1, 4, 7} { // pebble path, pebble hash killed, leveldb hash, leveldb path killed
		kind := adopttest.Kinds(8, 9)[n]
		out, without := m.play(t, i, change, func() { m.writeOld(t, i, kind) }, func() {})
		check(i, without)
		for _, want := range []string{kind.Engine, kind.Scheme, "Moved the node key", m.node(i).Address.Hex(), "ready"} {
			expect.That(t, strings.Contains(out, want), "%v: the commands do not print %q:\n%s", kind, want, out)
		}
		hashes := regexp.MustCompile(`(?m)^"0x[0-9a-f]{64}0x[0-9a-f]{64}"$`).FindAllString(out, -1)
		expect.That(t, len(hashes) == 2 && hashes[0] == hashes[1],
			"block and state are %v on the two nodes:\n%s", hashes, out)
		if i == 0 {
			m.goBack(t, back, kind)
		}
	}
	last := m.nextHead(t, 0)
	m.awaitHead(t, last, m.running()...)
	f.end()
	// A proposer that is down costs one request timeout of two seconds.
	if longest := m.longestInterval(t, first, last); longest > max(3*time.Second, usual+2*time.Second) {
		t.Errorf("blocks %d to %d: an interval of %v, %v before", first, last, longest, usual)
	}
	f.check(t, m.cluster)
	m.judge(t, last, m.running()...)
	for n := range last {
		var want json.RawMessage
		m.must(t, 0, &want, "eth_getBlockReceipts", hexutil.Uint64(n))
		for i := range m.network.Nodes[1:] {
			var got json.RawMessage
			if m.must(t, i+1, &got, "eth_getBlockReceipts", hexutil.Uint64(n)); !bytes.Equal(got, want) {
				t.Errorf("%s has other receipts of block %d: %s, want %s", m.node(i+1).Name, n, got, want)
			}
		}
	}
}

// goBack plays the way back of the first validator, whose directory go-stablenet's decoders take, and its second change
// by a start with --adopt.
func (m *move) goBack(t *testing.T, commands string, kind adopttest.Options) {
	t.Helper()
	node, instance := m.node(0), filepath.Join(m.old(0), adopt.Instance)
	ours := filepath.Join(node.Dir, "gwon")
	var end uint64
	m.play(t, 0, commands, func() { end = m.nextHead(t, 1) }, func() {
		blocks := m.export(t, 0)
		adopttest.Check(t, instance, blocks)
		expect.Error(t, expect.Err(os.Stat(filepath.Join(ours, "nodekey"))), os.ErrNotExist, "gwon still has the key")
		m.awaitHead(t, end+6, 1, 2, 3)
		accepted := "transactions.rlp"
		must.Do(t, errors.Join(
			os.Rename(ours, ours+".returned"), os.Rename(m.standIn(0), ours),
			os.Rename(filepath.Join(instance, accepted), filepath.Join(ours, accepted)),
		))
	})
	m.stop(t, 0)
	ended := time.Now()
	must.Do(t, os.Rename(ours, m.standIn(0)))
	m.keepAccepted(t, 0)
	above := m.nextHead(t, 1)
	m.start(t, 0, "--adopt")
	m.awaitSeal(t, 0, 1, above)
	if without := time.Since(ended); without > sealsAfter {
		t.Errorf("%s seals %v after a start with --adopt", node.Name, without)
	} else {
		t.Logf("%s seals %v after the stop, with --adopt", node.Name, without.Round(time.Millisecond))
	}
	key, err := crypto.LoadECDSA(filepath.Join(ours, "nodekey"))
	expect.That(t, err == nil && crypto.PubkeyToAddress(key.PublicKey) == node.Address,
		"%s has another key: %v", node.Name, err)
}
