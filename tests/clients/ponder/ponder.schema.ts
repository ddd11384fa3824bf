// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

import { index, onchainTable, primaryKey } from 'ponder'

/** A row for each transfer of the coin. Block and logIndex name it for good: a block is final when it is there. */
export const transfer = onchainTable('transfer', (t) => ({
  block: t.bigint().notNull(),
  logIndex: t.integer().notNull(),
  transaction: t.hex().notNull(),
  sender: t.hex().notNull(),
  recipient: t.hex().notNull(),
  value: t.bigint().notNull(), // wei
}), (table) => ({
  pk: primaryKey({ columns: [table.block, table.logIndex] }),
  bySender: index().on(table.sender),
  byRecipient: index().on(table.recipient),
}))
