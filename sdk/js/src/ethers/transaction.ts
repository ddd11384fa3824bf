// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

import {
  getAddress,
  keccak256,
  recoverAddress,
  Signature,
  SigningKey,
  type BigNumberish,
  type SignatureLike,
} from 'ethers'
import { feeDelegatedType } from '../core/constants.js'
import { FieldError, SignatureError, type Party } from '../core/errors.js'
import type { Hex } from '../core/hex.js'
import {
  assertChain,
  assertFee,
  decode,
  decodeSender,
  encode,
  encodeSender,
  feePayerPayload,
  senderPayload,
  type AccessListEntry,
  type EcdsaSignature,
  type SenderTransaction,
} from '../core/transaction.js'

const ecdsa = ({ r, s, yParity }: Signature): EcdsaSignature => ({ r: r as Hex, s: s as Hex, yParity })

function recover(payload: Hex, signature: EcdsaSignature, party: Party): string {
  try {
    return recoverAddress(keccak256(payload), { ...signature })
  } catch {
    throw new SignatureError(party, 'belongs to no account')
  }
}

function safe(value: bigint, field: string): number {
  if (value > BigInt(Number.MAX_SAFE_INTEGER)) {
    throw new FieldError(field, 'is above 2^53 - 1: read the transaction with decode of @gwon/sdk')
  }
  return Number(value)
}

/**
 * FeeDelegatedTransaction is a transaction of type 0x16.
 *
 * Transaction of ethers cannot hold this type. The names are the same where the meaning is. An object is complete
 * and does not change: both signatures are there, and both belong to the accounts that it names.
 */
export class FeeDelegatedTransaction {
  /** The type byte, 22. */
  readonly type = feeDelegatedType
  readonly chainId: bigint
  readonly nonce: number
  /** Base units per gas. */
  readonly maxPriorityFeePerGas: bigint
  /** Base units per gas. */
  readonly maxFeePerGas: bigint
  readonly gasLimit: bigint
  /** Null creates a contract. */
  readonly to: string | null
  /** Base units. */
  readonly value: bigint
  readonly data: string
  readonly accessList: readonly AccessListEntry[]
  /** The account that signed the transaction. */
  readonly from: string
  /** The sender's signature. */
  readonly signature: Signature
  /** The account that pays the gas. */
  readonly feePayer: string
  readonly feePayerSignature: Signature
  /** The bytes that eth_sendRawTransaction takes. */
  readonly serialized: string
  readonly hash: string
  /** The sender's transaction of type 2. */
  readonly senderSerialized: string
  /** The hash of the sender's transaction of type 2. */
  readonly senderHash: string

  private constructor(raw: Hex, transaction: ReturnType<typeof decode>) {
    this.chainId = transaction.chainId
    this.nonce = safe(transaction.nonce, 'nonce')
    this.maxPriorityFeePerGas = transaction.maxPriorityFeePerGas
    this.maxFeePerGas = transaction.maxFeePerGas
    this.gasLimit = transaction.gas
    this.to = transaction.to && getAddress(transaction.to)
    this.value = transaction.value
    this.data = transaction.data
    this.accessList = transaction.accessList
    this.from = recover(senderPayload(transaction), transaction.signature, 'sender')
    this.signature = Signature.from({ ...transaction.signature })
    this.feePayer = getAddress(transaction.feePayer)
    const payload = feePayerPayload(transaction, transaction.signature, transaction.feePayer)
    if (recover(payload, transaction.feePayerSignature, 'fee payer') !== this.feePayer) {
      throw new SignatureError('fee payer', `is not that of ${this.feePayer}`)
    }
    this.feePayerSignature = Signature.from({ ...transaction.feePayerSignature })
    this.serialized = raw.toLowerCase()
    this.hash = keccak256(raw)
    this.senderSerialized = encodeSender(transaction, transaction.signature)
    this.senderHash = keccak256(this.senderSerialized)
    Object.freeze(this)
  }

  /**
   * from reads a transaction and verifies it as a node does: canonical form, chain, both signatures.
   *
   * It throws WrongTypeError, DecodeError, WrongChainError and SignatureError, and FieldError for a nonce above
   * 2^53 - 1.
   */
  static from(raw: string, chainId: BigNumberish): FeeDelegatedTransaction {
    const transaction = decode(raw as Hex)
    assertChain(transaction, BigInt(chainId))
    return new FeeDelegatedTransaction(raw as Hex, transaction)
  }

  /** toJSON returns the fields with integers as decimal text. */
  toJSON(): Record<string, unknown> {
    return Object.fromEntries(
      Object.entries(this).map(([key, value]) => [
        key,
        typeof value === 'bigint' ? value.toString() : (value as unknown),
      ]),
    )
  }
}

/** A function that signs a digest of 32 bytes, as SigningKey.sign does. */
export interface DigestSigner {
  sign(digest: string): SignatureLike | Promise<SignatureLike>
}

/** An account that signs as fee payer: a Wallet, or an address and something that signs digests. */
export type FeePayer = { address: string; signingKey: SigningKey } | { address: string; signer: DigestSigner }

/** What a fee payer demands of a sender's transaction. */
export interface FeePayerPolicy {
  /** The chain that the transaction has to be for. */
  chainId: BigNumberish
  /** The most that the payer may be charged, in base units: gas limit times fee cap. Unlimited if left out. */
  maxFee?: bigint | undefined
}

/** parseSender reads a sender's signed transaction of type 2, and returns its fields and the sender's address. */
export function parseSender(raw: string, chainId: BigNumberish): SenderTransaction & { from: string } {
  const transaction = decodeSender(raw as Hex)
  assertChain(transaction, BigInt(chainId))
  return { ...transaction, from: recover(senderPayload(transaction), transaction.signature, 'sender') }
}

/**
 * signAsFeePayer adds the fee payer's signature to a sender's transaction of type 2. It returns the bytes of type 0x16.
 *
 * The result has no expiry: it can be submitted until the sender's nonce is used. Look at recipient, value and data
 * first (parseSender), since a reverted call costs the payer too. It throws WrongTypeError, WrongChainError,
 * DecodeError, SignatureError and FeeLimitError.
 */
export async function signAsFeePayer(raw: string, payer: FeePayer, policy: FeePayerPolicy): Promise<string> {
  const transaction = parseSender(raw, policy.chainId)
  assertFee(transaction, policy.maxFee)
  const address = payer.address as Hex
  const signer: DigestSigner = 'signingKey' in payer ? payer.signingKey : payer.signer
  const digest = keccak256(feePayerPayload(transaction, transaction.signature, address))
  const own = Signature.from(await signer.sign(digest))
  return encode(transaction, transaction.signature, address, ecdsa(own))
}
