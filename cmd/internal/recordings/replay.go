// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package recordings

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/ethereum/go-ethereum/common"
	"github.com/urfave/cli/v2"

	"gwon/cmd/internal/program"
	"gwon/cmd/internal/settings"
	"gwon/consensus/wbft/recording"
)

// ReplayCommand runs the consensus over recordings.
var ReplayCommand = &cli.Command{
	Name:      "replay",
	Usage:     "Run the consensus of this program over recordings and tell the first output that differs",
	ArgsUsage: "[file or directory]...",
	Description: "A validator records the inputs and outputs of its consensus (--wbft.recorder). Without an argument " +
		"the recordings of the data directory are replayed, also while the node runs. The exit status is 1 if an output " +
		"differs, or a recording is damaged or of another version. The end of a killed process is no damage.",
	Flags:  append([]cli.Flag{settings.DataDirFlag}, settings.NetworkFlags...),
	Action: replay,
}

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
	files, err := filesOf(ctx, ctx.Args().Slice())
	if err != nil {
		return err
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
