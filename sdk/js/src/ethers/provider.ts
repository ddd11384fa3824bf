// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

import {
  Block,
  JsonRpcProvider,
  Network,
  TransactionReceipt,
  TransactionResponse,
  type BlockParams,
  type JsonRpcApiProviderOptions,
  type Networkish,
  type Provider,
  type TransactionReceiptParams,
  type TransactionResponseParams,
} from 'ethers'
import { feeDelegatedType } from '../core/constants.js'
import { SdkError } from '../core/errors.js'
import { route } from '../core/sponsor.js'
import { FeeDelegatedTransaction } from './transaction.js'

/** What gwon adds to transactions and receipts. */
interface Sponsorship {
  feePayer: string | null
  senderTransactionHash: string | null
}

const sponsorship = (value: object): Sponsorship => {
  const { feePayer, senderTransactionHash } = value as Partial<Sponsorship>
  return { feePayer: feePayer ?? null, senderTransactionHash: senderTransactionHash ?? null }
}

/** WkrcTransactionResponse is a TransactionResponse that names the fee payer. */
export class WkrcTransactionResponse extends TransactionResponse {
  /** The account that pays the gas, or null if it is the sender. */
  readonly feePayer: string | null
  /** The hash of the sender's transaction of type 2, or null. Only gwon serves it. */
  readonly senderTransactionHash: string | null

  constructor(transaction: TransactionResponseParams, provider: Provider, extra: Sponsorship) {
    super(transaction, provider)
    this.feePayer = extra.feePayer
    this.senderTransactionHash = extra.senderTransactionHash
  }

  /** isFeeDelegated reports whether the transaction is of type 0x16. */
  isFeeDelegated(): boolean {
    return this.type === feeDelegatedType
  }

  override replaceableTransaction(startBlock: number): WkrcTransactionResponse {
    const { feePayer, senderTransactionHash } = this
    const copy = super.replaceableTransaction(startBlock)
    Object.setPrototypeOf(copy, WkrcTransactionResponse.prototype)
    return Object.assign(copy, { feePayer, senderTransactionHash }) as WkrcTransactionResponse
  }

  override toJSON(): Record<string, unknown> {
    const { feePayer, senderTransactionHash } = this
    return { ...(super.toJSON() as Record<string, unknown>), feePayer, senderTransactionHash }
  }
}

/** WkrcTransactionReceipt is a TransactionReceipt that names the account that paid. */
export class WkrcTransactionReceipt extends TransactionReceipt {
  /** The account that paid the gas, or null if it is the sender. Only gwon serves it. */
  readonly feePayer: string | null
  /** The hash of the sender's transaction of type 2, or null. Only gwon serves it. */
  readonly senderTransactionHash: string | null

  constructor(receipt: TransactionReceiptParams, provider: Provider, extra: Sponsorship) {
    super(receipt, provider)
    this.feePayer = extra.feePayer
    this.senderTransactionHash = extra.senderTransactionHash
  }

  override toJSON(): Record<string, unknown> {
    const { feePayer, senderTransactionHash } = this
    return { ...(super.toJSON() as Record<string, unknown>), feePayer, senderTransactionHash }
  }
}

/** WkrcBlock is a Block whose prefetched transactions name their fee payers. */
export class WkrcBlock extends Block {
  readonly #own: ReadonlyMap<string, WkrcTransactionResponse>

  constructor(block: BlockParams, provider: Provider, own: ReadonlyMap<string, WkrcTransactionResponse>) {
    super(block, provider)
    this.#own = own
  }

  override get prefetchedTransactions(): TransactionResponse[] {
    return super.prefetchedTransactions.map((transaction) => this.#own.get(transaction.hash) ?? transaction)
  }

  override async getTransaction(indexOrHash: number | string): Promise<TransactionResponse> {
    const transaction = await super.getTransaction(indexOrHash)
    return this.#own.get(transaction.hash) ?? transaction
  }
}

const isFeeDelegated = (raw: string) => Number.parseInt(raw.slice(2, 4), 16) === feeDelegatedType

function optionsOf(options: JsonRpcApiProviderOptions | undefined): JsonRpcApiProviderOptions {
  return { staticNetwork: true, polling: true, pollingInterval: 1_000, ...options }
}

/**
 * WkrcProvider is a JsonRpcProvider that knows transactions of type 0x16: it broadcasts, waits for and shows them.
 *
 * Everything else is as in ethers. The node is asked once for the network unless it is given. Blocks come every second,
 * and the provider polls as often.
 */
export class WkrcProvider extends JsonRpcProvider {
  constructor(url: string, network?: Networkish, options?: JsonRpcApiProviderOptions) {
    super(url, network, optionsOf(options))
  }

  override async broadcastTransaction(signed: string): Promise<TransactionResponse> {
    if (!isFeeDelegated(signed)) return super.broadcastTransaction(signed)
    const network = await this.getNetwork()
    const transaction = FeeDelegatedTransaction.from(signed, network.chainId)
    const blockNumber = await this.getBlockNumber()
    const hash = (await this.send('eth_sendRawTransaction', [transaction.serialized])) as string
    if (hash !== transaction.hash) {
      throw new SdkError('hash', `the node answered with hash ${hash}, and the transaction has ${transaction.hash}`)
    }
    const { feePayer, senderHash } = transaction
    const params = { ...transaction, gasPrice: transaction.maxFeePerGas } as unknown as TransactionResponseParams
    return new WkrcTransactionResponse(params, this, {
      feePayer,
      senderTransactionHash: senderHash,
    }).replaceableTransaction(blockNumber)
  }

  /**
   * getTransactionBySenderHash resolves to the transaction of type 0x16 with this sender's transaction of type 2, or to
   * null. Only gwon answers.
   */
  async getTransactionBySenderHash(hash: string): Promise<TransactionResponse | null> {
    const found = (await this.send('eth_getTransactionBySenderHash', [hash])) as TransactionResponseParams | null
    return found && this._wrapTransactionResponse(found, await this.getNetwork())
  }

  /**
   * getTransactionReceiptBySenderHash resolves to the receipt of the transaction of type 0x16 with this sender's
   * transaction of type 2, or to null. Only gwon answers.
   */
  async getTransactionReceiptBySenderHash(hash: string): Promise<TransactionReceipt | null> {
    const found = (await this.send('eth_getTransactionReceiptBySenderHash', [hash])) as TransactionReceiptParams | null
    return found && this._wrapTransactionReceipt(found, await this.getNetwork())
  }

  override _wrapTransactionResponse(value: TransactionResponseParams, network: Network): TransactionResponse {
    return new WkrcTransactionResponse(super._wrapTransactionResponse(value, network), this, sponsorship(value))
  }

  override _wrapTransactionReceipt(value: TransactionReceiptParams, network: Network): TransactionReceipt {
    return new WkrcTransactionReceipt(super._wrapTransactionReceipt(value, network), this, sponsorship(value))
  }

  override _wrapBlock(value: BlockParams, network: Network): Block {
    const own = new Map<string, WkrcTransactionResponse>()
    for (const transaction of value.transactions) {
      if (typeof transaction === 'string') continue
      const response = this._wrapTransactionResponse(transaction, network) as WkrcTransactionResponse
      own.set(response.hash, response)
    }
    const plain = super._wrapBlock(value, network)
    const transactions = own.size > 0 ? plain.prefetchedTransactions : [...plain.transactions]
    return new WkrcBlock({ ...plain, transactions } as unknown as BlockParams, this, own)
  }
}

/**
 * SponsoredProvider is a WkrcProvider whose transactions a sponsor pays.
 *
 * Submitted transactions go to the sponsor, and every other call to the node. A transaction or receipt that the node
 * does not know by its hash is looked up at the sponsor, which knows the hashes of senders. There is no fallback: a
 * transaction that the sponsor refuses is not submitted elsewhere, and the refusal is thrown.
 */
export class SponsoredProvider extends WkrcProvider {
  readonly #sponsor: JsonRpcProvider

  constructor(url: string, sponsorUrl: string, network?: Networkish, options?: JsonRpcApiProviderOptions) {
    super(url, network, options)
    this.#sponsor = new JsonRpcProvider(sponsorUrl, network, optionsOf(options))
  }

  override async send(method: string, params: any): Promise<any> {
    return route<unknown>(
      method,
      params,
      (given) => this.#sponsor.send(method, given as unknown[]),
      (given) => super.send(method, given as unknown[]),
    )
  }

  override destroy(): void {
    this.#sponsor.destroy()
    super.destroy()
  }
}
