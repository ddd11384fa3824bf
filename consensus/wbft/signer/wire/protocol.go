// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package wire

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/rlp"

	"gwon/consensus/wbft/messages"
	"gwon/consensus/wbft/signing"
	"gwon/consensus/wbft/votelog"
)

// Version is that of the protocol. Both sides must have the same.
const Version = 1

// CallTimeout bounds a request. The driver waits for it, so that a signer that hangs costs a round and not the node.
const CallTimeout = 2 * time.Second

// Bounds of frames in bytes. The largest request has a message and a lock. The largest answer has the messages of a
// round, a lock, and the digests of earlier rounds.
const (
	MaxRequest   = 2*messages.MaxSize + messages.MaxSmall
	MaxAnswer    = 4 * messages.MaxSize
	HeaderSize   = 4
	InstanceSize = 16
)

// Roles of a connection. Those that sign or answer peers are held by one node.
const (
	RoleVotes uint64 = iota + 1
	RolePeers
	RoleControl
)

// Kinds of requests.
const (
	KindHello uint64 = iota + 1
	KindSign
	KindLock
	KindTakeBack
	KindOrigin
	KindPrune
	KindState
	KindSequence
	KindReveal
	KindShared
	KindRecord
	KindPacket
	KindStatus
	KindRelease
)

// Results of a request.
const (
	ResultDone uint64 = iota
	ResultRefused
)

// Request is one frame of a client.
type Request struct {
	Kind uint64
	Body rlp.RawValue
}

// Answer is one frame of a server. Text says why a request was refused.
type Answer struct {
	Result uint64
	Text   string
	Body   rlp.RawValue
}

// Bodies of requests and answers.
type (
	// Hello is the body of KindHello, the first request of a connection.
	Hello struct {
		Version, Role uint64
		Instance      [InstanceSize]byte // of the process of the node
	}
	// Identity is the answer to it.
	Identity struct {
		PublicKey []byte // uncompressed, 65 bytes
		BLS       []byte
		Genesis   common.Hash
		ChainID   uint64
	}
	// SignRequest is the body of KindSign.
	SignRequest struct {
		Code      uint64
		Message   []byte // as on the wire, with placeholders for seal and signature
		Header    []byte // of the block of a PREPARE or COMMIT
		Lock      []byte
		LockRound uint64
	}
	// SignAnswer is the answer to it.
	SignAnswer struct{ Seal, Signature []byte }
	// OriginBody is a votelog.Origin.
	OriginBody struct {
		Since uint64
		Lost  bool
	}
	// StateAnswer is the answer to KindState.
	StateAnswer struct {
		Floor     uint64
		Known     bool // an origin is set
		Origin    OriginBody
		Sequences []uint64
	}
	// SequenceAnswer is the answer to KindSequence.
	SequenceAnswer struct {
		Records []votelog.Record
		Locks   []votelog.Lock // at most one
	}
	// Number is the body of requests about a sequence or block.
	Number struct{ Number uint64 }
	// Content is what is to be signed, or a signature or secret.
	Content struct{ Content []byte }
)

// ErrFrame is wrapped by errors of frames that no peer of this version sends.
var ErrFrame = errors.New("not a frame of this protocol")

// WriteFrame writes a value in a frame.
func WriteFrame(w io.Writer, value any) error {
	body, err := rlp.EncodeToBytes(value)
	if err != nil {
		return fmt.Errorf("encode %T: %w", value, err)
	}
	frame := binary.BigEndian.AppendUint32(make([]byte, 0, HeaderSize+len(body)), uint32(len(body)))
	_, err = w.Write(append(frame, body...))
	return err
}

// ReadFrame reads the rest of a frame behind its header. Memory grows with what arrives, not with what is announced.
func ReadFrame(r io.Reader, header [HeaderSize]byte, limit int64, value any) error {
	size := int64(binary.BigEndian.Uint32(header[:]))
	if size == 0 || size > limit {
		return fmt.Errorf("%w: %d bytes, at most %d are allowed", ErrFrame, size, limit)
	}
	var body bytes.Buffer
	if _, err := io.CopyN(&body, r, size); err != nil {
		return fmt.Errorf("frame is cut short: %w", err)
	}
	if err := rlp.DecodeBytes(body.Bytes(), value); err != nil {
		return fmt.Errorf("%w: %w", ErrFrame, err)
	}
	return nil
}

// Call sends a request and returns the body of the answer. The caller sets the deadline.
func Call(c net.Conn, kind uint64, body any, limit int64) (rlp.RawValue, error) {
	encoded, err := rlp.EncodeToBytes(body)
	if err != nil {
		return nil, fmt.Errorf("encode request: %w", err)
	}
	if err := WriteFrame(c, &Request{kind, encoded}); err != nil {
		return nil, err
	}
	var header [HeaderSize]byte
	if _, err := io.ReadFull(c, header[:]); err != nil {
		return nil, err
	}
	if size := binary.BigEndian.Uint32(header[:]); int64(size) > limit {
		return nil, fmt.Errorf("%w: an answer of %d bytes, at most %d are allowed", ErrFrame, size, limit)
	}
	var a Answer
	if err := ReadFrame(c, header, limit, &a); err != nil {
		return nil, err
	}
	if a.Result != ResultDone {
		return nil, &Refusal{a.Text}
	}
	return a.Body, nil
}

// Refusal is the error of a request that the signer understood and refused.
type Refusal struct{ Reason string }

// Released begins the reason of a refusal of a process whose right was taken away.
const Released = "the right to sign was taken from this process by gwon-signer release"

// Error implements error.
func (r *Refusal) Error() string { return "the signer refuses: " + r.Reason }

// RequestOf returns the request to sign a message. Seal and signature of the message are placeholders.
func RequestOf(in signing.Intent) (*SignRequest, error) {
	r := &SignRequest{Code: in.Message.Code(), Lock: in.Lock, LockRound: in.LockRound}
	switch m := in.Message.(type) {
	case *messages.Prepare:
		m.Seal = make([]byte, messages.SealLength)
	case *messages.Commit:
		m.Seal = make([]byte, messages.SealLength)
	}
	empty := func([]byte) ([]byte, error) { return make([]byte, messages.SignatureLength), nil }
	if err := in.Message.SignWith(empty); err != nil {
		return nil, err
	}
	r.Message = in.Message.Encode()
	if in.Header != nil {
		var err error
		if r.Header, err = rlp.EncodeToBytes(in.Header); err != nil {
			return nil, fmt.Errorf("encode header: %w", err)
		}
	}
	return r, nil
}

// PutInto puts seal and signature into a message.
func (a *SignAnswer) PutInto(m messages.Message) error {
	seal := &a.Seal
	switch m := m.(type) {
	case *messages.Prepare:
		m.Seal = *seal
	case *messages.Commit:
		m.Seal = *seal
	default:
		seal = nil
	}
	if seal != nil && len(*seal) != messages.SealLength {
		return fmt.Errorf("the signer answered with a seal of %d bytes, want %d", len(*seal), messages.SealLength)
	}
	return m.SignWith(func([]byte) ([]byte, error) { return a.Signature, nil })
}
