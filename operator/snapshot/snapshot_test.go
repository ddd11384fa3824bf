// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package snapshot

import (
	"context"
	"crypto/ecdsa"
	"encoding/binary"
	"encoding/json"
	"errors"
	"math/big"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	gethcore "github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/rawdb"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/ethdb"
	"github.com/ethereum/go-ethereum/ethdb/memorydb"
	"github.com/ethereum/go-ethereum/ethdb/pebble"
	"github.com/ethereum/go-ethereum/rlp"

	"gwon/consensus/wbft"
	"gwon/consensus/wbft/wbfttest"
	"gwon/internal/expect"
	"gwon/internal/must"
	"gwon/internal/progress"
)

const (
	testBlocks = 60       // of a snapshot
	testMore   = 5        // that the network makes afterwards
	testChunk  = 16 << 10 // bytes, so that a snapshot has many chunks
)

// origin is a chain that snapshots are made of, with a few blocks more than a snapshot has.
type origin struct {
	net      *wbfttest.Network
	db       ethdb.Database
	chain    *gethcore.BlockChain
	more     types.Blocks
	accounts []common.Address
	dir      string // of a snapshot
	digest   Digest
	replaced map[uint64]*types.Block // what a node has instead of blocks of the chain
}

// newOrigin makes a network of four validators with payments in each block, accounts with flags, and contracts, some
// of which share their code, and writes a snapshot.
func newOrigin(t *testing.T) *origin {
	t.Helper()
	o := &origin{net: wbfttest.New(t, 4), dir: filepath.Join(t.TempDir(), "snapshot")}
	payer, err := crypto.ToECDSA(crypto.Keccak256([]byte("payer of the snapshot test")))
	must.Do(t, err)
	coins := new(big.Int).Exp(big.NewInt(10), big.NewInt(24), nil)
	o.net.Genesis.Alloc[crypto.PubkeyToAddress(payer.PublicKey)] = types.Account{Balance: coins}
	for i := range 1000 {
		a := common.BytesToAddress(crypto.Keccak256(binary.BigEndian.AppendUint32(nil, uint32(i))))
		account := types.Account{Balance: big.NewInt(int64(i) + 1)}
		switch i % 10 {
		case 3:
			account.Extra = types.AccountBlacklisted
		case 6:
			account.Code = []byte{0x00, byte(i % 20)}
			account.Storage = map[common.Hash]common.Hash{{1}: common.BigToHash(big.NewInt(int64(i) + 1)), {2}: {0xff}}
		}
		o.net.Genesis.Alloc[a] = account
		o.accounts = append(o.accounts, a)
	}
	history := o.net.History(t, testBlocks+testMore, payments(t, o.net, payer))
	o.db, err = rawdb.Open(memorydb.New(), rawdb.OpenOptions{})
	must.Do(t, err)
	o.chain = openChain(t, o.net, o.db)
	for n := uint64(1); n <= testBlocks+testMore; n++ {
		block := history.Block(n)
		if n > testBlocks {
			o.more = append(o.more, block)
			continue
		}
		must.Get(o.chain.InsertChain(types.Blocks{block}))(t)
	}
	must.Do(t, o.chain.TrieDB().Commit(o.chain.CurrentBlock().Root, false))
	_, o.digest, err = Create(t.Context(), Source{DB: o.db, chunk: testChunk}, o.dir, new(progress.Meter))
	must.Do(t, err)
	return o
}

func payments(t testing.TB, net *wbfttest.Network, payer *ecdsa.PrivateKey) func(*types.Header) []*types.Transaction {
	signer, nonce := types.LatestSigner(net.Genesis.Config), uint64(0)
	return func(*types.Header) []*types.Transaction {
		tip := big.NewInt(27_600_000_000_000)
		tx := must.Get(types.SignNewTx(payer, signer, &types.DynamicFeeTx{
			ChainID: net.Genesis.Config.ChainID, Nonce: nonce, Gas: 21000, To: &common.Address{0xee}, Value: big.NewInt(1),
			GasTipCap: tip, GasFeeCap: new(big.Int).Mul(tip, big.NewInt(100)),
		}))(t)
		nonce++
		return []*types.Transaction{tx}
	}
}

// openChain opens a chain in the path scheme. A database without one gets the genesis block.
func openChain(t *testing.T, net *wbfttest.Network, db ethdb.Database) *gethcore.BlockChain {
	t.Helper()
	engine := must.Get(wbft.New(net.Genesis.Config, nil))(t)
	options := gethcore.DefaultConfig().WithStateScheme(rawdb.PathScheme)
	options.TrieNoAsyncFlush = true
	chain := must.Get(gethcore.NewBlockChain(db, net.Genesis, engine, options))(t)
	t.Cleanup(chain.Stop)
	return chain
}

func (o *origin) trust() *Trust {
	return &Trust{Network: Network{Genesis: o.chain.Genesis().Hash(), Config: o.net.Genesis.Config}}
}

// serve gives out a directory over HTTP. wrap, if not nil, stands before the server.
func serve(t *testing.T, dir string, wrap func(http.Handler) http.Handler) *Location {
	t.Helper()
	handler := http.FileServer(http.Dir(dir))
	if wrap != nil {
		handler = wrap(handler)
	}
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return locate(t, server.URL+"/")
}

func locate(t *testing.T, name string) *Location {
	t.Helper()
	location := must.Get(NewLocation(name))(t)
	location.pause = 1
	return location
}

func target(instance string) Target {
	return Target{Instance: instance, Free: func(uint64) error { return nil }, Progress: new(progress.Meter),
		kept: testBlocks / 2}
}

// checkNode opens the database that was built and compares it with the origin; the node then follows the chain.
func (o *origin) checkNode(t *testing.T, instance string) {
	t.Helper()
	expect.Error(t, expect.Err(os.Stat(filepath.Join(instance, WorkName))), os.ErrNotExist,
		"the directory of the fetch is left")
	dir := filepath.Join(instance, chainName)
	store := must.Get(pebble.New(dir, 16, 16, "", false))(t)
	db := must.Get(rawdb.Open(store, rawdb.OpenOptions{Ancient: filepath.Join(dir, "ancient")}))(t)
	t.Cleanup(func() { must.Do(t, db.Close()) })
	chain := openChain(t, o.net, db)
	head := o.chain.GetHeaderByNumber(testBlocks)
	must.Equal(t, chain.CurrentBlock().Hash(), head.Hash(),
		"head is block %d, want block %d", chain.CurrentBlock().Number, testBlocks)
	frozen := must.Get(db.Ancients())(t)
	expect.Equal(t, frozen, testBlocks/2+1, "blocks in the ancient store")
	for n := uint64(0); n <= testBlocks; n++ {
		hash := o.chain.GetCanonicalHash(n)
		want, got := o.chain.GetBlockByNumber(n), chain.GetBlockByHash(hash)
		if o.replaced[n] != nil {
			want = o.replaced[n]
		}
		if got == nil || string(encoded(t, got)) != string(encoded(t, want)) {
			t.Fatalf("block %d is not that of the origin", n)
		}
		wanted, receipts := rawdb.ReadReceiptsRLP(o.db, hash, n), rawdb.ReadReceiptsRLP(db, hash, n)
		must.Equal(t, string(receipts), string(wanted), "receipts of block %d are not those of the origin", n)
	}
	have := must.Get(chain.StateAt(head.Root, head.Number, head.Time))(t)
	want := must.Get(o.chain.StateAt(head.Root, head.Number, head.Time))(t)
	for _, a := range o.accounts {
		if have.GetBalance(a).Cmp(want.GetBalance(a)) != 0 || have.GetExtra(a) != want.GetExtra(a) ||
			string(have.GetCode(a)) != string(want.GetCode(a)) || have.GetState(a, common.Hash{1}) != want.GetState(a,
			common.Hash{1}) {
			t.Fatalf("account %v differs", a)
		}
	}
	must.Do(t, have.Error())
	expect.Error(t, expect.Err(chain.InsertChain(o.more)), nil, "the node does not follow the chain")
}

func encoded(t *testing.T, block *types.Block) []byte {
	t.Helper()
	return must.Get(rlp.EncodeToBytes(block))(t)
}

// A snapshot can be verified, and a node starts from it, serves blocks, receipts and state, and follows the chain
// (spec wbft 7.1, chain 4).
func TestFetch(t *testing.T) {
	o := newOrigin(t)
	trust := o.trust()
	trust.Checkpoint, trust.Manifest = o.chain.GetCanonicalHash(17), o.digest
	for _, c := range []struct {
		name     string
		location *Location
	}{
		{"directory", locate(t, o.dir)},
		{"server", serve(t, o.dir, nil)},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := must.Get(Verify(t.Context(), c.location, trust, new(progress.Meter)))(t)
			if m.Number != testBlocks || len(m.Blocks) < 5 || len(m.State) < 5 {
				t.Fatalf("snapshot of block %d with %d and %d chunks", m.Number, len(m.Blocks), len(m.State))
			}
			instance := t.TempDir()
			must.Get(Fetch(t.Context(), c.location, trust, target(instance)))(t)
			o.checkNode(t, instance)
			expect.Refused(t, expect.Err(Fetch(t.Context(), c.location, trust, target(instance))),
				"a chain that was there was replaced")
		})
	}
}

// errCut is what a fetch is cut off with.
var errCut = errors.New("cut off")

// A fetch that is cut off anywhere is continued, and what is done is not downloaded again. Each attempt gets one file
// more.
func TestFetchContinues(t *testing.T) {
	o := newOrigin(t)
	instance, served, left := t.TempDir(), make(map[string]int), 0
	location := serve(t, o.dir, func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			name := filepath.Base(r.URL.Path)
			if name != ManifestName {
				if left == 0 {
					http.Error(w, "no more", http.StatusServiceUnavailable)
					return
				}
				left--
				served[name]++
			}
			next.ServeHTTP(w, r)
		})
	})
	serial := *location
	serial.client.Transport.(*http.Transport).MaxConnsPerHost = 1 // the handler has no lock
	var m *Manifest
	for attempt := 1; m == nil; attempt++ {
		must.That(t, attempt <= 200, "no attempt has succeeded")
		left = 3
		if _, err := os.Stat(filepath.Join(instance, chainName)); err == nil {
			t.Fatal("half a database is in place")
		}
		m, _ = Fetch(t.Context(), &serial, o.trust(), target(instance))
	}
	expect.Equal(t, len(served), len(m.Blocks)+len(m.State), "files were served")
	for name, count := range served {
		expect.That(t, count == 1, "%s was downloaded %d times", name, count)
	}
	o.checkNode(t, instance)
}

// A fetch whose process ended between any two of its steps behind the download goes on.
func TestFetchContinuesAfterStage(t *testing.T) {
	o := newOrigin(t)
	raw := must.Get(os.ReadFile(filepath.Join(o.dir, ManifestName)))(t)
	for _, c := range []struct {
		name string
		cut  func(t *testing.T, instance string)
	}{
		{"manifest noted", func(t *testing.T, instance string) { must.Do(t, begin(filepath.Join(instance, WorkName), raw)) }},
		{"before the first chunk", func(t *testing.T, instance string) {
			to := target(instance)
			to.Free = func(uint64) error { return errCut }
			if _, err := Fetch(t.Context(), locate(t, o.dir), o.trust(), to); !errors.Is(err, errCut) {
				t.Fatal(err)
			}
		}},
		{"blocks of a chunk written, not counted", func(t *testing.T, instance string) { o.leaveAt(t, instance, 4, "2") }},
		{"state written, not adopted", func(t *testing.T, instance string) { o.leaveAt(t, instance, -1, "") }},
		{"database finished, not renamed", func(t *testing.T, instance string) {
			task := o.leaveAt(t, instance, -1, "")
			store := must.Get(openDatabase(task.store.dir, task.manifest, testBlocks/2))(t)
			must.Do(t, errors.Join(store.finish(task.manifest, &task.proof.network), store.Close()))
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			instance := t.TempDir()
			c.cut(t, instance)
			must.Get(Fetch(t.Context(), locate(t, o.dir), o.trust(), target(instance)))(t)
			o.checkNode(t, instance)
		})
	}
	for name, leave := range map[string]func(work string) error{
		"renamed, files not removed": func(work string) error { return begin(work, raw) },
		"manifest removed, chunks not": func(work string) error {
			must.Do(t, os.Mkdir(work, dirMode))
			return os.WriteFile(filepath.Join(work, chunkName(stateKind, 0)), raw, fileMode)
		},
	} {
		t.Run(name, func(t *testing.T) {
			instance := t.TempDir()
			must.Get(Fetch(t.Context(), locate(t, o.dir), o.trust(), target(instance)))(t)
			must.Do(t, leave(filepath.Join(instance, WorkName)))
			expect.Error(t, expect.Err(Fetch(t.Context(), locate(t, o.dir), o.trust(), target(instance))), ErrInPlace, "Fetch")
			o.checkNode(t, instance)
		})
	}
}

// A proof without a database leaves no file of a server behind, so that its disk holds a few chunks at a time.
func TestVerifyKeepsNothing(t *testing.T) {
	o := newOrigin(t)
	location := serve(t, o.dir, nil)
	_, m, err := readManifest(t.Context(), location, o.trust())
	must.Do(t, err)
	proof := must.Get(newChainProof(o.trust(), testBlocks))(t)
	run := &task{location: location, manifest: m, proof: proof, work: t.TempDir(), progress: new(progress.Meter)}
	must.Do(t, run.run(t.Context(), 0))
	left := must.Get(os.ReadDir(run.work))(t)
	if len(left) > 0 {
		t.Errorf("%d files are left of %d chunks of state", len(left), len(m.State))
	}
}

// leaveAt runs the proof with a database up to a chunk of blocks, or all of it for -1, and writes progress unless it
// is empty.
func (o *origin) leaveAt(t *testing.T, instance string, chunk int, done string) *task {
	t.Helper()
	work := filepath.Join(instance, WorkName)
	raw, m, err := readManifest(t.Context(), locate(t, o.dir), o.trust())
	must.Do(t, err)
	must.Do(t, begin(work, raw))
	proof := must.Get(newChainProof(o.trust(), testBlocks))(t)
	store := must.Get(openDatabase(filepath.Join(work, chainName), m, testBlocks/2))(t)
	run := &task{
		location: locate(t, o.dir), manifest: m, proof: proof, work: work, store: store, progress: new(progress.Meter),
	}
	if chunk < 0 {
		must.Do(t, run.run(t.Context(), 0))
	} else {
		for _, r := range run.refs(0)[:chunk] {
			must.Do(t, run.blocks(t.Context(), r, filepath.Join(o.dir, r.name())))
		}
	}
	must.Do(t, store.Close())
	if done != "" {
		must.Do(t, os.WriteFile(store.progressFile(), []byte(done), fileMode))
	}
	return run
}

// A stopped node gives its newest state, of which a part was never written to disk.
func TestCreateFromLayers(t *testing.T) {
	o := newOrigin(t)
	must.Get(o.chain.InsertChain(o.more))(t)
	head := o.chain.CurrentBlock()
	m, _, err := Create(t.Context(), Source{DB: o.db, Tries: o.chain.TrieDB(), chunk: testChunk}, t.TempDir(),
		new(progress.Meter))
	must.Do(t, err)
	if m.Number != head.Number.Uint64() || m.StateRoot != head.Root {
		t.Errorf("snapshot of block %d, want %d", m.Number, head.Number)
	}
	m, _, err = Create(t.Context(), Source{DB: o.db, chunk: testChunk}, t.TempDir(), new(progress.Meter))
	must.Do(t, err)
	expect.Equal(t, m.Number, testBlocks, "snapshot of the state on disk has block")
}

// The source is refused where it cannot give what a snapshot needs, and a directory that is in use is left alone.
func TestCreateRefusals(t *testing.T) {
	o := newOrigin(t)
	for _, c := range []struct {
		name string
		make func(t *testing.T) (Source, string, context.Context)
		want string
	}{
		{"directory in use", func(t *testing.T) (Source, string, context.Context) {
			return Source{DB: o.db}, o.dir, t.Context()
		}, "is not empty"},
		{"disk nearly full", func(t *testing.T) (Source, string, context.Context) {
			free := func(string) (uint64, error) { return 2 << 30, nil }
			return Source{DB: o.db, Disk: Disk{Free: free, Keep: 2 << 30}}, t.TempDir(), t.Context()
		}, "have to stay free"},
		{"interrupted", func(t *testing.T) (Source, string, context.Context) {
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			return Source{DB: o.db, Rest: true}, t.TempDir(), ctx
		}, ""},
		{"hash scheme", func(t *testing.T) (Source, string, context.Context) {
			db := must.Get(rawdb.Open(memorydb.New(), rawdb.OpenOptions{}))(t)
			return Source{DB: db}, t.TempDir(), t.Context()
		}, "--state.scheme path only"},
		{"state of genesis alone", func(t *testing.T) (Source, string, context.Context) {
			db := must.Get(rawdb.Open(memorydb.New(), rawdb.OpenOptions{}))(t)
			openChain(t, o.net, db)
			return Source{DB: db}, t.TempDir(), t.Context()
		}, "let the node run"},
		{"dropped history", func(t *testing.T) (Source, string, context.Context) {
			hash := o.chain.GetCanonicalHash(1)
			body := rawdb.ReadBodyRLP(o.db, hash, 1)
			rawdb.DeleteBody(o.db, hash, 1)
			t.Cleanup(func() { rawdb.WriteBodyRLP(o.db, hash, 1, body) })
			return Source{DB: o.db}, t.TempDir(), t.Context()
		}, "of a node that has all blocks from there on"},
		{"missing receipts", func(t *testing.T) (Source, string, context.Context) {
			hash := o.chain.GetCanonicalHash(7)
			receipts := rawdb.ReadReceiptsRLP(o.db, hash, 7)
			rawdb.WriteRawReceipts(o.db, hash, 7, rlp.EmptyList)
			t.Cleanup(func() { rawdb.WriteRawReceipts(o.db, hash, 7, receipts) })
			return Source{DB: o.db}, t.TempDir(), t.Context()
		}, "the receipts of block 7 are missing here"},
		{"damaged flat state", func(t *testing.T) (Source, string, context.Context) {
			damaged := crypto.Keccak256Hash(o.accounts[0][:])
			before := rawdb.ReadAccountSnapshot(o.db, damaged)
			rawdb.DeleteAccountSnapshot(o.db, damaged)
			t.Cleanup(func() { rawdb.WriteAccountSnapshot(o.db, damaged, before) })
			return Source{DB: o.db}, t.TempDir(), t.Context()
		}, "the database is damaged"},
	} {
		t.Run(c.name, func(t *testing.T) {
			source, dir, ctx := c.make(t)
			_, _, err := Create(ctx, source, dir, new(progress.Meter))
			checkError(t, err, c.want)
			if _, err := os.Stat(filepath.Join(dir, ManifestName)); c.name != "directory in use" && err == nil {
				t.Error("a manifest was written")
			}
		})
	}
}

// A manifest survives its encoding, and its digest is that of sha256sum.
func TestManifestText(t *testing.T) {
	var d Digest
	must.Do(t, d.UnmarshalText([]byte("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")))
	raw := must.Get(json.Marshal(Chunk{Size: 1, Unpacked: 2, SHA256: d}))(t)
	const want = `{"size":1,"unpacked":2,"sha256":"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"}`
	expect.Equal(t, string(raw), want, "%s, want %s", raw, want)
	for _, bad := range []string{"", "e3", "zz" + d.String()[2:]} {
		expect.Refused(t, new(Digest).UnmarshalText([]byte(bad)), "%q was taken", bad)
	}
}

// A running node refuses at once what it could not write, before it asks for the newest state on disk.
func TestServiceRefusesAtOnce(t *testing.T) {
	api := NewService(nil, func() { t.Error("the state was asked for") }, Disk{}).API()
	full := t.TempDir()
	must.Do(t, os.WriteFile(filepath.Join(full, "photo"), nil, 0o600))
	file := filepath.Join(full, "photo")
	for name, c := range map[string]struct {
		dir     string
		options Options
		want    string
	}{
		"not empty":              {full, Options{}, "is not empty: name a new directory"},
		"below a file":           {filepath.Join(file, "new"), Options{}, "not a directory"},
		"no snapshot to extend":  {t.TempDir(), Options{Extend: t.TempDir()}, ManifestName},
		"a path that is no path": {"relative", Options{}, "no absolute path"},
	} {
		t.Run(name, func(t *testing.T) {
			if err := api.Create(c.dir, &c.options); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %q", err, c.want)
			}
			if api.Status().Running {
				t.Error("it runs all the same")
			}
		})
	}
}
