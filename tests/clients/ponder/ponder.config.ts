// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

import { createConfig } from 'ponder'
import { parseAbi } from 'viem'

/** Every transfer of the coin leaves this log at the coin's contract, transfers of plain transactions too. */
const abi = parseAbi(['event Transfer(address indexed from, address indexed to, uint256 value)'])

export default createConfig({
  database: { kind: 'pglite', directory: process.env.TRANSFERS_DIR ?? '.ponder/pglite' },
  chains: {
    wkrc: {
      id: Number(process.env.CHAIN_ID ?? 828300),
      rpc: process.env.RPC_URL ?? 'http://127.0.0.1:8545',
      ethGetLogsBlockRange: 10_000, // the most that a public node answers
    },
  },
  contracts: {
    Coin: { chain: 'wkrc', abi, address: '0x0000000000000000000000000000000000001000', startBlock: 0 },
  },
})
