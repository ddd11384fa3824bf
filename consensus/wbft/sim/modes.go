// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package sim

import (
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"gwon/consensus/wbft/messages"
	"gwon/consensus/wbft/sim/modes"
)

// named is a Byzantine validator in one of the modes of package modes.
type named struct {
	name string

	mode modes.Mode
	of   common.Hash // the message that out is in place of
	out  []modes.Out
}

// start makes the mode with the key of a node.
func (b *named) start(n *raw) modes.Mode {
	if b.mode == nil {
		b.mode = modes.New(b.name, modes.Key{
			Address: n.address, BLS: n.bls.PublicKey().Bytes(), Sign: n.sign,
			Seal: func(digest [32]byte) []byte { return n.seal(digest[:]) },
		})
	}
	return b.mode
}

func (b *named) send(n *raw, to *Node, m said) (list []Wire) {
	if hash := messages.KnownHash(m.payload); hash != b.of {
		b.of, b.out = hash, b.start(n).Send(m.Message)
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

func (b *named) observe(n *raw, m said) {
	for _, o := range b.start(n).Heard(m.Message) {
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
func (b *named) spoil(n *raw, block *types.Block) {
	for _, spoiled := range b.start(n).Broadcast(block) {
		n.net.observer.spoiled(spoiled)
		n.announce(spoiled)
	}
}
