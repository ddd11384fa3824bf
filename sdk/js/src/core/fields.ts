// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

import { FieldError } from './errors.js'

/** Fields of other types of transactions, which one with a fee payer cannot carry. */
const foreign = [
  'authorizationList',
  'blobs',
  'blobVersionedHashes',
  'blobWrapperVersion',
  'commitments',
  'kzg',
  'maxFeePerBlobGas',
  'proofs',
  'sidecars',
] as const

/**
 * refuseForeignFields throws FieldError for what a transaction with a fee payer cannot carry. Left out silently, an
 * authorization or its revocation would be lost in a transaction that succeeds.
 */
export function refuseForeignFields(transaction: object): void {
  for (const field of foreign) {
    const value = (transaction as Record<string, unknown>)[field]
    if (value !== undefined && value !== null) {
      throw new FieldError(field, 'cannot be in a transaction with a fee payer: send one of its own type without')
    }
  }
}
