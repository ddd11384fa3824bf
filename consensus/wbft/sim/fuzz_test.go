// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package sim

import (
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"

	"gwon/consensus/wbft/core"
	"gwon/consensus/wbft/extra"
	"gwon/consensus/wbft/internal/scheme"
	"gwon/consensus/wbft/messages"
	"gwon/consensus/wbft/signing"
	"gwon/consensus/wbft/validators"
	"gwon/internal/must"
)

// dial reads choices out of the input of a fuzzer; when that ends, every choice is the first one.
type dial []byte

func (d *dial) choose(n int) int {
	if len(*d) == 0 {
		return 0
	}
	b := (*d)[0]
	*d = (*d)[1:]
	return int(b) % n
}

const (
	fuzzNodes  = 4
	fuzzSelf   = 3 // the validator under test
	fuzzRounds = 4
	fuzzBlocks = 4 // the last of which is invalid
)

// lone is one state machine whose peers are all faulty: the fuzzer has their keys. What one validator promises alone
// must hold all the same: it never contradicts itself, records before it sends, votes for what it has executed, does
// not forget what it has committed to, and decides with a quorum only.
type lone struct {
	t      *testing.T
	core   *core.Core
	set    *validators.Set
	head   *types.Header
	blocks []*types.Block
	now    time.Time

	timers    map[core.TimerKind]uint64
	executing []common.Hash
	executed  map[common.Hash]bool
	log       core.RestoredSequence
	said      map[step]common.Hash
}

func newLone(t *testing.T) *lone {
	var list []validators.Validator
	for i := range fuzzNodes {
		key, blsKey := Keys(i)
		list = append(list, validators.Validator{Address: addressOf(key), Key: blsKey.PublicKey()})
	}
	l := &lone{
		t:    t,
		set:  validators.NewSet(list),
		now:  time.Unix(1_800_000_000, 0),
		log:  core.RestoredSequence{Sequence: 1},
		said: make(map[step]common.Hash),
	}
	header := func(parent *types.Header, vanity string) *types.Header {
		h := &types.Header{
			UncleHash:   types.EmptyUncleHash,
			Root:        types.EmptyRootHash,
			TxHash:      types.EmptyTxsHash,
			ReceiptHash: types.EmptyReceiptsHash,
			Difficulty:  big.NewInt(1),
			Number:      new(big.Int),
			GasLimit:    105_000_000,
			BaseFee:     big.NewInt(1),
			Extra:       (&types.WBFTExtra{Vanity: []byte(vanity)}).Encode(),
		}
		if parent != nil {
			h.Number.SetInt64(1)
			h.ParentHash = parent.Hash()
		}
		return h
	}
	l.head = header(nil, "")
	for i := range fuzzBlocks {
		l.blocks = append(l.blocks, types.NewBlockWithHeader(header(l.head, fmt.Sprint(i))))
	}
	l.start()
	return l
}

// start makes the state machine of a new process, from what the one before has recorded.
func (l *lone) start() {
	key, blsKey := Keys(fuzzSelf)
	l.timers, l.executing, l.executed = make(map[core.TimerKind]uint64), nil, make(map[common.Hash]bool)
	l.core = core.New(core.Config{
		Address: addressOf(key), Sign: signing.WithKeys(key, blsKey), DefaultMaxTimeout: 10 * time.Second,
	})
	l.core.Restore(core.Restored{Complete: true, Sequences: []core.RestoredSequence{l.log}})
	l.step(
		core.NewHead{
			Head: core.Head{
				Header: l.head,
				Set:    l.set,
				Params: core.Params{BlockPeriod: time.Second, RequestTimeout: 2 * time.Second},
			},
		},
	)
}

// step feeds an event and holds every effect to the promises.
func (l *lone) step(ev core.Event) {
	for _, effect := range l.core.Step(l.now, ev) {
		switch e := effect.(type) {
		case core.Persist:
			if !slices.ContainsFunc(l.log.Votes, func(v core.Vote) bool { return v.Code == e.Code && v.Round == e.Round }) {
				l.log.Votes = append(l.log.Votes, e.Vote)
			}
		case core.PersistLock:
			l.log.Lock = e.Certificate
		case core.Send:
			l.sends(e)
		case core.SetTimer:
			l.timers[e.Kind] = e.ID
		case core.Execute:
			l.executing = append(l.executing, e.Block.Hash())
		case core.Commit:
			l.decides(e)
		case core.StopSigning:
			l.t.Fatalf("signs nothing more: %s", e.Reason)
		}
	}
}

// sameSigned reports whether a message is the recorded one: of a ROUND-CHANGE the unsigned part may have other bytes.
func sameSigned(m messages.Message, recorded, sent []byte) bool {
	if string(recorded) == string(sent) {
		return true
	}
	change, ok := m.(*messages.RoundChange)
	first, err := messages.Decode(messages.CodeRoundChange, recorded)
	if !ok || err != nil {
		return false
	}
	return string(first.(*messages.RoundChange).SignedRoundChange.Encode()) == string(change.SignedRoundChange.Encode())
}

func (l *lone) sends(e core.Send) {
	m, err := messages.Decode(e.Code, e.Payload)
	must.Do(l.t, err, "malformed message:")
	at := step{e.Code, m.View().Round}
	if !slices.ContainsFunc(l.log.Votes, func(v core.Vote) bool {
		return v.Code == at.code && v.Round == at.round && sameSigned(m, v.Payload, e.Payload)
	}) {
		l.t.Fatalf("sends %s %v, which is not recorded", kinds[e.Code], m.View())
	}
	digest := crypto.Keccak256Hash(m.SigningPayload())
	before, repeated := l.said[at]
	if repeated && before != digest {
		l.t.Fatalf("contradicts itself with %s %v", kinds[e.Code], m.View())
	}
	l.said[at] = digest
	switch m := m.(type) {
	case *messages.Prepare:
		l.votes(m.Digest, repeated)
	case *messages.Commit:
		l.votes(m.Digest, repeated)
		must.That(l.t, l.log.Lock != nil, "sends a COMMIT without a lock")
	case *messages.RoundChange:
		for k := range l.said {
			if k.code == messages.CodeCommit && k.round < m.Round && (m.Prepared == nil || m.Prepared.Round < k.round) {
				l.t.Fatalf("forgets the COMMIT of round %d in ROUND-CHANGE %v", k.round, m.View())
			}
		}
	}
}

// votes checks a vote: one that is new is for a block that this process has executed.
func (l *lone) votes(digest common.Hash, repeated bool) {
	must.That(l.t, (repeated || l.executed[digest]) && digest != l.blocks[fuzzBlocks-1].Hash(),
		"votes for a block that it has not executed, or that is invalid")
}

func (l *lone) decides(e core.Commit) {
	x := must.Get(e.Block.Header().WBFTExtra())(l.t)
	for kind, seal := range map[byte]*types.WBFTSeal{extra.Prepare: x.PreparedSeal, extra.Commit: x.CommittedSeal} {
		must.Do(l.t, l.set.VerifySeal(seal, extra.SealDigest(e.Block.Header(), x.Round, kind)), "decides with bad seals:")
	}
	must.That(l.t, l.executed[e.Block.Hash()], "decides a block that it has not executed")
}

// vote is a PREPARE or COMMIT of another validator.
func (l *lone) vote(code uint64, author, round int, block *types.Block, bad bool) messages.Message {
	_, blsKey := Keys(author)
	kind := extra.Prepare
	if code == messages.CodeCommit {
		kind = extra.Commit
	}
	digest := extra.SealDigest(block.Header(), uint32(round), kind)
	if bad {
		digest[0] ^= 1
	}
	seal := scheme.Seal(blsKey, digest[:])
	var m messages.Message = &messages.Prepare{Sequence: 1, Round: uint64(round), Digest: block.Hash(), Seal: seal}
	if code == messages.CodeCommit {
		m = &messages.Commit{Sequence: 1, Round: uint64(round), Digest: block.Hash(), Seal: scheme.Seal(blsKey, digest[:])}
	}
	l.sign(m, author)
	return m
}

func (l *lone) sign(m messages.Message, author int) {
	key, _ := Keys(author)
	must.Do(l.t, messages.Sign(m, key))
}

// roundChange is that of another validator, prepared or not, perhaps with a certificate that lacks something.
func (l *lone) roundChange(d *dial, author, round int) *messages.RoundChange {
	m := new(messages.RoundChange)
	m.Sequence, m.Round = 1, uint64(round)
	if shape := d.choose(4); shape > 0 && round > 0 {
		prepared, block := d.choose(round), l.blocks[d.choose(fuzzBlocks)]
		m.Prepared = &messages.PreparedClaim{Round: uint64(prepared), Digest: block.Hash()}
		m.PreparedBlock, m.Prepares = block, l.prepares(prepared, block, shape)
	}
	l.sign(m, author)
	return m
}

// prepares are a quorum of PREPAREs; shape 2 has one of them twice, shape 3 a bad seal.
func (l *lone) prepares(round int, block *types.Block, shape int) (list []*messages.Prepare) {
	for i := range l.set.Quorum() {
		author := i
		if shape == 2 {
			author = i / 2
		}
		list = append(list, l.vote(messages.CodePrepare, author, round, block, shape == 3 && i == 0).(*messages.Prepare))
	}
	return list
}

// proposal is a PRE-PREPARE of the proposer of a round, in which no validator claims to be prepared.
func (l *lone) proposal(round int, block *types.Block) core.Message {
	m := &messages.PrePrepare{Sequence: 1, Round: uint64(round), Block: block}
	for author := range fuzzNodes - 1 {
		if round > 0 {
			change := new(messages.RoundChange)
			change.Sequence, change.Round = 1, uint64(round)
			l.sign(change, author)
			m.RoundChanges = append(m.RoundChanges, &change.SignedRoundChange)
		}
	}
	l.sign(m, round%fuzzNodes)
	return core.Message{Code: m.Code(), Payload: m.Encode(), From: l.set.At(round % fuzzNodes).Address}
}

// judge answers for the block that has waited longest.
func (l *lone) judge() {
	if len(l.executing) == 0 {
		return
	}
	verdict := core.Validated{Hash: l.executing[0]}
	l.executing = l.executing[1:]
	if verdict.Hash == l.blocks[fuzzBlocks-1].Hash() {
		verdict.Err = errors.New("invalid")
	}
	l.executed[verdict.Hash] = verdict.Err == nil
	l.step(verdict)
}

// message is one that the fuzzer chooses.
func (l *lone) message(d *dial) messages.Message {
	author, round := d.choose(fuzzNodes-1), d.choose(fuzzRounds)
	switch d.choose(4) {
	case 0:
		proposer := round % fuzzNodes // of round 0 after genesis is the first
		if proposer == fuzzSelf {
			proposer = author
		}
		m := &messages.PrePrepare{Sequence: 1, Round: uint64(round), Block: l.blocks[d.choose(fuzzBlocks)]}
		if round > 0 {
			for i := range l.set.Quorum() {
				m.RoundChanges = append(m.RoundChanges, &l.roundChange(d, i, round).SignedRoundChange)
			}
			if shape := d.choose(4); shape > 0 {
				m.Prepares = l.prepares(d.choose(round), m.Block, shape)
			}
		}
		l.sign(m, proposer)
		return m
	case 1:
		return l.vote(messages.CodePrepare, author, round, l.blocks[d.choose(fuzzBlocks)], d.choose(8) == 7)
	case 2:
		return l.vote(messages.CodeCommit, author, round, l.blocks[d.choose(fuzzBlocks)], d.choose(8) == 7)
	}
	return l.roundChange(d, author, round)
}

// FuzzSteps plays sequences of messages, timers, verdicts and restarts into a state machine whose peers are all faulty.
func FuzzSteps(f *testing.F) {
	// Round 0: proposal, verdict, two PREPAREs; then a timer, and a ROUND-CHANGE.
	f.Add([]byte{0, 0, 0, 0, 1, 6, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 0, 0, 5, 0, 7})
	for seed := range byte(8) {
		input := make([]byte, 0, 256)
		for i := range 8 {
			sum := crypto.Keccak256([]byte{seed, byte(i)})
			input = append(input, sum...)
		}
		f.Add(input)
	}
	f.Fuzz(func(t *testing.T, input []byte) { fuzzSteps(t, input) })
}

// fuzzSteps plays the choices of an input.
func fuzzSteps(t *testing.T, input []byte) *lone {
	d := dial(input[:min(len(input), 1024)])
	l := newLone(t)
	for len(d) > 0 {
		l.now = l.now.Add(time.Duration(d.choose(4)) * 700 * time.Millisecond)
		switch d.choose(9) {
		case 3: // a proposal that keeps all rules, in the round at hand
			if round := int(l.core.Status().Round); round%fuzzNodes != fuzzSelf {
				l.step(l.proposal(round, l.blocks[d.choose(fuzzBlocks)]))
				l.judge()
			}
		case 4: // everybody votes for one block
			code, round, block := messages.CodePrepare+uint64(d.choose(2)), d.choose(fuzzRounds), l.blocks[d.choose(fuzzBlocks)]
			for author := range fuzzNodes - 1 {
				m := l.vote(code, author, round, block, false)
				l.step(core.Message{Code: m.Code(), Payload: m.Encode(), From: l.set.At(author).Address})
			}
		case 5:
			if id, ok := l.timers[core.TimerKind(d.choose(3))]; ok {
				l.step(core.Timeout{ID: id})
			}
		case 6:
			l.judge()
		case 7:
			l.start()
		case 8:
			block := l.blocks[d.choose(fuzzBlocks-1)]
			l.executed[block.Hash()] = true
			l.step(core.Candidate{Block: block, Round: l.core.Status().Round})
		default:
			m := l.message(&d)
			from, _ := Keys(d.choose(fuzzNodes - 1))
			l.step(core.Message{Code: m.Code(), Payload: m.Encode(), From: addressOf(from)})
		}
	}
	return l
}

// fuzzScript makes a script of the choices of a fuzzer: a faulty validator of four, or a twin, and whatever can happen
// to the others.
func fuzzScript(d *dial) []string {
	delays := []string{"1ms..20ms", "1ms..300ms", "1ms..2s"}
	names := behaviorNames()
	script := []string{
		fmt.Sprintf("network nodes=5 seed=%d delay=%s sync=%dms", d.choose(256), delays[d.choose(3)], d.choose(100)),
	}
	if kind := d.choose(len(names) + 1); kind == len(names) {
		script = append(script, "set 0: 0 1 2 3", "twin 4 of 3")
	} else {
		script = append(script, "set 0: 0 1 2 3", "byzantine 3 "+names[kind])
	}
	codes := []string{"PRE-PREPARE", "PREPARE", "COMMIT", "ROUND-CHANGE"}
	for range min(len(*d)/2, 24) {
		node := d.choose(3)
		switch d.choose(10) {
		case 0:
			script = append(script, fmt.Sprintf("crash %d", node))
		case 1, 2:
			script = append(script, fmt.Sprintf("crash %d after %d", node, 1+d.choose(40)))
		case 3:
			script = append(script, fmt.Sprintf("restart %d", node))
		case 4:
			script = append(script, fmt.Sprintf("powerloss %d", node))
		case 5:
			script = append(script, fmt.Sprintf("partition %d | %s", node, join(others(5, node))))
		case 6:
			script = append(script, fmt.Sprintf("lose %s to %d chance 0.%d", codes[d.choose(4)], node, 1+d.choose(9)))
		case 7:
			script = append(script, "lose nothing", fmt.Sprintf("partition %s", join(others(5))))
		default:
			script = append(script, fmt.Sprintf("run %dms", 1+d.choose(250)*d.choose(8)))
		}
	}
	return append(script, "heal", "restart 0 1 2 3 4", "run 5s", "reach +2 within 1m")
}

// FuzzNetwork plays scripts of a fuzzer's choices: the drivers of a network, with messages lost, crashes and power
// losses in any order.
func FuzzNetwork(f *testing.F) {
	f.Add([]byte{1, 0, 5, 2, 0, 9, 200, 5, 1, 3, 0, 9, 30, 30, 1, 3})
	f.Add([]byte{7, 2, 90, 11, 2, 6, 2, 8, 0, 9, 250, 30, 1, 1, 7, 1, 3, 0, 4, 0, 3})
	f.Fuzz(func(t *testing.T, input []byte) {
		d := dial(input[:min(len(input), 256)])
		script := fuzzScript(&d)
		trace, broken := play(t, script, true)
		must.That(t, broken == nil, "%v\n%s\n%s", broken, strings.Join(script, "\n"), trace)
	})
}

// FuzzDelivered plays any bytes and any message that a faulty validator can sign into the drivers of a running network,
// which has to go on.
func FuzzDelivered(f *testing.F) {
	f.Add([]byte{0, 1, 0, 0, 0, 3, 1, 1, 1, 2, 2, 1, 3})
	f.Add([]byte{2, 2, 3, 1, 0, 1, 1, 0, 2, 0, 0, 1, 0, 0, 2, 1})
	f.Fuzz(func(t *testing.T, input []byte) {
		d := dial(input[:min(len(input), 512)])
		synctest.Test(t, func(t *testing.T) {
			n := New(Config{Seed: 1, Nodes: fuzzNodes, Quiet: true})
			defer n.Close()
			n.Node(0).Behavior = silent{} // its key is the fuzzer's
			reach(t, n, 2, 20*time.Second)
			for len(d) > 0 {
				faulty, ok := n.Node(0).participant.(*raw)
				must.That(t, ok, "the faulty validator is down")
				to := n.Node(1 + d.choose(3))
				var w Wire
				switch d.choose(3) {
				case 0: // a message of the proper form
					w = faulty.invent(&d)
				case 1: // one that is cut or spoilt
					w = faulty.invent(&d)
					if len(w.Payload) > 0 {
						w.Payload[d.choose(len(w.Payload))] ^= byte(1 + d.choose(255))
						w.Payload = w.Payload[:len(w.Payload)-d.choose(2)]
					}
				default: // any bytes
					code, length := messages.CodePrePrepare+uint64(d.choose(4)), d.choose(64)
					w = Wire{code, slices.Clone(d[:min(len(d), length)])}
				}
				n.After(0, func() { to.receive(n.Node(0), w.Code, w.Payload) })
				run(t, n, time.Duration(d.choose(200)*d.choose(8))*time.Millisecond)
			}
			reach(t, n, n.MaxHeight()+2, time.Minute)
		})
	})
}

// invent makes a message with the node's key about the sequence at hand, or one beside it.
func (n *raw) invent(d *dial) Wire {
	sequence := n.machine.Status().Sequence + uint64(d.choose(3)) - 1
	round := uint64(d.choose(14))
	block := n.candidate(fmt.Sprint("invented ", d.choose(3)))
	if block == nil || d.choose(4) == 0 {
		block = n.chain.head()
	}
	var list []Wire
	switch d.choose(5) {
	case 0:
		list = n.wire(&messages.PrePrepare{Sequence: sequence, Round: round, Block: block})
	case 1:
		list = n.votesFor(block, round)[:1]
	case 2:
		list = n.votesFor(block, round)[1:]
	case 3:
		list = n.claim(sequence, round)
	default:
		m := &messages.RoundChange{PreparedBlock: block}
		m.Sequence, m.Round = sequence, round
		m.Prepared = &messages.PreparedClaim{Round: uint64(d.choose(14)), Digest: block.Hash()}
		list = n.wire(m)
	}
	if len(list) == 0 {
		return Wire{Code: messages.CodePrepare}
	}
	return Wire{list[0].Code, slices.Clone(list[0].Payload)}
}
