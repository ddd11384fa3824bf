// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Stock clients with an account without coins, and the URL of a sponsor as their only setting.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ContractFactory, JsonRpcProvider, Wallet } from 'ethers'
import { createWalletClient, defineChain, http, publicActions } from 'viem'
import { generatePrivateKey, privateKeyToAccount, privateKeyToAddress } from 'viem/accounts'
import { rpc, run } from './chain.mjs'
import { cast } from './foundry.mjs'

export const name = 'sponsored'

/** The feature that a short run has. */
export const smoke = 'cast send'

const here = dirname(fileURLToPath(import.meta.url))
const to = '0x00000000000000000000000000000000000000aa'

/** Runs the Go program with stock go-ethereum. */
async function abigen(url, counter) {
  const dir = mkdtempSync(join(here, 'work', 'abigen-'))
  try {
    const program = join(dir, 'abigen')
    await run('go', ['build', '-o', program, '.'], { cwd: join(here, 'abigen'), env: { GOWORK: 'off' }, timeout: 600_000 })
    await new Promise((resolve, reject) => {
      const child = spawn(program, [url], { stdio: ['pipe', 'pipe', 'pipe'] })
      let output = ''
      for (const stream of [child.stdout, child.stderr]) stream.on('data', (d) => { output += d })
      child.on('error', reject)
      child.on('close', (code) => (code === 0 ? resolve() : reject(new Error(`abigen ends with ${code}: ${output}`))))
      child.stdin.end(JSON.stringify(counter))
    })
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}

export function features({ url, node, chainId, counter }) {
  const at = ['--rpc-url', url]
  /** Sends with cast as a new account. The receipt that is printed is that of the transaction that cast has signed. */
  const send = async (...args) => {
    const key = generatePrivateKey()
    const receipt = JSON.parse(await cast('send', '--json', '--private-key', key, ...at, ...args))
    assert.equal(receipt.status, '0x1')
    assert.equal(receipt.type, '0x2')
    assert.equal(await rpc(node, 'eth_getBalance', [privateKeyToAddress(key), 'latest']), '0x0')
    const tx = JSON.parse(await cast('tx', receipt.transactionHash, '--json', ...at))
    assert.equal(tx.hash, receipt.transactionHash)
    const again = JSON.parse(await cast('receipt', receipt.transactionHash, '--json', ...at))
    assert.equal(again.transactionHash, receipt.transactionHash)
    const block = JSON.parse(await cast('block', String(BigInt(receipt.blockNumber)), '--full', '--json', ...at))
    assert.ok(block.transactions.some(({ hash }) => hash === receipt.transactionHash))
    const mined = await rpc(url, 'eth_getTransactionReceiptBySenderHash', [receipt.transactionHash])
    assert.equal(mined.type, '0x16')
    return { ...receipt, ...tx }
  }
  let address
  return {
    [smoke]: () => send(to),
    'cast send with a gas limit': () => send(to, '--gas-limit', '21000'),
    'cast send in plain text': async () => {
      const printed = await cast('send', to, '--private-key', generatePrivateKey(), ...at)
      assert.match(printed, /^status +1 \(success\)$/m)
    },
    'cast send --create': async () => {
      address = (await send('--create', counter.bytecode)).contractAddress
      assert.match(address, /^0x[0-9a-fA-F]{40}$/)
    },
    'cast send to a contract': () => send(address, 'add()'),
    'cast send to a contract with a gas limit': () => send(address, 'add()', '--gas-limit', '100000'),
    'cast send with an access list': async () => {
      const list = [{ address: to, storageKeys: [`0x${'1'.repeat(64)}`] }]
      assert.deepEqual((await send(address, 'add()', '--access-list', JSON.stringify(list))).accessList, list)
    },
    'cast estimate and access-list': async () => {
      const from = ['--from', privateKeyToAddress(generatePrivateKey())]
      assert.ok(BigInt(await cast('estimate', address, 'add()', ...from, ...at)) > 21000n)
      assert.match(await cast('access-list', address, 'add()', ...from, ...at), /gas used/)
    },
    'abigen and ethclient': () => abigen(url, counter),
    ethers: async () => {
      const provider = new JsonRpcProvider(url, chainId, { staticNetwork: true, pollingInterval: 200, cacheTimeout: -1 })
      const wallet = new Wallet(generatePrivateKey(), provider)
      try {
        const contract = await new ContractFactory(counter.abi, counter.bytecode, wallet).deploy()
        assert.equal((await contract.deploymentTransaction().wait(1, 30_000)).status, 1)
        const { maxFeePerGas, maxPriorityFeePerGas } = await provider.getFeeData()
        for (const fees of [{}, { maxFeePerGas, maxPriorityFeePerGas }]) {
          const receipt = await (await contract.add(fees)).wait(1, 30_000)
          assert.equal(receipt.status, 1)
          assert.equal((await receipt.getTransaction()).hash, receipt.hash)
          const block = await provider.getBlock(receipt.blockNumber, true)
          assert.ok(block.prefetchedTransactions.some(({ hash }) => hash === receipt.hash))
        }
        assert.equal(await contract.count(), 2n)
        assert.equal(await provider.getBalance(wallet.address), 0n)
      } finally {
        provider.destroy()
      }
    },
    viem: async () => {
      const chain = defineChain({
        id: chainId,
        name: 'WKRC',
        nativeCurrency: { name: 'WKRC', symbol: 'WKRC', decimals: 18 },
        rpcUrls: { default: { http: [url] } },
      })
      const account = privateKeyToAccount(generatePrivateKey())
      const client = createWalletClient({ account, chain, transport: http(), pollingInterval: 200 }).extend(publicActions)
      const mined = async (hash) => {
        const receipt = await client.waitForTransactionReceipt({ hash, timeout: 30_000 })
        assert.equal(receipt.status, 'success')
        assert.equal((await client.getTransaction({ hash })).hash, hash)
        const block = await client.getBlock({ blockNumber: receipt.blockNumber, includeTransactions: true })
        assert.ok(block.transactions.some((tx) => tx.hash === hash && tx.type === 'eip1559'))
        return receipt
      }
      const { contractAddress } = await mined(await client.deployContract(counter))
      const call = { address: contractAddress, abi: counter.abi, functionName: 'add' }
      await mined(await client.writeContract(call))
      await mined(await client.writeContract({ ...call, ...(await client.estimateFeesPerGas()) }))
      assert.equal(await client.readContract({ ...call, functionName: 'count' }), 2n)
      assert.equal(await client.getBalance({ address: account.address }), 0n)
    },
  }
}
