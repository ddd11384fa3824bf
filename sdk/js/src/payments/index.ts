// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

/**
 * Payments of invoices with the coin: request, sign, submit, status and watch. Needs viem.
 * @module
 */
export { AmountError, SdkError } from '../core/errors.js'
export { parseWon, won } from '../core/amount.js'
export { authorizationTypes, coinAbi } from './abi.js'
export { PaymentError, type PaymentProblem } from './errors.js'
export {
  invoiceNonce,
  parseRequest,
  request,
  type AnyClient,
  type PaymentRequest,
  type RequestParameters,
} from './request.js'
export {
  isSignedByKey,
  parseAuthorization,
  sign,
  type Authorization,
  type EthersSigner,
  type SignParameters,
  type ViemSigner,
  type WalletProvider,
} from './sign.js'
export { submit, transferData, type SubmitParameters } from './submit.js'
export {
  status,
  watch,
  type Incoming,
  type Misuse,
  type Payment,
  type PaymentStatus,
  type StatusParameters,
  type WatchParameters,
} from './watch.js'
