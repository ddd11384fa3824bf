// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

import { decimals } from './constants.js'
import { AmountError } from './errors.js'

const unit = 10n ** BigInt(decimals)

/**
 * baseUnits returns an amount in base units. It throws AmountError for what is no bigint: 1500 can mean coins or base
 * units.
 */
export function baseUnits(amount: unknown): bigint {
  if (typeof amount === 'bigint') return amount
  throw new AmountError(String(amount), 'is no bigint of base units: parseWon("₩1,500") makes one, and won shows it')
}

/**
 * won returns an amount in base units as text, "₩1,234.5".
 *
 * Without `digits` the text is exact. With it, there are at most that many digits behind the point (0 to 18), and half
 * a digit is rounded away from zero: `won(999600000000000000n, { digits: 0 })` is "₩1".
 */
export function won(amount: bigint, options: { digits?: number } = {}): string {
  baseUnits(amount)
  const { digits = decimals } = options
  if (!Number.isInteger(digits) || digits < 0 || digits > decimals) {
    throw new AmountError(String(digits), `is no number of digits: give one from 0 to ${decimals}`)
  }
  const step = 10n ** BigInt(decimals - digits)
  const positive = (((amount < 0n ? -amount : amount) + step / 2n) / step) * step
  const whole = (positive / unit).toString().replace(/\B(?=(?:\d{3})+$)/g, ',')
  const fraction = (positive % unit).toString().padStart(decimals, '0').replace(/0+$/, '')
  return `${amount < 0n && positive > 0n ? '-' : ''}₩${whole}${fraction && `.${fraction}`}`
}

/**
 * parseWon returns the base units of a text such as "₩1,234.5", "1234.5" or "5 WKRC".
 *
 * It throws AmountError for signs, exponents, commas at other places than every third digit, and more than 18 digits
 * behind the point.
 */
export function parseWon(text: string): bigint {
  if (typeof text !== 'string') throw new AmountError(String(text), 'is not text: give "1234.5"')
  const found = /^(?:₩ ?)?(\d{1,60}|\d{1,3}(?:,\d{3}){1,20})(?:\.(\d+))?(?: ?WKRC)?$/.exec(text.trim())
  if (!found || /₩.*WKRC/.test(text)) {
    throw new AmountError(text, 'is no number of coins: give "1234.5" or "₩1,234.5"')
  }
  const [, whole = '', fraction = ''] = found
  if (fraction.length > decimals) throw new AmountError(text, `has more than ${decimals} digits behind the point`)
  return BigInt(whole.replaceAll(',', '')) * unit + BigInt(fraction.padEnd(decimals, '0'))
}
