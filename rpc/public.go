// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package rpc

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"

	gethrpc "github.com/ethereum/go-ethereum/rpc"
)

type operatorKey struct{}

// OperatorHandler marks calls through a handler as the operator's. On a public node some methods serve only the
// operator.
func OperatorHandler(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), operatorKey{}, true)))
	})
}

func fromOperator(ctx context.Context) bool { return ctx.Value(operatorKey{}) != nil }

// tooLarge refuses a result that is too large, with go-ethereum's error code for batches of that kind.
func tooLarge(most int, remedy string) error {
	return &gethrpc.Refusal{
		Code: gethrpc.CodeSize, Text: fmt.Sprintf("the answer would have more than %d bytes: %s", most, remedy),
	}
}

// fromPublic reports whether a call comes over the network and not from the operator.
func fromPublic(ctx context.Context) bool {
	transport := gethrpc.PeerInfoFromContext(ctx).Transport
	return (transport == "http" || transport == "ws") && !fromOperator(ctx)
}

// PublicModules returns the namespaces of the public profile. Public endpoints expose no other (spec rpc 9.6, 9.7).
func PublicModules() []string { return []string{"eth", "net", "web3", "txpool", "istanbul"} }

// notFound is the error of an unknown method (spec rpc 2.5).
func notFound(method string) error {
	return &gethrpc.Refusal{Code: gethrpc.CodeNoMethod,
		Text: fmt.Sprintf("the method %s does not exist/is not available", method)}
}

// keyless replaces the eth methods that use or name the node's own accounts (spec rpc 1 no. 9, 9.7). The methods
// behave like unknown ones for all parameters; each takes one parameter more than upstream's.
type keyless struct{}

// ignored is an optional parameter of any form.
type ignored = *json.RawMessage

func missing(method string) (any, error) { return nil, notFound("eth_" + method) }

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

// absent hides methods of upstream that no caller can use.
type absent struct{}

// BlobBaseFee behaves like an unknown method. The chain has no blobs, go-stablenet has no such method (spec rpc
// 4.1), and clients read null as a fee.
func (absent) BlobBaseFee(_ ignored) (any, error) { return missing("blobBaseFee") }

// SubscribeSyncStatus behaves like an unknown method. Upstream's takes a channel, and null for one that is never read.
func (absent) SubscribeSyncStatus(_, _ ignored) (any, error) { return missing("subscribeSyncStatus") }

// Serves reports whether a method of a server answers the caller of ctx. Others behave like unknown methods.
func Serves(ctx context.Context, method gethrpc.Method) bool {
	switch service := method.Receiver.(type) {
	case keyless, absent:
		return false
	case *operators:
		return service.check(ctx, method.Name) == nil
	}
	return true
}

// InPublicProfile reports whether the public profile serves a method of a node without profile.
func InPublicProfile(method gethrpc.Method) bool {
	if method.Name == gethrpc.DiscoverMethod {
		return true
	}
	namespace, name, _ := strings.Cut(method.Name, "_")
	if namespace != gethrpc.MetadataApi && !slices.Contains(PublicModules(), namespace) {
		return false
	}
	switch method.Receiver.(type) {
	case absent, *operators:
		return false
	}
	if namespace != "eth" {
		return true
	}
	_, hidden := reflect.TypeFor[keyless]().MethodByName(strings.ToUpper(name[:1]) + name[1:])
	return !hidden
}
