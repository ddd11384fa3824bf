// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

import {
  getAddress,
  isAddress,
  isAddressEqual,
  isHex,
  recoverTypedDataAddress,
  size,
  type Address,
  type Hex,
  type TypedDataDomain,
} from 'viem'
import { authorizationTypes } from './abi.js'
import { PaymentError } from './errors.js'
import { parseRequest, type PaymentRequest } from './request.js'

/** A payer's signed authorization of one payment. It is plain JSON. */
export interface Authorization {
  /** The payer. */
  readonly from: Address
  /** The merchant. */
  readonly to: Address
  /** Base units, in decimal. */
  readonly value: string
  /** Seconds since 1970. */
  readonly validAfter: number
  /** Seconds since 1970. */
  readonly validBefore: number
  readonly nonce: Hex
  /** 65 bytes of an account with a key; any bytes of an account with code (ERC-1271). */
  readonly signature: Hex
}

/** A local account of viem, or a wallet client with an account. */
export interface ViemSigner {
  readonly address?: Address | undefined
  readonly account?: { readonly address: Address } | Address | undefined
  signTypedData(parameters: never): Promise<Hex>
}

/** A Signer of ethers. */
export interface EthersSigner {
  getAddress(): Promise<string>
  signTypedData(domain: never, types: never, value: never): Promise<string>
}

/** A wallet in a browser (EIP-1193), such as window.ethereum. */
export interface WalletProvider {
  request(call: { method: string; params?: unknown }): Promise<unknown>
}

/** Parameters of sign. */
export interface SignParameters {
  /** The request for payment, as it came from the merchant. */
  request: PaymentRequest
  /** The payer: an account or wallet client of viem, a Signer of ethers, or a wallet's provider. */
  signer: ViemSigner | EthersSigner | WalletProvider
  /** The payer's address. A wallet's provider takes the first account that it shows otherwise. */
  from?: Address | undefined
}

const domainOf = (request: PaymentRequest): TypedDataDomain => ({
  name: request.name,
  version: '1',
  chainId: request.chainId,
  verifyingContract: request.asset,
})

const messageOf = (authorization: Omit<Authorization, 'signature'>) => ({
  from: authorization.from,
  to: authorization.to,
  value: BigInt(authorization.value),
  validAfter: BigInt(authorization.validAfter),
  validBefore: BigInt(authorization.validBefore),
  nonce: authorization.nonce,
})

async function addressOf({ signer, from }: SignParameters): Promise<Address> {
  if (from !== undefined) return from
  if ('getAddress' in signer && typeof signer.getAddress === 'function') return (await signer.getAddress()) as Address
  if ('address' in signer && typeof signer.address === 'string') return signer.address
  if ('account' in signer && signer.account) {
    return typeof signer.account === 'string' ? signer.account : signer.account.address
  }
  if ('request' in signer && !('signTypedData' in signer)) {
    const [first] = (await signer.request({ method: 'eth_requestAccounts' })) as Address[]
    if (first) return first
  }
  throw new PaymentError('signer', 'the signer has no account: give its address as from')
}

/**
 * sign has the payer sign a request for payment, as typed data that wallets such as MetaMask show. The payer needs
 * the amount and no gas: anybody can submit the result.
 *
 * It throws PaymentError (request, signer, expired), and what the signer throws.
 */
export async function sign(parameters: SignParameters): Promise<Authorization> {
  const { signer } = parameters
  const request = parseRequest(parameters.request)
  if (request.validBefore * 1000 <= Date.now()) {
    throw new PaymentError('expired', `invoice ${request.invoice} was due at ${dueText(request)}: ask for another one`)
  }
  const from = getAddress(await addressOf(parameters))
  const unsigned = {
    from,
    to: request.merchant,
    value: request.amount,
    validAfter: 0,
    validBefore: request.validBefore,
    nonce: request.nonce,
  }
  const [domain, types, message] = [domainOf(request), authorizationTypes, messageOf(unsigned)]
  const primaryType = 'TransferWithAuthorization'
  if ('getAddress' in signer && 'signTypedData' in signer) {
    const ask = signer as { signTypedData(...parts: unknown[]): Promise<Hex> }
    return { ...unsigned, signature: withHighV(await ask.signTypedData(domain, types, message)) }
  }
  if ('signTypedData' in signer) {
    const ask = signer as unknown as { account?: unknown; signTypedData(parts: object): Promise<Hex> }
    const account = ask.account === undefined ? {} : { account: ask.account }
    const signature = await ask.signTypedData({ ...account, domain, types, primaryType, message })
    return { ...unsigned, signature: withHighV(signature) }
  }
  if ('request' in signer) return { ...unsigned, signature: withHighV(await askWallet(signer, unsigned, domain)) }
  throw new PaymentError('signer', 'the signer cannot sign typed data: give an account, a Signer or a provider')
}

/** withHighV returns a signature of 65 bytes with 27 or 28 at its end, where some devices write 0 or 1. */
function withHighV(signature: Hex): Hex {
  const low = /^0x[0-9a-fA-F]{128}0([01])$/.exec(signature)
  return low ? (`${signature.slice(0, -2)}1${low[1] === '0' ? 'b' : 'c'}` as Hex) : signature
}

const domainTypes = [
  { name: 'name', type: 'string' },
  { name: 'version', type: 'string' },
  { name: 'chainId', type: 'uint256' },
  { name: 'verifyingContract', type: 'address' },
]

async function askWallet(
  wallet: WalletProvider,
  unsigned: Omit<Authorization, 'signature'>,
  domain: TypedDataDomain,
): Promise<Hex> {
  const data = {
    domain,
    types: { EIP712Domain: domainTypes, ...authorizationTypes },
    primaryType: 'TransferWithAuthorization',
    message: { ...unsigned, validAfter: String(unsigned.validAfter), validBefore: String(unsigned.validBefore) },
  }
  const signature = await wallet.request({
    method: 'eth_signTypedData_v4',
    params: [unsigned.from, JSON.stringify(data)],
  })
  if (!isHex(signature)) throw new PaymentError('signer', 'the wallet answered without a signature: update it')
  return signature
}

/** dueText returns the due date of a request as text. */
export function dueText(request: PaymentRequest): string {
  return new Date(request.validBefore * 1000).toISOString()
}

/**
 * parseAuthorization checks that an authorization from outside is one for this request: payee, amount, dates, nonce.
 *
 * It throws PaymentError (authorization). It does not verify the signature: submit does, since only the coin's
 * contract can judge that of an account with code.
 */
export function parseAuthorization(request: PaymentRequest, value: unknown): Authorization {
  const bad = (problem: string): never => {
    throw new PaymentError('authorization', `the authorization of invoice ${request.invoice} is refused: ${problem}`)
  }
  if (typeof value !== 'object' || value === null) return bad('it is no object')
  const { from, to, value: amount, validAfter, validBefore, nonce, signature } = value as Record<string, unknown>
  if (typeof from !== 'string' || !isAddress(from)) return bad('from is no address')
  if (typeof to !== 'string' || !isAddress(to) || !isAddressEqual(to, request.merchant)) {
    return bad(`to is not ${request.merchant}`)
  }
  if (isAddressEqual(from, request.merchant)) return bad('payer and merchant are the same account')
  if (amount !== request.amount) return bad(`value is not ${request.amount}`)
  if (validAfter !== 0) return bad('validAfter is not 0')
  if (validBefore !== request.validBefore) return bad(`validBefore is not ${request.validBefore}`)
  if (nonce !== request.nonce) return bad('nonce is not that of the invoice')
  if (!isHex(signature) || size(signature) === 0 || size(signature) > 16_384) return bad('signature is no signature')
  return {
    from: getAddress(from),
    to: getAddress(to),
    value: request.amount,
    validAfter,
    validBefore,
    nonce,
    signature,
  }
}

/** isSignedByKey reports whether the signature is that of the payer's key. It is false for accounts with code. */
export async function isSignedByKey(request: PaymentRequest, authorization: Authorization): Promise<boolean> {
  try {
    const signer = await recoverTypedDataAddress({
      domain: domainOf(request),
      types: authorizationTypes,
      primaryType: 'TransferWithAuthorization',
      message: messageOf(authorization),
      signature: authorization.signature,
    })
    return isAddressEqual(signer, authorization.from)
  } catch {
    return false
  }
}
