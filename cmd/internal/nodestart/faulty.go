// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

//go:build faulty

package nodestart

import (
	"crypto/ecdsa"
	"os"
	"time"

	"github.com/ethereum/go-ethereum/log"

	"gwon/consensus/wbft"
	"gwon/eth"
	"gwon/tools/faulty"
)

// wrongClock is an engine whose wall clock is off.
type wrongClock struct{ *wbft.Engine }

// WBFT implements eth.EngineWrapper.
func (w wrongClock) WBFT() *wbft.Engine { return w.Engine }

// setClock makes timestamps of blocks be made and judged by a clock that is off, such as by "-2s".
func setClock(by string) {
	off, err := time.ParseDuration(by)
	if err != nil {
		log.Crit("FAULTY_CLOCK is no duration, such as -2s", "value", by)
	}
	eth.WrapEngine(func(engine *wbft.Engine) eth.EngineWrapper {
		engine.SetClock(func() time.Time { return time.Now().Add(off) })
		return wrongClock{engine}
	})
}

func init() {
	if by := os.Getenv("FAULTY_CLOCK"); by != "" {
		setClock(by)
	}
	misbehave = func(key *ecdsa.PrivateKey) func(wbft.Network) wbft.Network {
		return func(inner wbft.Network) wbft.Network { return faulty.NetworkOf(os.Getenv("FAULTY_MODE"), inner, key) }
	}
}
