// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package locals

import (
	"bytes"
	"errors"
	"math/big"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/txpool"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/internal/must"
	"github.com/ethereum/go-ethereum/rlp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// journaled returns what a journal file holds.
func journaled(t *testing.T, path string) map[string]bool {
	t.Helper()
	file := must.Get(os.Open(path))(t)
	defer func() { _ = file.Close() }()
	found := make(map[string]bool)
	for stream := rlp.NewStream(file, 0); ; {
		tx := new(types.Transaction)
		if err := stream.Decode(tx); err != nil {
			return found
		}
		found[tx.Hash().Hex()] = true
	}
}

// beside gives a tracker the pool it was made for.
func beside(tracker *TxTracker) Beside {
	return Beside{tracker, func(tx *types.Transaction) error {
		return tracker.pool.Add([]*types.Transaction{tx}, false)[0]
	}}
}

// await waits until a condition holds.
func await(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for limit := time.Now().Add(30 * time.Second); !holds(); time.Sleep(5 * time.Millisecond) {
		require.Truef(t, !time.Now().After(limit), "%v", what)
	}
}

// A node loads its journal in the background of the start. Transactions in blocks leave the journal, the others return
// to the pool, one that was torn by a kill is the only one lost, and submissions in the meantime are kept.
func TestJournalBeside(t *testing.T) {
	for _, torn := range []bool{false, true} {
		path := filepath.Join(t.TempDir(), "transactions.rlp")
		env := newTestEnv(t, 10, 0, path)
		defer env.close()
		mined := env.chain.GetBlockByNumber(3).Transactions()[0]
		txs := env.makeTxs(5)
		before := New(path, time.Minute, env.chain.Config(), env.pool)
		must.Do(t, beside(before).Start())
		before.TrackAll(append([]*types.Transaction{mined}, txs[:3]...))
		must.Do(t, beside(before).Stop())
		found := journaled(t, path)
		require.Truef(t, len(found) == 4, "the journal holds %d transactions", len(found))
		if torn {
			file := must.Get(os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0))(t)
			encoded := must.Get(rlp.EncodeToBytes(txs[3]))(t)
			must.Get(file.Write(encoded[:len(encoded)/2]))(t)
			_ = file.Close()
		}
		after := beside(New(path, time.Minute, env.chain.Config(), env.pool))
		must.Do(t, after.Start())
		after.Track(txs[4])
		await(t, "the journal was not rewritten", func() bool {
			found := journaled(t, path)
			return len(found) == 4 && !found[mined.Hash().Hex()] && found[txs[4].Hash().Hex()]
		})
		await(t, "the pool has not got the transactions back", func() bool {
			for _, tx := range txs[:3] {
				if !env.pool.Has(tx.Hash()) {
					return false
				}
			}
			return !env.pool.Has(mined.Hash())
		})
		assert.NoError(t, after.Stop())
	}
}

// The start does not wait for the journal; the end of the node does not either, and leaves the file as it is.
func TestStopWhileLoading(t *testing.T) {
	path := filepath.Join(t.TempDir(), "transactions.rlp")
	env := newTestEnv(t, 1, 0, path)
	defer env.close()
	first := beside(New(path, time.Minute, env.chain.Config(), env.pool))
	must.Do(t, first.Start())
	first.TrackAll(env.makeTxs(3 * loadBatch))
	must.Do(t, first.Stop())
	before := must.Get(os.ReadFile(path))(t)
	second := beside(New(path, time.Minute, env.chain.Config(), env.pool))
	second.mu.Lock() // nothing can be taken in
	must.Do(t, second.Start())
	close(second.shutdownCh)
	second.mu.Unlock()
	second.wg.Wait()
	if after, err := os.ReadFile(path); err != nil || string(after) != string(before) {
		t.Errorf("the journal has %d bytes, had %d, %v", len(after), len(before), err)
	}
}

// A transaction that the pool has lost is offered again. It is forgotten when it can no longer be included, or when the
// pool has refused it for hours (spec rpc 8.3).
func TestOffer(t *testing.T) {
	env := newTestEnv(t, 1, 0, "")
	defer env.close()
	var refusal error
	b := Beside{New("", time.Minute, env.chain.Config(), env.pool), func(*types.Transaction) error { return refusal }}
	for _, tt := range []struct {
		refusal error
		age     time.Duration
		kept    bool
	}{
		{nil, 0, true},
		{txpool.ErrOutOfCapacity, time.Hour, true},
		{core.ErrInsufficientFunds, time.Hour, true},
		{core.ErrInsufficientFunds, giveUpAfter + time.Minute, false},
		{txpool.ErrInflightTxLimitReached, 0, true},
		{core.ErrNonceTooLow, 0, false},
		{txpool.ErrReplaceUnderpriced, 0, false},
		{txpool.ErrTxGasPriceTooLow, 0, false},
		{types.ErrInvalidFeePayer, 0, false},
	} {
		tx := env.makeTx(0, nil)
		tx.SetTime(time.Now().Add(-tt.age))
		b.Track(tx)
		refusal = tt.refusal
		lost := b.recheck(false)
		require.Equal(t, 1, len(lost), "transactions are missing in the pool")
		b.offer(lost)
		if kept := b.all[tx.Hash()] != nil; kept != tt.kept || kept != (len(b.byAddr) == 1) {
			t.Errorf("refused for %v after %v: kept %v, want %v (%d senders)", tt.refusal, tt.age, kept, tt.kept, len(b.byAddr))
		}
		b.forget(tx)
	}
}

// A transaction that its sender has replaced is forgotten, the one in its place is not.
func TestSweep(t *testing.T) {
	env := newTestEnv(t, 1, 0, "")
	defer env.close()
	b := beside(New("", time.Minute, env.chain.Config(), env.pool))
	first, other := env.makeTx(0, nil), env.makeTx(7, nil)
	second := env.makeTx(first.Nonce(), new(big.Int).Mul(first.GasPrice(), big.NewInt(2)))
	require.True(t, first.Nonce() == second.Nonce() && first.Hash() != second.Hash(),
		"the second transaction does not replace the first")
	b.TrackAll([]*types.Transaction{first, other, second})
	b.sweep()
	assert.Truef(t, b.all[first.Hash()] == nil && b.all[second.Hash()] != nil && b.all[other.Hash()] != nil,
		"%d transactions are kept", len(b.all))
}

// Every whole transaction in a damaged journal is kept, in order, and transactions that are appended afterwards can be
// read. The original of a journal that is damaged before its end is kept too.
func TestMendJournal(t *testing.T) {
	env := newTestEnv(t, 10, 0, filepath.Join(t.TempDir(), "unused.rlp"))
	defer env.close()
	var encoded [][]byte
	for _, tx := range env.makeTxs(4) {
		e := must.Get(rlp.EncodeToBytes(tx))(t)
		encoded = append(encoded, e)
	}
	cut := encoded[1][:len(encoded[1])-1]
	flipped := append([]byte{}, encoded[1]...)
	flipped[0] ^= 0x10
	for name, tt := range map[string]struct {
		parts    [][]byte
		want     []int // which transactions are kept
		original bool
	}{
		"sound":                 {[][]byte{encoded[0], encoded[1]}, []int{0, 1}, false},
		"torn at the end":       {[][]byte{encoded[0], cut}, []int{0}, false},
		"nothing but torn":      {[][]byte{cut}, nil, true},
		"a key":                 {[][]byte{[]byte("0123456789abcdef")}, nil, true},
		"torn in the middle":    {[][]byte{encoded[0], cut, encoded[2], encoded[3]}, []int{0, 2, 3}, true},
		"torn twice":            {[][]byte{encoded[0], cut, encoded[2], cut[:5]}, []int{0, 2}, true},
		"torn at the beginning": {[][]byte{cut[7:], encoded[2]}, []int{2}, true},
		"flipped in the middle": {[][]byte{encoded[0], flipped, encoded[2]}, []int{0, 2}, true},
		"zeros, as disks leave": {[][]byte{encoded[0], make([]byte, 512)}, []int{0}, false},
		"zeros and something":   {[][]byte{encoded[0], make([]byte, 512), encoded[3]}, []int{0, 3}, true},
		"empty":                 {nil, nil, false},
	} {
		path := filepath.Join(t.TempDir(), "transactions.rlp")
		earlier := path + ".damaged"
		must.Do(t, errors.Join(os.WriteFile(path, slices.Concat(tt.parts...), 0o600), os.WriteFile(earlier, nil, 0o600)))
		require.NoError(t, mendJournal(path), name)
		have := must.Get(os.ReadFile(path))(t)
		var want []byte
		for _, i := range tt.want {
			want = append(want, encoded[i]...)
		}
		assert.Truef(t, bytes.Equal(have, want), "%s: %d bytes are kept, want %d", name, len(have), len(want))
		assert.Emptyf(t, must.Get(os.ReadFile(earlier))(t), "%s: the original of an earlier damage", name)
		original, err := os.ReadFile(earlier + ".1")
		assert.Truef(t, (err == nil) == tt.original && (!tt.original || bytes.Equal(original, slices.Concat(tt.parts...))),
			"%s: the original: %v", name, err)
	}
	assert.NoError(t, mendJournal(filepath.Join(t.TempDir(), "none")), "no journal")
}

// What the pool has dropped is kept up to a number of bytes. Senders have an equal part of it, and keep their lowest
// nonces.
func TestLostIsBounded(t *testing.T) {
	env := newTestEnv(t, 1, 0, "")
	defer env.close()
	b := beside(New("", time.Minute, env.chain.Config(), env.pool))
	many, one, txs := common.Address{1}, common.Address{2}, env.makeTxs(11)
	lost := map[common.Address][]*types.Transaction{many: txs[:10], one: txs[10:]}
	b.TrackAll(txs)
	size := int(lost[many][0].Size())
	first := lost[many][0]
	b.bound(lost, 4*size+size/2)
	assert.Truef(t, len(lost[one]) == 1 && len(lost[many]) == 3 && lost[many][0] == first && len(b.all) == 4,
		"%d and %d are kept of two senders, %d are tracked, want 3 and 1", len(lost[many]), len(lost[one]), len(b.all))
}
