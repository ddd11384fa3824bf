// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Asks gwon-dev node, anvil and Hardhat's own network the test methods of methods.json, with the values that tests use. It fails where
// an answer is another one than the recorded one; with --write it records them.
// Usage: node methods.mjs GWON [--write] [gwon|anvil|hardhat ...]
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rpc, startAnvil, startDev, startHardhat, until } from './chain.mjs'
import { tool } from './foundry.mjs'

export const name = 'test methods'

const here = dirname(fileURLToPath(import.meta.url))
const file = join(here, 'methods.json')

/** The programs by the name of their column, and the method that begins a case again; without one a case has a new process. */
const programs = {
  gwon: { start: (gwon) => startDev(gwon), reset: 'hardhat_reset' },
  anvil: { start: () => startAnvil(tool('anvil'), 31337) }, // its reset keeps settings and forgets the coins of accounts
  hardhat: { start: () => startHardhat(), reset: 'hardhat_reset' },
}

/** The timestamp of the block before each case: moments that the machine's clock does not reach. */
const base = 4_000_000_000

/** What a case looks at afterwards, besides JSON-RPC requests. */
const looks = {
  minutes: (block, before) => `${Number(block.number) - before} blocks, ${Math.round((Number(block.timestamp) - base) / 60)} min`,
  seconds: (block, before) => `${Number(block.number) - before} blocks, ${Number(block.timestamp) - base} s`,
}

/** Reports whether an answer says no more than that the method has done its work: each program has another word for that. */
const isDone = (result) => [null, true, '0', '0x0'].includes(result)

/** Puts results of earlier calls in the place of "$0", "$1" and so on. */
const fill = (params, results) => JSON.parse(JSON.stringify(params), (_, v) => (/^\$\d$/.test(v) ? results[v[1]] : v))

/** Runs a case and describes the answer to its last call, and what is seen afterwards. */
export async function answerOf(url, reset, { calls, answer, mined, see }) {
  if (reset) await rpc(url, reset)
  await rpc(url, 'evm_setNextBlockTimestamp', [base])
  await rpc(url, 'evm_mine')
  const before = Number(await rpc(url, 'eth_blockNumber'))
  const results = []
  let text
  for (const [method, ...params] of calls) {
    try {
      results.push(await rpc(url, method, fill(params, results)))
      const result = results.at(-1)
      if (answer === 'type') text = typeof result
      else text = isDone(result) ? 'done' : JSON.stringify(result)
    } catch (error) {
      if (error.code === undefined) throw error
      if (error.code === -32601 || error.code === -32004) return 'no such method'
      text = 'refused'
      results.push(null)
    }
  }
  // anvil answers with the hash of a transaction before it has made the block.
  if (mined) await until('the block', async () => await rpc(url, 'eth_getTransactionReceipt', [results.at(-1)]))
  if (!see) return text
  if (looks[see]) return `${text}; ${looks[see](await rpc(url, 'eth_getBlockByNumber', ['latest', false]), before)}`
  const [method, params, key] = see
  const seen = await rpc(url, method, fill(params, results)).catch((error) => {
    if (error.code === undefined) throw error
    return 'refused'
  })
  return `${text}; ${JSON.stringify(key ? seen?.[key] ?? null : seen)}`
}

/** Returns the recorded cases with the answers of all programs, which are started and stopped here. */
export async function ask(gwon, columns = Object.keys(programs)) {
  const cases = JSON.parse(readFileSync(file, 'utf8'))
  for (const column of columns) {
    const { start, reset } = programs[column]
    let running
    try {
      for (const c of cases) {
        if (c.slow && column === 'anvil') continue // which needs minutes for 10,000 blocks
        running ??= await start(gwon)
        c[column] = await answerOf(running.url, reset, c)
        if (reset) continue
        await running.stop()
        running = undefined
      }
    } finally {
      await running?.stop()
    }
  }
  return cases
}

export function features({ gwon }) {
  return Object.fromEntries(Object.keys(programs).map((column) => [`answers of ${column}`, async () => {
    const recorded = JSON.parse(readFileSync(file, 'utf8'))
    assert.deepEqual(await ask(gwon, [column]), recorded, 'run node methods.mjs GWON --write, and look at what has changed')
  }]))
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [gwon, ...rest] = process.argv.slice(2)
  const write = rest[0] === '--write'
  const columns = write ? rest.slice(1) : rest
  if (!gwon || columns.some((column) => !programs[column])) {
    console.error('usage: node methods.mjs GWON [--write] [gwon|anvil|hardhat ...]')
    process.exit(2)
  }
  const cases = await ask(resolve(gwon), columns.length ? columns : undefined)
  if (write) writeFileSync(file, `[\n${cases.map((c) => `  ${JSON.stringify(c)}`).join(',\n')}\n]\n`)
  else assert.deepEqual(cases, JSON.parse(readFileSync(file, 'utf8')))
}
