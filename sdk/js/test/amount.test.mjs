// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

import assert from 'node:assert/strict'
import test from 'node:test'
import { privateKeyToAccount } from 'viem/accounts'
import { Wallet } from 'ethers'
import { AmountError, parseWon, senderPayload, won } from '@gwon/sdk'
import * as ethers from '@gwon/sdk/ethers'
import { request } from '@gwon/sdk/payments'
import { paid } from '@gwon/sdk/proof'
import * as viem from '@gwon/sdk/viem'

const coin = 10n ** 18n

test('won', async (t) => {
  for (const [amount, options, want] of [
    [0n, undefined, '₩0'],
    [1n, undefined, '₩0.000000000000000001'],
    [coin, undefined, '₩1'],
    [1234n * coin + coin / 2n, undefined, '₩1,234.5'],
    [-1234n * coin, undefined, '-₩1,234'],
    [10n ** 27n, undefined, '₩1,000,000,000'],
    [999_600_000_000_000_000n, { digits: 0 }, '₩1'],
    [coin / 2n, { digits: 0 }, '₩1'],
    [coin / 2n - 1n, { digits: 0 }, '₩0'],
    [-(coin / 2n - 1n), { digits: 0 }, '₩0'],
    [-(coin / 2n), { digits: 0 }, '-₩1'],
    [999_999n * coin + (coin * 999n) / 1000n, { digits: 2 }, '₩1,000,000'],
  ]) {
    await t.test(`${amount}`, () => assert.equal(won(amount, options), want))
  }
  for (const digits of [-1, 19, 0.5, Number.NaN]) {
    await t.test(`${digits} digits`, () => assert.throws(() => won(1n, { digits }), AmountError))
  }
})

test('parseWon', async (t) => {
  for (const [text, want] of [
    ['0', 0n],
    ['1', coin],
    ['₩1,234.5', 1234n * coin + coin / 2n],
    ['₩ 5', 5n * coin],
    ['5 WKRC', 5n * coin],
    [' 5WKRC ', 5n * coin],
    ['0.000000000000000001', 1n],
    ['1234567.25', 1234567n * coin + coin / 4n],
    ['1,000,000', 10n ** 6n * coin],
  ]) {
    await t.test(text, () => assert.equal(parseWon(text), want))
  }
  for (const text of [
    '',
    ' ',
    '-1',
    '+1',
    '1e18',
    '0x1',
    '.5',
    '1.',
    '1,23',
    '1,2345',
    ',1',
    '12,34,567',
    '1.0000000000000000001',
    '₩5 WKRC',
    '5 KRW',
    '5 5',
    '1_000',
    '١',
    '9'.repeat(61),
    'Infinity',
  ]) {
    await t.test(`refuses ${JSON.stringify(text.slice(0, 12))}`, () => assert.throws(() => parseWon(text), AmountError))
  }
  await t.test('refuses a number', () => assert.throws(() => parseWon(5), AmountError))
  await t.test('reads what won writes', () => {
    for (let i = 0n; i < 200n; i++) {
      const amount = i * i * i * 123_456_789_012_345_678n + i
      assert.equal(parseWon(won(amount)), amount)
    }
  })
})

test('what takes an amount refuses what is no bigint', async (t) => {
  const key = `0x${'1'.repeat(64)}`
  const account = privateKeyToAccount(key)
  const merchant = account.address
  const client = { request: () => assert.fail('asked the node') }
  const later = new Date(Date.now() + 60_000)
  const fields = { chainId: 8283, nonce: 0, gas: 21_000n, maxFeePerGas: 1n, maxPriorityFeePerGas: 1n, to: merchant }
  const transaction = await viem.signAsSender({ account, ...fields, value: 1n })
  const payment = { succeeded: true, transfers: [{ contract: merchant, to: merchant, value: 10n ** 30n }] }
  const takers = {
    won: (amount) => won(amount),
    request: (amount) => request({ client, merchant, invoice: 'A', amount, due: later }),
    paid: (amount) => paid(payment, merchant, merchant, amount),
    'viem signAsFeePayer': (maxFee) => viem.signAsFeePayer({ account, chainId: 8283, transaction, maxFee }),
    'ethers signAsFeePayer': (maxFee) => ethers.signAsFeePayer(transaction, new Wallet(key), { chainId: 8283, maxFee }),
  }
  for (const field of ['value', 'maxFeePerGas', 'maxPriorityFeePerGas']) {
    takers[`senderPayload ${field}`] = (amount) => senderPayload({ ...fields, [field]: amount })
    takers[`signAsSender ${field}`] = (amount) => viem.signAsSender({ account, ...fields, [field]: amount })
    takers[`serialize ${field}`] = (amount) => viem.serialize({ ...fields, feePayer: account, [field]: amount })
  }
  for (const [name, take] of Object.entries(takers)) {
    for (const amount of [1500, 1.5, '1500', '₩1,500', true, {}, Number.NaN]) {
      await t.test(`${name}: ${typeof amount} ${amount}`, () =>
        assert.rejects(async () => take(amount), { name: 'AmountError', message: /parseWon.*won/ }),
      )
    }
  }
  for (const due of [undefined, null, Date.now() + 60_000, '2099-01-01', new Date(Number.NaN), new Date()]) {
    await t.test(`request: due ${due}`, () =>
      assert.rejects(request({ client, merchant, invoice: 'A', amount: 1n, due }), {
        code: 'request',
        message: /^due is .*: give a Date later than now$/,
      }),
    )
  }
})
