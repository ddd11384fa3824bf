// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package wbft

import (
	"slices"

	"github.com/ethereum/go-ethereum/metrics"

	"gwon/consensus/wbft/core"
	"gwon/consensus/wbft/messages"
)

// droppedMessages holds large useless messages, the newest of each deliverer, until the view changes. A repetition in
// the same view would be useless again. In another view the message may be useful.
type droppedMessages struct {
	view  messages.View
	list  []core.Message // oldest first
	bytes int
}

// add holds a message and returns the displaced ones: an older one of the same deliverer, and the oldest of all.
func (d *droppedMessages) add(m core.Message) (displaced []core.Message) {
	take := func(i int) {
		displaced = append(displaced, d.list[i])
		d.bytes -= len(d.list[i].Payload)
		d.list = slices.Delete(d.list, i, i+1)
	}
	if i := slices.IndexFunc(d.list, func(old core.Message) bool { return old.From == m.From }); i >= 0 {
		take(i)
	}
	for len(d.list) > 0 && d.bytes+len(m.Payload) > droppedBytes {
		take(0)
	}
	d.list = append(d.list, m)
	d.bytes += len(m.Payload)
	return displaced
}

// enter returns the held messages when the view has changed.
func (d *droppedMessages) enter(view messages.View) []core.Message {
	if d.view == view {
		return nil
	}
	due := d.list
	*d = droppedMessages{view: view}
	return due
}

// noteDropped counts a useless message and makes it welcome again. A small or skipped message is welcome at once, a
// large one in the next view. Another validator may deliver the same bytes with effect.
func (r *run) noteDropped(m core.Message, e core.Dropped) {
	r.driver.inbox.refund(e.Relayer)
	if e.Cause != "" {
		metrics.GetOrRegisterMeter("wbft/messages/dropped/"+string(e.Cause), nil).Mark(1)
	}
	switch {
	case len(m.Payload) <= messages.MaxSmall:
		r.cfg.Network.Forget(m.Payload)
	case e.Cause == core.CauseDeliverer:
		r.welcome([]core.Message{m})
	default:
		r.welcome(r.dropped.add(m))
	}
}

// welcomeDropped makes the held messages of an earlier view welcome again.
func (r *run) welcomeDropped(view messages.View) { r.welcome(r.dropped.enter(view)) }

// welcome makes large messages welcome again, in the background because each of them is hashed.
func (r *run) welcome(due []core.Message) {
	if len(due) == 0 {
		return
	}
	forget := func() {
		for _, m := range due {
			r.cfg.Network.Forget(m.Payload)
		}
	}
	if r.cfg.InlineUpkeep {
		forget()
		return
	}
	r.work(forget)
}
