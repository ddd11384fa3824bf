// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Package wkrc is the Go client library of the WKRC network, on stock go-ethereum.
//
// The network has one transaction type that go-ethereum does not know: type 0x16, in which a fee payer pays the gas of
// a type-2 transaction. [Transaction] holds that type and every other one. [AddFeePayer] makes one of it, [Decode]
// reads one strictly.
//
// [Client] is an [ethclient.Client] that reads blocks and transactions of every type. [Client.Sponsored] makes a
// backend for abigen bindings out of it, whose senders need no coins for gas.
//
// Amounts are wei: a coin is 10^18 wei. Import the package under its name:
//
//	import wkrc "gwon/sdk/go"
package wkrc
