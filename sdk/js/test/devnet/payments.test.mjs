// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

import assert from 'node:assert/strict'
import test, { after, before } from 'node:test'
import { Wallet } from 'ethers'
import { createClient, createWalletClient, http, publicActions, walletActions } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { coinAddress, parseWon } from '@gwon/sdk'
import * as payments from '@gwon/sdk/payments'
import { sponsored, wkrcDevnet } from '@gwon/sdk/viem'
import { ownSponsor, startNetwork } from './network.mjs'

let network, sponsor, chain, customer, merchant, client
const amount = parseWon('1500')
const inAnHour = () => new Date(Date.now() + 3_600_000)
const connect = (account, transport = http()) =>
  createClient({ account, chain, transport, pollingInterval: 200 }).extend(publicActions).extend(walletActions)
const mined = (hash) => client.waitForTransactionReceipt({ hash, timeout: 30_000 })
let invoices = 0
const request = (more = {}) =>
  payments.request({ client, merchant: merchant.address, invoice: `A-${invoices++}`, amount, due: inAnHour(), ...more })
/** Carries out whatever an authorization says, without the checks of submit. */
const carryOut = async (authorization) => {
  const receipt = await mined(
    await client.sendTransaction({ to: coinAddress, data: payments.transferData(authorization) }),
  )
  assert.equal(receipt.status, 'success')
  return receipt
}
/** Signs an authorization with the invoice's nonce and other terms. */
const signOther = async (invoice, account, terms) => {
  const unsigned = {
    from: account.address,
    to: merchant.address,
    value: invoice.amount,
    validAfter: 0,
    validBefore: invoice.validBefore,
    nonce: invoice.nonce,
    ...terms,
  }
  const message = Object.fromEntries(
    Object.entries(unsigned).map(([key, value]) => [
      key,
      typeof value === 'number' || key === 'value' ? BigInt(value) : value,
    ]),
  )
  const signature = await account.signTypedData({
    domain: { name: invoice.name, version: '1', chainId: invoice.chainId, verifyingContract: invoice.asset },
    types: payments.authorizationTypes,
    primaryType: 'TransferWithAuthorization',
    message,
  })
  return { ...unsigned, signature }
}

before(async () => {
  network = await startNetwork()
  chain = { ...wkrcDevnet, id: network.chainId, rpcUrls: { default: { http: [network.rpc] } } }
  client = connect(privateKeyToAccount(network.accounts[1].privateKey))
  customer = privateKeyToAccount(network.accounts[2].privateKey)
  merchant = privateKeyToAccount(generatePrivateKey())
  sponsor = ownSponsor(network)
})
after(async () => {
  await network?.stop()
})

test('an invoice is paid through a sponsor, and no other account needs gas', async () => {
  const invoice = await request()
  assert.equal((await payments.status({ client, request: invoice })).state, 'open')
  const before = await client.getBalance(merchant)
  const authorization = await payments.sign({ request: JSON.parse(JSON.stringify(invoice)), signer: customer })
  const courier = connect(privateKeyToAccount(generatePrivateKey()), sponsored(sponsor.url, http()))
  const hash = await payments.submit({
    client: courier,
    request: invoice,
    authorization: JSON.parse(JSON.stringify(authorization)),
  })
  const receipt = await courier.waitForTransactionReceipt({ hash, timeout: 30_000 })
  assert.equal(receipt.type, 'feeDelegated')
  const { state, payment, duplicates, misuses } = await payments.status({ client, request: invoice })
  assert.equal(state, 'paid')
  assert.deepEqual([duplicates, misuses], [[], []])
  assert.deepEqual(
    { ...payment, logIndex: undefined },
    {
      payer: customer.address,
      value: amount,
      transactionHash: receipt.transactionHash,
      blockNumber: receipt.blockNumber,
      logIndex: undefined,
    },
  )
  const log = receipt.logs.find(({ logIndex }) => logIndex === payment.logIndex)
  assert.equal(log.topics[2].slice(26), merchant.address.slice(2).toLowerCase())
  assert.equal((await client.getBalance(merchant)) - before, amount)
  await assert.rejects(
    payments.submit({ client, request: invoice, authorization }),
    (error) => error.code === 'refused' && /used or canceled/.test(error.message),
  )
})

test('every kind of signer signs the same', async (t) => {
  const invoice = await request()
  const { privateKey } = network.accounts[2]
  const want = (await payments.sign({ request: invoice, signer: customer })).signature
  const wallet = createWalletClient({ account: customer, chain, transport: http() })
  await t.test('a wallet client of viem', async () =>
    assert.equal((await payments.sign({ request: invoice, signer: wallet })).signature, want),
  )
  await t.test('a Signer of ethers', async () =>
    assert.equal((await payments.sign({ request: invoice, signer: new Wallet(privateKey) })).signature, want),
  )
  await t.test('a wallet in a browser', async () => {
    const asked = []
    const provider = {
      request: async ({ method, params }) => {
        asked.push(method)
        if (method === 'eth_requestAccounts') return [customer.address.toLowerCase()]
        const { domain, types, primaryType, message } = JSON.parse(params[1])
        assert.equal(params[0], customer.address)
        assert.deepEqual(
          types.EIP712Domain.map(({ name }) => name),
          ['name', 'version', 'chainId', 'verifyingContract'],
        )
        return customer.signTypedData({ domain, types, primaryType, message })
      },
    }
    assert.equal((await payments.sign({ request: invoice, signer: provider })).signature, want)
    assert.deepEqual(asked, ['eth_requestAccounts', 'eth_signTypedData_v4'])
  })
  await t.test('a device that writes 0 and 1 for 27 and 28', async () => {
    const low = `${want.slice(0, -2)}0${Number.parseInt(want.slice(-2), 16) - 27}`
    const device = { address: customer.address, signTypedData: async () => low }
    assert.equal((await payments.sign({ request: invoice, signer: device })).signature, want)
  })
  await t.test('something else', () =>
    assert.rejects(payments.sign({ request: invoice, signer: {} }), (error) => error.code === 'signer'),
  )
  await t.test('a wallet without accounts', () =>
    assert.rejects(
      payments.sign({ request: invoice, signer: { request: async () => [] } }),
      (error) => error.code === 'signer',
    ),
  )
})

// A used nonce is no proof that the merchant was paid.
test('a used nonce that paid something else is no payment', async () => {
  const invoice = await request()
  const [other, small] = [client.account, privateKeyToAccount(network.accounts[4].privateKey)]
  await carryOut(await signOther(invoice, customer, { to: other.address }))
  await carryOut(await signOther(invoice, small, { value: '1' }))
  const { state, misuses } = await payments.status({ client, request: invoice })
  assert.equal(state, 'open')
  assert.deepEqual(
    misuses.map(({ payer, reason }) => [payer, reason]),
    [
      [customer.address, `${other.address} was paid`],
      [small.address, 'only 1 base units were paid'],
    ],
  )
  const payer = privateKeyToAccount(network.accounts[5].privateKey)
  await carryOut(await payments.sign({ request: invoice, signer: payer }))
  assert.equal((await payments.status({ client, request: invoice })).payment.payer, payer.address)
})

test('a second payer is a duplicate', async () => {
  const invoice = await request()
  const [first, second] = [5, 6].map((i) => privateKeyToAccount(network.accounts[i].privateKey))
  for (const signer of [first, second]) {
    await carryOut(await payments.sign({ request: invoice, signer }))
  }
  const { payment, duplicates } = await payments.status({ client, request: invoice })
  assert.equal(payment.payer, first.address)
  assert.deepEqual(
    duplicates.map(({ payer }) => payer),
    [second.address],
  )
})

test('submit refuses what the node or the merchant would refuse', async (t) => {
  const invoice = await request()
  const authorization = await payments.sign({ request: invoice, signer: customer })
  const poor = privateKeyToAccount(generatePrivateKey())
  const other = await request()
  for (const [name, code, change] of [
    ['another payee', 'authorization', { authorization: await signOther(invoice, customer, { to: poor.address }) }],
    ['another amount', 'authorization', { authorization: await signOther(invoice, customer, { value: '1' }) }],
    [
      'another due date',
      'authorization',
      { authorization: await signOther(invoice, customer, { validBefore: invoice.validBefore + 1 }) },
    ],
    ['a later start', 'authorization', { authorization: await signOther(invoice, customer, { validAfter: 1 }) }],
    ['another invoice', 'authorization', { request: other }],
    ['a changed payer', 'signature', { authorization: { ...authorization, from: poor.address } }],
    [
      'a changed signature',
      'signature',
      { authorization: { ...authorization, signature: `${authorization.signature.slice(0, -4)}001b` } },
    ],
    ['no signature', 'authorization', { authorization: { ...authorization, signature: '0x' } }],
    ['no object', 'authorization', { authorization: null }],
    ['a payer without coins', 'refused', { authorization: await payments.sign({ request: invoice, signer: poor }) }],
    [
      'the merchant as payer',
      'authorization',
      { authorization: await payments.sign({ request: invoice, signer: merchant }) },
    ],
    ['another chain', 'request', { request: { ...invoice, chainId: 1 } }],
    ['a request whose invoice was changed', 'request', { request: { ...invoice, invoice: 'B' } }],
  ]) {
    await t.test(name, () =>
      assert.rejects(payments.submit({ client, request: invoice, authorization, ...change }), (error) => {
        assert.ok(error instanceof payments.PaymentError, error.stack)
        assert.equal(error.code, code, error.message)
        return true
      }),
    )
  }
  assert.equal((await payments.status({ client, request: invoice })).state, 'open')
})

test('a due date that is over', async () => {
  const invoice = await request({ due: new Date(Date.now() - 1_000) })
  await assert.rejects(payments.sign({ request: invoice, signer: customer }), (error) => error.code === 'expired')
  assert.equal((await payments.status({ client, request: invoice })).state, 'expired')
  const authorization = await signOther(invoice, customer, {})
  await assert.rejects(
    payments.submit({ client, request: invoice, authorization }),
    (error) => error.code === 'expired',
  )
})

test('watch reports each payment once, in order, and other transfers apart', async () => {
  const shop = privateKeyToAccount(generatePrivateKey())
  const book = new Map()
  const invoice = async () => {
    const made = await request({ merchant: shop.address })
    book.set(made.nonce, made)
    return made
  }
  const [first, second, third] = [await invoice(), await invoice(), await invoice()]
  const fromBlock = await client.getBlockNumber({ cacheTime: 0 })
  const [paid, transfers, errors] = [[], [], []]
  let fails = true
  let signal
  const three = new Promise((done) => {
    signal = done
  })
  const watchWith = (more) =>
    payments.watch({
      client,
      merchant: shop.address,
      fromBlock,
      find: (nonce) => book.get(nonce),
      onError: (error) => errors.push(error),
      pollingInterval: 100,
      onPayment: (request, payment) => {
        if (fails) {
          fails = false
          throw new Error('the shop is closed')
        }
        paid.push([request.invoice, payment])
        if (paid.length === 3) signal()
      },
      onTransfer: (incoming, reason) => {
        transfers.push([incoming.value, incoming.nonce, reason])
      },
      ...more,
    })
  const blocks = []
  const stop = watchWith({
    onBlock: (block) => {
      blocks.push(block)
    },
  })
  await carryOut(await payments.sign({ request: first, signer: customer }))
  await mined(await client.sendTransaction({ to: shop.address, value: 5n }))
  await carryOut(
    await signOther(second, privateKeyToAccount(network.accounts[4].privateKey), { to: shop.address, value: '7' }),
  )
  await carryOut(await payments.sign({ request: second, signer: customer }))
  await carryOut(await payments.sign({ request: third, signer: customer }))
  await three
  await stop()
  assert.deepEqual(
    paid.map(([name]) => name),
    [first.invoice, second.invoice, third.invoice],
  )
  assert.ok(paid.every(([, payment]) => payment.payer === customer.address && payment.value === amount))
  assert.deepEqual(transfers, [
    [5n, null, 'without an invoice'],
    [7n, second.nonce, 'only 7 base units were paid'],
  ])
  assert.deepEqual(
    errors.map(({ message }) => message),
    ['the shop is closed'],
  )
  assert.ok(blocks.length > 0 && blocks.every((block, i) => i === 0 || block > blocks[i - 1]))

  // A second watcher reads the same from the chain, from a block before.
  const again = []
  let finish
  const read = new Promise((done) => {
    finish = done
  })
  const stopAgain = watchWith({
    onPayment: (request, payment) => {
      again.push([request.invoice, payment])
    },
    onTransfer: () => {},
    onBlock: () => finish(),
  })
  await read
  await stopAgain()
  assert.deepEqual(again, paid)
})
