// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

// Package payments has the commands of gwon-pay, which run beside a node until they are stopped: the sponsor of fees
// and the delivery of transfers to webhooks.
//
// What they do belongs to the packages pay/sponsor and pay/notify.
package payments
