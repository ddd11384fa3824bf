// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package core

import (
	"errors"
	"fmt"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"gwon/consensus/wbft/extra"
	"gwon/consensus/wbft/internal/scheme"
	"gwon/consensus/wbft/messages"
	"gwon/consensus/wbft/signing"
)

// issue signs an own message of the current sequence, records it durably and sends it. It refuses to contradict an
// earlier one of the same kind and view. An equal one is sent again. A PREPARE or COMMIT comes with the header of its
// block.
func (c *Core) issue(m messages.Message, header *types.Header) (payload []byte, ok bool) {
	code, view, digest := m.Code(), m.View(), signing.Subject(m)
	repeated, err := c.signer.maySign(m, digest)
	if errors.Is(err, errNotSigning) {
		c.note(Note{Kind: NoteInactive, Code: code})
		return nil, false
	}
	if err != nil {
		c.note(Note{Kind: NoteRefused, Code: code})
		c.drop(err.Error())
		return nil, false
	}
	intent := c.intent(m, header)
	if !c.assertMaySign(m, &intent) {
		return nil, false
	}
	if err := c.cfg.Sign(intent); err != nil {
		c.emit(Failed{Err: fmt.Errorf("sign for sequence %d, round %d: %w", view.Sequence, view.Round, err)})
		if code == messages.CodeRoundChange && errors.Is(err, signing.ErrAway) {
			c.setTimer(RetryTimer, c.head.Params.RequestTimeout) // without a ROUND-CHANGE no round follows
		}
		return nil, false
	}
	if payload = m.Encode(); !fits(payload) {
		// It is not recorded, because it binds to nothing. No ROUND-CHANGE that hides a large lock replaces it.
		c.emit(c.unsendable(code, payload))
		return nil, false
	}
	if !repeated {
		v := Vote{Code: code, Sequence: view.Sequence, Round: view.Round, Digest: digest, Payload: payload}
		c.signer.Record(v)
		c.emit(Persist{v})
	}
	c.emit(Send{Code: code, Payload: payload})
	return payload, true
}

// intent returns what the key is asked to sign. The lock of this step goes along, because the message depends on it.
func (c *Core) intent(m messages.Message, header *types.Header) signing.Intent {
	in := signing.Intent{Message: m, Header: header}
	for _, e := range c.effects {
		if lock, ok := e.(PersistLock); ok {
			in.Lock, in.LockRound = lock.Certificate, lock.Round
		}
	}
	return in
}

// onOwnMessage handles a message from outside that has this node's signature, mostly an echo (spec wbft 4.4). One that
// the key has not signed here may be older than a new vote log, and is taken back. Otherwise the key is in use
// elsewhere and is muted (docs/adr/0007-key-seen-elsewhere-is-muted.md).
func (c *Core) onOwnMessage(m messages.Message, payload []byte) *rejection {
	digest := signing.Subject(m)
	old, known := c.signer.Signed(m.Code(), m.View().Round)
	switch {
	case known && old.Digest == digest:
		return reject(ordinary, "echo of an own message")
	case known && c.isOfThisChain(m):
		return c.mute(fmt.Sprintf("this key has signed two different messages %#x in round %d of sequence %d",
			m.Code(), m.View().Round, c.sequence), old.Payload, payload)
	case known:
		return reject(ordinary, "own message that contradicts the vote log and need not be of this chain")
	case !c.signer.mayHaveForgotten():
		if !c.isOfThisChain(m) {
			return reject(ordinary, "own message that is not in the vote log and need not be of this chain")
		}
		return c.mute(fmt.Sprintf("this key has signed a message %#x in round %d of sequence %d that this node did not sign",
			m.Code(), m.View().Round, c.sequence), payload)
	case !c.signer.active():
		return reject(ordinary, "own message of an earlier process in a sequence in which nothing is signed")
	}
	return c.takeBack(m, digest, payload)
}

// isOfThisChain reports whether an own message is provably about the current sequence of this chain: it carries a
// child of the head, a seal over one, or a certificate for one. A message names neither network nor parent, and any
// validator can repeat one of another network.
func (c *Core) isOfThisChain(m messages.Message) bool {
	switch m := m.(type) {
	case *messages.PrePrepare:
		return c.certs.checkProposal(m.Block) == nil
	case *messages.Prepare:
		return c.sealedHere(m.Digest, m.Round, extra.Prepare, m.Seal)
	case *messages.Commit:
		return c.sealedHere(m.Digest, m.Round, extra.Commit, m.Seal)
	case *messages.RoundChange:
		cert, err := c.certificateOf(m)
		return err == nil && cert != nil
	}
	return false
}

// sealedHere reports whether a seal is this node's own over a block of this sequence that is known here.
func (c *Core) sealedHere(digest common.Hash, round uint64, kind byte, seal []byte) bool {
	block := c.certs.blocks.byHash(digest)
	if block == nil || block.NumberU64() != c.sequence || !c.isValidator() || round > maxRound {
		return false
	}
	message := extra.SealDigest(block.Header(), uint32(round), kind)
	return scheme.Verify(c.set().At(c.index).Key, message[:], seal)
}

// takeBack takes an own message of a lost vote log back into it. A vote for an unknown block proves nothing: it is a
// doubt until the sequence ends. A ROUND-CHANGE without a certificate moves the node by a few rounds at most.
func (c *Core) takeBack(m messages.Message, digest common.Hash, payload []byte) *rejection {
	proven := c.isOfThisChain(m)
	switch m := m.(type) {
	case *messages.PrePrepare:
		if !proven {
			return reject(ordinary, "own proposal of another chain")
		}
	case *messages.Prepare, *messages.Commit:
		if !proven {
			c.signer.doubt(m.Code(), m.View().Round, digest)
			return reject(ordinary, "own vote of an earlier process for an unknown block")
		}
	case *messages.RoundChange:
		if !proven && (m.Prepared != nil || m.Round > c.round+roundWindow) {
			return reject(ordinary, "own ROUND-CHANGE that need not be of this chain")
		}
	}
	c.continueFrom(m, digest, payload)
	return nil
}

// continueFrom records an own message of a lost vote log and continues from it. A lock that it proves holds again, and
// the node votes in no round below its own.
func (c *Core) continueFrom(m messages.Message, digest common.Hash, payload []byte) {
	round := m.View().Round
	v := Vote{Code: m.Code(), Sequence: c.sequence, Round: round, Digest: digest, Payload: payload}
	c.signer.Record(v)
	c.emit(Persist{v})
	change, isChange := m.(*messages.RoundChange)
	if isChange {
		c.takeBackLock(change)
	}
	if c.state == Committed || !c.isValidator() {
		return
	}
	if round > c.round {
		c.startRound(round)
	}
	if isChange && round == c.round {
		c.repeatRoundChange(v)
	}
	c.joinOrPropose()
}

// takeBackLock takes back the lock that an own ROUND-CHANGE of a lost vote log proves.
func (c *Core) takeBackLock(m *messages.RoundChange) {
	cert, err := c.certificateOf(m)
	if err != nil || cert == nil || (c.lock != nil && c.lock.round >= cert.round) {
		return
	}
	c.setLock(cert)
}

// mute ends the signing of this process, once.
func (c *Core) mute(reason string, evidence ...[]byte) *rejection {
	if c.signer.muted {
		return reject(ordinary, "foreign signature of the own key")
	}
	c.signer.muted = true
	c.emit(StopSigning{Reason: reason, Evidence: evidence})
	return nil
}
