// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package eventstream

import (
	"github.com/ethereum/go-ethereum/common"

	"gwon/consensus/wbft/core"
	"gwon/consensus/wbft/messages"
)

// outcome tells what became of a message, by the effects after it up to the next message of the backlog.
func (s *Stream) outcome(code uint64, payload []byte, peer common.Address, via string, effects []core.Effect) {
	check, outcome, reason := "PROCESS", "ACCEPT", ""
	for _, e := range effects {
		if note, ok := e.(core.Note); ok {
			if note.Kind == core.NoteDue {
				break
			}
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
	f := fields{
		"code": code, "via": via, "check": check, "outcome": outcome, "dedup_key": messages.KnownHash(payload).Hex(),
		"peer": address(peer),
	}
	if env, err := messages.Open(code, payload); err == nil {
		f["view"] = viewOf(env.View)
		if author, err := env.Signer(); err == nil {
			f["source"] = address(author)
		}
	}
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
