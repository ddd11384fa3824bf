// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package main

import (
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/ethereum/go-ethereum/cmd/utils"
	"github.com/ethereum/go-ethereum/log"
	"github.com/ethereum/go-ethereum/node"
)

const (
	sameStop   = 2 * time.Second // a signal within this time of the first one belongs to it: shells and supervisors send several
	impatience = 3               // signals after that until the node is given up
)

// stopOnSignal closes the node at the first SIGTERM or, except with a console, which has other uses for it, SIGINT. Somebody who
// goes on interrupting is told what the node is waiting for, and in the end obeyed.
func stopOnSignal(stack *node.Node, console bool) {
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
		go stack.Close() // who waits for the node reports its error
		for left := impatience; left > 0; left-- {
			<-signals
			if time.Since(first) < sameStop {
				left++
				continue
			}
			if left > 1 {
				log.Warn("Still shutting down: the database is being closed. Interrupting it costs the newest state, which the next "+
					"start has to execute again", "interrupts", left-1)
			}
		}
		utils.DebugExit()
		fmt.Fprintln(os.Stderr, "gwon: given up before the shutdown was complete")
		os.Exit(1)
	}()
}
