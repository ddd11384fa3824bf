// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

/**
 * The network for ethers 6: fee-delegated transactions, and a provider and a signer that use them.
 * @module
 */
export { parseWon, won } from '../core/amount.js'
export { coinAddress, devnetChainId, mainnetChainId, testnetChainId } from '../core/constants.js'
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
export {
  SponsoredProvider,
  WkrcBlock,
  WkrcProvider,
  WkrcTransactionReceipt,
  WkrcTransactionResponse,
} from './provider.js'
export { SponsoredSigner, type SponsoredSignerOptions } from './signer.js'
export {
  FeeDelegatedTransaction,
  parseSender,
  signAsFeePayer,
  type DigestSigner,
  type FeePayer,
  type FeePayerPolicy,
} from './transaction.js'
