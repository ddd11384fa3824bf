// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package wbft

import (
	"slices"

	"github.com/ethereum/go-ethereum/metrics"

	"gwon/consensus/wbft/core"
	"gwon/consensus/wbft/messages"
)

const (
	// largeMessage is from which size in bytes on a message that came to nothing is not welcome again at once. All but
	// those with blocks and long certificates are smaller.
	largeMessage = 64 << 10
	// droppedBytes bounds the large messages that are held until they are welcome again.
	droppedBytes = 3 * messages.MaxSize
)

// droppedMessages holds large messages that came to nothing, the newest of each deliverer, until the view changes.
// Until then they would come to nothing again, and cost as much; in another view they may be of use, and their authors
// repeat them.
type droppedMessages struct {
	view  messages.View
	list  []core.Message // oldest first
	bytes int
}

// add holds a message, and returns those that make room for it: the older one of its deliverer, and the oldest ones.
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

// enter returns what was held, when a view is another one than before.
func (d *droppedMessages) enter(view messages.View) []core.Message {
	if d.view == view {
		return nil
	}
	due := d.list
	*d = droppedMessages{view: view}
	return due
}

// noteDropped counts a message that came to nothing, and makes it welcome again: at once if it is small, or was not
// looked at for what its deliverer has sent before, else in the next view. Another validator may bring the same bytes,
// and be the one to be heard.
func (d *Driver) noteDropped(m core.Message, e core.Dropped) {
	if e.Cause != "" {
		metrics.GetOrRegisterMeter("wbft/messages/dropped/"+string(e.Cause), nil).Mark(1)
	}
	switch {
	case len(m.Payload) < largeMessage:
		d.cfg.Network.Forget(m.Payload)
	case e.Cause == core.CauseDeliverer:
		d.welcome([]core.Message{m})
	default:
		d.welcome(d.dropped.add(m))
	}
}

// welcomeDropped makes the large messages that came to nothing in an earlier view welcome again.
func (d *Driver) welcomeDropped(view messages.View) { d.welcome(d.dropped.enter(view)) }

// welcome makes large messages welcome again, in the background: each is hashed for that.
func (d *Driver) welcome(due []core.Message) {
	if len(due) == 0 {
		return
	}
	forget := func() {
		for _, m := range due {
			d.cfg.Network.Forget(m.Payload)
		}
	}
	if d.cfg.InStep {
		forget()
		return
	}
	d.work(forget)
}
