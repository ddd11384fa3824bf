// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package health

import (
	"context"
	"fmt"
	"math"
	"sync"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/log"
	"github.com/ethereum/go-ethereum/metrics"
)

const (
	interval = time.Second      // between two looks at the facts
	again    = time.Minute      // between two lines about the same loss of a quorum
	stuck    = 30 * time.Second // without a look after which the process counts as stuck
)

// Facts are what a node knows of itself at one moment.
type Facts struct {
	Head     uint64    // number of the newest block
	HeadTime time.Time // its timestamp
	Target   uint64    // number of the block that a sync heads for; 0 without a sync
	Peers    int       // connected peers
	Alone    bool      // the network has no other node that this one needs
	Quorum   string    // which validators are missing for a block; empty with a quorum
	Halted   string    // why the node has stopped for safety; empty if it has not
	Free     uint64    // bytes on the fullest disk of the node, the highest number without a disk
	DiskErr  error     // why Free is unknown
	Notes    []Note    // what readiness does not depend on
}

// Note is a fact for operators that no criterion is about.
type Note struct{ Name, Text string }

// Limits are the thresholds of the criteria. A zero limit turns its criterion off.
type Limits struct {
	HeadAge time.Duration // age of the head above which the node is not ready
	Behind  uint64        // blocks that a sync may be behind its target
	Peers   int           // peers that a node needs, unless it is alone
	Disk    uint64        // bytes that have to be free
}

// Criterion is one condition of readiness in its present state.
type Criterion struct {
	Name   string
	OK     bool
	Detail string // figures and limits, for the operator
}

// Names of the criteria, which are also those of their metrics.
const (
	Head      = "head"
	Sync      = "sync"
	Peers     = "peers"
	Consensus = "consensus"
	Disk      = "disk"
)

var (
	readyGauge   = metrics.NewRegisteredGauge("gwon/health/ready", nil)
	headAgeGauge = metrics.NewRegisteredGauge("gwon/health/headage", nil) // milliseconds
	gauges       = map[string]*metrics.Gauge{
		Head:      metrics.NewRegisteredGauge("gwon/health/head", nil),
		Sync:      metrics.NewRegisteredGauge("gwon/health/sync", nil),
		Peers:     metrics.NewRegisteredGauge("gwon/health/peers", nil),
		Consensus: metrics.NewRegisteredGauge("gwon/health/consensus", nil),
		Disk:      metrics.NewRegisteredGauge("gwon/health/disk", nil),
	}
)

// Checker keeps the state of the criteria. It implements node.Lifecycle. Its methods may be called from any goroutine.
type Checker struct {
	limits Limits
	facts  func() Facts
	now    func() time.Time

	cancel context.CancelFunc
	done   chan struct{}

	mu       sync.Mutex
	signals  map[string]*signal
	criteria []Criterion
	notes    []Note
	checked  time.Time // of the last look; zero before the first
	waited   time.Time // of the last line about a lost quorum; zero with new blocks
}

// NewChecker returns a checker that asks facts once a second between Start and Stop.
func NewChecker(limits Limits, facts func() Facts) *Checker {
	c := &Checker{limits: limits, facts: facts, now: time.Now, signals: make(map[string]*signal)}
	for name := range gauges {
		c.signals[name] = new(signal)
	}
	return c
}

// Start implements node.Lifecycle.
func (c *Checker) Start() error {
	var ctx context.Context
	ctx, c.cancel = context.WithCancel(context.Background())
	c.done = make(chan struct{})
	go c.run(ctx)
	return nil
}

// Stop implements node.Lifecycle.
func (c *Checker) Stop() error {
	c.cancel()
	<-c.done
	return nil
}

func (c *Checker) run(ctx context.Context) {
	defer close(c.done)
	ticker := time.Tick(interval)
	for {
		c.check()
		select {
		case <-ticker:
		case <-ctx.Done():
			return
		}
	}
}

// check looks at the facts once.
func (c *Checker) check() {
	facts, now := c.facts(), c.now()
	c.mu.Lock()
	defer c.mu.Unlock()
	was := c.ready()
	c.criteria = c.criteria[:0:0] // readers may hold the former ones
	c.add(now, Head, c.head(now, facts), c.headDetail(now, facts))
	c.add(now, Sync, pass(facts.Target <= facts.Head+c.limits.Behind), syncDetail(facts))
	c.add(now, Peers, pass(facts.Alone || facts.Peers >= c.limits.Peers), c.peersDetail(facts))
	c.add(now, Consensus, pass(facts.Halted == ""), consensusDetail(facts))
	c.add(now, Disk, pass(c.limits.Disk == 0 || facts.DiskErr == nil && facts.Free >= c.limits.Disk), c.diskDetail(facts))
	c.notes = facts.Notes
	first := c.checked.IsZero()
	c.checked = now
	readyGauge.Update(gauge(c.ready()))
	headAgeGauge.Update(now.Sub(facts.HeadTime).Milliseconds())
	c.tell(first, was)
	switch {
	case c.signals[Head].ok:
		c.waited = time.Time{}
	case first: // connections take a moment
		c.waited = now
	case facts.Quorum != "" && facts.Target <= facts.Head && now.Sub(c.waited) >= again:
		c.waited = now
		log.Warn("Blocks wait for validators", "reason", facts.Quorum)
	}
}

// add updates a criterion by a reading.
func (c *Checker) add(now time.Time, name string, r reading, detail string) {
	s := c.signals[name]
	s.update(now, r)
	if !s.ok && !r.fails {
		detail += ", recovering"
	}
	c.criteria = append(c.criteria, Criterion{Name: name, OK: s.ok, Detail: detail})
	gauges[name].Update(gauge(s.ok))
}

// tell writes a log line when readiness changes.
func (c *Checker) tell(first, was bool) {
	ready := c.ready()
	switch {
	case ready && (first || !was):
		log.Info("Readiness reached")
	case !ready && was:
		var failed []any
		for _, criterion := range c.criteria {
			if !criterion.OK {
				failed = append(failed, criterion.Name, criterion.Detail)
			}
		}
		log.Warn("Readiness lost", failed...)
	}
}

// head reads the age of the head. Recovery wants half of the limit.
func (c *Checker) head(now time.Time, facts Facts) reading {
	if c.limits.HeadAge == 0 {
		return pass(true)
	}
	age := now.Sub(facts.HeadTime)
	return reading{fails: age > c.limits.HeadAge, passes: age <= c.limits.HeadAge/2}
}

func (c *Checker) headDetail(now time.Time, facts Facts) string {
	age := max(0, now.Sub(facts.HeadTime)).Round(100 * time.Millisecond)
	detail := fmt.Sprintf("block %d is %v old", facts.Head, age)
	if c.limits.HeadAge == 0 {
		return detail
	}
	return fmt.Sprintf("%s, at most %v", detail, c.limits.HeadAge)
}

func syncDetail(facts Facts) string {
	if facts.Target <= facts.Head {
		return "none runs"
	}
	return fmt.Sprintf("%d blocks behind block %d", facts.Target-facts.Head, facts.Target)
}

func (c *Checker) peersDetail(facts Facts) string {
	if facts.Alone {
		return fmt.Sprintf("%d connected, none needed", facts.Peers)
	}
	return fmt.Sprintf("%d connected, at least %d", facts.Peers, c.limits.Peers)
}

func consensusDetail(facts Facts) string {
	if facts.Halted != "" {
		return "halted: " + facts.Halted
	}
	return "not halted"
}

func (c *Checker) diskDetail(facts Facts) string {
	switch {
	case facts.DiskErr != nil:
		return "free space unknown: " + facts.DiskErr.Error()
	case facts.Free == math.MaxUint64:
		return "nothing to watch"
	case c.limits.Disk == 0:
		return fmt.Sprintf("%v free", common.StorageSize(facts.Free))
	}
	return fmt.Sprintf("%v free, at least %v", common.StorageSize(facts.Free), common.StorageSize(c.limits.Disk))
}

// ready reports whether all criteria are fulfilled. The caller holds mu.
func (c *Checker) ready() bool {
	for _, criterion := range c.criteria {
		if !criterion.OK {
			return false
		}
	}
	return len(c.criteria) > 0
}

// Ready returns the criteria of the last look, and whether all of them are fulfilled. Before the first look there are
// none, and the node is not ready; it is not ready either when the last look is too long ago.
func (c *Checker) Ready() ([]Criterion, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.criteria, c.ready() && c.alive()
}

// Notes returns the notes of the last look.
func (c *Checker) Notes() []Note {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.notes
}

// Alive reports whether the process still looks at itself. A halted or lagging node is alive: a restart mends nothing.
func (c *Checker) Alive() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.alive()
}

func (c *Checker) alive() bool { return c.checked.IsZero() || c.now().Sub(c.checked) < stuck }

func gauge(ok bool) int64 {
	if ok {
		return 1
	}
	return 0
}
