// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package program

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"

	"gwon/internal/door"
)

// OpenStatus opens an address for questions of operators, with bounds on their time, size and number. The function that
// it returns answers them until its context ends. The URL has no path.
func OpenStatus(address string, handler http.Handler) (serve func(ctx context.Context) error, url string, err error) {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return nil, "", fmt.Errorf("listen: %w", err)
	}
	server := door.NewServer(handler)
	return func(ctx context.Context) error {
		defer context.AfterFunc(ctx, func() { _ = server.Close() })() // the requests under way are questions only
		if err := server.Serve(door.ForOperator(listener)); !errors.Is(err, http.ErrServerClosed) {
			return fmt.Errorf("listen: %w", err)
		}
		return nil
	}, "http://" + listener.Addr().String(), nil
}
