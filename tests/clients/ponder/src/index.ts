// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

import { ponder } from 'ponder:registry'
import { transfer } from 'ponder:schema'

// After a kill ponder may read blocks again whose rows it has. They are the same: no block is ever replaced.
ponder.on('Coin:Transfer', async ({ event, context }) => {
  await context.db.insert(transfer).values({
    block: event.block.number,
    logIndex: event.log.logIndex,
    transaction: event.transaction.hash,
    sender: event.args.from,
    recipient: event.args.to,
    value: event.args.value,
  }).onConflictDoNothing()
})
