// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package remotestate

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"math/bits"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	gethparams "github.com/ethereum/go-ethereum/params"

	"gwon/consensus/finality"
	"gwon/consensus/wbft/validators"
	"gwon/consensus/wbft/wbfttest"
	"gwon/internal/must"
)

// virtual is a chain of any length with ten validators, of whom one is exchanged at evenly spaced epochs: no set comes
// back. A header is made when it is asked for. Those at changes and the newest one are sealed, and those since the
// newest epoch block are linked: nothing else is looked at.
type virtual struct {
	net     *wbfttest.Network
	config  *gethparams.ChainConfig
	members *types.EpochInfo
	last    uint64
	changes uint64
	made    map[uint64]*types.Header
	proofs  bool // of a node of gwon
	asked   atomic.Int64
	sent    atomic.Int64 // requests
	bytes   atomic.Int64
}

const (
	networkEpoch = 140
	seats        = 10 // validators, for each of whom another one stands by
)

func newVirtual(b testing.TB, last, changes uint64, proofs bool) *virtual {
	b.Helper()
	v := &virtual{
		net: wbfttest.NewWithEpochs(b, 2*seats, networkEpoch), last: last, changes: changes, proofs: proofs,
		made: make(map[uint64]*types.Header),
	}
	v.config = v.net.Genesis.Config
	genesis := must.Get(v.net.Genesis.ToBlock().Header().WBFTExtra())(b)
	v.members = genesis.EpochInfo
	return v
}

// info returns what an epoch block appoints: of each seat the one whom the Gray code of the number of changes names.
func (v *virtual) info(epoch uint64) *types.EpochInfo {
	changes := v.changed(epoch)
	gray := changes ^ changes>>1
	e := &types.EpochInfo{Candidates: v.members.Candidates}
	for seat := range uint32(seats) {
		i := 2*seat + uint32(gray>>seat&1)
		e.Validators = append(e.Validators, i)
		e.BLSPublicKeys = append(e.BLSPublicKeys, v.members.BLSPublicKeys[i])
	}
	return e
}

// changed returns how often the validators have changed up to an epoch.
func (v *virtual) changed(epoch uint64) uint64 { return epoch * v.changes / (v.last / networkEpoch) }

func (v *virtual) Header(number uint64) *types.Header {
	if h := v.made[number]; h != nil || number > v.last {
		return h
	}
	epoch := number / networkEpoch
	extra := &types.WBFTExtra{GasTip: big.NewInt(1)}
	if number%networkEpoch == 0 {
		extra.EpochInfo = v.info(epoch)
	}
	h := &types.Header{
		Number: new(big.Int).SetUint64(number), Difficulty: common.Big1, BaseFee: common.Big1, GasLimit: 1e8,
		UncleHash: types.EmptyUncleHash, TxHash: types.EmptyTxsHash, ReceiptHash: types.EmptyReceiptsHash,
		Time: begun + number, Extra: extra.Encode(),
	}
	if number > v.last-v.last%networkEpoch {
		h.ParentHash = v.Header(number - 1).Hash()
	}
	isChange := epoch > 0 && number%networkEpoch == 0 && v.changed(epoch) != v.changed(epoch-1)
	if number > 0 && (isChange || number == v.last || number == v.last-v.last%networkEpoch) {
		set, err := validators.FromEpochInfo(v.info((number - 1) / networkEpoch))
		if err != nil {
			panic(err)
		}
		h = v.net.SealBy(new(testing.B), set, types.NewBlockWithHeader(h), 0).Header()
	}
	v.made[number] = h
	return h
}

func (v *virtual) LastEpochBlock(number uint64) uint64 { return number - number%networkEpoch }

// ServeHTTP implements http.Handler. Requests come one after the other.
func (v *virtual) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var raw json.RawMessage
	if json.NewDecoder(r.Body).Decode(&raw) != nil {
		return
	}
	v.sent.Add(1)
	w.Header().Set("Content-Type", "application/json")
	var batch []question
	var answer any
	if json.Unmarshal(raw, &batch) == nil {
		list := make([]any, len(batch))
		for i, q := range batch {
			list[i] = v.answer(q)
		}
		answer = list
	} else {
		var q question
		_ = json.Unmarshal(raw, &q) // an empty question has no answer
		answer = v.answer(q)
	}
	content, err := json.Marshal(answer)
	if err != nil {
		panic(err)
	}
	v.bytes.Add(int64(len(content)))
	_, _ = w.Write(content) // a reader that has left is noticed by the benchmark
}

func (v *virtual) answer(q question) map[string]any {
	v.asked.Add(1)
	numbers := make([]hexutil.Uint64, 2)
	for i := range min(len(q.Params), 2) {
		_ = json.Unmarshal(q.Params[i], &numbers[i]) // what is no number is not used
	}
	answer := map[string]any{"jsonrpc": "2.0", "id": q.ID}
	switch {
	case q.Method == "eth_blockNumber":
		answer["result"] = hexutil.Uint64(v.last)
	case q.Method == "eth_getHeaderByNumber":
		answer["result"] = v.Header(uint64(numbers[0]))
	case q.Method == "istanbul_getFinalityProof" && v.proofs:
		proof, err := finality.Build(v, uint64(numbers[1]), uint64(numbers[0]))
		if err != nil {
			panic(err)
		}
		answer["result"] = proof
	default:
		answer["error"] = map[string]any{"code": -32601, "message": "the method " + q.Method + " does not exist"}
	}
	return answer
}

// BenchmarkStart measures how long a reader needs for the newest of 26 million blocks, from genesis and from a
// checkpoint of a day ago, by the number of times that the validators have changed. The chain is made before.
func BenchmarkStart(b *testing.B) {
	const last = 26_000_000
	for _, proofs := range []bool{true, false} {
		for _, changes := range []uint64{0, 10, 100, 500, 1000} {
			v := newVirtual(b, last, changes, proofs)
			genesis := v.Header(0)
			from := map[string]*finality.Trusted{"genesis": nil}
			day := v.LastEpochBlock(last - 86_400)
			from["checkpoint"] = &finality.Trusted{Number: day, Hash: v.Header(day).Hash()}
			for _, name := range []string{"genesis", "checkpoint"} {
				b.Run(fmt.Sprintf("%s/proofs=%t/changes=%d", name, proofs, changes), func(b *testing.B) {
					server := httptest.NewServer(v)
					defer server.Close()
					read := func() {
						r, err := Open(b.Context(), Options{
							URLs: []string{server.URL}, Config: v.config, Genesis: genesis.Hash(), Trusted: from[name],
							Now: func() time.Time { return time.Unix(begun+last, 0) }, TrustOld: true, Memory: 6 << 20,
						})
						if err != nil {
							b.Fatal(err)
						}
						head, err := r.Latest(b.Context(), nil)
						if err != nil || head.Number.Uint64() != last {
							b.Fatal(head, err)
						}
						must.Do(b, r.Close())
					}
					first := uint64(0)
					if from[name] != nil {
						first = day
					}
					if _, err := finality.Build(v, first, last); err != nil { // makes and seals what is read
						b.Fatal(err)
					}
					v.asked.Store(0)
					v.sent.Store(0)
					v.bytes.Store(0)
					runs := 0
					for b.Loop() {
						read()
						runs++
					}
					b.ReportMetric(float64(v.asked.Load())/float64(runs), "questions/op")
					b.ReportMetric(float64(v.sent.Load())/float64(runs), "requests/op")
					b.ReportMetric(float64(v.bytes.Load())/float64(runs), "bytes/op")
				})
			}
		}
	}
}

// A change of the validators at each of many epochs is found, and none that is not there.
func TestVirtualChainChanges(t *testing.T) {
	members := &types.EpochInfo{BLSPublicKeys: make([][]byte, 2*seats)}
	v := &virtual{last: 2000 * networkEpoch, changes: 20, members: members}
	var found []uint64
	for epoch := uint64(1); epoch <= 2000; epoch++ {
		if !slices.Equal(v.info(epoch).Validators, v.info(epoch-1).Validators) {
			found = append(found, epoch)
		}
	}
	if len(found) != 20 {
		t.Errorf("%d changes, want 20: %v", len(found), found)
	}
}

// Headers of a node without finished proofs are asked for in batches: the changes of the validators are looked for
// together, not one after the other.
func TestHeadersAreAskedForTogether(t *testing.T) {
	const epochs, changes = 512, 8
	v := newVirtual(t, epochs*networkEpoch+1, changes, false)
	if _, err := finality.Build(v, 0, v.last); err != nil { // makes and seals what is read
		t.Fatal(err)
	}
	server := httptest.NewServer(v)
	defer server.Close()
	r := must.Get(Open(t.Context(), Options{
		URLs: []string{server.URL}, Config: v.config, Genesis: v.Header(0).Hash(), TrustOld: true, Now: time.Now,
	}))(t)
	head, err := r.Latest(t.Context(), nil)
	if err := errors.Join(err, r.Close()); err != nil || head.Number.Uint64() != v.last {
		t.Fatal(head, err)
	}
	// The number, a question for a proof, genesis, the headers of the newest epoch, and one request for each halving.
	if sent, most := v.sent.Load(), int64(5+bits.Len(epochs)); sent > most {
		t.Errorf("%d requests with %d questions, want at most %d", sent, v.asked.Load(), most)
	}
}
