// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package blockchain

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/cmd/utils"
	"github.com/ethereum/go-ethereum/common"
	gethcore "github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/rlp"
	"github.com/urfave/cli/v2"

	"gwon/cmd/internal/apptest"
	"gwon/consensus/wbft/wbfttest"
	"gwon/core/rules"
	"gwon/internal/atomicfile"
	"gwon/internal/expect"
	"gwon/internal/must"
)

// payments returns a chain of this many blocks, each with a transaction, and its network.
func payments(t *testing.T, count int) (*wbfttest.Network, *gethcore.BlockChain, types.Blocks) {
	t.Helper()
	net := wbfttest.New(t, 4)
	key := must.Get(crypto.GenerateKey())(t)
	net.Genesis.Alloc[crypto.PubkeyToAddress(key.PublicKey)] = types.Account{Balance: new(big.Int).Lsh(common.Big1, 100)}
	chain, _ := net.Chain(t)
	nonce := uint64(0)
	blocks := net.ExtendWith(t, chain, count, func(parent *types.Header) []*types.Transaction {
		tip := big.NewInt(27_600_000_000_000)
		tx := must.Get(types.SignNewTx(key, types.LatestSigner(chain.Config()), &types.DynamicFeeTx{
			ChainID: chain.Config().ChainID, Nonce: nonce, To: &common.Address{1}, Gas: 21_000, Value: common.Big1,
			GasTipCap: tip, GasFeeCap: new(big.Int).Add(tip, new(big.Int).Lsh(parent.BaseFee, 1)),
		}))(t)
		nonce++
		return []*types.Transaction{tx}
	})
	return net, chain, blocks
}

// withEra1Files runs f with era1 files of a few blocks.
func withEra1Files(t *testing.T, blocks uint64) {
	t.Helper()
	full := utils.Era1Blocks
	t.Cleanup(func() { utils.Era1Blocks = full })
	utils.Era1Blocks = blocks
}

// What is exported is imported again with every seal, and what a tool reads is what the chain has: header, body and
// receipts of each block, and total difficulties. An export that is repeated writes only what is new.
func TestHistoryFiles(t *testing.T) {
	withEra1Files(t, 4)
	net, origin, _ := payments(t, 10)
	dir := t.TempDir()
	for _, step := range []struct {
		last    uint64
		written int
		files   int
	}{{2, 1, 1}, {9, 3, 3}, {9, 1, 3}, {10, 1, 3}} {
		export := &eraExport{chain: origin, dir: dir}
		written, err := export.run(t.Context(), 0, step.last)
		must.That(t, err == nil && written == step.written,
			"up to block %d: %d files written, want %d: %v", step.last, written, step.written, err)
		names, _, err := filesOf(dir, era1Suffix)
		must.That(t, err == nil && len(names) == step.files, "up to block %d: files %v: %v", step.last, names, err)
		sums, err := readChecksums(dir, step.files)
		must.That(t, err == nil && len(sums) == step.files, "up to block %d: checksums %v: %v", step.last, sums, err)
	}
	number := uint64(0)
	names, _, err := filesOf(dir, era1Suffix)
	must.Do(t, err)
	for _, name := range names {
		expect.That(t, strings.HasPrefix(name, fmt.Sprintf("chain%v-%05d-", origin.Config().ChainID, number/4)),
			"the file from block %d on is called %s", number, name)
		content, total := must.Get(os.ReadFile(filepath.Join(dir, name)))(t), origin.Genesis().Difficulty().Uint64()+number
		for at := 0; at < len(content); at += 8 + int(binary.LittleEndian.Uint32(content[at+2:])) { // entry by entry
			if content[at] == 0x06 { // a total difficulty
				expect.Equal(t, binary.LittleEndian.Uint64(content[at+8:]), total, "%s: total difficulty", name)
				total++
			}
		}
		file := must.Get(os.Open(filepath.Join(dir, name)))(t)
		reader, first, count, err := utils.OpenEra1(file)
		must.That(t, err == nil && first == number && count <= 4, "%s: %d blocks from %d on: %v", name, count, first, err)
		for range count {
			block, receipts, err := reader.Next()
			must.Do(t, err)
			want := origin.GetBlockByNumber(number)
			same := func(a, b any) bool {
				x, err := rlp.EncodeToBytes(a)
				y, err2 := rlp.EncodeToBytes(b)
				return err == nil && err2 == nil && bytes.Equal(x, y)
			}
			expect.That(t, same(block, want) && same(receipts, types.Receipts(origin.GetReceiptsByHash(want.Hash()))),
				"block %d is another one, or has other receipts", number)
			number++
		}
		must.Do(t, reader.Close())
	}
	must.That(t, number == 11, "the files have %d blocks", number)
	chain, engine := net.Chain(t)
	if err := (&fileImport{chain, engine, false, nil}).run(t.Context(), dir); err != nil ||
		chain.CurrentBlock().Hash() != origin.CurrentBlock().Hash() {
		t.Errorf("imported: head %d, %v", chain.CurrentBlock().Number, err)
	}
}

// Damage is found before a block of the file is executed, and named. Nothing is lost by it.
func TestDamagedHistory(t *testing.T) {
	withEra1Files(t, 4)
	net, origin, _ := payments(t, 10)
	whole := t.TempDir()
	must.Get((&eraExport{chain: origin, dir: whole}).run(t.Context(), 0, 10))(t)
	names, _, err := filesOf(whole, era1Suffix)
	must.Do(t, err)
	second := names[1]
	for name, c := range map[string]struct {
		damage func(t *testing.T, dir string)
		want   string
		head   uint64
	}{
		"a byte": {func(t *testing.T, dir string) { flip(t, filepath.Join(dir, second), 100) },
			second + ": its SHA-256 is", 3},
		"a byte, without checksums": {func(t *testing.T, dir string) {
			remove(t, filepath.Join(dir, checksumsName))
			flip(t, filepath.Join(dir, second), 100)
		}, second, 3},
		"cut off, without checksums": {func(t *testing.T, dir string) {
			remove(t, filepath.Join(dir, checksumsName))
			must.Do(t, os.Truncate(filepath.Join(dir, second), 1000))
		}, second + ": no era1 file, or one that was cut off: get it again", 3},
		"cut off at every eighth, without checksums": {func(t *testing.T, dir string) {
			remove(t, filepath.Join(dir, checksumsName))
			cutAnywhere(t, net, filepath.Join(dir, second))
		}, second, 3},
		"a file is missing": {func(t *testing.T, dir string) { remove(t, filepath.Join(dir, second)) },
			"3 checksums for 2 files", 0},
		"a file is missing, without checksums": {func(t *testing.T, dir string) {
			remove(t, filepath.Join(dir, checksumsName))
			remove(t, filepath.Join(dir, second))
		}, "begins with block 8, but the file before ends with block 3", 3},
		"another file": {func(t *testing.T, dir string) {
			apptest.WriteFile(t, filepath.Join(dir, "x.era1"), []byte("nothing"))
			remove(t, filepath.Join(dir, checksumsName))
		}, "x.era1: no era1 file", 10},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			must.Do(t, os.CopyFS(dir, os.DirFS(whole)))
			c.damage(t, dir)
			chain, engine := net.Chain(t)
			expect.Says(t, (&fileImport{chain, engine, false, nil}).run(t.Context(), dir), c.want, "refusal")
			head := chain.CurrentBlock().Number.Uint64()
			expect.That(t, head <= c.head, "head %d, want at most %d", head, c.head)
			if err := (&fileImport{chain, engine, false, nil}).run(t.Context(), whole); err != nil ||
				chain.CurrentBlock().Hash() != origin.CurrentBlock().Hash() {
				t.Errorf("the whole files after that: head %d, %v", chain.CurrentBlock().Number, err)
			}
		})
	}
}

// cutAnywhere imports a file that is cut off at many places, each of which is an error, and leaves it cut off.
func cutAnywhere(t *testing.T, net *wbfttest.Network, path string) {
	t.Helper()
	whole := must.Get(os.ReadFile(path))(t)
	for part := 7; part >= 0; part-- {
		apptest.WriteFile(t, path, whole[:len(whole)*part/8])
		chain, engine := net.Chain(t)
		expect.Refused(t, (&fileImport{chain, engine, false, nil}).run(t.Context(), filepath.Dir(path)),
			"%d eighths of the file pass", part)
	}
}

func flip(t *testing.T, path string, at int) {
	t.Helper()
	content := must.Get(os.ReadFile(path))(t)
	content[at] ^= 1
	apptest.WriteFile(t, path, content)
}

func remove(t *testing.T, path string) {
	t.Helper()
	must.Do(t, os.Remove(path))
}

// stored writes blocks as tools store them one by one, with receipts.
func stored(t *testing.T, chain *gethcore.BlockChain, from, to uint64) string {
	t.Helper()
	dir := t.TempDir()
	for _, part := range []string{"blocks", "receipts"} {
		must.Do(t, os.Mkdir(filepath.Join(dir, part), 0o700))
	}
	for number := from; number <= to; number++ {
		block := chain.GetBlockByNumber(number)
		encoded := must.Get(rlp.EncodeToBytes(block))(t)
		name := fmt.Sprintf("%012d.rlp", number)
		apptest.WriteFile(t, filepath.Join(dir, "blocks", name), encoded)
		var list [][]byte
		for _, receipt := range chain.GetReceiptsByHash(block.Hash()) {
			raw := must.Get(receipt.MarshalBinary())(t)
			list = append(list, raw)
		}
		encoded = must.Get(rlp.EncodeToBytes(list))(t)
		apptest.WriteFile(t, filepath.Join(dir, "receipts", name), encoded)
	}
	return dir
}

// Stored raw blocks are imported as a directory. A range without its state is verified as far as it can be: what the
// epoch blocks in it name the validators of is verified with seals, and the rest is told.
func TestStoredBlocks(t *testing.T) {
	const last = 2*wbfttest.EpochLength + 3
	net, origin, blocks := payments(t, last)
	chain, engine := net.Chain(t)
	if err := (&fileImport{chain, engine, false, nil}).run(t.Context(), stored(t, origin, 0, last)); err != nil ||
		chain.CurrentBlock().Hash() != origin.CurrentBlock().Hash() {
		t.Errorf("imported: head %d, %v", chain.CurrentBlock().Number, err)
	}
	verify := func(dir string) (string, error) {
		v := &blockVerifier{config: origin.Config(), engine: engine, epochs: make(map[uint64]*types.Header)}
		if err := v.verify(dir, nil); err != nil {
			return "", err
		}
		var out bytes.Buffer
		err := v.report(cli.NewContext(&cli.App{Writer: &out}, nil, nil))
		return out.String(), err
	}
	const first = wbfttest.EpochLength - 1 // the epoch block after it names the validators of the next one
	out, err := verify(stored(t, origin, first, last))
	for _, want := range []string{
		fmt.Sprintf("Verified %d blocks, %d to %d [%v]", last-first+1, first, last, blocks[last-1].Hash()),
		fmt.Sprintf("Headers and seals: %d blocks", last-first-2),
		fmt.Sprintf("headers and seals of 3 blocks from %d to %d", first, first+2), "Not verified: states",
	} {
		expect.That(t, err == nil && strings.Contains(out, want), "no %q in %q, %v", want, out, err)
	}
	for name, c := range map[string]struct {
		change func(dir string)
		want   string
	}{
		"a block is missing": {func(dir string) {
			remove(t, filepath.Join(dir, "blocks", fmt.Sprintf("%012d.rlp", first+2)))
		}, fmt.Sprintf("block %d: it does not continue block %d", first+3, first+1)},
		"other receipts": {func(dir string) {
			path := filepath.Join(dir, "receipts", fmt.Sprintf("%012d.rlp", first+1))
			apptest.WriteFile(t, path, []byte{0xc0})
		}, "the receipts have root"},
		"no receipts": {func(dir string) {
			apptest.WriteFile(t, filepath.Join(dir, "receipts", fmt.Sprintf("%012d.rlp", first+1)), []byte{0xff})
		}, "has no receipts"},
		"no block": {func(dir string) {
			apptest.WriteFile(t, filepath.Join(dir, "blocks", fmt.Sprintf("%012d.rlp", last)), []byte{0xc0})
		}, "is no block"},
		"an empty block": {func(dir string) {
			apptest.WriteFile(t, filepath.Join(dir, "blocks", fmt.Sprintf("%012d.rlp", last)), []byte{})
		}, "is empty"},
		"no number": {func(dir string) {
			apptest.WriteFile(t, filepath.Join(dir, "blocks", "head.rlp"), []byte{0xc0})
		}, "the name is not the number of a block"},
		"seals of another block": {func(dir string) {
			header := must.Get(blocks[last-1].Header().WithWBFTSeals(0, nil, nil))(t)
			encoded := must.Get(rlp.EncodeToBytes(blocks[last-1].WithSeal(header)))(t)
			apptest.WriteFile(t, filepath.Join(dir, "blocks", fmt.Sprintf("%012d.rlp", last)), encoded)
		}, "zero prepared seals"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := stored(t, origin, first, last)
			c.change(dir)
			expect.Says(t, expect.Err(verify(dir)), c.want, "verify")
		})
	}
	_, err = verify(t.TempDir())
	expect.Says(t, err, "neither files *.era1 nor blocks/*.rlp", "an empty directory")
	expect.That(t, rules.MaxBlock <= atomicfile.MaxFile, "a stored block may be larger than what is read")
}
