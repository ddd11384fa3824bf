// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package eth

import (
	"context"
	"time"
)

// persistInterval is the time between two writes of the state to disk. After a crash a node executes the later blocks
// again, which takes seconds. By itself the database would write after 256 MiB or 90,000 states, possibly more than a
// day.
const persistInterval = 5 * time.Minute

// persist calls flush after each interval until ctx ends.
func persist(ctx context.Context, flush func()) {
	ticker := time.NewTicker(persistInterval)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			flush()
		case <-ctx.Done():
			return
		}
	}
}
