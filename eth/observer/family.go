// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package observer

import (
	"fmt"
	"sync"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/metrics"

	"gwon/consensus/wbft/validators"
)

// family is one metric for each validator in charge, since go-ethereum's exporter writes no labels. The name of a
// member ends with the address. There are at most validators.MaxSize members.
type family[M any] struct {
	prefix string
	make   func(name string, registry metrics.Registry) M

	mu      sync.Mutex
	members map[common.Address]M
}

func newFamily[M any](prefix string, make func(string, metrics.Registry) M) *family[M] {
	return &family[M]{prefix: prefix, make: make, members: map[common.Address]M{}}
}

// keep registers the metrics of a set and unregisters all others. It returns the validators that are new.
func (f *family[M]) keep(set *validators.Set) (joined []common.Address) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for address := range f.members {
		if !set.Contains(address) {
			metrics.Unregister(f.name(address))
			delete(f.members, address)
		}
	}
	for _, address := range set.Addresses() {
		if _, known := f.members[address]; !known {
			f.members[address] = f.make(f.name(address), nil)
			joined = append(joined, address)
		}
	}
	return joined
}

// with calls update with the metric of a validator in charge. It does nothing for any other address.
func (f *family[M]) with(address common.Address, update func(M)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if member, ok := f.members[address]; ok {
		update(member)
	}
}

func (f *family[M]) name(address common.Address) string {
	return fmt.Sprintf("%s/%#x", f.prefix, address)
}

// The families of metrics by validator.
type families struct {
	sealsGiven, sealsMissed        *family[*metrics.Counter]
	proposalsMade, proposalsMissed *family[*metrics.Counter]
	lastSealed                     *family[*metrics.Gauge]
	shareShort, shareLong          *family[*metrics.GaugeFloat64]
	proposalDelay                  *family[*metrics.Gauge]
	prepareDelay, commitDelay      *family[*metrics.Gauge]
}

func newFamilies() *families {
	counter := metrics.GetOrRegisterCounter
	return &families{
		sealsGiven:      newFamily("gwon/validator/seals/given", counter),
		sealsMissed:     newFamily("gwon/validator/seals/missed", counter),
		proposalsMade:   newFamily("gwon/validator/proposals/made", counter),
		proposalsMissed: newFamily("gwon/validator/proposals/missed", counter),
		lastSealed:      newFamily("gwon/validator/sealed/last", metrics.GetOrRegisterGauge),
		shareShort:      newFamily("gwon/validator/participation/100", metrics.GetOrRegisterGaugeFloat64),
		shareLong:       newFamily("gwon/validator/participation/1000", metrics.GetOrRegisterGaugeFloat64),
		proposalDelay:   newFamily("gwon/validator/proposal/delay", metrics.GetOrRegisterGauge),
		prepareDelay:    newFamily("gwon/validator/prepare/delay", metrics.GetOrRegisterGauge),
		commitDelay:     newFamily("gwon/validator/commit/delay", metrics.GetOrRegisterGauge),
	}
}

// keep registers the metrics of a set and unregisters all others. A validator that is new counts as heard at a block,
// and has missed nothing.
func (f *families) keep(set *validators.Set, block uint64) {
	for _, counters := range []*family[*metrics.Counter]{
		f.sealsGiven, f.sealsMissed, f.proposalsMade, f.proposalsMissed,
	} {
		counters.keep(set)
	}
	for _, shares := range []*family[*metrics.GaugeFloat64]{f.shareShort, f.shareLong} {
		for _, address := range shares.keep(set) {
			shares.with(address, func(g *metrics.GaugeFloat64) { g.Update(1) })
		}
	}
	for _, delays := range []*family[*metrics.Gauge]{f.proposalDelay, f.prepareDelay, f.commitDelay} {
		delays.keep(set)
	}
	for _, address := range f.lastSealed.keep(set) {
		f.lastSealed.with(address, func(g *metrics.Gauge) { g.Update(int64(block)) })
	}
}

// increment adds one to the counter of a validator.
func increment(f *family[*metrics.Counter], address common.Address) {
	f.with(address, func(c *metrics.Counter) { c.Inc(1) })
}
