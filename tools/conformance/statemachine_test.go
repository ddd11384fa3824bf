// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package main

import (
	"fmt"
	"testing"

	"gwon/consensus/wbft/core"
	"gwon/consensus/wbft/messages"
)

// referenceClass is the table of spec wbft 5.4, for a node in round 2 of sequence 10 whose head was sealed in round 1.
func referenceClass(state core.State, code uint64, view messages.View) string {
	at := messages.View{Sequence: 10, Round: 2}
	switch {
	case view.Sequence > 11, view.Sequence == 11 && view.Round >= 10, view.Sequence == 10 && view.Round > 12:
		return classTooFar
	case code == messages.CodeRoundChange && view.Sequence == 11:
		return classFuture
	case code == messages.CodeRoundChange && view.Cmp(at) < 0:
		return classOld
	case code == messages.CodeRoundChange:
		return classProcess
	case view.Cmp(at) > 0:
		return classFuture
	case view == messages.View{Sequence: 9, Round: 1} && state == core.AcceptRequest:
		return classExtraSeal
	case view.Cmp(at) < 0:
		return classOld
	}
	return map[uint64][]string{
		messages.CodePrePrepare: {classProcess, classInvalid, classInvalid, classInvalid},
		messages.CodePrepare:    {classFuture, classProcess, classExtraSeal, classExtraSeal},
		messages.CodeCommit:     {classFuture, classFuture, classProcess, classExtraSeal},
	}[code][state]
}

// A core takes a message as the table says, or in a way that is listed as a deviation. spec: wbft 5.4
func TestCheckMessage(t *testing.T) {
	views := []messages.View{
		{Sequence: 8, Round: 1}, {Sequence: 9, Round: 0}, {Sequence: 9, Round: 1}, {Sequence: 9, Round: 2},
		{Sequence: 10, Round: 0},
		{Sequence: 10, Round: 1}, {Sequence: 10, Round: 2}, {Sequence: 10, Round: 3}, {Sequence: 10, Round: 12},
		{Sequence: 10, Round: 13},
		{Sequence: 11, Round: 0}, {Sequence: 11, Round: 9}, {Sequence: 11, Round: 10}, {Sequence: 12, Round: 0},
	}
	counts := make(map[verdict]int)
	for name, state := range stateNames {
		for code := messages.CodePrePrepare; code <= messages.CodeRoundChange; code++ {
			for _, view := range views {
				t.Run(fmt.Sprintf("%s/%#x/%v", name, code, view), func(t *testing.T) {
					input := jsonOf(t, record{
						"view": record{"sequence": "10", "round": "2"}, "state": name, "prior_round": "1", "code": decimal(code),
						"message_view": record{"sequence": decimal(view.Sequence), "round": decimal(view.Round)},
					})
					v := vector{
						runner: "state_machine", handler: "check_message", input: input,
						expected: record{"result": referenceClass(state, code, view)},
					}
					o := compare(v, ask(t, "state_machine/check_message", input))
					if counts[o.verdict]++; o.verdict != passed && o.verdict != explained {
						t.Error(o.detail)
					}
				})
			}
		}
	}
	if counts[passed] < 3*counts[explained] {
		t.Errorf("%d classes are the table's and %d are explained: too much is explained away", counts[passed],
			counts[explained])
	}
}
