// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

//go:build unix

package loadtest

import (
	"errors"
	"net"
	"syscall"
)

// silent tells that a connection is open and has nothing to read.
func silent(conn net.Conn) bool {
	socket, ok := conn.(syscall.Conn)
	if !ok {
		return false
	}
	raw, err := socket.SyscallConn()
	if err != nil {
		return false
	}
	waits := false
	err = raw.Control(func(fd uintptr) {
		_, _, err := syscall.Recvfrom(int(fd), make([]byte, 1), syscall.MSG_PEEK) // of package net's sockets, none of which blocks
		waits = errors.Is(err, syscall.EAGAIN)
	})
	return err == nil && waits
}
