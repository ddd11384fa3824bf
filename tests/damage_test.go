// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

//go:build nodes && unix

package tests

import (
	"bytes"
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
)

// everyDamage is an environment variable that has each file of a data directory damaged in each way, which takes some minutes.
const everyDamage = "GWON_TEST_EVERY_DAMAGE"

// damages are the ways in which a file loses its contents; nil content removes it.
var damages = []struct {
	name   string
	damage func(content []byte) []byte
}{
	{"half", func(content []byte) []byte { return content[:len(content)/2] }},
	{"start", func(content []byte) []byte { return zeroed(content, 0) }},
	{"middle", func(content []byte) []byte { return zeroed(content, len(content)/2) }},
	{"removed", func([]byte) []byte { return nil }},
}

// zeroed returns content with 64 bytes of zeros from a place on.
func zeroed(content []byte, from int) []byte {
	clear(content[from:min(len(content), from+64)])
	return content
}

// oldDirectory returns a data directory of a stopped node that has files of every kind: a chain of 300 blocks whose beginning is in
// the ancient store, histories of states, votes, and a database of peers.
func oldDirectory(t *testing.T) (dir string, head uint64) {
	t.Helper()
	const past, frozen = 300, 200
	c, err := newAgedCluster(workDir(t), 1, past*time.Second+time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.close(); err != nil {
			t.Error(err)
		}
	})
	c.give(t, c.prehistory(t, past, 2), 0)
	freeze(t, c.node(0).Dir, frozen)
	c.start(t, 0, "--validator.signfrom", fmt.Sprint(past+1))
	c.awaitHead(t, past+2, 0)
	c.stop(t, 0)
	return c.node(0).Dir, past
}

// digits are what differs between the names of files of one kind.
var digits = regexp.MustCompile(`\d+`)

// filesOf returns the files below a directory that a node reads at its start, relative to it. Unless all are asked for, it returns
// one of each kind.
func filesOf(t *testing.T, dir string, all bool) (files []string) {
	t.Helper()
	seen := make(map[string]bool)
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		name, err := filepath.Rel(dir, path)
		kind := digits.ReplaceAllString(name, "N")
		if info.Size() == 0 || strings.HasSuffix(name, ".log") && filepath.Dir(name) == "." || seen[kind] && !all {
			return err
		}
		seen[kind] = true
		files = append(files, name)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// startDamaged runs a node with a directory until it has answered, or ended. It returns what the node has printed, and whether it
// has answered.
func startDamaged(t *testing.T, dir string, head uint64) (printed string, answered bool, err error) {
	t.Helper()
	port := freePort(t)
	cmd := exec.Command(binary, "--datadir", dir, "--nodiscover", "--nat", "none", "--bootnodes", "", "--port", "0", "--ipcdisable",
		"--cache", "64", "--mine", "--verbosity", "1", "--http", "--http.port", fmt.Sprint(port))
	cmd.Env = environment(t.TempDir())
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	deadline := time.After(patience)
	poll := time.NewTicker(pollInterval)
	defer poll.Stop()
	for {
		select {
		case err := <-ended:
			return stderr.String(), answered, err
		case <-deadline:
			_ = cmd.Process.Kill() // the failure is told below
			<-ended
			t.Fatalf("neither an answer nor an end within %v:\n%s", patience, stderr.String())
		case <-poll.C:
		}
		if !answered && answers(fmt.Sprintf("127.0.0.1:%d", port), head) {
			answered = true
			if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
				t.Log(err) // it has ended
			}
		}
	}
}

// answers reports whether a node gives its head and has been asked for old blocks, logs and states, whatever it said to that.
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

// TestDamagedFiles damages one file of a stopped node after the other. The node starts and answers, or ends with one sentence. It
// never shows a stack, and deletes nothing but what it can make again.
func TestDamagedFiles(t *testing.T) {
	all := os.Getenv(everyDamage) != ""
	dir, head := oldDirectory(t)
	files := filesOf(t, dir, all)
	if len(files) < 20 {
		t.Fatalf("a directory of %v", files)
	}
	for _, file := range files {
		for i, way := range damages {
			if !all && (i != 0 && i != 2) {
				continue
			}
			t.Run(file+"/"+way.name, func(t *testing.T) {
				damaged := filepath.Join(t.TempDir(), "node")
				if err := os.CopyFS(damaged, os.DirFS(dir)); err != nil {
					t.Fatal(err)
				}
				path := filepath.Join(damaged, file)
				content, err := os.ReadFile(path)
				if err != nil {
					t.Fatal(err)
				}
				if content = way.damage(content); content == nil {
					err = os.Remove(path)
				} else {
					err = os.WriteFile(path, content, 0o600)
				}
				if err != nil {
					t.Fatal(err)
				}
				printed, answered, err := startDamaged(t, damaged, head)
				t.Logf("answered %v, end %v: %s", answered, err, printed)
				lines := strings.Split(strings.TrimSpace(printed), "\n")
				last := lines[len(lines)-1]
				if strings.Contains(printed, "panic:") || strings.Contains(printed, "goroutine ") {
					t.Fatalf("a stack:\n%s", printed)
				}
				if !answered && (err == nil || !strings.HasPrefix(last, "gwon: ") || !strings.Contains(last, damaged)) {
					t.Errorf("no answer, and the end is %v:\n%s", err, printed)
				}
				if slices.ContainsFunc(lines[:len(lines)-1], func(line string) bool { return strings.HasPrefix(line, "gwon: ") }) {
					t.Errorf("more than a sentence:\n%s", printed)
				}
			})
		}
	}
}
