// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

import {
  numberToHex,
  type Account,
  type Address,
  type BlockTag,
  type Chain,
  type Client,
  type Hash,
  type Hex,
  type Transport,
} from 'viem'
import { formatters } from './formatters.js'
import type { WkrcRpcTransaction, WkrcRpcTransactionReceipt, WkrcTransaction, WkrcTransactionReceipt } from './types.js'

/** A block by number or tag. Both left out, it is the head. */
export interface BlockParameters {
  blockNumber?: bigint | undefined
  blockTag?: BlockTag | undefined
}

/** The proposer of a block, and the validators in its commit seal. */
export interface CommitSigners {
  number: bigint
  hash: Hash
  author: Address
  committers: Address[]
}

/** How often each validator was seen. */
export type Counts = Record<Address, number>

/** Seals, authors and rounds over a range of blocks. */
export interface SealStatus {
  sealerActivity: {
    /** The sum of the four other maps. */
    total: Counts
    prepared: Counts
    committed: Counts
    prevPrepared: Counts
    prevCommitted: Counts
  }
  /** Blocks proposed. */
  author: Counts
  blockRange: { startBlock: number; endBlock: number; totalBlocks: number }
  /** The number of blocks decided in each round, by the round in decimal. */
  roundStats: { roundDistribution: Record<string, number> }
}

/** The validators in a seal, and its 96 bytes. */
export interface Seal {
  sealers: Address[]
  signature: Hex
}

/** The consensus part of a header. */
export interface WbftExtraInfo {
  vanityData: Hex
  randaoReveal: Hex
  prevRound: number
  round: number
  prevPreparedSeal: Seal | null
  prevCommittedSeal: Seal | null
  preparedSeal: Seal | null
  committedSeal: Seal | null
  /** The governed tip of the block, in base units per gas. */
  gasTip: bigint
  /** The next validator set, in genesis and epoch blocks. */
  epochInfo: {
    candidates: { address: Address; diligence: bigint }[]
    validators: { index: number; address: Address; bls: Hex }[]
  } | null
}

/** The flags of an account. */
export interface AccountFlags {
  /** The account sends, receives and pays for no transaction. */
  blacklisted: boolean
  /** The account chooses its own tip. */
  authorized: boolean
}

/** The methods that the network has and others have not. A client is extended by a type, not by an interface. */
export type WkrcActions = {
  /** The validators in charge of a block, in the order of consensus. */
  getValidators(parameters?: BlockParameters): Promise<Address[]>
  /** The same for a block given by hash. */
  getValidatorsAtHash(parameters: { blockHash: Hash }): Promise<Address[]>
  /** The proposer of a block, and the validators in the commit seal stored with it. */
  getCommitSigners(parameters?: BlockParameters | { blockHash: Hash }): Promise<CommitSigners>
  /** Seals, authors and rounds from one block to another; by default of the last 64 blocks. At most 1,024 blocks. */
  getSealStatus(parameters?: { fromBlock: bigint; toBlock: bigint }): Promise<SealStatus>
  /** The consensus part of a header. */
  getWbftExtraInfo(parameters: { blockNumber: bigint }): Promise<WbftExtraInfo>
  /** Whether the node is among the validators in charge of a block. */
  isValidator(parameters?: BlockParameters): Promise<boolean>
  /** The address of the node's own key. */
  getNodeAddress(): Promise<Address>
  /** The governed tip, in base units per gas. Only gwon answers. */
  getGasTip(parameters?: BlockParameters): Promise<bigint>
  /** The flags of an account. Only gwon answers. */
  getAccountFlags(parameters: { address: Address } & BlockParameters): Promise<AccountFlags>
  /** The proposer of the next block in a round, by default in round 0. Only gwon answers. */
  getNextProposer(parameters?: { round?: number | undefined }): Promise<Address>
  /** The transaction of type 0x16 with this sender's transaction, or null. Only gwon answers. */
  getTransactionBySenderHash(parameters: { hash: Hash }): Promise<WkrcTransaction | null>
  /** The receipt of the transaction of type 0x16 with this sender's transaction, or null. Only gwon answers. */
  getTransactionReceiptBySenderHash(parameters: { hash: Hash }): Promise<WkrcTransactionReceipt | null>
}

type AnyClient = Client<Transport, Chain | undefined, Account | undefined>

interface RpcCommitSigners {
  Number: number
  Hash: Hash
  Author: Address
  Committers: Address[]
}

interface RpcExtraInfo extends Omit<WbftExtraInfo, 'prevRound' | 'round' | 'gasTip' | 'epochInfo'> {
  prevRound: Hex
  round: Hex
  gasTip: string
  epochInfo: {
    candidates: { addr: Address; diligence: Hex }[] | null
    validators: { index: Hex; addr: Address; bls: Hex }[] | null
  } | null
}

/**
 * wkrcActions adds the methods of the network to a client: `createPublicClient({...}).extend(wkrcActions())`.
 *
 * Each method throws what `client.request` throws. The istanbul methods need the namespace `istanbul` at the node.
 */
export function wkrcActions(): (client: AnyClient) => WkrcActions {
  return (client) => {
    const call = <T>(method: string, params: unknown[] = []): Promise<T> =>
      client.request({ method, params } as never) as Promise<T>
    const block = (parameters: BlockParameters = {}): string =>
      parameters.blockNumber === undefined ? (parameters.blockTag ?? 'latest') : numberToHex(parameters.blockNumber)
    return {
      getValidators: (parameters) => call('istanbul_getValidators', [block(parameters)]),
      getValidatorsAtHash: ({ blockHash }) => call('istanbul_getValidatorsAtHash', [blockHash]),
      async getCommitSigners(parameters = {}) {
        const signers =
          'blockHash' in parameters
            ? await call<RpcCommitSigners>('istanbul_getCommitSignersFromBlockByHash', [parameters.blockHash])
            : await call<RpcCommitSigners>('istanbul_getCommitSignersFromBlock', [block(parameters)])
        const { Number: number, Hash: hash, Author: author, Committers: committers } = signers
        return { number: BigInt(number), hash, author, committers }
      },
      getSealStatus: (range) =>
        call('istanbul_status', range ? [numberToHex(range.fromBlock), numberToHex(range.toBlock)] : []),
      async getWbftExtraInfo({ blockNumber }) {
        const info = await call<RpcExtraInfo>('istanbul_getWbftExtraInfo', [numberToHex(blockNumber)])
        return {
          ...info,
          prevRound: Number(info.prevRound),
          round: Number(info.round),
          gasTip: BigInt(info.gasTip),
          epochInfo: info.epochInfo && {
            candidates: (info.epochInfo.candidates ?? []).map(({ addr, diligence }) => ({
              address: addr,
              diligence: BigInt(diligence),
            })),
            validators: (info.epochInfo.validators ?? []).map(({ index, addr, bls }) => ({
              index: Number(index),
              address: addr,
              bls,
            })),
          },
        }
      },
      isValidator: (parameters) => call('istanbul_isValidator', [block(parameters)]),
      getNodeAddress: () => call('istanbul_nodeAddress'),
      getGasTip: async (parameters) => BigInt(await call<Hex>('istanbul_gasTip', [block(parameters)])),
      getAccountFlags: (parameters) => call('istanbul_accountFlags', [parameters.address, block(parameters)]),
      getNextProposer: ({ round = 0 } = {}) => call('istanbul_nextProposer', [numberToHex(round)]),
      async getTransactionBySenderHash({ hash }) {
        const found = await call<WkrcRpcTransaction | null>('eth_getTransactionBySenderHash', [hash])
        return found && formatters.transaction.format(found)
      },
      async getTransactionReceiptBySenderHash({ hash }) {
        const found = await call<WkrcRpcTransactionReceipt | null>('eth_getTransactionReceiptBySenderHash', [hash])
        return found && formatters.transactionReceipt.format(found)
      },
    }
  }
}
