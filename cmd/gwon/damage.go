// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package main

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"
)

// repair is the cure for a chain database that cannot be read.
const repair = "check the disk, then restore the directory from a backup, or remove the chain with gwon removedb, which keeps keys " +
	"and votes, and sync again"

// fatalPrefix begins what upstream's logger of the key-value store panics with: the store goes on after no such error.
const fatalPrefix = "fatal: "

// damageText returns what a panic says about a damaged file of the key-value store. Any other panic goes on.
func damageText(fault any) string {
	text := fmt.Sprint(fault)
	if _, isError := fault.(error); !isError || !strings.HasPrefix(text, fatalPrefix) {
		panic(fault)
	}
	text, _, _ = strings.Cut(strings.TrimPrefix(text, fatalPrefix), "\n")
	return strings.TrimSpace(text)
}

// explainDamage turns a panic about a damaged file of the key-value store into an error with the cure. Any other panic
// goes on. It is deferred.
func explainDamage(err *error) {
	if fault := recover(); fault != nil {
		*err = fmt.Errorf("the chain database is damaged: %s: %s", damageText(fault), repair)
	}
}

// openError completes the error of a chain database that cannot be opened. A lock, missing permission and a full disk are no damage.
func openError(err error) error {
	if isLocked(err) || errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.ENOSPC) {
		return fmt.Errorf("open chain database: %w", err)
	}
	return fmt.Errorf("the chain database is damaged: %w: %s", err, repair)
}
