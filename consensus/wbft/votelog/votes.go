// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package votelog

// Votes is the log as the driver of a validator uses it: a Log of this machine, whose methods say what each does, or
// that of a signer.
type Votes interface {
	Torn() int64
	Origin() *Origin
	SetOrigin(Origin) error
	Write([]Record, []Lock) error
	Sequences() []Sequence
	Knows(sequence uint64) bool
	Floor() uint64
	Prune(sequence uint64)
	Wasteful() bool
	Compact() error
	Close() error
}
