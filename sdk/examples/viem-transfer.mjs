// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Sends coins, and another account pays the gas: a sponsor (SPONSOR), or one whose key is here (PAYER_KEY).
// Usage: KEY=0x... SPONSOR=URL node viem-transfer.mjs TO AMOUNT
import { createWalletClient, http, publicActions } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { parseWon, sponsored, wkrcDevnet, won } from '@gwon/sdk/viem'

const { RPC = 'http://127.0.0.1:8545', KEY, SPONSOR, PAYER_KEY } = process.env
const [to, amount] = process.argv.slice(2)

const transport = SPONSOR ? sponsored(SPONSOR, http(RPC)) : http(RPC)
const feePayer = SPONSOR ? undefined : privateKeyToAccount(PAYER_KEY)
const client = createWalletClient({ account: privateKeyToAccount(KEY), chain: wkrcDevnet, transport }).extend(
  publicActions,
)

const hash = await client.sendTransaction({ to, value: parseWon(amount), feePayer })
const receipt = await client.waitForTransactionReceipt({ hash })
const fee = won(receipt.gasUsed * receipt.effectiveGasPrice, { digits: 2 })
console.log(`${receipt.status}: ${amount} to ${to}, and ${receipt.feePayer} paid the fee of ${fee}`)
