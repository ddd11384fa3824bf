// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package main

import (
	"fmt"
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/rlp"

	"gwon/consensus/wbft/messages"
)

// played is a network of four, of which validator 2 is the node of a case. Validator 1 proposes block 10.
type played struct {
	*stage
	t *testing.T
}

func newPlayed(t *testing.T) *played {
	t.Helper()
	s, err := newStage()
	if err != nil {
		t.Fatal(err)
	}
	head := s.child(&types.Header{Number: big.NewInt(8), Difficulty: common.Big1, UncleHash: types.EmptyUncleHash})
	s.head = head.Header()
	s.block = s.child(s.head)
	return &played{s, t}
}

// initial is the node at its start, with connections to these validators.
func (p *played) initial(peers ...int) record {
	validators := []any{}
	for i := range p.set.Len() {
		v := p.set.At(i)
		validators = append(validators, record{"address": addressItem(v.Address), "bls_public_key": toHex(v.Key.Bytes())})
	}
	return record{
		"validators": validators, "proposer_policy": "0", "node_key": toHex(crypto.FromECDSA(p.keys[2])),
		"head": p.encoded(types.NewBlockWithHeader(p.head)), "engine": "running",
		"app": record{
			"invalid_proposals": []any{}, "future_proposals": []any{}, "bad_blocks": []any{}, "finalize": "ok",
		},
		"peers": listOf(peers, func(i int) any { return addressItem(p.set.At(i).Address) }),
	}
}

func (p *played) encoded(block *types.Block) string {
	p.t.Helper()
	encoded, err := rlp.EncodeToBytes(block)
	if err != nil {
		p.t.Fatal(err)
	}
	return toHex(encoded)
}

// message is a step in which a validator's message comes, by a peer or without a connection.
func (p *played) message(author int, m messages.Message, by ...int) any {
	p.t.Helper()
	if err := messages.Sign(m, p.keys[author]); err != nil {
		p.t.Fatal(err)
	}
	r := record{"kind": "message", "code": decimal(m.Code()), "payload": toHex(m.Encode())}
	if len(by) > 0 {
		r["kind"], r["peer"] = "frame", addressItem(p.set.At(by[0]).Address)
	}
	return r
}

func (p *played) ballot(code uint64, author int, by ...int) any {
	return p.message(author, p.vote(code, author, 10, 0, p.block.Header()), by...)
}

func (p *played) proposed(by ...int) any {
	return p.message(1, &messages.PrePrepare{Sequence: 10, Block: p.block}, by...)
}

// records returns the records of a case after that of the start.
func (p *played) records(handler string, input record) (list []map[string]any) {
	p.t.Helper()
	r := ask(p.t, handler, input)
	if r.Status != statusOK {
		p.t.Fatalf("%s: %s", r.Status, r.Message)
	}
	steps, _ := given(r, "steps").([]any)
	for _, step := range steps {
		list = append(list, step.(map[string]any))
	}
	return list
}

// told is a record in short.
func told(r map[string]any) string {
	state, _ := r["state"].(map[string]any)
	sent := []string{}
	for _, m := range r["sent"].([]any) {
		sent = append(sent, m.(map[string]any)["type"].(string))
	}
	view := state["view"].(map[string]any)
	text := fmt.Sprintf("%v %v.%v %v sent %v", r["check"], view["sequence"], view["round"], state["state"], sent)
	for _, key := range []string{"prepares", "commits", "extra_prepare_seals", "extra_commit_seals"} {
		text += fmt.Sprintf(" %d", len(state[key].([]any)))
	}
	if r["finalized"] != nil {
		text += " decided"
	}
	return text
}

// A height without a fault is told step by step in the variables of the reference. Own messages are in them from the
// step that delivers them.
func TestRounds(t *testing.T) {
	p := newPlayed(t)
	const prepare, commit = messages.CodePrepare, messages.CodeCommit
	got := p.records("state_machine/rounds", record{"initial": p.initial(), "steps": []any{
		p.proposed(), p.ballot(prepare, 2), p.ballot(prepare, 1), p.ballot(prepare, 3), p.ballot(commit, 2),
		p.ballot(prepare, 0), p.ballot(commit, 1), p.ballot(commit, 3),
		record{"kind": "head", "block": p.encoded(p.block), "notify": true},
		record{"kind": "round_timeout"},
		p.message(2, roundChangeTo(11, 1)),
	}})
	want := []string{
		"PROCESS 10.0 Preprepared sent [PREPARE] 0 0 0 0",
		"PROCESS 10.0 Preprepared sent [] 1 0 0 0",
		"PROCESS 10.0 Preprepared sent [] 2 0 0 0",
		"PROCESS 10.0 Prepared sent [COMMIT] 3 0 0 0",
		"PROCESS 10.0 Prepared sent [] 3 1 0 0",
		"EXTRA_SEAL 10.0 Prepared sent [] 3 1 1 0",
		"PROCESS 10.0 Prepared sent [] 3 2 1 0",
		"PROCESS 10.0 Committed sent [] 3 3 1 0 decided",
		"<nil> 11.0 AcceptRequest sent [] 0 0 4 3",
		"<nil> 11.1 AcceptRequest sent [ROUND_CHANGE] 0 0 4 3",
		"PROCESS 11.1 AcceptRequest sent [] 0 0 4 3",
	}
	for i := range want {
		if i >= len(got) || told(got[i]) != want[i] {
			t.Fatalf("step %d: %q, want %q", i, told(got[i]), want[i])
		}
	}
	sealed := got[7]["finalized"].(map[string]any)["committed_seals"].([]any)
	if len(sealed) != 3 || sealed[2].(map[string]any)["sealer"] != "3" {
		t.Errorf("sealed by %v", sealed)
	}
	timers := got[9]["timers"].([]any)
	if len(timers) != 2 || timers[1].(map[string]any)["kind"] != "retry" || got[9]["new_round"].([]any)[0] != "1" {
		t.Errorf("after the time-out: timers %v, rounds %v", timers, got[9]["new_round"])
	}
}

// A ROUND-CHANGE is repeated until there is a proposal. The proposer is sent it in other bytes too, and a timer that
// the proposal has ended does nothing. Both are explained, and nothing else is.
func TestRepeatedRoundChanges(t *testing.T) {
	p := newPlayed(t)
	again := record{"kind": "retry_timeout", "round": "2"}
	justified, err := p.proposal(10, 2, p.block)
	if err != nil {
		t.Fatal(err)
	}
	input := record{"initial": p.initial(), "steps": []any{
		record{"kind": "round_timeout"}, record{"kind": "round_timeout"}, again, p.message(3, justified), again,
	}}
	got := p.records("state_machine/rounds", input)
	for i, want := range []string{
		"<nil> 10.1 AcceptRequest sent [ROUND_CHANGE] 0 0 0 0",
		"<nil> 10.2 AcceptRequest sent [ROUND_CHANGE] 0 0 0 0",
		"<nil> 10.2 AcceptRequest sent [ROUND_CHANGE ROUND_CHANGE] 0 0 0 0",
		"PROCESS 10.2 Preprepared sent [PREPARE] 0 0 0 0",
		"<nil> 10.2 Preprepared sent [] 0 0 0 0",
	} {
		if told(got[i]) != want {
			t.Errorf("step %d: %q, want %q", i, told(got[i]), want)
		}
	}
	// As the reference has it: the same bytes once, and once more after the proposal.
	fields, r := jsonOf(t, input), ask(t, "state_machine/rounds", input)
	for name, explains := range map[string]bool{"reference": true, "another message": false} {
		expected := ask(t, "state_machine/rounds", input).Output.(map[string]any)
		steps := expected["steps"].([]any)
		repeated := steps[2].(map[string]any)
		repeated["sent"] = repeated["sent"].([]any)[:1]
		last := steps[4].(map[string]any)
		last["sent"], last["timers"] = repeated["sent"], repeated["timers"]
		if !explains {
			repeated["sent"].([]any)[0].(map[string]any)["round"] = "3"
		}
		o := compare(vector{runner: "state_machine", handler: "rounds", input: fields, expected: expected}, r)
		if (o.verdict == explained) != explains {
			t.Errorf("%s: verdict %d, %s", name, o.verdict, o.detail)
		}
	}
}

// Timers have numbers by their kind, in the order in which they were set. Those that others have replaced do nothing.
func TestTimersByNumber(t *testing.T) {
	p := newPlayed(t)
	justified, err := p.proposal(10, 2, p.block)
	if err != nil {
		t.Fatal(err)
	}
	expiry := func(kind, number string) record { return record{"kind": kind, "round": "2", "timer": number} }
	got := p.records("state_machine/rounds", record{"initial": p.initial(), "steps": []any{
		p.proposed(), expiry("round_timeout", "0"), expiry("round_timeout", "1"), record{"kind": "round_timeout"},
		p.message(3, justified), expiry("retry_timeout", "1"), expiry("round_timeout", "3"), expiry("round_timeout", "4"),
	}})
	for i, want := range []string{
		"PROCESS 10.0 Preprepared sent [PREPARE] 0 0 0 0",
		"<nil> 10.0 Preprepared sent [] 0 0 0 0",
		"<nil> 10.1 AcceptRequest sent [ROUND_CHANGE] 0 0 0 0",
		"<nil> 10.2 AcceptRequest sent [ROUND_CHANGE] 0 0 0 0",
		"PROCESS 10.2 Preprepared sent [PREPARE] 0 0 0 0",
		"<nil> 10.2 Preprepared sent [] 0 0 0 0",
		"<nil> 10.2 Preprepared sent [] 0 0 0 0",
		"<nil> 10.3 AcceptRequest sent [ROUND_CHANGE] 0 0 0 0",
	} {
		if told(got[i]) != want {
			t.Errorf("step %d: %q, want %q", i, told(got[i]), want)
		}
	}
}

// What peers are sent is told with the peers that were sent it. The author is the one whom the reference relays to
// besides, and that is explained. Another receiver is not.
func TestReceiveOutcome(t *testing.T) {
	p := newPlayed(t)
	input := record{"initial": p.initial(0, 1, 3), "steps": []any{
		p.proposed(3), p.ballot(messages.CodePrepare, 2), p.proposed(0), p.ballot(messages.CodePrepare, 1, 3),
	}}
	got := p.records("network/receive_outcome", input)
	names := make(map[any]string)
	for i := range p.set.Len() {
		names[addressItem(p.set.At(i).Address)] = fmt.Sprint(i)
	}
	list := func(value any) string {
		of, isList := value.([]any)
		if !isList {
			return "none"
		}
		var out []string
		for _, a := range of {
			out = append(out, names[a])
		}
		slices.Sort(out)
		return strings.Join(out, " ")
	}
	for i, want := range []struct{ outcome, relayed string }{
		{"ACCEPT", "0"}, {"<nil>", ""}, {"DROP_SILENT", "none"}, {"ACCEPT", "0"},
	} {
		if outcome := fmt.Sprint(got[i]["outcome"]); outcome != want.outcome || list(got[i]["relay_to"]) != want.relayed {
			t.Errorf("step %d: %s, relayed to %q, want %+v", i, outcome, list(got[i]["relay_to"]), want)
		}
	}
	if to := list(got[0]["sent"].([]any)[0].(map[string]any)["to"]); to != "0 1 3" {
		t.Errorf("the PREPARE went to %q", to)
	}

	fields := jsonOf(t, input)
	for author, explains := range map[int]bool{1: true, 2: false} {
		r := ask(t, "network/receive_outcome", input)
		expected := ask(t, "network/receive_outcome", input).Output.(map[string]any)
		last := expected["steps"].([]any)[3].(map[string]any)
		last["relay_to"] = append(last["relay_to"].([]any), addressItem(p.set.At(author).Address))
		o := compare(vector{runner: "network", handler: "receive_outcome", input: fields, expected: expected}, r)
		if (o.verdict == explained) != explains {
			t.Errorf("relayed to validator %d besides: verdict %d, %s", author, o.verdict, o.detail)
		}
	}
}

// What a core has no variable for makes a case one without support, with the reason.
func TestUnsupportedSteps(t *testing.T) {
	p := newPlayed(t)
	future := p.initial()
	future["app"].(record)["future_proposals"] = []any{hashItem(p.block.Hash())}
	for reason, input := range map[string]record{
		"before its time": {"initial": p.initial(), "steps": []any{p.ballot(messages.CodePrepare, 1)}},
		`kind "stop"`:     {"initial": p.initial(), "steps": []any{record{"kind": "stop"}}},
		"completed a quorum": {"initial": p.initial(), "steps": []any{
			p.proposed(), p.ballot(messages.CodePrepare, 1), p.ballot(messages.CodePrepare, 3),
		}},
		"has not set":  {"initial": p.initial(), "steps": []any{record{"kind": "round_timeout", "timer": "7"}}},
		"did not send": {"initial": p.initial(), "steps": []any{p.ballot(messages.CodeCommit, 2)}},
		"hides from":   {"initial": future, "steps": []any{}},
	} {
		if r := ask(t, "state_machine/rounds", input); r.Status != statusUnsupported || !strings.Contains(r.Message, reason) {
			t.Errorf("%s: %s %s", reason, r.Status, r.Message)
		}
	}
}

// The lists of a message hold encodings. In what is sent they are in the order of their bytes.
func TestListsOfMessages(t *testing.T) {
	p := newPlayed(t)
	m, err := p.proposal(10, 1, p.block)
	if err != nil {
		t.Fatal(err)
	}
	step := p.message(2, m).(record)
	r := ask(t, "encoding/message_codec", record{"code": step["code"], "payload": step["payload"]})
	list, _ := given(r, "justification_round_changes").([]any)
	if given(r, "type") != "PREPREPARE" || len(list) != 3 || given(r, "encoded") != step["payload"] {
		t.Fatalf("%s: type %v, lists %v", r.Message, given(r, "type"), list)
	}
	for i, c := range m.RoundChanges {
		if list[i] != toHex(c.Encode()) {
			t.Errorf("ROUND-CHANGE %d is %v", i, list[i])
		}
	}
	fields, err := writeMessage(m)
	if err != nil {
		t.Fatal(err)
	}
	sent := inOrder(fields)
	list = sent["justification_round_changes"].([]any)
	if sent["encoded"] != nil || !slices.IsSortedFunc(list, func(a, b any) int {
		return strings.Compare(a.(string), b.(string))
	}) {
		t.Errorf("sent with the lists %v, encoded %v", list, sent["encoded"])
	}
}
