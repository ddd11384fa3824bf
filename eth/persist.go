// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package eth

import (
	"context"
	"time"
)

// persistInterval is how often the state is written to disk. A node that crashed executes again what came after that, besides
// the newest 128 states: seconds of work. The database alone waits until its buffer of up to 256 MiB is full or 90,000 states
// have come, which can take more than a day.
const persistInterval = 5 * time.Minute

// persist calls flush at each interval until ctx ends.
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
