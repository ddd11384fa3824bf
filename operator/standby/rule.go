// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package standby

import (
	"fmt"
	"slices"
	"time"

	"github.com/ethereum/go-ethereum/common"
)

const (
	// DefaultAbsence is how many blocks in a row a validator has to miss before its stand-by takes its place.
	DefaultAbsence = 30
	// LeastAbsence keeps a restart of the validator from being an absence.
	LeastAbsence = 10
	// MostAbsence bounds the blocks of one request (spec rpc 6.7).
	MostAbsence = 1024

	// recentHead is the age of a head that still is the head of the network. A head from the future is as old.
	recentHead = 10 * time.Second
	// leastSeen is how many heads the watcher has to see one by one: a chain that stands still shows no absence.
	leastSeen = 5
)

// View is what a stand-by sees of its chain at one block.
type View struct {
	Time      time.Time      // of the look
	Head      uint64         // the newest block
	HeadTime  time.Time      // its timestamp
	Syncing   bool           // the node knows of blocks that it lacks
	Node      common.Address // key of the node
	Silent    string         // why the node would sign nothing as a validator, "" if it would
	Validator common.Address // validator of the operator by the contract; zero for none

	From        uint64                    // first block of the window, which ends with the head
	First, Next []common.Address          // validators of the first block of the window, and of the next block
	Signs       map[common.Address]uint64 // seals and proposals in the window, seals that came late included
	Sealed      map[common.Address]uint64 // blocks of the window with its COMMIT seal, at most all of them
}

// Action is what a stand-by does after a look.
type Action int

// The actions.
const (
	Watch    Action = iota // the validator is there, or nothing shows that it is not
	NotReady               // the stand-by could not take its place
	Switch                 // the validator is absent
	Replaced               // the stand-by is the validator of the operator
)

// Verdict is what a look leads to, with a sentence that says why.
type Verdict struct {
	Action Action
	Reason string
}

// Rule says when the stand-by with the key Own takes the place of its operator's validator.
type Rule struct {
	Own     common.Address
	Absence uint64 // blocks
}

// Decide judges a look. seen is how many heads the watcher has seen one after the other, each within recentHead of the
// one before.
//
// Only sealed blocks count, each of which has a quorum without the absent validator. A stand-by that is cut off from
// the others sees none, as does everybody on a chain that stands still, so it decides nothing there.
func (r Rule) Decide(v *View, seen int) Verdict {
	age := v.Time.Sub(v.HeadTime)
	switch {
	case v.Node != r.Own:
		return Verdict{NotReady, fmt.Sprintf("the node has the key of %v, not that of this stand-by, %v", v.Node, r.Own)}
	case v.Validator == (common.Address{}):
		return Verdict{NotReady, "the operator has no validator: register one with gwon gov validator configure"}
	case v.Validator == r.Own && v.Silent != "":
		return Verdict{Replaced, "this stand-by is the validator and does not seal: " + v.Silent}
	case v.Validator == r.Own && slices.Contains(v.Next, r.Own):
		return Verdict{Replaced, "this stand-by is the validator and seals"}
	case v.Validator == r.Own:
		return Verdict{Replaced, "this stand-by is registered and seals from the next epoch on"}
	case v.Syncing:
		return Verdict{NotReady, fmt.Sprintf("the node is behind: it has block %d", v.Head)}
	case age > recentHead || age < -recentHead:
		return Verdict{NotReady, fmt.Sprintf("block %d is %v old by this machine's clock: the chain stands still, the node "+
			"is cut off, or the clock is wrong", v.Head, age.Round(time.Second))}
	case v.Silent != "":
		return Verdict{NotReady, "the node would not seal: " + v.Silent}
	case seen < leastSeen:
		return Verdict{Watch, fmt.Sprintf("%d of %d blocks seen to arrive", seen, leastSeen)}
	case v.Head+1-v.From < r.Absence:
		return Verdict{Watch, fmt.Sprintf("the chain has %d blocks, fewer than an absence of %d", v.Head, r.Absence)}
	case !slices.Contains(v.First, v.Validator) || !slices.Contains(v.Next, v.Validator):
		return Verdict{Watch, fmt.Sprintf("%v has not been a validator for %d blocks, or will not be in the next one",
			v.Validator, r.Absence)}
	case v.Signs[v.Validator] > 0:
		return Verdict{Watch, fmt.Sprintf("%v is there: it has sealed %d of the last %d blocks", v.Validator,
			v.Sealed[v.Validator], r.Absence)}
	}
	return Verdict{Switch, fmt.Sprintf("%v has sealed none of the blocks %d to %d, which a quorum sealed without it",
		v.Validator, v.From, v.Head)}
}
