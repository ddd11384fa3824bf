// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Package bindings encodes calls of the system contracts and decodes their results (spec system-contracts).
// Governance holds the functions that the four governance contracts share. The other types hold the remaining
// functions of each contract. GovMinter has the functions of both its versions.
//
// Only functions that this repository calls are bound; contracts/bindings/generate lists them. Events and errors are
// in the ABI of package contracts.
//
// `make bindings` generates bindings.go from contracts/artifacts with go-ethereum's abigen. go-stablenet's contracts
// have the same functions, so the bindings serve both.
package bindings
