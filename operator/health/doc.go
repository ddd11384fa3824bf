// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Package health decides whether a node is alive and ready, and answers probes over HTTP.
//
// A Checker is given facts about the node once a second and turns them into five criteria: age of the head, sync,
// peers, consensus and disk. A probe reads the last result and costs the node nothing. A criterion that failed is
// fulfilled again only after it has been so for a while, so that a balancer does not see a node come and go.
//
// What may enter: criteria, their limits and their presentation. The package imports nothing of gwon; the command tells
// it the facts.
package health
