// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package filters

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"syscall"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/rawdb"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/ethdb"
	"github.com/ethereum/go-ethereum/ethdb/pebble"
	"github.com/ethereum/go-ethereum/internal/must"
	"github.com/ethereum/go-ethereum/rlp"
)

// accounts is how many accounts pay and are paid in the blocks of benchmarks.
const accounts = 1000

// payments makes the receipts of blocks of transfers of random amounts between accounts. Each account is paid equally
// often.
func payments(txs int) func(int) []types.Receipts {
	random := rand.New(rand.NewPCG(1, 2))
	name := func(n int) common.Hash {
		return common.BytesToHash(crypto.Keccak256(binary.BigEndian.AppendUint64(nil, uint64(n)))[12:])
	}
	paid := 0
	return func(int) (list []types.Receipts) {
		for range txs {
			l := transferLog(name(random.IntN(accounts)), name(paid%accounts))
			binary.BigEndian.PutUint64(l.Data[24:], random.Uint64()>>20)
			list = append(list, types.Receipts{{Logs: []*types.Log{l}}})
			paid++
		}
		return list
	}
}

// cpuTime returns the processor time that the process has used on all cores.
func cpuTime(b *testing.B) time.Duration {
	b.Helper()
	var r syscall.Rusage
	must.Do(b, syscall.Getrusage(syscall.RUSAGE_SELF, &r))
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}

// freeze moves the blocks below the head into the ancient store.
func freeze(b *testing.B, db ethdb.Database, head uint64) {
	b.Helper()
	for number := range head {
		hash := rawdb.ReadCanonicalHash(db, number)
		block, receipts := rawdb.ReadBlock(db, hash, number), rawdb.ReadReceiptsRLP(db, hash, number)
		must.Get(rawdb.WriteAncientBlocks(db, []*types.Block{block}, []rlp.RawValue{receipts}))(b)
		rawdb.DeleteBlockWithoutNumber(db, hash, number)
		rawdb.DeleteCanonicalHash(db, number)
	}
}

// BenchmarkSearch finds the logs of one account of a thousand in full blocks of an Anzeon chain, of which the node
// keeps 20 after the second search but not 100, and in blocks of 150 transactions. They are in a database whose cache
// is smaller, and then in the ancient store. The operating system has the files in memory.
func BenchmarkSearch(b *testing.B) {
	for _, size := range []struct{ blocks, txs int }{{20, 5000}, {100, 5000}, {1000, 150}} {
		b.Run(fmt.Sprintf("%dx%d", size.blocks, size.txs), func(b *testing.B) {
			kv := must.Get(pebble.New(b.TempDir(), 16, 128, "", false))(b)
			db := must.Get(rawdb.Open(kv, rawdb.OpenOptions{Ancient: b.TempDir()}))(b)
			b.Cleanup(func() { _ = db.Close() })
			backend, system, all := newBackendOver(b, db, size.blocks, payments(size.txs))
			backend.indexUpTo(b, uint64(size.blocks), false)
			account := all[7].Topics[2]
			want := 0
			for _, l := range all {
				if l.Topics[2] == account {
					want++
				}
			}
			for _, place := range []string{"database", "ancient"} {
				if place == "ancient" {
					freeze(b, db, uint64(size.blocks))
				}
				must.Do(b, kv.Compact(nil, nil))
				b.Run(place, func(b *testing.B) {
					addresses, topics := []common.Address{coin}, [][]common.Hash{{transfer}, nil, {account}}
					before := cpuTime(b)
					for b.Loop() {
						logs, err := system.NewRangeFilter(1, int64(size.blocks), addresses, topics, 0).Logs(b.Context())
						if err != nil || len(logs) != want {
							b.Fatalf("%d logs, want %d: %v", len(logs), want, err)
						}
					}
					b.ReportMetric(float64((cpuTime(b)-before).Microseconds())/float64(b.N*size.blocks), "cpu-us/block")
				})
			}
		})
	}
}
