// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package core

import (
	"cmp"
	"slices"

	"github.com/ethereum/go-ethereum/common"

	"gwon/consensus/wbft/messages"
)

// backlogKey names a message in the queue of a sender. A validator that contradicts its first message of a kind and
// view has a second one: the two are evidence.
type backlogKey struct {
	code   uint64
	view   messages.View
	second bool
}

// inBacklog is the reason to drop a copy of a kept message.
const inBacklog = "already in the backlog"

// backlogEntry is a message that came too early.
type backlogEntry struct {
	backlogKey
	envelope *messages.Envelope // its large parts are not decoded
	content  string             // what its author says; empty for a ROUND-CHANGE, which is repeated with a better claim
	size     int                // of the payload in bytes
	sender   common.Address
	from     common.Address // deliverer
	arrival  uint64
}

// senderQueue holds the early messages of one sender.
type senderQueue struct {
	entries  map[backlogKey]*backlogEntry
	bytes    int
	stranger bool
}

// backlog keeps messages of views that have not begun. It is bounded for each sender in number, one for each kind and
// view in the window and one that contradicts it, and in bytes.
type backlog struct {
	queues        map[common.Address]*senderQueue
	arrivals      uint64
	memberBytes   int
	strangers     int
	strangerBytes int
}

func newBacklog() *backlog { return &backlog{queues: make(map[common.Address]*senderQueue)} }

// add keeps a message and returns the empty string, or the reason to drop it. window is the highest round for which a
// sender may have several messages. Above it only the ROUND-CHANGE to the highest round is kept.
func (b *backlog) add(e backlogEntry, stranger bool, window uint64) string {
	q := b.queues[e.sender]
	if q == nil {
		if stranger && b.strangers == maxStrangers {
			return "backlog has no room for another unknown sender"
		}
		q = &senderQueue{entries: make(map[backlogKey]*backlogEntry), stranger: stranger}
	} else if first := q.entries[e.backlogKey]; first != nil && !stranger && e.isOriginalOf(first) {
		b.remove(e.sender, q, e.backlogKey) // the unsigned parts of a copy may be spoiled, those of the original are not
	} else if first != nil {
		e.second = true
		if stranger || first.content == e.content || q.entries[e.backlogKey] != nil {
			return inBacklog
		}
	}
	key := e.backlogKey
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
	if q.bytes+e.size > messages.ShareBytes {
		return "backlog of the sender is full"
	}
	if q.stranger && b.strangerBytes+e.size > maxStrangerBytes {
		return "backlog of unknown senders is full"
	}
	if !q.stranger && !b.makeRoom(q.bytes+e.size, e.size) {
		return "backlog of validators is full"
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
	q.bytes += e.size
	b.account(q, e.size)
	return ""
}

// isOriginalOf reports whether a message comes from its author and the other one is a relayed copy of it.
func (e *backlogEntry) isOriginalOf(other *backlogEntry) bool {
	return other.content == e.content && other.from != e.sender && e.from == e.sender
}

// contentOf returns what a vote says in its view. Two contents of one author and view are a contradiction.
func contentOf(vote messages.Message) string {
	digest, seal, _ := messages.Ballot(vote)
	return string(digest[:]) + string(seal)
}

// account notes a change of the bytes in a queue.
func (b *backlog) account(q *senderQueue, change int) {
	if q.stranger {
		b.strangerBytes += change
	} else {
		b.memberBytes += change
	}
}

// makeRoom makes room for bytes of a validator that has `has` bytes then. Validators with more lose messages.
func (b *backlog) makeRoom(has, bytes int) bool {
	for b.memberBytes+bytes > maxMemberBytes {
		var richest common.Address
		most := has
		for address, q := range b.queues {
			if !q.stranger && (q.bytes > most || q.bytes == most && most > has && address.Cmp(richest) < 0) {
				richest, most = address, q.bytes
			}
		}
		if most == has {
			return false
		}
		b.dropLargest(richest)
	}
	return true
}

// dropLargest removes the largest message of a sender, the latest one of equal size.
func (b *backlog) dropLargest(sender common.Address) {
	q := b.queues[sender]
	var largest *backlogEntry
	for _, e := range q.entries {
		if largest == nil || e.size > largest.size ||
			e.size == largest.size && e.arrival > largest.arrival {
			largest = e
		}
	}
	b.remove(sender, q, largest.backlogKey)
	if len(q.entries) == 0 {
		b.discard(sender)
	}
}

// remove removes a message of a sender.
func (b *backlog) remove(sender common.Address, q *senderQueue, key backlogKey) {
	size := q.entries[key].size
	delete(q.entries, key)
	q.bytes -= size
	b.account(q, -size)
}

// take removes and returns the messages whose view is not after the given one, and every ROUND-CHANGE of its sequence.
// ROUND-CHANGEs come first. The order is by round, then PRE-PREPARE, PREPARE, COMMIT (as their codes), then by arrival.
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
	slices.SortFunc(due, func(x, y *backlogEntry) int { // arrival makes the order total, whatever the order of the map
		rank := func(e *backlogEntry) int {
			if e.code == messages.CodeRoundChange {
				return 0
			}
			return 1
		}
		vx, vy := x.view, y.view
		return cmp.Or(
			cmp.Compare(vx.Sequence, vy.Sequence),
			cmp.Compare(rank(x), rank(y)),
			cmp.Compare(vx.Round, vy.Round),
			cmp.Compare(x.code, y.code),
			cmp.Compare(x.arrival, y.arrival),
		)
	})
	return due
}

// discard removes a sender.
func (b *backlog) discard(sender common.Address) {
	if q := b.queues[sender]; q != nil {
		if q.stranger {
			b.strangers--
		}
		b.account(q, -q.bytes)
	}
	delete(b.queues, sender)
}

// retain begins a sequence with its set. Strangers outside the set are removed. Former members lose their messages of
// this sequence, in which they have no vote, and count as strangers from now on.
func (b *backlog) retain(sequence uint64, member func(common.Address) bool) {
	for sender, q := range b.queues {
		switch {
		case member(sender):
			if q.stranger {
				b.account(q, -q.bytes)
				q.stranger = false
				b.strangers--
				b.account(q, q.bytes)
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
			b.account(q, -q.bytes)
			q.stranger = true
			b.strangers++
			b.account(q, q.bytes)
		}
	}
}

// len returns the number of kept messages.
func (b *backlog) len() int {
	n := 0
	for _, q := range b.queues {
		n += len(q.entries)
	}
	return n
}
