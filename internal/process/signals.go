// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package process

import (
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/ethereum/go-ethereum/log"
)

// StopOnSignal closes the node at the first SIGTERM or SIGINT. With a console, which has other uses for it, SIGINT is
// ignored. Later signals are answered with what the node waits for. The third one calls abandon and ends the process.
func StopOnSignal(node io.Closer, console bool, abandon func()) {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGTERM)
	if console {
		signal.Ignore(syscall.SIGINT)
	} else {
		signal.Notify(signals, syscall.SIGINT)
	}
	go func() {
		<-signals
		first := time.Now()
		log.Info("Shutting down")
		go func() { _ = node.Close() }() // the goroutine that waits for the node reports its error
		for left := 3; left > 0; left-- {
			<-signals
			if time.Since(first) < 2*time.Second { // shells and supervisors send several at once
				left++
				continue
			}
			if left > 1 {
				log.Warn("Still shutting down: the database is being closed. Interrupting it costs the newest state, "+
					"which the next start has to execute again", "interrupts", left-1)
			}
		}
		abandon()
		fmt.Fprintln(os.Stderr, "gwon: given up before the shutdown was complete")
		os.Exit(1)
	}()
}
