// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

//go:build nodes && unix

package tests

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common/hexutil"
	gethrpc "github.com/ethereum/go-ethereum/rpc"

	"gwon/internal/expect"
	"gwon/internal/must"
)

// damages are the ways in which a file loses its contents; nil content removes it.
var damages = []struct {
	name   string
	damage func(content []byte) []byte
}{
	{"half", func(content []byte) []byte { return content[:len(content)/2] }},
	{"start", func(content []byte) []byte { return zeroed(content, 0) }},
	{"middle", func(content []byte) []byte { return zeroed(content, len(content)/2) }},
	{"bit", func(content []byte) []byte {
		content[len(content)/2] ^= 1
		return content
	}},
	{"removed", func([]byte) []byte { return nil }},
}

// zeroed returns content with 64 bytes of zeros from a place on.
func zeroed(content []byte, from int) []byte {
	clear(content[from:min(len(content), from+64)])
	return content
}

// oldDirectory returns a data directory of a stopped node that has files of every kind: a chain of 300 blocks
// whose beginning is in the ancient store, histories of states, votes, and a database of peers.
func oldDirectory(t *testing.T) (dir string, head uint64) {
	t.Helper()
	const past, frozen = 300, 200
	c := startAgedCluster(t, 1, past, 2, frozen)
	c.awaitHead(t, past+2, 0)
	c.stop(t, 0)
	return c.node(0).Dir, past
}

// sameKind is what differs between the names of files of one kind. All tables of an ancient store are read by the
// same code.
var sameKind = regexp.MustCompile(`\d+|account|storage|bals|bodies|receipts`)

// filesOf returns the files below a directory that a node reads at its start, relative to it: all of them, and
// one of each kind if -short is set.
func filesOf(t *testing.T, dir string) (files []string) {
	t.Helper()
	seen := make(map[string]bool)
	must.Do(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		name, err := filepath.Rel(dir, path)
		kind := sameKind.ReplaceAllString(name, "N")
		if info.Size() == 0 || strings.HasSuffix(name, ".log") && filepath.Dir(name) == "." || seen[kind] && testing.Short() {
			return err
		}
		seen[kind] = true
		files = append(files, name)
		return err
	}))
	return files
}

// damagedNode is a node that runs with a directory, which has a damaged file or gets one.
type damagedNode struct {
	cmd     *exec.Cmd
	address string
	ended   chan error
	printed *bytes.Buffer // complete after the end
}

func startDamaged(t *testing.T, dir string) *damagedNode {
	t.Helper()
	port := freePort(t)
	n := &damagedNode{
		address: fmt.Sprintf("127.0.0.1:%d", port), ended: make(chan error, 1), printed: new(bytes.Buffer),
	}
	n.cmd = exec.Command(binary,
		"--datadir", dir, "--nodiscover", "--nat", "none", "--bootnodes", "", "--port", "0", "--ipcdisable",
		"--cache", "64", "--mine", "--verbosity", "1", "--http", "--http.port", fmt.Sprint(port),
		"--http.api", "eth,debug,istanbul",
	)
	n.cmd.Env = environment(t.TempDir())
	n.cmd.Stderr = n.printed
	must.Do(t, n.cmd.Start())
	go func() { n.ended <- n.cmd.Wait() }()
	return n
}

// await polls until the node has ended or cond holds, and reports whether it has ended.
func (n *damagedNode) await(t *testing.T, cond func() bool) (ended bool, err error) {
	t.Helper()
	deadline := time.After(patience)
	poll := time.NewTicker(pollInterval)
	defer poll.Stop()
	for {
		select {
		case err := <-n.ended:
			return true, err
		case <-deadline:
			_ = n.cmd.Process.Kill() // the failure is told below
			<-n.ended                //nolint:errcheck // killed
			t.Fatalf("nothing happened within %v:\n%s", patience, n.printed)
		case <-poll.C:
		}
		if cond() {
			return false, nil
		}
	}
}

// stop asks a node to end, unless it has.
func (n *damagedNode) stop(t *testing.T) error {
	t.Helper()
	if err := n.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Log(err) // it has ended
	}
	_, err := n.await(t, func() bool { return false })
	return err
}

// check fails unless the node has printed no stack and, where it ended by itself, one sentence that names the
// directory.
func (n *damagedNode) check(t *testing.T, dir string, refused bool, err error) {
	t.Helper()
	text := strings.TrimSpace(n.printed.String())
	must.That(t, !strings.Contains(text, "panic:") && !strings.Contains(text, "goroutine "), "a stack:\n%s", text)
	lines := strings.Split(text, "\n")
	last := lines[len(lines)-1]
	if refused && (err == nil || !strings.HasPrefix(last, "gwon: ") || !strings.Contains(last, dir)) {
		t.Errorf("the end is %v:\n%s", err, text)
	}
	isLog := func(line string) bool { return strings.HasPrefix(line, "ERROR") }
	expect.That(t, len(slices.DeleteFunc(lines[:len(lines)-1], isLog)) == 0, "more than a sentence:\n%s", text)
}

// answers reports whether a node gives its head and has been asked for old blocks, logs and states, whatever it
// said to that.
func answers(address string, head uint64) bool {
	connection, err := net.DialTimeout("tcp", address, time.Second)
	if err != nil {
		return false
	}
	_ = connection.Close() // was a question whether somebody listens
	client, err := gethrpc.Dial("http://" + address)
	if err != nil {
		return false
	}
	defer client.Close()
	var number hexutil.Uint64
	if client.Call(&number, "eth_blockNumber") != nil {
		return false
	}
	block := func(n uint64) string { return hexutil.EncodeUint64(n) }
	for _, n := range []uint64{0, 50, 150, 250, head} {
		_ = client.Call(nil, "eth_getBlockByNumber", block(n), true)
		_ = client.Call(nil, "eth_getBlockReceipts", block(n))
		_ = client.Call(nil, "eth_getBalance", "0x0000000000000000000000000000000000001000", block(n))
	}
	_ = client.Call(nil, "eth_getLogs", map[string]string{"fromBlock": "0x0", "toBlock": block(head)})
	return true
}

// seals reports whether a node has opened its votes, which it does after its endpoints.
func seals(address string) bool {
	client, err := gethrpc.Dial("http://" + address)
	if err != nil {
		return false
	}
	defer client.Close()
	var status struct{ Sealing bool }
	return client.Call(&status, "istanbul_consensusStatus") == nil && status.Sealing
}

// tells reports whether a damage is one that -short leaves: each kind of file is cut in half, and what else has ended
// in a stack once.
func tells(file, way string) bool {
	switch filepath.Ext(file) {
	case ".sst":
		return way == "half" || way == "start"
	case ".ridx":
		return way == "half" || way == "removed"
	case ".meta":
		return way == "start"
	}
	// Key, votes and recordings are what nothing makes again.
	return way == "half" || way == "bit" && unique.MatchString(file)
}

// unique are files whose content is nowhere else.
var unique = regexp.MustCompile(`^(gwon/(nodekey|votes\.log)|keystore/)|\.rec$`)

// mended are the files without which a start goes on: their content follows from others, or nothing needs it.
var mended = regexp.MustCompile(`\.([cr]idx|meta|journal|sum|layers|rec)$|/OPTIONS-|/state/`)

// kept are the files of a directory that nothing can make again.
var kept = []string{"gwon/nodekey", "gwon/votes.log", "keystore"}

// TestDamagedFiles damages one file of a stopped node after the other. The node starts and answers, or ends with
// one sentence. It never shows a stack, and leaves what cannot be made again as it is.
func TestDamagedFiles(t *testing.T) {
	t.Parallel()
	dir, head := oldDirectory(t)
	files := filesOf(t, dir)
	must.That(t, len(files) >= 20, "a directory of %v", files)
	for _, file := range files {
		for _, way := range damages {
			if testing.Short() && !tells(file, way.name) {
				continue
			}
			t.Run(file+"/"+way.name, func(t *testing.T) {
				damaged := filepath.Join(t.TempDir(), "node")
				must.Do(t, os.CopyFS(damaged, os.DirFS(dir)))
				damage(t, filepath.Join(damaged, file), way.damage)
				before := contents(t, damaged, kept)
				node := startDamaged(t, damaged)
				refused, err := node.await(t, func() bool {
					return answers(node.address, head) && (filepath.Base(file) != "votes.log" || seals(node.address))
				})
				if !refused {
					err = node.stop(t)
				}
				t.Logf("refused %v, end %v: %s", refused, err, node.printed)
				node.check(t, damaged, refused, err)
				expect.That(t, !refused || !mended.MatchString(file), "a file that nothing needs ends the start")
				expect.That(t, !refused || contents(t, damaged, kept) == before, "keys or votes have changed")
			})
		}
	}
}

// damage changes a file; nil removes it.
func damage(t *testing.T, path string, change func([]byte) []byte) {
	t.Helper()
	content, err := os.ReadFile(path)
	must.Do(t, err)
	if content = change(content); content == nil {
		err = os.Remove(path)
	} else {
		err = os.WriteFile(path, content, 0o600)
	}
	must.Do(t, err)
}

// contents returns names and contents of files and of those in directories.
func contents(t *testing.T, dir string, names []string) string {
	t.Helper()
	var text strings.Builder
	for _, name := range names {
		err := filepath.WalkDir(filepath.Join(dir, name), func(path string, d fs.DirEntry, err error) error {
			if errors.Is(err, fs.ErrNotExist) {
				return nil // that is the damage
			}
			if err != nil || d.IsDir() {
				return err
			}
			content, err := os.ReadFile(path)
			fmt.Fprintf(&text, "%s %x\n", path, content)
			return err
		})
		must.Do(t, err)
	}
	return text.String()
}

// TestDamageWhileRunning damages the tables of a running node, then has it read and rewrite them. It goes on, or
// ends with one sentence.
func TestDamageWhileRunning(t *testing.T) {
	t.Parallel()
	dir, head := oldDirectory(t)
	node := startDamaged(t, dir)
	if ended, err := node.await(t, func() bool { return answers(node.address, head) }); ended {
		t.Fatalf("the undamaged node ended: %v\n%s", err, node.printed)
	}
	for _, pattern := range []string{"*.sst", "ancient/chain/*.cdat", "ancient/state/*.cdat"} {
		files, err := filepath.Glob(filepath.Join(dir, "gwon", "chaindata", pattern))
		must.That(t, err == nil && len(files) != 0, "%s: files %v, error %v", pattern, files, err)
		for _, file := range files {
			damage(t, file, func(content []byte) []byte {
				for i := range content {
					content[i] ^= 0x55
				}
				return content
			})
		}
	}
	asked := false
	refused, err := node.await(t, func() bool {
		asked = asked || answers(node.address, head) && compacts(node.address)
		return asked
	})
	if !refused {
		err = node.stop(t)
	}
	t.Logf("ended by itself: %v, end %v: %s", refused, err, node.printed)
	node.check(t, dir, refused, err)
}

// compacts has a node rewrite its tables, whatever it says to that.
func compacts(address string) bool {
	client, err := gethrpc.Dial("http://" + address)
	if err != nil {
		return false
	}
	defer client.Close()
	_ = client.Call(nil, "debug_chaindbCompact") // the node may end
	return true
}
