// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package dial

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/rpc"
)

// AboutGas bounds the bytes of an answer about a block that has used some gas. A log without topics and data costs 379
// gas and has 360 bytes of JSON; nothing else has more for its gas. The second byte is for nodes that write more.
func AboutGas(used uint64) int64 {
	return 1<<20 + 2*int64(min(used, 1<<40)) //nolint:gosec // bounded
}

// TimeFor returns how long an answer about a block may take: a time for a short one, and a second more for each MiB.
func TimeFor(short time.Duration, used uint64) time.Duration {
	return short + time.Duration(AboutGas(used)>>20)*time.Second
}

// Receipts asks for the receipts of a block that has used some gas, and passes each log on with the place of its
// receipt. It returns the objects of the receipts with empty lists of logs. Over HTTP no more of an answer is held than
// a log. The errors of each are returned as they are.
func (c *Client) Receipts(ctx context.Context, number, used uint64, each func(at int, l *types.Log) error) (
	[]json.RawMessage, error,
) {
	r := receipts{each: each}
	if c.http == nil {
		err := c.CallContext(ctx, &r, receiptsMethod, hexutil.Uint64(number))
		return r.objects, err
	}
	body, err := json.Marshal(map[string]any{
		"jsonrpc": "2.0", "id": 1, "method": receiptsMethod, "params": []any{hexutil.Uint64(number)},
	})
	if err != nil {
		return nil, err
	}
	request, err := http.NewRequestWithContext(WithMost(ctx, AboutGas(used)), http.MethodPost, c.shown,
		bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := c.http.Do(request)
	if err != nil {
		return nil, err
	}
	defer func() { _ = response.Body.Close() }() // what counts is what was read
	if response.StatusCode != http.StatusOK {
		return nil, rpc.HTTPError{StatusCode: response.StatusCode, Status: response.Status}
	}
	if err := r.readAnswer(json.NewDecoder(response.Body)); err != nil {
		return nil, err
	}
	return r.objects, nil
}

const receiptsMethod = "eth_getBlockReceipts"

// receipts reads a list of receipts log by log.
type receipts struct {
	each    func(at int, l *types.Log) error
	objects []json.RawMessage
}

// UnmarshalJSON implements json.Unmarshaler.
func (r *receipts) UnmarshalJSON(text []byte) error {
	return r.readList(json.NewDecoder(bytes.NewReader(text)))
}

// refusal is the error in an answer.
type refusal struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

// Error implements error.
func (e *refusal) Error() string { return e.Message }

// ErrorCode implements rpc.Error.
func (e *refusal) ErrorCode() int { return e.Code }

func (r *receipts) readAnswer(in *json.Decoder) error {
	refused, answered := (*refusal)(nil), false
	err := members(in, func(name string) error {
		switch name {
		case "error":
			return in.Decode(&refused)
		case "result":
			answered = true
			return r.readList(in)
		}
		return in.Decode(new(json.RawMessage))
	})
	switch {
	case errors.Is(err, io.EOF):
		return io.ErrUnexpectedEOF
	case err != nil:
		return err
	case refused != nil:
		return refused
	case !answered:
		return errForm
	}
	return nil
}

// errForm means that an answer is not what JSON-RPC and the method have.
var errForm = errors.New("the answer is no list of receipts")

// members reads an object, and has each member read by its name.
func members(in *json.Decoder, read func(name string) error) error {
	if token, err := in.Token(); err != nil {
		return err
	} else if token != json.Delim('{') {
		return errForm
	}
	for in.More() {
		name, err := in.Token()
		if err != nil {
			return err
		}
		if err := read(fmt.Sprint(name)); err != nil {
			return err
		}
	}
	_, err := in.Token()
	return err
}

// elements reads a list, and has each element read. null is an empty list.
func elements(in *json.Decoder, read func() error) error {
	token, err := in.Token()
	if err != nil || token == nil {
		return err
	}
	if token != json.Delim('[') {
		return errForm
	}
	for in.More() {
		if err := read(); err != nil {
			return err
		}
	}
	_, err = in.Token()
	return err
}

func (r *receipts) readList(in *json.Decoder) error {
	return elements(in, func() error {
		fields := map[string]json.RawMessage{"logs": json.RawMessage("[]")}
		err := members(in, func(name string) error {
			if name != "logs" {
				var value json.RawMessage
				err := in.Decode(&value)
				fields[name] = value
				return err
			}
			return elements(in, func() error {
				l := new(types.Log)
				if err := in.Decode(l); err != nil {
					return err
				}
				return r.each(len(r.objects), l)
			})
		})
		if err != nil {
			return err
		}
		object, err := json.Marshal(fields)
		r.objects = append(r.objects, object)
		return err
	})
}
