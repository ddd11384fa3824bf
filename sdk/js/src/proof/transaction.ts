// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

import { secp256k1 } from '@noble/curves/secp256k1'
import { keccak_256 } from '@noble/hashes/sha3'
import { feeDelegatedType } from '../core/constants.js'
import { DecodeError, SignatureError, WrongChainError, type Party } from '../core/errors.js'
import { fromHex, toHex, uintToBytes, type Hex } from '../core/hex.js'
import { decodeItem, encodeItem, type Item } from '../core/rlp.js'
import { assertChain, decode, feePayerPayload, senderPayload, type EcdsaSignature } from '../core/transaction.js'

/** Who signed a transaction, and what it moves. */
export interface Parties {
  readonly from: Hex
  readonly to: Hex | null
  readonly value: bigint
  readonly feePayer: Hex | null
}

const uint = (item: Item | undefined): bigint => {
  if (!(item instanceof Uint8Array) || item.length > 32 || item[0] === 0) throw new DecodeError('an integer is none')
  return item.length === 0 ? 0n : BigInt(toHex(item))
}

/** recover returns the account that signed a payload. It throws SignatureError. */
function recover(payload: Uint8Array, r: bigint, s: bigint, parity: bigint, party: Party): Hex {
  if (parity > 1n || parity < 0n) throw new SignatureError(party, `has parity ${parity}: it has to be 0 or 1`)
  if (s > secp256k1.CURVE.n / 2n) throw new SignatureError(party, 'has a high s, which the chain refuses')
  try {
    const signature = new secp256k1.Signature(r, s).addRecoveryBit(Number(parity))
    const key = signature.recoverPublicKey(keccak_256(payload)).toRawBytes(false)
    return toHex(keccak_256(key.subarray(1)).subarray(12))
  } catch {
    throw new SignatureError(party, 'is of no key')
  }
}

const recoverBy = (payload: Hex, { r, s, yParity }: EcdsaSignature, party: Party): Hex =>
  recover(fromHex(payload, 'payload'), BigInt(r), BigInt(s), BigInt(yParity), party)

/** Where a type has recipient and value, and how many items. */
const layouts: Readonly<Record<number, { to: number; items: number }>> = {
  1: { to: 4, items: 11 },
  2: { to: 5, items: 12 },
  4: { to: 5, items: 13 },
}

/** recoverParties reads a transaction of any type of the network. It throws SdkError. */
export function recoverParties(raw: Uint8Array, chainId: bigint): Parties {
  if (raw[0] === feeDelegatedType) {
    const tx = decode(toHex(raw))
    assertChain(tx, chainId)
    const from = recoverBy(senderPayload(tx), tx.signature, 'sender')
    const payload = feePayerPayload(tx, tx.signature, tx.feePayer)
    if (recoverBy(payload, tx.feePayerSignature, 'fee payer') !== tx.feePayer) {
      throw new SignatureError('fee payer', 'is not that of the account that is named')
    }
    return { from, to: tx.to, value: tx.value, feePayer: tx.feePayer }
  }
  const isTyped = raw[0]! < 0x80
  const items = decodeItem(isTyped ? raw.subarray(1) : raw, 'transaction')
  const layout = isTyped ? layouts[raw[0]!] : { to: 3, items: 9 }
  if (layout === undefined || items instanceof Uint8Array || items.length !== layout.items) {
    throw new DecodeError('the transaction is of no type of the network')
  }
  const fields = items as readonly Item[]
  const [v, r, s] = fields.slice(-3).map(uint) as [bigint, bigint, bigint]
  const unsigned = fields.slice(0, -3)
  const to = fields[layout.to]
  if (!(to instanceof Uint8Array) || (to.length !== 0 && to.length !== 20)) throw new DecodeError('to is no address')
  const moved = { to: to.length === 0 ? null : toHex(to), value: uint(fields[layout.to + 1]), feePayer: null }
  const signedFor = isTyped ? uint(fields[0]) : v >= 35n ? (v - 35n) / 2n : chainId // older ones are for any chain
  if (signedFor !== chainId) throw new WrongChainError(signedFor, chainId)
  if (isTyped) {
    const payload = Uint8Array.of(raw[0]!, ...encodeItem(unsigned))
    return { from: recover(payload, r, s, v, 'sender'), ...moved }
  }
  const replay = v >= 35n ? [uintToBytes(chainId), new Uint8Array(), new Uint8Array()] : []
  const parity = v >= 35n ? (v - 35n) % 2n : v - 27n
  return { from: recover(encodeItem([...unsigned, ...replay]), r, s, parity, 'sender'), ...moved }
}
