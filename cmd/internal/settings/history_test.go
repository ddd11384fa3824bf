// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package settings

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"

	"gwon/internal/expect"
	"gwon/internal/must"
)

// What is offered instead of a bad --history.chain works here: the names of points of Ethereum's chains do not.
func TestBadHistoryFlag(t *testing.T) {
	for _, value := range []string{"abc", "7", "", "custom", "postmerge", "postprague", "postosaka", "7:0x01", ":",
		"0:" + common.Hash{1}.Hex()} {
		_, err := run(t, "dumpconfig", "--history.chain", value)
		if err == nil || !strings.Contains(err.Error(), "NUMBER:HASH") || !strings.Contains(err.Error(), `or "all"`) {
			t.Errorf("--history.chain %q: %v", value, err)
			continue
		}
		file := filepath.Join(t.TempDir(), "config.toml")
		must.Do(t, os.WriteFile(file, fmt.Appendf(nil, "[Eth]\nHistoryMode = %q\n", value), 0o600))
		_, inFile := run(t, "dumpconfig", "--config", file)
		if inFile == nil {
			t.Errorf("HistoryMode = %q in the file is taken", value)
			continue
		}
		for _, name := range []string{"postmerge", "postprague", "postosaka"} {
			expect.That(t, name == value || !strings.Contains(fmt.Sprint(err, inFile), name),
				"%q: %s is offered: %v; %v", value, name, err, inFile)
		}
	}
	for _, value := range []string{"all", "7:" + common.Hash{1}.Hex()} {
		out, err := run(t, "dumpconfig", "--history.chain", value)
		expect.That(t, err == nil && strings.Contains(out, fmt.Sprintf("HistoryMode = %q", value)),
			"--history.chain %s: %v: %s", value, err, out)
	}
}
