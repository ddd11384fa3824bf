// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package filters

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A search that panics, or fails, is an error of its query and gives its permit back (spec: rpc 2.6).
func TestEachGivesPermitsBack(t *testing.T) {
	for name, fault := range map[string]func() error{
		"panic": func() error { panic("damaged") },
		"error": func() error { return errors.New("log search crashed") },
	} {
		t.Run(name, func(t *testing.T) {
			for range 2*cap(searchWorkers()) + 1 {
				err := each(t.Context(), 4, func(i int) error {
					if i%2 == 1 {
						return fault()
					}
					return nil
				})
				require.Truef(t, err != nil && strings.Contains(err.Error(), "log search crashed"), "error %v", err)
			}
			require.Equal(t, 0, len(searchWorkers()), "permits are still taken")
		})
	}
}
