// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Package doctor looks for what is wrong with a node and its machine, while the node runs and while it does not.
//
// Each check gives findings: one sentence with the cure, and a level. A check changes nothing but for small files that
// it removes again. What may enter: checks and their presentation. The command tells the package what belongs to
// the node.
package doctor
