// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package codefetch

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/log"
	"github.com/ethereum/go-ethereum/p2p"

	"gwon/contracts/store"
	"gwon/core"
)

// shortage is the missing code and its store. It is safe for concurrent use.
type shortage struct {
	store *store.Store
	log   log.Logger

	progress chan struct{} // a code was stored; capacity 1
	genesis  chan struct{} // closed when the genesis block has all code
	done     chan struct{} // closed when no code is missing
	failed   chan error    // the store failed; capacity 1

	mu      sync.Mutex
	missing map[common.Hash]core.MissingCode
}

func newShortage(missing []core.MissingCode, store *store.Store) *shortage {
	s := &shortage{
		store:    store,
		log:      log.Root(),
		progress: make(chan struct{}, 1),
		genesis:  make(chan struct{}),
		done:     make(chan struct{}),
		failed:   make(chan error, 1),
		missing:  make(map[common.Hash]core.MissingCode),
	}
	for _, m := range missing {
		// Code of genesis and of an upgrade counts as that of genesis.
		if earlier, ok := s.missing[m.Hash]; !ok || m.Block < earlier.Block {
			s.missing[m.Hash] = m
		}
	}
	s.signal()
	return s
}

// wanted returns the missing hashes in ascending order.
func (s *shortage) wanted() []common.Hash {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.SortedFunc(maps.Keys(s.missing), common.Hash.Cmp)
}

// names returns the missing contracts and versions, with the first bytes of their hashes.
func (s *shortage) names() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var names []string
	for _, m := range s.missing {
		names = append(names, fmt.Sprintf("%s %s (%#x)", m.Contract, m.Version, m.Hash[:4]))
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}

// take checks a response against the requested hashes and stores valid code. It reports whether the response
// contained code. An error is the peer's fault.
func (s *shortage) take(from *p2p.Peer, asked []common.Hash, codes [][]byte) (useful bool, err error) {
	if len(codes) > len(asked) {
		return false, fmt.Errorf("%w: %d codes for %d hashes", errBreach, len(codes), len(asked))
	}
	open := make(map[common.Hash]bool, len(asked))
	for _, hash := range asked {
		open[hash] = true
	}
	defer s.signal() // after the whole response, which may have more than genesis needs
	for _, code := range codes {
		hash := crypto.Keccak256Hash(code)
		if !open[hash] {
			return useful, fmt.Errorf("%w: %d bytes of code with hash %v, which was not asked for", errBreach, len(code), hash)
		}
		delete(open, hash)
		s.keep(from, hash, code)
		useful = true
	}
	return useful, nil
}

// keep stores requested code, unless another peer was faster.
func (s *shortage) keep(from *p2p.Peer, hash common.Hash, code []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	m, ok := s.missing[hash]
	if !ok {
		return
	}
	if _, err := s.store.Put(code); err != nil {
		select {
		case s.failed <- err:
		default:
		}
		return
	}
	delete(s.missing, hash)
	s.log.Info("Contract code fetched", "contract", m.Contract, "version", m.Version, "hash", hash, "peer", from.ID())
	select {
	case s.progress <- struct{}{}:
	default:
	}
}

// signal closes the channels of completed parts.
func (s *shortage) signal() {
	s.mu.Lock()
	defer s.mu.Unlock()
	genesis := true
	for _, m := range s.missing {
		genesis = genesis && m.Block > 0
	}
	for _, c := range []struct {
		reached bool
		ch      chan struct{}
	}{{genesis, s.genesis}, {len(s.missing) == 0, s.done}} {
		select {
		case <-c.ch:
		default:
			if c.reached {
				close(c.ch)
			}
		}
	}
}
