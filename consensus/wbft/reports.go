// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package wbft

import (
	"fmt"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/log"

	"gwon/consensus/wbft/core"
	"gwon/consensus/wbft/evidence"
	"gwon/consensus/wbft/messages"
)

const (
	// reportsPerMinute bounds what a peer that misbehaves at every opportunity can make this node write.
	reportsPerMinute = 60
)

// reports logs misbehavior, bounded in lines a minute and in bytes.
type reports struct {
	minute  time.Time // begin of the minute that the counts are of
	written int
	omitted int
}

// write logs one case with its messages, and reports whether the line was written.
func (r *reports) write(now time.Time, text string, evidence [][]byte, attributes ...any) bool {
	if now.Sub(r.minute) >= time.Minute {
		if r.omitted > 0 {
			log.Warn("Further cases omitted", "of", text, "cases", r.omitted)
		}
		*r = reports{minute: now}
	}
	if r.written == reportsPerMinute {
		r.omitted++
		return false
	}
	r.written++
	if evidence != nil {
		attributes = append(attributes, "evidence", describe(evidence))
	}
	log.Warn(text, attributes...)
	return true
}

// describe returns messages in the form of the log.
func describe(evidence [][]byte) []string {
	out := make([]string, len(evidence))
	for i, payload := range evidence {
		out[i] = describeEvidence(payload)
	}
	return out
}

// describeEvidence returns a message in hex, or the hash of a message that is too large for the log.
func describeEvidence(payload []byte) string {
	if len(payload) > messages.MaxSmall {
		return fmt.Sprintf("%d bytes with keccak256 %#x", len(payload), crypto.Keccak256(payload))
	}
	return hexutil.Encode(payload)
}

// contradictions are the faults that two messages show, and what evidence calls them.
var contradictions = map[core.Fault]evidence.Kind{
	core.ProposalEquivocation:    evidence.TwoProposals,
	core.PrepareEquivocation:     evidence.TwoPrepares,
	core.CommitEquivocation:      evidence.TwoCommits,
	core.RoundChangeEquivocation: evidence.TwoRoundChanges,
}

// because returns the reason of an accusation. Each node is wrong by the rules of a node with another configuration.
func (r *run) because(reason string) string {
	if r.cfg.Cause == nil {
		return reason
	}
	return reason + r.cfg.Cause()
}

// keepContradiction queues contradictory messages as evidence and reports whether they were queued. Other faults are no
// evidence.
func (r *run) keepContradiction(e core.Misbehavior) bool {
	kind, ok := contradictions[e.Kind]
	return ok && r.keepEvidence(kind, e.Author, e.Evidence, e.Headers)
}

// keepEvidence queues two messages of the current sequence for the recorder. It never blocks.
func (r *run) keepEvidence(kind evidence.Kind, signer common.Address, pair [][]byte, headers []*types.Header) bool {
	if r.recorder == nil || len(pair) != 2 {
		return false
	}
	return r.recorder.Report(time.Now(), evidence.Report{
		Kind: kind, Signer: signer, Pair: [2][]byte(pair), Headers: headers,
		Court: evidence.Court{Set: r.set, Genesis: r.cfg.Chain.Genesis().Hash(), Parent: r.head.Hash()},
	})
}
