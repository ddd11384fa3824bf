// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

import { FieldError } from './errors.js'

/**
 * What a transaction object is for: a transaction of type 2 that a fee payer pays, or a call that has no effect. The
 * sponsor has the same rules, and sdk/testdata/objects.jsonl holds both to the same verdicts.
 */
export type Use = 'sponsored' | 'call'

type Check = (value: unknown) => string | null

const digits = /^0[xX][0-9a-fA-F]*$/
const notText = 'is no text: give one, as "0x1"'
const isBytes = (value: unknown, size?: number): boolean =>
  typeof value === 'string' &&
  digits.test(value) &&
  (size === undefined ? value.length % 2 === 0 : value.length === 2 + 2 * size)

const text =
  (fits: (value: string) => boolean, reason: string): Check =>
  (value) => {
    if (typeof value !== 'string') return notText
    return fits(value) ? null : reason
  }

const quantity = (bits: number): Check =>
  text(
    (value) =>
      digits.test(value) &&
      (value.length === 3 || value[2] !== '0') &&
      value.length > 2 &&
      value.length <= 2 + bits / 4,
    `is no quantity of at most ${bits} bits: give 0x and hexadecimal digits without leading zeros`,
  )
const address = text((value) => isBytes(value, 20), 'is no address: give 0x and 40 hexadecimal digits')
const data = text((value) => isBytes(value), 'is no data: give 0x and an even number of hexadecimal digits')

const isEntry = (entry: unknown): boolean => {
  if (typeof entry !== 'object' || entry === null || Object.keys(entry).length !== 2) return false
  const { address: account, storageKeys } = entry as Record<string, unknown>
  return isBytes(account, 20) && Array.isArray(storageKeys) && storageKeys.every((key) => isBytes(key, 32))
}

const accessList: Check = (value) =>
  Array.isArray(value) && value.every(isEntry)
    ? null
    : 'is no access list: give a list of {"address": "0x...", "storageKeys": ["0x..."]} with keys of 32 bytes, and nothing else in it'

/** The fields in the order in which their values are looked at. */
const fields = new Map<string, Check>([
  ['from', address],
  ['to', address],
  ['value', quantity(256)],
  ['data', data],
  ['input', data],
  ['gas', quantity(64)],
  ['gasPrice', quantity(256)],
  ['maxFeePerGas', quantity(256)],
  ['maxPriorityFeePerGas', quantity(256)],
  ['nonce', quantity(64)],
  ['chainId', quantity(256)],
  ['accessList', accessList],
  ['type', quantity(64)],
])

const isGiven = ([, value]: [string, unknown]): boolean => value !== undefined && value !== null

/** byCodePoint orders names as their UTF-8 bytes. */
function byCodePoint(a: string, b: string): number {
  const [x, y] = [a, b].map((name) => Array.from(name, (letter) => letter.codePointAt(0)!))
  const at = x!.findIndex((point, i) => point !== y![i])
  return at < 0 ? x!.length - y!.length : x![at]! - (y![at] ?? -1)
}

function whyForeign(name: string): string {
  switch (name) {
    case 'gasPrice':
      return 'makes a transaction of type 0, which its sender pays: give maxFeePerGas and maxPriorityFeePerGas instead'
    case 'feePayer':
      return 'is chosen by the sponsor: leave it out'
  }
  return 'cannot be in a transaction with a fee payer: leave it out, or send one of its own type without'
}

/** refuseForeign throws FieldError for the first name, in alphabetical order, that is not among the known ones. */
function refuseForeign(names: string[], known: (name: string) => boolean): void {
  const [foreign] = names.filter((name) => !known(name)).sort(byCodePoint)
  if (foreign !== undefined) throw new FieldError(foreign, whyForeign(foreign))
}

/**
 * checkObject throws FieldError for a transaction object of JSON-RPC that the sponsor refuses, and names the field. Null
 * and undefined stand for a field that is left out.
 */
export function checkObject(object: unknown, use: Use): void {
  if (typeof object !== 'object' || object === null || Array.isArray(object)) {
    throw new FieldError('the transaction', 'is no object: give its fields in one')
  }
  const given = new Map(Object.entries(object).filter(isGiven))
  refuseForeign([...given.keys()], (name) => fields.has(name) && (use === 'call' || name !== 'gasPrice'))
  for (const [name, check] of fields) {
    if (!given.has(name)) continue
    const reason = check(given.get(name))
    if (reason !== null) throw new FieldError(name, reason)
  }
  const type = given.get('type') as string | undefined
  if (type !== undefined && type.toLowerCase() !== '0x2') {
    throw new FieldError('type', `is ${type}: a fee payer can be added to transactions of type 0x2 alone`)
  }
  const [first, second] = ['data', 'input'].map((name) => given.get(name) as string | undefined)
  if (first !== undefined && second !== undefined && first.toLowerCase() !== second.toLowerCase()) {
    throw new FieldError('input', 'differs from data: give one of them')
  }
}

/**
 * checkRequest throws FieldError for a request of a library that a transaction with a fee payer cannot carry. `names`
 * are the fields of that library, in its own words, and what it keeps beside them. Left out silently, an authorization
 * or its revocation would be lost in a transaction that succeeds.
 */
export function checkRequest(request: object, names: ReadonlySet<string>): void {
  refuseForeign(
    Object.entries(request)
      .filter(isGiven)
      .map(([name]) => name),
    (name) => names.has(name),
  )
}
