// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// What a node answers is scripted here, for cases that a devnet cannot be brought to.
import assert from 'node:assert/strict'
import test from 'node:test'
import { createPublicClient, custom, encodeAbiParameters, encodeEventTopics, numberToHex, pad } from 'viem'
import { coinAddress } from '@gwon/sdk'
import { coinAbi, invoiceNonce, parseRequest, status, watch } from '@gwon/sdk/payments'

const [merchant, alice, bob] = ['a1', 'b2', 'c3'].map((byte) => `0x${byte.repeat(20)}`)
const requestOf = (invoice, more = {}) => ({
  chainId: 8283,
  asset: coinAddress,
  name: 'WKRC',
  merchant,
  invoice,
  amount: '100',
  validBefore: 4_000_000_000,
  nonce: invoiceNonce(merchant, invoice),
  fromBlock: 0,
  ...more,
})
const used = (authorizer, nonce) => ({
  topics: encodeEventTopics({ abi: coinAbi, eventName: 'AuthorizationUsed', args: { authorizer, nonce } }),
  data: '0x',
})
const moved = (from, to, value) => ({
  topics: encodeEventTopics({ abi: coinAbi, eventName: 'Transfer', args: { from, to } }),
  data: encodeAbiParameters([{ type: 'uint256' }], [value]),
})

/** A node with these transactions, each a list of logs, in block 7 of 10; the client, and the calls it made. */
function node(transactions, { head = 10n } = {}) {
  let index = 0
  const receipts = transactions.map(({ logs, success = true }, i) => ({
    status: success ? '0x1' : '0x0',
    transactionHash: pad(numberToHex(i + 1), { size: 32 }),
    blockNumber: '0x7',
    logs: logs.map((log) => ({
      address: coinAddress,
      ...log,
      blockNumber: '0x7',
      logIndex: numberToHex(index++),
      transactionHash: pad(numberToHex(i + 1), { size: 32 }),
    })),
  }))
  const calls = []
  const answers = {
    eth_blockNumber: () => numberToHex(head),
    eth_getBlockByNumber: () => ({ number: numberToHex(head), timestamp: '0x1', transactions: [] }),
    eth_getLogs: ([{ address, topics, fromBlock, toBlock }]) =>
      receipts
        .flatMap(({ logs }) => logs)
        .filter(
          (log) =>
            log.address === address &&
            BigInt(fromBlock) <= 7n &&
            7n <= BigInt(toBlock) &&
            topics.every((topic, i) => topic === null || topic === log.topics[i]),
        ),
    eth_getTransactionReceipt: ([hash]) => receipts.find(({ transactionHash }) => transactionHash === hash) ?? null,
  }
  const request = async ({ method, params }) => {
    calls.push({ method, params })
    if (!answers[method]) throw new Error(`unexpected ${method}`)
    return answers[method](params)
  }
  return { client: createPublicClient({ transport: custom({ request }, { retryCount: 0 }) }), calls, answers }
}

test('one transfer does not pay two invoices', async () => {
  const [a, b] = [requestOf('A'), requestOf('B')]
  // Alice uses B's nonce for a transfer to herself, and pays A in the same transaction.
  const { client } = node([
    { logs: [used(alice, b.nonce), moved(alice, alice, 100n), used(alice, a.nonce), moved(alice, merchant, 100n)] },
  ])
  assert.equal((await status({ client, request: a })).state, 'paid')
  const ofB = await status({ client, request: b })
  assert.equal(ofB.state, 'open')
  assert.match(ofB.misuses[0].reason, /was paid$/)
})

test('uses of a nonce that are no payment', async (t) => {
  const invoice = requestOf('A')
  for (const [name, logs, reason] of [
    ['no transfer behind it', [used(alice, invoice.nonce)], /nothing was transferred/],
    [
      'a transfer of another account behind it',
      [used(alice, invoice.nonce), moved(bob, merchant, 100n)],
      /nothing was transferred/,
    ],
    [
      'a transfer of another contract behind it',
      [used(alice, invoice.nonce), { ...moved(alice, merchant, 100n), address: bob }],
      /nothing was transferred/,
    ],
    ['the transfer before it', [moved(alice, merchant, 100n), used(alice, invoice.nonce)], /nothing was transferred/],
    [
      'the transfer of another invoice behind it',
      [used(alice, invoice.nonce), used(alice, invoiceNonce(merchant, 'B')), moved(alice, merchant, 100n)],
      /nothing was transferred/,
    ],
    ['the merchant as payer', [used(merchant, invoice.nonce), moved(merchant, merchant, 100n)], /paid itself/],
    ['one unit too little', [used(alice, invoice.nonce), moved(alice, merchant, 99n)], /only 99/],
  ]) {
    await t.test(name, async () => {
      const { state, misuses } = await status({ client: node([{ logs }]).client, request: invoice })
      assert.equal(state, 'open')
      assert.match(misuses[0].reason, reason)
    })
  }
  await t.test('more than was asked for is a payment', async () => {
    const { payment } = await status({
      client: node([{ logs: [used(alice, invoice.nonce), moved(alice, merchant, 101n)] }]).client,
      request: invoice,
    })
    assert.equal(payment.value, 101n)
  })
  await t.test('a failed transaction is nothing', async () => {
    const failed = { success: false, logs: [used(alice, invoice.nonce), moved(alice, merchant, 100n)] }
    const { state, misuses } = await status({ client: node([failed]).client, request: invoice })
    assert.deepEqual([state, misuses], ['open', []])
  })
  await t.test('logs of another contract are nothing', async () => {
    const logs = [{ ...used(alice, invoice.nonce), address: bob }, moved(alice, merchant, 100n)]
    assert.deepEqual((await status({ client: node([{ logs }]).client, request: invoice })).misuses, [])
  })
  await t.test('the log of another transaction does not count', async () => {
    const transactions = [{ logs: [used(alice, invoice.nonce)] }, { logs: [moved(alice, merchant, 100n)] }]
    assert.equal((await status({ client: node(transactions).client, request: invoice })).state, 'open')
  })
})

test('status reads long ranges in parts, without gap and overlap', async () => {
  const { client, calls } = node([], { head: 12_000n })
  await status({ client, request: requestOf('A', { fromBlock: 3 }) })
  const ranges = calls
    .filter(({ method }) => method === 'eth_getLogs')
    .map(({ params: [{ fromBlock, toBlock }] }) => [Number(fromBlock), Number(toBlock)])
  assert.deepEqual(ranges, [
    [3, 5002],
    [5003, 10_002],
    [10_003, 12_000],
  ])
})

test('a range that is too much for the node is read in halves', async (t) => {
  const invoice = requestOf('A')
  for (const [code, most] of [
    [-32003, 3n],
    [-32602, 1n],
  ]) {
    await t.test(`${code}`, async () => {
      const { client, answers } = node([{ logs: [used(alice, invoice.nonce), moved(alice, merchant, 100n)] }])
      const getLogs = answers.eth_getLogs
      const ranges = []
      answers.eth_getLogs = ([query]) => {
        const [from, to] = [BigInt(query.fromBlock), BigInt(query.toBlock)]
        if (to - from + 1n > most) throw Object.assign(new Error('too much'), { code })
        ranges.push([from, to])
        return getLogs([query])
      }
      assert.equal((await status({ client, request: invoice })).state, 'paid')
      assert.equal(ranges[0][0], 0n)
      assert.equal(ranges.at(-1)[1], 10n)
      assert.ok(ranges.every(([from], i) => i === 0 || from === ranges[i - 1][1] + 1n))
    })
  }
  await t.test('another error is thrown', async () => {
    const { client, answers } = node([])
    answers.eth_getLogs = () => {
      throw Object.assign(new Error('no such luck'), { code: -32000 })
    }
    await assert.rejects(status({ client, request: invoice }), /no such luck/)
  })
})

test('an overlap that would never end is refused', () => {
  const { client } = node([])
  const rest = { client, merchant, fromBlock: 0n, find: () => undefined, onPayment: () => {}, onError: () => {} }
  for (const overlap of [-1, 0.5, 1001]) assert.throws(() => watch({ ...rest, overlap }), /overlap is/)
})

test('a node without the receipt of a log is asked again, and no payment is lost', async () => {
  const invoice = requestOf('A')
  const { client, answers } = node([{ logs: [used(alice, invoice.nonce), moved(alice, merchant, 100n)] }])
  const receipt = answers.eth_getTransactionReceipt
  answers.eth_getTransactionReceipt = () => null
  await assert.rejects(status({ client, request: invoice }), /no receipt: ask again/)
  const errors = []
  const payment = await new Promise((resolve) => {
    const stop = watch({
      client,
      merchant,
      fromBlock: 0n,
      pollingInterval: 1,
      find: () => invoice,
      onPayment: (_, found) => {
        void stop()
        resolve(found)
      },
      onError: (error) => {
        errors.push(error)
        answers.eth_getTransactionReceipt = receipt
      },
    })
  })
  assert.equal(payment.value, 100n)
  assert.equal(errors.length, 1)
})

test('watch finds what a node that was behind did not know', async () => {
  const invoice = requestOf('A')
  const { client, answers } = node([{ logs: [used(alice, invoice.nonce), moved(alice, merchant, 100n)] }])
  const getLogs = answers.eth_getLogs
  let head = 10n
  answers.eth_blockNumber = () => numberToHex(head++)
  answers.eth_getLogs = () => {
    answers.eth_getLogs = getLogs
    return []
  } // head 10, and the node behind it has 6 blocks
  const payments = []
  await new Promise((resolve) => {
    const stop = watch({
      client,
      merchant,
      fromBlock: 1n,
      pollingInterval: 1,
      find: () => invoice,
      onError: (error) => assert.fail(error),
      onPayment: (_, payment) => {
        payments.push(payment)
      },
      onBlock: (block) => {
        if (block === 15n) {
          void stop()
          resolve()
        }
      },
    })
  })
  assert.equal(payments.length, 1)
})

test('a request from outside is checked', async (t) => {
  assert.deepEqual(parseRequest(requestOf('A')).invoice, 'A')
  for (const [name, change] of [
    ['no asset', { asset: undefined }],
    ['another asset', { asset: bob }],
    ['no merchant', { merchant: 'shop' }],
    ['amount 0', { amount: '0' }],
    ['an amount in hex', { amount: '0x64' }],
    ['a number as amount', { amount: 100 }],
    ['an amount of 257 bits', { amount: (1n << 256n).toString() }],
    ['a negative due date', { validBefore: -1 }],
    ['a due date with a fraction', { validBefore: 1.5 }],
    ['another nonce', { nonce: pad('0x1') }],
    ['an empty invoice', { invoice: '' }],
    ['a long invoice', { invoice: 'x'.repeat(257) }],
    ['no chain', { chainId: '8283' }],
    ['another merchant', { merchant: bob }],
    ['a negative block', { fromBlock: -1 }],
    ['no name', { name: '' }],
  ]) {
    await t.test(name, () =>
      assert.throws(
        () => parseRequest({ ...requestOf('A'), ...change }),
        (error) => error.code === 'request',
      ),
    )
  }
  for (const value of [null, undefined, 'text', 1]) {
    await t.test(`${value}`, () =>
      assert.throws(
        () => parseRequest(value),
        (error) => error.code === 'request',
      ),
    )
  }
})

// Keccak-256 of 20 bytes and of the text in UTF-8, one behind the other.
test('the nonce of an invoice', () => {
  assert.equal(invoiceNonce(merchant, 'A'), invoiceNonce(merchant.toUpperCase().replace('0X', '0x'), 'A'))
  assert.notEqual(invoiceNonce(merchant, 'A'), invoiceNonce(bob, 'A'))
  assert.notEqual(invoiceNonce(merchant, 'A'), invoiceNonce(merchant, 'a'))
})
