// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package main

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gwon/internal/must"
)

// A page in Korean begins with the hash of the page that it translates. It differs when that page has changed since.
func TestTranslationsAreCurrent(t *testing.T) {
	pages, err := filepath.Glob("../../docs/*/ko/*.md")
	must.That(t, err == nil && len(pages) != 0, "%d pages, %v", len(pages), err)
	for _, page := range pages {
		t.Run(filepath.ToSlash(page[len("../../"):]), func(t *testing.T) {
			original := must.Get(os.ReadFile(filepath.Join(filepath.Dir(page), "..", filepath.Base(page))))(t)
			text := must.Get(os.ReadFile(page))(t)
			first, _, _ := strings.Cut(string(text), "\n")
			if want := fmt.Sprintf("<!-- translates %.8x -->", sha256.Sum256(original)); first != want {
				t.Errorf("the page begins with %q: translate what has changed in its original, and begin with %q", first, want)
			}
		})
	}
}
