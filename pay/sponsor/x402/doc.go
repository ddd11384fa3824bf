// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Package x402 judges and settles payments of the x402 protocol, version 2, scheme "exact", in the coin of the network.
// gwon-pay sponsor serves it.
//
// A payment is an authorization of EIP-3009 that a customer has signed: the coin's contract moves the amount when
// any account submits it. A shop asks to verify the authorization, delivers, and asks to settle it.
//
// What belongs here: the messages, the rules, the records of settlements. What asks a node, and what signs and pays
// transactions, is behind the interface Network.
//
// # Order of durable steps
//
// The authorizer and the nonce of an authorization identify a payment. One transaction is made for each payment:
//
//  1. Record. The signed call of the coin's contract is written down before anybody else sees it. A crash before this
//     step leaves nothing.
//  2. Send. The sponsor reserves, pays and submits it by its own durable steps. A crash here leaves the record. The
//     same request sends the same transaction again.
//  3. Answer. The receipt decides, and its result is written down. The same request has this answer from then on.
//
// A sponsor that refuses in step 2 has signed nothing, so that the record is removed.
package x402
