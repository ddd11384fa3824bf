// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

import {
  encodeEventTopics,
  getAddress,
  hexToBigInt,
  isAddressEqual,
  numberToHex,
  type Address,
  type Hash,
  type Hex,
  type RpcLog,
} from 'viem'
import { getBlock, getBlockNumber } from 'viem/actions'
import { coinAddress } from '../core/constants.js'
import { coinAbi } from './abi.js'
import { PaymentError } from './errors.js'
import { parseRequest, type AnyClient, type PaymentRequest } from './request.js'

/** A payment that was made. It is final: blocks of the network are not reorganized. */
export interface Payment {
  readonly payer: Address
  /** Base units. */
  readonly value: bigint
  readonly transactionHash: Hash
  readonly blockNumber: bigint
  /** The index of the Transfer log in its block. With the block it identifies the payment. */
  readonly logIndex: number
}

/** A use of the invoice's nonce that paid something else: another payee, or too little. */
export interface Misuse extends Omit<Payment, 'value'> {
  /** Why it is no payment. */
  readonly reason: string
}

/** What has become of an invoice. */
export interface PaymentStatus {
  /** Paid; or open, until the due date; or expired. */
  readonly state: 'open' | 'paid' | 'expired'
  /** The first payment, if the invoice is paid. */
  readonly payment: Payment | null
  /** Later payments of other payers. The merchant owes them a refund. */
  readonly duplicates: readonly Payment[]
  /** Uses of the nonce that are no payments. */
  readonly misuses: readonly Misuse[]
}

const blocksPerQuery = 5_000n
const maxOverlap = 1_000
const [transferTopic] = encodeEventTopics({ abi: coinAbi, eventName: 'Transfer' }) as [Hex]
const [usedTopic] = encodeEventTopics({ abi: coinAbi, eventName: 'AuthorizationUsed' }) as [Hex]
const addressTopic = (address: Address): Hex => `0x${address.slice(2).toLowerCase().padStart(64, '0')}`

interface RpcReceipt {
  status: Hex
  transactionHash: Hash
  blockNumber: Hex
  logs: RpcLog[]
}

/** A use of a nonce: the log AuthorizationUsed, and the Transfer log that the same call left right behind it. */
interface Use {
  readonly payer: Address
  readonly nonce: Hex
  readonly transactionHash: Hash
  readonly blockNumber: bigint
  readonly logIndex: number
  readonly transfer: { from: Address; to: Address; value: bigint } | null
}

const addressIn = (log: RpcLog, topic: number): Address => getAddress(`0x${(log.topics[topic] as Hex).slice(26)}`)
const transferIn = (log: RpcLog) => ({ from: addressIn(log, 1), to: addressIn(log, 2), value: hexToBigInt(log.data) })
const isCoin = (log: RpcLog): boolean => isAddressEqual(log.address, coinAddress)

/**
 * usesIn pairs the logs of a receipt. The contract leaves AuthorizationUsed, and the node Transfer right behind it. A
 * Transfer elsewhere in the receipt belongs to something else, perhaps to another invoice.
 */
function usesIn(receipt: RpcReceipt): Use[] {
  if (receipt.status !== '0x1') return []
  const uses: Use[] = []
  for (const [i, log] of receipt.logs.entries()) {
    if (!isCoin(log) || log.topics[0] !== usedTopic) continue
    const next = receipt.logs[i + 1]
    const isTransfer = next !== undefined && isCoin(next) && next.topics[0] === transferTopic
    uses.push({
      payer: addressIn(log, 1),
      nonce: log.topics[2] as Hex,
      transactionHash: receipt.transactionHash,
      blockNumber: hexToBigInt(receipt.blockNumber),
      logIndex: Number((isTransfer ? next : log).logIndex),
      transfer: isTransfer ? transferIn(next) : null,
    })
  }
  return uses
}

/** judge returns the payment that a use of the invoice's nonce is, or why it is none. */
function judge(request: PaymentRequest, use: Use): Payment | Misuse {
  const { payer, transactionHash, blockNumber, logIndex, transfer } = use
  const place = { payer, transactionHash, blockNumber, logIndex }
  if (!transfer || !isAddressEqual(transfer.from, payer)) return { ...place, reason: 'nothing was transferred' }
  if (!isAddressEqual(transfer.to, request.merchant)) return { ...place, reason: `${transfer.to} was paid` }
  if (isAddressEqual(payer, request.merchant)) return { ...place, reason: 'the merchant paid itself' }
  if (transfer.value < BigInt(request.amount)) {
    return { ...place, reason: `only ${transfer.value} base units were paid` }
  }
  return { ...place, value: transfer.value }
}

// The answer would be too large, a limit is exceeded, the range is too long.
const tooMuch = new Set([-32003, -32005, -32602])

/** logs returns the coin's logs of a range of blocks. A range that is too much for the node is read in halves. */
async function logs(client: AnyClient, topics: (Hex | null)[], fromBlock: bigint, toBlock: bigint): Promise<RpcLog[]> {
  try {
    return await client.request({
      method: 'eth_getLogs',
      params: [{ address: coinAddress, topics, fromBlock: numberToHex(fromBlock), toBlock: numberToHex(toBlock) }],
    })
  } catch (error) {
    const { code } = error as { code?: unknown }
    if (typeof code !== 'number' || !tooMuch.has(code) || fromBlock === toBlock) throw error
    const middle = (fromBlock + toBlock) / 2n
    const lower = await logs(client, topics, fromBlock, middle)
    return lower.concat(await logs(client, topics, middle + 1n, toBlock))
  }
}

const receiptsAtOnce = 16

async function receiptsOf(client: AnyClient, found: readonly RpcLog[]): Promise<RpcReceipt[]> {
  const hashes = [...new Set(found.map((log) => log.transactionHash as Hash))]
  const receipts: RpcReceipt[] = []
  const one = async (hash: Hash): Promise<RpcReceipt> => {
    const receipt = (await client.request({ method: 'eth_getTransactionReceipt', params: [hash] })) as RpcReceipt | null
    if (!receipt) throw new PaymentError('refused', `the node has the logs of ${hash} and no receipt: ask again`)
    return receipt
  }
  for (let i = 0; i < hashes.length; i += receiptsAtOnce) {
    receipts.push(...(await Promise.all(hashes.slice(i, i + receiptsAtOnce).map(one))))
  }
  return receipts
}

/** Parameters of status. */
export interface StatusParameters {
  client: AnyClient
  /** The merchant's own copy of the request. */
  request: PaymentRequest
}

/**
 * status looks on the chain for what has become of an invoice.
 *
 * A used nonce is no proof of payment: any account can use it, for any payee and amount. Therefore status pairs each
 * use with its Transfer log and checks payer, payee and amount. It throws PaymentError (request), and what the client
 * throws. It reads 5,000 blocks a query.
 */
export async function status(parameters: StatusParameters): Promise<PaymentStatus> {
  const { client } = parameters
  const request = parseRequest(parameters.request)
  const head = await getBlock(client, { blockTag: 'latest' })
  const payments: Payment[] = []
  const misuses: Misuse[] = []
  for (let from = BigInt(request.fromBlock); from <= head.number; from += blocksPerQuery) {
    const to = from + blocksPerQuery - 1n < head.number ? from + blocksPerQuery - 1n : head.number
    const found = await logs(client, [usedTopic, null, request.nonce], from, to)
    for (const use of (await receiptsOf(client, found)).flatMap(usesIn)) {
      if (use.nonce !== request.nonce) continue
      const result = judge(request, use)
      if ('reason' in result) misuses.push(result)
      else payments.push(result)
    }
  }
  const [payment = null, ...duplicates] = payments
  const open = head.timestamp < BigInt(request.validBefore)
  return { state: payment ? 'paid' : open ? 'open' : 'expired', payment, duplicates, misuses }
}

/** What watch reports: a payment of an invoice, or another transfer to the merchant. */
export interface Incoming extends Payment {
  /** The nonce of the authorization, or null for a plain transfer. */
  readonly nonce: Hex | null
}

/** Parameters of watch. */
export interface WatchParameters {
  client: AnyClient
  merchant: Address
  /** The first block to look at. Keep what onBlock reports, and begin there after a restart. */
  fromBlock: bigint
  /** The request of an invoice by its nonce, or undefined if the merchant has made no such request. */
  find: (nonce: Hex) => PaymentRequest | undefined | Promise<PaymentRequest | undefined>
  /** Called for each payment of an invoice. A second payment of one invoice is a duplicate. */
  onPayment: (request: PaymentRequest, payment: Payment) => void | Promise<void>
  /** Called for each other transfer to the merchant: without an invoice, or with too little. */
  onTransfer?: ((incoming: Incoming, reason: string) => void | Promise<void>) | undefined
  /** Called with the last block of a range when all of its payments have been handed over. */
  onBlock?: ((blockNumber: bigint) => void | Promise<void>) | undefined
  /** Called when a query or a callback fails. The range is read again. */
  onError: (error: unknown) => void
  /** Milliseconds between two looks at the head. */
  pollingInterval?: number | undefined
  /**
   * Blocks that are read again each time, before fromBlock too; 16 by default. Endpoints with several nodes behind them
   * need it: one that is behind answers without its missing blocks. A payment is still reported once.
   */
  overlap?: number | undefined
}

/**
 * watch reports each payment of a merchant's invoices, once each while it runs, in the order of the chain.
 *
 * After a restart with the block that onBlock reported last, a payment can be reported again: block and logIndex
 * identify it. If onPayment throws, the payment is reported again. The result stops it, and resolves when it has
 * stopped: do not await it in a callback. It throws PaymentError (request) for an overlap above 1,000.
 */
export function watch(parameters: WatchParameters): () => Promise<void> {
  const { client, merchant, find, onPayment, onTransfer, onBlock, onError, pollingInterval = 1_000 } = parameters
  const { overlap: given = 16 } = parameters
  if (!Number.isInteger(given) || given < 0 || given > maxOverlap) {
    throw new PaymentError('request', `overlap is ${given}: give a number of blocks from 0 to ${maxOverlap}`)
  }
  const overlap = BigInt(given)
  const reported = new Map<string, bigint>()
  let next = parameters.fromBlock
  let stopped = false
  let wake = (): void => {}

  const report = async (incoming: Incoming): Promise<void> => {
    const { nonce, ...payment } = incoming
    const request = nonce === null ? undefined : await find(nonce)
    if (!request) return onTransfer?.(incoming, 'without an invoice')
    if (request.nonce !== nonce || !isAddressEqual(request.merchant, merchant)) {
      throw new PaymentError('request', `find returned the request of another invoice: ${request.invoice}`)
    }
    const transfer = { from: payment.payer, to: merchant, value: payment.value }
    const judged = judge(request, { ...payment, nonce, transfer })
    if ('reason' in judged) return onTransfer?.(incoming, judged.reason)
    return onPayment(request, judged)
  }

  const read = async (from: bigint, to: bigint): Promise<void> => {
    const found = await logs(client, [transferTopic, null, addressTopic(merchant)], from, to)
    const uses = new Map<string, Use>()
    for (const use of (await receiptsOf(client, found)).flatMap(usesIn)) {
      uses.set(`${use.blockNumber}:${use.logIndex}`, use)
    }
    for (const log of found) {
      if (stopped) return
      const { from: payer, value } = transferIn(log)
      const blockNumber = hexToBigInt(log.blockNumber as Hex)
      const logIndex = Number(log.logIndex)
      const key = `${blockNumber}:${logIndex}`
      if (reported.has(key)) continue
      await report({
        payer,
        value,
        transactionHash: log.transactionHash as Hash,
        blockNumber,
        logIndex,
        nonce: uses.get(key)?.nonce ?? null,
      })
      reported.set(key, blockNumber)
    }
  }

  const step = async (): Promise<void> => {
    const head = await getBlockNumber(client, { cacheTime: 0 })
    while (!stopped && next <= head) {
      const from = next > overlap ? next - overlap : 0n
      const to = from + blocksPerQuery - 1n < head ? from + blocksPerQuery - 1n : head
      await read(from, to)
      if (stopped) return
      next = to + 1n
      for (const [key, block] of reported) if (block + overlap < next) reported.delete(key)
      await onBlock?.(to)
    }
  }

  const running = (async () => {
    while (!stopped) {
      try {
        await step()
      } catch (error) {
        onError(error)
      }
      if (stopped) return
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, pollingInterval)
        wake = () => {
          clearTimeout(timer)
          resolve()
        }
      })
    }
  })()
  return async () => {
    stopped = true
    wake()
    await running
  }
}
