// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package signer

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/rlp"
)

// Bounds of what peers see of the key, in bytes: a node record (EIP-778) and a packet of the discovery protocol v4.
const (
	maxNodeRecord = 300
	maxPacket     = 1280
)

// Packet types of discovery v4.
const (
	packetPing = iota + 1
	packetPong
	packetFindnode
	packetNeighbors
	packetENRRequest
	packetENRResponse
)

// shared returns the x coordinate of the product of a point and the node key, the secret of a handshake with its owner.
func (g *guard) shared(point []byte) ([]byte, error) {
	remote, err := crypto.UnmarshalPubkey(point)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errRefused, err)
	}
	x, _ := remote.ScalarMult(remote.X, remote.Y, crypto.FromECDSA(g.key)) //nolint:staticcheck // the curve of peers
	if x == nil {
		return nil, fmt.Errorf("%w: the shared secret is the point at infinity", errRefused)
	}
	return x.FillBytes(make([]byte, 32)), nil
}

// signRecord signs the content of a node record of this key. The pairs of a record begin with a string, where a
// consensus message has a list, so that no signature of the one is one of the other.
func (g *guard) signRecord(content []byte) ([]byte, error) {
	if err := checkRecord(content, crypto.CompressPubkey(&g.key.PublicKey)); err != nil {
		return nil, fmt.Errorf("%w: not a node record: %w", errRefused, err)
	}
	return crypto.Sign(crypto.Keccak256(content), g.key)
}

// checkRecord checks that content is the list of a sequence number and sorted pairs, with scheme v4 and this key.
func checkRecord(content, public []byte) error {
	if len(content) > maxNodeRecord {
		return fmt.Errorf("%d bytes, at most %d are allowed", len(content), maxNodeRecord)
	}
	var items []rlp.RawValue
	if err := rlp.DecodeBytes(content, &items); err != nil {
		return err
	}
	if len(items)%2 != 1 {
		return errors.New("the pairs are not complete")
	}
	var sequence uint64
	if err := rlp.DecodeBytes(items[0], &sequence); err != nil {
		return fmt.Errorf("sequence number: %w", err)
	}
	want := map[string][]byte{"id": []byte("v4"), "secp256k1": public}
	var before string
	for i := 1; i < len(items); i += 2 {
		var key string
		if err := rlp.DecodeBytes(items[i], &key); err != nil {
			return fmt.Errorf("key of a pair: %w", err)
		}
		if i > 1 && key <= before {
			return errors.New("the pairs are not sorted")
		}
		before = key
		if value, ok := want[key]; ok {
			var got []byte
			if err := rlp.DecodeBytes(items[i+1], &got); err != nil || !bytes.Equal(got, value) {
				return fmt.Errorf("pair %s has another value", key)
			}
			delete(want, key)
		}
	}
	if len(want) > 0 {
		return errors.New("identity scheme or key is missing")
	}
	return nil
}

// signPacket signs a packet of discovery v4: its type, then a list. A consensus message is a list alone. A transaction
// and an authorization of EIP-7702 also have a type and a list, so that the form of each packet is checked.
func (g *guard) signPacket(packet []byte) ([]byte, error) {
	if err := checkPacket(packet); err != nil {
		return nil, fmt.Errorf("%w: not a packet of discovery v4: %w", errRefused, err)
	}
	return crypto.Sign(crypto.Keccak256(packet), g.key)
}

// checkPacket checks that a packet has the form of its type. A transaction has no list among its first seven fields and
// no field of 64 bytes among them, and an authorization has three fields.
func checkPacket(packet []byte) error {
	if len(packet) < 2 || len(packet) > maxPacket {
		return fmt.Errorf("%d bytes, at most %d are allowed", len(packet), maxPacket)
	}
	var items []rlp.RawValue
	if err := rlp.DecodeBytes(packet[1:], &items); err != nil {
		return err
	}
	listAt := func(i int) bool { return i < len(items) && items[i][0] >= rlp.EmptyList[0] }
	var fits bool
	switch packet[0] {
	case packetPing, packetENRResponse:
		fits = listAt(1) // an endpoint, or a node record
	case packetPong, packetNeighbors:
		fits = listAt(0) // an endpoint, or nodes
	case packetFindnode:
		var target []byte
		fits = len(items) == 2 && rlp.DecodeBytes(items[0], &target) == nil && len(target) == 64
	case packetENRRequest:
		fits = len(items) == 1 // the time
	}
	if !fits {
		return fmt.Errorf("type %d does not begin so", packet[0])
	}
	return nil
}
