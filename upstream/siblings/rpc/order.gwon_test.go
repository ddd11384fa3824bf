// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package rpc

import (
	"net/http"
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
)

// A request over HTTP that begins lets the others that are ready go first. With one processor they have all begun after
// a few requests; the runtime passes over them now and then.
func TestRequestsQueueUp(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	const others = 20
	var begun atomic.Int32
	for range others {
		go begun.Add(1)
	}
	for range 20 {
		newOutbox(&jsonCodec{conn: &httpServerConn{r: new(http.Request)}})
	}
	n := begun.Load()
	assert.Truef(t, n == others, "%d of %d others have begun", n, others)
}
