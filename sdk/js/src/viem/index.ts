// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

/**
 * The network for viem: chains, fee-delegated transactions, sponsorship, and the methods of consensus.
 * @module
 */
export { parseWon, won } from '../core/amount.js'
export {
  AmountError,
  DecodeError,
  FeeLimitError,
  FieldError,
  SdkError,
  SignatureError,
  WrongChainError,
  WrongTypeError,
  type Party,
} from '../core/errors.js'
export type { AccessListEntry, EcdsaSignature, SenderFieldsInput } from '../core/transaction.js'
export {
  wkrcActions,
  type AccountFlags,
  type BlockParameters,
  type CommitSigners,
  type Counts,
  type Seal,
  type SealStatus,
  type WbftExtraInfo,
  type WkrcActions,
} from './actions.js'
export {
  chainConfig,
  governedTip,
  wkrcDevnet,
  wkrcMainnet,
  wkrcTestnet,
  type WithMulticall3,
  type WkrcChain,
} from './chains.js'
export { formatters } from './formatters.js'
export {
  isFeeDelegated,
  parse,
  parseSender,
  senderTransactionHash,
  serialize,
  serializers,
  signAsFeePayer,
  signAsSender,
  type ParsedSender,
  type ParseParameters,
  type SignAsFeePayerParameters,
  type SignAsSenderParameters,
} from './transaction.js'
export { sponsored } from './transport.js'
export type {
  FeeDelegatedSerialized,
  FeePayerAccount,
  ParsedFeeDelegated,
  SenderSerialized,
  WkrcBlock,
  WkrcRpcBlock,
  WkrcRpcTransaction,
  WkrcRpcTransactionFeeDelegated,
  WkrcRpcTransactionReceipt,
  WkrcRpcTransactionRequest,
  WkrcTransaction,
  WkrcTransactionFeeDelegated,
  WkrcTransactionReceipt,
  WkrcTransactionRequest,
  WkrcTransactionRequestFeeDelegated,
  WkrcTransactionSerializable,
  WkrcTransactionSerializableFeeDelegated,
} from './types.js'
