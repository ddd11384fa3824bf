// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Package txobject reads transaction objects of JSON-RPC, and makes whole transactions of them.
//
// What belongs here: which fields an object may have for each use, the form of each field, and what follows from a
// whole transaction: its cost, the call that estimates or tries it, the object that shows it. The node, the sponsor,
// the page of development networks and gwon-dev tx read objects by this package alone. The SDK for JavaScript has the
// same reader, and sdk/testdata/objects.jsonl holds both to the same verdicts.
//
// A field that cannot have an effect is refused by its name. Left out silently, it would be signed and paid for without
// it. The package knows no node and no network.
//
// The package serves spec transactions 1.2 and 5.4.
package txobject
