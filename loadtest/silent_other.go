// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

//go:build !unix

package loadtest

import "net"

// silent tells that a connection is open and has nothing to read; here nobody knows.
func silent(net.Conn) bool { return false }
