// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Calls a contract, here approve of the coin, and another account pays the gas: a sponsor (SPONSOR), or one whose key
// is here (PAYER_KEY). Usage: KEY=0x... SPONSOR=URL node contract-call.mjs SPENDER AMOUNT
import { createWalletClient, http, parseAbi, publicActions } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { coinAddress } from '@gwon/sdk'
import { parseWon, sponsored, wkrcDevnet, won } from '@gwon/sdk/viem'

const { RPC = 'http://127.0.0.1:8545', KEY, SPONSOR, PAYER_KEY } = process.env
const [spender, amount] = process.argv.slice(2)

const transport = SPONSOR ? sponsored(SPONSOR, http(RPC)) : http(RPC)
const feePayer = SPONSOR ? undefined : privateKeyToAccount(PAYER_KEY)
const client = createWalletClient({ account: privateKeyToAccount(KEY), chain: wkrcDevnet, transport }).extend(
  publicActions,
)

const abi = parseAbi([
  'function approve(address spender, uint256 value) returns (bool)',
  'function allowance(address owner, address spender) view returns (uint256)',
])
const coin = { address: coinAddress, abi }
const hash = await client.writeContract({
  ...coin,
  functionName: 'approve',
  args: [spender, parseWon(amount)],
  feePayer,
})
const { feePayer: paidBy } = await client.waitForTransactionReceipt({ hash })
const allowance = await client.readContract({
  ...coin,
  functionName: 'allowance',
  args: [client.account.address, spender],
})
console.log(`${spender} may spend ${won(allowance)}, and ${paidBy} paid the fee`)
