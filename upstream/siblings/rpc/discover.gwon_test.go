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
)

// A server lists its methods with the types of their parameters and results, and its kinds of subscriptions.
func TestServerMethods(t *testing.T) {
	server := newTestServer()
	t.Cleanup(server.Stop)
	methods, kinds := server.Methods()
	at := func(name string) Method {
		i := slices.IndexFunc(methods, func(m Method) bool { return m.Name == name })
		if i < 0 {
			t.Fatalf("%s is not listed", name)
		}
		return methods[i]
	}
	text, result := reflect.TypeFor[string](), reflect.TypeFor[echoResult]()
	if got := at("test_echo"); len(got.Params) != 3 || got.Params[0] != text || got.Result != result {
		t.Errorf("test_echo: %v", got)
	}
	if got := at("test_returnError"); len(got.Params) != 0 || got.Result != nil {
		t.Errorf("test_returnError: %v", got)
	}
	at(DiscoverMethod)
	if !slices.Contains(kinds["nftest"], "someSubscription") {
		t.Errorf("kinds %v", kinds)
	}
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
			client, err := Dial(url)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(client.Close)
			SetDescriber(nil)
			var unknown Error
			if err := client.Call(nil, DiscoverMethod); !errors.As(err, &unknown) || unknown.ErrorCode() != -32601 {
				t.Errorf("without a describer: %v", err)
			}
			SetDescriber(func(_ context.Context, methods []Method, _ map[string][]string) (any, error) {
				return len(methods), nil
			})
			var count int
			if err := client.Call(&count, DiscoverMethod); err != nil || count < 10 {
				t.Errorf("%d methods, %v", count, err)
			}
		})
	}
}
