// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Package fetchtest provides a peer for tests that fetch contract code. It speaks the necessary parts of eth/68 and
// snap/1 (spec network 2.1, 4).
package fetchtest

import (
	"fmt"
	"slices"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"
	protocol "github.com/ethereum/go-ethereum/eth/protocols/eth"
	"github.com/ethereum/go-ethereum/eth/protocols/snap"
	"github.com/ethereum/go-ethereum/p2p"
	"github.com/ethereum/go-ethereum/p2p/enode"
)

// Answer returns the codes that a peer sends for a request.
type Answer func(hashes []common.Hash) [][]byte

// Nothing is the response of a peer without code.
func Nothing([]common.Hash) [][]byte { return nil }

// Serving is the response of a peer with these codes.
func Serving(codes ...[]byte) Answer {
	return func(hashes []common.Hash) (found [][]byte) {
		for _, code := range codes {
			if slices.Contains(hashes, crypto.Keccak256Hash(code)) {
				found = append(found, code)
			}
		}
		return found
	}
}

// Settings returns the settings of a node on a free loopback port that dials no peer by itself.
func Settings(t testing.TB) p2p.Config {
	t.Helper()
	key, err := crypto.GenerateKey()
	if err != nil {
		t.Fatal(err)
	}
	return p2p.Config{PrivateKey: key, MaxPeers: 10, NoDiscovery: true, ListenAddr: "127.0.0.1:0"}
}

// Start runs a peer with Settings; see StartWith.
func Start(t testing.TB, status protocol.StatusPacket68, answer Answer) *enode.Node {
	t.Helper()
	return StartWith(t, Settings(t), status, answer)
}

// StartWith runs a peer until the end of the test. It disconnects nodes whose Status has another network, genesis
// block or fork ID. Responses are sent concurrently.
func StartWith(t testing.TB, cfg p2p.Config, status protocol.StatusPacket68, answer Answer) *enode.Node {
	t.Helper()
	server := &p2p.Server{Config: cfg}
	server.Protocols = []p2p.Protocol{
		{Name: protocol.ProtocolName, Version: protocol.ETH68, Length: 17,
			Run: func(_ *p2p.Peer, rw p2p.MsgReadWriter) error {
				return runEth(rw, status)
			}},
		{Name: snap.ProtocolName, Version: snap.SNAP1, Length: 8, Run: func(_ *p2p.Peer, rw p2p.MsgReadWriter) error {
			return runSnap(rw, answer)
		}},
	}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Stop)
	return server.Self()
}

func runEth(rw p2p.MsgReadWriter, ours protocol.StatusPacket68) error {
	if err := p2p.Send(rw, protocol.StatusMsg, &ours); err != nil {
		return err
	}
	msg, err := rw.ReadMsg()
	if err != nil {
		return err
	}
	var status protocol.StatusPacket68
	if err := msg.Decode(&status); err != nil {
		return err
	}
	if status.NetworkID != ours.NetworkID || status.Genesis != ours.Genesis || status.ForkID != ours.ForkID {
		return fmt.Errorf("status %+v instead of %+v", status, ours)
	}
	for {
		msg, err := rw.ReadMsg()
		if err != nil {
			return err
		}
		if err := msg.Discard(); err != nil {
			return err
		}
	}
}

func runSnap(rw p2p.MsgReadWriter, answer Answer) error {
	for {
		msg, err := rw.ReadMsg()
		if err != nil {
			return err
		}
		if msg.Code != snap.GetByteCodesMsg {
			return fmt.Errorf("message %#x", msg.Code)
		}
		var req snap.GetByteCodesPacket
		if err := msg.Decode(&req); err != nil {
			return err
		}
		if err := p2p.Send(rw, snap.ByteCodesMsg, &snap.ByteCodesPacket{ID: req.ID, Codes: answer(req.Hashes)}); err != nil {
			return err
		}
	}
}
