// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package ethapi

import "github.com/ethereum/go-ethereum/rpc"

// Pause returns what an execution for a call has to call often, so that other calls have their turn; nil for none.
func (context *ChainContext) Pause() func(long bool) error { return rpc.PauseOf(context.ctx) }
