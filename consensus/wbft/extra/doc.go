// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Package extra names what is derived from a header's WBFT items: the digests that seals sign, and the randao reveal
// with the mix that follows from it. The codec of extraData and the block hash are in core/types, where Header.Hash
// lives.
//
// Only functions of headers and keys enter. The package implements spec wbft 2.3 (randao), 2.4 and the digests of 1.4.
package extra
