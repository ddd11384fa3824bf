// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package core

import (
	"crypto/ecdsa"
	"crypto/sha256"
	"fmt"
	"math/big"
	"slices"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/trie"

	"gwon/consensus/wbft/bls"
	"gwon/consensus/wbft/extra"
	"gwon/consensus/wbft/internal/scheme"
	"gwon/consensus/wbft/messages"
	"gwon/consensus/wbft/signing"
	"gwon/consensus/wbft/validators"
	"gwon/internal/expect"
	"gwon/internal/must"
)

// fixture is a validator set with all its keys, and a head. The head is a genesis block, so the proposer of round r is
// validator r mod n.
type fixture struct {
	t    testing.TB
	keys []*ecdsa.PrivateKey
	bls  []*bls.SecretKey
	set  *validators.Set
	head Head
}

var origin = time.Unix(1_700_000_000, 0)

func testKeys(t testing.TB, i int) (*ecdsa.PrivateKey, *bls.SecretKey) {
	t.Helper()
	seed := sha256.Sum256([]byte(fmt.Sprintf("core test key %d", i)))
	key := must.Get(crypto.ToECDSA(seed[:]))(t)
	blsKey := must.Get(bls.DeriveKey(key))(t)
	return key, blsKey
}

func newFixture(t testing.TB, n int) *fixture {
	f := &fixture{t: t}
	for i := range n {
		key, blsKey := testKeys(t, i)
		f.keys, f.bls = append(f.keys, key), append(f.bls, blsKey)
	}
	f.set = f.members(f.indices(n)...)
	genesis := &types.Header{
		Difficulty: big.NewInt(1), Number: new(big.Int), Extra: new(types.WBFTExtra).Encode(),
		BaseFee: big.NewInt(1), UncleHash: types.EmptyUncleHash, GasLimit: 105_000_000,
	}
	f.head = Head{Header: genesis, Set: f.set, Params: Params{RequestTimeout: 2 * time.Second}}
	return f
}

func (f *fixture) indices(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return list
}

func (f *fixture) address(i int) common.Address { return crypto.PubkeyToAddress(f.keys[i].PublicKey) }

func (f *fixture) addresses(indices ...int) []common.Address {
	list := make([]common.Address, len(indices))
	for at, i := range indices {
		list[at] = f.address(i)
	}
	return list
}

// members returns the set of the given key numbers, in that order.
func (f *fixture) members(list ...int) *validators.Set {
	var out []validators.Validator
	for _, i := range list {
		out = append(out, validators.Validator{Address: f.address(i), Key: f.bls[i].PublicKey()})
	}
	return validators.NewSet(out)
}

func (f *fixture) config(i int) Config {
	return Config{
		Address: f.address(i), Sign: signing.WithKeys(f.keys[i], f.bls[i]), DefaultMaxTimeout: 10 * time.Second,
	}
}

// block returns a child of the head. Another tag gives another block.
func (f *fixture) block(tag string) *types.Block { return f.child(f.head.Header, tag) }

func (f *fixture) child(parent *types.Header, tag string) *types.Block {
	x := &types.WBFTExtra{Vanity: []byte(tag)}
	return types.NewBlockWithHeader(&types.Header{
		ParentHash: parent.Hash(), Number: new(big.Int).Add(parent.Number, big.NewInt(1)), Difficulty: big.NewInt(1),
		Extra: x.Encode(), BaseFee: big.NewInt(1), UncleHash: types.EmptyUncleHash, TxHash: types.EmptyTxsHash,
		ReceiptHash: types.EmptyReceiptsHash, Root: types.EmptyRootHash, GasLimit: 105_000_000, Coinbase: f.address(0),
	})
}

// rooted returns a child of the head with transactions under their root.
func (f *fixture) rooted(txs types.Transactions) *types.Block {
	header := f.block("rooted").Header()
	header.TxHash = types.DeriveSha(txs, trie.NewStackTrie(nil))
	return types.NewBlockWithHeader(header).WithBody(types.Body{Transactions: txs})
}

// full returns a child of the head with transactions of about the given total size.
func (f *fixture) full(size int) *types.Block {
	tx := &types.LegacyTx{To: &common.Address{}, Value: new(big.Int), Data: make([]byte, 980)}
	return f.rooted(repeated(size/1000, tx))
}

func repeated(count int, data types.TxData) types.Transactions {
	tx := types.NewTx(data)
	list := make(types.Transactions, count)
	for i := range list {
		list[i] = tx
	}
	return list
}

// sealed returns the header of a block with the seals of the given validators, made in a round.
func (f *fixture) sealed(block *types.Block, round uint32, sealers ...int) *types.Header {
	f.t.Helper()
	aggregate := func(kind byte) *types.WBFTSeal {
		digest := extra.SealDigest(block.Header(), round, kind)
		seals := make(map[int]scheme.Signature)
		for _, i := range sealers {
			var err error
			seals[i], err = scheme.ParseSignature(f.bls[i].Sign(digest[:]))
			must.Do(f.t, err)
		}
		seal := must.Get(f.set.Aggregate(seals))(f.t)
		return seal
	}
	header := must.Get(block.Header().WithWBFTSeals(round, aggregate(extra.Prepare), aggregate(extra.Commit)))(f.t)
	return header
}

func (f *fixture) signed(i int, m messages.Message) messages.Message {
	f.t.Helper()
	must.Do(f.t, messages.Sign(m, f.keys[i]))
	return m
}

func (f *fixture) prepare(i int, round uint64, block *types.Block) *messages.Prepare {
	digest := extra.SealDigest(block.Header(), uint32(round), extra.Prepare)
	m := &messages.Prepare{Sequence: block.NumberU64(), Round: round, Digest: block.Hash(), Seal: f.bls[i].Sign(digest[:])}
	return f.signed(i, m).(*messages.Prepare)
}

func (f *fixture) commit(i int, round uint64, block *types.Block) *messages.Commit {
	digest := extra.SealDigest(block.Header(), uint32(round), extra.Commit)
	m := &messages.Commit{Sequence: block.NumberU64(), Round: round, Digest: block.Hash(), Seal: f.bls[i].Sign(digest[:])}
	return f.signed(i, m).(*messages.Commit)
}

func (f *fixture) certificate(round uint64, block *types.Block, signers ...int) *certificate {
	cert := &certificate{round: round, digest: block.Hash(), block: block}
	for _, i := range signers {
		cert.prepares = append(cert.prepares, f.prepare(i, round, block))
	}
	return cert
}

// roundChange returns validator i's ROUND-CHANGE to a round of sequence 1, with or without a certificate.
func (f *fixture) roundChange(i int, round uint64, cert *certificate) *messages.RoundChange {
	m := &messages.RoundChange{}
	m.Sequence, m.Round = f.head.Header.Number.Uint64()+1, round
	if cert != nil {
		m.Prepared = &messages.PreparedClaim{Round: cert.round, Digest: cert.digest}
		m.PreparedBlock, m.Prepares = cert.block, cert.prepares
	}
	return f.signed(i, m).(*messages.RoundChange)
}

func (f *fixture) changes(round uint64, cert *certificate, senders ...int) []*messages.SignedRoundChange {
	var list []*messages.SignedRoundChange
	for _, i := range senders {
		list = append(list, &f.roundChange(i, round, cert).SignedRoundChange)
	}
	return list
}

func (f *fixture) proposal(i int, round uint64, block *types.Block) *messages.PrePrepare {
	m := &messages.PrePrepare{Sequence: block.NumberU64(), Round: round, Block: block}
	if round > 0 {
		m.RoundChanges = f.changes(round, nil, f.indices(f.set.Quorum())...)
	}
	return f.signed(i, m).(*messages.PrePrepare)
}

// player is a core under test.
type player struct {
	*Core
	f       *fixture
	clock   time.Time
	effects []Effect // of the last step
}

// player is a core under test.
func (f *fixture) player(i int) *player {
	p := &player{Core: New(f.config(i)), f: f, clock: origin}
	p.do(NewHead{f.head})
	return p
}

// learn makes a block known to the core, as by a certificate.
func (p *player) learn(block *types.Block) {
	p.f.t.Helper()
	must.Do(p.f.t, p.certs.blocks.remember(block))
}

func (p *player) do(ev Event) *player {
	p.effects = p.Step(p.clock, ev)
	return p
}

func (p *player) deliver(list ...messages.Message) *player {
	var all []Effect
	for _, m := range list {
		p.do(Message{Code: m.Code(), Payload: m.Encode()})
		all = append(all, p.effects...)
	}
	p.effects = all
	return p
}

// validate answers the last Execute.
func (p *player) validate(block *types.Block) *player { return p.do(Validated{Hash: block.Hash()}) }

// expire ends the running timer of a kind.
func (p *player) expire(kind TimerKind) *player {
	p.f.t.Helper()
	timer := p.timing.timers[kind]
	must.That(p.f.t, timer.id != 0, "no timer of kind %d runs", kind)
	p.clock = timer.deadline
	return p.do(Timeout{ID: timer.id})
}

// toRound takes the core to a round as timeouts do.
func (p *player) toRound(round uint64) *player {
	for p.round < round {
		if timer := p.timing.timers[RoundTimer]; timer.id != 0 {
			p.clock = timer.deadline
		} else {
			p.clock = p.clock.Add(p.roundTimeout())
		}
		p.Core.now, p.Core.effects = p.clock, nil
		p.changeRound(p.round + 1)
		p.joinOrPropose()
		p.effects = p.Core.effects
	}
	return p
}

// propose delivers the proposal of the current round and has it executed.
func (p *player) propose(block *types.Block) *player {
	p.deliver(p.f.proposal(int(p.round)%p.f.set.Len(), p.round, block))
	return p.validate(block)
}

// toState takes the core to a state of the current round. Validators 1, 2, ... help.
func (p *player) toState(state State, block *types.Block) *player {
	p.f.t.Helper()
	if state >= PrePrepared {
		p.propose(block)
	}
	for i := 0; i < p.f.set.Len() && state >= Prepared && p.state < Prepared; i++ {
		if i != p.index {
			p.deliver(p.f.prepare(i, p.round, block))
		}
	}
	for i := 0; i < p.f.set.Len() && state >= Committed && p.state < Committed; i++ {
		if i != p.index {
			p.deliver(p.f.commit(i, p.round, block))
		}
	}
	must.Equal(p.f.t, p.state, state, "core is in state")
	return p
}

// only returns the effects of one type in order.
func only[E Effect](effects []Effect) []E {
	var list []E
	for _, e := range effects {
		if e, ok := e.(E); ok {
			list = append(list, e)
		}
	}
	return list
}

// sends returns the sent messages of a code.
func (p *player) sends(code uint64) []Send {
	return slices.DeleteFunc(only[Send](p.effects), func(s Send) bool { return s.Code != code })
}

func (p *player) dropped() bool { return len(only[Dropped](p.effects)) > 0 }

func (p *player) wantDropped(what string) {
	p.f.t.Helper()
	expect.That(p.f.t, p.dropped(), "%s: not dropped; effects %v", what, names(p.effects))
	expect.That(p.f.t, len(only[Relay](p.effects))+len(only[Send](p.effects))+len(only[Execute](p.effects)) == 0,
		"%s: dropped, and yet %v", what, names(p.effects))
}

func (p *player) wantFault(kind Fault, signer int) {
	p.f.t.Helper()
	faults := only[Misbehavior](p.effects)
	expect.That(p.f.t, len(faults) == 1 && faults[0].Kind == kind && faults[0].Author == p.f.address(signer),
		"faults %+v, want %q of validator %d", faults, kind, signer)
}

func (p *player) wantState(state State, round uint64) {
	p.f.t.Helper()
	expect.That(p.f.t, p.state == state && p.round == round,
		"core is %v in round %d, want %v in round %d", p.state, p.round, state, round)
}

// names returns the types of effects, for comparisons and messages.
func names(effects []Effect) []string {
	list := []string{}
	for _, e := range effects {
		name := fmt.Sprintf("%T", e)[len("core."):]
		switch e := e.(type) {
		case Persist:
			name += fmt.Sprintf(" %#x", e.Code)
		case Send:
			name += fmt.Sprintf(" %#x", e.Code)
		case Relay:
			name += fmt.Sprintf(" %#x", e.Code)
		}
		list = append(list, name)
	}
	return list
}

func (p *player) wantEffects(want ...string) {
	p.f.t.Helper()
	got := names(p.effects)
	expect.That(p.f.t, slices.Equal(got, want), "effects\n got %v\nwant %v", got, want)
}
