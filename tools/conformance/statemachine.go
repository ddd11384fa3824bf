// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package main

import (
	"crypto/ecdsa"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"

	"gwon/consensus/wbft/bls"
	"gwon/consensus/wbft/core"
	"gwon/consensus/wbft/extra"
	"gwon/consensus/wbft/messages"
	"gwon/consensus/wbft/signing"
	"gwon/consensus/wbft/validators"
	"gwon/params"
)

// isJustified checks a justification whose authors are given. Each author may speak once in each list, and what no
// message can say is not said, as in the core.
func isJustified(in reader) (any, error) {
	target := in.object("target_view")
	view := messages.View{Sequence: target.number("sequence"), Round: target.number("round")}
	var changes []*messages.SignedRoundChange
	var prepares []*messages.Prepare
	distinct, decodable := true, true
	authors := make(map[common.Address]bool)
	for _, c := range in.objects("round_changes") {
		m := &messages.SignedRoundChange{Sequence: c.number("sequence"), Round: c.number("round")}
		switch digest, claimed := c.hash("prepared_digest"), c.optional("prepared_round"); {
		case digest != (common.Hash{}):
			m.Prepared = &messages.PreparedClaim{Digest: digest}
			if claimed != nil {
				m.Prepared.Round = *claimed
			}
		case claimed != nil && *claimed > 0:
			decodable = false // a claim of the zero hash
		}
		author := c.address("source")
		distinct = distinct && !authors[author]
		authors[author] = true
		changes = append(changes, m)
	}
	clear(authors)
	for _, p := range in.objects("prepares") {
		author := p.address("source")
		distinct = distinct && !authors[author]
		authors[author] = true
		prepares = append(prepares, &messages.Prepare{Sequence: p.number("sequence"), Round: p.number("round"),
			Digest: p.hash("digest")})
	}
	quorum, err := setSize(in, "quorum")
	if err != nil {
		return nil, err
	}
	err = core.Justifies(view, in.hash("proposal"), changes, prepares, quorum, sizeFor(quorum))
	return record{"justified": err == nil && distinct && decodable}, nil
}

// sizeFor returns the size of the largest set with a quorum.
func sizeFor(quorum int) int {
	n := quorum
	for validators.QuorumOf(n+1) <= quorum {
		n++
	}
	return n
}

// stage is a network of four of which one core runs, to bring that core into a view and state by real messages. The
// core proposes in none of the rounds of a case, two others vote, and the last one has said nothing yet.
type stage struct {
	self   int
	voters [2]int
	fresh  int

	keys  []*ecdsa.PrivateKey
	bls   []*bls.SecretKey
	set   *validators.Set
	core  *core.Core
	head  *types.Header
	block *types.Block // proposal of the view
	view  messages.View
}

// stageSize is the number of validators; three are a quorum.
const stageSize = 4

var stageTime = time.Unix(2_000_000_000, 0)

func newStage(rounds ...uint64) (*stage, error) {
	s := new(stage)
	s.self = freeOf(rounds)
	s.voters = [2]int{(s.self + 1) % stageSize, (s.self + 2) % stageSize}
	s.fresh = (s.self + 3) % stageSize
	var members []validators.Validator
	for i := range stageSize {
		key, err := crypto.ToECDSA(crypto.Keccak256([]byte(fmt.Sprintf("conformance stage key %d", i))))
		if err != nil {
			return nil, err
		}
		secret, err := bls.DeriveKey(key)
		if err != nil {
			return nil, err
		}
		s.keys, s.bls = append(s.keys, key), append(s.bls, secret)
		members = append(members, validators.Validator{Address: crypto.PubkeyToAddress(key.PublicKey),
			Key: secret.PublicKey()})
	}
	s.set = validators.NewSet(members)
	self := s.self
	s.core = core.New(core.Config{
		Address: members[self].Address,
		Sign:    signing.WithKeys(s.keys[self], s.bls[self]),
	})
	return s, nil
}

// freeOf returns a validator that proposes in none of the rounds.
func freeOf(rounds []uint64) int {
	for i := range stageSize {
		proposes := slices.ContainsFunc(rounds, func(r uint64) bool { return proposerOf(r) == i })
		if !proposes {
			return i
		}
	}
	return 0
}

// proposerOf returns the proposer of a round. Every block has validator 0 for its coinbase.
func proposerOf(round uint64) int { return int((round + 1) % stageSize) }

// child returns an unsealed block on a header.
func (s *stage) child(parent *types.Header) *types.Block {
	return types.NewBlockWithHeader(&types.Header{
		ParentHash: parent.Hash(), Number: new(big.Int).Add(parent.Number, common.Big1), Difficulty: big.NewInt(1),
		Extra: (&types.WBFTExtra{Vanity: []byte("stage")}).Encode(), BaseFee: new(big.Int).SetUint64(params.MinBaseFee),
		UncleHash: types.EmptyUncleHash, TxHash: types.EmptyTxsHash, ReceiptHash: types.EmptyReceiptsHash,
		Root:     types.EmptyRootHash,
		GasLimit: 105_000_000, Coinbase: s.set.At(0).Address,
	})
}

// seal returns a header with the seals of the first three validators.
func (s *stage) seal(block *types.Block, round uint32) (*types.Header, error) {
	var seals [2]*types.WBFTSeal
	for i, kind := range []byte{extra.Prepare, extra.Commit} {
		digest := extra.SealDigest(block.Header(), round, kind)
		var parts []*bls.Signature
		for _, key := range s.bls[:3] {
			part, err := bls.ParseSignature(key.Sign(digest[:]))
			if err != nil {
				return nil, err
			}
			parts = append(parts, part)
		}
		seals[i] = &types.WBFTSeal{Sealers: validators.EncodeSealers([]int{0, 1, 2}), Signature: bls.Sum(parts)}
	}
	return block.Header().WithWBFTSeals(round, seals[0], seals[1])
}

func (s *stage) newHead(header *types.Header) {
	s.head = header
	s.step(core.NewHead{Head: core.Head{Header: header, Set: s.set, Params: core.Params{RequestTimeout: 2 * time.Second}}})
}

// step hands an event to the core and answers at once what it asks of its shell.
func (s *stage) step(ev core.Event) []core.Effect {
	effects := s.core.Step(stageTime, ev)
	for _, e := range effects {
		if e, ok := e.(core.Execute); ok {
			effects = append(effects, s.step(core.Validated{Hash: e.Block.Hash()})...)
		}
	}
	return effects
}

// deliver signs a message as a validator and hands it to the core, as if its author had brought it.
func (s *stage) deliver(author int, m messages.Message) ([]core.Effect, error) {
	if err := messages.Sign(m, s.keys[author]); err != nil {
		return nil, err
	}
	return s.step(core.Message{Code: m.Code(), Payload: m.Encode(), From: s.set.At(author).Address}), nil
}

// vote returns a PREPARE or COMMIT for a block in a round.
func (s *stage) vote(code uint64, author int, sequence, round uint64, block *types.Header) messages.Message {
	if code == messages.CodePrepare {
		digest := extra.SealDigest(block, uint32(round), extra.Prepare)
		return &messages.Prepare{Sequence: sequence, Round: round, Digest: block.Hash(), Seal: s.bls[author].Sign(digest[:])}
	}
	digest := extra.SealDigest(block, uint32(round), extra.Commit)
	return &messages.Commit{Sequence: sequence, Round: round, Digest: block.Hash(), Seal: s.bls[author].Sign(digest[:])}
}

func roundChangeTo(sequence, round uint64) *messages.RoundChange {
	m := new(messages.RoundChange)
	m.Sequence, m.Round = sequence, round
	return m
}

// proposal returns a PRE-PREPARE, justified by ROUND-CHANGEs without a claim of all but one.
func (s *stage) proposal(sequence, round uint64, block *types.Block) (*messages.PrePrepare, error) {
	m := &messages.PrePrepare{Sequence: sequence, Round: round, Block: block}
	for _, i := range []int{s.self, s.voters[0], s.voters[1]} {
		if round == 0 {
			break
		}
		c := &roundChangeTo(sequence, round).SignedRoundChange
		if err := messages.Sign(c, s.keys[i]); err != nil {
			return nil, err
		}
		m.RoundChanges = append(m.RoundChanges, c)
	}
	return m, nil
}

// reach brings the core into a view and state.
func (s *stage) reach(view messages.View, priorRound uint64, state core.State) error {
	if view.Sequence < 3 || priorRound > 1<<32-1 {
		return unsupported{"a core gets into its view from two heads, so the sequence must be at least 3"}
	}
	grandparent := s.child(&types.Header{Number: new(big.Int).SetUint64(view.Sequence - 3), Difficulty: big.NewInt(1),
		UncleHash: types.EmptyUncleHash})
	first, err := s.seal(grandparent, 0)
	if err != nil {
		return err
	}
	s.newHead(first)
	second, err := s.seal(s.child(first), uint32(priorRound))
	if err != nil {
		return err
	}
	s.newHead(second)
	s.view, s.block = view, s.child(second)
	if view.Round > 0 {
		for _, i := range s.voters {
			if _, err := s.deliver(i, roundChangeTo(view.Sequence, view.Round)); err != nil {
				return err
			}
		}
	}
	if state >= core.PrePrepared {
		m, err := s.proposal(view.Sequence, view.Round, s.block)
		if err != nil {
			return err
		}
		if _, err := s.deliver(proposerOf(view.Round), m); err != nil {
			return err
		}
	}
	for _, v := range []struct {
		code  uint64
		state core.State
	}{{messages.CodePrepare, core.Prepared}, {messages.CodeCommit, core.Committed}} {
		// With the core's own one the votes of two others are a quorum.
		for _, i := range s.voters {
			if state < v.state {
				break
			}
			if _, err := s.deliver(i, s.vote(v.code, i, view.Sequence, view.Round, s.block.Header())); err != nil {
				return err
			}
		}
	}
	if at := s.core.Status(); at.Sequence != view.Sequence || at.Round != view.Round || at.State != state {
		return fmt.Errorf("the core is at (%d, %d), %v", at.Sequence, at.Round, at.State)
	}
	return nil
}

var stateNames = map[string]core.State{
	"AcceptRequest": core.AcceptRequest, "Preprepared": core.PrePrepared, "Prepared": core.Prepared,
	"Committed": core.Committed,
}

// checkMessage tells what a core does with a message, found out by bringing one into the view and state and handing it
// the message.
func checkMessage(in reader) (any, error) {
	at, of := in.object("view"), in.object("message_view")
	view := messages.View{Sequence: at.number("sequence"), Round: at.number("round")}
	subject := messages.View{Sequence: of.number("sequence"), Round: of.number("round")}
	state, known := stateNames[in.text("state")]
	code, priorRound := in.number("code"), in.number("prior_round")
	if *in.err != nil || !known {
		return nil, unsupported{"view and state cannot be read"}
	}
	s, err := newStage(view.Round, subject.Round)
	if err != nil {
		return nil, err
	}
	if err := s.reach(view, priorRound, state); err != nil {
		return nil, err
	}
	author := s.fresh
	m, err := s.messageOf(code, subject, &author)
	if err != nil {
		return nil, err
	}
	before := s.core.Status()
	effects, err := s.deliver(author, m)
	if err != nil {
		return nil, err
	}
	return record{"result": classOf(code, subject, before, s.core.Status(), effects)}, nil
}

// messageOf returns an honest message of a view. A proposal is by the proposer of its round, which may be the core
// itself.
func (s *stage) messageOf(code uint64, view messages.View, author *int) (messages.Message, error) {
	block := s.block
	switch {
	case view.Sequence == s.view.Sequence-1:
		block = types.NewBlockWithHeader(s.head)
	case view.Sequence != s.view.Sequence:
		block = s.child(&types.Header{Number: new(big.Int).SetUint64(view.Sequence - 1), Difficulty: big.NewInt(1)})
	}
	switch code {
	case messages.CodePrePrepare:
		if view.Sequence == s.view.Sequence {
			*author = proposerOf(view.Round)
		}
		return s.proposal(view.Sequence, view.Round, block)
	case messages.CodePrepare, messages.CodeCommit:
		return s.vote(code, *author, view.Sequence, view.Round, block.Header()), nil
	case messages.CodeRoundChange:
		return roundChangeTo(view.Sequence, view.Round), nil
	}
	return nil, errors.New("unknown message code")
}

// Classes of a message.
const (
	classProcess   = "PROCESS"
	classFuture    = "FUTURE"
	classOld       = "OLD"
	classInvalid   = "INVALID"
	classTooFar    = "TOO_FAR"
	classExtraSeal = "EXTRA_SEAL"
)

// classOf reads from what the core did how it took a message. A vote of the current view is stored at once in every
// state; its class says whether the state in which such votes decide is still to come, is there or is over.
func classOf(code uint64, view messages.View, before, after core.Status, effects []core.Effect) string {
	current := messages.View{Sequence: before.Sequence, Round: before.Round}
	for _, e := range effects {
		if d, ok := e.(core.Dropped); ok {
			switch {
			case d.Cause == core.CauseEarly:
				return classTooFar
			case view.Cmp(current) < 0:
				return classOld
			}
			return classInvalid // a second one of its kind
		}
	}
	acts := map[uint64]core.State{messages.CodePrepare: core.PrePrepared, messages.CodeCommit: core.Prepared}
	switch due, isVote := acts[code]; {
	case after.Backlog > before.Backlog:
		return classFuture
	case view.Sequence < current.Sequence:
		return classExtraSeal
	case !isVote || view != current || before.State == due:
		return classProcess
	case before.State < due:
		return classFuture
	}
	return classExtraSeal
}
