// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

import {
  defineBlock,
  defineTransaction,
  defineTransactionReceipt,
  defineTransactionRequest,
  formatTransaction,
  pad,
  type Hex,
  type RpcTransaction,
} from 'viem'
import { FieldError } from '../core/errors.js'
import { refuseOtherFields } from './transaction.js'
import type {
  WkrcBlock,
  WkrcRpcBlock,
  WkrcRpcTransaction,
  WkrcRpcTransactionReceipt,
  WkrcRpcTransactionRequest,
  WkrcTransaction,
  WkrcTransactionReceipt,
  WkrcTransactionRequest,
} from './types.js'

const word = (quantity: Hex) => pad(quantity, { size: 32 })

/** ownFields returns what type 0x16 has beyond what viem knows. */
function ownFields(transaction: WkrcRpcTransaction): Partial<WkrcTransaction> {
  if (transaction.type !== '0x16') return {}
  const { feePayer, fv, fr, fs, senderTransactionHash } = transaction
  return {
    type: 'feeDelegated',
    feePayer,
    feePayerSignature: { r: word(fr), s: word(fs), yParity: BigInt(fv) === 0n ? 0 : 1 },
    ...(senderTransactionHash && { senderTransactionHash }),
  } as Partial<WkrcTransaction>
}

const raw = ['fv', 'fr', 'fs'] as const

function format(transaction: WkrcRpcTransaction): WkrcTransaction {
  const formatted = { ...formatTransaction(transaction as RpcTransaction), ...ownFields(transaction) }
  for (const key of raw) delete (formatted as Record<string, unknown>)[key]
  if (transaction.type === '0x16') delete (formatted as Record<string, unknown>)['maxFeePerBlobGas']
  return formatted as WkrcTransaction
}

/** formatters are those of the chain definitions. */
export const formatters = {
  block: /*#__PURE__*/ defineBlock({
    format(block: WkrcRpcBlock): WkrcBlock {
      const transactions = block.transactions?.map((entry) => (typeof entry === 'string' ? entry : format(entry)))
      return { transactions } as WkrcBlock
    },
  }),
  transaction: {
    .../*#__PURE__*/ defineTransaction({ format: (transaction: WkrcRpcTransaction) => format(transaction) }),
    format,
  },
  transactionReceipt: /*#__PURE__*/ defineTransactionReceipt({
    format(receipt: WkrcRpcTransactionReceipt): WkrcTransactionReceipt {
      return ((receipt.type as string) === '0x16' ? { type: 'feeDelegated' } : {}) as WkrcTransactionReceipt
    },
  }),
  transactionRequest: /*#__PURE__*/ defineTransactionRequest({
    format(request: WkrcTransactionRequest, action?: string): WkrcRpcTransactionRequest {
      const { feePayer } = request
      if (feePayer === undefined) return {} as WkrcRpcTransactionRequest
      refuseOtherFields(request)
      if (action === 'sendTransaction') {
        throw new FieldError('feePayer', 'needs a local account as sender: a wallet does not hand out what it signs')
      }
      return { feePayer: feePayer.address } as WkrcRpcTransactionRequest
    },
  }),
} as const
