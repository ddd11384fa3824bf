// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { getContractAddress } from 'viem'
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts'
import { rpc, run } from './chain.mjs'
import { addFeePayer } from './feedelegation.mjs'

export const name = 'Foundry'

const here = dirname(fileURLToPath(import.meta.url))
/** Where npm has put a tool. It has those of Linux on x64 alone; elsewhere the one in PATH is taken, see https://getfoundry.sh. */
export const tool = (name) => {
  const installed = join(here, 'node_modules', '.bin', name)
  return existsSync(installed) ? installed : name
}
/** Runs cast and returns what it prints. */
export const cast = async (...args) => (await run(tool('cast'), args, { cwd: here, env: { NO_COLOR: '1' } })).trim()
const forge = (...args) => run(tool('forge'), args, { cwd: here, env: { NO_COLOR: '1' } })

/** The CREATE2 proxy that forge script and others expect. */
export const create2Proxy = '0x4e59b44847b379578588920cA78FbF26c0B4956C'

/** Has forge script create a contract with a salt. The contract is at the address of EIP-1014 afterwards, and has been called. */
export async function deploySalted(url, key) {
  const salt = generatePrivateKey()
  const output = await run(tool('forge'), ['script', 'script/Salted.s.sol', '--broadcast', '--rpc-url', url, '--private-key', key],
    { cwd: here, env: { NO_COLOR: '1', SALT: salt } })
  assert.match(output, /ONCHAIN EXECUTION COMPLETE/)
  const bytecode = (await forge('inspect', 'contracts/Counter.sol:Counter', 'bytecode')).trim()
  const to = getContractAddress({ opcode: 'CREATE2', from: create2Proxy, salt, bytecode })
  const count = '0x06661abd' // count()
  assert.equal(BigInt(await rpc(url, 'eth_call', [{ to, data: count }, 'latest'])), 1n)
}

export function features({ url, chainId, key, payer, isPublic }) {
  const at = ['--rpc-url', url]
  const signing = [...at, '--private-key', key]
  const from = privateKeyToAddress(key)
  let address
  let first
  const fresh = generatePrivateKey()
  return {
    read: async () => {
      assert.equal(await cast('chain-id', ...at), String(chainId))
      assert.ok(BigInt(await cast('balance', from, ...at)) > 10n ** 21n)
      if (isPublic) { // which has forgotten the state of the first block when the machine is slow
        const old = BigInt(await cast('block-number', ...at)) - 2n
        assert.ok(BigInt(await cast('balance', from, '--block', String(old), ...at)) > 10n ** 21n)
      } else assert.equal(await cast('balance', from, '--block', '1', ...at), String(10n ** 27n))
    },
    send: async () => {
      const receipt = JSON.parse(await cast('send', '0x00000000000000000000000000000000000000aa', '--value', '1', '--json', ...signing))
      assert.equal(receipt.status, '0x1')
    },
    deploy: async () => {
      first = await cast('block-number', ...at)
      const made = JSON.parse(await forge('create', 'contracts/Counter.sol:Counter', '--broadcast', '--json', ...signing))
      address = made.deployedTo
      assert.match(address, /^0x[0-9a-fA-F]{40}$/)
    },
    script: async () => {
      const output = await forge('script', 'script/Deploy.s.sol', '--broadcast', ...signing)
      assert.match(output, /ONCHAIN EXECUTION COMPLETE/)
      await deploySalted(url, key)
    },
    call: async () => {
      const receipt = JSON.parse(await cast('send', address, 'add()', '--json', ...signing))
      assert.equal(receipt.status, '0x1')
      assert.equal(await cast('call', address, 'count()(uint256)', ...at), '1')
      await assert.rejects(cast('call', address, 'refuse()', ...at), /not today/)
    },
    events: async () => {
      const logs = JSON.parse(await cast('logs', '--from-block', first, '--address', address, '--json', 'Counted(address indexed,uint256)', ...at))
      assert.equal(logs.length, 1)
    },
    'fee delegation': async () => {
      const sender = privateKeyToAddress(fresh)
      await cast('send', sender, '--value', '5', '--json', ...signing)
      const nonce = await cast('nonce', sender, ...at)
      const tip = String(BigInt(JSON.parse(await cast('rpc', 'eth_maxPriorityFeePerGas', ...at))))
      const signed = await cast('mktx', from, '--value', '5', '--gas-limit', '21000', '--nonce', nonce, '--chain', String(chainId),
        '--priority-gas-price', tip, '--gas-price', String(3n * BigInt(tip)), '--private-key', fresh, ...at)
      const hash = JSON.parse(await cast('rpc', 'eth_sendRawTransaction', await addFeePayer(signed, payer), ...at))
      const receipt = JSON.parse(await cast('receipt', hash, '--json', ...at))
      assert.equal(receipt.status, '0x1')
    },
  }
}
