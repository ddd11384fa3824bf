// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Package bindings encodes calls of the system contracts and decodes what they answer (spec system-contracts). Governance is what
// the four governing contracts have in common; the other types hold what each has beside it. GovMinter knows the functions of
// both its versions.
//
// Only functions that this repository calls are bound; contracts/bindings/generate lists them. Events and errors are in the
// ABI of package contracts.
//
// bindings.go is generated from contracts/artifacts by go-ethereum's abigen: make bindings. The functions are the same in the
// reference's contracts, so the bindings serve both.
package bindings
