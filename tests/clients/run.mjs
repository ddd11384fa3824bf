// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Tries every client's features on an idle devnet, on a busy one and behind the public profile, some at gwon-dev light, and the snippets of docs/develop on
// the idle one, the test methods of gwon-dev node (also beside anvil and Hardhat), the description of RPC methods, contracts of OpenZeppelin on gwon-dev node and on anvil, stock clients at a sponsor's URL, a fork of the devnet, and the pages of docs/start; prints a table, and fails when a feature does.
// With --smoke it is a transfer, a contract and a fee-delegated transaction by four clients at once on one devnet, by Foundry at gwon-dev light too, and cast at its sponsor.
// Usage: node run.mjs GWON [--smoke | CLIENT...]
import { mkdtempSync, mkdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createPublicClient, http } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { compile } from './compile.mjs'
import { rpc, startDev, startDevnet, startLight, startPublicNode } from './chain.mjs'
import * as dev from './dev.mjs'
import * as ethers from './ethers.mjs'
import * as forked from './forked.mjs'
import * as foundry from './foundry.mjs'
import * as hardhat from './hardhat.mjs'
import * as journeys from './journeys.mjs'
import * as methods from './methods.mjs'
import * as openrpc from './openrpc.mjs'
import * as openzeppelin from './openzeppelin.mjs'
import * as snippets from './snippets.mjs'
import * as sponsored from './sponsored.mjs'
import * as start from './start.mjs'
import * as viem from './viem.mjs'

const columns = ['read', 'send', 'deploy', 'script', 'call', 'events', 'subscribe', 'fee delegation', 'operator']
const patience = 180_000 // of milliseconds, for one feature

const [gwon, ...rest] = process.argv.slice(2)
const smoke = rest[0] === '--smoke'
const wanted = smoke ? ['viem', 'ethers', 'Foundry', 'Hardhat'] : rest
const tried = smoke ? ['send', 'deploy', 'fee delegation'] : columns
if (!gwon || (smoke && rest.length > 1)) {
  console.error('usage: node run.mjs GWON [--smoke | CLIENT...]')
  process.exit(2)
}
const here = dirname(fileURLToPath(import.meta.url))
mkdirSync(join(here, 'work'), { recursive: true })
const isWanted = (client) => wanted.length === 0 || wanted.includes(client.name)
const clients = [foundry, hardhat, viem, ethers, journeys].filter(isWanted)
const devClients = [dev, openrpc, openzeppelin].filter(isWanted)

/** Sends payments of one account, ten a block, until stopped. */
function keepBusy(url, chainId, { privateKey }) {
  const account = privateKeyToAccount(privateKey)
  const client = createPublicClient({ transport: http(url) })
  let stopped = false
  let sent = 0
  const loop = (async () => {
    let nonce = await client.getTransactionCount({ address: account.address })
    const tip = BigInt(await rpc(url, 'eth_maxPriorityFeePerGas'))
    while (!stopped) {
      const signed = await account.signTransaction({
        type: 'eip1559', chainId, nonce, gas: 21000n, to: account.address, value: 1n, maxFeePerGas: 3n * tip, maxPriorityFeePerGas: tip,
      })
      await rpc(url, 'eth_sendRawTransaction', [signed])
      nonce++
      sent++
      await new Promise((r) => setTimeout(r, 100))
    }
  })()
  return async () => { stopped = true; await loop; return sent }
}

async function attempt(feature) {
  if (!feature) return { cell: '-' }
  let timer
  try {
    await Promise.race([feature(), new Promise((_, reject) => {
      timer = setTimeout(() => reject(new Error(`no end within ${patience / 1000} s`)), patience)
    })])
    return { cell: 'ok' }
  } catch (error) {
    return { cell: 'FAILED', error }
  } finally {
    clearTimeout(timer)
  }
}

const rows = []
const failures = []

/** Tries features one by one, each in a line; all of them, or those named. */
async function tryEach(client, context, names) {
  for (const [feature, f] of Object.entries(client.features(context))) {
    if (names && !names.includes(feature)) continue
    const { cell, error } = await attempt(f)
    if (error) failures.push(`${client.name}, ${feature}: ${error.stack ?? error}`)
    console.log([client.name, feature, cell].join('\t'))
  }
}

/** Tries what a developer chain adds. */
async function tryDev(client, context) {
  const { url, stop } = await startDev(resolve(gwon))
  try {
    await tryEach(client, { ...context, url, chainId: 1337 })
  } finally {
    await stop()
  }
}

async function tryAll(where, context, list = clients) {
  const tryOne = async ([i, client]) => {
    const features = client.features({ ...context, key: context.accounts[i + 1].privateKey, payer: context.accounts[7] })
    const row = { client: client.name, where }
    for (const column of tried) {
      const { cell, error } = await attempt(features[column])
      row[column] = cell
      if (error) failures.push(`${client.name}, ${where}, ${column}: ${error.stack ?? error}`)
    }
    await features.close?.()
    rows.push(row)
    console.log(Object.values(row).join('\t'))
  }
  if (smoke) await Promise.all([...list.entries()].map(tryOne))
  else for (const entry of list.entries()) await tryOne(entry)
}

const dir = mkdtempSync(join(tmpdir(), 'gwon-clients-'))
const stops = []
try {
  const { Counter: counter } = compile('contracts/Counter.sol', { 'contracts/Counter.sol': ['Counter'] })
  for (const client of devClients) await tryDev(client, { counter })
  for (const page of [start, methods].filter(isWanted)) await tryEach(page, { gwon: resolve(gwon) })
  if (clients.length || [snippets, sponsored, forked].some(isWanted)) await tryNetworks(counter)
} finally {
  for (const stop of stops.reverse()) await stop()
  rmSync(dir, { recursive: true, force: true })
}

async function tryNetworks(counter) {
  const { info, stop } = await startDevnet(resolve(gwon), join(dir, 'devnet'))
  stops.push(stop)
  const context = { url: info.rpc, ws: info.ws, chainId: info.chainId, accounts: info.accounts, counter }
  const atSponsor = { url: info.sponsor.rpc, node: info.rpc, chainId: info.chainId, counter }
  const genesis = join(dir, 'devnet', 'genesis.json')
  const atLight = async () => {
    const light = await startLight(resolve(gwon), join(dir, 'light'), genesis, info.rpc)
    stops.push(light.stop)
    return { ...context, url: light.url, ws: light.ws }
  }
  if (smoke) {
    const others = { ...await atLight(), accounts: [...info.accounts.slice(4), ...info.accounts] } // whose nonces are free
    return Promise.all([tryAll('idle', context), tryAll('light', others, [foundry]), tryEach(sponsored, atSponsor, [sponsored.smoke])])
  }
  await tryAll('idle', { ...context, operator: { gwon: resolve(gwon), dir: join(dir, 'operator'), devnet: info } })
  await tryAll('idle', context, [snippets].filter(isWanted))
  if (isWanted(sponsored)) await tryEach(sponsored, atSponsor)
  if (isWanted(forked)) await tryEach(forked, { gwon: resolve(gwon), node: info.rpc, genesis, cache: join(dir, 'forks') })
  if (!clients.length) return
  await tryAll('light', await atLight(), clients.filter((c) => [foundry, viem, ethers].includes(c)))
  const quiet = keepBusy(info.rpc, info.chainId, info.accounts[9])
  try {
    await tryAll('busy', context)
    const node = await startPublicNode(resolve(gwon), join(dir, 'public'), info)
    stops.push(node.stop)
    await tryAll('public', { ...context, url: node.url, ws: undefined, isPublic: true })
  } finally {
    console.log(`payments sent meanwhile: ${await quiet()}`)
  }
}
console.log()
if (rows.length) console.table(rows)
for (const failure of failures) console.error(`\n${failure}`)
process.exit(failures.length ? 1 : 0)
