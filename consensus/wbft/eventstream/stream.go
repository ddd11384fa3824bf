// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package eventstream

import (
	"context"
	"crypto/sha256"
	"fmt"
	"log/slog"
	"strconv"
	"strings"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/log"

	"gwon/consensus/wbft/core"
	"gwon/consensus/wbft/messages"
	"gwon/consensus/wbft/recording"
	"gwon/consensus/wbft/validators"
)

// Improvements names the deliberate differences from what checkers of events expect (docs/consensus.md, Events). A
// strict core has none.
var Improvements = []string{
	"round-timer-waits-for-quorum",  // SM-030, TIMER-010
	"absent-proposer-short-timer",   // TIMER-002, TIMER-005, TIMER-010
	"only-proposer-builds",          // TIMER-041
	"deferred-relay",                // SM-011
	"timer-restarts-before-verdict", // SM-039
}

// Stream is the writer of the events of a validator.
type Stream struct {
	lines
	build  string
	origin time.Time // of the monotonic times

	// The current call.
	at       time.Time
	step     *uint64 // nil outside of a step
	cause    string  // of the entry of a round
	watchdog bool    // its timer has fired

	// The run of the core.
	node      common.Address
	engineRun uint64
	steps     uint64
	head      *core.Head
	view      messages.View
	state     core.State
	handed    common.Hash // block of the last hand-over
	timers    map[core.TimerKind]uint64
	known     map[uint64]core.TimerKind // timers of the sequence by their numbers
	guard     uint64                    // number of the watchdog
	restart   struct {                  // of the round timer
		step uint64
		at   time.Time
	}
	asked map[common.Hash]*asked // proposals of the sequence
}

// asked is a proposal without a verdict, or with one.
type asked struct {
	step, time uint64   // of the execution
	outcomes   []fields // of messages that wait for the verdict
}

// ask returns what is known about a proposal.
func (s *Stream) ask(hash common.Hash) *asked {
	a := s.asked[hash]
	if a == nil {
		a = new(asked)
		s.asked[hash] = a
	}
	return a
}

// judge tells the outcomes of the messages with a proposal.
func (s *Stream) judge(a *asked, effects []core.Effect) {
	for _, f := range a.outcomes {
		s.decide(f, effects)
	}
	a.outcomes = nil
}

// New returns a stream that appends to a file, and refuses one of something else. It opens the file with the first
// record.
func New(path, build string) (*Stream, error) {
	now := time.Now()
	s := &Stream{
		lines: lines{path: path, run: strconv.FormatInt(now.UnixNano(), 36), largest: maxFile}, build: build, origin: now,
		timers: make(map[core.TimerKind]uint64), asked: make(map[common.Hash]*asked),
	}
	return s, s.check()
}

// WantsStart implements recording.Writer.
func (s *Stream) WantsStart() bool { return false }

// WantsNotes implements recording.Writer.
func (s *Stream) WantsNotes() bool { return true }

// Idle implements recording.Writer.
func (s *Stream) Idle() { s.flush() }

// Close implements recording.Writer.
func (s *Stream) Close() error {
	if s.engineRun > 0 {
		s.at, s.step = time.Now(), nil
		s.emit("NODE_STOP", fields{})
	}
	return s.close()
}

// emit adds a record of the current call.
func (s *Stream) emit(kind string, f fields) {
	if s.step != nil {
		f["step"] = *s.step
	}
	s.add(kind, address(s.node), s.at, s.at.Sub(s.origin), f)
}

func address(a common.Address) string { return strings.ToLower(a.Hex()) }

func decimal(n uint64) string { return strconv.FormatUint(n, 10) }

func viewOf(v messages.View) map[string]string {
	return map[string]string{"seq": decimal(v.Sequence), "round": decimal(v.Round)}
}

// Write implements recording.Writer.
func (s *Stream) Write(c *recording.Call) {
	if c.Lost > 0 {
		s.skip(c.Lost)
	}
	s.at, s.step, s.watchdog = c.At, nil, false
	switch in := c.Input.(type) {
	case recording.Begin:
		s.begin(in, c.Start)
	case recording.End:
		for _, kind := range []core.TimerKind{core.RoundTimer, core.RetryTimer, core.ProposalTimer} {
			s.cancel(kind) // TIMER-018
		}
		s.emit("ENGINE_STOP", fields{"engine_run": s.engineRun, "reason": "stop"})
		s.flush()
	case recording.Committed:
		s.committed(in)
	case recording.StillNeeded:
		for _, r := range c.Relays {
			s.send(r.Code, r.Payload, "relay")
		}
	case core.Event:
		s.input(in, c.Effects)
		for i, e := range c.Effects {
			s.effect(in, e, c.Effects[i+1:])
		}
	}
}

// begin tells of the start of the core.
func (s *Stream) begin(in recording.Begin, start *core.StartState) {
	s.node = in.Validator
	votes, recovery := 0, "complete"
	for _, sequence := range start.Log.Sequences {
		votes += len(sequence.Votes)
	}
	if start.Log.Lost {
		recovery = "lost"
	} else if !start.Log.Complete {
		recovery = "incomplete"
	}
	improvements := Improvements
	if in.Strict {
		improvements = []string{}
	}
	if s.engineRun == 0 {
		s.emit("NODE_START", fields{
			"impl": "gwon/" + s.build, "mode": "validator", "profile": "compat", "sign_floor": decimal(start.Log.LowWatermark),
			"wal_recovery": recovery, "improvements": improvements, "log_profile": "none",
		})
		s.emit("LOG_CONFIG", fields{"level": level(), "modules": map[string]string{}, "source": "start"})
	}
	s.engineRun++
	s.steps, s.head, s.view, s.state, s.guard, s.handed = 0, nil, messages.View{}, core.AcceptRequest, 0, common.Hash{}
	s.restart.at = time.Time{}
	clear(s.timers)
	clear(s.asked)
	s.emit("ENGINE_START", fields{
		"engine_run": s.engineRun, "reason": "start",
		"replay": map[string]any{"records": votes, "replayed": votes > 0, "stopped": nil},
	})
}

// level returns the level of the log.
func level() string {
	for _, l := range []struct {
		level slog.Level
		name  string
	}{{log.LevelTrace, "trace"}, {log.LevelDebug, "debug"}, {log.LevelInfo, "info"}, {log.LevelWarn, "warn"}} {
		if log.Root().Enabled(context.Background(), l.level) {
			return l.name
		}
	}
	return "error"
}

// committed tells of the import of a decided block.
func (s *Stream) committed(in recording.Committed) {
	s.emit("COMMIT_RESULT", fields{
		"number": decimal(in.Number), "hash": in.Hash.Hex(), "ok": in.OK, "duration_ms": in.Took.Milliseconds(),
	})
	if !in.OK {
		s.emit("IMPORT_FAIL", fields{
			"number": decimal(in.Number), "hash": in.Hash.Hex(), "error": "the block is not the head, see the log",
		})
	}
}

// input tells of an event, and numbers its step. A verdict shares the step of the proposal, which restarts the timer.
func (s *Stream) input(in core.Event, effects []core.Effect) {
	step := s.steps
	s.steps++
	s.cause = "f_plus_one"
	switch in := in.(type) {
	case core.Validated:
		s.step = &step
		if a := s.asked[in.Hash]; a != nil {
			step = a.step
			if in.Err == nil || !in.Local && in.RetryAfter == 0 {
				s.judge(a, effects)
			}
		}
	case core.NewHead:
		s.step = &step
		s.newHead(in)
	case core.Timeout:
		s.step, s.cause = &step, "timeout"
		s.fired(in.ID)
	case core.Candidate:
		s.step = &step
		s.emit("PROPOSAL_SUBMITTED", fields{"number": decimal(in.Block.NumberU64())})
	case core.Message:
		s.step = &step
		s.outcome(in.Code, in.Payload, in.From, "direct", effects)
	default:
		s.step = &step
	}
}

// newHead tells of a head that is new.
func (s *Stream) newHead(in core.NewHead) {
	number, hash := in.Header.Number.Uint64(), in.Header.Hash()
	s.cause = "new_head"
	if s.head == nil {
		s.cause = "start"
	} else if s.head.Header.Hash() == hash {
		return
	}
	path := "imported"
	switch {
	case hash == s.handed:
		path = "sealed_locally"
	case s.head != nil && number > s.head.Header.Number.Uint64()+1:
		path = "synced"
	}
	f := fields{"number": decimal(number), "hash": hash.Hex(), "path": path, "round": decimal(0), "sealers": []int{}}
	if x, err := in.Header.WBFTExtra(); err == nil {
		f["round"] = decimal(uint64(x.Round))
		if s.head != nil { // the set of the block that a node starts with is not known
			f["sealers"] = sealers(x.CommittedSeal, s.head.Set)
		}
	}
	if s.head == nil || number >= s.head.Header.Number.Uint64() {
		for _, a := range s.asked {
			s.judge(a, []core.Effect{core.Dropped{Reason: "the sequence has ended without a verdict"}})
		}
		s.head, s.asked, s.known = &in.Head, make(map[common.Hash]*asked), make(map[uint64]core.TimerKind)
	}
	s.emit("NEW_HEAD", f)
}

// sealers returns the indices of a seal.
func sealers(seal *types.WBFTSeal, set *validators.Set) []int {
	if seal == nil {
		return []int{}
	}
	list, err := validators.DecodeSealers(seal.Sealers, set.Len())
	if err != nil {
		return []int{} // of another set, after a jump of the chain
	}
	return list
}

var timerNames = map[core.TimerKind]string{
	core.RoundTimer: "round", core.RetryTimer: "retry", core.ProposalTimer: "future",
}

// fired tells of a timer. The watchdog after a decision is none of the protocol's timers.
func (s *Stream) fired(id uint64) {
	if id == s.guard {
		s.watchdog, s.cause = true, "finalize_fail"
		return
	}
	kind, known := s.known[id]
	if !known {
		return
	}
	stale := s.timers[kind] != id
	if !stale {
		delete(s.timers, kind)
	}
	s.emit("TIMER_FIRE", fields{"timer": timerNames[kind], "gen": id, "engine_run": s.engineRun, "stale": stale})
}

func (s *Stream) cancel(kind core.TimerKind) {
	if id, running := s.timers[kind]; running {
		delete(s.timers, kind)
		s.emit("TIMER_CANCEL", fields{"timer": timerNames[kind], "gen": id, "engine_run": s.engineRun})
	}
}

// arm tells of a timer that was set.
func (s *Stream) arm(e core.SetTimer) {
	if e.Kind == core.RoundTimer && s.state == core.Committed {
		s.guard = e.ID
		return
	}
	s.cancel(e.Kind)
	s.timers[e.Kind] = e.ID
	if e.Kind == core.RoundTimer && s.step != nil {
		s.restart.step, s.restart.at = *s.step, s.at
	}
	if s.known != nil {
		s.known[e.ID] = e.Kind
	}
	f := fields{
		"view": viewOf(s.view), "timer": timerNames[e.Kind], "gen": e.ID, "engine_run": s.engineRun,
		"duration_ms": e.Delay.Milliseconds(), "deadline_mono_ns": s.at.Add(e.Delay).Sub(s.origin).Nanoseconds(),
	}
	if e.Kind == core.RetryTimer {
		f["target_round"] = decimal(s.view.Round)
	}
	s.emit("TIMER_ARM", f)
}

// effect tells of an effect. rest are those after it.
func (s *Stream) effect(in core.Event, e core.Effect, rest []core.Effect) {
	switch e := e.(type) {
	case core.Note:
		s.note(e, rest)
	case core.SetTimer:
		s.arm(e)
	case core.Send:
		s.send(e.Code, e.Payload, causeOf(in, e))
		if !e.Force {
			s.outcome(e.Code, e.Payload, s.node, "self", nil)
		}
	case core.Relay:
		if e.To != nil {
			s.send(e.Code, e.Payload, "relay")
		}
	case core.Execute:
		a := s.ask(e.Block.Hash())
		a.step, a.time = *s.step, e.Block.Time()
	case core.Build:
		if e.Proposer {
			s.requestBuild(e)
		}
	case core.Commit:
		s.handed = e.Block.Hash()
		f := fields{"number": decimal(e.Block.NumberU64()), "hash": s.handed.Hex(), "round": decimal(e.Round)}
		if x, err := e.Block.Header().WBFTExtra(); err == nil {
			f["prepared_sealers"] = sealers(x.PreparedSeal, s.head.Set)
			f["committed_sealers"] = sealers(x.CommittedSeal, s.head.Set)
		}
		s.emit("FINALIZE_HANDOVER", f)
	case core.Misbehavior:
		s.emit("EVIDENCE", fields{"evidence_kind": string(e.Kind), "source": address(e.Author), "view": viewOf(s.view)})
	case core.Disconnect:
		s.emit("HEALTH", fields{"what": "peer_inbound_disconnect"})
	}
}

// requestBuild tells that a block was asked for.
func (s *Stream) requestBuild(e core.Build) {
	wait := time.Duration(0)
	if e.Round == 0 {
		due := time.Unix(int64(s.head.Header.Time), 0).Add(s.head.Params.BlockPeriod)
		wait = max(due.Sub(s.at), 0)
	}
	s.emit("BUILD_REQUEST", fields{
		"view":    viewOf(messages.View{Sequence: e.Sequence, Round: e.Round}),
		"round":   decimal(e.Round),
		"wait_ms": wait.Milliseconds(),
	})
}

// causeOf returns why an own message is sent.
func causeOf(in core.Event, e core.Send) string {
	if !e.Force {
		return "broadcast"
	}
	switch in.(type) {
	case core.Timeout:
		if e.To == nil {
			return "retry"
		}
	case core.PeerConnected:
		return "reconnect"
	case core.NewHead:
		return "replay"
	}
	if e.To == nil {
		return "replay"
	}
	return "direct"
}

// send tells of a message that is sent.
func (s *Stream) send(code uint64, payload []byte, cause string) {
	s.emit("SEND", fields{
		"code": code, "cause": cause, "dedup_key": messages.KnownHash(payload).Hex(),
		"payload_sha256": fmt.Sprintf("%#x", sha256.Sum256(payload)),
	})
}

var stateNames = map[core.State]string{
	core.AcceptRequest: "AcceptRequest", core.PrePrepared: "Preprepared", core.Prepared: "Prepared",
	core.Committed: "Committed",
}

// note tells what a note tells.
func (s *Stream) note(n core.Note, rest []core.Effect) {
	switch n.Kind {
	case core.NoteRound:
		s.enter(n)
	case core.NoteState:
		s.state = n.To
		s.emit("STATE", fields{"view": viewOf(n.View), "from": stateNames[n.From], "to": stateNames[n.To]})
	case core.NoteStopped:
		if s.state != core.Committed || n.Timer != core.RoundTimer {
			s.cancel(n.Timer)
		}
	case core.NoteAccepted:
		f := fields{"view": viewOf(n.View), "digest": n.Digest.Hex(), "proposer": address(n.Author)}
		if a := s.asked[n.Digest]; a != nil {
			f["block_time"] = a.time
		}
		if s.step != nil && s.restart.step == *s.step && !s.restart.at.IsZero() {
			defer func(at time.Time) { s.at = at }(s.at)
			s.at = s.restart.at // TIMER-012: the timer restarted in this step, before the verdict
		}
		s.emit("PREPREPARE_ACCEPT", f)
	case core.NotePostponed:
		s.emit("PROPOSAL_DEFERRED", fields{"view": viewOf(n.View), "digest": n.Digest.Hex()})
	case core.NoteQuorum:
		what := map[uint64]string{
			messages.CodePrepare: "PREPARE", messages.CodeCommit: "COMMIT", messages.CodeRoundChange: "ROUND_CHANGE",
		}[n.Code]
		s.quorum(n, what, s.head.Set.Quorum())
	case core.NoteJoin:
		s.quorum(n, "F_PLUS_ONE", s.head.Set.JoinCount())
	case core.NoteKept:
		s.emit("BACKLOG", fields{"op": "push", "code": n.Code, "source": address(n.Author)})
	case core.NoteDue:
		s.emit("BACKLOG", fields{"op": "pop", "code": n.Code, "source": address(n.Author)})
		via := "backlog"
		if n.Code == messages.CodePrePrepare {
			via = "future_block"
		}
		s.outcome(n.Code, n.Payload, n.Peer, via, rest)
	case core.NoteLateSeal:
		kind := "prepare"
		if n.Code == messages.CodeCommit {
			kind = "commit"
		}
		s.emit("EXTRA_SEAL", fields{
			"op": "store", "seal_type": kind, "source": address(n.Author), "target": decimal(n.View.Sequence),
		})
	case core.NoteRefused:
		s.emit("HEALTH", fields{"what": "privval_refusal"})
	case core.NoteInactive:
		s.emit("HEALTH", fields{"what": "sign_floor_skip"})
	}
}

// enter tells of the entry of a round.
func (s *Stream) enter(n core.Note) {
	s.view = n.View
	branch := "ROUND_CHANGE"
	switch {
	case n.View.Round == 0:
		branch = "INITIAL"
	case s.cause == "f_plus_one":
		branch = "CATCH_UP"
	}
	var all []byte
	for _, a := range s.head.Set.Addresses() {
		all = append(all, a[:]...)
	}
	s.emit("ROUND_ENTER", fields{
		"view": viewOf(n.View), "branch": branch, "cause": s.cause, "requested_round": decimal(n.View.Round),
		"is_proposer": n.Author == s.node, "proposer": address(n.Author), "valset_digest": crypto.Keccak256Hash(all).Hex(),
	})
}

func (s *Stream) quorum(n core.Note, what string, quorum int) {
	s.emit("QUORUM", fields{"view": viewOf(n.View), "what": what, "count": n.Count, "quorum": quorum})
}
