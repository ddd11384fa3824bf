// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

// Package services has the commands that run beside a node until they are stopped: the sponsor of fees, the delivery of
// transfers to webhooks, and the load generator.
//
// What they do belongs to the packages sponsor, notify and loadtest.
package services
