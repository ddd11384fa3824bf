// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

import { createRequire } from 'node:module'
import networkHelpers from '@nomicfoundation/hardhat-network-helpers'
import hardhatViem from '@nomicfoundation/hardhat-viem'
import { defineConfig } from 'hardhat/config'

// The compiler of the npm package: nothing else has to be downloaded.
const require = createRequire(new URL('..', import.meta.url))

export default defineConfig({
  plugins: [hardhatViem, networkHelpers],
  solidity: {
    version: require('solc/package.json').version,
    path: require.resolve('solc/soljson.js'),
    settings: { evmVersion: 'cancun' },
  },
  networks: {
    gwon: { type: 'http', chainType: 'l1', url: process.env.RPC_URL, chainId: Number(process.env.CHAIN_ID) },
  },
  paths: { sources: './work/contracts', cache: './work/cache', artifacts: './work/artifacts' }, // contracts come from the folder above
})
