// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Package contracts holds gwon's own five system contracts of an Anzeon chain. It has their Solidity sources (src),
// their compiled form (artifacts), and access to the code by name and version.
//
// The package contains sources, compiled code and bindings. Package core defines their use in a genesis block, spec
// system-contracts their rules, and docs/system-contracts.md the differences from go-stablenet's contracts.
//
// The artifacts are part of the source tree: a build of gwon needs no Solidity compiler. `make contracts` compiles
// them again with Node.js and npm, with the same result to the byte.
package contracts
