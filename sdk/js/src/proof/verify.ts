// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

import { bls12_381 } from '@noble/curves/bls12-381'
import { secp256k1 } from '@noble/curves/secp256k1'
import { keccak_256 } from '@noble/hashes/sha3'
import { fromHex, toHex, uintToBytes, type Hex } from '../core/hex.js'
import { decodeItem, encodeItem, type Item } from '../core/rlp.js'
import { recoverParties } from './transaction.js'
import {
  ProofError,
  type Checkpoint,
  type ProofFault,
  type ProvenLog,
  type ProvenPayment,
  type ProvenTransfer,
} from './types.js'

const maxEpochs = 1024
const maxOrigin = 4096
const maxValidators = 4096
const maxPath = 16
const maxText = 64 << 20

type Fields = Record<string, unknown>

const keccak = (...parts: Uint8Array[]): Hex => {
  const hash = keccak_256.create()
  for (const part of parts) hash.update(part)
  return toHex(hash.digest())
}
const transferTopic = keccak(new TextEncoder().encode('Transfer(address,address,uint256)'))

/** attempt runs a step, whose errors of decoding and of curves become a refusal. */
function attempt<T>(code: ProofFault, what: string, step: () => T): T {
  try {
    return step()
  } catch (error) {
    if (error instanceof ProofError) throw error
    throw new ProofError(code, `${what}: ${(error as Error).message}`, { cause: error })
  }
}

function fields(value: unknown, name: string): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new ProofError('malformed', `${name} is no object`)
  }
  return value as Fields
}

function list(value: unknown, name: string, most: number): unknown[] {
  if (!Array.isArray(value)) throw new ProofError('malformed', `${name} is no list`)
  if (value.length > most) throw new ProofError('size', `${name} has ${value.length} entries, at most ${most} are read`)
  return value
}

function quantity(value: unknown, name: string, bits: number): bigint {
  if (typeof value !== 'string' || !/^0x(?:0|[1-9a-fA-F][0-9a-fA-F]*)$/.test(value) || value.length > 2 + bits / 4) {
    throw new ProofError('malformed', `${name} is no quantity of at most ${bits} bits`)
  }
  return BigInt(value)
}

function bytes(value: unknown, name: string, size?: number): Uint8Array {
  const content = attempt('malformed', name, () => fromHex(value, name))
  if (size !== undefined && content.length !== size) {
    throw new ProofError('malformed', `${name} has ${content.length} bytes, not ${size}`)
  }
  return content
}

const isList = (item: Item | undefined): item is readonly Item[] => Array.isArray(item)

/** The item of a list that has to be a byte string. */
function text(items: readonly Item[], at: number, size?: number): Uint8Array {
  const item = items[at]
  if (!(item instanceof Uint8Array) || (size !== undefined && item.length !== size)) {
    throw new Error(`item ${at} is not a string${size === undefined ? '' : ` of ${size} bytes`}`)
  }
  return item
}

function sublist(items: readonly Item[], at: number): readonly Item[] {
  const item = items[at]
  if (!isList(item)) throw new Error(`item ${at} is not a list`)
  return item
}

/** A header with its hash, and its extra data if that is one of this network. */
class Header {
  readonly number: bigint
  readonly time: bigint
  readonly parentHash: Hex
  readonly miner: Hex
  readonly transactionsRoot: Hex
  readonly receiptsRoot: Hex
  readonly hash: Hex
  readonly extra: readonly Item[] | null
  readonly #items: Item[]

  constructor(value: unknown) {
    const h = fields(value, 'header')
    for (const name of Object.keys(h)) {
      if (h[name] != null && !known.has(name)) {
        throw new ProofError(
          'malformed',
          `a header has ${JSON.stringify(name.slice(0, 40))}, which this network has not`,
        )
      }
    }
    const word = (name: string): Uint8Array => bytes(h[name], name, 32)
    const uint = (name: string, bits = 64): Uint8Array => uintToBytes(quantity(h[name], name, bits))
    this.#items = [
      word('parentHash'),
      word('sha3Uncles'),
      bytes(h.miner, 'miner', 20),
      word('stateRoot'),
      word('transactionsRoot'),
      word('receiptsRoot'),
      bytes(h.logsBloom, 'logsBloom', 256),
      uint('difficulty', 256),
      uint('number'),
      uint('gasLimit'),
      uint('gasUsed'),
      uint('timestamp'),
      bytes(h.extraData, 'extraData'),
      word('mixHash'),
      bytes(h.nonce, 'nonce', 8),
      uint('baseFeePerGas', 256),
    ]
    this.number = BigInt(h.number as string)
    this.time = BigInt(h.timestamp as string)
    this.parentHash = toHex(text(this.#items, 0))
    this.miner = toHex(text(this.#items, 2))
    this.transactionsRoot = toHex(text(this.#items, 4))
    this.receiptsRoot = toHex(text(this.#items, 5))
    try {
      this.extra = readExtra(text(this.#items, 12))
    } catch {
      this.extra = null
    }
    const sealed = this.extra !== null && h.difficulty === '0x1'
    this.hash = sealed ? toHex(this.roundHash(new Uint8Array())) : keccak(encodeItem(this.#items))
  }

  /** roundHash returns the hash without the seals, as they are made in a round. */
  roundHash(round: Uint8Array): Uint8Array {
    const extra = [...this.extra!]
    extra.splice(5, 3, round, [], [])
    const items = [...this.#items]
    items[12] = encodeItem(extra)
    return keccak_256(encodeItem(items))
  }
}

const known = new Set(
  (
    'parentHash sha3Uncles miner stateRoot transactionsRoot receiptsRoot logsBloom difficulty number gasLimit ' +
    'gasUsed timestamp extraData mixHash nonce baseFeePerGas hash'
  ).split(' '),
)

const emptyOr = (items: readonly Item[], size: number): boolean => items.length === 0 || items.length === size

/** readExtra reads the ten items of extra data. It throws for what is not the one form of them. */
function readExtra(encoded: Uint8Array): readonly Item[] {
  const items = decodeItem(encoded, 'extraData')
  if (!isList(items) || items.length !== 10) throw new Error('extraData is not a list of ten items')
  for (const at of [0, 1]) text(items, at)
  for (const at of [2, 5, 8]) {
    const integer = text(items, at)
    if (integer[0] === 0 || (at !== 8 && integer.length > 4)) throw new Error(`item ${at} is no integer`)
  }
  for (const at of [3, 4, 6, 7]) {
    const seal = sublist(items, at)
    if (!emptyOr(seal, 2)) throw new Error(`item ${at} is no seal`)
    for (let i = 0; i < seal.length; i++) text(seal, i)
  }
  if (!emptyOr(sublist(items, 9), 3)) throw new Error('item 9 is no epoch')
  return items
}

type Key = InstanceType<typeof bls12_381.G1.ProjectivePoint>

/** appointed returns the keys of the validators that an epoch block appoints, by address. */
function appointed(header: Header): Map<Hex, Key> {
  return attempt('epoch', `block ${header.number} appoints no validators`, () => {
    const info = sublist(header.extra ?? [], 9)
    const [candidates, validators, keys] = [0, 1, 2].map((at) => sublist(info, at)) as [Item[], Item[], Item[]]
    if (validators.length === 0 || validators.length !== keys.length || candidates.length > maxValidators) {
      throw new Error('the lists do not fit each other')
    }
    const set = new Map<Hex, Key>()
    for (let i = 0; i < validators.length; i++) {
      const at = text(validators, i)
      if (at[0] === 0 || at.length > 4) throw new Error(`validator ${i} is no index`)
      const candidate = sublist(candidates, Number(BigInt(`0x0${toHex(at).slice(2)}`)))
      const key = bls12_381.G1.ProjectivePoint.fromHex(text(keys, i, 48))
      if (key.equals(bls12_381.G1.ProjectivePoint.ZERO)) throw new Error(`key ${i} is infinity`)
      set.set(toHex(text(candidate, 0, 20)), key)
    }
    if (set.size !== validators.length) throw new Error('a validator is there twice')
    return set
  })
}

const DST = 'BLS_SIG_BLS12381G2_XMD:SHA-256_SSWU_RO_POP_'

/** isSealed reports whether a seal is one of a quorum over a digest. */
function isSealed(seal: readonly Item[], digest: Uint8Array, order: readonly Key[]): boolean {
  if (seal.length !== 2) return false
  const signers = [...text(seal, 0)].flatMap((byte, at) =>
    [0, 1, 2, 3, 4, 5, 6, 7].filter((bit) => (byte >> bit) & 1).map((bit) => 8 * at + bit),
  )
  if (signers.length < order.length - Math.floor((order.length - 1) / 3)) return false
  if (signers.some((at) => at >= order.length)) return false
  let sum = bls12_381.G1.ProjectivePoint.ZERO
  for (const at of signers) sum = sum.add(order[at]!)
  const infinity = bls12_381.G2.ProjectivePoint.ZERO
  try {
    const signature = bls12_381.G2.ProjectivePoint.fromHex(text(seal, 1, 96))
    if (signature.equals(infinity) || sum.equals(bls12_381.G1.ProjectivePoint.ZERO)) return false
    return bls12_381.verify(signature, digest, sum, { DST })
  } catch {
    return false
  }
}

/**
 * checkReveal checks that the proposer of a header has made its reveal for a chain. Seals bind to keys and not to a
 * chain; they cover reveal and proposer.
 */
function checkReveal(header: Header, chainId: bigint): void {
  attempt('chain', `block ${header.number} was not proposed for chain ${chainId}`, () => {
    const reveal = text(header.extra ?? [], 1, 65)
    const data = keccak_256(Uint8Array.of(...uintToBytes(chainId), 1, ...uintToBytes(header.number)))
    const [r, s] = [reveal.subarray(0, 32), reveal.subarray(32, 64)].map((part) => BigInt(toHex(part))) as [
      bigint,
      bigint,
    ]
    const key = new secp256k1.Signature(r, s).addRecoveryBit(reveal[64]!).recoverPublicKey(keccak_256(data))
    const proposer = toHex(keccak_256(key.toRawBytes(false).subarray(1)).subarray(12))
    if (proposer !== header.miner) throw new Error(`its reveal is of ${proposer}`)
  })
}

/**
 * follows checks that a header comes after the block `last`, that a quorum of the set has sealed it twice, and that one
 * of the set has proposed it for the chain.
 */
function follows(header: Header, names: readonly unknown[], chainId: bigint, last: bigint, set: Map<Hex, Key>): void {
  if (header.number <= last) throw new ProofError('order', `block ${header.number} follows block ${last}`)
  const addresses = new Set(names.map((name) => toHex(bytes(name, 'validator', 20))))
  const order = [...addresses].map((address) => set.get(address))
  if (names.length !== set.size || addresses.size !== set.size || order.includes(undefined)) {
    throw new ProofError('validators', `block ${header.number} names others than those in charge`)
  }
  const { extra } = header
  if (extra === null) throw new ProofError('malformed', `the extra data of block ${header.number} cannot be read`)
  const round = header.roundHash(text(extra, 5))
  for (const phase of [0, 1]) {
    const digest = keccak_256(Uint8Array.of(...round, phase))
    if (!isSealed(sublist(extra, 6 + phase), digest, order as Key[])) {
      throw new ProofError('seal', `block ${header.number} lacks seals of a quorum of its validators`)
    }
  }
  if (!set.has(header.miner)) {
    throw new ProofError('validators', `the proposer of block ${header.number} is not in charge`)
  }
  checkReveal(header, chainId)
}

/** start returns the validators in charge after the trusted block. */
function start(origin: readonly Header[], trusted: Checkpoint): Map<Hex, Key> {
  const end = origin.at(-1)
  if (end === undefined) throw new ProofError('malformed', 'origin is empty')
  if (end.number !== BigInt(trusted.number) || end.hash !== trusted.hash.toLowerCase()) {
    throw new ProofError('trust', `it starts from block ${end.number}, ${end.hash}, not from the checkpoint`)
  }
  if (end.number > 0n) checkReveal(end, BigInt(trusted.chainId))
  for (let i = 1; i < origin.length; i++) {
    const [parent, header] = [origin[i - 1]!, origin[i]!]
    const linked = header.number === parent.number + 1n && header.parentHash === parent.hash
    if (!linked || header.extra === null || sublist(header.extra, 9).length > 0) {
      throw new ProofError('link', `block ${header.number} does not continue block ${parent.number} of the same epoch`)
    }
  }
  return appointed(origin[0]!)
}

/** checkPath checks that a root covers an item at an index, by exactly the nodes of the path. */
function checkPath(root: Hex, index: bigint, item: Uint8Array, path: readonly Uint8Array[]): void {
  attempt('path', `the block does not have it at index ${index}`, () => {
    let nibbles = toHex(encodeItem(uintToBytes(index))).slice(2)
    let want = root
    for (const [depth, node] of path.entries()) {
      if (keccak(node) !== want) throw new Error(`node ${depth} has another hash`)
      const items = decodeItem(node, 'node')
      if (!isList(items)) throw new Error(`node ${depth} is no list`)
      if (items.length === 17) {
        want = toHex(text(items, Number.parseInt(nibbles[0] ?? '', 16), 32))
        nibbles = nibbles.slice(1)
        continue
      }
      const [flag, ...rest] = toHex(text(items, 0)).slice(2)
      const part = (flag === '1' || flag === '3' ? rest : rest.slice(1)).join('')
      if (items.length !== 2 || !'0123'.includes(flag ?? 'x') || !nibbles.startsWith(part)) {
        throw new Error(`node ${depth} leads elsewhere`)
      }
      nibbles = nibbles.slice(part.length)
      if (flag === '0' || flag === '1') {
        want = toHex(text(items, 1, 32))
        continue
      }
      if (nibbles !== '' || depth !== path.length - 1) throw new Error('the path ends elsewhere')
      if (item.length === 0 || toHex(text(items, 1)) !== toHex(item)) throw new Error('the path leads to other bytes')
      return
    }
    throw new Error('the path has no end')
  })
}

/** readReceipt returns whether a transaction succeeded, and its logs. */
function readReceipt(encoded: Uint8Array): { succeeded: boolean; logs: ProvenLog[] } {
  const items = decodeItem(encoded[0]! < 0xc0 ? encoded.subarray(1) : encoded, 'receipt')
  if (!isList(items) || items.length !== 4) throw new Error('the receipt is not a list of four items')
  const logs = sublist(items, 3).map((entry): ProvenLog => {
    if (!isList(entry) || entry.length !== 3) throw new Error('a log is not a list of three items')
    const topics = sublist(entry, 1)
    return {
      address: toHex(text(entry, 0, 20)),
      topics: topics.map((_, at) => toHex(text(topics, at, 32))),
      data: toHex(text(entry, 2)),
    }
  })
  return { succeeded: toHex(text(items, 0)) === '0x01', logs }
}

/**
 * verifyPayment verifies an answer of istanbul_getReceiptProof, as an object or as text, from a checkpoint on. It asks
 * nobody, and throws ProofError. What is proven: the validators that follow from the checkpoint have sealed the child
 * of a block, and the transaction was executed in that block with this receipt.
 */
export function verifyPayment(proof: unknown, trusted: Checkpoint): ProvenPayment {
  if (trusted?.chainId === undefined) {
    throw new ProofError('trust', 'no checkpoint is given: name chain ID, number and hash of a block that you trust')
  }
  if (typeof proof === 'string' && proof.length > maxText) throw new ProofError('size', 'the text is too long')
  const parsed =
    typeof proof === 'string' ? attempt('malformed', 'the text', () => JSON.parse(proof) as unknown) : proof
  const p = fields(parsed, 'the proof')
  if (p.version !== 1) throw new ProofError('malformed', 'its version is not 1')
  if (p.receipt == null) throw new ProofError('malformed', 'it has no receipt: ask istanbul_getReceiptProof')
  const shown = fields(p.receipt, 'receipt')
  const [place, index] = [new Header(shown.header), quantity(shown.index, 'index', 64)]
  const [paid, receipt] = [bytes(shown.transaction, 'transaction'), bytes(shown.receipt, 'receipt')]
  const [paidPath, receiptPath] = (['transactionPath', 'receiptPath'] as const).map((name) =>
    list(shown[name], name, maxPath).map((node) => bytes(node, 'node')),
  ) as [Uint8Array[], Uint8Array[]]
  const origin = list(p.origin, 'origin', maxOrigin).map((header) => new Header(header))
  const [block, ...epochs] = [p.block, ...list(p.epochs, 'epochs', maxEpochs)].map((value) => {
    const sealed = fields(value, 'sealed header')
    return { header: new Header(sealed.header), names: list(sealed.validators, 'validators', maxValidators) }
  })
  const chainId = BigInt(trusted.chainId)
  let set = start(origin, trusted)
  let last = BigInt(trusted.number)
  const { header, names } = block!
  if (header.number < last) throw new ProofError('older', `block ${header.number} is older than the checkpoint`)
  if (header.number === last) {
    const same = header.hash === trusted.hash.toLowerCase() && epochs.length === 0
    if (!same) throw new ProofError('trust', `block ${header.number} is not the checkpoint`)
  } else {
    for (const epoch of epochs) {
      follows(epoch.header, epoch.names, chainId, last, set)
      set = appointed(epoch.header)
      last = epoch.header.number
    }
    follows(header, names, chainId, last, set)
  }
  if (place.number + 1n !== header.number || place.hash !== header.parentHash) {
    throw new ProofError('link', `block ${place.number} is not the parent of the sealed block ${header.number}`)
  }
  checkPath(place.transactionsRoot, index, paid, paidPath)
  checkPath(place.receiptsRoot, index, receipt, receiptPath)
  return attempt('transaction', 'transaction or receipt', () => {
    const { succeeded, logs } = readReceipt(receipt)
    const transfers = logs
      .filter(({ topics, data }) => topics.length === 3 && topics[0] === transferTopic && data.length === 66)
      .map(({ address, topics, data }): ProvenTransfer => {
        const [, from, to] = topics.map((topic): Hex => `0x${topic.slice(26)}`)
        return { contract: address, from: from!, to: to!, value: BigInt(data) }
      })
    const parties = recoverParties(paid, chainId)
    const { number: blockNumber, hash: blockHash, time } = place
    return { blockNumber, blockHash, time, hash: keccak(paid), ...parties, succeeded, transfers, logs }
  })
}
