// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package rpc

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
)

// Bounds of what a request becomes in memory. An element of two bytes becomes a structure of some hundred, and the
// limits of batches and simulations are looked at only after that.
const (
	maxMessages = 100_000 // elements of a batch, far above any limit of batches
	maxObjects  = 32_768  // objects and nulls in the parameters of one call
)

var errTooManyMessages = errors.New("batch too large")

// boundBatches makes a connection fail at a batch with too many elements before each of them becomes a message.
func boundBatches(conn jsonWriter) {
	codec, ok := conn.(*jsonCodec)
	if ws, isWebsocket := conn.(*websocketCodec); isWebsocket {
		codec, ok = ws.jsonCodec, true
	}
	if !ok || codec.readFrame == nil { // IPC, which is the operator's
		return
	}
	read := codec.readFrame
	codec.readFrame = func() ([]byte, error) {
		frame, err := read()
		if err == nil && isBatch(frame) && bytes.Count(frame, []byte{','}) >= maxMessages && elements(frame) > maxMessages {
			return nil, errTooManyMessages
		}
		return frame, err
	}
}

// elements returns the number of elements of a list; 0 for what is no JSON, which the reader of the frame refuses.
func elements(list []byte) (n int) {
	if json.Valid(list) {
		forEachJSONElement(list, func([]byte) { n++ })
	}
	return n
}

// checkObjects refuses the parameters of a call that have too many objects and nulls.
func checkObjects(params json.RawMessage) error {
	if most := bytes.Count(params, []byte{'{'}) + bytes.Count(params, []byte("null")); most <= maxObjects {
		return nil // no count that leaves out strings is larger
	}
	if n := objects(params); n > maxObjects {
		return &invalidParamsError{fmt.Sprintf("the parameters have %d objects, at most %d are allowed: divide the call",
			n, maxObjects)}
	}
	return nil
}

// objects counts the objects and nulls of valid JSON, outside of strings.
func objects(params []byte) (n int) {
	inString := false
	for i := 0; i < len(params); i++ {
		switch c := params[i]; {
		case inString && c == '\\':
			i++
		case c == '"':
			inString = !inString
		case !inString && (c == '{' || c == 'n'):
			n++
		}
	}
	return n
}
