// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

import {
  AbstractSigner,
  type Authorization,
  type AuthorizationRequest,
  type Provider,
  type Signer,
  type TransactionRequest,
  type TransactionResponse,
  type TypedDataDomain,
  type TypedDataField,
} from 'ethers'
import { FieldError } from '../core/errors.js'
import { checkRequest } from '../core/object.js'
import { signAsFeePayer, type FeePayer } from './transaction.js'

/** The fields of a request of ethers that type 2 has. The last two are of calls. */
const names = new Set(
  'type to from nonce gasLimit maxFeePerGas maxPriorityFeePerGas data value chainId accessList blockTag enableCcipRead'.split(
    ' ',
  ),
)

/** refuseOtherType throws FieldError for a request that is not of type 2, or has fields that type 2 has not. */
function refuseOtherType(request: TransactionRequest): void {
  checkRequest(request, names)
  if (request.type != null && Number(request.type) !== 2) {
    throw new FieldError('type', `is ${request.type}: only a transaction of type 2 can have a fee payer`)
  }
}

/** How a SponsoredSigner gets the fee payer's signature. */
export interface SponsoredSignerOptions {
  /** The most that the payer may be charged for a transaction, in base units. Unlimited if left out. */
  maxFee?: bigint | undefined
}

/**
 * SponsoredSigner is a signer whose transactions an account in this process pays.
 *
 * It signs like the sender that it wraps, and adds the fee payer's signature to transactions. Contracts and factories
 * of ethers work with it, but their receipts do not name the fee payer: getTransactionReceipt of a WkrcProvider does.
 * Use SponsoredProvider instead if a sponsor at a URL pays.
 */
export class SponsoredSigner extends AbstractSigner {
  /** The signer that sends. */
  readonly sender: Signer
  /** The account that pays. */
  readonly feePayer: FeePayer
  readonly #options: SponsoredSignerOptions

  constructor(sender: Signer, feePayer: FeePayer, options: SponsoredSignerOptions = {}) {
    super(sender.provider)
    this.sender = sender
    this.feePayer = feePayer
    this.#options = options
  }

  override getAddress(): Promise<string> {
    return this.sender.getAddress()
  }

  override connect(provider: Provider | null): SponsoredSigner {
    return new SponsoredSigner(this.sender.connect(provider), this.feePayer, this.#options)
  }

  /** signTransaction returns a transaction of type 0x16. It throws FieldError for a request of another type than 2. */
  override async signTransaction(request: TransactionRequest): Promise<string> {
    refuseOtherType(request)
    const { chainId } = request
    if (chainId == null) throw new FieldError('chainId', 'is missing: populateTransaction fills it')
    const signed = await this.sender.signTransaction({ ...request, type: 2 })
    return signAsFeePayer(signed, this.feePayer, { chainId, maxFee: this.#options.maxFee })
  }

  /** estimateGas estimates without fees: the sender does not pay them, so that its balance must not limit the gas. */
  override estimateGas(request: TransactionRequest): Promise<bigint> {
    refuseOtherType(request)
    return super.estimateGas({ ...request, gasPrice: null, maxFeePerGas: null, maxPriorityFeePerGas: null })
  }

  /** sendTransaction fills, signs and submits a transaction that the fee payer pays. The provider is a WkrcProvider. */
  override async sendTransaction(request: TransactionRequest): Promise<TransactionResponse> {
    const { provider } = this
    if (!provider) throw new FieldError('provider', 'is missing: connect the sender to a WkrcProvider')
    refuseOtherType(request)
    const populated = await this.populateTransaction({ ...request, type: 2 })
    delete populated.from
    return provider.broadcastTransaction(await this.signTransaction(populated))
  }

  override signMessage(message: string | Uint8Array): Promise<string> {
    return this.sender.signMessage(message)
  }

  override signTypedData(
    domain: TypedDataDomain,
    types: Record<string, TypedDataField[]>,
    value: Record<string, unknown>,
  ): Promise<string> {
    return this.sender.signTypedData(domain, types, value)
  }

  override authorize(authorization: AuthorizationRequest): Promise<Authorization> {
    return this.sender.authorize(authorization)
  }
}
