// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Tries a developer chain that continues a devnet with tools of others: OpenZeppelin's contracts answer as on a chain of its own, and Foundry
// and Hardhat continue it in their turn.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createTestClient, encodeFunctionData, http, parseAbi, publicActions, walletActions } from 'viem'
import { rpc, run, startAnvil, startDev } from './chain.mjs'
import { cast, tool } from './foundry.mjs'
import { contracts, exercise } from './openzeppelin/suite.mjs'

export const name = 'fork'

const here = dirname(fileURLToPath(import.meta.url))
const coin = '0x0000000000000000000000000000000000001000'
const totalSupply = '0x18160ddd'
const abi = parseAbi([
  'function memberVersion() view returns (uint256)', 'function versionedMemberList(uint256 version, uint256 index) view returns (address)',
  'function isBlacklisted(address) view returns (bool)', 'function proposeAddBlacklist(address) returns (uint256)', 'function approveProposal(uint256)',
])
const council = { address: '0x0000000000000000000000000000000000001004', abi }
const AsyncFunction = (async () => {}).constructor

/** node is the URL of the network that is continued, genesis its file, and cache a directory. */
export function features({ gwon, node, genesis, cache }) {
  const onFork = async (use, flags = []) => {
    const { url, stop } = await startDev(gwon, ['--fork', node, '--fork.genesis', genesis, '--fork.cache', cache, ...flags])
    try {
      await use(url)
    } finally {
      await stop()
    }
  }
  const supplyOf = (url) => rpc(url, 'eth_call', [{ to: coin, data: totalSupply }, 'latest'])
  return {
    'OpenZeppelin as without a fork': async () => {
      const compiled = contracts()
      const { url, stop } = await startDev(gwon)
      let own
      try {
        own = await exercise(url, compiled)
      } finally {
        await stop()
      }
      await onFork(async (fork) => assert.deepEqual(await exercise(fork, compiled, { forked: true }), own), ['--dev.chainid', '1337'])
    },
    'members vote as the page says': () => onFork(async (url) => {
      const page = readFileSync(join(here, '..', '..', 'docs', 'develop', 'fork.md'), 'utf8')
      const [, vote] = /^```js\n(.*?)^```/ms.exec(page)
      const client = createTestClient({ mode: 'anvil', transport: http(url), chain: null }).extend(publicActions).extend(walletActions)
      const read = (functionName, ...args) => client.readContract({ ...council, functionName, args })
      const version = await read('memberVersion')
      const members = [await read('versionedMemberList', version, 0n), await read('versionedMemberList', version, 1n)]
      const account = '0x00000000000000000000000000000000000000aa'
      await new AsyncFunction('client', 'members', 'account', 'id', 'council', 'encodeFunctionData', vote)(client, members, account, 1n, abi, encodeFunctionData)
      assert.equal(await read('isBlacklisted', account), true)
    }),
    'forge test --fork-url': () => onFork(async (url) => {
      const output = await run(tool('forge'), ['test', '--fork-url', url], { cwd: here, env: { NO_COLOR: '1' } })
      assert.match(output, /1 passed; 0 failed/)
    }),
    'anvil --fork-url': () => onFork(async (url) => {
      const anvil = await startAnvil(tool('anvil'), Number(await rpc(url, 'eth_chainId')), ['--fork-url', url])
      try {
        assert.equal(await supplyOf(anvil.url), await supplyOf(url))
        assert.equal(await cast('block-number', '--rpc-url', anvil.url), String(Number(await rpc(url, 'eth_blockNumber'))))
      } finally {
        await anvil.stop()
      }
    }),
    'Hardhat forking': () => onFork(async (url) => {
      const env = {
        FORK_URL: url, FORK_BLOCK: await rpc(url, 'eth_blockNumber'), FORK_CHAIN: await rpc(url, 'eth_chainId'), SUPPLY: await supplyOf(url),
        HARDHAT_DISABLE_TELEMETRY_PROMPT: 'true', DO_NOT_TRACK: '1', CI: 'true', NO_COLOR: '1',
      }
      const output = await run(join(here, 'node_modules', '.bin', 'hardhat'),
        ['--config', 'forked.config.cjs', 'run', '--no-compile', 'forked.cjs'], { cwd: here, env })
      assert.match(output, /done: forked\n/)
    }),
  }
}
