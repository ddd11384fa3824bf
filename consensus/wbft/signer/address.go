// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package signer

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"syscall"
)

// Peer is the other end of a connection.
type Peer struct {
	Name     string // for texts
	Operator bool   // it is the user of the signer
}

// Listener accepts connections of processes that may use the signer.
type Listener interface {
	Accept() (net.Conn, Peer, error)
	Close() error
}

// socket is a Unix socket whose peers are checked by their credentials.
type socket struct {
	*net.UnixListener
	users map[uint32]bool
}

// ListenSocket listens at a path. A process of the own user may connect, and one of the users in others. The error of a
// socket in use names it.
func ListenSocket(path string, others ...uint32) (Listener, error) {
	if !filepath.IsAbs(path) {
		return nil, fmt.Errorf("the socket %s has no absolute path", path)
	}
	if info, err := os.Lstat(path); err == nil && info.Mode().Type() != fs.ModeSocket {
		return nil, fmt.Errorf("%s is no socket, and stays as it is: name another path", path)
	}
	if conn, err := net.Dial("unix", path); err == nil {
		_ = conn.Close() // nothing was sent
		return nil, fmt.Errorf("another process answers at %s: stop it first", path)
	} else if errors.Is(err, syscall.ECONNREFUSED) {
		if err := os.Remove(path); err != nil { // left by a process that was killed
			return nil, fmt.Errorf("remove old socket: %w", err)
		}
	} else if !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("look for old socket: %w", err)
	}
	listener, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		return nil, fmt.Errorf("listen: %w", err)
	}
	mode, users := fs.FileMode(0o600), map[uint32]bool{uint32(os.Getuid()): true}
	for _, user := range others {
		mode, users[user] = 0o666, true // credentials decide
	}
	if err := os.Chmod(path, mode); err != nil {
		return nil, errors.Join(fmt.Errorf("mode of the socket: %w", err), listener.Close())
	}
	return &socket{listener, users}, nil
}

// Accept implements Listener.
func (s *socket) Accept() (net.Conn, Peer, error) {
	conn, err := s.AcceptUnix()
	if err != nil {
		return nil, Peer{}, err
	}
	credentials, err := credentialsOf(conn)
	if err == nil && !s.users[credentials.Uid] {
		err = fmt.Errorf("process %d of user %d may not use the signer: name the user with --peer", credentials.Pid,
			credentials.Uid)
	}
	if err != nil {
		return nil, Peer{}, errors.Join(err, conn.Close())
	}
	return conn, Peer{
		Name:     fmt.Sprintf("process %d of user %d", credentials.Pid, credentials.Uid),
		Operator: credentials.Uid == uint32(os.Getuid()),
	}, nil
}

// credentialsOf returns process and user of the other end, as the kernel knows them.
func credentialsOf(conn *net.UnixConn) (*syscall.Ucred, error) {
	raw, err := conn.SyscallConn()
	if err != nil {
		return nil, err
	}
	var peer *syscall.Ucred
	var failed error
	if err := raw.Control(func(fd uintptr) {
		peer, failed = syscall.GetsockoptUcred(int(fd), syscall.SOL_SOCKET, syscall.SO_PEERCRED)
	}); err != nil {
		return nil, err
	}
	return peer, failed
}
