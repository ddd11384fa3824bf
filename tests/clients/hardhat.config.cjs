// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

require('@nomicfoundation/hardhat-ethers')
const { subtask } = require('hardhat/config')
const { TASK_COMPILE_SOLIDITY_GET_SOLC_BUILD } = require('hardhat/builtin-tasks/task-names')

const version = require('solc/package.json').version

// The compiler of the npm package: nothing else has to be downloaded.
subtask(TASK_COMPILE_SOLIDITY_GET_SOLC_BUILD, async () => ({
  compilerPath: require.resolve('solc/soljson.js'), isSolcJs: true, version, longVersion: require('solc').version(),
}))

/** @type {import('hardhat/config').HardhatUserConfig} */
module.exports = {
  solidity: { version, settings: { evmVersion: 'cancun' } },
  defaultNetwork: 'gwon',
  networks: {
    gwon: {
      url: process.env.RPC_URL, chainId: Number(process.env.CHAIN_ID), accounts: process.env.PRIVATE_KEY ? [process.env.PRIVATE_KEY] : 'remote',
      gasPrice: process.env.GAS_PRICE ? Number(process.env.GAS_PRICE) : 'auto',
    },
  },
  paths: { sources: './contracts', tests: './hardhat', cache: './.hardhat/cache', artifacts: './.hardhat/artifacts' },
}
