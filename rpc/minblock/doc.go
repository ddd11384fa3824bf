// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Package minblock keeps the readers of several nodes from going back in time. A request names the least block that it
// wants the node to have. The node waits for that block for a moment, or refuses the request so that a proxy asks
// another node. The answer names the newest block that it can show.
//
// A proxy that remembers the greatest block of each client and names it in the client's next request gives monotonic
// reads over any number of nodes. contrib/haproxy has one. Requests without the header are not touched.
package minblock
