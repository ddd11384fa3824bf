// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Package signer keeps the keys of a validator in a process of their own, gwon-signer, and lets a node use them over a
// socket. The process has the node key, the BLS key and the vote log.
//
// The Server signs a consensus message only when signing.Book allows it, and after its own vote log has the message on
// disk. So a node that was taken over obtains no two messages that contradict each other. Requests carry the whole
// message, never a hash. One node at a time may sign.
//
// Package wire has the requests, and package remote the node's end.
//
// Files:
//
//	guard.go     what is signed, and recorded before
//	peer.go      signatures and secrets of the peer-to-peer network
//	server.go    connections, and the right to sign
//	tls.go       TCP with certificates on both sides
//	address.go   where a signer listens
//
// The package implements spec wbft 9.1 no. 3 for a node without a key.
package signer
