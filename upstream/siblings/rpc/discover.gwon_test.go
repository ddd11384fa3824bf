// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package rpc

import (
	"context"
	"errors"
	"net/http/httptest"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/internal/must"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A server lists its methods with the types of their parameters and results, and its kinds of subscriptions.
func TestServerMethods(t *testing.T) {
	server := newTestServer()
	t.Cleanup(server.Stop)
	methods, kinds := server.Methods()
	at := func(name string) Method {
		i := slices.IndexFunc(methods, func(m Method) bool { return m.Name == name })
		require.Truef(t, i >= 0, "%s is not listed", name)
		return methods[i]
	}
	text, result := reflect.TypeFor[string](), reflect.TypeFor[echoResult]()
	got := at("test_echo")
	assert.Truef(t, len(got.Params) == 3 && got.Params[0] == text && got.Result == result, "test_echo: %v", got)
	got = at("test_returnError")
	assert.Truef(t, len(got.Params) == 0 && got.Result == nil, "test_returnError: %v", got)
	at(DiscoverMethod)
	assert.Truef(t, slices.Contains(kinds["nftest"], "someSubscription"), "kinds %v", kinds)
}

// The describer answers rpc.discover over every transport, for the methods of the server that is asked. Without a
// describer the method is unknown (spec rpc 2.5).
func TestDiscover(t *testing.T) {
	server := newTestServer()
	t.Cleanup(server.Stop)
	overHTTP := httptest.NewServer(server)
	t.Cleanup(overHTTP.Close)
	overWS := httptest.NewServer(server.WebsocketHandler(nil))
	t.Cleanup(overWS.Close)
	t.Cleanup(func() { SetDescriber(nil) })
	for name, url := range map[string]string{"http": overHTTP.URL, "ws": "ws" + strings.TrimPrefix(overWS.URL, "http")} {
		t.Run(name, func(t *testing.T) {
			client := must.Get(Dial(url))(t)
			t.Cleanup(client.Close)
			SetDescriber(nil)
			var unknown Error
			err := client.Call(nil, DiscoverMethod)
			assert.Truef(t, errors.As(err, &unknown) && unknown.ErrorCode() == -32601, "without a describer: %v", err)
			SetDescriber(func(_ context.Context, methods []Method, _ map[string][]string) (any, error) {
				return len(methods), nil
			})
			var count int
			err = client.Call(&count, DiscoverMethod)
			assert.Truef(t, err == nil && count >= 10, "%d methods, %v", count, err)
		})
	}
}
