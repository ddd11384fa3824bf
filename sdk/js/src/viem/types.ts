// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

import type {
  AccessList,
  Account,
  Address,
  Block,
  BlockTag,
  ExactPartial,
  FeeValuesEIP1559,
  Hash,
  Hex,
  Index,
  LocalAccount,
  OneOf,
  Quantity,
  RpcBlock,
  RpcTransaction as ViemRpcTransaction,
  RpcTransactionReceipt as ViemRpcTransactionReceipt,
  RpcTransactionRequest as ViemRpcTransactionRequest,
  Transaction as ViemTransaction,
  TransactionBase,
  TransactionReceipt as ViemTransactionReceipt,
  TransactionRequest as ViemTransactionRequest,
  TransactionRequestBase,
  TransactionSerializable as ViemTransactionSerializable,
  TransactionSerializableBase,
} from 'viem'
import type { EcdsaSignature } from '../core/transaction.js'

/** A local account whose key signs as fee payer. privateKeyToAccount and mnemonicToAccount make such accounts. */
export type FeePayerAccount = LocalAccount

/** A transaction of type 0x16, as getTransaction returns it. */
export type WkrcTransactionFeeDelegated<pending extends boolean = boolean> = TransactionBase<bigint, number, pending> &
  FeeValuesEIP1559 & {
    accessList: AccessList
    chainId: number
    type: 'feeDelegated'
    /** The account that pays the gas. */
    feePayer: Address
    feePayerSignature: EcdsaSignature
    /** The hash of the sender's transaction of type 2. Only gwon serves it. */
    senderTransactionHash?: Hash | undefined
  }

/** A transaction of the network. */
export type WkrcTransaction<pending extends boolean = boolean> = OneOf<
  ViemTransaction<bigint, number, pending> | WkrcTransactionFeeDelegated<pending>
>

/** What a node answers for a transaction of type 0x16. */
export type WkrcRpcTransactionFeeDelegated<pending extends boolean = boolean> = Omit<
  TransactionBase<Quantity, Index, pending>,
  'typeHex'
> &
  FeeValuesEIP1559<Quantity> & {
    accessList: AccessList
    chainId: Index
    type: '0x16'
    feePayer: Address
    fv: Quantity
    fr: Quantity
    fs: Quantity
    senderTransactionHash?: Hash | undefined
  }

/** What a node answers for a transaction. */
export type WkrcRpcTransaction<pending extends boolean = boolean> = OneOf<
  ViemRpcTransaction<pending> | WkrcRpcTransactionFeeDelegated<pending>
>

/** A receipt of the network. */
export type WkrcTransactionReceipt = ViemTransactionReceipt & {
  /** The account that paid the gas, if it was not the sender. Only gwon serves it. */
  feePayer?: Address | undefined
  /** The hash of the sender's transaction of type 2, if the transaction is of type 0x16. Only gwon serves it. */
  senderTransactionHash?: Hash | undefined
}

/** What a node answers for a receipt. */
export type WkrcRpcTransactionReceipt = ViemRpcTransactionReceipt & {
  feePayer?: Address | undefined
  senderTransactionHash?: Hash | undefined
}

/** A block of the network. */
export type WkrcBlock<includeTransactions extends boolean = boolean, blockTag extends BlockTag = BlockTag> = Block<
  bigint,
  includeTransactions,
  blockTag,
  WkrcTransaction<blockTag extends 'pending' ? true : false>
>

/** What a node answers for a block. */
export type WkrcRpcBlock<
  blockTag extends BlockTag = BlockTag,
  includeTransactions extends boolean = boolean,
> = RpcBlock<blockTag, includeTransactions, WkrcRpcTransaction<blockTag extends 'pending' ? true : false>>

/** A request of a transaction that another account pays. */
export type WkrcTransactionRequestFeeDelegated = TransactionRequestBase &
  ExactPartial<FeeValuesEIP1559> & {
    accessList?: AccessList | undefined
    /** The account that pays the gas and signs for it, here in this process. */
    feePayer: FeePayerAccount
    type?: 'feeDelegated' | undefined
  }

/** A request of a transaction of the network. */
export type WkrcTransactionRequest = OneOf<ViemTransactionRequest | WkrcTransactionRequestFeeDelegated>

/** The same as a node takes it. */
export type WkrcRpcTransactionRequest = ViemRpcTransactionRequest & { feePayer?: Address | undefined }

/** A transaction of type 0x16 as it can be serialized. */
export type WkrcTransactionSerializableFeeDelegated = Omit<TransactionSerializableBase, 'r' | 's' | 'v' | 'yParity'> &
  ExactPartial<FeeValuesEIP1559> & {
    accessList?: AccessList | undefined
    chainId: number
    /** An account that signs, or the address of one that has signed: then give feePayerSignature. */
    feePayer: FeePayerAccount | Address
    feePayerSignature?: EcdsaSignature | undefined
    type?: 'feeDelegated' | undefined
  }

/** A transaction of the network as it can be serialized. */
export type WkrcTransactionSerializable = OneOf<ViemTransactionSerializable | WkrcTransactionSerializableFeeDelegated>

/** The bytes of a transaction of type 0x16. */
export type FeeDelegatedSerialized = `0x16${string}`

/** The bytes of a signed transaction of type 2. */
export type SenderSerialized = `0x02${string}`

/** A transaction of type 0x16 as parse returns it: all fields, both accounts, and both hashes. */
export interface ParsedFeeDelegated {
  type: 'feeDelegated'
  chainId: number
  nonce: number
  /** Base units per gas. */
  maxPriorityFeePerGas: bigint
  /** Base units per gas. */
  maxFeePerGas: bigint
  gas: bigint
  /** Null creates a contract. */
  to: Address | null
  /** Base units. */
  value: bigint
  data: Hex
  accessList: AccessList
  signature: EcdsaSignature
  /** The account that signed the transaction. */
  sender: Address
  /** The account that pays the gas. */
  feePayer: Address
  feePayerSignature: EcdsaSignature
  hash: Hash
  /** The hash of the sender's transaction of type 2. */
  senderHash: Hash
}

/** An account, or the address of one. */
export type AccountOrAddress = Account | Address
