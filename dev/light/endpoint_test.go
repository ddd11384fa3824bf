// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package light

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"

	"gwon/consensus/finality/remotestate/remotetest"
	"gwon/internal/expect"
)

// No answer to a caller shows more of an endpoint than scheme and host.
func TestEndpointsAreHidden(t *testing.T) {
	c := remotetest.New(t, 1337)
	c.Grow(t, logOf(shop, 1))
	node := c.Serve(t, nil)
	node.URL = strings.Replace(node.URL, "://", "://carol:hunter22@", 1) + "/v2/PATHKEY?apikey=QUERYKEY"
	e, client := openLight(t, c, node)
	node.Lie(func(string, any) any { panic(http.ErrAbortHandler) })
	c.Grow(t, logOf(shop, 1))
	texts := []string{fmt.Sprint(e.Advance(t.Context()))}
	for method, args := range map[string][]any{
		"eth_getBalance": {shop, "latest"}, "eth_call": {map[string]any{"to": shop}, "latest"},
		"eth_getLogs": {map[string]any{}}, "eth_estimateGas": {map[string]any{"to": shop}},
		"eth_getTransactionReceipt": {common.Hash{1}}, "eth_getBlockByNumber": {"latest", true},
	} {
		err := client.CallContext(t.Context(), new(any), method, args...)
		expect.Refused(t, err, "%s has an answer", method)
		texts = append(texts, fmt.Sprint(err))
	}
	all := strings.Join(texts, "\n")
	for _, secret := range []string{"carol", "hunter22", "PATHKEY", "QUERYKEY"} {
		expect.That(t, !strings.Contains(all, secret) && strings.Contains(all, "http://127.0.0.1"),
			"%s is shown, or no host: %s", secret, all)
	}
}
