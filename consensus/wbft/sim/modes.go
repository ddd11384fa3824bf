// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package sim

import (
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"gwon/consensus/wbft/messages"
	"gwon/consensus/wbft/sim/modes"
)

// Named is a Byzantine validator in one of the modes of package modes.
type Named struct {
	Name string

	mode modes.Mode
	of   common.Hash // the message that out is in place of
	out  []modes.Out
}

// start makes the mode with the key of a node.
func (b *Named) start(n *raw) modes.Mode {
	if b.mode == nil {
		b.mode = modes.New(b.Name, modes.Key{
			Address: n.address, BLS: n.bls.PublicKey().Bytes(), Sign: n.sign,
			Seal: func(digest [32]byte) []byte { return n.seal(digest[:]) },
		})
	}
	return b.mode
}

// Send implements Behavior.
func (b *Named) Send(n *raw, to *Node, code uint64, payload []byte) (list []Wire) {
	if hash := messages.KnownHash(payload); hash != b.of {
		m, err := messages.Decode(code, payload)
		if err != nil {
			return nil
		}
		b.of, b.out = hash, b.start(n).Send(m)
		for _, o := range b.out {
			n.learn(o)
		}
	}
	for _, o := range b.out {
		if o.To == modes.All || (o.To == modes.First) == (to.id%2 == 0) {
			list = append(list, Wire{o.Code, o.Payload})
		}
	}
	return list
}

// Observe implements Behavior.
func (b *Named) Observe(n *raw, code uint64, payload []byte) {
	m, err := messages.Decode(code, payload)
	if err != nil {
		return
	}
	for _, o := range b.start(n).Heard(m) {
		n.learn(o)
		n.spread([]Wire{{o.Code, o.Payload}})
	}
}

// learn tells the observer of the block in a message.
func (n *raw) learn(o modes.Out) {
	if o.Code != messages.CodePrePrepare {
		return
	}
	if m, err := messages.Decode(o.Code, o.Payload); err == nil {
		n.net.observer.learn(m.(*messages.PrePrepare).Block)
	}
}

// spoil announces what the mode makes of a decided block.
func (b *Named) spoil(n *raw, block *types.Block) {
	for _, spoiled := range b.start(n).Broadcast(block) {
		n.net.observer.spoiled(spoiled)
		n.announce(spoiled)
	}
}
