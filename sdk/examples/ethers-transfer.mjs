// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Sends coins, and another account pays the gas: a sponsor (SPONSOR), or one whose key is here (PAYER_KEY).
// Usage: KEY=0x... SPONSOR=URL node ethers-transfer.mjs TO AMOUNT
import { Wallet } from 'ethers'
import { parseWon, SponsoredProvider, SponsoredSigner, WkrcProvider, won } from '@gwon/sdk/ethers'

const { RPC = 'http://127.0.0.1:8545', KEY, SPONSOR, PAYER_KEY } = process.env
const [to, amount] = process.argv.slice(2)

const provider = SPONSOR ? new SponsoredProvider(RPC, SPONSOR) : new WkrcProvider(RPC)
const sender = new Wallet(KEY, provider)
const signer = SPONSOR ? sender : new SponsoredSigner(sender, new Wallet(PAYER_KEY))

const response = await signer.sendTransaction({ to, value: parseWon(amount) })
const receipt = await response.wait()
console.log(`${amount} to ${to}, and ${receipt.feePayer} paid the fee of ${won(receipt.fee, { digits: 2 })}`)
provider.destroy()
