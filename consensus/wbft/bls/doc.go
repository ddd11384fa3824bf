// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Package bls holds the BLS12-381 signatures of WBFT seals: keys derived from the node key, public keys in G1 (48
// bytes compressed), signatures in G2 (96 bytes compressed), ciphersuite BLS_SIG_BLS12381G2_XMD:SHA-256_SSWU_RO_POP_.
//
// The package knows no blocks, validators or messages. Every byte string from outside is checked for length, curve and
// subgroup before it is used. Its only state are caches of decoded public keys, of hashed messages and of own
// signatures.
//
// The package implements spec wbft 2.1 and 2.2, and the curve arithmetic of 2.4 and 2.5.
package bls
