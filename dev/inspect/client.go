// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package inspect

import (
	"context"

	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/rpc"
)

// Client is an RPC client as a Subscriber.
type Client struct{ *rpc.Client }

// SubscribeHeads implements Subscriber.
func (c Client) SubscribeHeads(ctx context.Context, heads chan<- *types.Header) (func(), <-chan error, error) {
	subscription, err := c.EthSubscribe(ctx, heads, "newHeads")
	if err != nil {
		return nil, nil, err
	}
	return subscription.Unsubscribe, subscription.Err(), nil
}
