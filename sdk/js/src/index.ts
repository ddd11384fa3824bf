// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

/**
 * What neither viem nor ethers is needed for: constants, amounts, errors, and the form of type 0x16.
 * @module
 */
export { parseWon, won } from './core/amount.js'
export {
  accountManagerAddress,
  coinAddress,
  decimals,
  devnetChainId,
  feeDelegatedType,
  initialGasTip,
  mainnetChainId,
  maxTransactionSize,
  minimumBaseFee,
  testnetChainId,
  validatorGovernanceAddress,
} from './core/constants.js'
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
} from './core/errors.js'
export type { Hex } from './core/hex.js'
export {
  decode,
  decodeSender,
  encode,
  encodeSender,
  feePayerPayload,
  senderPayload,
  strip,
  type AccessListEntry,
  type EcdsaSignature,
  type FeeDelegatedTransaction,
  type SenderFields,
  type SenderFieldsInput,
  type SenderTransaction,
} from './core/transaction.js'
