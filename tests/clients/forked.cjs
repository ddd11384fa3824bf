// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Hardhat's own network continues a forked developer chain: it has the supply of coins, and an account of the chain pays.
const assert = require('node:assert/strict')
const { network: { provider } } = require('hardhat')

const coin = '0x0000000000000000000000000000000000001000'
const payer = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'

async function main() {
  assert.equal(await provider.send('eth_blockNumber', []), process.env.FORK_BLOCK)
  await provider.send('hardhat_mine', ['0x1']) // Hardhat 2 knows no rules for calls of the forked block itself
  assert.equal(await provider.send('eth_call', [{ to: coin, data: '0x18160ddd' }, 'latest']), process.env.SUPPLY)
  await provider.send('hardhat_impersonateAccount', [payer])
  const hash = await provider.send('eth_sendTransaction', [{ from: payer, to: '0x00000000000000000000000000000000000000aa', value: '0x1' }])
  assert.equal((await provider.send('eth_getTransactionReceipt', [hash])).status, '0x1')
  console.log('done: forked')
}

main().catch((error) => { console.error(error); process.exit(1) })
