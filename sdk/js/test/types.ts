// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// What a user writes has to compile, and what is wrong has not to. Nothing of this runs.
import { Contract, Wallet, type Signer } from 'ethers'
import { createPublicClient, createWalletClient, http, parseAbi, type Address, type Hash } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { decode, SdkError, won } from '@gwon/sdk'
import { FeeDelegatedTransaction, SponsoredProvider, SponsoredSigner, WkrcProvider } from '@gwon/sdk/ethers'
import * as payments from '@gwon/sdk/payments'
import {
  parse,
  sponsored,
  wkrcActions,
  wkrcDevnet,
  wkrcMainnet,
  wkrcTestnet,
  type ParsedFeeDelegated,
  type WkrcTransaction,
} from '@gwon/sdk/viem'

const key: Hash = '0x'
const [account, feePayer] = [privateKeyToAccount(key), privateKeyToAccount(key)]
const abi = parseAbi(['function approve(address spender, uint256 value) returns (bool)'])
const to: Address = '0x'

export async function withViem(): Promise<void> {
  const wallet = createWalletClient({ account, chain: wkrcTestnet, transport: sponsored('http://sponsor', http()) })
  await wallet.sendTransaction({ to, value: 1n })
  await wallet.sendTransaction({ to, value: 1n, feePayer })
  await wallet.sendTransaction({ to, value: 1n, feePayer, type: 'feeDelegated' })
  await wallet.writeContract({ address: to, abi, functionName: 'approve', args: [to, 1n], feePayer })
  // @ts-expect-error a fee payer is an account that signs
  await wallet.sendTransaction({ to, feePayer: to })
  // @ts-expect-error a legacy transaction has no fee payer
  await wallet.sendTransaction({ to, feePayer, type: 'legacy' })
  // @ts-expect-error the function has two arguments
  await wallet.writeContract({ address: to, abi, functionName: 'approve', args: [to], feePayer })

  const client = createPublicClient({ chain: wkrcDevnet, transport: http() }).extend(wkrcActions())
  const transaction: WkrcTransaction = await client.getTransaction({ hash: key })
  if (transaction.type === 'feeDelegated') {
    const payer: Address = transaction.feePayer
    const parity: 0 | 1 = transaction.feePayerSignature.yParity
    void [payer, parity]
  }
  const receipt = await client.getTransactionReceipt({ hash: key })
  const paidBy: Address | undefined = receipt.feePayer
  const block = await client.getBlock({ includeTransactions: true })
  const payers: (Address | undefined)[] = block.transactions.map((each) => each.feePayer)
  const tip: bigint = (await client.getWbftExtraInfo({ blockNumber: 1n })).gasTip
  const parsed: ParsedFeeDelegated = await parse({ transaction: key, chainId: wkrcMainnet.id })
  // @ts-expect-error the chain has to be given
  await parse({ transaction: key })
  void [paidBy, payers, tip, parsed, client.multicall({ contracts: [] })]
}

export async function withEthers(): Promise<void> {
  const provider: WkrcProvider = new SponsoredProvider('http://node', 'http://sponsor')
  const signer: Signer = new SponsoredSigner(new Wallet(key, provider), new Wallet(key), { maxFee: 1n })
  await new Contract(to, ['function approve(address, uint256)'], signer).getFunction('approve').send(to, 1n)
  const { feePayer: payer }: { feePayer: string } = FeeDelegatedTransaction.from(key, 8283)
  void payer
}

export async function withPayments(): Promise<string> {
  const client = createWalletClient({ account, chain: wkrcDevnet, transport: http() })
  const request = await payments.request({ client, merchant: to, invoice: 'A', amount: 1n, due: new Date() })
  const authorization = await payments.sign({ request, signer: account })
  await payments.sign({ request, signer: client })
  await payments.sign({ request, signer: new Wallet(key) })
  await payments.sign({ request, signer: { request: async () => key } })
  // @ts-expect-error a signer signs typed data
  await payments.sign({ request, signer: {} })
  await payments.submit({ client, request, authorization })
  const { payment } = await payments.status({ client, request })
  // @ts-expect-error errors are not swallowed
  payments.watch({ client, merchant: to, fromBlock: 0n, find: () => request, onPayment: () => {} })
  try {
    decode(key)
  } catch (error) {
    if (error instanceof SdkError) return error.code
  }
  return won(payment?.value ?? 0n)
}
