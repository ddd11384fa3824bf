// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package mempool

import (
	"time"

	"github.com/ethereum/go-ethereum/core/txpool/legacypool"
	"github.com/ethereum/go-ethereum/log"
)

// Config is the part of go-ethereum's pool configuration that means something here. Counts are in slots: one for each begun 32 KiB of a
// transaction.
type Config struct {
	PriceBump    uint64        // percent by which both fees of a replacement must exceed the old ones
	AccountSlots uint64        // executable transactions of one sender for which the last quarter of GlobalSlots is open
	GlobalSlots  uint64        // executable transactions of all senders
	AccountQueue uint64        // transactions of one sender behind a gap
	GlobalQueue  uint64        // transactions of all senders behind gaps
	PayerSlots   uint64        // transactions that one fee payer backs, 0 for a quarter of GlobalSlots
	Lifetime     time.Duration // for which an account may do nothing before what it has behind a gap is dropped
}

// Defaults hold ten blocks of 105 million gas full of transfers, and a fifth of that behind gaps.
var Defaults = Config{
	PriceBump:    10,
	AccountSlots: 16,
	GlobalSlots:  51_200,
	AccountQueue: 640,
	GlobalQueue:  10_240,
	Lifetime:     3 * time.Hour,
}

// FromUpstream takes over what the node's configuration says about the pool.
func FromUpstream(config legacypool.Config) Config {
	return Config{PriceBump: config.PriceBump, AccountSlots: config.AccountSlots, GlobalSlots: config.GlobalSlots,
		AccountQueue: config.AccountQueue, GlobalQueue: config.GlobalQueue, PayerSlots: config.PayerSlots, Lifetime: config.Lifetime}
}

// Apply writes the defaults into the node's configuration.
func (c Config) Apply(config *legacypool.Config) {
	config.PriceBump, config.AccountSlots, config.GlobalSlots = c.PriceBump, c.AccountSlots, c.GlobalSlots
	config.AccountQueue, config.GlobalQueue, config.PayerSlots, config.Lifetime = c.AccountQueue, c.GlobalQueue, c.PayerSlots, c.Lifetime
}

// sanitize replaces what cannot be meant, and says so.
func (c Config) sanitize() Config {
	for _, f := range []struct {
		flag        string
		value       *uint64
		replacement uint64
	}{
		{"txpool.pricebump", &c.PriceBump, Defaults.PriceBump}, {"txpool.accountslots", &c.AccountSlots, Defaults.AccountSlots},
		{"txpool.globalslots", &c.GlobalSlots, Defaults.GlobalSlots}, {"txpool.accountqueue", &c.AccountQueue, Defaults.AccountQueue},
		{"txpool.globalqueue", &c.GlobalQueue, Defaults.GlobalQueue},
	} {
		if *f.value == 0 {
			log.Warn("The pool cannot work with 0, the default is used", "flag", "--"+f.flag, "default", f.replacement)
			*f.value = f.replacement
		}
	}
	if c.Lifetime <= 0 {
		log.Warn("The pool cannot work with 0, the default is used", "flag", "--txpool.lifetime", "default", Defaults.Lifetime)
		c.Lifetime = Defaults.Lifetime
	}
	return c
}

// perAccount returns how many slots one sender may have in all, and unless PayerSlots says otherwise how many transactions one fee payer
// may back.
func (c *Config) perAccount() uint64 { return max(c.GlobalSlots/4, c.AccountSlots) }

func (c *Config) perPayer() uint64 {
	if c.PayerSlots > 0 {
		return c.PayerSlots
	}
	return c.perAccount()
}

// start returns how many sure places an account has before it has done anything, as a sender and as a fee payer: a
// fiftieth of the pool.
func (c *Config) start() uint64 { return max(c.GlobalSlots/50, c.AccountSlots) }

// payerQueue returns how many transactions behind gaps one fee payer may back: an eighth of all, twice as many as one sender has.
func (c *Config) payerQueue() uint64 { return max(c.GlobalQueue/8, c.AccountQueue) }

// maxBytes returns how many bytes of encoded transactions the pool holds: 1 KiB a slot, and room for a few large ones.
func (c *Config) maxBytes() uint64 { return max(1024*(c.GlobalSlots+c.GlobalQueue), 16*maxSize) }
