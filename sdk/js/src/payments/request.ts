// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

import {
  concatHex,
  getAddress,
  isAddress,
  isAddressEqual,
  keccak256,
  stringToHex,
  type Address,
  type Chain,
  type Client,
  type Hex,
  type Transport,
} from 'viem'
import { getBlockNumber, getChainId, readContract } from 'viem/actions'
import { baseUnits } from '../core/amount.js'
import { coinAddress } from '../core/constants.js'
import { coinAbi } from './abi.js'
import { PaymentError } from './errors.js'

/** A client of viem. */
export type AnyClient = Client<Transport, Chain | undefined>

/**
 * A request for payment. It is plain JSON, so that a shop can send it to a customer's wallet.
 *
 * The invoice is the nonce of an EIP-3009 authorization at the coin's contract: one payer can pay it once.
 */
export interface PaymentRequest {
  readonly chainId: number
  /** The coin's contract. */
  readonly asset: Address
  /** The name of the coin in signatures (EIP-712). */
  readonly name: string
  /** The account that is to be paid. */
  readonly merchant: Address
  /** The merchant's name for the invoice: 1 to 256 characters. */
  readonly invoice: string
  /** Base units, in decimal. */
  readonly amount: string
  /** Seconds since 1970. The coin's contract refuses the payment from then on. */
  readonly validBefore: number
  /** invoiceNonce(merchant, invoice). */
  readonly nonce: Hex
  /** The head when the request was made. No payment is older. */
  readonly fromBlock: number
}

/** Parameters of request. */
export interface RequestParameters {
  /** A client of the node that the merchant trusts. */
  client: AnyClient
  merchant: Address
  /** The merchant's name for the invoice: 1 to 256 characters. Never use one twice. */
  invoice: string
  /** Base units; parseWon reads "₩1,234.5". */
  amount: bigint
  /** The due date, later than now. */
  due: Date
}

/** invoiceNonce returns Keccak-256 of the merchant's 20 bytes and the invoice's name in UTF-8. */
export function invoiceNonce(merchant: Address, invoice: string): Hex {
  return keccak256(concatHex([merchant.toLowerCase() as Hex, stringToHex(invoice)]))
}

/**
 * request makes a request for payment. It asks the node for chain ID, name of the coin and head.
 *
 * It throws AmountError, PaymentError (request), and what the client throws.
 */
export async function request(parameters: RequestParameters): Promise<PaymentRequest> {
  const { client, merchant, invoice, due } = parameters
  const amount = baseUnits(parameters.amount)
  if (!(due instanceof Date) || !(due.getTime() > Date.now())) {
    throw new PaymentError('request', `due is ${String(due)}: give a Date later than now`)
  }
  const [chainId, name, head] = await Promise.all([
    getChainId(client),
    readContract(client, { address: coinAddress, abi: coinAbi, functionName: 'name' }),
    getBlockNumber(client, { cacheTime: 0 }),
  ])
  return parseRequest({
    chainId,
    asset: coinAddress,
    name,
    merchant,
    invoice,
    amount: amount.toString(),
    validBefore: Math.floor(due.getTime() / 1000),
    nonce: isAddress(merchant) ? invoiceNonce(merchant, invoice) : '0x',
    fromBlock: Number(head),
  })
}

/**
 * parseRequest checks a request for payment that came from outside, and returns it with checksummed addresses.
 *
 * It throws PaymentError (request). It does not tell whether the merchant is the one that the customer means to pay:
 * a wallet shows merchant, invoice and amount.
 */
export function parseRequest(value: unknown): PaymentRequest {
  const bad = (problem: string): never => {
    throw new PaymentError('request', `the request for payment is refused: ${problem}`)
  }
  if (typeof value !== 'object' || value === null) return bad('it is no object')
  const given = value as Record<keyof PaymentRequest, unknown>
  const whole = (field: 'chainId' | 'validBefore' | 'fromBlock'): number => {
    const number = given[field]
    return typeof number === 'number' && Number.isSafeInteger(number) && number >= 0
      ? number
      : bad(`${field} is no integer from 0 on`)
  }
  const address = (field: 'asset' | 'merchant'): Address => {
    const text = given[field]
    return typeof text === 'string' && isAddress(text) ? getAddress(text) : bad(`${field} is no address`)
  }
  const { name, invoice, amount, nonce } = given
  const [asset, merchant] = [address('asset'), address('merchant')]
  if (!isAddressEqual(asset, coinAddress)) return bad(`asset has to be ${coinAddress}, the coin's contract`)
  if (BigInt(merchant) === 0n) return bad('merchant is the zero address')
  if (typeof name !== 'string' || name.length === 0 || name.length > 256) return bad('name has not 1 to 256 characters')
  if (typeof invoice !== 'string' || invoice.length === 0 || invoice.length > 256) {
    return bad('invoice has not 1 to 256 characters')
  }
  if (typeof amount !== 'string' || !/^[1-9][0-9]{0,77}$/.test(amount) || BigInt(amount) >> 256n !== 0n) {
    return bad('amount is no number of base units above 0, in decimal')
  }
  if (nonce !== invoiceNonce(merchant, invoice)) return bad('nonce is not that of merchant and invoice')
  return {
    chainId: whole('chainId'),
    asset,
    name,
    merchant,
    invoice,
    amount,
    validBefore: whole('validBefore'),
    nonce,
    fromBlock: whole('fromBlock'),
  }
}
