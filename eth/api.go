// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package eth

import (
	"context"
	"fmt"
	"math/big"
	"slices"

	"github.com/ethereum/go-ethereum"
	"github.com/ethereum/go-ethereum/accounts"
	"github.com/ethereum/go-ethereum/common"
	gethcore "github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/txpool"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/eth"
	"github.com/ethereum/go-ethereum/p2p"
	"github.com/ethereum/go-ethereum/p2p/enode"
	gethparams "github.com/ethereum/go-ethereum/params"

	"gwon/consensus/wbft/evidence"
	"gwon/consensus/wbft/validators"
	"gwon/eth/forkwatch"
	"gwon/eth/session"
	"gwon/rpc"
)

// Chain implements rpc.Backend.
func (s *Service) Chain() *gethcore.BlockChain { return s.chain }

// APIBackend implements rpc.Backend.
func (s *Service) APIBackend() *eth.EthAPIBackend { return s.ethereum.APIBackend }

// AccountManager implements rpc.Backend.
func (s *Service) AccountManager() *accounts.Manager { return s.ethereum.AccountManager() }

// TxPool implements rpc.Backend.
func (s *Service) TxPool() *txpool.TxPool { return s.ethereum.TxPool() }

// NodeAddress implements rpc.Backend.
func (s *Service) NodeAddress() common.Address { return s.address }

// Evidence implements rpc.Backend.
func (s *Service) Evidence() *evidence.Store { return s.evidence }

// SenderHashes implements rpc.Backend.
func (s *Service) SenderHashes() rpc.SenderHashes { return (*senderHashes)(s) }

// UnlockAllowed implements rpc.Backend.
func (s *Service) UnlockAllowed() bool {
	return s.cfg.UnlockAllowed || !s.stack.Config().ExtRPCEnabled()
}

// Sealing reports whether the node seals blocks or takes part in their sealing.
func (s *Service) Sealing() bool {
	if s.cfg.Sealer != nil {
		return s.cfg.Sealer.Running()
	}
	return s.driver.Running()
}

// SyncProgress returns the progress of a running sync; false if none runs.
func (s *Service) SyncProgress(ctx context.Context) (ethereum.SyncProgress, bool) {
	start, current, highest, running := s.syncer.Progress()
	if !running {
		return ethereum.SyncProgress{}, false
	}
	progress := s.APIBackend().SyncProgress(ctx) // snap sync and index counters
	progress.StartingBlock, progress.CurrentBlock, progress.HighestBlock = start, current, highest
	return progress, true
}

// SyncTarget returns the number of the block that a running sync heads for, 0 without a sync.
func (s *Service) SyncTarget() uint64 {
	_, _, highest, running := s.syncer.Progress()
	if !running {
		return 0
	}
	return highest
}

// Attendance reports whether this node alone seals the next block, so that it needs no peer. Missing says which
// validators a validator misses for a block; it is empty when enough are connected.
func (s *Service) Attendance() (alone bool, missing string) {
	if s.cfg.Sealer != nil {
		return true, ""
	}
	set, err := s.engine.ValidatorsAfter(s.chain, s.chain.CurrentBlock())
	if err != nil || !set.Contains(s.address) {
		return false, ""
	}
	present := s.sessions.Present()
	present[s.address] = true
	isAbsent := func(a common.Address) bool { _, here := present[a]; return !here }
	absent := slices.DeleteFunc(set.Addresses(), func(a common.Address) bool { return !isAbsent(a) })
	var silent []common.Address
	if s.driver.Running() {
		silent = slices.DeleteFunc(slices.Clone(s.driver.Status().Missing), isAbsent)
	}
	if set.Len()-len(absent)-len(silent) < set.Quorum() {
		missing = validators.Attendance(set.Len(), absent, silent)
	}
	return set.Len() == 1, missing
}

// ValidatorsAt returns the validator set of a block up to the child of the head (spec wbft 3.1).
func (s *Service) ValidatorsAt(number uint64) (*validators.Set, error) {
	if number == 0 {
		return s.engine.ValidatorsFor(s.chain, s.chain.Genesis().Header())
	}
	parent := s.chain.GetHeaderByNumber(number - 1)
	if parent == nil {
		return nil, fmt.Errorf("block %d is beyond the head of the chain", number)
	}
	return s.engine.ValidatorsAfter(s.chain, parent)
}

// ValidatorsForHeader returns the validator set of the block with this header.
func (s *Service) ValidatorsForHeader(header *types.Header) (*validators.Set, error) {
	return s.engine.ValidatorsFor(s.chain, header)
}

// Peer returns the description of a connected peer; nil if it is not connected.
func (s *Service) Peer(id enode.ID) *p2p.PeerInfo {
	for _, info := range s.stack.Server().PeersInfo() {
		if info.ID == id.String() {
			return info
		}
	}
	return nil
}

// ConsensusStatus returns the state of the consensus on this node. Of a halted validator it is that before the halt.
func (s *Service) ConsensusStatus() any {
	status := struct {
		Address common.Address `json:"address"`
		Sealing bool           `json:"sealing"`
		Halted  string         `json:"halted,omitempty"`
		Muted   string         `json:"muted,omitempty"`
		Waiting string         `json:"waiting,omitempty"`
		// Rival is a second block that a quorum has sealed.
		Rival string `json:"rival,omitempty"`
		// SignFrom is the block of --validator.signfrom.
		SignFrom uint64 `json:"signFrom,omitempty"`
		// Forks are the signs of rules that this node lacks.
		Forks forkwatch.Report `json:"forks"`
		// Configuration is the fingerprint of the chain configuration.
		Configuration common.Hash `json:"configuration"`
		Core          any         `json:"core,omitempty"`
	}{
		s.address, s.Sealing(), s.driver.Halted(), s.driver.Muted(), s.driver.Waiting(), s.safety.Rival(), s.cfg.SignFrom,
		s.forks.Report(), s.Configuration.Hash(), nil,
	}
	last := s.driver.Status()
	if s.driver.Running() || status.Halted != "" && last.Sequence > 0 {
		status.Core = last
	}
	return status
}

// senderHashes implements rpc.SenderHashes with the service.
type senderHashes Service

// Mined implements rpc.SenderHashes.
func (s *senderHashes) Mined(hash common.Hash) (common.Hash, bool, error) {
	return s.senders.Find(hash)
}

// Pooled implements rpc.SenderHashes.
func (s *senderHashes) Pooled(hash common.Hash) *types.Transaction {
	return s.pool.GetBySenderHash(hash)
}

// nodeInfo returns the entry istanbul of admin_nodeInfo (spec rpc 4.5).
func (s *Service) nodeInfo() any {
	head := s.chain.CurrentBlock()
	return struct {
		Network    uint64                  `json:"network"`
		Difficulty *big.Int                `json:"difficulty"` // total difficulty of the head
		Genesis    common.Hash             `json:"genesis"`
		Config     *gethparams.ChainConfig `json:"config"`
		Head       common.Hash             `json:"head"`
		Indexes    []Index                 `json:"indexes"`
	}{s.cfg.Eth.NetworkId, session.TotalDifficulty(s.chain, head.Number.Uint64()), s.chain.Genesis().Hash(),
		s.chain.Config(), head.Hash(), s.Indexes()}
}
