// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Exercises contracts of OpenZeppelin on a test node, gwon-dev node or anvil, with snapshots and a moved clock. What a node answers is
// recorded, and depends on nothing but the rules of its chain: each block has the next second, unless the clock is moved.
import assert from 'node:assert/strict'
import { gunzipSync } from 'node:zlib'
import {
  BaseError, ContractFunctionRevertedError, createTestClient, defineChain, encodeDeployData, encodeFunctionData, http, keccak256, parseEther, parseSignature,
  publicActions, stringToHex, walletActions, zeroAddress, zeroHash,
} from 'viem'
import { mnemonicToAccount } from 'viem/accounts'
import { compile } from '../compile.mjs'

const file = 'openzeppelin/Suite.sol'
const vesting = '@openzeppelin/contracts/finance/VestingWallet.sol'
const timelock = '@openzeppelin/contracts/governance/TimelockController.sol'
const mnemonic = 'test test test test test test test test test test test junk'
const start = 2_000_000_000n // seconds since 1970, later than the clock of any machine that runs this
const day = 86_400n
const proposer = keccak256(stringToHex('PROPOSER_ROLE'))

/** Compiles the contracts that exercise deploys. */
export const contracts = () => compile(file, { [file]: ['Token', 'Vault', 'Council'], [vesting]: ['VestingWallet'], [timelock]: ['TimelockController'] })

/** Exercises the compiled contracts on the test node at url, and returns [[what, answer]...]. A forked chain cannot dump its state. */
export async function exercise(url, compiled, { forked = false } = {}) {
  const [owner, alice, bob] = [0, 1, 2].map((addressIndex) => mnemonicToAccount(mnemonic, { addressIndex }))
  const id = 1337
  const chain = defineChain({
    id, name: 'test', nativeCurrency: { name: 'coin', symbol: 'COIN', decimals: 18 }, rpcUrls: { default: { http: [url] } },
  })
  const node = createTestClient({ chain, mode: 'anvil', transport: http(), cacheTime: 0, pollingInterval: 20 }).extend(publicActions).extend(walletActions)
  const records = []
  const record = (what, answer) => { records.push([what, answer]); return answer }

  const mined = async (what, hash) => {
    const { status, gasUsed, contractAddress, logs } = await node.waitForTransactionReceipt({ hash })
    record(what, { status, gasUsed, contractAddress, logs: logs.map(({ address, topics, data }) => ({ address, topics, data })) })
    assert.equal(status, 'success', what)
    return contractAddress
  }
  const deploy = async (name, ...args) => {
    const { abi, bytecode } = compiled[name]
    record('bytes of init code', (encodeDeployData({ abi, bytecode, args }).length - 2) / 2)
    return { abi, address: await mined(`deploy ${name}`, await node.deployContract({ account: owner, abi, bytecode, args })) }
  }
  const read = async (contract, functionName, ...args) => record(functionName, await node.readContract({ ...contract, functionName, args }))
  const write = async (account, contract, functionName, ...args) => mined(functionName, await node.writeContract({ ...contract, account, functionName, args }))
  const refuse = async (account, contract, functionName, error, ...args) => {
    const { data } = await node.simulateContract({ ...contract, account, functionName, args }).then(
      () => assert.fail(`${functionName} was not refused`),
      (failure) => {
        assert.ok(failure instanceof BaseError, failure)
        return failure.walk((e) => e instanceof ContractFunctionRevertedError) ?? assert.fail(failure)
      })
    assert.equal(record(`${functionName} refused`, data).errorName, error)
  }
  const travel = async (seconds) => {
    const { timestamp } = await node.getBlock()
    await node.setNextBlockTimestamp({ timestamp: timestamp + seconds })
    await node.mine({ blocks: 1 })
    record('time', (await node.getBlock()).timestamp)
  }

  await node.setNextBlockTimestamp({ timestamp: start })
  await node.mine({ blocks: 1 })
  await node.setBlockTimestampInterval({ interval: 1 })
  const token = await deploy('Token')
  const vault = await deploy('Vault', token.address)
  const wallet = await deploy('VestingWallet', alice.address, start + day, 100n * day)
  const lock = await deploy('TimelockController', 2n * day, [owner.address], [zeroAddress], owner.address)
  const council = await deploy('Council', token.address, lock.address)
  council.abi = [...council.abi, ...lock.abi.filter(({ type }) => type === 'error')] // which a governor hands on

  const chapters = {
    'ERC-20 and permit': async () => {
      await write(owner, token, 'transfer', alice.address, 1000n)
      await refuse(bob, token, 'transfer', 'ERC20InsufficientBalance', alice.address, 1n)
      const { timestamp } = await node.getBlock()
      const deadline = timestamp + day
      const permit = async (nonce, value) => {
        const { v, r, s } = parseSignature(await alice.signTypedData({
          domain: { name: 'Token', version: '1', chainId: id, verifyingContract: token.address },
          primaryType: 'Permit',
          types: { Permit: ['owner', 'spender', 'value', 'nonce', 'deadline'].map((name, i) => ({ name, type: i < 2 ? 'address' : 'uint256' })) },
          message: { owner: alice.address, spender: bob.address, value, nonce, deadline },
        }))
        return [alice.address, bob.address, value, deadline, Number(v), r, s]
      }
      const first = await permit(0n, 600n)
      await write(bob, token, 'permit', ...first)
      assert.equal(await read(token, 'allowance', alice.address, bob.address), 600n)
      await refuse(bob, token, 'permit', 'ERC2612InvalidSigner', ...first)
      await write(bob, token, 'transferFrom', alice.address, bob.address, 400n)
      await refuse(bob, token, 'transferFrom', 'ERC20InsufficientAllowance', alice.address, bob.address, 201n)
      assert.equal(await read(token, 'balanceOf', bob.address), 400n)
      await travel(2n * day)
      await refuse(bob, token, 'permit', 'ERC2612ExpiredSignature', ...await permit(1n, 5n))
    },
    'ERC-4626': async () => {
      await write(owner, token, 'approve', vault.address, 10_000n)
      await write(owner, vault, 'deposit', 10_000n, owner.address)
      await write(owner, token, 'transfer', vault.address, 5000n) // a yield
      assert.equal(await read(vault, 'convertToAssets', 1000n), 1499n) // rounded for the vault
      await refuse(alice, vault, 'redeem', 'ERC4626ExceededMaxRedeem', 1n, alice.address, alice.address)
      await write(owner, vault, 'redeem', 4000n, alice.address, owner.address)
      assert.equal(await read(token, 'balanceOf', alice.address), 5999n)
      await read(vault, 'totalAssets')
    },
    'vesting': async () => {
      await mined('coins to the wallet', await node.sendTransaction({ account: owner, to: wallet.address, value: parseEther('100') }))
      await write(owner, token, 'transfer', wallet.address, 1000n)
      await refuse(bob, wallet, 'transferOwnership', 'OwnableUnauthorizedAccount', bob.address)
      assert.equal(await read(wallet, 'releasable', token.address), 0n)
      const { timestamp } = await node.getBlock()
      await travel(start + 26n * day - timestamp)
      assert.equal(await read(wallet, 'releasable', token.address), 250n)
      await write(bob, wallet, 'release', token.address)
      assert.equal(await read(token, 'balanceOf', alice.address), 250n)
      const before = await node.getBalance({ address: alice.address })
      await write(bob, wallet, 'release')
      record('coins released', await node.getBalance({ address: alice.address }) - before)
      await travel(100n * day)
      assert.equal(await read(wallet, 'releasable', token.address), 750n)
      await write(bob, wallet, 'release')
      assert.equal(await node.getBalance({ address: alice.address }) - before, parseEther('100'))
      assert.equal(await node.getBalance({ address: wallet.address }), 0n)
    },
    'timelock and access control': async () => {
      await write(owner, token, 'transfer', lock.address, 70n)
      const call = [token.address, 0n, encodeFunctionData({ abi: token.abi, functionName: 'transfer', args: [bob.address, 70n] }), zeroHash, zeroHash]
      await refuse(bob, lock, 'schedule', 'AccessControlUnauthorizedAccount', ...call, 2n * day)
      await refuse(owner, lock, 'schedule', 'TimelockInsufficientDelay', ...call, day)
      await write(owner, lock, 'grantRole', proposer, alice.address)
      await write(alice, lock, 'schedule', ...call, 2n * day)
      await refuse(bob, lock, 'execute', 'TimelockUnexpectedOperationState', ...call)
      await travel(2n * day)
      await write(bob, lock, 'execute', ...call)
      assert.equal(await read(token, 'balanceOf', bob.address), 70n)
      await write(owner, lock, 'revokeRole', proposer, alice.address)
      assert.equal(await read(lock, 'hasRole', proposer, alice.address), false)
    },
    'governor': async () => {
      await write(owner, token, 'transfer', lock.address, 500n)
      await write(owner, lock, 'grantRole', proposer, council.address)
      await write(owner, token, 'transfer', alice.address, parseEther('50000'))
      for (const account of [owner, alice]) await write(account, token, 'delegate', account.address)
      await travel(1n)
      const actions = [[token.address], [0n], [encodeFunctionData({ abi: token.abi, functionName: 'transfer', args: [bob.address, 500n] })]]
      const text = 'pay Bob'
      const proposal = await node.readContract({ ...council, functionName: 'hashProposal', args: [...actions, keccak256(stringToHex(text))] })
      await refuse(bob, council, 'propose', 'GovernorInsufficientProposerVotes', ...actions, text)
      await write(owner, council, 'propose', ...actions, text)
      await refuse(owner, council, 'castVote', 'GovernorUnexpectedProposalState', proposal, 1)
      await travel(day + 1n)
      await write(owner, council, 'castVote', proposal, 1)
      await write(alice, council, 'castVote', proposal, 0)
      await refuse(alice, council, 'castVote', 'GovernorAlreadyCastVote', proposal, 1)
      await read(council, 'proposalVotes', proposal)
      await travel(7n * day)
      const execution = [...actions, keccak256(stringToHex(text))]
      await write(bob, council, 'queue', ...execution)
      await refuse(bob, council, 'execute', 'TimelockUnexpectedOperationState', ...execution)
      await travel(2n * day)
      await write(bob, council, 'execute', ...execution)
      assert.equal(await read(token, 'balanceOf', bob.address), 500n)
      assert.equal(await read(council, 'state', proposal), 7) // executed
    },
  }

  for (const [chapter, run] of Object.entries(chapters)) {
    const before = await stateOf(node, forked)
    const rounds = []
    for (const round of ['first', 'second']) { // a chain that went back answers the same again
      const snapshot = await node.snapshot()
      const from = records.length
      await run()
      rounds.push(records.splice(from))
      await node.revert({ id: snapshot })
      assert.deepEqual(await stateOf(node, forked), before, `${chapter}: the state after the ${round} revert`)
    }
    assert.deepEqual(rounds[1], rounds[0], `${chapter}: the second round`)
    records.push(...rounds[0].map(([what, answer]) => [`${chapter}: ${what}`, answer]))
  }
  return records
}

/** Returns the newest block and the accounts of its state, or its root alone. */
async function stateOf(node, forked) {
  const { hash, number, timestamp, stateRoot } = await node.getBlock()
  if (forked) return { hash, number, timestamp, stateRoot }
  const dump = gunzipSync(Buffer.from((await node.dumpState()).slice(2), 'hex'))
  const accounts = dump[0] === '{'.charCodeAt() ? JSON.parse(dump).accounts : dump.toString('hex') // anvil's has blocks too
  return { hash, number, timestamp, accounts }
}
