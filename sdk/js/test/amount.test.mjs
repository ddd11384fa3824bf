// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

import assert from 'node:assert/strict'
import test from 'node:test'
import { AmountError, parseWon, won } from '@gwon/sdk'

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
