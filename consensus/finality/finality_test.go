// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package finality

import (
	"bytes"
	"encoding/json"
	"errors"
	"math/big"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	"pgregory.net/rapid"

	"gwon/consensus/wbft/extra"
	"gwon/consensus/wbft/validators"
	"gwon/consensus/wbft/wbfttest"
	"gwon/internal/expect"
	"gwon/internal/must"
	"gwon/internal/vectors"
)

const epochLength = 4

var chainID = big.NewInt(8283)

// stored is a chain of sealed headers in memory.
type stored []*types.Header

func (s stored) LastEpochBlock(number uint64) uint64 { return number - number%epochLength }

func (s stored) Header(number uint64) *types.Header {
	if number >= uint64(len(s)) {
		return nil
	}
	return s[number]
}

// members are the validators, by index of the network, that each epoch of the test chain has. Epochs 3 to 5 have
// those of epoch 1 again, so that a proof may pass over epoch 2. The order differs from epoch to epoch.
var members = [][]int{
	{0, 1, 2, 3}, {3, 2, 1, 0}, {0, 1, 4, 5}, {1, 0, 3, 2}, {2, 3, 0, 1}, {0, 1, 2, 3}, {4, 5, 6, 3}, {5, 4, 6, 3}, {6},
}

func testNetwork(t testing.TB) *wbfttest.Network {
	t.Helper()
	net := wbfttest.New(t, 7)
	net.Genesis.Config.ChainID = chainID
	return net
}

// testChain seals a chain of epochs with those members.
func testChain(t testing.TB, epochs [][]int) stored {
	t.Helper()
	return filledChain(t, epochs, func(*types.Header) {})
}

// filledChain is testChain with headers that fill completes before they are sealed.
func filledChain(t testing.TB, epochs [][]int, fill func(*types.Header)) stored {
	t.Helper()
	net := testNetwork(t)
	genesis := net.Genesis.ToBlock().Header()
	all := must.Get(genesis.WBFTExtra())(t)
	info := func(list []int) *types.EpochInfo {
		e := &types.EpochInfo{Candidates: all.EpochInfo.Candidates}
		for _, i := range list {
			e.Validators = append(e.Validators, uint32(i))
			e.BLSPublicKeys = append(e.BLSPublicKeys, all.EpochInfo.BLSPublicKeys[i])
		}
		return e
	}
	chain := make(stored, 0, epochLength*len(epochs))
	for number := range epochLength * len(epochs) {
		items := &types.WBFTExtra{GasTip: big.NewInt(1)}
		if number%epochLength == 0 {
			items.EpochInfo = info(epochs[number/epochLength])
		}
		h := &types.Header{
			Number: big.NewInt(int64(number)), Difficulty: common.Big1, BaseFee: common.Big1, UncleHash: types.EmptyUncleHash,
			Extra: items.Encode(),
		}
		fill(h)
		if number > 0 {
			h.ParentHash = chain[number-1].Hash()
			set := must.Get(validators.FromEpochInfo(info(epochs[(number-1)/epochLength])))(t)
			h = net.SealBy(t, set, types.NewBlockWithHeader(h), uint32(number%3)).Header()
		}
		chain = append(chain, h)
	}
	return chain
}

func (s stored) trust(number uint64) Trusted { return Trusted{chainID, number, s[number].Hash()} }

func build(t testing.TB, chain Chain, trusted, block uint64) *Proof {
	t.Helper()
	p, err := Build(chain, trusted, block)
	must.That(t, err == nil, "block %d from %d: %v", block, trusted, err)
	return p
}

// From genesis, epoch blocks and others, each block from it on is proven, also after the proof was written and read.
// spec: wbft 3.1, 7.5
func TestEachBlockIsProven(t *testing.T) {
	chain := testChain(t, members)
	for _, trusted := range []uint64{0, 1, 3, 4, 5, 8, 24, 25, uint64(len(chain) - 1)} {
		for block := trusted; block < uint64(len(chain)); block++ {
			p := build(t, chain, trusted, block)
			encoded, err := json.Marshal(p)
			must.Do(t, err)
			p, err = Decode(bytes.NewReader(encoded))
			must.That(t, err == nil, "block %d from %d: %v", block, trusted, err)
			header, err := Verify(p, chain.trust(trusted))
			must.That(t, err == nil && header.Hash() == chain[block].Hash(),
				"block %d from %d: %v, %v", block, trusted, header, err)
		}
	}
}

// A proof has one epoch header for each change of the members, not one for each epoch.
// spec: wbft 3.5
func TestProofsLeaveOutEpochsThatChangeNothing(t *testing.T) {
	chain := testChain(t, members)
	var got []uint64
	for _, e := range build(t, chain, 0, uint64(len(chain)-1)).Epochs {
		got = append(got, e.Header.Number.Uint64())
	}
	expect.Slice(t, got, []uint64{24, 32}, "epoch headers")
}

// A chain that go-stablenet has sealed is proven from its genesis block, epochs of other orders included.
// spec: wbft 1.4, 2.5, 3.1
func TestChainOfTheOtherClient(t *testing.T) {
	var recorded struct {
		Origin struct {
			Config struct{ ChainID int64 }
		} `json:"genesis"`
		Genesis hexutil.Bytes `json:"genesisHeaderRlp"`
		Blocks  []struct {
			Header hexutil.Bytes `json:"headerRlp"`
		}
	}
	vectors.Load(t, "chain.json", &recorded)
	id, chain := big.NewInt(recorded.Origin.Config.ChainID), stored{vectors.Header(t, recorded.Genesis)}
	for _, b := range recorded.Blocks {
		chain = append(chain, vectors.Header(t, b.Header))
	}
	for block := range uint64(len(chain)) {
		header, err := Verify(build(t, chain, 0, block), Trusted{ChainID: id, Hash: chain[0].Hash()})
		expect.That(t, err == nil && header.Number.Uint64() == block, "block %d: %v", block, err)
	}
}

// reseal replaces the seals of a header.
func reseal(t *testing.T, h *types.Header, change func(*types.WBFTExtra)) *types.Header {
	t.Helper()
	items := must.Get(h.WBFTExtra())(t)
	change(items)
	changed := types.CopyHeader(h)
	changed.Extra = items.Encode()
	return changed
}

// Each kind of lie is refused with the error that names it.
// spec: wbft 2.5, 3.1, 3.2, 7.1
func TestLiesAreRefused(t *testing.T) {
	chain := testChain(t, members)
	other := testChain(t, slices.Repeat([][]int{{6, 5, 4, 3}}, len(members)))
	const trusted, block = 6, 35
	changed := func(h *types.Header, change func(*types.Header)) *types.Header {
		h = types.CopyHeader(h)
		change(h)
		return h
	}
	for _, test := range []struct {
		name string
		lie  func(p *Proof)
		want error
	}{
		{"another version", func(p *Proof) { p.Version++ }, ErrMalformed},
		{"no origin", func(p *Proof) { p.Origin = nil }, ErrMalformed},
		{"no block", func(p *Proof) { p.Block = Sealed{} }, ErrMalformed},
		{"no number", func(p *Proof) { p.Block.Header.Number = nil }, ErrMalformed},
		{"a number beyond 64 bits", func(p *Proof) {
			p.Block.Header.Number = new(big.Int).Lsh(common.Big1, 64)
		}, ErrMalformed},
		{"extra data that does not decode", func(p *Proof) { p.Block.Header.Extra = []byte{0xc0} }, ErrMalformed},
		{"long origin", func(p *Proof) { p.Origin = make([]*types.Header, MaxOrigin+1) }, ErrSize},
		{"many epochs", func(p *Proof) { p.Epochs = make([]Sealed, MaxEpochs+1) }, ErrSize},
		{"many validators", func(p *Proof) { p.Block.Validators = make([]common.Address, validators.MaxSize+1) }, ErrSize},
		{"another chain", func(p *Proof) { *p = *build(t, other, trusted, block) }, ErrTrust},
		{"another trusted block", func(p *Proof) { *p = *build(t, chain, trusted-1, block) }, ErrTrust},
		{"an origin of another chain", func(p *Proof) { p.Origin[0] = other[4] }, ErrLink},
		{"an origin with a gap", func(p *Proof) { p.Origin = slices.Delete(p.Origin, 1, 2) }, ErrLink},
		{"an origin from an older epoch on", func(p *Proof) { p.Origin = chain[0 : trusted+1] }, ErrLink},
		{"an origin without its epoch block", func(p *Proof) { p.Origin = p.Origin[1:] }, ErrNoEpoch},
		{"an older block", func(p *Proof) { p.Block, p.Epochs = Sealed{Header: chain[5]}, nil }, ErrOlder},
		{"a twin of the trusted block", func(p *Proof) { p.Block, p.Epochs = Sealed{Header: other[trusted]}, nil }, ErrTrust},
		{"epochs behind the trusted block", func(p *Proof) { p.Block = Sealed{Header: chain[trusted]} }, ErrOrder},
		{"epochs in another order", func(p *Proof) { slices.Reverse(p.Epochs) }, ErrValidators},
		{"an epoch twice", func(p *Proof) { p.Epochs[1].Header = p.Epochs[0].Header }, ErrOrder},
		{"a missing epoch", func(p *Proof) { p.Epochs = p.Epochs[1:] }, ErrValidators},
		{"an ordinary header as epoch", func(p *Proof) { p.Epochs[0].Header = chain[23] }, ErrNoEpoch},
		{"a stranger", func(p *Proof) { p.Block.Validators[0] = common.Address{1} }, ErrValidators},
		{"a validator twice", func(p *Proof) { p.Epochs[0].Validators[1] = p.Epochs[0].Validators[0] }, ErrValidators},
		{"a validator less", func(p *Proof) { p.Epochs[0].Validators = p.Epochs[0].Validators[1:] }, ErrValidators},
		{"a wrong order", func(p *Proof) {
			v := p.Epochs[0].Validators
			v[0], v[3] = v[3], v[0]
		}, validators.ErrSignature},
		{"a changed header", func(p *Proof) {
			p.Block.Header = changed(p.Block.Header, func(h *types.Header) { h.Root[0]++ })
		}, validators.ErrSignature},
		{"other validators appointed", func(p *Proof) {
			p.Epochs[0].Header = reseal(t, p.Epochs[0].Header, func(x *types.WBFTExtra) { x.EpochInfo.Validators[0] = 0 })
		}, validators.ErrSignature},
		{"another round", func(p *Proof) {
			p.Block.Header = reseal(t, p.Block.Header, func(x *types.WBFTExtra) { x.Round++ })
		}, validators.ErrSignature},
		{"no PREPARE seals", func(p *Proof) {
			p.Block.Header = reseal(t, p.Block.Header, func(x *types.WBFTExtra) { x.PreparedSeal = nil })
		}, validators.ErrEmptySeal},
		{"no COMMIT seals", func(p *Proof) {
			p.Epochs[0].Header = reseal(t, p.Epochs[0].Header, func(x *types.WBFTExtra) { x.CommittedSeal = nil })
		}, validators.ErrEmptySeal},
		{"PREPARE seals for COMMIT seals", func(p *Proof) {
			p.Block.Header = reseal(t, p.Block.Header, func(x *types.WBFTExtra) { x.CommittedSeal = x.PreparedSeal })
		}, validators.ErrSignature},
		{"a seal less than a quorum", func(p *Proof) {
			p.Epochs[0].Header = reseal(t, p.Epochs[0].Header, func(x *types.WBFTExtra) {
				x.CommittedSeal.Sealers = []byte{0b0011}
			})
		}, validators.ErrQuorum},
		{"a sealer outside the set", func(p *Proof) {
			p.Block.Header = reseal(t, p.Block.Header, func(x *types.WBFTExtra) { x.CommittedSeal.Sealers = []byte{0b0010} })
		}, validators.ErrSealer},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := build(t, chain, trusted, block)
			p.Block.Header = types.CopyHeader(p.Block.Header)
			test.lie(p)
			header, err := Verify(p, chain.trust(trusted))
			expect.That(t, errors.Is(err, test.want) && header == nil, "%v, want %v", err, test.want)
			for _, kind := range []error{
				validators.ErrSignature, validators.ErrEmptySeal, validators.ErrQuorum, validators.ErrSealer,
			} {
				expect.That(t, !errors.Is(err, kind) || errors.Is(err, ErrSeal), "%v is not %v", err, ErrSeal)
			}
		})
	}
	expect.Error(t, expect.Err(Verify(nil, Trusted{})), ErrMalformed, "no proof")
}

// A chain that is launched again with the keys of another one proves nothing to readers of that one, whatever block
// they trust and whatever block is shown. spec: wbft 2.3, 7.1
func TestProofsNameTheirChain(t *testing.T) {
	chain := testChain(t, members)
	other := big.NewInt(8282)
	for _, trusted := range []uint64{0, 3, 4, 8, 25} {
		for block := max(trusted, 1); block < uint64(len(chain)); block++ {
			p := build(t, chain, trusted, block)
			header, err := Verify(p, Trusted{other, trusted, chain[trusted].Hash()})
			expect.That(t, errors.Is(err, ErrChain), "block %d from %d: %v, %v", block, trusted, header, err)
			expect.Error(t, expect.Err(Verify(p, Trusted{nil, trusted, chain[trusted].Hash()})), ErrTrust,
				"no chain: block %d from %d", block, trusted)
		}
	}
	// Block 17 names another proposer than its reveal, and then one who was not in charge, with good seals.
	net, decoded := testNetwork(t), func(h *types.Header) *types.WBFTExtra {
		return must.Get(h.WBFTExtra())(t)
	}
	set := must.Get(validators.FromEpochInfo(decoded(chain[16]).EpochInfo))(t)
	absent, err := validators.FromEpochInfo(decoded(chain[24]).EpochInfo)
	must.Do(t, err)
	for want, proposer := range map[error]common.Address{
		ErrChain: set.At(3).Address, ErrValidators: absent.At(0).Address,
	} {
		h := reseal(t, chain[17], func(x *types.WBFTExtra) {
			if errors.Is(want, ErrValidators) {
				x.RandaoReveal, err = extra.RandaoReveal(net.Keys[proposer], chainID, 17)
				must.Do(t, err)
			}
		})
		h.Coinbase = proposer
		p := build(t, chain, 16, 17)
		p.Block.Header = net.SealBy(t, set, types.NewBlockWithHeader(h), 0).Header()
		expect.Error(t, expect.Err(Verify(p, chain.trust(16))), want, "Verify")
	}
}

// typeNames matches what package json says of Go types.
var typeNames = regexp.MustCompile(`struct|Go value|types\.|hexutil|for Header|of type`)

// A file is refused that is no proof, in plain words; an answer of a node is read with its envelope.
func TestDecode(t *testing.T) {
	chain := testChain(t, members)
	encoded := must.Get(json.Marshal(build(t, chain, 0, 9)))(t)
	proof := string(encoded)
	for _, test := range []struct {
		name, content string
		want          error
	}{
		{"a proof", proof, nil},
		{"an answer", `{"jsonrpc":"2.0","id":1,"result":` + proof + `}`, nil},
		{"an error of a node", `{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"unknown block"}}`, ErrMalformed},
		{"nothing", "", ErrMalformed},
		{"null", "null", ErrMalformed},
		{"a list", "[]", ErrMalformed},
		{"half of it", proof[:len(proof)/2], ErrMalformed},
		{"a text", `"text"`, ErrMalformed},
		{"an answer with a list", `{"result":[]}`, ErrMalformed},
		{"a version in quotes", strings.Replace(proof, `"version":1`, `"version":"1"`, 1), ErrMalformed},
		{"a number without 0x", strings.Replace(proof, `"number":"0x`, `"number":"`, 1), ErrMalformed},
		{"something behind", proof + "{}", ErrMalformed},
		{"an unknown field", `{"more":1,` + proof[1:], ErrMalformed},
		{"a header without fields", strings.Replace(proof, `"number"`, `"numbr"`, 1), ErrMalformed},
		{"too much", proof + strings.Repeat(" ", MaxBytes), ErrSize},
	} {
		t.Run(test.name, func(t *testing.T) {
			if p, err := Decode(strings.NewReader(test.content)); !errors.Is(err, test.want) || (err == nil) != (p != nil) {
				t.Errorf("%v, want %v", err, test.want)
			} else if err != nil && typeNames.MatchString(err.Error()) {
				t.Errorf("the error names a Go type: %v", err)
			}
		})
	}
}

// What cannot be proven is not built.
func TestBuildRefusals(t *testing.T) {
	chain := testChain(t, members)
	expect.Error(t, expect.Err(Build(chain, 5, 4)), ErrOlder, "an older block")
	expect.Error(t, expect.Err(Build(chain, 0, uint64(len(chain)))), errMissing, "a block above the head")
	expect.Error(t, expect.Err(Build(long{chain}, MaxOrigin, MaxOrigin)), ErrSize,
		"a trusted block far behind its epoch block")
	extra := must.Get(chain[0].WBFTExtra())(t)
	changing := restless{key: extra.EpochInfo.BLSPublicKeys[0]}
	expect.Equal(t, len(build(t, changing, 0, MaxEpochs+1).Epochs), MaxEpochs, "epoch headers")
	expect.Error(t, expect.Err(Build(changing, 0, MaxEpochs+2)), ErrSize, "more changes than a proof may")
}

// restless is a chain whose validator changes with each block.
type restless struct{ key []byte }

func (restless) LastEpochBlock(number uint64) uint64 { return number }

func (r restless) Header(number uint64) *types.Header { return r.of(number, int64(number)) }

// of returns an epoch block that appoints one validator.
func (r restless) of(number uint64, validator int64) *types.Header {
	n := new(big.Int).SetUint64(number)
	return &types.Header{Number: n, Extra: (&types.WBFTExtra{EpochInfo: &types.EpochInfo{
		Candidates: []types.EpochCandidate{{Address: common.BigToAddress(big.NewInt(validator))}}, Validators: []uint32{0},
		BLSPublicKeys: [][]byte{r.key},
	}}).Encode()}
}

// Whatever sets follow one another, each epoch block of a proof is sealed by the members that the one before appoints,
// and so is the block in question. A chain that is far away is told before what is read, and nothing else is read.
// spec: wbft 3.1, 3.5
func TestChangesLeadToTheBlock(t *testing.T) {
	extra := must.Get(testChain(t, members[:1])[0].WBFTExtra())(t)
	rapid.Check(t, func(t *rapid.T) {
		sets := rapid.SliceOfN(rapid.IntRange(0, rapid.IntRange(0, 8).Draw(t, "kinds")), 1, 200).Draw(t, "sets")
		c := &announced{key: extra.EpochInfo.BLSPublicKeys[0], sets: sets, ahead: make(map[uint64]bool)}
		end := rapid.Uint64Range(1, uint64(len(sets)*epochLength)).Draw(t, "block")
		low := rapid.Uint64Range(1, end).Draw(t, "after the trusted block")
		found := must.Get(newBuilder(c).changes(low, end))(t)
		charged, last := c.inCharge(low), low-1
		for _, epoch := range append(found, end) {
			must.That(t, epoch > last && (epoch == end || epoch%epochLength == 0),
				"%v from block %d to %d: block %d", found, low, end, epoch)
			must.That(t, c.inCharge(epoch) == charged,
				"%v from block %d to %d: others have sealed block %d", found, low, end, epoch)
			charged, last = c.inCharge(epoch+1), epoch
		}
	})
}

// announced is a chain of one validator an epoch, which fails to read what it was not told before.
type announced struct {
	key   []byte
	sets  []int
	ahead map[uint64]bool
}

func (c *announced) inCharge(number uint64) int {
	return c.sets[min(int(number-1)/epochLength, len(c.sets)-1)]
}

func (c *announced) LastEpochBlock(number uint64) uint64 { return number - number%epochLength }

func (c *announced) ReadAhead(numbers []uint64) {
	for _, number := range numbers {
		c.ahead[number] = true
	}
}

func (c *announced) Header(number uint64) *types.Header {
	if !c.ahead[number] {
		return nil
	}
	return restless{c.key}.of(number, int64(c.inCharge(number+1)))
}

// long is a chain of one endless epoch.
type long struct{ stored }

func (long) LastEpochBlock(uint64) uint64 { return 0 }

// Whatever bytes come in, decoding ends, and what decodes is judged without a panic.
func FuzzDecode(f *testing.F) {
	chain := testChain(f, members[:3])
	encoded := must.Get(json.Marshal(build(f, chain, 0, 9)))(f)
	f.Add(encoded)
	f.Add([]byte(`{"version":1,"origin":[null],"epochs":[],"block":{"header":null,"validators":[]}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := Decode(bytes.NewReader(data))
		if err != nil {
			return
		}
		header, err := Verify(p, chain.trust(0))
		if err != nil {
			return
		}
		if stored := chain.Header(header.Number.Uint64()); stored == nil || header.Hash() != stored.Hash() {
			t.Fatalf("block %d, %v, was never sealed", header.Number, header.Hash())
		}
	})
}
