// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package rpc

import (
	"github.com/ethereum/go-ethereum/p2p"
	"github.com/ethereum/go-ethereum/p2p/enode"
)

// admin adds a method to the namespace of that name (spec rpc 4.5).
type admin struct {
	node interface {
		Peer(id enode.ID) *p2p.PeerInfo
	}
}

// PeerInfo returns the entry of admin_peers for one peer, or null. The ID has 64 hexadecimal digits.
func (a *admin) PeerInfo(id enode.ID) *p2p.PeerInfo { return a.node.Peer(id) }
