// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package fetcher

import "errors"

// IsStopped reports whether an error of a fetcher says that the fetcher has been stopped. It accuses no peer.
func IsStopped(err error) bool { return errors.Is(err, errTerminated) }
