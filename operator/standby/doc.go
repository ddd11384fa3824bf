// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Package standby replaces a validator whose machine has died. A stand-by is a second node of the same operator with a
// key of its own. Its watcher looks at the chain once a second. When a quorum has sealed many blocks without the
// operator's validator, it registers the stand-by's key in the validator's place. No key is in two places, so no
// validator can sign twice.
//
// Rule decides, without a node. Watcher looks, decides and sends.
//
// Spec: system-contracts 3.2 (configureValidator), wbft 3.4 (the set changes with the epoch).
package standby
