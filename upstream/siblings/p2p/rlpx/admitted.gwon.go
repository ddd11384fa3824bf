// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package rlpx

import (
	"crypto/hmac"
	"errors"
	"fmt"

	"github.com/ethereum/go-ethereum/rlp"
	"github.com/golang/snappy"
)

// Sizes in bytes of the parts of a frame. The header has its own code of authentication, and so has the content.
const (
	frameHeader = 16
	frameMAC    = 16
	frameBlock  = 16 // the content is filled up to a multiple of it
)

var (
	errHeaderMAC = errors.New("bad header MAC")
	errFrameMAC  = errors.New("bad frame MAC")
)

// ReadAdmitted is Read with a question before the memory for a message is taken. It calls admit with the size of the
// message in bytes, sent or decompressed, whichever is larger, when no more than the first 16 bytes of its content are
// read. An error of admit is returned, and leaves a connection that cannot be read any more.
func (c *Conn) ReadAdmitted(admit func(size int) error) (code uint64, data []byte, wireSize int, err error) {
	s := c.session
	s.rbuf.reset()
	header, err := s.rbuf.read(c.conn, frameHeader+frameMAC)
	if err != nil {
		return 0, nil, 0, err
	}
	if !hmac.Equal(s.ingressMAC.computeHeader(header[:frameHeader]), header[frameHeader:]) {
		return 0, nil, 0, errHeaderMAC
	}
	s.dec.XORKeyStream(header[:frameHeader], header[:frameHeader])
	size := int(readUint24(header))
	padded := (size + frameBlock - 1) / frameBlock * frameBlock

	start, err := s.rbuf.read(c.conn, min(padded, frameBlock))
	if err != nil {
		return 0, nil, 0, err
	}
	var clear [frameBlock]byte // decrypted, while the code of authentication needs the rest as it was sent
	n := len(start)
	s.dec.XORKeyStream(clear[:n], start)
	plain, err := c.plainSize(clear[:min(n, size)])
	if err != nil {
		return 0, nil, 0, err
	}
	if err := admit(max(size, plain)); err != nil {
		return 0, nil, 0, err
	}

	// One read, because each may move what was read before it.
	if _, err := s.rbuf.read(c.conn, padded-n+frameMAC); err != nil {
		return 0, nil, 0, err
	}
	frame := s.rbuf.data[frameHeader+frameMAC:]
	frame, mac := frame[:padded], frame[padded:]
	if !hmac.Equal(s.ingressMAC.computeFrame(frame), mac) {
		return 0, nil, 0, errFrameMAC
	}
	copy(frame, clear[:n])
	s.dec.XORKeyStream(frame[n:], frame[n:])
	if code, data, err = rlp.SplitUint64(frame[:size]); err != nil {
		return 0, nil, 0, fmt.Errorf("invalid message code: %w", err)
	}
	wireSize = len(data)
	if c.snappyReadBuffer != nil {
		c.snappyReadBuffer = growslice(c.snappyReadBuffer, plain)
		data, err = snappy.Decode(c.snappyReadBuffer, data)
	}
	return code, data, wireSize, err
}

// plainSize returns the size that a message claims to have once it is decompressed, 0 without compression. Start is the
// begin of the frame's content: the code of the message, and the size.
func (c *Conn) plainSize(start []byte) (int, error) {
	_, data, err := rlp.SplitUint64(start)
	if err != nil {
		return 0, fmt.Errorf("invalid message code: %w", err)
	}
	if c.snappyReadBuffer == nil {
		return 0, nil
	}
	size, err := snappy.DecodedLen(data)
	if err == nil && size > maxUint24 {
		err = errPlainMessageTooLarge
	}
	return size, err
}
