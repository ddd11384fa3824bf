// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Package devchain is the developer chain of gwon-dev node: one validator that seals when it is told to, a state that
// test methods change between two blocks, a clock that can be moved, and accounts that can be impersonated.
//
// A change of the state belongs to the block before it. The header of that block stays as it is. A reader
// of the state after the block sees the change, and the next block begins with it and names its root in the vanity of
// its header (docs/adr/0050). Blocks keep every other rule of the chain, and those that test methods override are
// marked there too.
//
// What may enter: the methods of evm, hardhat, anvil and gwon, and what they need. Nothing of it is imported by
// consensus, the pool or the node service: the command alone puts it into a node. It realizes no section of the
// specification.
package devchain
