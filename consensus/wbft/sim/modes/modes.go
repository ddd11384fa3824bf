// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package modes

import (
	"maps"
	"math"
	"math/big"
	"slices"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"

	"gwon/consensus/wbft/messages"
)

// Key is what a faulty validator signs with.
type Key struct {
	Address common.Address
	BLS     []byte // public key
	Sign    func(payload []byte) ([]byte, error)
	Seal    func(digest [32]byte) []byte
}

// Part is who of the validators is sent a message.
type Part int

// Parts of the validators.
const (
	All Part = iota
	First
	Second
)

// Out is a message that goes out.
type Out struct {
	Code    uint64
	Payload []byte
	To      Part
}

// Mode is a way to break the rules. It is used by one goroutine.
type Mode interface {
	// Send returns what goes out in place of an own message.
	Send(m messages.Message) []Out
	// Heard returns what goes out after a message of another validator.
	Heard(m messages.Message) []Out
	// Broadcast returns what goes out before an own broadcast of a decided block.
	Broadcast(block *types.Block) []*types.Block
}

// makers are the modes by name.
var makers = map[string]func(Key) Mode{
	"omit":       func(k Key) Mode { return omit{maker{k}} },
	"role-spoof": func(k Key) Mode { return roleSpoof{maker{k}} },
	"replay":     func(k Key) Mode { return &replay{maker: maker{k}} },
	"tamper":     func(k Key) Mode { return tamper{maker{k}} },
	"policy":     func(k Key) Mode { return policy{maker{k}} },
	"diligence":  func(k Key) Mode { return diligence{maker{k}} },
	"oscillate":  func(k Key) Mode { return oscillate{maker{k}} },
	"far-round":  func(k Key) Mode { return farRound{maker{k}} },
	"future":     func(k Key) Mode { return &poured{maker{k}, maker{k}.future, 0} },
	"storm":      func(k Key) Mode { return &poured{maker{k}, maker{k}.storm, 0} },
	"far":        func(k Key) Mode { return &poured{maker{k}, maker{k}.far, 0} },
}

// Names returns the names of the modes in order.
func Names() []string { return slices.Sorted(maps.Keys(makers)) }

// New returns a mode, or nil for a name that is none.
func New(name string, key Key) Mode {
	if name == Every {
		return newEvery(key)
	}
	if makers[name] == nil {
		return nil
	}
	return makers[name](key)
}

// maker makes messages. Its methods are those of an honest validator.
type maker struct{ key Key }

func (maker) Send(m messages.Message) []Out         { return []Out{as(m)} }
func (maker) Heard(messages.Message) []Out          { return nil }
func (maker) Broadcast(*types.Block) []*types.Block { return nil }

// as returns a message as it is signed.
func as(m messages.Message) Out { return Out{Code: m.Code(), Payload: m.Encode()} }

// signed signs messages and returns them. One that cannot be signed is left out.
func (k maker) signed(list ...messages.Message) (out []Out) {
	for _, m := range list {
		if m.SignWith(k.key.Sign) == nil {
			out = append(out, as(m))
		}
	}
	return out
}

// Proposal returns a proposal like another one with another block.
func Proposal(m *messages.PrePrepare, block *types.Block) *messages.PrePrepare {
	return &messages.PrePrepare{
		Sequence: m.Sequence, Round: m.Round, Block: block, RoundChanges: m.RoundChanges, Prepares: m.Prepares,
	}
}

// isNew reports whether a message is a proposal that repeats no prepared block. To break those that others have
// prepared would only keep a round from its end.
func isNew(m messages.Message) (*messages.PrePrepare, bool) {
	p, ok := m.(*messages.PrePrepare)
	return p, ok && len(p.Prepares) == 0
}

// Edited returns a block with another header.
func Edited(block *types.Block, edit func(h *types.Header, x *types.WBFTExtra)) *types.Block {
	header := block.Header()
	x, err := header.WBFTExtra()
	if err != nil {
		return block
	}
	edit(header, x)
	header.Extra = x.Encode()
	return types.NewBlockWithHeader(header).WithBody(*block.Body())
}

// Vote returns a vote for a block with a seal for it.
func Vote(code uint64, view messages.View, digest common.Hash, seal []byte) messages.Message {
	if code == messages.CodePrepare {
		return &messages.Prepare{Sequence: view.Sequence, Round: view.Round, Digest: digest, Seal: seal}
	}
	return &messages.Commit{Sequence: view.Sequence, Round: view.Round, Digest: digest, Seal: seal}
}

// junkSeal returns a seal for nothing.
func (k maker) junkSeal(digest common.Hash) []byte {
	return k.key.Seal(crypto.Keccak256Hash([]byte("nothing"), digest[:]))
}

// omit leaves out what its messages have to carry: previous seals, the lists of a justification, the PREPAREs of a
// certificate.
type omit struct{ maker }

func (o omit) Send(m messages.Message) []Out {
	switch m := m.(type) {
	case *messages.PrePrepare:
		other := Proposal(m, m.Block)
		switch {
		case m.Round > 0 && m.Sequence%2 == 0:
			other.RoundChanges = nil
		case m.Round > 0:
			other.RoundChanges = other.RoundChanges[:len(other.RoundChanges)/2]
			other.Prepares = nil
		default:
			other.Block = Edited(m.Block, func(_ *types.Header, x *types.WBFTExtra) {
				if m.Sequence%3 != 0 {
					x.PrevPreparedSeal = nil
				}
				if m.Sequence%3 != 1 {
					x.PrevCommittedSeal = nil
				}
			})
		}
		return o.signed(other)
	case *messages.RoundChange:
		if m.Prepared != nil {
			other := &messages.RoundChange{PreparedBlock: m.PreparedBlock}
			other.Sequence, other.Round, other.Prepared = m.Sequence, m.Round, m.Prepared
			if m.Sequence%2 == 0 {
				other.PreparedBlock = nil
			}
			return o.signed(other)
		}
	}
	return []Out{as(m)}
}

// roleSpoof plays the part of others: it proposes out of turn, signs copies of their votes and ROUND-CHANGEs, and names
// another proposer in its blocks.
type roleSpoof struct{ maker }

func (r roleSpoof) Send(m messages.Message) []Out {
	p, ok := isNew(m)
	if !ok {
		return []Out{as(m)}
	}
	other := Edited(p.Block, func(h *types.Header, _ *types.WBFTExtra) { h.Coinbase[0] ^= 1 })
	return append(r.signed(Proposal(p, other)), as(m))
}

func (r roleSpoof) Heard(m messages.Message) []Out {
	view := m.View()
	if p, ok := m.(*messages.PrePrepare); ok {
		own := Edited(p.Block, func(h *types.Header, _ *types.WBFTExtra) { h.Coinbase = r.key.Address })
		return r.signed(Proposal(p, p.Block), Proposal(p, own))
	}
	if digest, seal, ok := messages.Ballot(m); ok {
		return r.signed(Vote(m.Code(), view, digest, seal))
	}
	theirs, own := m.(*messages.RoundChange), new(messages.RoundChange)
	own.Sequence, own.Round, own.Prepared = view.Sequence, view.Round, theirs.Prepared
	own.PreparedBlock, own.Prepares = theirs.PreparedBlock, theirs.Prepares
	return r.signed(own)
}

// Replayed is how many messages of others the mode replay keeps.
const Replayed = 64

// replay sends messages of others again, byte for byte, when their view is over, and own ones of the sequence before.
type replay struct {
	maker
	old []Out
}

func (r *replay) Send(m messages.Message) []Out { return append([]Out{as(m)}, r.again(m)...) }

func (r *replay) Heard(m messages.Message) []Out { return r.again(m) }

func (r *replay) again(m messages.Message) (out []Out) {
	if len(r.old) == Replayed {
		out, r.old = r.old[:1:1], r.old[1:]
	}
	r.old = append(r.old, as(m))
	return out
}

// tamper sends each message with one thing changed and signed again, then the true one.
type tamper struct{ maker }

func (t tamper) Send(m messages.Message) []Out {
	view := m.View()
	turn := view.Sequence + view.Round
	switch turn % 4 {
	case 0:
		view.Round++
	case 1:
		view.Sequence++
	}
	var other messages.Message
	switch m := m.(type) {
	case *messages.PrePrepare:
		block := m.Block
		if turn%4 > 1 {
			block = Edited(block, func(h *types.Header, x *types.WBFTExtra) { tamperHeader(turn/4, h, x) })
		}
		other = &messages.PrePrepare{
			Sequence: view.Sequence, Round: view.Round, Block: block, RoundChanges: m.RoundChanges, Prepares: m.Prepares,
		}
	case *messages.RoundChange:
		c := &messages.RoundChange{PreparedBlock: m.PreparedBlock, Prepares: m.Prepares}
		c.Sequence, c.Round, c.Prepared = view.Sequence, view.Round, m.Prepared
		if c.Prepared != nil && turn%4 > 1 {
			other := crypto.Keccak256Hash(c.Prepared.Digest[:])
			c.Prepared = &messages.PreparedClaim{Round: c.Prepared.Round + turn%2, Digest: other}
		}
		other = c
	default:
		digest, seal, _ := messages.Ballot(m)
		switch turn % 4 {
		case 2:
			digest = crypto.Keccak256Hash(digest[:])
		case 3:
			seal = t.junkSeal(digest)
		}
		other = Vote(m.Code(), view, digest, seal)
	}
	return append(t.signed(other), as(m))
}

// tamperHeader changes one field of a header.
func tamperHeader(turn uint64, h *types.Header, x *types.WBFTExtra) {
	switch turn % 9 {
	case 0:
		h.ParentHash[0] ^= 1
	case 1:
		h.Root[0] ^= 1
	case 2:
		h.ReceiptHash[0] ^= 1
	case 3:
		h.GasUsed++
	case 4:
		h.MixDigest[0] ^= 1
	case 5:
		h.Time++
	case 6:
		h.Number = new(big.Int).Add(h.Number, common.Big1)
	case 7:
		h.GasLimit /= 2
	case 8:
		x.GasTip = new(big.Int).Add(x.GasTip, common.Big1)
	}
}

// policy refuses the blocks of others, and spreads decided blocks without seals, or with wrong ones.
type policy struct{ maker }

func (p policy) Send(m messages.Message) []Out {
	if _, _, vote := messages.Ballot(m); vote {
		return nil
	}
	return []Out{as(m)}
}

func (p policy) Broadcast(block *types.Block) []*types.Block {
	header := block.Header()
	x, err := header.WBFTExtra()
	if err != nil || x.CommittedSeal == nil {
		return nil
	}
	junk := &types.WBFTSeal{Sealers: x.CommittedSeal.Sealers, Signature: p.junkSeal(block.Hash())}
	var list []*types.Block
	for _, seals := range [][2]*types.WBFTSeal{
		{nil, nil}, {x.PreparedSeal, nil}, {x.PreparedSeal, junk}, {junk, x.CommittedSeal},
	} {
		if other, err := header.WithWBFTSeals(x.Round, seals[0], seals[1]); err == nil {
			list = append(list, block.WithSeal(other))
		}
	}
	return list
}

// diligence proposes epoch blocks whose diligence figures are the largest numbers, so that sums of them overflow.
type diligence struct{ maker }

func (d diligence) Send(m messages.Message) []Out {
	p, ok := isNew(m)
	if !ok {
		return []Out{as(m)}
	}
	return d.signed(Proposal(p, Edited(p.Block, func(_ *types.Header, x *types.WBFTExtra) {
		if x.EpochInfo == nil {
			return
		}
		info := *x.EpochInfo
		info.Candidates = slices.Clone(info.Candidates)
		for i := range info.Candidates {
			info.Candidates[i].Diligence = math.MaxUint64 - uint64(i)*(p.Sequence%2)
		}
		x.EpochInfo = &info
	})))
}

// oscillate has other epoch information at each turn, in epoch blocks and others, and another for each half of the
// validators.
type oscillate struct{ maker }

func (o oscillate) Send(m messages.Message) []Out {
	p, ok := isNew(m)
	if !ok {
		return []Out{as(m)}
	}
	variant := func(turn uint64) *messages.PrePrepare {
		return Proposal(p, Edited(p.Block, func(_ *types.Header, x *types.WBFTExtra) {
			x.EpochInfo = o.info(turn, x.EpochInfo)
		}))
	}
	out := o.signed(variant(p.Sequence+p.Round), variant(p.Sequence+p.Round+1))
	for i := range out {
		out[i].To = First + Part(i)
	}
	return out
}

// info returns the epoch information of a turn in place of what belongs there.
func (o oscillate) info(turn uint64, true *types.EpochInfo) *types.EpochInfo {
	own := &types.EpochInfo{
		Candidates: []types.EpochCandidate{{Address: o.key.Address, Diligence: 2_000_000}},
		Validators: []uint32{0}, BLSPublicKeys: [][]byte{o.key.BLS},
	}
	switch {
	case true == nil && turn%3 == 0:
		return nil // an honest block, now and then
	case true == nil || turn%4 == 0:
		return own
	case turn%4 == 1:
		return nil
	}
	info := *true
	info.Validators, info.BLSPublicKeys = slices.Clone(info.Validators), slices.Clone(info.BLSPublicKeys)
	if turn%4 == 2 {
		slices.Reverse(info.Validators)
		slices.Reverse(info.BLSPublicKeys)
		return &info
	}
	for range len(info.Validators)/3 + 1 { // places of its own, f + 1 of them
		info.Validators = append(info.Validators, 0)
		info.BLSPublicKeys = append(info.BLSPublicKeys, o.key.BLS)
	}
	return &info
}

// poured adds 400 messages to each own one, to cost the others time. They are small, and no two are alike.
type poured struct {
	maker
	next func(view messages.View, i uint64, junk common.Hash) messages.Message
	sent uint64
}

func (p *poured) Send(m messages.Message) []Out {
	var list []messages.Message
	for range 400 {
		p.sent++
		list = append(list, p.next(m.View(), p.sent, crypto.Keccak256Hash(big.NewInt(int64(p.sent)).Bytes())))
	}
	return append([]Out{as(m)}, p.signed(list...)...)
}

// future votes in eleven rounds of this sequence and the next two.
func (k maker) future(view messages.View, i uint64, junk common.Hash) messages.Message {
	view = messages.View{Sequence: view.Sequence + i%3, Round: view.Round + i/3%11}
	return Vote(messages.CodePrepare+i/33%2, view, junk, make([]byte, messages.SealLength))
}

// storm changes to eleven rounds, each time with another claim.
func (maker) storm(view messages.View, i uint64, junk common.Hash) messages.Message {
	m := new(messages.RoundChange)
	m.Sequence, m.Round = view.Sequence, view.Round+i%11
	m.Prepared = &messages.PreparedClaim{Digest: junk}
	return m
}

// far votes in sequences and rounds up to the largest.
func (k maker) far(view messages.View, i uint64, junk common.Hash) messages.Message {
	view = messages.View{Sequence: view.Sequence + 1<<(i%64), Round: 1 << (i / 64 % 32)}
	return Vote(messages.CodeCommit, view, junk, make([]byte, messages.SealLength))
}

// farRound has round 2^63 in every message, in place of its own.
type farRound struct{ maker }

const far = 1 << 63

func (f farRound) Send(m messages.Message) []Out {
	view := messages.View{Sequence: m.View().Sequence, Round: far}
	switch m := m.(type) {
	case *messages.PrePrepare:
		return f.signed(&messages.PrePrepare{
			Sequence: view.Sequence, Round: view.Round, Block: m.Block, RoundChanges: m.RoundChanges, Prepares: m.Prepares,
		})
	case *messages.RoundChange:
		c := &messages.RoundChange{PreparedBlock: m.PreparedBlock, Prepares: m.Prepares}
		c.Sequence, c.Round = view.Sequence, view.Round
		if c.Prepared = m.Prepared; c.Prepared != nil {
			c.Prepared = &messages.PreparedClaim{Round: far - 1, Digest: m.Prepared.Digest}
		}
		return f.signed(c)
	}
	digest, seal, _ := messages.Ballot(m)
	return f.signed(Vote(m.Code(), view, digest, seal))
}

// Every is the name of the mode that changes to another one every few blocks.
const Every = "every"

// every stays with each mode for five blocks.
type every struct{ list []Mode }

func newEvery(key Key) *every {
	e := new(every)
	for _, name := range Names() {
		e.list = append(e.list, makers[name](key))
	}
	return e
}

func (e *every) at(sequence uint64) Mode { return e.list[sequence/5%uint64(len(e.list))] }

func (e *every) Send(m messages.Message) []Out  { return e.at(m.View().Sequence).Send(m) }
func (e *every) Heard(m messages.Message) []Out { return e.at(m.View().Sequence).Heard(m) }
func (e *every) Broadcast(block *types.Block) []*types.Block {
	return e.at(block.NumberU64()).Broadcast(block)
}
