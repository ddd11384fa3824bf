// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Package sponsor is a JSON-RPC endpoint that pays the fees of other accounts' transactions by a policy. It serves
// gwon-pay sponsor.
//
// A sender signs an ordinary transaction of type 2 and submits it to the sponsor. The sponsor judges it, adds its
// signature as fee payer, and submits the result to a node. It knows the node by JSON-RPC alone, so that any client of
// the network will do. The node knows no sponsor.
//
// What belongs here: policy, books, payers, endpoint. Signing formats are those of txsign and go-ethereum's types.
//
// # Order of durable steps
//
// A fee payer's signature has no expiry (spec transactions 1.2). Once it has left the process it is a debt until the
// sender's nonce is used. The books therefore follow these steps, each durable before the next one begins:
//
//  1. Reserve. One transaction of the store checks every budget and adds gas limit times fee cap to the reserved
//     amounts. It records the sender's whole transaction and the payer. A crash before this step leaves nothing.
//  2. Sign and submit. Both may be repeated. The same bytes get the same payer, and at most one transaction can use the
//     nonce. A crash here leaves a reservation. At the next start it is signed and submitted again.
//  3. Settle or release. Blocks are read in order. A block that has the sponsored transaction replaces the reserved
//     amount by the fee of the receipt. A reservation whose nonce is below that of the state after the head ends
//     without a fee, whatever has used the nonce: another transaction, an authorization, a creation by an account with
//     code. A crash before this step leaves the block unread, and it is read again.
//
// A known refusal of the node's pool at the first submission releases the reservation: nobody else has the signature.
// Any other failure releases nothing, and no clock does. Blocks are final (spec wbft), so that a settlement is never
// taken back.
//
// # What no block takes
//
// Senders can make their transactions impossible while they are reserved: coins leave, nonces before stay unused. Such
// a reservation ends since the payer makes its own signature worthless, by having no coins. Payers form lines. The last
// one of a line pays. Three steps, which the mover takes after each block and which follow from books and chain alone:
//
//  1. Leave. Too much is stuck on the last payer: the books get the next one, whose key is derived.
//  2. Move. The old payer sends its coins to the last one of its line, block after block until it has none.
//  3. End. The state of a block shows that the old payer has less than a reservation's gas costs at the lowest base
//     fee, and that no account before it has coins for a move. One write ends the reservation, or makes the last payer
//     that of what blocks may still have.
//
// # What counts
//
// The invariant: spent amounts, and what signatures can still take of the operator's coins, are within each budget.
//
//   - All that the last payer of a line has signed is reserved until the nonce is used.
//   - No coins of the operator come to a payer that was left: deposits go to an account that signs for no sender, moves
//     go to the last payer, and a sweep leaves its fee with it. A move leaves less than its own fee behind.
//   - A stranger's coins may come to any account. The books keep what has ended until its nonce is used, and read all
//     blocks meanwhile. What a block has of it counts as spent, beyond the budget by at most those coins.
package sponsor
