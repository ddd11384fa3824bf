// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Package txrequest makes transactions of descriptions, has them signed, and submits them. It serves gwon-dev tx.
// Keys stay with the caller, which signs with a function. Nothing but Submit and Await uses a network.
package txrequest
