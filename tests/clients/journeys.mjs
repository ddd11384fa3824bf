// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// What the network's public documentation promises or tells its readers to do. Where it is wrong, the refusal says what to do.
import assert from 'node:assert/strict'
import { createHash, generateKeyPairSync, sign as signWith } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  concatHex, createPublicClient, createWalletClient, defineChain, encodeFunctionData, fromRlp, http, numberToHex, parseAbi, parseSignature,
  toHex, toRlp, zeroAddress, zeroHash,
} from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { earlyState, freePort, rpc, run, startFollower, until } from './chain.mjs'
import { addFeePayer } from './feedelegation.mjs'

export const name = 'documentation'

const coin = '0x0000000000000000000000000000000000001000'
const coinAbi = parseAbi([
  'function name() view returns (string)', 'function decimals() view returns (uint8)', 'function nonces(address) view returns (uint256)',
  'function balanceOf(address) view returns (uint256)', 'function allowance(address,address) view returns (uint256)',
  'function transfer(address,uint256) returns (bool)', 'function approve(address,uint256) returns (bool)',
  'function transferFrom(address,address,uint256) returns (bool)',
  'function permit(address,address,uint256,uint256,uint8,bytes32,bytes32)',
  'function transferWithAuthorization(address,address,uint256,uint256,uint256,bytes32,uint8,bytes32,bytes32)',
  'function receiveWithAuthorization(address,address,uint256,uint256,uint256,bytes32,uint8,bytes32,bytes32)',
  'function cancelAuthorization(address,bytes32,uint8,bytes32,bytes32)',
])
const coinManager = '0x0000000000000000000000000000000000b00002'
const accountManager = '0x0000000000000000000000000000000000b00003'
const managerAbi = parseAbi([
  'function isAuthorized(address) view returns (bool)', 'function isBlacklisted(address) view returns (bool)',
  'function blacklist(address)', 'function authorize(address)', 'function mint(address,uint256)',
])
const flags = { isBlacklisted: 2n ** 63n, isAuthorized: 2n ** 62n } // of an account's extra
const gwei = 10n ** 9n

/** Returns an input of the precompile 0x100: hash, r, s, x and y of a signature of a new key on the curve P-256. */
function signedWithP256() {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
  const message = Buffer.from('a passkey signs')
  const { x, y } = publicKey.export({ format: 'jwk' })
  return toHex(Buffer.concat([createHash('sha256').update(message).digest(),
    signWith('sha256', message, { key: privateKey, dsaEncoding: 'ieee-p1363' }), Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')]))
}

/** Returns a genesis file as chainbench writes it: contracts of version v1, no Boho, every field of the header. */
function benchGenesis(file) {
  const genesis = JSON.parse(readFileSync(file, 'utf8'))
  const { feePayerCheckBlock, ...anzeon } = genesis.config.anzeon
  for (const contract of Object.values(anzeon.systemContracts)) contract.version = 'v1'
  const { depositContractAddress, boho, bohoBlock, ...config } = genesis.config
  return {
    ...genesis, config: { ...config, anzeon }, nonce: '0x0', timestamp: '0x0', extraData: '0x00', gasLimit: '0x1312d00', difficulty: '0x0',
    mixHash: zeroHash, coinbase: zeroAddress, number: '0x0', gasUsed: '0x0', parentHash: zeroHash, baseFeePerGas: '0x3b9aca00',
    excessBlobGas: null, blobGasUsed: null,
  }
}

export function features({ url, chainId, key, payer, isPublic, operator }) {
  const chain = defineChain({
    id: chainId, name: 'WKRC', nativeCurrency: { name: 'WKRC', symbol: 'WKRC', decimals: 18 }, rpcUrls: { default: { http: [url] } },
  })
  const account = privateKeyToAccount(key)
  const client = createPublicClient({ chain, transport: http(), pollingInterval: 200 })
  const wallet = createWalletClient({ account, chain, transport: http() })
  const ask = (method, ...params) => rpc(url, method, params)
  const mined = async (hash) => {
    const receipt = await client.waitForTransactionReceipt({ hash, timeout: 30_000 })
    assert.equal(receipt.status, 'success')
    return receipt
  }
  const transfer = (fields) => ({ to: account.address, value: 1n, gas: 21000n, ...fields })
  const sign = async (fields) => account.signTransaction({
    chainId, nonce: await client.getTransactionCount({ address: account.address, blockTag: 'pending' }), ...transfer(fields),
  })
  const fees = async () => client.estimateFeesPerGas()
  const write = async (functionName, args) => mined(await wallet.writeContract({ address: coin, abi: coinAbi, functionName, args }))
  const typed = async (primaryType, fields, message) => {
    const { v, r, s } = parseSignature(await account.signTypedData({
      domain: { name: 'WKRC', version: '1', chainId, verifyingContract: coin }, primaryType,
      types: { [primaryType]: fields.map(([type, name]) => ({ type, name })) }, message,
    }))
    return [Number(v), r, s]
  }
  const authorization = [['address', 'from'], ['address', 'to'], ['uint256', 'value'], ['uint256', 'validAfter'],
    ['uint256', 'validBefore'], ['bytes32', 'nonce']]
  return {
    read: async () => {
      for (const tag of ['latest', 'earliest', 'pending']) {
        assert.ok(BigInt(await earlyState(url, ask('eth_getBalance', account.address, tag)) ?? 0n) >= 0n, tag)
        assert.ok((await ask('istanbul_getValidators', tag)).length > 0, tag)
      }
      assert.ok(await ask('istanbul_getWbftExtraInfo', 'latest'))
      const history = await ask('eth_feeHistory', '0x4', 'latest', [50])
      assert.ok(history.reward.every(([tip]) => BigInt(tip) > 0n))
      for (const method of ['txpool_status', 'eth_gasPrice', 'net_version', 'eth_syncing', 'net_peerCount', 'web3_clientVersion']) {
        assert.notEqual(await ask(method), undefined, method)
      }
    },
    send: async () => {
      const { maxFeePerGas, maxPriorityFeePerGas } = await fees()
      for (const fields of [{}, { type: 'legacy' }, { type: 'eip2930', accessList: [] }, { type: 'eip1559' },
        { maxFeePerGas: 80_000n * gwei, maxPriorityFeePerGas: 27_600n * gwei }]) {
        const { blockHash } = await mined(await wallet.sendTransaction(transfer(fields)))
        assert.ok((await ask('eth_getReceiptsByHash', blockHash)).length > 0)
      }
      await assert.rejects(async () => ask('eth_sendRawTransaction', await sign({ maxFeePerGas, maxPriorityFeePerGas: gwei })),
        /gas tip cap 1000000000, minimum needed/)
      const many = await ask('eth_sendRawTransactions', [await sign({ maxFeePerGas, maxPriorityFeePerGas })])
      assert.equal(many.length, 1)
      await until('the batch is mined', async () => ask('eth_getTransactionReceipt', many[0]?.hash ?? many[0]))
    },
    call: async () => {
      const read = (functionName, args = []) => client.readContract({ address: coin, abi: coinAbi, functionName, args })
      assert.equal(await read('decimals'), 18)
      assert.equal(await read('name'), 'WKRC')
      const to = privateKeyToAccount(generatePrivateKey()).address
      await write('transfer', [to, 5n])
      assert.equal(await read('balanceOf', [to]), await client.getBalance({ address: to }))
      const deadline = 2n ** 64n
      await write('permit', [account.address, to, 7n, deadline, ...await typed('Permit', [['address', 'owner'], ['address', 'spender'],
        ['uint256', 'value'], ['uint256', 'nonce'], ['uint256', 'deadline']],
      { owner: account.address, spender: to, value: 7n, nonce: await read('nonces', [account.address]), deadline })])
      assert.equal(await read('allowance', [account.address, to]), 7n)
      await write('approve', [payer.address, 11n])
      const spender = createWalletClient({ account: privateKeyToAccount(payer.privateKey), chain, transport: http() })
      const take = { address: coin, abi: coinAbi, functionName: 'transferFrom', args: [account.address, to, 6n] }
      const before = await read('balanceOf', [to])
      await mined(await spender.writeContract(take))
      assert.equal(await read('balanceOf', [to]), before + 6n)
      assert.equal(await read('allowance', [account.address, payer.address]), 5n)
      await assert.rejects(spender.writeContract(take), /revert/i) // no more than what is left
      for (const [type, receiver] of [['TransferWithAuthorization', to], ['ReceiveWithAuthorization', account.address]]) {
        const message = { from: account.address, to: receiver, value: 3n, validAfter: 0n, validBefore: deadline, nonce: generatePrivateKey() }
        await write(type[0].toLowerCase() + type.slice(1), [...Object.values(message), ...await typed(type, authorization, message)])
      }
      assert.equal(await read('balanceOf', [to]), 14n)
      const nonce = generatePrivateKey()
      await write('cancelAuthorization', [account.address, nonce, ...await typed('CancelAuthorization', [['address', 'authorizer'],
        ['bytes32', 'nonce']], { authorizer: account.address, nonce })])
    },
    script: async () => {
      const delegate = privateKeyToAccount(generatePrivateKey())
      const signed = await delegate.signAuthorization({ contractAddress: coin, chainId, nonce: 0 })
      await mined(await wallet.sendTransaction({ authorizationList: [signed], to: account.address }))
      assert.equal((await client.getCode({ address: delegate.address })).toLowerCase(), `0xef0100${coin.slice(2)}`)
      const signature = signedWithP256()
      const verify = (data) => ask('eth_call', { to: '0x0000000000000000000000000000000000000100', data }, 'latest')
      assert.equal(await verify(signature), numberToHex(1n, { size: 32 }))
      assert.equal(await verify(`0x01${signature.slice(4)}`), '0x')
      const trace = (tracer) => ask('debug_traceCall', { to: coin, data: encodeFunctionData({ abi: coinAbi, functionName: 'decimals' }) },
        'latest', { tracer })
      const operations = '{ops: [], step: function(log) { this.ops.push(log.op.toString()) }, fault: function() {}, ' +
        'result: function() { return this.ops }}'
      if (isPublic) {
        await assert.rejects(trace(operations), /debug_traceCall does not exist\/is not available/)
      } else {
        assert.ok((await trace(operations)).includes('RETURN'))
        assert.ok((await trace('prestateTracer'))[coin].code.length > 2)
      }
      const { extra, address } = await ask('eth_getProof', account.address, [], 'latest')
      assert.equal(address.toLowerCase(), account.address.toLowerCase())
      assert.equal(extra, undefined) // no flag is set
      const manage = (functionName, args = [account.address], to = accountManager, override = {}) => ask('eth_call',
        { from: payer.address, to, data: encodeFunctionData({ abi: managerAbi, functionName, args }) }, 'latest', override)
      for (const [getter, flag] of Object.entries(flags)) {
        assert.equal(BigInt(await manage(getter)), 0n, getter)
        for (const [set, other] of Object.entries(flags)) {
          const override = { [account.address]: { extra: numberToHex(other) } }
          const flagged = await manage(getter, [account.address], accountManager, override)
          assert.equal(BigInt(flagged), flag === other ? 1n : 0n, `${getter} of an account with ${set}`)
        }
      }
      for (const refused of [['blacklist'], ['authorize'], ['mint', [account.address, 1n], coinManager]]) {
        await assert.rejects(manage(...refused), /native manager: caller is not authorized/)
      }
      for (const [data, text] of [['0x12', 'invalid method selector length'], ['0x12345678', 'invalid method'],
        ['0xfe575a87', 'invalid input length']]) {
        await assert.rejects(ask('eth_call', { to: accountManager, data }, 'latest'), new RegExp(`native manager: ${text}$`))
      }
      const receipt = await client.waitForTransactionReceipt({ hash: await wallet.sendTransaction({
        to: accountManager, gas: 100_000n, data: encodeFunctionData({ abi: managerAbi, functionName: 'blacklist', args: [payer.address] }),
      }), timeout: 30_000 })
      assert.equal(receipt.status, 'reverted')
      assert.equal(BigInt(await manage('isBlacklisted', [payer.address])), 0n)
    },
    deploy: async () => { // forge create --priority-gas-price asks for an estimate with a tip and no cap
      const tip = toHex(27_600n * gwei)
      assert.ok(BigInt(await ask('eth_estimateGas', { from: account.address, to: coin, maxPriorityFeePerGas: tip,
        data: encodeFunctionData({ abi: coinAbi, functionName: 'approve', args: [coin, 1n] }) })) > 21000n)
    },
    events: async () => {
      const block = await ask('eth_newBlockFilter')
      const logs = await ask('eth_newFilter', { address: coin })
      await mined(await wallet.sendTransaction(transfer({})))
      await until('the filters have something', async () => (await ask('eth_getFilterChanges', logs)).length > 0)
      assert.ok((await ask('eth_getFilterChanges', block)).length > 0)
      assert.equal(await ask('eth_uninstallFilter', block), true)
    },
    'fee delegation': async () => {
      const { maxFeePerGas, maxPriorityFeePerGas } = await fees()
      const good = await addFeePayer(await sign({ maxFeePerGas, maxPriorityFeePerGas }), payer)
      assert.ok((await mined(await client.sendRawTransaction({ serializedTransaction: good }))).feePayer)
      const flat = `0x16${toRlp([toHex(chainId), '0x', ...Array(12).fill('0x01')]).slice(2)}`
      await assert.rejects(ask('eth_sendRawTransaction', flat),
        /a fee-delegated transaction is 0x16 and the RLP of \[\[the sender's twelve fields\], fee payer, v, r, s\]/)
      const sender = fromRlp(`0x${(await sign({ maxFeePerGas, maxPriorityFeePerGas })).slice(4)}`, 'hex')
      const unpaid = (feePayer) => ask('eth_sendRawTransaction', concatHex(['0x16', toRlp([sender, feePayer, '0x', '0x', '0x'])]))
      await assert.rejects(unpaid('0x'), /^Error: fee delegation: feePayer not set$/)
      await assert.rejects(unpaid(payer.address), /^Error: fee delegation: invalid feePayer$/)
    },
    operator: operator && (async () => {
      const { gwon, dir, devnet } = operator
      mkdirSync(dir, { recursive: true })
      const file = (name, text) => { writeFileSync(join(dir, name), text, { mode: 0o600 }); return join(dir, name) }
      const genesis = benchGenesis(join(devnet.datadir, 'genesis.json'))
      const init = (name) => run(gwon,
        ['--datadir', join(dir, name), 'init', file(`${name}.json`, JSON.stringify(genesis))], { all: true })
      assert.match(await init('bench'), /System contracts have their storage but no code.*hashWithCode=[0-9a-f]{6}/)
      genesis.config.anzeon.systemContracts.govCouncil.params.blacklistedAddresses = payer.address
      assert.match(await init('overlay'),
        /WARN.*Unknown contract parameters ignored.*contract=govCouncil.*unknown=\[blacklistedAddresses\]/)

      // The start line of the validator guide.
      const password = file('password', 'a password\n')
      const data = join(dir, 'node')
      const made = await run(gwon, ['--datadir', data, 'account', 'new', '--lightkdf', '--password', password])
      const [unlocked] = /0x[0-9a-fA-F]{40}/.exec(made)
      const metricsPort = await freePort()
      const node = await startFollower(gwon, data, devnet, ['--mine', '--nodekeyhex', generatePrivateKey().slice(2),
        '--unlock', unlocked, '--password', password, '--allow-insecure-unlock', '--rpc.enabledeprecatedpersonal',
        '--syncmode', 'full', '--miner.etherbase', unlocked, '--http', '--http.addr', '127.0.0.1',
        '--http.api', 'eth,net,web3,personal,istanbul,admin', '--authrpc.addr', '127.0.0.1', '--authrpc.port', '8551',
        '--authrpc.vhosts', 'localhost', '--authrpc.jwtsecret', file('jwt', '0x00'),
        '--metrics', '--metrics.addr', '127.0.0.1', '--metrics.port', String(metricsPort)])
      try {
        for (const flag of ['authrpc.addr', 'authrpc.port', 'authrpc.vhosts', 'authrpc.jwtsecret', 'miner.etherbase']) {
          assert.match(node.log(), new RegExp(`WARN.*Flag has no effect.*flag=--${flag} `), flag)
        }
        const wallets = await rpc(node.url, 'personal_listWallets')
        const holds = (w) => w.accounts?.some((a) => a.address.toLowerCase() === unlocked.toLowerCase())
        assert.equal(wallets.find(holds)?.status, 'Unlocked')
        for (const path of ['/metrics', '/debug/metrics/prometheus']) {
          const text = await (await fetch(`http://127.0.0.1:${metricsPort}${path}`)).text()
          for (const metric of ['chain_head_block', 'wbft_', 'txpool_pending', 'p2p_peers']) {
            assert.match(text, new RegExp(`^${metric}\\S* \\S+$`, 'm'), `${path}: ${metric}`)
          }
        }
      } finally {
        await node.stop()
      }
    }),
  }
}
