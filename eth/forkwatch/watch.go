// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package forkwatch

import (
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/lru"
	"github.com/ethereum/go-ethereum/core/forkid"
	"github.com/ethereum/go-ethereum/metrics"
)

const (
	// kept is how long a sign counts.
	kept = time.Hour
	// maxPeers and maxBlocks bound what is remembered. The oldest entry leaves.
	maxPeers, maxBlocks = 256, 16
	// maxRule bounds the text of a rule in bytes.
	maxRule = 200
)

var (
	// signsGauge counts validators with a sign, and refused blocks. Only validators can cause these.
	signsGauge = metrics.NewRegisteredGauge("gwon/forks/signs", nil)
	// claimsGauge counts other peers with a sign. Anybody can be one.
	claimsGauge = metrics.NewRegisteredGauge("gwon/forks/claims", nil)
)

// known are the newest releases of the network's other clients whose rules this program has.
var known = map[string]Version{"gstable": {1, 1, 0}}

// Report says what the watch has seen within an hour.
type Report struct {
	ForkIDs int    `json:"forkIds"`          // peers with a fork id that this node does not share
	Newer   int    `json:"newer"`            // peers with a client version above any known one
	Newest  string `json:"newest,omitempty"` // the highest of these versions, with the name of the client
	Configs int    `json:"configurations"`   // peers with another chain configuration
	// Difference is in what one of these differs, a validator if there is one.
	Difference string    `json:"difference,omitempty"`
	Validators int       `json:"validators"` // peers with any of these that were validators when they connected
	Blocks     []Refusal `json:"blocks"`     // sealed blocks that a rule refused here, the newest last
}

// Refusal is a block that a quorum sealed and that is refused here.
type Refusal struct {
	Number uint64 `json:"number"`
	Rule   string `json:"rule"`
}

// sign is what one peer has shown.
type sign struct {
	at      time.Time
	forkID  bool
	client  string // its name, of the known ones, if its version is newer
	version Version
	differs string // in what its chain configuration differs
}

// refusal is a Refusal with its time.
type refusal struct {
	Refusal
	at time.Time
}

// Watch collects signs. It is safe for concurrent use.
type Watch struct {
	own         map[string]Version
	isValidator func(common.Address) bool
	now         func() time.Time

	mu sync.Mutex
	// Validators and other peers by the address of the node key, apart, so that new identities displace no validator.
	validators, others lru.BasicLRU[common.Address, sign]
	blocks             []refusal // oldest first
}

// New returns a watch of a node with a client name. IsValidator reports whether an address is in charge at present.
func New(client string, isValidator func(common.Address) bool) *Watch {
	w := &Watch{
		own: make(map[string]Version), isValidator: isValidator, now: time.Now,
		validators: lru.NewBasicLRU[common.Address, sign](maxPeers),
		others:     lru.NewBasicLRU[common.Address, sign](maxPeers),
	}
	for name, version := range known {
		w.own[name] = version
	}
	if name, version, ok := Parse(client); ok {
		w.own[name] = version
	}
	return w
}

// Met takes the client name and the fork id of a peer after the handshake. Ours is the fork id of this node.
func (w *Watch) Met(peer common.Address, client string, theirs, ours forkid.ID) {
	// A peer that is behind announces a fork that this node has passed, with another checksum.
	w.saw(peer, client, theirs.Hash == ours.Hash && theirs.Next != ours.Next && theirs.Next != 0)
}

// Refused takes a peer whose handshake failed because of its fork id.
func (w *Watch) Refused(peer common.Address, client string) { w.saw(peer, client, true) }

// Configured takes in what the chain configuration of a peer differs, empty for nothing. A handshake keeps it.
func (w *Watch) Configured(peer common.Address, difference string) {
	w.change(peer, func(s *sign) { s.differs = difference })
}

// Cause returns what the reason of a halt ends with if a peer has another chain configuration.
func (w *Watch) Cause() string {
	if difference := w.Report().Difference; difference != "" {
		return "; the cause may be the genesis file of this node or of a peer: " + difference
	}
	return ""
}

func (w *Watch) saw(peer common.Address, client string, forkID bool) {
	w.change(peer, func(s *sign) {
		*s = sign{forkID: forkID, differs: s.differs}
		if name, version, ok := Parse(client); ok {
			if newest, listed := w.own[name]; listed && version.Compare(newest) > 0 {
				s.client, s.version = name, version
			}
		}
	})
}

// change changes what a peer has shown.
func (w *Watch) change(peer common.Address, set func(*sign)) {
	validator := w.isValidator(peer)
	w.mu.Lock()
	s, known := w.validators.Peek(peer)
	if !known {
		s, _ = w.others.Peek(peer)
	}
	w.validators.Remove(peer) // the peer was replaced, or this node was, or the set has changed
	w.others.Remove(peer)
	if set(&s); s.forkID || s.client != "" || s.differs != "" {
		s.at = w.now()
		kind := &w.others
		if validator {
			kind = &w.validators
		}
		kind.Add(peer, s)
	}
	w.mu.Unlock()
	w.Report()
}

// BlockRefused takes a block that a quorum has sealed and the rule that refuses it here.
func (w *Watch) BlockRefused(number uint64, rule error) {
	r := refusal{Refusal{number, rule.Error()}, w.now()}
	if len(r.Rule) > maxRule {
		r.Rule = r.Rule[:maxRule]
	}
	w.mu.Lock()
	w.blocks = slices.DeleteFunc(w.blocks, func(old refusal) bool { return old.Refusal == r.Refusal })
	if w.blocks = append(w.blocks, r); len(w.blocks) > maxBlocks {
		w.blocks = w.blocks[1:]
	}
	w.mu.Unlock()
	w.Report()
}

// Report returns the signs that count at present, and updates the metric.
func (w *Watch) Report() Report {
	w.mu.Lock()
	defer w.mu.Unlock()
	since := w.now().Add(-kept)
	r := Report{Blocks: []Refusal{}}
	var newest sign
	for _, kind := range []*lru.BasicLRU[common.Address, sign]{&w.others, &w.validators} {
		for _, peer := range kind.Keys() {
			s, _ := kind.Peek(peer)
			if s.at.Before(since) {
				kind.Remove(peer)
				continue
			}
			if s.forkID {
				r.ForkIDs++
			}
			if s.differs != "" {
				r.Configs++
				r.Difference = s.differs
			}
			if s.client != "" {
				r.Newer++
				if newest.client == "" || s.version.Compare(newest.version) > 0 {
					newest = s
				}
			}
		}
	}
	r.Validators = w.validators.Len()
	if newest.client != "" {
		r.Newest = fmt.Sprintf("%s %s", newest.client, newest.version)
	}
	w.blocks = slices.DeleteFunc(w.blocks, func(old refusal) bool { return old.at.Before(since) })
	for _, old := range w.blocks {
		r.Blocks = append(r.Blocks, old.Refusal)
	}
	signsGauge.Update(int64(r.Validators + len(r.Blocks)))
	claimsGauge.Update(int64(w.others.Len()))
	return r
}
