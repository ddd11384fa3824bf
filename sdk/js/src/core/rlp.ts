// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

import { DecodeError } from './errors.js'
import { toHex, uintToBytes, type Hex } from './hex.js'

/** A byte string, or a list of items. */
export type Item = Uint8Array | readonly Item[]

function concat(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((size, part) => size + part.length, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}

function header(size: number, offset: number): Uint8Array {
  if (size < 56) return Uint8Array.of(offset + size)
  const length = uintToBytes(BigInt(size))
  return concat([Uint8Array.of(offset + 55 + length.length), length])
}

/** encodeItem returns the canonical RLP of an item. */
export function encodeItem(item: Item): Uint8Array {
  if (item instanceof Uint8Array) {
    if (item.length === 1 && item[0]! < 0x80) return item
    return concat([header(item.length, 0x80), item])
  }
  const body = concat(item.map(encodeItem))
  return concat([header(body.length, 0xc0), body])
}

/** decodeItem reads the one item that a byte string holds. It throws DecodeError. */
export function decodeItem(bytes: Uint8Array, name: string): Item {
  const reader = new Reader(bytes)
  const item = reader.item(name)
  reader.end(name)
  return item
}

/** withType returns a type byte and the RLP of an item. */
export function withType(type: number, item: Item): Hex {
  return toHex(concat([Uint8Array.of(type), encodeItem(item)]))
}

/**
 * Reader reads canonical RLP, item by item, from a part of a byte string. It accepts one encoding of each value
 * and throws DecodeError for every other one.
 */
export class Reader {
  readonly #bytes: Uint8Array
  #at: number
  readonly #end: number

  constructor(bytes: Uint8Array, at = 0, end = bytes.length) {
    this.#bytes = bytes
    this.#at = at
    this.#end = end
  }

  /** more reports whether another item follows. */
  get more(): boolean {
    return this.#at < this.#end
  }

  /** list enters the list that is the next item. */
  list(name: string): Reader {
    const { isList, start, end } = this.#next(name)
    if (!isList) throw new DecodeError(`${name} is a string: it has to be a list`)
    return new Reader(this.#bytes, start, end)
  }

  /** string reads a byte string, of exactly `size` bytes if that is given. */
  string(name: string, size?: number): Uint8Array {
    const { isList, start, end } = this.#next(name)
    if (isList) throw new DecodeError(`${name} is a list: it has to be a string`)
    if (size !== undefined && end - start !== size) {
      throw new DecodeError(`${name} has ${end - start} bytes: it has to have ${size}`)
    }
    return this.#bytes.subarray(start, end)
  }

  /** optional reads a byte string of `size` bytes, or null for an empty one. */
  optional(name: string, size: number): Uint8Array | null {
    const bytes = this.string(name)
    if (bytes.length === 0) return null
    if (bytes.length !== size) {
      throw new DecodeError(`${name} has ${bytes.length} bytes: it has to have ${size} or none`)
    }
    return bytes
  }

  /** uint reads an integer of at most `bits` bits. */
  uint(name: string, bits: number): bigint {
    const bytes = this.string(name)
    if (bytes.length === 0) return 0n
    if (bytes[0] === 0) throw new DecodeError(`${name} has leading zeros`)
    if (bytes.length * 8 > bits) throw new DecodeError(`${name} has more than ${bits} bits`)
    return BigInt(toHex(bytes))
  }

  /** item reads whatever comes next, lists to a bounded depth. */
  item(name: string, depth = 8): Item {
    const { isList, start, end } = this.#next(name)
    if (!isList) return this.#bytes.subarray(start, end)
    if (depth === 0) throw new DecodeError(`${name} has too many lists within lists`)
    const inner = new Reader(this.#bytes, start, end)
    const items: Item[] = []
    while (inner.more) items.push(inner.item(name, depth - 1))
    return items
  }

  /** end checks that nothing follows. */
  end(name: string): void {
    if (this.more) throw new DecodeError(`${name} has more elements than it may have`)
  }

  #next(name: string): { isList: boolean; start: number; end: number } {
    if (!this.more) throw new DecodeError(`${name} is missing`)
    const prefix = this.#bytes[this.#at]!
    const isList = prefix >= 0xc0
    const short = prefix - (isList ? 0xc0 : 0x80)
    let start = this.#at + 1
    let size = 1
    if (short < 0) {
      start = this.#at
    } else if (short < 56) {
      size = short
    } else {
      const width = short - 55
      if (width > 4) throw new DecodeError(`${name} is longer than the input`)
      if (start + width > this.#end) throw new DecodeError(`${name} is longer than the input`)
      if (this.#bytes[start] === 0) throw new DecodeError(`${name} has a length with leading zeros`)
      size = 0
      for (let i = 0; i < width; i++) size = size * 256 + this.#bytes[start + i]!
      start += width
      if (size < 56) throw new DecodeError(`${name} has a length in the long form, and the short one suffices`)
    }
    const end = start + size
    if (end > this.#end) throw new DecodeError(`${name} is longer than the input`)
    if (short === 1 && !isList && this.#bytes[start]! < 0x80) {
      throw new DecodeError(`${name} is one small byte: it has to stand for itself`)
    }
    this.#at = end
    return { isList, start, end }
  }
}
