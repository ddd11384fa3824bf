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
func boundBatches(codec *jsonCodec) {
	read := codec.readFrame
	codec.readFrame = func() ([]byte, error) {
		frame, err := read()
		if err == nil && isBatch(frame) && bytes.Count(frame, []byte{','}) >= maxMessages {
			if commas, _ := scan(frame); commas >= maxMessages {
				return nil, errTooManyMessages
			}
		}
		return frame, err
	}
}

// checkObjects refuses the parameters of a call that have too many objects and nulls.
func checkObjects(params json.RawMessage) error {
	if most := bytes.Count(params, []byte{'{'}) + bytes.Count(params, []byte("null")); most <= maxObjects {
		return nil // no count that leaves out strings is larger
	}
	if _, n := scan(params); n > maxObjects {
		return &invalidParamsError{fmt.Sprintf("the parameters have %d objects, at most %d are allowed: divide the call",
			n, maxObjects)}
	}
	return nil
}

// scan counts the commas of the outermost list, and all objects and nulls, outside of strings.
func scan(data []byte) (commas, objects int) {
	inString, depth := false, 0
	for i := 0; i < len(data); i++ {
		switch c := data[i]; {
		case inString && c == '\\':
			i++
		case c == '"':
			inString = !inString
		case inString:
		case c == '{' || c == '[':
			depth++
			if c == '{' {
				objects++
			}
		case c == '}' || c == ']':
			depth--
		case c == 'n':
			objects++
		case c == ',' && depth == 1:
			commas++
		}
	}
	return commas, objects
}
