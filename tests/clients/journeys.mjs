// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// What the network's public documentation promises or tells its readers to do. Where it is wrong, the refusal says what to do.
import assert from 'node:assert/strict'
import { createPublicClient, createWalletClient, defineChain, encodeFunctionData, http, parseAbi, parseSignature, toHex, toRlp } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { rpc, until } from './chain.mjs'
import { addFeePayer } from './feedelegation.mjs'

export const name = 'documentation'

const coin = '0x0000000000000000000000000000000000001000'
const coinAbi = parseAbi([
  'function name() view returns (string)', 'function decimals() view returns (uint8)', 'function nonces(address) view returns (uint256)',
  'function balanceOf(address) view returns (uint256)', 'function allowance(address,address) view returns (uint256)',
  'function transfer(address,uint256) returns (bool)', 'function approve(address,uint256) returns (bool)',
  'function permit(address,address,uint256,uint256,uint8,bytes32,bytes32)',
  'function transferWithAuthorization(address,address,uint256,uint256,uint256,bytes32,uint8,bytes32,bytes32)',
  'function receiveWithAuthorization(address,address,uint256,uint256,uint256,bytes32,uint8,bytes32,bytes32)',
  'function cancelAuthorization(address,bytes32,uint8,bytes32,bytes32)',
])
const gwei = 10n ** 9n

export function features({ url, chainId, key, payer }) {
  const chain = defineChain({
    id: chainId, name: 'WKRC', nativeCurrency: { name: 'WKRC', symbol: 'WKRC', decimals: 18 }, rpcUrls: { default: { http: [url] } },
  })
  const account = privateKeyToAccount(key)
  const client = createPublicClient({ chain, transport: http(), pollingInterval: 200 })
  const wallet = createWalletClient({ account, chain, transport: http() })
  const ask = (method, ...params) => rpc(url, method, params)
  const mined = async (hash) => {
    const receipt = await client.waitForTransactionReceipt({ hash, timeout: 30_000 })
    assert.equal(receipt.status, 'success')
    return receipt
  }
  const transfer = (fields) => ({ to: account.address, value: 1n, gas: 21000n, ...fields })
  const sign = async (fields) => account.signTransaction({
    chainId, nonce: await client.getTransactionCount({ address: account.address, blockTag: 'pending' }), ...transfer(fields),
  })
  const fees = async () => client.estimateFeesPerGas()
  const write = async (functionName, args) => mined(await wallet.writeContract({ address: coin, abi: coinAbi, functionName, args }))
  const typed = async (primaryType, fields, message) => {
    const { v, r, s } = parseSignature(await account.signTypedData({
      domain: { name: 'WKRC', version: '1', chainId, verifyingContract: coin }, primaryType,
      types: { [primaryType]: fields.map(([type, name]) => ({ type, name })) }, message,
    }))
    return [Number(v), r, s]
  }
  const authorization = [['address', 'from'], ['address', 'to'], ['uint256', 'value'], ['uint256', 'validAfter'],
    ['uint256', 'validBefore'], ['bytes32', 'nonce']]
  return {
    read: async () => {
      for (const tag of ['latest', 'earliest', 'pending']) {
        assert.ok(BigInt(await ask('eth_getBalance', account.address, tag)) >= 0n, tag)
        assert.ok((await ask('istanbul_getValidators', tag)).length > 0, tag)
      }
      assert.ok(await ask('istanbul_getWbftExtraInfo', 'latest'))
      const history = await ask('eth_feeHistory', '0x4', 'latest', [50])
      assert.ok(history.reward.every(([tip]) => BigInt(tip) > 0n))
      for (const method of ['txpool_status', 'eth_gasPrice', 'net_version', 'eth_syncing', 'net_peerCount', 'web3_clientVersion']) {
        assert.notEqual(await ask(method), undefined, method)
      }
    },
    send: async () => {
      const { maxFeePerGas, maxPriorityFeePerGas } = await fees()
      for (const fields of [{}, { type: 'legacy' }, { type: 'eip2930', accessList: [] }, { type: 'eip1559' },
        { maxFeePerGas: 80_000n * gwei, maxPriorityFeePerGas: 27_600n * gwei }]) {
        const { blockHash } = await mined(await wallet.sendTransaction(transfer(fields)))
        assert.ok((await ask('eth_getReceiptsByHash', blockHash)).length > 0)
      }
      await assert.rejects(async () => ask('eth_sendRawTransaction', await sign({ maxFeePerGas, maxPriorityFeePerGas: gwei })),
        /gas tip cap 1000000000, minimum needed/)
      const many = await ask('eth_sendRawTransactions', [await sign({ maxFeePerGas, maxPriorityFeePerGas })])
      assert.equal(many.length, 1)
      await until('the batch is mined', async () => ask('eth_getTransactionReceipt', many[0]?.hash ?? many[0]))
    },
    call: async () => {
      const read = (functionName, args = []) => client.readContract({ address: coin, abi: coinAbi, functionName, args })
      assert.equal(await read('decimals'), 18)
      assert.equal(await read('name'), 'WKRC')
      const to = privateKeyToAccount(generatePrivateKey()).address
      await write('transfer', [to, 5n])
      assert.equal(await read('balanceOf', [to]), await client.getBalance({ address: to }))
      const deadline = 2n ** 64n
      await write('permit', [account.address, to, 7n, deadline, ...await typed('Permit', [['address', 'owner'], ['address', 'spender'],
        ['uint256', 'value'], ['uint256', 'nonce'], ['uint256', 'deadline']],
      { owner: account.address, spender: to, value: 7n, nonce: await read('nonces', [account.address]), deadline })])
      assert.equal(await read('allowance', [account.address, to]), 7n)
      for (const [type, receiver] of [['TransferWithAuthorization', to], ['ReceiveWithAuthorization', account.address]]) {
        const message = { from: account.address, to: receiver, value: 3n, validAfter: 0n, validBefore: deadline, nonce: generatePrivateKey() }
        await write(type[0].toLowerCase() + type.slice(1), [...Object.values(message), ...await typed(type, authorization, message)])
      }
      assert.equal(await read('balanceOf', [to]), 8n)
      const nonce = generatePrivateKey()
      await write('cancelAuthorization', [account.address, nonce, ...await typed('CancelAuthorization', [['address', 'authorizer'],
        ['bytes32', 'nonce']], { authorizer: account.address, nonce })])
    },
    script: async () => {
      const delegate = privateKeyToAccount(generatePrivateKey())
      const signed = await delegate.signAuthorization({ contractAddress: coin, chainId, nonce: 0 })
      await mined(await wallet.sendTransaction({ authorizationList: [signed], to: account.address }))
      assert.equal((await client.getCode({ address: delegate.address })).toLowerCase(), `0xef0100${coin.slice(2)}`)
      assert.equal(await ask('eth_call', { to: '0x0000000000000000000000000000000000000100', data: toHex(new Uint8Array(160)) }, 'latest'), '0x')
      assert.equal((await ask('eth_getProof', account.address, [], 'latest')).address.toLowerCase(), account.address.toLowerCase())
    },
    deploy: async () => { // forge create --priority-gas-price asks for an estimate with a tip and no cap
      const tip = toHex(27_600n * gwei)
      assert.ok(BigInt(await ask('eth_estimateGas', { from: account.address, to: coin, maxPriorityFeePerGas: tip,
        data: encodeFunctionData({ abi: coinAbi, functionName: 'approve', args: [coin, 1n] }) })) > 21000n)
    },
    events: async () => {
      const block = await ask('eth_newBlockFilter')
      const logs = await ask('eth_newFilter', { address: coin })
      await mined(await wallet.sendTransaction(transfer({})))
      await until('the filters have something', async () => (await ask('eth_getFilterChanges', logs)).length > 0)
      assert.ok((await ask('eth_getFilterChanges', block)).length > 0)
      assert.equal(await ask('eth_uninstallFilter', block), true)
    },
    'fee delegation': async () => {
      const { maxFeePerGas, maxPriorityFeePerGas } = await fees()
      const good = await addFeePayer(await sign({ maxFeePerGas, maxPriorityFeePerGas }), payer)
      assert.ok((await mined(await client.sendRawTransaction({ serializedTransaction: good }))).feePayer)
      const flat = `0x16${toRlp([toHex(chainId), '0x', ...Array(12).fill('0x01')]).slice(2)}`
      await assert.rejects(ask('eth_sendRawTransaction', flat), /fee.?pay|sender/i)
    },
  }
}
