// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package wbft

import (
	"errors"
	"math"
	"math/big"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/consensus"
	"github.com/ethereum/go-ethereum/core/state"
	"github.com/ethereum/go-ethereum/core/types"
	gethparams "github.com/ethereum/go-ethereum/params"

	"gwon/internal/expect"
	"gwon/internal/must"
	"gwon/internal/vectors"
)

// vectors is the part of testdata/chain.json that the engine is tested with.
type recorded struct {
	Genesis struct {
		Config *gethparams.ChainConfig `json:"config"`
	} `json:"genesis"`
	GenesisHash      common.Hash   `json:"genesisHash"`
	GenesisHeaderRLP hexutil.Bytes `json:"genesisHeaderRlp"`
	Blocks           []struct {
		Hash       common.Hash      `json:"hash"`
		HeaderRLP  hexutil.Bytes    `json:"headerRlp"`
		Validators []common.Address `json:"validators"`
		Quorum     int              `json:"quorum"`
	} `json:"blocks"`
	Mutated []struct {
		Name      string        `json:"name"`
		Base      uint64        `json:"baseBlock"`
		HeaderRLP hexutil.Bytes `json:"headerRlp"`
		Error     string        `json:"headerCheckError"`
	} `json:"mutatedHeaders"`
}

// recordedChain serves the vectors as a chain. Every block's state holds only the governed gas tip.
type recordedChain struct {
	config  *gethparams.ChainConfig
	headers []*types.Header // by number
	state   *state.StateDB  // nil: no state at hand
}

func (c *recordedChain) Config() *gethparams.ChainConfig { return c.config }
func (c *recordedChain) CurrentHeader() *types.Header    { return c.headers[len(c.headers)-1] }
func (c *recordedChain) GetHeaderByNumber(n uint64) *types.Header {
	if n < uint64(len(c.headers)) {
		return c.headers[n]
	}
	return nil
}
func (c *recordedChain) GetHeader(hash common.Hash, n uint64) *types.Header {
	if h := c.GetHeaderByNumber(n); h != nil && h.Hash() == hash {
		return h
	}
	return nil
}
func (c *recordedChain) GetHeaderByHash(hash common.Hash) *types.Header {
	if i := slices.IndexFunc(c.headers, func(h *types.Header) bool { return h.Hash() == hash }); i >= 0 {
		return c.headers[i]
	}
	return nil
}
func (c *recordedChain) StateAt(common.Hash, *big.Int, uint64) (*state.StateDB, error) {
	if c.state == nil {
		return nil, errors.New("no state")
	}
	return c.state, nil
}

// loadChain returns the vectors with their chain, up to and including block last.
func loadChain(t testing.TB, last int) (*recorded, *recordedChain) {
	t.Helper()
	v := new(recorded)
	vectors.Load(t, "chain.json", v)
	statedb := must.Get(state.New(types.EmptyRootHash, state.NewDatabaseForTesting()))(t)
	statedb.SetState(common.HexToAddress("0x1001"), common.HexToHash("0x39"),
		common.BigToHash(big.NewInt(27_600_000_000_000)))
	chain := &recordedChain{
		config:  v.Genesis.Config,
		headers: []*types.Header{vectors.Header(t, v.GenesisHeaderRLP)},
		state:   statedb,
	}
	for _, b := range v.Blocks[:last] {
		chain.headers = append(chain.headers, vectors.Header(t, b.HeaderRLP))
	}
	return v, chain
}

func newTestEngine(t testing.TB, config *gethparams.ChainConfig) *Engine {
	t.Helper()
	return must.Get(New(config, nil))(t)
}

// Every recorded header passes, on its own and in one batch on top of genesis (spec wbft 7.1, 7.2).
func TestRecordedHeadersVerify(t *testing.T) {
	v, chain := loadChain(t, 14)
	e := newTestEngine(t, chain.config)
	for i, b := range v.Blocks {
		h := chain.headers[i+1]
		must.Equal(t, h.Hash(), b.Hash, "block %d: hash", i+1)
		expect.Error(t, e.VerifyHeader(chain, h), nil, "block %d", i+1)
		set, err := e.ValidatorsFor(chain, h)
		must.Do(t, err, "block", i+1)
		expect.That(t, slices.Equal(set.Addresses(), b.Validators) && set.Quorum() == b.Quorum,
			"block %d: set %v quorum %d, want %v %d", i+1, set.Addresses(), set.Quorum(), b.Validators, b.Quorum)
	}
	batch := chain.headers[1:]
	fresh := &recordedChain{config: chain.config, headers: chain.headers[:1], state: chain.state}
	abort, results := newTestEngine(t, chain.config).VerifyHeaders(fresh, batch)
	defer close(abort)
	for i := range batch {
		expect.Error(t, <-results, nil, "block %d in a batch", i+1)
	}
}

// Every altered header gets the recorded verdict (spec wbft 7.1).
func TestMutatedHeaders(t *testing.T) {
	v, chain := loadChain(t, 14)
	for _, m := range v.Mutated {
		t.Run(m.Name, func(t *testing.T) {
			before := &recordedChain{config: chain.config, headers: chain.headers[:m.Base], state: chain.state}
			err := newTestEngine(t, chain.config).VerifyHeader(before, vectors.Header(t, m.HeaderRLP))
			switch {
			case m.Error == "<nil>" && err != nil:
				t.Errorf("refused: %v", err)
			case m.Error != "<nil>" && err == nil:
				t.Errorf("accepted, want %q", m.Error)
			case m.Error != "<nil>" && !strings.HasPrefix(err.Error(), m.Error):
				t.Errorf("error %q, want %q", err, m.Error)
			}
		})
	}
}

// A number above 64 bits is no number of a block, whatever its low 64 bits say. Release 1.1.0 of go-stablenet takes it
// for these.
// spec: wbft 7.1
func TestHeaderNumber(t *testing.T) {
	_, chain := loadChain(t, 14)
	before := &recordedChain{config: chain.config, headers: chain.headers[:6], state: chain.state}
	wrapped := func(bits uint, low int64) *big.Int {
		return new(big.Int).Add(new(big.Int).Lsh(common.Big1, bits), big.NewInt(low))
	}
	for name, c := range map[string]struct {
		number  *big.Int
		refused bool
	}{
		"true":         {big.NewInt(6), false},
		"2^64 - 1":     {wrapped(64, -1), false}, // its parent is unknown
		"2^64 + true":  {wrapped(64, 6), true},
		"2^65 + true":  {wrapped(65, 6), true},
		"without one":  {nil, true},
		"2^64":         {wrapped(64, 0), true},
		"2^64 + other": {wrapped(64, 7), true},
	} {
		t.Run(name, func(t *testing.T) {
			header := types.CopyHeader(chain.headers[6])
			header.Number = c.number
			e := newTestEngine(t, chain.config)
			for kind, err := range map[string]error{
				"sealed": e.VerifyHeader(before, header), "proposal": e.VerifyProposal(before, header),
			} {
				expect.That(t, errors.Is(err, errUnknownBlock) == c.refused,
					"%s: error %v, want %q: %t", kind, err, errUnknownBlock, c.refused)
			}
		})
	}
}

// After the first failure in a batch every further header has an unknown ancestor (spec wbft 7.2).
func TestBatchStopsAtFirstFailure(t *testing.T) {
	_, chain := loadChain(t, 14)
	batch := slices.Clone(chain.headers[1:])
	bad := types.CopyHeader(batch[5])
	bad.GasUsed = bad.GasLimit + 1
	batch[5] = bad
	fresh := &recordedChain{config: chain.config, headers: chain.headers[:1]}
	abort, results := newTestEngine(t, chain.config).VerifyHeaders(fresh, batch)
	defer close(abort)
	for i := range batch {
		err := <-results
		switch {
		case i < 5 && err != nil:
			t.Errorf("header %d: %v", i, err)
		case i == 5 && (err == nil || errors.Is(err, consensus.ErrUnknownAncestor)):
			t.Errorf("header %d: %v, want its own failure", i, err)
		case i > 5 && !errors.Is(err, consensus.ErrUnknownAncestor):
			t.Errorf("header %d: %v, want unknown ancestor", i, err)
		}
	}
}

// A proposal is checked without the seals over itself, but with everything else; only its own timestamp may lie ahead
// (spec wbft 5.7 step 4).
func TestVerifyProposal(t *testing.T) {
	_, chain := loadChain(t, 14)
	before := &recordedChain{config: chain.config, headers: chain.headers[:6], state: chain.state}
	unsealed := must.Get(chain.headers[6].WithWBFTSeals(0, nil, nil))(t)
	e := newTestEngine(t, chain.config)
	expect.Error(t, e.VerifyProposal(before, unsealed), nil, "proposal refused")
	expect.Error(t, e.VerifyHeader(before, unsealed), errPreparedZero, "unsealed header")
	e.now = func() time.Time { return time.Unix(int64(unsealed.Time)-1, 0) }
	expect.Error(t, e.VerifyProposal(before, unsealed), consensus.ErrFutureBlock, "proposal from the future")
	expect.Equal(t, e.FutureBy(unsealed), time.Second, "wait")
	// A timestamp that package time cannot count is far ahead, not behind: otherwise it is judged again at once.
	const counted = math.MaxInt64 - 62_135_596_800
	for _, at := range []uint64{counted, counted + 1, math.MaxInt64, math.MaxUint64} {
		far := types.CopyHeader(unsealed)
		far.Time = at
		if wait := e.FutureBy(far); wait < mostAhead-time.Second || wait > mostAhead {
			t.Errorf("timestamp %d: wait %v, want %v", at, wait, mostAhead)
		}
	}
	broken := types.CopyHeader(unsealed)
	broken.MixDigest[0] ^= 1
	if err := e.VerifyProposal(before, broken); err == nil || errors.Is(err, consensus.ErrFutureBlock) {
		t.Errorf("broken proposal from the future: %v, want the other failure", err)
	}
}

// What the seals do not show is looked at before them: a proposal has none (spec wbft 1.1).
func TestProposalThatBreaksARule(t *testing.T) {
	_, chain := loadChain(t, 14)
	unsealed := must.Get(chain.headers[6].WithWBFTSeals(0, nil, nil))(t)
	before := &recordedChain{config: chain.config, headers: chain.headers[:6], state: chain.state}
	e := newTestEngine(t, chain.config)
	for _, test := range []struct {
		spoil func(*types.Header)
		want  string
	}{
		{func(h *types.Header) { h.GasUsed = h.GasLimit + 1 }, "invalid gasUsed"},
		{func(h *types.Header) { chain.state.SetBlacklisted(h.Coinbase, true) }, "blacklisted signer"},
	} {
		h := types.CopyHeader(unsealed)
		must.Do(t, e.VerifyProposal(before, h))
		test.spoil(h)
		err := e.VerifyProposal(before, h)
		expect.That(t, err != nil && strings.HasPrefix(err.Error(), test.want), "error %v, want %q", err, test.want)
	}
}
