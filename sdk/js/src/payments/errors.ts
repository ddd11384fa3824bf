// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

import { SdkError } from '../core/errors.js'

/** Why a payment is refused. */
export type PaymentProblem =
  | 'request' // the request for payment is malformed
  | 'signer' // the signer cannot sign typed data
  | 'authorization' // the authorization is malformed, or not for this request
  | 'signature' // the signature is not that of the payer
  | 'expired' // the due date is over
  | 'refused' // the coin's contract would refuse it: spent, canceled, blacklisted or too little balance

/** PaymentError refuses a request for payment or an authorization. `code` is the kind of problem. */
export class PaymentError extends SdkError {
  declare readonly code: PaymentProblem

  constructor(code: PaymentProblem, message: string, options?: ErrorOptions) {
    super(code, message, options)
  }
}
