// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package signer

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/rlp"

	"gwon/consensus/wbft/messages"
	"gwon/consensus/wbft/votelog"
)

// version is that of the protocol. Both sides must have the same.
const version = 1

// Bounds of frames in bytes. The largest request has a message and a lock. The largest answer has the messages of a
// round, a lock, and the digests of earlier rounds.
const (
	maxRequest   = 2*messages.MaxSize + messages.MaxSmall
	maxAnswer    = 4 * messages.MaxSize
	frameHeader  = 4
	instanceSize = 16
)

// Roles of a connection. Those that sign or answer peers are held by one node.
const (
	roleVotes uint64 = iota + 1
	rolePeers
	roleControl
)

// Kinds of requests.
const (
	kindHello uint64 = iota + 1
	kindSign
	kindLock
	kindTakeBack
	kindOrigin
	kindPrune
	kindState
	kindSequence
	kindReveal
	kindShared
	kindRecord
	kindPacket
	kindStatus
	kindRelease
)

// Results of a request.
const (
	resultDone uint64 = iota
	resultRefused
)

// request is one frame of a client.
type request struct {
	Kind uint64
	Body rlp.RawValue
}

// answer is one frame of a server. Text says why a request was refused.
type answer struct {
	Result uint64
	Text   string
	Body   rlp.RawValue
}

// Bodies of requests and answers.
type (
	hello struct {
		Version, Role uint64
		Instance      [instanceSize]byte // of the process of the node
	}
	identity struct {
		PublicKey []byte // uncompressed, 65 bytes
		BLS       []byte
		Genesis   common.Hash
		ChainID   uint64
	}
	signRequest struct {
		Code      uint64
		Message   []byte // as on the wire, with placeholders for seal and signature
		Header    []byte // of the block of a PREPARE or COMMIT
		Lock      []byte
		LockRound uint64
	}
	signAnswer struct{ Seal, Signature []byte }
	originBody struct {
		Since uint64
		Lost  bool
	}
	stateAnswer struct {
		Floor     uint64
		Known     bool // an origin is set
		Origin    originBody
		Sequences []uint64
	}
	sequenceAnswer struct {
		Records []votelog.Record
		Locks   []votelog.Lock // at most one
	}
	number  struct{ Number uint64 }
	content struct{ Content []byte }
)

// errFrame is wrapped by errors of frames that no peer of this version sends.
var errFrame = errors.New("not a frame of this protocol")

// writeFrame writes a value in a frame.
func writeFrame(w io.Writer, value any) error {
	body, err := rlp.EncodeToBytes(value)
	if err != nil {
		return fmt.Errorf("encode %T: %w", value, err)
	}
	frame := binary.BigEndian.AppendUint32(make([]byte, 0, frameHeader+len(body)), uint32(len(body)))
	_, err = w.Write(append(frame, body...))
	return err
}

// readFrame reads the rest of a frame behind its header. Memory grows with what arrives, not with what is announced.
func readFrame(r io.Reader, header [frameHeader]byte, limit int64, value any) error {
	size := int64(binary.BigEndian.Uint32(header[:]))
	if size == 0 || size > limit {
		return fmt.Errorf("%w: %d bytes, at most %d are allowed", errFrame, size, limit)
	}
	var body bytes.Buffer
	if _, err := io.CopyN(&body, r, size); err != nil {
		return fmt.Errorf("frame is cut short: %w", err)
	}
	if err := rlp.DecodeBytes(body.Bytes(), value); err != nil {
		return fmt.Errorf("%w: %w", errFrame, err)
	}
	return nil
}

// limitOf returns the bound of a request's body.
func limitOf(kind uint64) int {
	if kind == kindSign || kind == kindLock || kind == kindTakeBack {
		return maxRequest
	}
	return messages.MaxSmall
}

// bodyOf decodes the body of a request strictly.
func bodyOf[T any](r *request) (*T, error) {
	if len(r.Body) > limitOf(r.Kind) {
		return nil, fmt.Errorf("%w: request %d has %d bytes, at most %d are allowed", errFrame, r.Kind, len(r.Body),
			limitOf(r.Kind))
	}
	body := new(T)
	if err := rlp.DecodeBytes(r.Body, body); err != nil {
		return nil, fmt.Errorf("%w: request %d: %w", errFrame, r.Kind, err)
	}
	return body, nil
}
