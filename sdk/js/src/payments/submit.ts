// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

import {
  BaseError,
  encodeFunctionData,
  type Account,
  type Chain,
  type Client,
  type Hash,
  type Hex,
  type Transport,
} from 'viem'
import { call, getChainId, getCode, sendTransaction } from 'viem/actions'
import { coinAddress } from '../core/constants.js'
import { coinAbi } from './abi.js'
import { PaymentError } from './errors.js'
import { parseRequest, type PaymentRequest } from './request.js'
import { dueText, isSignedByKey, parseAuthorization, type Authorization } from './sign.js'

/** Parameters of submit. */
export interface SubmitParameters {
  /**
   * A wallet client of viem with a local account, which submits. With the transport `sponsored`, the account needs no
   * coins.
   */
  client: Client<Transport, Chain, Account>
  /** The merchant's own copy of the request. Never the one that came back from the customer. */
  request: PaymentRequest
  /** The payer's authorization. */
  authorization: Authorization
}

/** The data of the call that carries out an authorization, for other ways of submitting it. */
export function transferData(authorization: Authorization): Hex {
  const { from, to, value, validAfter, validBefore, nonce, signature } = authorization
  return encodeFunctionData({
    abi: coinAbi,
    functionName: 'transferWithAuthorization',
    args: [from, to, BigInt(value), BigInt(validAfter), BigInt(validBefore), nonce, signature],
  })
}

/**
 * submit checks an authorization against the merchant's request, tries it at the node, and submits it.
 *
 * It returns the hash of the transaction. That is no payment yet: wait for the receipt, and ask status. It throws
 * PaymentError (request, authorization, signature, expired, refused), and what the client throws.
 */
export async function submit(parameters: SubmitParameters): Promise<Hash> {
  const { client } = parameters
  const request = parseRequest(parameters.request)
  const authorization = parseAuthorization(request, parameters.authorization)
  if (request.validBefore * 1000 <= Date.now()) {
    throw new PaymentError('expired', `invoice ${request.invoice} was due at ${dueText(request)}: ask for another one`)
  }
  const chainId = await getChainId(client)
  if (chainId !== request.chainId) {
    throw new PaymentError('request', `the request is for chain ${request.chainId}, and the node has ${chainId}`)
  }
  const hasCode = async () => (await getCode(client, { address: authorization.from })) !== undefined
  if (!(await isSignedByKey(request, authorization)) && !(await hasCode())) {
    throw new PaymentError('signature', `the signature is not that of ${authorization.from}: have it signed again`)
  }
  const data = transferData(authorization)
  try {
    await call(client, { to: coinAddress, data })
  } catch (error) {
    const reason = error instanceof BaseError ? error.details || error.shortMessage : String(error)
    const problem = `the payment of invoice ${request.invoice} would fail: ${reason}`
    throw new PaymentError('refused', problem, { cause: error })
  }
  return sendTransaction(client, { to: coinAddress, data } as Parameters<typeof sendTransaction>[1])
}
