// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

const { FORK_URL: url, FORK_BLOCK: block, FORK_CHAIN: chain } = process.env

// Without blockNumber, Hardhat takes the block 128 before the newest one of a network that it does not know.
/** @type {import('hardhat/config').HardhatUserConfig} */
module.exports = {
  solidity: require('solc/package.json').version,
  networks: { hardhat: { chainId: Number(chain), hardfork: 'cancun', forking: { url, blockNumber: Number(block) } } },
  paths: { cache: './.hardhat/forked-cache', artifacts: './.hardhat/forked-artifacts' },
}
