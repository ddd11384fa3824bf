// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package standby

import (
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"gwon/internal/expect"
	"gwon/internal/must"
)

var (
	own    = common.Address{0xaa}
	theirs = common.Address{0xbb}
	other  = common.Address{0xcc}
	now    = time.Unix(1_800_000_000, 0)
)

// absent is a look at a chain that a quorum of others seals.
func absent() *View {
	return &View{
		Time: now, Head: 1000, HeadTime: now, Node: own, Validator: theirs, From: 971,
		First: []common.Address{theirs, other}, Next: []common.Address{other, theirs},
		Signs: map[common.Address]uint64{other: 60, theirs: 0}, Sealed: map[common.Address]uint64{other: 30},
	}
}

// A stand-by takes the place of a validator only when sealed blocks show its absence, and never by what a partition, a
// standing chain, a wrong clock or a pending change of the set looks like.
func TestDecide(t *testing.T) {
	for _, c := range []struct {
		name   string
		edit   func(*View)
		seen   int
		want   Action
		reason string
	}{
		{"absent", func(*View) {}, leastSeen, Switch, "none of the blocks 971 to 1000"},
		{"one late seal", func(v *View) { v.Signs[theirs] = 1 }, leastSeen, Watch, "sealed 0 of the last 30 blocks"},
		{"every other block", func(v *View) { v.Signs[theirs], v.Sealed[theirs] = 61, 15 }, leastSeen, Watch,
			"sealed 15 of the last 30 blocks"},
		{"few blocks seen to arrive", func(*View) {}, leastSeen - 1, Watch, "4 of 5 blocks"},
		{"chain stands still", func(v *View) { v.HeadTime = now.Add(-11 * time.Second) }, leastSeen, NotReady,
			"stands still"},
		{"clock two seconds off", func(v *View) { v.HeadTime = now.Add(2 * time.Second) }, leastSeen, Switch, "none of"},
		{"clock a minute off", func(v *View) { v.HeadTime = now.Add(time.Minute) }, leastSeen, NotReady,
			"the clock is wrong"},
		{"node behind", func(v *View) { v.Syncing = true }, leastSeen, NotReady, "is behind"},
		{"node that would not seal", func(v *View) { v.Silent = "start it with --mine" }, leastSeen, NotReady,
			"would not seal: start it"},
		{"another key", func(v *View) { v.Node = other }, leastSeen, NotReady, "the node has the key of"},
		{"operator without validator", func(v *View) { v.Validator = common.Address{} }, leastSeen, NotReady, "no validator"},
		{"operator removed", func(v *View) {
			v.Validator = common.Address{}
			v.Next = []common.Address{other}
		}, leastSeen, NotReady, "no validator"},
		{"another stand-by was first", func(v *View) { v.Validator = common.Address{0xdd} }, leastSeen, Watch,
			"has not been a validator"},
		{"the other stand-by is new in the set", func(v *View) {
			v.Validator = common.Address{0xdd}
			v.Next = append(v.Next, v.Validator)
		}, leastSeen, Watch, "has not been a validator"},
		{"the other stand-by is absent as well", func(v *View) {
			v.Validator = common.Address{0xdd}
			v.First, v.Next = append(v.First, v.Validator), append(v.Next, v.Validator)
		}, leastSeen, Switch, "none of"},
		{"validator leaves with the epoch", func(v *View) { v.Next = []common.Address{other} }, leastSeen, Watch,
			"will not be in the next one"},
		{"young chain", func(v *View) { v.Head, v.From = 29, 1 }, leastSeen, Watch, "fewer than an absence"},
		{"registered", func(v *View) { v.Validator = own }, leastSeen, Replaced, "from the next epoch"},
		{"in place and silent", func(v *View) {
			v.Validator, v.Next, v.Silent = own, []common.Address{own, other}, "votes lost"
		}, leastSeen, Replaced, "does not seal: votes lost"},
		{"in place", func(v *View) {
			v.Validator, v.Next = own, []common.Address{own, other}
		}, leastSeen, Replaced, "and seals"},
	} {
		t.Run(c.name, func(t *testing.T) {
			v := absent()
			c.edit(v)
			got := Rule{Own: own, Absence: 30}.Decide(v, c.seen)
			expect.That(t, got.Action == c.want && strings.Contains(got.Reason, c.reason),
				"%d, %q; want %d, %q", got.Action, got.Reason, c.want, c.reason)
		})
	}
}

// Heads count while they come one after the other. A pause of the chain or of the watcher starts the count again.
func TestHeadsSeen(t *testing.T) {
	w := must.Get(New(Config{Rule: Rule{Own: own, Absence: 30}}))(t)
	for i, step := range []struct {
		after time.Duration
		more  uint64
		want  int
	}{{0, 0, 1}, {time.Second, 1, 2}, {time.Second, 0, 2}, {time.Second, 3, 3}, {recentHead, 1, 4},
		{recentHead + 1, 1, 1}, {time.Second, 1, 2}} {
		v := absent()
		now = now.Add(step.after)
		v.Time, v.HeadTime = now, now
		if v.Head = w.head + step.more; w.head == 0 {
			v.Head = 1000
		}
		w.judge(v)
		expect.That(t, w.seen == step.want, "step %d: %d heads seen, want %d", i, w.seen, step.want)
	}
}

func TestAbsenceBounds(t *testing.T) {
	for absence, ok := range map[uint64]bool{LeastAbsence - 1: false, LeastAbsence: true, MostAbsence: true,
		MostAbsence + 1: false} {
		_, err := New(Config{Rule: Rule{Absence: absence}})
		expect.That(t, (err == nil) == ok, "%d: %v", absence, err)
	}
}
