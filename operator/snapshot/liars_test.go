// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package snapshot

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"math/big"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/rawdb"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/rlp"

	"gwon/consensus/wbft/wbfttest"
	"gwon/internal/expect"
	"gwon/internal/must"
	"gwon/internal/progress"
	"gwon/params"
)

func checkError(t *testing.T, err error, want string) {
	t.Helper()
	must.That(t, err != nil, "no error, want one with %q", want)
	expect.Contains(t, err.Error(), want, "err.Error")
	if strings.Contains(err.Error(), "\n") {
		t.Errorf("error %q has several lines", err)
	}
}

// content is a snapshot taken apart.
type content struct {
	manifest *Manifest
	blocks   []*blockItem
	state    []*stateItem
}

func takeApart(t *testing.T, dir string) *content {
	t.Helper()
	raw := must.Get(os.ReadFile(filepath.Join(dir, ManifestName)))(t)
	c := new(content)
	c.manifest = must.Get(parseManifest(raw))(t)
	for i, chunk := range c.manifest.Blocks {
		must.Do(t, readChunk(filepath.Join(dir, chunkName(blocksKind, i)), chunk, func(s *rlp.Stream) error {
			item := new(blockItem)
			c.blocks = append(c.blocks, item)
			return s.Decode(item)
		}))
	}
	for i, chunk := range c.manifest.State {
		must.Do(t, readChunk(filepath.Join(dir, chunkName(stateKind, i)), chunk, func(s *rlp.Stream) error {
			item := new(stateItem)
			c.state = append(c.state, item)
			return s.Decode(item)
		}))
	}
	return c
}

// write makes a snapshot of the content, with a manifest that fits.
func (c *content) write(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	blocks := &chunkWriter{dir: dir, kind: blocksKind, limit: testChunk, room: new(Disk).room}
	for _, item := range c.blocks {
		raw := must.Get(rlp.EncodeToBytes(item))(t)
		must.Do(t, blocks.add(raw, 1))
	}
	must.Do(t, blocks.end())
	states := &chunkWriter{dir: dir, kind: stateKind, limit: testChunk, room: new(Disk).room}
	for _, item := range c.state {
		raw := must.Get(rlp.EncodeToBytes(item))(t)
		must.Do(t, states.add(raw, 0))
	}
	must.Do(t, states.end())
	c.manifest.Blocks, c.manifest.State = blocks.done, states.done
	writeManifest(t, dir, c.manifest)
	return dir
}

func writeManifest(t *testing.T, dir string, m *Manifest) {
	t.Helper()
	raw := must.Get(json.Marshal(m))(t)
	must.Do(t, os.WriteFile(filepath.Join(dir, ManifestName), raw, fileMode))
}

func (c *content) header(t *testing.T, n int) *types.Header {
	t.Helper()
	h := new(types.Header)
	must.Do(t, rlp.DecodeBytes(c.blocks[n].Header, h))
	return h
}

func (c *content) setHeader(t *testing.T, n int, h *types.Header) {
	t.Helper()
	raw := must.Get(rlp.EncodeToBytes(h))(t)
	c.blocks[n].Header = raw
}

// find returns the position of an item of a kind behind the first ones of that kind.
func (c *content) find(kind uint8, skip int) int {
	for i, item := range c.state {
		if item.Kind == kind {
			if skip == 0 {
				return i
			}
			skip--
		}
	}
	return -1
}

// listOf returns the RLP of a list with an encoded content.
func listOf(content []byte) []byte {
	out := rlp.NewEncoderBuffer(nil)
	list := out.List()
	_, _ = out.Write(content) // cannot fail
	out.ListEnd(list)
	return out.ToBytes()
}

// bodyOf returns a body with the smallest transactions that decode.
func bodyOf(transactions int) []byte {
	tx := listOf(bytes.Repeat(rlp.EmptyString, 9))
	return listOf(append(listOf(bytes.Repeat(tx, transactions)), rlp.EmptyList...))
}

// A chunk may unpack to more than an item may have.
func TestItemAboveBound(t *testing.T) {
	_, err := (&blockItem{Body: bodyOf(0), Receipts: make([]byte, maxItem)}).memory()
	checkError(t, err, "at most 50331648 are allowed")
}

// A liar whose manifest fits the forged chunks is refused by hashes, seals and roots (spec wbft 1.4, 7.1).
func TestForgedContent(t *testing.T) {
	o := newOrigin(t)
	for _, c := range []struct {
		name  string
		forge func(t *testing.T, c *content)
		want  string
	}{
		{"another genesis block", func(t *testing.T, c *content) {
			h := c.header(t, 0)
			h.Time++
			c.setHeader(t, 0, h)
		}, "the genesis block is"},
		{"seals in the genesis block", func(t *testing.T, c *content) {
			seal := &types.WBFTSeal{Sealers: []byte{7}, Signature: make([]byte, 96)}
			h := must.Get(c.header(t, 0).WithWBFTSeals(0, seal, seal))(t)
			c.setHeader(t, 0, h)
		}, "the genesis block has seals"},
		{"withdrawals in the genesis block", func(_ *testing.T, c *content) {
			c.blocks[0].Body = []byte{0xc3, 0xc0, 0xc0, 0xc0}
		}, "the genesis block has transactions"},
		{"more transactions than any block has", func(_ *testing.T, c *content) {
			c.blocks[30].Body = bodyOf(params.MaxTransactions + 1)
		}, "block 30: it has 65537 transactions"},
		{"more receipts than transactions", func(_ *testing.T, c *content) {
			c.blocks[30].Receipts = listOf(bytes.Repeat([]byte{0xc0}, 1<<20))
		}, "1 transactions and 1048576 receipts"},
		{"head without seals", func(t *testing.T, c *content) {
			h := c.header(t, testBlocks)
			h.Time++
			c.setHeader(t, testBlocks, h)
			c.manifest.Hash = h.Hash()
		}, "are not of this chain"},
		{"head without seals", func(t *testing.T, c *content) {
			h := must.Get(c.header(t, testBlocks).WithWBFTSeals(0, nil, nil))(t)
			c.setHeader(t, testBlocks, h)
		}, "are not of this chain"},
		{"block of another height", func(_ *testing.T, c *content) {
			c.blocks[9], c.blocks[10] = c.blocks[10], c.blocks[9]
		}, "its number is 10"},
		{"another ancestor", func(t *testing.T, c *content) {
			h := c.header(t, 20)
			h.Time++
			c.setHeader(t, 20, h)
		}, "are not of this chain"},
		{"dropped transactions", func(_ *testing.T, c *content) {
			c.blocks[30].Body = c.blocks[0].Body
		}, "block 30: transactions have root"},
		{"receipts of another block", func(_ *testing.T, c *content) {
			c.blocks[30].Receipts = bytes.Replace(c.blocks[30].Receipts, []byte{0x01}, []byte{0x80}, 1)
		}, "block 30: "},
		{"dropped receipts", func(_ *testing.T, c *content) {
			c.blocks[30].Receipts = rlp.EmptyList
		}, "1 transactions and 0 receipts"},
		{"no header", func(_ *testing.T, c *content) { c.blocks[30].Header = rlp.EmptyString }, "block 30: header"},
		{"transactions in the genesis block", func(_ *testing.T, c *content) {
			c.blocks[0].Body = c.blocks[1].Body
		}, "the genesis block has transactions"},
		{"another head in the manifest", func(_ *testing.T, c *content) {
			c.manifest.Hash = common.Hash{1}
		}, "the manifest says"},
		{"another state root in the manifest", func(_ *testing.T, c *content) {
			c.manifest.StateRoot = common.Hash{1}
		}, "the manifest says"},
		{"more coins", func(t *testing.T, c *content) {
			item := c.state[c.find(accountItem, 500)]
			account := must.Get(types.FullAccount(item.Value))(t)
			account.Balance.AddUint64(account.Balance, 1)
			item.Value = types.SlimAccountRLP(*account)
		}, "take another snapshot"},
		{"another flag", func(t *testing.T, c *content) {
			item := c.state[c.find(accountItem, 500)]
			account := must.Get(types.FullAccount(item.Value))(t)
			account.Extra ^= types.AccountBlacklisted
			item.Value = types.SlimAccountRLP(*account)
		}, "take another snapshot"},
		{"missing account", func(_ *testing.T, c *content) {
			i := c.find(accountItem, 999)
			for c.state[i+1].Kind == slotItem {
				i = c.find(accountItem, 0)
			}
			c.state = slices.Delete(c.state, i, i+1)
		}, ""},
		{"missing slot", func(_ *testing.T, c *content) {
			i := c.find(slotItem, 50)
			c.state = slices.Delete(c.state, i, i+1)
		}, "the slots of account"},
		{"another value of a slot", func(_ *testing.T, c *content) {
			c.state[c.find(slotItem, 50)].Value = []byte{0x07}
		}, "the slots of account"},
		{"empty value of a slot", func(_ *testing.T, c *content) {
			c.state[c.find(slotItem, 50)].Value = nil
		}, "an entry of kind 2 has 0 bytes"},
		{"slot twice", func(_ *testing.T, c *content) {
			i := c.find(slotItem, 50)
			c.state = slices.Insert(c.state, i, c.state[i])
		}, "does not come after"},
		{"account twice", func(_ *testing.T, c *content) {
			i := c.find(accountItem, 50)
			c.state = slices.Insert(c.state, i, c.state[i])
		}, ""},
		{"slot before any account", func(_ *testing.T, c *content) {
			c.state = slices.Insert(c.state, 0, c.state[c.find(slotItem, 0)])
		}, "has no account before it"},
		{"missing code", func(_ *testing.T, c *content) {
			i := c.find(codeItem, 1)
			c.state = slices.Delete(c.state, i, i+1)
		}, "is missing"},
		{"another code", func(_ *testing.T, c *content) { c.state[c.find(codeItem, 1)].Value = []byte{0x01} }, "has hash"},
		{"code of no account at the end", func(_ *testing.T, c *content) {
			c.state = append(c.state, &stateItem{codeItem,
				common.HexToHash("0x5fe7f977e71dba2ea1a68e21057beebb9be2ac30c6410aa38d4f3fbe41dcffd2"), []byte{1}})
		}, "code that belongs to no account"},
		{"code twice", func(_ *testing.T, c *content) {
			c.state = append(c.state, c.state[c.find(codeItem, 0)])
		}, "is surplus"},
		{"unknown kind", func(_ *testing.T, c *content) { c.state[5].Kind = 9 }, "unknown kind 9"},
		{"long code", func(_ *testing.T, c *content) {
			c.state[c.find(codeItem, 1)].Value = make([]byte, params.MaxCode+1)
		}, "bytes, from 1 to"},
	} {
		t.Run(c.name, func(t *testing.T) {
			forged := takeApart(t, o.dir)
			c.forge(t, forged)
			dir := forged.write(t)
			_, err := Verify(t.Context(), locate(t, dir), o.trust(), new(progress.Meter))
			checkError(t, err, c.want)
			instance := t.TempDir()
			_, err = Fetch(t.Context(), locate(t, dir), o.trust(), target(instance))
			checkError(t, err, c.want)
			expect.Error(t, expect.Err(os.Stat(filepath.Join(instance, chainName))), os.ErrNotExist, "a database is in place")
		})
	}
}

// Seals that a liar has changed are replaced by those that the next block holds (record 0011).
func TestForgedSealsReplaced(t *testing.T) {
	o := newOrigin(t)
	forged := takeApart(t, o.dir)
	h, err := forged.header(t, 30).WithWBFTSeals(3, &types.WBFTSeal{Sealers: []byte{7}, Signature: make([]byte, 96)}, nil)
	must.Do(t, err)
	forged.setHeader(t, 30, h)
	child := must.Get(o.chain.GetHeaderByNumber(31).WBFTExtra())(t)
	h = must.Get(h.WithWBFTSeals(child.PrevRound, child.PrevPreparedSeal, child.PrevCommittedSeal))(t)
	o.replaced = map[uint64]*types.Block{30: o.chain.GetBlockByNumber(30).WithSeal(h)}
	instance := t.TempDir()
	must.Get(Fetch(t.Context(), locate(t, forged.write(t)), o.trust(), target(instance)))(t)
	o.checkNode(t, instance)
}

// Files that are not those of the manifest, and manifests out of bounds, are refused with one sentence.
func TestDamagedFiles(t *testing.T) {
	o := newOrigin(t)
	const chunk = "blocks-000003.zst"
	edit := func(old, now string) func(*testing.T, string) {
		return func(t *testing.T, dir string) {
			path := filepath.Join(dir, ManifestName)
			raw := must.Get(os.ReadFile(path))(t)
			if !bytes.Contains(raw, []byte(old)) {
				t.Fatalf("the manifest has no %s", old)
			}
			must.Do(t, os.WriteFile(path, bytes.Replace(raw, []byte(old), []byte(now), 1), fileMode))
		}
	}
	rewrite := func(change func(m *Manifest)) func(*testing.T, string) {
		return func(t *testing.T, dir string) {
			m := takeApart(t, dir).manifest
			change(m)
			writeManifest(t, dir, m)
		}
	}
	for _, c := range []struct {
		name   string
		damage func(t *testing.T, dir string)
		want   string
	}{
		{"flipped bit", func(t *testing.T, dir string) {
			raw := must.Get(os.ReadFile(filepath.Join(dir, chunk)))(t)
			raw[len(raw)/2] ^= 1
			must.Do(t, os.WriteFile(filepath.Join(dir, chunk), raw, fileMode))
		}, "SHA-256"},
		{"truncated file", func(t *testing.T, dir string) {
			must.Do(t, os.Truncate(filepath.Join(dir, chunk), 100))
		}, "the manifest says"},
		{"missing file", func(t *testing.T, dir string) { must.Do(t, os.Remove(filepath.Join(dir, chunk))) }, chunk},
		{"no manifest", func(t *testing.T, dir string) {
			must.Do(t, os.Remove(filepath.Join(dir, ManifestName)))
		}, "there is no manifest.json"},
		{"another format", edit(`"format": 1`, `"format": 0`), "has format 0, this program reads formats 1 and 2"},
		{"newer format", edit(`"format": 1`, `"format": 3, "more": []`), "has format 3"},
		{"file name that leads out", edit(`"size"`, `"name": "../../nodekey", "size"`), "unknown field"},
		{"no JSON", edit(`{`, `<`), "is no manifest"},
		{"bytes behind", func(t *testing.T, dir string) {
			file, err := os.OpenFile(filepath.Join(dir, ManifestName), os.O_APPEND|os.O_WRONLY, fileMode)
			must.Do(t, err)
			_, err = io.WriteString(file, "{}")
			must.Do(t, errors.Join(err, file.Close()))
		}, "is no manifest"},
		{"huge manifest", func(t *testing.T, dir string) {
			must.Do(t, os.Truncate(filepath.Join(dir, ManifestName), maxManifest+1))
		}, "has more than"},
		{"a million chunks", edit(`"blocks": [`, `"blocks": [`+strings.Repeat("0,", 1<<20)), "commas"},
		{"another chain", rewrite(func(m *Manifest) { m.ChainID++ }), "wanted is chain"},
		{"another genesis", rewrite(func(m *Manifest) { m.Genesis[0]++ }), "wanted is chain"},
		{"genesis as head", rewrite(func(m *Manifest) { m.Number = 0 }), "its head is the genesis block"},
		{"no state", rewrite(func(m *Manifest) { m.State = nil }), "0 chunks of state"},
		{"huge chunk", rewrite(func(m *Manifest) { m.Blocks[3].Size = maxPacked + 1 }), "blocks-000003.zst has"},
		{"huge content", rewrite(func(m *Manifest) { m.State[3].Unpacked = maxUnpacked + 1 }), "state-000003.zst unpacks to"},
		{"fewer blocks", rewrite(func(m *Manifest) { m.Blocks[3].Blocks-- }), "its chunks have"},
		{"more blocks", rewrite(func(m *Manifest) { m.Blocks[3].Blocks = 1 << 63 }), "blocks-000003.zst has"},
		{"shifted blocks", rewrite(func(m *Manifest) { m.Blocks[3].Blocks--; m.Blocks[4].Blocks++ }), "blocks-000003.zst"},
		{"shorter content", rewrite(func(m *Manifest) { m.Blocks[3].Unpacked-- }), "blocks-000003.zst"},
		{"longer content", rewrite(func(m *Manifest) { m.Blocks[3].Unpacked++ }), "blocks-000003.zst"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			must.Do(t, os.CopyFS(dir, os.DirFS(o.dir)))
			c.damage(t, dir)
			instance := t.TempDir()
			for _, location := range []*Location{locate(t, dir), serve(t, dir, nil)} {
				_, err := Fetch(t.Context(), location, o.trust(), target(instance))
				checkError(t, err, c.want)
			}
			expect.Error(t, expect.Err(os.Stat(filepath.Join(instance, chainName))), os.ErrNotExist, "a database is in place")
		})
	}
}

// A snapshot without the checkpoint, or with another manifest than is wanted, is refused, and so is one that takes
// the place of another in the middle.
func TestUnwanted(t *testing.T) {
	o := newOrigin(t)
	location := locate(t, o.dir)
	trust := o.trust()
	trust.Checkpoint = common.Hash{1}
	_, err := Verify(t.Context(), location, trust, new(progress.Meter))
	checkError(t, err, "the checkpoint")
	trust = o.trust()
	trust.Manifest = Digest{1}
	_, err = Verify(t.Context(), location, trust, new(progress.Meter))
	checkError(t, err, "wanted is 01")

	instance := t.TempDir()
	o.leaveAt(t, instance, 3, "")
	other := takeApart(t, o.dir)
	other.blocks = other.blocks[:50]
	h := other.header(t, 49)
	other.manifest.Number, other.manifest.Hash, other.manifest.StateRoot = 49, h.Hash(), h.Root
	_, err = Fetch(t.Context(), locate(t, other.write(t)), o.trust(), target(instance))
	checkError(t, err, "the fetch of another snapshot, of block 60, is not finished")
	must.Get(Fetch(t.Context(), location, o.trust(), target(instance)))(t)
	o.checkNode(t, instance)
}

// Servers that break off, send too much, know no ranges or fail for a while cost time and nothing else.
func TestServers(t *testing.T) {
	o := newOrigin(t)
	const chunk = "blocks-000003.zst"
	whole := must.Get(os.ReadFile(filepath.Join(o.dir, chunk)))(t)
	only := func(handler http.HandlerFunc) func(http.Handler) http.Handler {
		return func(next http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if filepath.Base(r.URL.Path) == chunk {
					handler(w, r)
					return
				}
				next.ServeHTTP(w, r)
			})
		}
	}
	write := func(w io.Writer, p []byte) bool { _, err := w.Write(p); return err == nil }
	for _, c := range []struct {
		name    string
		handler func() http.HandlerFunc
		want    string // in the error; empty for success
	}{
		{"endless body", func() http.HandlerFunc {
			return func(w http.ResponseWriter, _ *http.Request) {
				for junk := make([]byte, 1<<16); write(w, junk); {
				}
			}
		}, "SHA-256"},
		{"breaks off each time", func() http.HandlerFunc {
			return func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Length", "100000000")
				if r.Header.Get("Range") == "" {
					write(w, whole[:10])
				}
			}
		}, "in each of 5 attempts"},
		{"goes on where it broke off", func() http.HandlerFunc {
			var mu sync.Mutex
			sent := 0
			return func(w http.ResponseWriter, r *http.Request) {
				mu.Lock()
				defer mu.Unlock()
				if sent == 0 {
					w.Header().Set("Content-Length", "100000000")
					write(w, whole[:1000])
					sent = 1000
					return
				}
				expect.Equal(t, r.Header.Get("Range"), "bytes=1000-", "range")
				http.ServeContent(w, r, chunk, time.Time{}, bytes.NewReader(whole))
			}
		}, ""},
		{"knows no ranges", func() http.HandlerFunc {
			var asked atomic.Int32
			return func(w http.ResponseWriter, _ *http.Request) {
				if asked.Add(1) == 1 {
					w.Header().Set("Content-Length", "100000000")
					write(w, whole[:1000])
					return
				}
				write(w, whole)
			}
		}, ""},
		{"another range", func() http.HandlerFunc {
			return func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Length", "100000000")
				if r.Header.Get("Range") != "" {
					w.Header().Set("Content-Range", "bytes 5-10/20")
					w.WriteHeader(http.StatusPartialContent)
					return
				}
				write(w, whole[:1000])
			}
		}, "asked for bytes 1000-"},
		{"first a forged file, then the true one", func() http.HandlerFunc {
			var asked atomic.Int32
			return func(w http.ResponseWriter, _ *http.Request) {
				if asked.Add(1) == 1 {
					write(w, make([]byte, len(whole)))
					return
				}
				write(w, whole)
			}
		}, ""},
		{"fails for a while", func() http.HandlerFunc {
			var asked atomic.Int32
			return func(w http.ResponseWriter, _ *http.Request) {
				if asked.Add(1) < attempts {
					http.Error(w, "busy", http.StatusBadGateway)
					return
				}
				write(w, whole)
			}
		}, ""},
		{"falls silent", func() http.HandlerFunc {
			return func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Length", "100000000")
				write(w, whole[:10])
				w.(http.Flusher).Flush()
				<-r.Context().Done()
			}
		}, "the server has sent less than"},
		{"trickles", func() http.HandlerFunc {
			return func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Length", "100000000")
				for pace := time.NewTicker(50 * time.Millisecond); r.Context().Err() == nil; <-pace.C {
					write(w, whole[:10])
					w.(http.Flusher).Flush()
				}
			}
		}, "the server has sent less than"},
		{"answers with signs for a terminal", func() http.HandlerFunc {
			return func(w http.ResponseWriter, _ *http.Request) {
				connection, _, err := w.(http.Hijacker).Hijack()
				if err != nil {
					t.Error(err)
					return
				}
				write(connection, []byte("HTTP/1.1 502 \x1b[2J\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"))
				_ = connection.Close()
			}
		}, `"502 \x1b[2J"`},
		{"redirects for ever", func() http.HandlerFunc {
			return func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, r.URL.Path, http.StatusFound) }
		}, "too many redirects"},
	} {
		t.Run(c.name, func(t *testing.T) {
			location := serve(t, o.dir, only(c.handler()))
			if c.name == "falls silent" || c.name == "trickles" {
				location.quiet = 300 * time.Millisecond
			}
			instance := t.TempDir()
			_, err := Fetch(t.Context(), location, o.trust(), target(instance))
			if c.want != "" {
				checkError(t, err, c.want)
				expect.Error(t, expect.Err(os.Stat(filepath.Join(instance, chainName))), os.ErrNotExist, "a database is in place")
				// An honest server completes what this one has begun.
				_, err = Fetch(t.Context(), serve(t, o.dir, nil), o.trust(), target(instance))
			}
			must.Do(t, err)
			o.checkNode(t, instance)
		})
	}
	for _, name := range []string{"ftp://host/x", "http:///x", "http://[::1"} {
		expect.Refused(t, expect.Err(NewLocation(name)), "%s was taken", name)
	}
}

// FuzzManifest: no manifest leads to a panic, and what is taken is in bounds.
func FuzzManifest(f *testing.F) {
	f.Add([]byte(`{"format":1,"chainId":1,"number":1,"blocks":[{"size":1,"unpacked":1,"blocks":2}],` +
		`"state":[{"size":1,"unpacked":1}]}`))
	f.Add([]byte(`{"format":1}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		m, err := parseManifest(raw)
		if err != nil {
			return
		}
		if m.Number == 0 || len(m.Blocks) > maxChunks || new(big.Int).SetUint64(m.Size()).Sign() <= 0 {
			t.Errorf("manifest %s was taken", raw)
		}
	})
}

// Codes of a state that is not proven take a bounded part of the memory: the database has the others.
func TestCodesInMemory(t *testing.T) {
	db := rawdb.NewMemoryDatabase()
	codes := [][]byte{{1}, {2}, {3}}
	code := func(i int) *stateItem { return &stateItem{codeItem, crypto.Keccak256Hash(codes[i]), codes[i]} }
	account := func(number byte, i int) *stateItem {
		a := types.NewEmptyStateAccount()
		a.CodeHash = crypto.Keccak256(codes[i])
		return &stateItem{accountItem, common.Hash{number}, types.SlimAccountRLP(*a)}
	}
	b := newStateBuilder(&database{Database: db, batch: db.NewBatch()}, 1)
	for i, item := range []*stateItem{code(0), account(1, 0), code(1), account(2, 1), account(3, 0), account(4, 1)} {
		must.That(t, b.add(item) == nil && len(b.codes) <= 1, "item %d: %d codes", i, len(b.codes))
	}
	expect.Says(t, b.add(account(5, 2)), "is missing", "an account without its code")
	b = newStateBuilder(nil, 1)
	must.Do(t, b.add(code(0)))
	must.Do(t, b.add(account(1, 0)))
	expect.Says(t, b.add(code(1)), "have gwon snapshot fetch prove it", "without a database")
}

// FuzzItems: no item of a chunk leads to a panic.
func FuzzItems(f *testing.F) {
	for _, item := range []any{
		&stateItem{codeItem, common.HexToHash("0x5fe7f977e71dba2ea1a68e21057beebb9be2ac30c6410aa38d4f3fbe41dcffd2"),
			[]byte{1}},
		&stateItem{accountItem, common.Hash{1}, types.SlimAccountRLP(*types.NewEmptyStateAccount())},
		&blockItem{rlp.EmptyList, rlp.EmptyList, rlp.EmptyList},
	} {
		raw := must.Get(rlp.EncodeToBytes(item))(f)
		f.Add(raw)
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		var block blockItem
		if err := rlp.DecodeBytes(raw, &block); err == nil {
			if _, err := block.memory(); err == nil {
				_, _ = block.decode(0, true)
				_, _ = block.decode(1, true)
				_, _ = block.decode(1, false)
			}
		}
		builder, stream := newStateBuilder(nil, codesHeld), rlp.NewStream(bytes.NewReader(raw), uint64(len(raw)))
		for {
			var item stateItem
			if stream.Decode(&item) != nil || builder.add(&item) != nil {
				return
			}
		}
	})
}

// A sealed block that breaks a rule of randomness or previous-block seals ends the proof of a snapshot, but for a
// signature in previous-block seals. spec: wbft 7.1 (18 to 21)
func TestProofRefusesSealedBreach(t *testing.T) {
	net := wbfttest.NewWithEpochs(t, 4, 140)
	genesis := net.Genesis.ToBlock()
	trust := &Trust{Network: Network{Genesis: genesis.Hash(), Config: net.Genesis.Config}}
	for _, breach := range net.Breaches(t) {
		t.Run(breach.Name, func(t *testing.T) {
			proof, err := newChainProof(trust, uint64(len(breach.Blocks)))
			must.Do(t, err)
			run := []provenBlock{{Block: genesis}}
			for _, block := range breach.Blocks {
				run = append(run, provenBlock{Block: block})
			}
			err = proof.prove(run)
			if breach.Vouched {
				must.Do(t, err)
			} else if err == nil || !strings.Contains(err.Error(), "block 3 is sealed and breaks a rule") {
				t.Errorf("error %v", err)
			}
		})
	}
}

// Runs of any length prove a chain through its epochs. spec: wbft 3.1
func TestProofInRuns(t *testing.T) {
	const count = 5 * wbfttest.EpochLength
	net := wbfttest.New(t, 4)
	made := net.History(t, count, nil)
	trust := &Trust{Network: Network{Genesis: made.Block(0).Hash(), Config: net.Genesis.Config}}
	for length := 1; length <= wbfttest.EpochLength+1; length++ {
		proof := must.Get(newChainProof(trust, count))(t)
		for first := 0; first <= count; first += length {
			var run []provenBlock
			for n := first; n < min(first+length, count+1); n++ {
				run = append(run, provenBlock{Block: made.Block(uint64(n))})
			}
			if err := proof.prove(run); err != nil {
				t.Fatalf("runs of %d: %v", length, err)
			}
			if kept := len(proof.proven); kept > 4 {
				t.Fatalf("%d headers are kept", kept)
			}
		}
	}
}
