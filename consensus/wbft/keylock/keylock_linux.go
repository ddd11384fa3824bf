// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package keylock

import (
	"errors"
	"fmt"
	"io"
	"net"
	"syscall"
	"time"

	"github.com/ethereum/go-ethereum/common"
)

// Acquire takes the lock of a validator on the chain with a genesis block, until it is closed or the process ends. The
// error wraps ErrInUse if another process, or another part of this one, has the lock.
func Acquire(validator common.Address, genesis common.Hash) (io.Closer, error) {
	address := &net.UnixAddr{Net: "unix", Name: "@" + name(validator, genesis)}
	listener, err := net.ListenUnix("unix", address)
	if errors.Is(err, syscall.EADDRINUSE) {
		return nil, inUse(validator, holder(address))
	}
	if err != nil {
		return nil, fmt.Errorf("lock of validator %v: %w", validator, err)
	}
	return listener, nil
}

// holder returns a description of the process that listens at an address, empty if it cannot be found.
func holder(address *net.UnixAddr) string {
	dialer := net.Dialer{Timeout: time.Second}
	conn, err := dialer.Dial(address.Net, address.Name)
	if err != nil {
		return ""
	}
	defer func() { _ = conn.Close() }() // nothing was sent
	raw, err := conn.(*net.UnixConn).SyscallConn()
	if err != nil {
		return ""
	}
	var peer *syscall.Ucred
	if raw.Control(func(fd uintptr) {
		peer, err = syscall.GetsockoptUcred(int(fd), syscall.SOL_SOCKET, syscall.SO_PEERCRED)
	}) != nil || err != nil {
		return ""
	}
	return fmt.Sprintf(", process %d of user %d", peer.Pid, peer.Uid)
}
