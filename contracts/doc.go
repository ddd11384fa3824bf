// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Package contracts holds the five system contracts of an Anzeon chain in our own Solidity (src), what a pinned compiler makes
// of it (artifacts), and the code by name and version.
//
// What may enter: sources, compiled code, bindings. How a genesis block uses them is told in package core, which rule holds in
// spec system-contracts, and what differs from the reference's contracts in docs/system-contracts.md.
//
// The artifacts are part of the source tree, so nobody needs a Solidity compiler to build gwon. `make contracts` makes them
// anew with Node.js and npm, to the byte.
package contracts
