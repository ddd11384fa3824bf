// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package eventstream

import (
	"bytes"
	"slices"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/rlp"

	"gwon/consensus/wbft/core"
	"gwon/consensus/wbft/messages"
)

// outcome tells what became of a message, by the effects after it up to the next message of the backlog. The outcome of
// a proposal without a verdict comes with the verdict.
func (s *Stream) outcome(code uint64, payload []byte, peer common.Address, via string, effects []core.Effect) {
	due := func(e core.Effect) bool { note, ok := e.(core.Note); return ok && note.Kind == core.NoteDue }
	if next := slices.IndexFunc(effects, due); next >= 0 {
		effects = effects[:next]
	}
	f := fields{"code": code, "via": via, "dedup_key": messages.KnownHash(payload).Hex(), "peer": address(peer)}
	env, err := messages.Open(code, payload)
	if err == nil {
		f["view"] = viewOf(env.View)
		if author, err := env.Signer(); err == nil {
			f["source"] = address(author)
		}
	}
	if err == nil && env.Block != nil && code == messages.CodePrePrepare && !slices.ContainsFunc(effects, settles) {
		if hash, err := hashOf(env.Block); err == nil {
			a := s.ask(hash)
			a.outcomes = append(a.outcomes, f)
			return
		}
	}
	s.decide(f, effects)
}

// settles reports whether an effect shows what became of a proposal.
func settles(e core.Effect) bool {
	switch e := e.(type) {
	case core.Note:
		return e.Kind == core.NoteAccepted || e.Kind == core.NoteKept
	case core.Dropped, core.Disconnect:
		return true
	}
	return false
}

// hashOf returns the hash of a block in RLP, of which it decodes the header alone.
func hashOf(block []byte) (common.Hash, error) {
	content, _, err := rlp.SplitList(block)
	if err != nil {
		return common.Hash{}, err
	}
	header := new(types.Header)
	if err := rlp.NewStream(bytes.NewReader(content), 0).Decode(header); err != nil {
		return common.Hash{}, err
	}
	return header.Hash(), nil
}

// decide adds to an outcome what the effects say, and tells of it.
func (s *Stream) decide(f fields, effects []core.Effect) {
	check, outcome, reason := "PROCESS", "ACCEPT", ""
	for _, e := range effects {
		if note, ok := e.(core.Note); ok {
			switch note.Kind {
			case core.NoteKept:
				check, outcome, reason = "FUTURE", "IGNORE", "backlog"
			case core.NoteLateSeal:
				check = "EXTRA_SEAL"
			}
		}
		switch e := e.(type) {
		case core.Dropped:
			if reason == "" {
				reason = e.Reason
				check, outcome = judged(e.Cause)
			}
		case core.Disconnect:
			outcome = "DISCONNECT"
		}
	}
	f["check"], f["outcome"] = check, outcome
	if reason != "" {
		f["reason"] = reason
	}
	s.emit("MSG_OUTCOME", f)
}

// judged returns check and outcome of a message that was dropped for a cause.
func judged(cause core.Cause) (check, outcome string) {
	switch cause {
	case core.CauseLate:
		return "OLD", "IGNORE"
	case core.CauseEarly:
		return "TOO_FAR", "IGNORE"
	case core.CauseDeliverer:
		return "prefilter", "DROP_SILENT"
	case core.CauseMalformed, core.CauseBlock, core.CauseBound, core.CauseAuthor, core.CauseRefused:
		return "INVALID", "DROP_SILENT"
	}
	return "PROCESS", "IGNORE" // a copy, or a state that takes no such message
}
