// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package core

import (
	"slices"
	"testing"

	"gwon/consensus/wbft/messages"
	"gwon/internal/expect"
	"gwon/internal/must"
)

// A validator that sends its own ROUND-CHANGE to a lower round is sent this node's one, once for each of its rounds,
// in bytes that are new to it.
// spec: wbft 5.4, 9.2
func TestAnswersValidatorBehind(t *testing.T) {
	f := newFixture(t, 4)
	p := f.player(2).toRound(11)
	seen := []string{string(p.sends(messages.CodeRoundChange)[0].Payload)}
	from := func(deliverer, author int, round uint64) {
		p.do(
			Message{
				Code:    messages.CodeRoundChange,
				Payload: f.roundChange(author, round, nil).Encode(),
				From:    f.address(deliverer),
			},
		)
	}
	for _, test := range []struct {
		name              string
		deliverer, author int
		round             uint64
		answered          bool
	}{
		{"in the first round", 0, 0, 1, true},
		{"the same again", 0, 0, 1, false},
		{"passed on by another one", 1, 0, 2, false},
		{"a round later", 0, 0, 3, true},
		{"another one", 1, 1, 2, true},
		{"a round before", 0, 0, 2, false},
		{"the last form", 0, 0, 4, true},
		{"no form is left", 0, 0, 5, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			from(test.deliverer, test.author, test.round)
			sent := p.sends(messages.CodeRoundChange)
			must.Equal(t, len(sent) > 0, test.answered, "answered")
			if !test.answered {
				return
			}
			expect.That(t, slices.Equal(sent[0].To, f.addresses(test.author)) && sent[0].Force, "sent to %v", sent[0].To)
			if test.author == 0 {
				expect.That(t, !slices.Contains(seen, string(sent[0].Payload)), "in bytes that it was sent before")
				seen = append(seen, string(sent[0].Payload))
			}
		})
	}
	p = f.player(2).toRound(12)
	from(0, 0, 1)
	expect.That(t, len(p.sends(messages.CodeRoundChange)) == 0, "answered a validator that would drop the answer")
}
