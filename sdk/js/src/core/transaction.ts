// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

import { baseUnits } from './amount.js'
import { feeDelegatedType, maxTransactionSize } from './constants.js'
import { DecodeError, FeeLimitError, SignatureError, WrongChainError, WrongTypeError, type Party } from './errors.js'
import { fromHex, hexField, toHex, uintField, uintToBytes, type Hex } from './hex.js'
import { checkRequest } from './object.js'
import { Reader, withType, type Item } from './rlp.js'

const dynamicFeeType = 0x02
const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n

/** An entry of an access list: an address and storage keys of 32 bytes. */
export interface AccessListEntry {
  readonly address: Hex
  readonly storageKeys: readonly Hex[]
}

/** An ECDSA signature over secp256k1: r and s of 32 bytes, and the parity of the point. */
export interface EcdsaSignature {
  readonly r: Hex
  readonly s: Hex
  readonly yParity: 0 | 1
}

/** The fields that the sender signs. Amounts are in base units, fees in base units per gas. */
export interface SenderFields {
  readonly chainId: bigint
  readonly nonce: bigint
  readonly maxPriorityFeePerGas: bigint
  readonly maxFeePerGas: bigint
  readonly gas: bigint
  /** Null creates a contract. */
  readonly to: Hex | null
  readonly value: bigint
  readonly data: Hex
  readonly accessList: readonly AccessListEntry[]
}

/** A transaction of type 2 with the sender's signature, which a fee payer can complete. */
export interface SenderTransaction extends SenderFields {
  readonly signature: EcdsaSignature
}

/** A transaction of type 0x16 with both signatures. */
export interface FeeDelegatedTransaction extends SenderTransaction {
  readonly feePayer: Hex
  readonly feePayerSignature: EcdsaSignature
}

/** The same fields as callers may write them: numbers for integers, and what may be left out. */
export interface SenderFieldsInput {
  readonly chainId: bigint | number
  readonly nonce?: bigint | number | undefined
  readonly maxPriorityFeePerGas?: bigint | undefined
  readonly maxFeePerGas?: bigint | undefined
  readonly gas?: bigint | undefined
  readonly to?: Hex | null | undefined
  readonly value?: bigint | undefined
  readonly data?: Hex | undefined
  readonly accessList?: readonly AccessListEntry[] | undefined
}

const integer = (value: unknown, field: string, bits = 256): Uint8Array =>
  uintToBytes(uintField(value ?? 0n, field, bits))

/** What the sender signs, and what the results of parse and decode have besides. */
const names = new Set(
  (
    'chainId nonce maxPriorityFeePerGas maxFeePerGas gas to value data accessList ' +
    'signature feePayer feePayerSignature from hash sender senderHash type'
  ).split(' '),
)

function senderItems(fields: SenderFieldsInput): Item[] {
  checkRequest(fields, names)
  const accessList = (fields.accessList ?? []).map((entry): Item => [
    hexField(entry.address, 'accessList.address', 20),
    entry.storageKeys.map((key) => hexField(key, 'accessList.storageKeys', 32)),
  ])
  return [
    integer(fields.chainId, 'chainId'),
    integer(fields.nonce, 'nonce', 64),
    integer(baseUnits(fields.maxPriorityFeePerGas ?? 0n), 'maxPriorityFeePerGas'),
    integer(baseUnits(fields.maxFeePerGas ?? 0n), 'maxFeePerGas'),
    integer(fields.gas, 'gas', 64),
    fields.to == null ? new Uint8Array() : hexField(fields.to, 'to', 20),
    integer(baseUnits(fields.value ?? 0n), 'value'),
    hexField(fields.data ?? '0x', 'data'),
    accessList,
  ]
}

function signatureItems(signature: EcdsaSignature, party: Party): Item[] {
  const { yParity } = signature
  const [r, s] = [signature.r, signature.s].map((word) => BigInt(toHex(hexField(word, `${party}'s signature`, 32))))
  checkSignature(BigInt(yParity), r!, s!, party)
  return [integer(yParity, 'yParity', 1), uintToBytes(r!), uintToBytes(s!)]
}

function checkSignature(yParity: bigint, r: bigint, s: bigint, party: Party): void {
  if (yParity > 1n || yParity < 0n) throw new SignatureError(party, `has parity ${yParity}: it has to be 0 or 1`)
  if (r === 0n || s === 0n) throw new SignatureError(party, 'is missing')
  if (r >= order) throw new SignatureError(party, 'has an r above the order of the curve')
  if (s > order / 2n) throw new SignatureError(party, 'has a high s, which the chain refuses')
}

/**
 * senderPayload returns the bytes whose Keccak-256 the sender signs. They are those of a transaction of type 2.
 * It throws FieldError. Source: docs/spec/transactions.md, section 1.2.
 */
export function senderPayload(fields: SenderFieldsInput): Hex {
  return withType(dynamicFeeType, senderItems(fields))
}

/** encodeSender returns the sender's signed transaction, of type 2. It throws FieldError and SignatureError. */
export function encodeSender(fields: SenderFieldsInput, signature: EcdsaSignature): Hex {
  return withType(dynamicFeeType, [...senderItems(fields), ...signatureItems(signature, 'sender')])
}

/** feePayerPayload returns the bytes whose Keccak-256 the fee payer signs. It throws FieldError and SignatureError. */
export function feePayerPayload(fields: SenderFieldsInput, signature: EcdsaSignature, feePayer: Hex): Hex {
  const sender = [...senderItems(fields), ...signatureItems(signature, 'sender')]
  return withType(feeDelegatedType, [sender, hexField(feePayer, 'feePayer', 20)])
}

/** encode returns a transaction of type 0x16 with both signatures. It throws FieldError and SignatureError. */
export function encode(
  fields: SenderFieldsInput,
  signature: EcdsaSignature,
  feePayer: Hex,
  feePayerSignature: EcdsaSignature,
): Hex {
  const sender = [...senderItems(fields), ...signatureItems(signature, 'sender')]
  return withType(feeDelegatedType, [
    sender,
    hexField(feePayer, 'feePayer', 20),
    ...signatureItems(feePayerSignature, 'fee payer'),
  ])
}

function readAccessList(list: Reader): AccessListEntry[] {
  const entries: AccessListEntry[] = []
  while (list.more) {
    const entry = list.list('an entry of the access list')
    const address = toHex(entry.string('an address of the access list', 20))
    const keys = entry.list('the keys of the access list')
    const storageKeys: Hex[] = []
    while (keys.more) storageKeys.push(toHex(keys.string('a key of the access list', 32)))
    entry.end('an entry of the access list')
    entries.push({ address, storageKeys })
  }
  return entries
}

const word = (value: bigint): Hex => `0x${value.toString(16).padStart(64, '0')}`

function readSignature(list: Reader, party: Party): EcdsaSignature {
  const [yParity, r, s] = ['parity', 'r', 's'].map((part) => list.uint(`${part} of the ${party}`, 264))
  checkSignature(yParity!, r!, s!, party)
  return { r: word(r!), s: word(s!), yParity: yParity === 0n ? 0 : 1 }
}

function readSender(list: Reader): SenderTransaction {
  const chainId = list.uint('chainId', 256)
  const nonce = list.uint('nonce', 64)
  const maxPriorityFeePerGas = list.uint('maxPriorityFeePerGas', 256)
  const maxFeePerGas = list.uint('maxFeePerGas', 256)
  const gas = list.uint('gas', 64)
  const to = list.optional('to', 20)
  const value = list.uint('value', 256)
  const data = toHex(list.string('data'))
  const accessList = readAccessList(list.list('accessList'))
  const signature = readSignature(list, 'sender')
  list.end("the sender's part")
  return {
    chainId,
    nonce,
    maxPriorityFeePerGas,
    maxFeePerGas,
    gas,
    to: to && toHex(to),
    value,
    data,
    accessList,
    signature,
  }
}

function open(raw: unknown, type: number): Reader {
  if (typeof raw === 'string' && raw.length > 2 + 2 * maxTransactionSize) {
    throw new DecodeError(`the transaction has more than ${maxTransactionSize} bytes, which no node takes`)
  }
  const bytes = fromHex(raw, 'the transaction')
  const [first] = bytes
  if (first === undefined) throw new DecodeError('the transaction is empty')
  if (first !== type) throw new WrongTypeError(first >= 0xc0 ? null : first, type)
  const outer = new Reader(bytes, 1)
  const list = outer.list('the transaction')
  outer.end('the transaction')
  return list
}

/**
 * decodeSender reads the sender's signed transaction of type 2.
 *
 * It accepts the one canonical form. It throws WrongTypeError, DecodeError and SignatureError. It does not recover
 * the sender.
 */
export function decodeSender(raw: Hex): SenderTransaction {
  return readSender(open(raw, dynamicFeeType))
}

/**
 * decode reads a transaction of type 0x16.
 *
 * It accepts the one canonical form, with values that the chain accepts in both signatures. It throws WrongTypeError,
 * DecodeError and SignatureError. It does not recover the two accounts. Source: docs/spec/transactions.md, section 1.2.
 */
export function decode(raw: Hex): FeeDelegatedTransaction {
  const list = open(raw, feeDelegatedType)
  const sender = readSender(list.list("the sender's part"))
  const feePayer = list.optional('feePayer', 20)
  const feePayerSignature = readSignature(list, 'fee payer')
  list.end('the transaction')
  if (feePayer === null) throw new DecodeError('feePayer is empty: the chain refuses such a transaction')
  return { ...sender, feePayer: toHex(feePayer), feePayerSignature }
}

/** strip returns the sender's transaction of type 2 that a transaction of type 0x16 contains. */
export function strip(transaction: SenderTransaction): Hex {
  return encodeSender(transaction, transaction.signature)
}

/** assertChain throws WrongChainError unless the transaction is for this chain. */
export function assertChain(transaction: SenderFields, chainId: bigint | number): void {
  const want = BigInt(chainId)
  if (transaction.chainId !== want) throw new WrongChainError(transaction.chainId, want)
}

/**
 * assertFee throws FeeLimitError if the transaction can cost its payer more than the limit, in base units, and
 * AmountError for a limit that is no bigint.
 */
export function assertFee(transaction: SenderFields, limit: bigint | undefined): void {
  const fee = transaction.gas * transaction.maxFeePerGas
  if (limit !== undefined && fee > baseUnits(limit)) throw new FeeLimitError(fee, limit)
}
