// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

/** The two parties of a fee-delegated transaction. */
export type Party = 'sender' | 'fee payer'

/** SdkError is the base class of every error that this package throws of its own. */
export class SdkError extends Error {
  /** A word for programs. It does not change with the text. */
  readonly code: string

  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = new.target.name
    this.code = code
  }
}

/** DecodeError refuses bytes that are no canonical transaction. */
export class DecodeError extends SdkError {
  constructor(message: string, options?: ErrorOptions) {
    super('decode', message, options)
  }
}

/** WrongTypeError refuses a transaction of another type than the expected one. */
export class WrongTypeError extends SdkError {
  /** The type byte that was found, or null for a legacy transaction. */
  readonly have: number | null
  /** The type byte that was expected. */
  readonly want: number

  constructor(have: number | null, want: number) {
    const found = have === null ? 'legacy' : `of type 0x${have.toString(16).padStart(2, '0')}`
    super('type', `the transaction is ${found}: give one of type 0x${want.toString(16).padStart(2, '0')}`)
    this.have = have
    this.want = want
  }
}

/** WrongChainError refuses a transaction that was signed for another chain. */
export class WrongChainError extends SdkError {
  readonly have: bigint
  readonly want: bigint

  constructor(have: bigint, want: bigint) {
    super('chain', `the transaction is signed for chain ${have}: sign it for chain ${want}`)
    this.have = have
    this.want = want
  }
}

/** SignatureError refuses a signature that the chain refuses. */
export class SignatureError extends SdkError {
  /** Whose signature it is. */
  readonly party: Party

  constructor(party: Party, reason: string) {
    super('signature', `the signature of the ${party} ${reason}`)
    this.party = party
  }
}

/** FieldError refuses a field of a transaction that is to be made. */
export class FieldError extends SdkError {
  /** The name of the field. */
  readonly field: string

  constructor(field: string, problem: string) {
    super('field', `${field} ${problem}`)
    this.field = field
  }
}

/** FeeLimitError refuses to pay a fee above the limit that the fee payer has set. */
export class FeeLimitError extends SdkError {
  /** Gas limit times fee cap, in base units. */
  readonly fee: bigint
  /** The limit, in base units. */
  readonly limit: bigint

  constructor(fee: bigint, limit: bigint) {
    super('fee-limit', `the fee can be ${fee} base units, above the limit of ${limit}: lower gas or maxFeePerGas`)
    this.fee = fee
    this.limit = limit
  }
}

/** AmountError refuses a text that is no amount of coins, and an amount that is no bigint. */
export class AmountError extends SdkError {
  constructor(text: string, problem: string) {
    super('amount', `the amount ${JSON.stringify(text.slice(0, 80))} ${problem}`)
  }
}
