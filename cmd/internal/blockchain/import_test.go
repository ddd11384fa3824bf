// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package blockchain

import (
	"bytes"
	"compress/gzip"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	gethparams "github.com/ethereum/go-ethereum/params"
	"github.com/ethereum/go-ethereum/rlp"

	"gwon/cmd/internal/apptest"
	"gwon/internal/expect"
	"gwon/internal/must"
)

// A file of another chain is refused with both genesis blocks, one that begins above the head with both numbers, and
// one that is no export with that. Nothing of it is executed.
func TestImportOfAnotherChain(t *testing.T) {
	data := t.TempDir()
	must.Get(run(t, "init", "--datadir", data, apptest.PrivateGenesis(t)))(t)
	own := filepath.Join(t.TempDir(), "own")
	must.Get(run(t, "export", "--datadir", data, own))(t)
	ownContent := must.Get(os.ReadFile(own))(t)
	genesis, err := firstHeader(own)
	must.That(t, err == nil && genesis != nil && genesis.Number.Sign() == 0, "the export begins with %v, %v", genesis, err)
	here, other := genesis.Hash(), common.Hash{0: 0xee, 31: 1}
	file := func(number int64, parent common.Hash) []byte {
		block := types.NewBlockWithHeader(&types.Header{
			Number: big.NewInt(number), ParentHash: parent, Difficulty: common.Big1, BaseFee: big.NewInt(gethparams.GWei),
		})
		return must.Get(rlp.EncodeToBytes(block))(t)
	}
	foreign := types.NewBlockWithHeader(&types.Header{Number: new(big.Int), Difficulty: common.Big1}).Hash()
	var zipped bytes.Buffer
	writer := gzip.NewWriter(&zipped)
	must.Get(writer.Write(file(1, other)))(t)
	must.Do(t, writer.Close())
	foreignFile := must.Get(rlp.EncodeToBytes(types.NewBlockWithHeader(&types.Header{Number: new(big.Int),
		Difficulty: common.Big1})))(t)
	for _, c := range []struct {
		name, file string
		content    []byte
		want       []string
	}{
		{"from genesis on", "blocks", foreignFile, []string{foreign.Hex(), here.Hex(), "another chain"}},
		{"from block 1 on", "blocks", file(1, other), []string{other.Hex(), here.Hex(), "another chain"}},
		{"compressed", "blocks.gz", zipped.Bytes(), []string{other.Hex(), here.Hex(), "another chain"}},
		{"above the head", "blocks", file(7, other), []string{"number 7", "ends at block 0"}},
		{"no export", "blocks", []byte("no blocks"),
			[]string{"does not begin with an exported block (rlp: expected input list): give a file that gwon export wrote"}},
		{"no header", "blocks", []byte{0xc3, 0xc0, 0xc0, 0xc0}, []string{"(rlp: too few elements): give a file"}},
		{"damaged behind", "blocks", append(ownContent, "no blocks"...),
			[]string{"block 1 of the file is damaged (rlp: expected input list): export it again"}},
		{"empty", "blocks", nil, []string{"holds no block"}},
		{"empty, compressed", "blocks.gz", emptyGzip(t), []string{"holds no block"}},
		{"not compressed", "blocks.gz", []byte("no blocks"), []string{"no gzip file"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := apptest.WriteFile(t, filepath.Join(t.TempDir(), c.file), c.content)
			_, err := run(t, "import", "--datadir", data, path)
			for _, want := range append(c.want, path) {
				expect.Says(t, err, want, "no %q in", want)
			}
			if err != nil && (strings.Contains(err.Error(), "struct") || strings.Contains(err.Error(), "types.")) {
				t.Errorf("the error names a Go type: %v", err)
			}
			expect.That(t, err == nil || !strings.Contains(err.Error(), "unknown ancestor"), "the chain was asked: %v", err)
		})
	}
	for flag, want := range map[string]string{"--cache=64": "block 0", "--json": `"number": 0,`} {
		expect.Contains(t, must.Get(run(t, "import", flag, "--datadir", data, own))(t), want, "own with %s", flag)
	}
}

func emptyGzip(t *testing.T) []byte {
	t.Helper()
	var zipped bytes.Buffer
	must.Do(t, gzip.NewWriter(&zipped).Close())
	return zipped.Bytes()
}

// Commands that need a chain say how to make one where there is none.
func TestNoChain(t *testing.T) {
	for _, args := range [][]string{{"import", "--datadir", "", "blocks"}, {"export", "--datadir", "", "blocks"},
		{"db", "inspect", "--datadir", ""}} {
		dir := t.TempDir()
		for i, arg := range args {
			if arg == "--datadir" {
				args[i+1] = dir
			}
		}
		_, err := run(t, args...)
		for _, want := range []string{dir, "gwon init", "--datadir"} {
			expect.Says(t, err, want, "%v: no %s in", args, want)
		}
	}
}
