// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package signer

import (
	"fmt"
	"net"
	"time"

	"github.com/ethereum/go-ethereum/rlp"

	"gwon/consensus/wbft/messages"
	"gwon/consensus/wbft/signer/wire"
)

// Status is what a signer tells its operator.
type Status struct {
	Address   string `json:"address"`
	BLS       string `json:"blsPublicKey"`
	Genesis   string `json:"genesis"`
	ChainID   uint64 `json:"chainId"`
	Node      string `json:"node"`           // the one that may sign, empty for none
	Floor     uint64 `json:"lowestSequence"` // below it nothing is signed
	Sequences uint64 `json:"sequences"`      // in the vote log
	Highest   uint64 `json:"highest"`        // sequence with a signed message
	Signed    uint64 `json:"signed"`         // since the start
	Refused   uint64 `json:"refused"`
	Refusal   string `json:"lastRefusal"`
	Broken    string `json:"broken"` // why nothing is signed
	// Possession is the proof that a registration of the key needs.
	Possession string `json:"proofOfPossession" rlp:"optional"`
}

// Ask asks the signer at a socket for its status.
func Ask(socket string) (*Status, error) {
	conn, err := control(socket)
	if err != nil {
		return nil, err
	}
	defer conn.Close() //nolint:errcheck // the answer is complete
	raw, err := wire.Call(conn, wire.KindStatus, &wire.Number{}, messages.MaxSmall)
	if err != nil {
		return nil, err
	}
	out := new(Status)
	if err := rlp.DecodeBytes(raw, out); err != nil {
		return nil, fmt.Errorf("status of the signer: %w", err)
	}
	return out, nil
}

// Release takes the right to sign from the node that has it.
func Release(socket string) error {
	conn, err := control(socket)
	if err != nil {
		return err
	}
	defer conn.Close() //nolint:errcheck // the answer is complete
	_, err = wire.Call(conn, wire.KindRelease, &wire.Number{}, messages.MaxSmall)
	return err
}

// control returns a connection with the role of the operator.
func control(socket string) (net.Conn, error) {
	conn, err := wire.Dial(socket, nil)
	if err != nil {
		return nil, fmt.Errorf("signer at %s: %w: is gwon-signer run active?", socket, err)
	}
	if err := conn.SetDeadline(time.Now().Add(wire.CallTimeout)); err != nil {
		return nil, err
	}
	greeting := &wire.Hello{Version: wire.Version, Role: wire.RoleControl}
	if _, err := wire.Call(conn, wire.KindHello, greeting, messages.MaxSmall); err != nil {
		return nil, fmt.Errorf("signer at %s: %w", socket, err)
	}
	return conn, nil
}
