// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package core

import (
	"cmp"
	"slices"

	"github.com/ethereum/go-ethereum/common"

	"gwon/consensus/wbft/messages"
)

const (
	// roundWindow is how far ahead of the current round votes and proposals are kept (spec wbft 5.4), and how far
	// behind it they still count towards a commit.
	roundWindow = 10

	// maxBacklogBytes bounds what is kept of one sender: room for the largest proposal and every vote in the window.
	maxBacklogBytes = messages.MaxSize + 1<<20

	// Senders that are in no set known here may be validators of the next epoch (spec wbft 9.2 no. 5), or anybody with
	// a key. All of them together get this much; it is given back with every sequence.
	maxStrangers     = 64
	maxStrangerBytes = 2 * maxBacklogBytes
)

// backlogKey names one message a sender may have in its queue. A sender that respects the protocol never needs two.
type backlogKey struct {
	code uint64
	view messages.View
}

// backlogEntry is a message that came too early.
type backlogEntry struct {
	message messages.Message
	payload []byte
	sender  common.Address
	from    common.Address // who delivered it
	arrival uint64
}

// senderQueue holds the early messages of one sender.
type senderQueue struct {
	entries  map[backlogKey]*backlogEntry
	bytes    int
	stranger bool
}

// backlog keeps messages of views that have not begun, bounded per sender in number (one for each kind and view in the
// window) and in bytes.
type backlog struct {
	queues        map[common.Address]*senderQueue
	arrivals      uint64
	strangers     int
	strangerBytes int
}

func newBacklog() *backlog { return &backlog{queues: make(map[common.Address]*senderQueue)} }

// add keeps a message and answers with the empty string, or tells why not. window is the highest round for which the
// sender may keep several messages; above it only the ROUND-CHANGE with the highest round is kept.
func (b *backlog) add(e backlogEntry, stranger bool, window uint64) string {
	key := backlogKey{e.message.Code(), e.message.View()}
	q := b.queues[e.sender]
	if q == nil {
		if stranger && b.strangers == maxStrangers {
			return "backlog has no room for another unknown sender"
		}
		q = &senderQueue{entries: make(map[backlogKey]*backlogEntry), stranger: stranger}
	} else if q.entries[key] != nil {
		return "already in the backlog"
	}
	var superseded []backlogKey
	if key.view.Round > window {
		for k := range q.entries {
			if k.code != key.code || k.view.Sequence != key.view.Sequence || k.view.Round <= window {
				continue
			}
			if k.view.Round > key.view.Round {
				return "a higher round of the sender is in the backlog"
			}
			superseded = append(superseded, k)
		}
	}
	if q.bytes+len(e.payload) > maxBacklogBytes {
		return "backlog of the sender is full"
	}
	if q.stranger && b.strangerBytes+len(e.payload) > maxStrangerBytes {
		return "backlog of unknown senders is full"
	}
	if b.queues[e.sender] == nil {
		b.queues[e.sender] = q
		if stranger {
			b.strangers++
		}
	}
	for _, k := range superseded {
		b.remove(e.sender, q, k)
	}
	b.arrivals++
	e.arrival = b.arrivals
	q.entries[key] = &e
	q.bytes += len(e.payload)
	if q.stranger {
		b.strangerBytes += len(e.payload)
	}
	return ""
}

func (b *backlog) remove(sender common.Address, q *senderQueue, key backlogKey) {
	size := len(q.entries[key].payload)
	delete(q.entries, key)
	q.bytes -= size
	if q.stranger {
		b.strangerBytes -= size
	}
}

// take removes and returns everything whose view is not after the given one, and every ROUND-CHANGE of its sequence.
// The order is: ROUND-CHANGE first, then by round, PRE-PREPARE before PREPARE before COMMIT (the code order), then by
// arrival.
func (b *backlog) take(now messages.View) []*backlogEntry {
	var due []*backlogEntry
	for sender, q := range b.queues {
		for key, e := range q.entries {
			if key.view.Sequence > now.Sequence {
				continue
			}
			if key.view.Sequence == now.Sequence && key.view.Round > now.Round && key.code != messages.CodeRoundChange {
				continue
			}
			due = append(due, e)
			b.remove(sender, q, key)
		}
		if len(q.entries) == 0 {
			b.discard(sender)
		}
	}
	slices.SortFunc(due, func(x, y *backlogEntry) int { // arrival makes the order total, whatever the map gave
		rank := func(e *backlogEntry) int {
			if e.message.Code() == messages.CodeRoundChange {
				return 0
			}
			return 1
		}
		vx, vy := x.message.View(), y.message.View()
		return cmp.Or(
			cmp.Compare(vx.Sequence, vy.Sequence),
			cmp.Compare(rank(x), rank(y)),
			cmp.Compare(vx.Round, vy.Round),
			cmp.Compare(x.message.Code(), y.message.Code()),
			cmp.Compare(x.arrival, y.arrival),
		)
	})
	return due
}

// discard forgets a sender.
func (b *backlog) discard(sender common.Address) {
	if q := b.queues[sender]; q != nil && q.stranger {
		b.strangers--
		b.strangerBytes -= q.bytes
	}
	delete(b.queues, sender)
}

// retain judges the senders by the set of a new sequence. Strangers of before that are not in it are forgotten; so are
// members of before that still wait for this sequence but may not speak in it.
func (b *backlog) retain(sequence uint64, member func(common.Address) bool) {
	for sender, q := range b.queues {
		switch {
		case member(sender):
			if q.stranger {
				q.stranger = false
				b.strangers--
				b.strangerBytes -= q.bytes
			}
		default:
			for key := range q.entries {
				if key.view.Sequence <= sequence {
					b.remove(sender, q, key)
				}
			}
			if q.stranger || len(q.entries) == 0 {
				b.discard(sender)
				continue
			}
			q.stranger = true // members of an earlier set count as strangers from now on
			b.strangers++
			b.strangerBytes += q.bytes
		}
	}
}

// len is the number of messages kept.
func (b *backlog) len() int {
	n := 0
	for _, q := range b.queues {
		n += len(q.entries)
	}
	return n
}
