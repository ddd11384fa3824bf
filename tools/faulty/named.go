// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package faulty

import (
	"crypto/ecdsa"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/log"

	"gwon/consensus/wbft"
	"gwon/consensus/wbft/bls"
	"gwon/consensus/wbft/messages"
	"gwon/consensus/wbft/sim/modes"
)

// named carries what a mode of package modes sends, in front of the true network.
type named struct {
	wbft.Network
	mode modes.Mode
}

// newNamed returns a network that misbehaves in a mode of package modes, or nil for a name that is none.
func newNamed(name string, inner wbft.Network, key *ecdsa.PrivateKey) wbft.Network {
	secret, err := bls.DeriveKey(key)
	if err != nil {
		log.Error("BLS key not derived from the node key", "err", err)
		return nil
	}
	mode := modes.New(name, modes.Key{
		Address: crypto.PubkeyToAddress(key.PublicKey),
		BLS:     secret.PublicKey().Bytes(),
		Sign:    func(payload []byte) ([]byte, error) { return crypto.Sign(crypto.Keccak256(payload), key) },
		Seal:    func(digest [32]byte) []byte { return secret.Sign(digest[:]) },
	})
	if mode == nil {
		return nil
	}
	log.Warn("This binary breaks the rules of the consensus on purpose", "mode", name)
	return &named{inner, mode}
}

// Send implements wbft.Network.
func (n *named) Send(set []common.Address, code uint64, payload []byte, to []common.Address, force bool) {
	m, err := messages.Decode(code, payload)
	if err != nil {
		log.Error("Own message does not decode", "code", code, "err", err)
		return
	}
	for _, o := range n.mode.Send(m) {
		part := to
		switch o.To {
		case modes.First:
			part = half(set)
		case modes.Second:
			part = set[len(half(set)):]
		}
		n.Network.Send(set, o.Code, o.Payload, part, force)
	}
}

// Relay implements wbft.Network: a message that is due to be passed on is one that was heard.
func (n *named) Relay(set []common.Address, code uint64, payload []byte) {
	if m, err := messages.Decode(code, payload); err == nil {
		for _, o := range n.mode.Heard(m) {
			n.Network.Send(set, o.Code, o.Payload, nil, true)
		}
	}
	n.Network.Relay(set, code, payload)
}

// Broadcast implements wbft.Network.
func (n *named) Broadcast(block *types.Block, holders []common.Address) {
	for _, spoiled := range n.mode.Broadcast(block) {
		n.Network.Broadcast(spoiled, nil)
	}
	n.Network.Broadcast(block, holders)
}
