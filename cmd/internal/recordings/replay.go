// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package recordings

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/ethereum/go-ethereum/common"
	"github.com/urfave/cli/v2"

	"gwon/cmd/internal/program"
	"gwon/cmd/internal/settings"
	"gwon/consensus/wbft/explain"
	"gwon/consensus/wbft/recording"
	"gwon/internal/atomicfile"
)

// ReplayCommand runs the consensus over recordings.
var ReplayCommand = &cli.Command{
	Name:      "replay",
	Usage:     "Run the consensus of this program over recordings and tell the first output that differs",
	ArgsUsage: "[file or directory]...",
	Description: "A validator records the inputs and outputs of its consensus (--wbft.recorder). Without an argument " +
		"the recordings of the data directory are replayed, also while the node runs. The exit status is 1 if an output " +
		"differs, or a recording is damaged or of another version. The end of a killed process is no damage. With " +
		"--scenario and --block the recordings of one block are written to a file that a test can keep.",
	Flags:  append([]cli.Flag{scenarioFlag, blockFlag, settings.DataDirFlag}, settings.NetworkFlags...),
	Action: replay,
}

var (
	scenarioFlag = &cli.StringFlag{
		Name:      "scenario",
		Usage:     "File for the scenario of a block (--block): what each recorded validator was given and did, as JSON",
		TakesFile: true,
	}
	blockFlag = &cli.Uint64Flag{Name: "block", Usage: "Block of the scenario"}
)

// filesOf returns the segments that arguments name, or those of the data directory.
func filesOf(ctx *cli.Context, named []string) ([]string, error) {
	if len(named) == 0 {
		cfg, _, err := settings.Load(ctx)
		if err != nil {
			return nil, err
		}
		named = []string{cfg.Node.ResolvePath(recording.Dir)}
	}
	for i, path := range named {
		named[i] = program.ExpandHome(path)
	}
	return recording.Files(named...)
}

func replay(ctx *cli.Context) error {
	if err := program.RefuseExisting(program.ExpandHome(ctx.String(scenarioFlag.Name))); err != nil {
		return err
	}
	files, err := filesOf(ctx, ctx.Args().Slice())
	if err != nil {
		return err
	}
	if ctx.IsSet(scenarioFlag.Name) || ctx.IsSet(blockFlag.Name) {
		return writeScenario(ctx, files)
	}
	bad, calls := 0, uint64(0)
	for _, file := range files {
		n, err := replayFile(ctx.App.Writer, file)
		calls += n
		if err != nil {
			bad++
			if _, err := fmt.Fprintf(ctx.App.Writer, "%s: %v\n", file, err); err != nil {
				return err
			}
		}
	}
	if bad > 0 {
		return fmt.Errorf("%d of %d recordings do not replay", bad, len(files))
	}
	_, err = fmt.Fprintf(ctx.App.Writer, "Replayed %d calls of %d recordings without a difference\n", calls, len(files))
	return err
}

// writeScenario writes the scenario of a block, with the sentences of its explanation.
func writeScenario(ctx *cli.Context, files []string) (err error) {
	path, number := program.ExpandHome(ctx.String(scenarioFlag.Name)), ctx.Uint64(blockFlag.Name)
	if path == "" || number == 0 {
		return errors.New("give both: --scenario FILE and --block NUMBER, of a block after genesis")
	}
	s, problems, err := recording.ScenarioOf(files, number)
	for _, problem := range problems {
		if _, err := fmt.Fprintf(ctx.App.Writer, "Not read: %s\n", problem); err != nil {
			return err
		}
	}
	if err != nil {
		return err
	}
	views, _ := explain.Gather(files, number) // problems are those above
	if e, err := explain.Explain(number, views, nameOf(files)); err == nil {
		s.About = e.Sentences
	}
	if _, err := s.Play(); err != nil {
		return err
	}
	var content bytes.Buffer
	if err := s.Write(&content); err != nil {
		return err
	}
	if err := atomicfile.Write(path, content.Bytes(), 0o644); err != nil {
		return err
	}
	_, err = fmt.Fprintf(ctx.App.Writer, "Scenario of block %d with %d validators written to %s\n", number, len(s.Nodes),
		path)
	return err
}

// replayFile replays a segment and tells of a torn end.
func replayFile(w io.Writer, file string) (calls uint64, err error) {
	s, err := recording.OpenSegment(file)
	if errors.Is(err, recording.ErrTorn) {
		_, err = fmt.Fprintf(w, "%s: nothing to replay: %v\n", file, recording.ErrTorn)
		return 0, err
	}
	if err != nil {
		return 0, err
	}
	calls, err = s.Replay(nil)
	if errors.Is(err, recording.ErrTorn) {
		_, err = fmt.Fprintf(w, "%s: %d calls; then %v\n", file, calls, recording.ErrTorn)
	}
	return calls, errors.Join(err, s.Close())
}

// nameOf returns a function that names validators: by the data directory of their recording, if there is one.
func nameOf(files []string) func(common.Address) string {
	names := make(map[common.Address]string)
	for _, file := range files {
		s, err := recording.OpenSegment(file)
		if err != nil {
			continue // the command tells what is wrong with it
		}
		dir := filepath.Dir(file)
		for _, own := range []string{recording.Dir, program.Name} {
			if filepath.Base(dir) == own {
				dir = filepath.Dir(dir)
			}
		}
		if base := filepath.Base(dir); strings.Trim(base, "./") != "" {
			names[s.Header.Validator] = base
		}
		if s.Close() != nil {
			continue
		}
	}
	return func(a common.Address) string {
		if name := names[a]; name != "" {
			hex := a.Hex()
			return fmt.Sprintf("%s (%s...%s)", name, hex[:6], hex[len(hex)-4:])
		}
		return a.String()
	}
}
