// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

// Package nodestart starts a node as a list of named steps: configuration, data directory, chain, services, endpoints,
// health probes, metrics. gwon starts a node of a network, and gwon-dev one with a chain of its own.
package nodestart
