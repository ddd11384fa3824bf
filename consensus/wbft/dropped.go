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
	// largeMessage is from which size in bytes on a message that came to nothing is not welcome again at once. All but those with blocks and long
	// certificates are smaller.
	largeMessage = 64 << 10
	// droppedBytes bounds the large messages that are held until they are welcome again.
	droppedBytes = 3 * messages.MaxSize
)

// droppedMessages holds large messages that came to nothing, the newest of each deliverer, until the view changes. Until then they would
// come to nothing again, and cost as much; in another view they may be of use, and their authors repeat them.
type droppedMessages struct {
	view  messages.View
	list  []core.Message // oldest first
	bytes int
}

// add holds a message. The oldest ones make room for it and stay unwelcome.
func (d *droppedMessages) add(m core.Message) {
	d.remove(func(old core.Message) bool { return old.From == m.From })
	for len(d.list) > 0 && d.bytes+len(m.Payload) > droppedBytes {
		first := d.list[0]
		d.remove(func(old core.Message) bool { return &old.Payload[0] == &first.Payload[0] })
	}
	d.list = append(d.list, m)
	d.bytes += len(m.Payload)
}

func (d *droppedMessages) remove(which func(core.Message) bool) {
	d.list = slices.DeleteFunc(d.list, func(m core.Message) bool {
		if which(m) {
			d.bytes -= len(m.Payload)
			return true
		}
		return false
	})
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

// noteDropped counts a message that came to nothing, and makes it welcome again: at once if it is small, else in the next view.
func (d *Driver) noteDropped(m core.Message, e core.Dropped) {
	if e.Cause != "" {
		metrics.GetOrRegisterMeter("wbft/messages/dropped/"+string(e.Cause), nil).Mark(1)
	}
	if len(m.Payload) < largeMessage {
		d.cfg.Network.Forget(m.Payload)
		return
	}
	d.dropped.add(m)
}

// welcomeDropped makes the large messages that came to nothing in an earlier view welcome again, beside the goroutine: each is hashed for that.
func (d *Driver) welcomeDropped(view messages.View) {
	due := d.dropped.enter(view)
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
