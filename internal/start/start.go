// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Package start runs the steps of a start, and undoes them.
package start

import (
	"errors"
	"slices"
	"sync"

	"github.com/ethereum/go-ethereum/log"
)

// Closers are functions that undo parts of a start. The zero value is ready for use.
type Closers struct {
	mu   sync.Mutex
	list []func() error
}

// Add appends a function that Close will call.
func (c *Closers) Add(f func() error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.list = append(c.list, f)
}

// Close calls the functions, newest first and each once, and returns their errors joined. A second call waits for the
// first one and returns nil.
func (c *Closers) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	var err error
	for _, f := range slices.Backward(c.list) {
		err = errors.Join(err, f())
	}
	c.list = nil
	return err
}

// Step is a named part of a start. Run adds to the closers what undoes it.
type Step struct {
	Name string
	Run  func(*Closers) error
}

// Run runs steps in their order. When one fails, the closers of those before it are called, newest first. The error
// of the step is returned, joined with theirs.
func Run(steps []Step, closers *Closers) error {
	for _, step := range steps {
		log.Debug("Start step begun", "step", step.Name)
		if err := step.Run(closers); err != nil {
			if closing := closers.Close(); closing != nil {
				return errors.Join(err, closing)
			}
			return err
		}
	}
	return nil
}
