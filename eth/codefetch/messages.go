// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package codefetch

import (
	"errors"
	"fmt"

	protocol "github.com/ethereum/go-ethereum/eth/protocols/eth"
	"github.com/ethereum/go-ethereum/eth/protocols/snap"
	"github.com/ethereum/go-ethereum/p2p"
	"github.com/ethereum/go-ethereum/rlp"
)

// oneList and twoLists are empty responses to a request.
type (
	oneList struct {
		ID    uint64
		Items []struct{}
	}
	twoLists struct {
		ID     uint64
		Items  []struct{}
		Proofs []struct{}
	}
)

// codesPacket is a response to GetByteCodes whose items are counted before they are decoded.
type codesPacket struct {
	ID    uint64
	Codes rlp.RawList[[]byte]
}

// readMessage reads a message. A message that is too long is an error.
func readMessage(rw p2p.MsgReader) (p2p.Msg, error) {
	msg, err := rw.ReadMsg()
	if err != nil {
		return msg, err
	}
	if msg.Size > protocol.MaxMessage {
		return msg, errors.Join(fmt.Errorf("%w: message of %d bytes", errBreach, msg.Size), msg.Discard())
	}
	return msg, nil
}

// requestID returns the first item of a request. The other items are ignored.
func requestID(msg *p2p.Msg) (uint64, error) {
	s := rlp.NewStream(msg.Payload, uint64(msg.Size))
	if _, err := s.List(); err != nil {
		return 0, fmt.Errorf("%w: message %#x: %w", errBreach, msg.Code, err)
	}
	id, err := s.Uint64()
	if err != nil {
		return 0, fmt.Errorf("%w: message %#x: request id: %w", errBreach, msg.Code, err)
	}
	return id, nil
}

// serveEth handles one message after the handshake. Requests get empty responses; blocks and transactions are
// ignored. Responses are a breach, because the fetcher sends no requests (spec network 2.2, 2.4).
func serveEth(rw p2p.MsgReadWriter) error {
	msg, err := readMessage(rw)
	if err != nil {
		return err
	}
	defer msg.Discard() //nolint:errcheck // the next read reports a broken connection
	switch msg.Code {
	case protocol.NewBlockHashesMsg, protocol.NewBlockMsg, protocol.TransactionsMsg,
		protocol.NewPooledTransactionHashesMsg:
		return nil
	case protocol.GetBlockHeadersMsg, protocol.GetBlockBodiesMsg, protocol.GetPooledTransactionsMsg,
		protocol.GetReceiptsMsg:
		id, err := requestID(&msg)
		if err != nil {
			return err
		}
		return p2p.Send(rw, msg.Code+1, &oneList{ID: id})
	default:
		return fmt.Errorf("%w: eth message %#x", errBreach, msg.Code)
	}
}

// readSnap reads messages until one is invalid or ended is closed. It passes on responses to GetByteCodes and sends
// empty responses to requests (spec network 4).
func readSnap(rw p2p.MsgReadWriter, answers chan<- *codesPacket, ended <-chan struct{}) error {
	for {
		msg, err := readMessage(rw)
		if err != nil {
			return err
		}
		answer, err := serveSnap(rw, &msg)
		if err != nil {
			return err
		}
		if answer == nil {
			continue
		}
		select {
		case answers <- answer:
		case <-ended:
			return nil
		}
	}
}

// serveSnap handles one message. It returns a response to GetByteCodes, and nil for other messages.
func serveSnap(rw p2p.MsgWriter, msg *p2p.Msg) (answer *codesPacket, err error) {
	defer msg.Discard() //nolint:errcheck // the next read reports a broken connection
	switch msg.Code {
	case snap.ByteCodesMsg:
		answer = new(codesPacket)
		if err := msg.Decode(answer); err != nil {
			return nil, fmt.Errorf("%w: ByteCodes: %w", errBreach, err)
		}
		return answer, nil
	case snap.GetAccountRangeMsg, snap.GetStorageRangesMsg:
		id, err := requestID(msg)
		if err != nil {
			return nil, err
		}
		return nil, p2p.Send(rw, msg.Code+1, &twoLists{ID: id})
	case snap.GetByteCodesMsg, snap.GetTrieNodesMsg:
		id, err := requestID(msg)
		if err != nil {
			return nil, err
		}
		return nil, p2p.Send(rw, msg.Code+1, &oneList{ID: id})
	default:
		return nil, fmt.Errorf("%w: snap message %#x", errBreach, msg.Code)
	}
}
