// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package eth

import (
	"bytes"
	"io"
	"net"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/eth/protocols/snap"
	"github.com/ethereum/go-ethereum/p2p/rlpx"
	"github.com/ethereum/go-ethereum/rlp"

	"gwon/consensus/wbft/wbfttest"
	"gwon/internal/must"
)

// tape is a connection of which what is written after the handshake is kept for the other end to read.
type tape struct {
	net.Conn
	kept *bytes.Buffer // nil during the handshake
}

func (t *tape) Write(p []byte) (int, error) {
	if t.kept == nil {
		return t.Conn.Write(p)
	}
	return t.kept.Write(p)
}

func (t *tape) Read(p []byte) (int, error) {
	if t.kept == nil {
		return t.Conn.Read(p)
	}
	return t.kept.Read(p)
}

// taped returns both ends of an encrypted connection. Written data waits until the other end reads it.
func taped(t testing.TB) (from, to *rlpx.Conn) {
	t.Helper()
	here, there := net.Pipe()
	a, b := &tape{Conn: here}, &tape{Conn: there}
	key := must.Get(crypto.GenerateKey())(t)
	from, to = rlpx.NewConn(a, &key.PublicKey), rlpx.NewConn(b, nil)
	shaken := make(chan error, 1)
	go func() {
		_, err := to.Handshake(key)
		shaken <- err
	}()
	other := must.Get(crypto.GenerateKey())(t)
	must.Get(from.Handshake(other))(t)
	must.Do(t, <-shaken)
	a.kept = new(bytes.Buffer)
	b.kept = a.kept
	from.SetSnappy(true)
	to.SetSnappy(true)
	return from, to
}

// BenchmarkWorst measures what the worst messages cost below the protocols, and requests for state.
// docs/reference/limits.md has the figures.
func BenchmarkWorst(b *testing.B) {
	for name, size := range map[string]int{"connection/10 MiB": 10 << 20, "connection/16 MiB": 16<<20 - 1} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			from, to := taped(b)
			payload := make([]byte, size)
			for b.Loop() {
				b.StopTimer()
				must.Get(from.Write(1, payload))(b)
				b.StartTimer()
				_, data, _, err := to.Read()
				must.Do(b, err)
				_, _ = io.Discard.Write(common.CopyBytes(data)) // as the layer above does
			}
		})
	}
	chain, _ := wbfttest.New(b, 4).Chain(b)
	root := chain.CurrentBlock().Root
	hashes := func(size int) []common.Hash {
		list := make([]common.Hash, size/33)
		for i := range list {
			list[i] = common.Hash{byte(i), byte(i >> 8), byte(i >> 16), 1}
		}
		return list
	}
	sizes := map[string]int{"snap/GetStorageRanges": 32 << 10, "snap/GetStorageRanges/refused": 10 << 20}
	for name, size := range sizes {
		query := snap.GetStorageRangesPacket{Root: root, Accounts: hashes(size), Bytes: 1 << 30}
		b.Run(name, func(b *testing.B) { // what is refused is measured as if it were not
			b.ReportAllocs()
			for b.Loop() {
				snap.ServiceGetStorageRangesQuery(chain, &query)
			}
		})
	}
	codes := hashes(64 << 10)
	b.Run("snap/GetByteCodes", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			snap.ServiceGetByteCodesQuery(chain, &snap.GetByteCodesPacket{Hashes: codes, Bytes: 1 << 30})
		}
	})
	var paths rlp.RawList[snap.TrieNodePathSet]
	for _, hash := range hashes(128 << 10) {
		must.Do(b, paths.Append(snap.TrieNodePathSet{hash[:], {0}}))
	}
	b.Run("snap/GetTrieNodes", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			query := snap.GetTrieNodesPacket{Root: root, Paths: paths, Bytes: 1 << 30}
			must.Get(snap.ServiceGetTrieNodesQuery(chain, &query))(b)
		}
	})
	b.Run("snap/GetAccountRange", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			snap.ServiceGetAccountRangeQuery(chain, &snap.GetAccountRangePacket{Root: root, Limit: common.MaxHash,
				Bytes: 1 << 30})
		}
	})
}
