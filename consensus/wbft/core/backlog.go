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

	// maxMemberBytes bounds what is kept of all validators together. An honest set at its limits has one proposal of the next
	// sequence under way (10 MiB) and a few hundred bytes of votes a validator; ROUND-CHANGEs with certificates are larger, but they are
	// repeated. When there is no more room, whoever has most gives way: a validator with less than its equal share of the room,
	// which is 640 KiB with a hundred of them, neither is refused nor loses anything.
	maxMemberBytes = 64 << 20

	// Senders that are in no set known here may be validators of the next epoch (spec wbft 9.2 no. 5), or anybody with
	// a key. All of them together get this much; it is given back with every sequence.
	maxStrangers     = 64
	maxStrangerBytes = 2 * maxBacklogBytes
)

// backlogKey names one message a sender may have in its queue. A sender that respects the protocol never needs two. Of a validator that
// contradicts the first one a second is kept: the two are evidence.
type backlogKey struct {
	code   uint64
	view   messages.View
	second bool
}

// inBacklog is why a copy of a kept message is not kept.
const inBacklog = "already in the backlog"

// backlogEntry is a message that came too early.
type backlogEntry struct {
	backlogKey
	envelope *messages.Envelope // what may be large in it is not decoded
	says     string             // what its author says with it, but for ROUND-CHANGEs: those are repeated with a better claim
	size     int                // of the payload in bytes
	sender   common.Address
	from     common.Address // who delivered it
	arrival  uint64
}

// senderQueue holds the early messages of one sender.
type senderQueue struct {
	entries  map[backlogKey]*backlogEntry
	bytes    int
	stranger bool
}

// backlog keeps messages of views that have not begun, bounded per sender in number (one for each kind and view in the
// window, and one that contradicts it) and in bytes.
type backlog struct {
	queues        map[common.Address]*senderQueue
	arrivals      uint64
	memberBytes   int
	strangers     int
	strangerBytes int
}

func newBacklog() *backlog { return &backlog{queues: make(map[common.Address]*senderQueue)} }

// add keeps a message and answers with the empty string, or tells why not. window is the highest round for which the
// sender may keep several messages; above it only the ROUND-CHANGE with the highest round is kept.
func (b *backlog) add(e backlogEntry, stranger bool, window uint64) string {
	q := b.queues[e.sender]
	if q == nil {
		if stranger && b.strangers == maxStrangers {
			return "backlog has no room for another unknown sender"
		}
		q = &senderQueue{entries: make(map[backlogKey]*backlogEntry), stranger: stranger}
	} else if first := q.entries[e.backlogKey]; first != nil && !stranger && first.says == e.says && first.from != e.sender && e.from == e.sender {
		b.remove(e.sender, q, e.backlogKey) // what no signature covers may be spoilt in a copy; in the author's own it is not
	} else if first != nil {
		if e.second = true; stranger || first.says == e.says || q.entries[e.backlogKey] != nil {
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
	if q.bytes+e.size > maxBacklogBytes {
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

// said is what a vote says in its view, so that who says two things contradicts itself.
func said(vote messages.Message) string {
	digest, seal := ballotOf(vote)
	return string(digest[:]) + string(seal)
}

// account notes that the bytes of a queue have changed.
func (b *backlog) account(q *senderQueue, change int) {
	if q.stranger {
		b.strangerBytes += change
	} else {
		b.memberBytes += change
	}
}

// makeRoom makes room for so many bytes of a validator that has `has` bytes then, at the cost of validators that have more.
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

// dropLargest forgets the largest message of a sender, the latest of equal ones.
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

func (b *backlog) remove(sender common.Address, q *senderQueue, key backlogKey) {
	size := q.entries[key].size
	delete(q.entries, key)
	q.bytes -= size
	b.account(q, -size)
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

// discard forgets a sender.
func (b *backlog) discard(sender common.Address) {
	if q := b.queues[sender]; q != nil {
		if q.stranger {
			b.strangers--
		}
		b.account(q, -q.bytes)
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
			q.stranger = true // members of an earlier set count as strangers from now on
			b.strangers++
			b.account(q, q.bytes)
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
