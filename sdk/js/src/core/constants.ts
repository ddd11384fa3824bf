// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

import type { Hex } from './hex.js'

/** The chain ID of the mainnet. */
export const mainnetChainId = 8282

/** The chain ID of the testnet. */
export const testnetChainId = 8283

/** The chain ID of `gwon-dev devnet`, unless told otherwise. */
export const devnetChainId = 828300

/** The type byte of a fee-delegated transaction. */
export const feeDelegatedType = 0x16

/** The decimals of the coin: one coin is 10^18 base units. */
export const decimals = 18

/** The coin's contract: its ERC-20 face, and the emitter of every `Transfer` log. */
export const coinAddress: Hex = '0x0000000000000000000000000000000000001000'

/** The contract that holds the governed tip. */
export const validatorGovernanceAddress: Hex = '0x0000000000000000000000000000000000001001'

/** The contract that answers for account flags. */
export const accountManagerAddress: Hex = '0x0000000000000000000000000000000000b00003'

/** The governed tip that both networks begin with, in base units per gas. Ask the node for the present one. */
export const initialGasTip = 27_600_000_000_000n

/** The lowest base fee, in base units per gas. */
export const minimumBaseFee = 20_000_000_000_000n

/** The most bytes of a transaction that a node's pool takes. */
export const maxTransactionSize = 262_144
