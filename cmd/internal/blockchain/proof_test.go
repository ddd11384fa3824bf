// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package blockchain

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	gethcore "github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/types"
	gethparams "github.com/ethereum/go-ethereum/params"

	"gwon/consensus/finality"
	"gwon/consensus/wbft/wbfttest"
)

// proofSource is a chain whose blocks are proven.
type proofSource struct {
	*gethcore.BlockChain
	config *gethparams.ChainConfig
}

func (c proofSource) Header(number uint64) *types.Header { return c.GetHeaderByNumber(number) }

func (c proofSource) LastEpochBlock(number uint64) uint64 { return c.config.LastEpochBlock(number) }

// The command believes a proof that starts from the trusted block, from a file or standard input, and no other.
// spec: wbft 7.5
func TestProofVerify(t *testing.T) {
	net := wbfttest.New(t, 4)
	chain, _ := net.Chain(t)
	net.Extend(t, chain, 6)
	proof, err := finality.Build(proofSource{chain, chain.Config()}, 0, 6)
	if err != nil {
		t.Fatal(err)
	}
	encoded, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "result": proof})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "proof.json")
	if err := os.WriteFile(file, encoded, 0o600); err != nil {
		t.Fatal(err)
	}
	genesis, head := chain.Genesis().Hash().Hex(), chain.CurrentBlock().Hash().Hex()
	for _, test := range []struct {
		name  string
		args  []string
		want  string // in the output
		fault string // in the error
	}{
		{"from genesis", []string{"--trusted", genesis, file}, "Block 6 is final\n  hash        " + head, ""},
		{"as JSON", []string{"--trusted", genesis, "--json", file}, `"hash": "` + head + `"`, ""},
		{"standard input", []string{"--trusted", genesis, "-"}, head, ""},
		{"another chain", []string{"--testnet", file}, "", "proof of another chain"},
		{"another block", []string{"--trusted", head, file}, "", "proof of another chain"},
		{"no trusted block", []string{file}, "", "give one of --testnet, --mainnet and --trusted HASH"},
		{"two trusted blocks", []string{"--testnet", "--trusted", genesis, file}, "", "give one of"},
		{"half a hash", []string{"--trusted", genesis[:20], file}, "", "give a block hash"},
		{"no file", []string{"--trusted", genesis}, "", "give one file"},
		{"a missing file", []string{"--trusted", genesis, file + "x"}, "", "open the proof"},
	} {
		t.Run(test.name, func(t *testing.T) {
			out, err := runApp(t, string(encoded), append([]string{"proof", "verify"}, test.args...)...)
			switch {
			case test.fault == "" && (err != nil || !strings.Contains(out, test.want)):
				t.Errorf("%v, %s, want %s", err, out, test.want)
			case test.fault != "" && (err == nil || !strings.Contains(err.Error(), test.fault)):
				t.Errorf("%v, %s, want %s", err, out, test.fault)
			}
		})
	}
}
