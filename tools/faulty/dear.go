// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package faulty

import (
	"crypto/ecdsa"
	"math/big"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/ethereum/go-ethereum/core/vm/program"
	"github.com/ethereum/go-ethereum/log"

	"gwon/consensus/wbft"
	"gwon/consensus/wbft/messages"
	"gwon/consensus/wbft/sim/modes"
)

// Modes of a faulty validator beside the one of Network. The validator's account has to hold coins.
const (
	// Dear proposes at every turn a block that takes the whole gas of a block to refute. It costs the proposer nothing,
	// since the block is never decided.
	Dear = "dear"
	// DearInTime is Dear with a block that can be refuted within a round.
	DearInTime = "dear-in-time"
	// Honest keeps to the rules, for a node that has another fault, such as a wrong clock.
	Honest = "honest"
)

// gasOf is the gas of the one transaction, by mode. Its MODEXP takes some ten seconds of processor for a hundred
// million.
var gasOf = map[string]uint64{Dear: 100_000_000, DearInTime: 1_000_000}

// dear proposes blocks that are dear to refute, in front of the true network.
type dear struct {
	wbft.Network
	key *ecdsa.PrivateKey
	gas uint64
}

// NetworkOf returns a network that misbehaves in a mode, with what the key may sign: one of those above or one of
// package modes. Without a mode it is that of Network.
func NetworkOf(mode string, inner wbft.Network, key *ecdsa.PrivateKey) wbft.Network {
	if mode == Honest {
		return inner
	}
	if gas := gasOf[mode]; gas > 0 {
		log.Warn("This binary proposes blocks that are dear to refute", "mode", mode)
		return &dear{inner, key, gas}
	}
	if other := newNamed(mode, inner, key); other != nil {
		return other
	}
	if mode != "" {
		log.Crit("Unknown mode of a faulty validator", "mode", mode, "modes",
			append(modes.Names(), modes.Every, Dear, DearInTime, Honest))
	}
	return Network(inner, key)
}

// Send implements wbft.Network.
func (n *dear) Send(set []common.Address, code uint64, payload []byte, to []common.Address, force bool) {
	m, err := messages.Decode(code, payload)
	proposal, ok := m.(*messages.PrePrepare)
	if err != nil || !ok || len(proposal.Prepares) > 0 {
		n.Network.Send(set, code, payload, to, force)
		return
	}
	other, err := n.wrong(proposal)
	if err != nil {
		log.Error("Dear proposal not made", "err", err)
		return
	}
	log.Info("Dear proposal sent", "number", proposal.Sequence, "round", proposal.Round, "hash", other.Block.Hash())
	n.Network.Send(set, code, other.Encode(), to, true)
}

// wrong returns the proposal with a block whose one transaction uses much gas, and whose state root is wrong.
func (n *dear) wrong(m *messages.PrePrepare) (*messages.PrePrepare, error) {
	header := m.Block.Header()
	price := new(big.Int).Mul(header.BaseFee, big.NewInt(10))
	tx, err := types.SignNewTx(n.key, types.HomesteadSigner{}, &types.LegacyTx{
		Gas: n.gas, GasPrice: price, Value: new(big.Int), Data: modexpLoop(),
	})
	if err != nil {
		return nil, err
	}
	block := withTransaction(types.NewBlockWithHeader(header), tx)
	header = block.Header()
	header.Root[0] ^= 1
	header.GasUsed = n.gas
	other := modes.Proposal(m, types.NewBlockWithHeader(header).WithBody(*block.Body()))
	return other, messages.Sign(other, n.key)
}

// modexpLoop returns code that calls MODEXP with a modulus of 8 bytes and an exponent of 512 bytes until there is no
// gas. For their gas these calls take the most time. No call is like another one, whose result may be cached.
func modexpLoop() []byte {
	const numbers, input = 3 * 32, 3*32 + 8 + 512 + 8
	p := program.New()
	for at, length := range []int{8, 512, 8} {
		p.Push(length).Push(32 * at).Op(vm.MSTORE)
	}
	for at := numbers; at < input; at += 32 {
		p.Op(vm.PUSH0, vm.NOT).Push(at).Op(vm.MSTORE)
	}
	_, loop := p.Jumpdest()
	for range 8 {
		p.Op(vm.GAS).Push(numbers+8).Op(vm.MSTORE, vm.PUSH0, vm.PUSH0).Push(input)
		p.Op(vm.PUSH0).Push(5).Op(vm.GAS, vm.STATICCALL, vm.POP)
	}
	return p.Jump(loop).Bytes()
}
