// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

import assert from 'node:assert/strict'
import test, { after, before } from 'node:test'
import {
  createClient,
  createPublicClient,
  createWalletClient,
  http,
  parseAbi,
  publicActions,
  walletActions,
} from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { coinAddress, initialGasTip, parseWon } from '@gwon/sdk'
import { parse, parseSender, signAsFeePayer, signAsSender, sponsored, wkrcActions, wkrcDevnet } from '@gwon/sdk/viem'
import { rpc, startNetwork, startSponsor } from './network.mjs'

let network, sponsor, chain, rich, payer, client
const coin = parseAbi([
  'function approve(address spender, uint256 value) returns (bool)',
  'function allowance(address, address) view returns (uint256)',
])
const aa = '0x00000000000000000000000000000000000000AA'
const stranger = () => privateKeyToAccount(generatePrivateKey())
const with_ = (account, transport = http()) =>
  createClient({ account, chain, transport, pollingInterval: 200 }).extend(publicActions).extend(walletActions)
const mined = async (hash, by = client) => {
  const receipt = await by.waitForTransactionReceipt({ hash, timeout: 30_000 })
  assert.equal(receipt.status, 'success')
  return receipt
}
/** An account with the given base units, which it got from the rich one. */
const fund = async (value) => {
  const account = stranger()
  await mined(await with_(rich).sendTransaction({ to: account.address, value }))
  return account
}

before(async () => {
  network = await startNetwork()
  chain = { ...wkrcDevnet, id: network.chainId, rpcUrls: { default: { http: [network.rpc] } } }
  rich = privateKeyToAccount(network.accounts[1].privateKey)
  payer = privateKeyToAccount(network.accounts[2].privateKey)
  client = createPublicClient({ chain, transport: http(), pollingInterval: 200 }).extend(wkrcActions())
  sponsor = await startSponsor(network.rpc, {
    chainId: network.chainId,
    privateKey: network.accounts[3].privateKey,
    allow: ({ to }) => to !== aa.toLowerCase(),
  })
})
after(async () => {
  await sponsor?.stop()
  await network?.stop()
})

test('fees are the governed tip and room for the base fee to double', async () => {
  const { baseFeePerGas } = await client.getBlock()
  const { maxFeePerGas, maxPriorityFeePerGas } = await client.estimateFeesPerGas()
  assert.equal(maxPriorityFeePerGas, BigInt(await rpc(network.rpc, 'eth_maxPriorityFeePerGas')))
  assert.equal(maxPriorityFeePerGas, initialGasTip)
  assert.equal(maxFeePerGas, 2n * baseFeePerGas + maxPriorityFeePerGas)
})

test('a transaction with a fee payer', async () => {
  const sender = await fund(7n)
  const before = await client.getBalance({ address: payer.address })
  const hash = await with_(sender).sendTransaction({ to: aa, value: 7n, feePayer: payer })
  const receipt = await mined(hash)
  assert.equal(receipt.type, 'feeDelegated')
  assert.equal(receipt.transactionHash, hash)
  assert.equal(receipt.feePayer.toLowerCase(), payer.address.toLowerCase())
  assert.equal(await client.getBalance({ address: sender.address }), 0n)
  assert.equal(
    await client.getBalance({ address: payer.address }),
    before - receipt.gasUsed * receipt.effectiveGasPrice,
  )

  const transaction = await client.getTransaction({ hash })
  assert.equal(transaction.type, 'feeDelegated')
  assert.equal(transaction.typeHex, '0x16')
  assert.equal(transaction.feePayer.toLowerCase(), payer.address.toLowerCase())
  assert.equal(transaction.feePayerSignature.r.length, 66)
  assert.deepEqual(
    Object.keys(transaction).filter((key) => ['fv', 'fr', 'fs'].includes(key)),
    [],
  )

  const block = await client.getBlock({ blockNumber: receipt.blockNumber, includeTransactions: true })
  assert.deepEqual(
    block.transactions.find((each) => each.hash === hash),
    transaction,
  )
  assert.ok((await client.getBlock({ blockNumber: receipt.blockNumber })).transactions.includes(hash))

  const raw = await rpc(network.rpc, 'eth_getRawTransactionByHash', [hash])
  const parsed = await parse({ transaction: raw, chainId: chain.id })
  assert.equal(parsed.sender, sender.address)
  assert.equal(parsed.feePayer, payer.address)
  assert.equal(parsed.hash, hash)
})

test('a contract is deployed and called with a fee payer', async () => {
  const sender = stranger()
  const wallet = with_(sender)
  const initCode = '0x6001600c60003960016000f300' // returns its last byte, STOP
  const { contractAddress } = await mined(await wallet.deployContract({ abi: [], bytecode: initCode, feePayer: payer }))
  assert.equal(await client.getCode({ address: contractAddress }), '0x00')
  const { type } = await mined(
    await wallet.writeContract({
      address: coinAddress,
      abi: coin,
      functionName: 'approve',
      args: [aa, 5n],
      feePayer: payer,
    }),
  )
  assert.equal(type, 'feeDelegated')
  assert.equal(
    await client.readContract({
      address: coinAddress,
      abi: coin,
      functionName: 'allowance',
      args: [sender.address, aa],
    }),
    5n,
  )
  assert.equal(await client.getBalance({ address: sender.address }), 0n)
})

test('sender and fee payer sign apart', async () => {
  const sender = await fund(3n)
  const request = await with_(sender).prepareTransactionRequest({ to: aa, value: 3n, gas: 21_000n })
  const signed = await signAsSender({ ...request, account: sender })
  const seen = await parseSender({ transaction: signed, chainId: chain.id })
  assert.equal(seen.sender, sender.address)
  assert.equal(seen.value, 3n)
  const transaction = await signAsFeePayer({
    account: payer,
    chainId: chain.id,
    transaction: signed,
    maxFee: parseWon('3'),
  })
  const receipt = await mined(await client.sendRawTransaction({ serializedTransaction: transaction }))
  assert.equal(receipt.feePayer.toLowerCase(), payer.address.toLowerCase())
})

test('ordinary transactions stay what they are', async () => {
  const { type, feePayer, senderTransactionHash } = await mined(
    await with_(rich).sendTransaction({ to: aa, value: 1n }),
  )
  assert.deepEqual(
    { type, feePayer, senderTransactionHash },
    { type: 'eip1559', feePayer: undefined, senderTransactionHash: undefined },
  )
  assert.equal((await mined(await with_(rich).sendTransaction({ to: aa, value: 1n, type: 'legacy' }))).type, 'legacy')
})

test('a wallet elsewhere cannot have a local fee payer', async () => {
  await assert.rejects(
    with_(rich.address).sendTransaction({ to: aa, value: 1n, feePayer: payer }),
    /needs a local account as sender/,
  )
})

test('a sponsored transport', async (t) => {
  const transport = sponsored(sponsor.url, http())
  const to = stranger().address
  await t.test('the sponsor pays', async () => {
    const sender = await fund(9n)
    const wallet = with_(sender, transport)
    const hash = await wallet.sendTransaction({ to, value: 9n })
    const receipt = await mined(hash, wallet)
    assert.equal(receipt.type, 'feeDelegated')
    assert.equal(receipt.senderTransactionHash, hash)
    assert.notEqual(receipt.transactionHash, hash)
    assert.equal(receipt.feePayer.toLowerCase(), sponsor.account.address.toLowerCase())
    assert.equal(await client.getBalance({ address: sender.address }), 0n)
    assert.equal((await wallet.getTransaction({ hash })).hash, receipt.transactionHash)
  })
  await t.test('a contract call of an account without coins', async () => {
    const sender = stranger()
    const wallet = with_(sender, transport)
    const hash = await wallet.writeContract({
      address: coinAddress,
      abi: coin,
      functionName: 'approve',
      args: [to, 5n],
    })
    assert.equal((await mined(hash, wallet)).type, 'feeDelegated')
  })
  await t.test('a refusal is thrown, and nothing is sent elsewhere', async () => {
    const wallet = with_(rich, transport)
    const [balance, nonce] = [await wallet.getBalance(rich), await wallet.getTransactionCount(rich)]
    await assert.rejects(wallet.sendTransaction({ to: aa, value: 1n }), /does not pay for this recipient/)
    await mined(await with_(payer).sendTransaction({ to, value: 1n })) // what was sent before it would be mined by now
    assert.deepEqual([await wallet.getBalance(rich), await wallet.getTransactionCount(rich)], [balance, nonce])
  })
  await t.test('reads go to the node', async () => {
    const wallet = with_(rich, transport)
    sponsor.calls.length = 0
    await wallet.getBalance(rich)
    await wallet.getBlock()
    await wallet.getTransactionReceipt({ hash: `0x${'11'.repeat(32)}` }).catch(() => {})
    assert.deepEqual(sponsor.calls, ['eth_getTransactionReceipt'])
  })
  await t.test('the sponsor is unreachable', async () => {
    const wallet = with_(rich, sponsored(http('http://127.0.0.1:1', { retryCount: 0 }), http()))
    assert.ok((await wallet.getBalance(rich)) > 0n)
    await assert.rejects(wallet.sendTransaction({ to, value: 1n }), /HTTP request failed/)
  })
})

test('a transaction and its receipt in one call', async () => {
  const sender = await fund(4n)
  const receipt = await with_(sender).sendTransactionSync({ to: aa, value: 4n, feePayer: payer })
  assert.deepEqual([receipt.type, receipt.status], ['feeDelegated', 'success'])
  const paid = await with_(await fund(4n), sponsored(sponsor.url, http())).sendTransactionSync({
    to: payer.address,
    value: 4n,
  })
  assert.deepEqual([paid.type, paid.feePayer.toLowerCase()], ['feeDelegated', sponsor.account.address.toLowerCase()])
})

test('multicall', async (t) => {
  if (!(await client.getCode(chain.contracts.multicall3))) return t.skip('this devnet has no Multicall3')
  const call = { address: coinAddress, abi: coin, functionName: 'allowance', args: [aa, aa] }
  return assert.deepEqual(await client.multicall({ contracts: [call, call], allowFailure: false }), [0n, 0n])
})

test("lookups by the sender's hash", async () => {
  const sender = await fund(3n)
  const hash = await with_(sender).sendTransaction({ to: aa, value: 3n, feePayer: payer })
  const { senderTransactionHash } = await mined(hash)
  const raw = await rpc(network.rpc, 'eth_getRawTransactionByHash', [hash])
  assert.equal(senderTransactionHash, (await parse({ transaction: raw, chainId: chain.id })).senderHash)
  assert.equal((await client.getTransactionReceiptBySenderHash({ hash: senderTransactionHash })).transactionHash, hash)
  return assert.equal((await client.getTransactionBySenderHash({ hash: senderTransactionHash })).hash, hash)
})

test('the methods of consensus', async () => {
  const validators = await client.getValidators()
  assert.equal(validators.length, 4)
  const head = await client.getBlock()
  assert.deepEqual(await client.getValidatorsAtHash({ blockHash: head.hash }), validators)
  assert.deepEqual(await client.getValidators({ blockNumber: head.number }), validators)
  const signers = await client.getCommitSigners({ blockNumber: head.number })
  assert.deepEqual(await client.getCommitSigners({ blockHash: head.hash }), signers)
  assert.equal(signers.number, head.number)
  assert.equal(signers.author.toLowerCase(), head.miner.toLowerCase())
  assert.ok(signers.committers.length >= 3 && signers.committers.every((each) => validators.includes(each)))
  const status = await client.getSealStatus({ fromBlock: 1n, toBlock: 3n })
  assert.equal(status.blockRange.totalBlocks, 3)
  assert.equal(
    Object.values(status.author).reduce((sum, count) => sum + count),
    3,
  )
  assert.ok((await client.getSealStatus()).blockRange.totalBlocks >= 3)
  const info = await client.getWbftExtraInfo({ blockNumber: head.number })
  assert.equal(info.gasTip, initialGasTip)
  assert.ok(info.committedSeal.sealers.length >= 3)
  const genesis = await client.getWbftExtraInfo({ blockNumber: 0n })
  assert.equal(genesis.epochInfo.validators.length, 4)
  assert.equal(genesis.epochInfo.validators[0].bls.length, 98)
  assert.equal(await client.isValidator(), true)
  assert.ok(validators.includes(await client.getNodeAddress()))
  assert.equal(await client.getGasTip(), initialGasTip)
  assert.ok(validators.includes((await client.getNextProposer()).toLowerCase()))
  assert.deepEqual(await client.getAccountFlags({ address: rich.address }), { blacklisted: false, authorized: false })
  await assert.rejects(client.getValidators({ blockNumber: 10n ** 9n }), /unknown block/)
})
