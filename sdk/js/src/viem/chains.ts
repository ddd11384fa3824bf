// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

import { defineChain, type Chain, type ChainContract, type Client } from 'viem'
import { devnetChainId, mainnetChainId, testnetChainId } from '../core/constants.js'
import { formatters } from './formatters.js'
import { serializers } from './transaction.js'

/** governedTip asks the node for the tip that the validators have voted for, in base units per gas. */
export async function governedTip(client: Client): Promise<bigint> {
  return BigInt(await client.request({ method: 'eth_maxPriorityFeePerGas' }))
}

/**
 * chainConfig is what all chains of the network share: types, blocks of one second, and fees.
 *
 * The tip is the governed one, which ordinary accounts pay in any case. The fee cap leaves room for the base fee to
 * double, which takes at least 35 blocks.
 */
export const chainConfig = {
  blockTime: 1_000,
  formatters,
  serializers,
  fees: {
    baseFeeMultiplier: 2,
    maxPriorityFeePerGas: ({ client }: { client: Client }) => governedTip(client),
  },
  nativeCurrency: { name: 'WKRC', symbol: 'WKRC', decimals: 18 },
} as const

/** A chain with the contract of multicall. */
export interface WithMulticall3 {
  contracts: { multicall3: ChainContract }
}

type OwnParts = 'id' | 'formatters' | 'serializers' | 'fees'

/** A chain of the network for viem. */
export type WkrcChain<id extends number = number> = Omit<Chain<undefined>, OwnParts> & {
  id: id
  fees: typeof chainConfig.fees
  formatters: typeof formatters
  serializers: typeof serializers
}

/** The testnet, chain ID 8283. */
export const wkrcTestnet: WkrcChain<typeof testnetChainId> = /*#__PURE__*/ defineChain({
  ...chainConfig,
  id: testnetChainId,
  name: 'WKRC Testnet',
  rpcUrls: {
    default: { http: ['https://api.test.stablenet.network'], webSocket: ['wss://ws.test.stablenet.network'] },
  },
  blockExplorers: { default: { name: 'StableNet Explorer', url: 'https://explorer.stablenet.network' } },
  testnet: true,
})

/** The mainnet, chain ID 8282. It has no public endpoint yet: give a URL to the transport. */
export const wkrcMainnet: WkrcChain<typeof mainnetChainId> = /*#__PURE__*/ defineChain({
  ...chainConfig,
  id: mainnetChainId,
  name: 'WKRC',
  rpcUrls: { default: { http: [] } },
  testnet: false,
})

/**
 * A network of `gwon-dev devnet`, at the address that it takes unless the port is in use.
 *
 * Other IDs and addresses:
 * `{ ...wkrcDevnet, id: 1337, rpcUrls: { default: { http: ['http://127.0.0.1:8546'] } } }`.
 */
export const wkrcDevnet: WkrcChain<typeof devnetChainId> & WithMulticall3 = /*#__PURE__*/ defineChain({
  ...chainConfig,
  id: devnetChainId,
  name: 'WKRC Devnet',
  rpcUrls: { default: { http: ['http://127.0.0.1:8545'], webSocket: ['ws://127.0.0.1:8545'] } },
  contracts: { multicall3: { address: '0xcA11bde05977b3631167028862bE2a173976CA11', blockCreated: 0 } },
  testnet: true,
})
