// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

import { DecodeError, FieldError } from './errors.js'

/** Hexadecimal digits after 0x. */
export type Hex = `0x${string}`

const byteDigits = Array.from({ length: 256 }, (_, i) => i.toString(16).padStart(2, '0'))

/** toHex returns bytes as hexadecimal digits. */
export function toHex(bytes: Uint8Array): Hex {
  let text = ''
  for (const byte of bytes) text += byteDigits[byte]
  return `0x${text}`
}

/** fromHex returns the bytes of 0x and an even number of digits. `name` is what the error calls the text. */
export function fromHex(text: unknown, name: string): Uint8Array {
  if (typeof text !== 'string' || !/^0x(?:[0-9a-fA-F]{2})*$/.test(text)) {
    throw new DecodeError(`${name} is not 0x and an even number of hexadecimal digits`)
  }
  const bytes = new Uint8Array(text.length / 2 - 1)
  for (let i = 0; i < bytes.length; i++) bytes[i] = Number.parseInt(text.slice(2 + 2 * i, 4 + 2 * i), 16)
  return bytes
}

/** hexField is fromHex for a field of a transaction that is to be made, with its size in bytes. */
export function hexField(text: unknown, field: string, size?: number): Uint8Array {
  const digits = size === undefined ? '(?:[0-9a-fA-F]{2})*' : `[0-9a-fA-F]{${2 * size}}`
  if (typeof text !== 'string' || !new RegExp(`^0x${digits}$`).test(text)) {
    const count = size === undefined ? 'an even number of' : 2 * size
    throw new FieldError(field, `is not 0x and ${count} hexadecimal digits`)
  }
  return fromHex(text, field)
}

/** uintField returns an integer of at most `bits` bits. A number has to be a safe integer. */
export function uintField(value: unknown, field: string, bits: number): bigint {
  const valid = typeof value === 'bigint' || (typeof value === 'number' && Number.isSafeInteger(value))
  if (!valid || value < 0) throw new FieldError(field, 'is not an integer from 0 on')
  const integer = BigInt(value)
  if (integer >> BigInt(bits) !== 0n) throw new FieldError(field, `has more than ${bits} bits`)
  return integer
}

/** uintToBytes returns the shortest big-endian form, which is empty for 0. */
export function uintToBytes(value: bigint): Uint8Array {
  if (value === 0n) return new Uint8Array()
  const text = value.toString(16)
  return fromHex(`0x${text.length % 2 ? '0' : ''}${text}`, 'integer')
}
