// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package mempool

import (
	"time"

	"github.com/ethereum/go-ethereum/core/txpool/legacypool"
	"github.com/ethereum/go-ethereum/log"

	"gwon/params"
)

// Config is the part of go-ethereum's pool configuration that gwon's pool uses. Limits count slots: one per started
// 32 KiB of a transaction.
type Config struct {
	PriceBump    uint64 // percent by which both fees of a replacement exceed the old ones at least
	AccountSlots uint64 // executable slots up to which a sender may use the last quarter of GlobalSlots
	GlobalSlots  uint64 // executable slots of all senders
	AccountQueue uint64 // queued slots of one sender
	GlobalQueue  uint64 // queued slots of all senders
	// DelegatedSlots is the number of executable transactions of an account with code.
	DelegatedSlots uint64
	PayerSlots     uint64        // transactions of others that one fee payer backs, 0 for a quarter of GlobalSlots
	Lifetime       time.Duration // of queued transactions whose account is inactive
}

// Defaults hold ten blocks of 105 million gas full of transfers, and a fifth of that as queued transactions.
var Defaults = Config{
	PriceBump:    10,
	AccountSlots: 16,
	GlobalSlots:  51_200,
	AccountQueue: 640,
	GlobalQueue:  10_240,
	Lifetime:     3 * time.Hour,

	DelegatedSlots: 1,
}

// FromUpstream returns the pool's part of the node's configuration. Upstream knows no fee payers, and fixes the slots
// of delegated accounts.
func FromUpstream(config legacypool.Config, payerSlots, delegatedSlots uint64) Config {
	return Config{
		DelegatedSlots: delegatedSlots,

		PriceBump:    config.PriceBump,
		AccountSlots: config.AccountSlots,
		GlobalSlots:  config.GlobalSlots,
		AccountQueue: config.AccountQueue,
		GlobalQueue:  config.GlobalQueue,
		PayerSlots:   payerSlots,
		Lifetime:     config.Lifetime,
	}
}

// Apply writes c into the node's configuration.
func (c Config) Apply(config *legacypool.Config) {
	config.PriceBump = c.PriceBump
	config.AccountSlots = c.AccountSlots
	config.GlobalSlots = c.GlobalSlots
	config.AccountQueue = c.AccountQueue
	config.GlobalQueue = c.GlobalQueue
	config.Lifetime = c.Lifetime
}

// sanitize returns c with defaults in place of zeros, and warns of each.
func (c Config) sanitize() Config {
	const message = "Pool limit of 0 replaced by its default"
	for _, f := range []struct {
		flag        string
		value       *uint64
		replacement uint64
	}{
		{"txpool.pricebump", &c.PriceBump, Defaults.PriceBump},
		{"txpool.accountslots", &c.AccountSlots, Defaults.AccountSlots},
		{"txpool.globalslots", &c.GlobalSlots, Defaults.GlobalSlots},
		{"txpool.accountqueue", &c.AccountQueue, Defaults.AccountQueue},
		{"txpool.globalqueue", &c.GlobalQueue, Defaults.GlobalQueue},
		{"txpool.delegatedslots", &c.DelegatedSlots, Defaults.DelegatedSlots},
	} {
		if *f.value == 0 {
			log.Warn(message, "flag", "--"+f.flag, "default", f.replacement)
			*f.value = f.replacement
		}
	}
	if c.Lifetime <= 0 {
		log.Warn(message, "flag", "--txpool.lifetime", "default", Defaults.Lifetime)
		c.Lifetime = Defaults.Lifetime
	}
	return c
}

// perAccount returns the slots that one sender may use, and the default of perPayer.
func (c *Config) perAccount() uint64 { return max(c.GlobalSlots/4, c.AccountSlots) }

// perPayer returns the number of transactions of others that one fee payer may back.
func (c *Config) perPayer() uint64 {
	if c.PayerSlots > 0 {
		return c.PayerSlots
	}
	return c.perAccount()
}

// initialPlaces returns the reserved slots of a new sender or fee payer: 2 % of the pool.
func (c *Config) initialPlaces() uint64 { return max(c.GlobalSlots/50, c.AccountSlots) }

// payerQueue returns the number of queued transactions that one fee payer may back: an eighth of all.
func (c *Config) payerQueue() uint64 { return max(c.GlobalQueue/8, c.AccountQueue) }

// maxBytes returns the encoded bytes that the pool holds: 1 KiB for each slot, and at least a few large transactions.
func (c *Config) maxBytes() uint64 {
	return max(1024*(c.GlobalSlots+c.GlobalQueue), 16*params.MaxTransactionBytes)
}
