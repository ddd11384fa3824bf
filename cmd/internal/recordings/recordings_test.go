// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package recordings

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/urfave/cli/v2"

	"gwon/cmd/internal/apptest"
	"gwon/cmd/internal/settings"
	"gwon/consensus/wbft/explain"
	"gwon/consensus/wbft/recording"
	"gwon/consensus/wbft/sim"
	"gwon/internal/expect"
	"gwon/internal/must"
)

func run(t *testing.T, args ...string) (string, error) {
	t.Helper()
	return apptest.Run(t, settings.NewApp([]*cli.Command{ReplayCommand, ExplainCommand}), args...)
}

// record runs four validators, the last of which is killed, and returns the directory with their data directories.
func record(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		n := sim.New(sim.Config{Nodes: 4, Seed: 1, Quiet: true, Record: func(node int) []recording.Writer {
			ring, err := recording.NewRing(recording.RingConfig{
				Dir: filepath.Join(dir, fmt.Sprintf("node%d", node+1), "gwon", recording.Dir), Size: 64 << 20, Build: "test",
			})
			if err != nil {
				t.Error(err)
				return nil
			}
			return []recording.Writer{ring}
		}})
		defer n.Close()
		expect.Error(t, n.Run(2500*time.Millisecond), nil, "n.Run")
		n.Node(3).Crash()
		expect.Error(t, n.Run(5*time.Second), nil, "n.Run")
	})
	return dir
}

func TestCommands(t *testing.T) {
	dir := record(t)
	all := []string{}
	for i := range 4 {
		all = append(all, filepath.Join(dir, fmt.Sprintf("node%d", i+1)))
	}
	t.Run("replay", func(t *testing.T) {
		out, err := run(t, append([]string{"replay"}, all...)...)
		expect.That(t, err == nil && strings.Contains(out, "calls of 4 recordings without a difference"), "%v: %s", err, out)
	})
	t.Run("replay of a data directory", func(t *testing.T) {
		out, err := run(t, "replay", "--datadir", all[0])
		expect.That(t, err == nil && strings.Contains(out, "calls of 1 recordings without a difference"), "%v: %s", err, out)
	})
	var explained explain.Explanation
	t.Run("explain", func(t *testing.T) {
		for number := 3; number < 6; number++ {
			args := []string{"explain", "--json"}
			for _, d := range all {
				args = append(args, "--recording", d)
			}
			out := must.Get(run(t, append(args, fmt.Sprint(number))...))(t)
			var e explain.Explanation
			must.Do(t, json.Unmarshal([]byte(out), &e))
			if e.Round != nil && *e.Round > 0 {
				explained = e
			}
		}
		text := strings.Join(explained.Sentences, "\n")
		expect.Contains(t, text, "Round 0 waited for the proposal of node4 (0x", "the killed validator is not named")
	})
	t.Run("explain by hash", func(t *testing.T) {
		must.That(t, explained.Hash != nil, "no block was explained")
		out, err := run(t, "explain", "--recording", all[1], explained.Hash.Hex())
		expect.That(t, err == nil && strings.Contains(out, fmt.Sprintf("Block %d was sealed in round 1", explained.Sequence)),
			"%v: %s", err, out)
	})
	t.Run("scenario", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "scenario.json")
		number := fmt.Sprint(explained.Sequence)
		out, err := run(t, append([]string{"replay", "--scenario", path, "--block", number}, all...)...)
		must.That(t, err == nil && strings.Contains(out, "Scenario of block "+number+" with 3 validators written to"),
			"%v: %s", err, out)
		file := must.Get(os.Open(path))(t)
		defer func() { _ = file.Close() }()
		s := must.Get(recording.ReadScenario(file))(t)
		calls, err := s.Play()
		expect.That(t, err == nil && calls >= 30, "%d calls: %v", calls, err)
		expect.Contains(t, strings.Join(s.About, "\n"), "Round 0 waited for the proposal of node4", "about")
	})
	for _, row := range []struct {
		args []string
		want string
	}{
		{[]string{"explain", "--recording", all[0], "4000"}, "no recording shows sequence 4000"},
		{[]string{"explain", "--recording", all[0], "0"}, "block 0 was not decided"},
		{[]string{"explain", "--recording", all[0], "soon"}, "neither the number nor the hash"},
		{[]string{"explain"}, "give the number or the hash of one block"},
		{[]string{"explain", "--recording", all[0], "0x" + strings.Repeat("ab", 32)}, "no recording has a head with hash"},
		{[]string{"replay", t.TempDir()}, "has no recording"},
		{[]string{"explain", "--datadir", filepath.Join(dir, "node9"), "3"}, "recorder has no recording: name a directory"},
		{[]string{"replay", "--scenario", "x.json", all[0]}, "give both: --scenario FILE and --block NUMBER"},
		{[]string{"replay", "--block", "3", all[0]}, "give both: --scenario FILE and --block NUMBER"},
		{[]string{"replay", "--scenario", "x.json", "--block", "4000", all[0]}, "has the begin of sequence 4000"},
	} {
		t.Run(strings.Join(row.args[:1], " ")+" "+row.want, func(t *testing.T) {
			expect.Says(t, expect.Err(run(t, row.args...)), row.want, "refusal")
		})
	}
	t.Run("damaged", func(t *testing.T) {
		file, content := firstFile(t, all[0])
		content[len(content)/2] ^= 1
		damaged := apptest.WriteFile(t, filepath.Join(t.TempDir(), "x"+filepath.Ext(file)), content)
		out, err := run(t, "replay", damaged)
		expect.That(t, err != nil && strings.Contains(out, "the recording is damaged: a wrong checksum after byte"),
			"%v: %s", err, out)
	})
	t.Run("torn", func(t *testing.T) {
		_, content := firstFile(t, all[0])
		torn := apptest.WriteFile(t, filepath.Join(t.TempDir(), "x"), content[:len(content)-3])
		out, err := run(t, "replay", torn)
		expect.That(t, err == nil && strings.Contains(out, "ends inside of a record, as after a kill of the node"),
			"%v: %s", err, out)
		_, err = run(t, "explain", "--recording", torn, "4000")
		expect.Says(t, err, torn+": the recording ends inside of a record", "refusal")
		expect.Error(t, expect.Err(run(t, "explain", "--recording", torn, "3")), nil, "error")
	})
	t.Run("no recording", func(t *testing.T) {
		other := apptest.WriteFile(t, filepath.Join(t.TempDir(), "x"), []byte("something else"))
		out, err := run(t, "replay", other)
		want := "\n" + other + ": no recording of gwon\n"
		expect.That(t, err != nil && strings.Contains("\n"+out, want), "%v: %q, want %q", err, out, want)
		_, err = run(t, "explain", "--recording", other, "3")
		want = "; " + other + ": no recording of gwon"
		expect.That(t, err != nil && strings.HasSuffix(err.Error(), want), "error %v, want %q", err, want)
	})
}

// firstFile returns the name and the content of the first file of a recording.
func firstFile(t *testing.T, dir string) (name string, content []byte) {
	t.Helper()
	files := must.Get(recording.Files(dir))(t)
	content = must.Get(os.ReadFile(files[0]))(t)
	return files[0], content
}
