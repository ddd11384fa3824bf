// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package rpc

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	gethrpc "github.com/ethereum/go-ethereum/rpc"
)

type operatorKey struct{}

// OperatorHandler marks what comes through a handler as the operator's: on a public node some methods answer nobody
// else.
func OperatorHandler(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), operatorKey{}, true)))
	})
}

func fromOperator(ctx context.Context) bool { return ctx.Value(operatorKey{}) != nil }

// maxAnswer is how many bytes an answer has at most on a public node whose size nothing else bounds.
const maxAnswer = 10 << 20

// sizeError refuses an answer that is too large, with the code that go-ethereum gives to a batch whose answers are.
type sizeError struct {
	most   int // bytes
	remedy string
}

func (e *sizeError) Error() string {
	return fmt.Sprintf("the answer would have more than %d bytes: %s", e.most, e.remedy)
}

// ErrorCode is the JSON-RPC code "response too large".
func (e *sizeError) ErrorCode() int { return -32003 }

// fromPublic reports whether a call has come over the network and not from the operator.
func fromPublic(ctx context.Context) bool {
	transport := gethrpc.PeerInfoFromContext(ctx).Transport
	return (transport == "http" || transport == "ws") && !fromOperator(ctx)
}

// client names the client of a call, among which what one may have is shared out.
func client(ctx context.Context) string {
	return gethrpc.CallerOf(gethrpc.PeerInfoFromContext(ctx).RemoteAddr)
}

// PublicModules returns the namespaces of the public profile, the only ones a public endpoint exposes (spec rpc 9.6,
// 9.7).
func PublicModules() []string { return []string{"eth", "net", "web3", "txpool", "istanbul"} }

// notFoundError is the answer to a method that does not exist (spec rpc 2.5).
type notFoundError struct{ method string }

func (e *notFoundError) Error() string {
	return fmt.Sprintf("the method %s does not exist/is not available", e.method)
}

// ErrorCode is the JSON-RPC code "method not found".
func (e *notFoundError) ErrorCode() int { return -32601 }

// keyless replaces the methods of eth that use or name the node's own accounts (spec rpc 1 no. 9, 9.7). They answer
// like a method that does not exist, whatever their parameters, of which they take one more than the longest list
// needs.
type keyless struct{}

// ignored is a parameter that may be anything or missing.
type ignored = *json.RawMessage

func missing(method string) (any, error) { return nil, &notFoundError{"eth_" + method} }

func (keyless) Accounts(_, _, _, _ ignored) (any, error) { return missing("accounts") }

func (keyless) PendingTransactions(_, _, _, _ ignored) (any, error) {
	return missing("pendingTransactions")
}

func (keyless) Sign(_, _, _, _ ignored) (any, error) { return missing("sign") }

func (keyless) SignTransaction(_, _, _, _ ignored) (any, error) { return missing("signTransaction") }

func (keyless) SendTransaction(_, _, _, _ ignored) (any, error) { return missing("sendTransaction") }

func (keyless) Resend(_, _, _, _ ignored) (any, error) { return missing("resend") }

func (keyless) SignRawFeeDelegateTransaction(_, _, _, _ ignored) (any, error) {
	return missing("signRawFeeDelegateTransaction")
}

// blobless takes back upstream's method for the price of blob gas: this chain has no blobs and its reference no such
// method (spec rpc 4.1), and clients take null for a fee.
type blobless struct{}

// BlobBaseFee answers like a method that does not exist.
func (blobless) BlobBaseFee(_ ignored) (any, error) { return missing("blobBaseFee") }
