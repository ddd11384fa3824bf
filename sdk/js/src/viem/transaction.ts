// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

import {
  getAddress,
  isAddressEqual,
  keccak256,
  recoverAddress,
  serializeTransaction,
  type Account,
  type Address,
  type Hash,
  type Hex,
  type SerializeTransactionFn,
  type Signature,
  type TransactionSerializable,
  type TransactionSerializableGeneric,
} from 'viem'
import { FieldError, SignatureError, type Party } from '../core/errors.js'
import { checkRequest } from '../core/object.js'
import {
  assertChain,
  assertFee,
  decode,
  decodeSender,
  encode,
  feePayerPayload,
  senderPayload,
  strip,
  type EcdsaSignature,
  type FeeDelegatedTransaction,
  type SenderFieldsInput,
  type SenderTransaction,
} from '../core/transaction.js'
import type {
  FeeDelegatedSerialized,
  FeePayerAccount,
  ParsedFeeDelegated,
  SenderSerialized,
  WkrcTransactionRequest,
  WkrcTransactionSerializable,
  WkrcTransactionSerializableFeeDelegated,
} from './types.js'

function ecdsa(signature: Signature | EcdsaSignature): EcdsaSignature {
  const { r, s, yParity } = signature
  const parity = yParity ?? ('v' in signature && signature.v !== undefined ? 1 - Number(signature.v % 2n) : undefined)
  if (parity !== 0 && parity !== 1) throw new FieldError('signature', 'has neither yParity nor v')
  return { r, s, yParity: parity }
}

async function recover(payload: Hex, signature: EcdsaSignature, party: Party): Promise<Address> {
  try {
    return await recoverAddress({ hash: keccak256(payload), signature: { ...signature } })
  } catch {
    throw new SignatureError(party, 'belongs to no account')
  }
}

const payerSigner = (account: FeePayerAccount) => {
  const { sign } = account
  if (!sign) throw new FieldError('feePayer', 'cannot sign a hash: give an account with a key, or use a sponsor')
  return sign
}

async function addFeePayer(
  fields: SenderFieldsInput,
  signature: EcdsaSignature,
  account: FeePayerAccount,
): Promise<FeeDelegatedSerialized> {
  const hash = keccak256(feePayerPayload(fields, signature, account.address))
  const signed = await payerSigner(account)({ hash })
  const own: EcdsaSignature = {
    r: `0x${signed.slice(2, 66)}`,
    s: `0x${signed.slice(66, 130)}`,
    yParity: Number.parseInt(signed.slice(130), 16) % 2 === 0 ? 1 : 0,
  }
  return encode(fields, signature, account.address, own) as FeeDelegatedSerialized
}

/** The fields of a request of viem that type 0x16 has, what viem keeps beside them, and what parse returns besides. */
const names = new Set(
  (
    'accessList chainId data feePayer feePayerSignature from gas maxFeePerGas maxPriorityFeePerGas nonce to type value ' +
    'account chain nonceManager parameters prepare hash sender senderHash signature'
  ).split(' '),
)

/** fieldsOf returns what the sender signs of a request of viem. */
function fieldsOf(request: SenderFieldsInput): SenderFieldsInput {
  const { chainId, nonce, maxPriorityFeePerGas, maxFeePerGas, gas, to, value, data, accessList } = request
  return { chainId, nonce, maxPriorityFeePerGas, maxFeePerGas, gas, to, value, data, accessList }
}

/** refuseOtherFields throws FieldError for what a transaction with a fee payer cannot carry. */
export function refuseOtherFields(request: object & { type?: unknown }): void {
  checkRequest(request, names)
  const { type } = request
  if (type !== undefined && type !== null && type !== 'feeDelegated' && type !== 'eip1559') {
    throw new FieldError('type', `is ${String(type)}: only a transaction of type 2 can have a fee payer`)
  }
}

/** isFeeDelegated reports whether a transaction is meant to be of type 0x16. */
export function isFeeDelegated(transaction: {
  type?: string | undefined
  feePayer?: unknown
}): transaction is WkrcTransactionSerializableFeeDelegated {
  return transaction.type === 'feeDelegated' || transaction.feePayer !== undefined
}

/**
 * serialize returns the bytes of a transaction of the network, as serializeTransaction of viem does.
 *
 * For type 0x16 the result depends on what is given. Without a signature it is what the sender signs, which is the
 * form of type 2. With the sender's signature and `feePayer` it is the whole: an account signs as fee payer, and an
 * address needs `feePayerSignature`. It throws FieldError and SignatureError.
 */
export function serialize(
  transaction: WkrcTransactionSerializable,
  signature?: Signature | EcdsaSignature,
): Hex | Promise<Hex> {
  if (!isFeeDelegated(transaction)) {
    return serializeTransaction(transaction as TransactionSerializable, signature as Signature | undefined)
  }
  refuseOtherFields(transaction)
  const fields = fieldsOf(transaction)
  if (!signature) return senderPayload(fields)
  const { feePayer, feePayerSignature } = transaction
  if (feePayer === undefined) {
    throw new FieldError('feePayer', 'is missing: give an account, or an address and a signature')
  }
  if (typeof feePayer === 'string') {
    if (!feePayerSignature) throw new FieldError('feePayerSignature', 'is missing: give it, or an account as feePayer')
    return encode(fields, ecdsa(signature), feePayer, feePayerSignature)
  }
  return addFeePayer(fields, ecdsa(signature), feePayer)
}

/** serializers are those of the chain definitions. */
export const serializers = {
  transaction: serialize as unknown as SerializeTransactionFn<TransactionSerializableGeneric & WkrcTransactionRequest>,
} as const

/** Parameters of signAsSender. */
export interface SignAsSenderParameters extends SenderFieldsInput {
  /** The local account that sends. */
  account: Pick<Account & { type: 'local' }, 'address' | 'signTransaction'>
}

/**
 * signAsSender signs a transaction of type 2 that a fee payer or a sponsor completes.
 *
 * Every field has to be given: `client.prepareTransactionRequest` fills them. The sender's signature does not cover
 * the fee payer: until the nonce is used, anybody can also submit the transaction at the sender's expense. It throws
 * FieldError.
 */
export async function signAsSender(parameters: SignAsSenderParameters): Promise<SenderSerialized> {
  const { account, ...rest } = parameters
  refuseOtherFields(rest)
  const fields = fieldsOf(rest)
  for (const field of ['chainId', 'nonce', 'gas', 'maxFeePerGas', 'maxPriorityFeePerGas'] as const) {
    if (fields[field] === undefined) throw new FieldError(field, 'is missing: prepareTransactionRequest fills it')
  }
  senderPayload(fields)
  const raw = await account.signTransaction({
    ...fields,
    type: 'eip1559',
    chainId: Number(fields.chainId),
    nonce: Number(fields.nonce),
  } as TransactionSerializable)
  return strip(decodeSender(raw as Hex)) as SenderSerialized
}

/** Parameters of signAsFeePayer. */
export interface SignAsFeePayerParameters {
  /** The local account that pays. */
  account: FeePayerAccount
  /** The chain that the transaction has to be for. */
  chainId: number
  /** The sender's signed transaction, of type 2. */
  transaction: Hex
  /** The most that the payer may be charged, in base units: gas limit times fee cap. Unlimited if left out. */
  maxFee?: bigint | undefined
}

/**
 * signAsFeePayer adds the fee payer's signature to a sender's transaction, which makes it one of type 0x16.
 *
 * The result has no expiry: it can be submitted until the sender's nonce is used. Look at recipient, value and data
 * first (parseSender), since a reverted call costs the payer too. It throws WrongTypeError, WrongChainError,
 * DecodeError, SignatureError and FeeLimitError.
 */
export async function signAsFeePayer(parameters: SignAsFeePayerParameters): Promise<FeeDelegatedSerialized> {
  const { account, chainId, maxFee } = parameters
  const transaction = decodeSender(parameters.transaction)
  assertChain(transaction, chainId)
  assertFee(transaction, maxFee)
  await recover(senderPayload(transaction), transaction.signature, 'sender')
  return addFeePayer(transaction, transaction.signature, account)
}

function safe(value: bigint, field: string): number {
  if (value > BigInt(Number.MAX_SAFE_INTEGER)) {
    throw new FieldError(field, 'is above 2^53 - 1: read the transaction with decode of @gwon/sdk')
  }
  return Number(value)
}

async function common(transaction: SenderTransaction, chainId: number) {
  assertChain(transaction, chainId)
  return {
    ...transaction,
    chainId: safe(transaction.chainId, 'chainId'),
    nonce: safe(transaction.nonce, 'nonce'),
    to: transaction.to && getAddress(transaction.to),
    accessList: transaction.accessList.map((entry) => ({ ...entry, address: getAddress(entry.address) })),
    sender: await recover(senderPayload(transaction), transaction.signature, 'sender'),
    senderHash: keccak256(strip(transaction)),
  }
}

async function payerOf(transaction: FeeDelegatedTransaction): Promise<Address> {
  const payload = feePayerPayload(transaction, transaction.signature, transaction.feePayer)
  const payer = await recover(payload, transaction.feePayerSignature, 'fee payer')
  if (!isAddressEqual(payer, transaction.feePayer)) {
    throw new SignatureError('fee payer', `is not that of ${getAddress(transaction.feePayer)}`)
  }
  return payer
}

/** Parameters of parse and parseSender. */
export interface ParseParameters {
  /** The bytes of the transaction. */
  transaction: Hex
  /** The chain that the transaction has to be for. */
  chainId: number
}

/**
 * parse reads a transaction of type 0x16 and verifies it as a node does: canonical form, chain, both signatures.
 *
 * It does not look at balances, nonces, fees or flags. It throws WrongTypeError, DecodeError, WrongChainError,
 * SignatureError, and FieldError for integers above 2^53 - 1.
 */
export async function parse(parameters: ParseParameters): Promise<ParsedFeeDelegated> {
  const transaction = decode(parameters.transaction)
  return {
    type: 'feeDelegated',
    ...(await common(transaction, parameters.chainId)),
    feePayer: await payerOf(transaction),
    feePayerSignature: transaction.feePayerSignature,
    hash: keccak256(parameters.transaction),
  }
}

/** A sender's transaction of type 2 as parseSender returns it. */
export type ParsedSender = Omit<ParsedFeeDelegated, 'type' | 'feePayer' | 'feePayerSignature' | 'hash'>

/** parseSender is parse for a sender's signed transaction of type 2, before a fee payer has signed. */
export async function parseSender(parameters: ParseParameters): Promise<ParsedSender> {
  return common(decodeSender(parameters.transaction), parameters.chainId)
}

/** senderTransactionHash returns the hash of the sender's transaction of type 2 in one of type 0x16. */
export function senderTransactionHash(transaction: Hex): Hash {
  return keccak256(strip(decode(transaction)))
}
