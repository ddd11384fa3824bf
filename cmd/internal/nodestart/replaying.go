// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package nodestart

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strconv"

	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/log"
	gethrpc "github.com/ethereum/go-ethereum/rpc"

	"gwon/eth/persist"
	"gwon/internal/door"
	"gwon/internal/start"
	"gwon/operator/health"
)

// Bounds of a request to a node that executes stored blocks again.
const replayingBatch = 100 // calls

// replaying serves the endpoints of the node while it executes stored blocks again, until end is called: probes,
// metrics, and JSON-RPC with an error that says how far it is. The node takes their addresses afterwards.
func (s *nodeStart) replaying(replay *persist.Replay) (end func()) {
	closers, handlers := new(start.Closers), health.Replaying(replay.Progress)
	note := func(err error) {
		if err != nil {
			log.Warn("Endpoint closed until stored blocks are executed again", "err", err)
		}
	}
	if s.metrics != nil {
		s.metrics.handlers = handlers
		if err := s.metrics.Start(); err == nil {
			closers.Add(s.metrics.Stop)
		} else {
			note(err)
		}
	}
	mux := http.NewServeMux()
	for pattern, handler := range handlers {
		mux.Handle(pattern, handler)
	}
	mux.Handle("/", replayingCalls(replay.Progress))
	for _, address := range s.clientAddresses() {
		note(serveUntil(closers, address, mux))
	}
	if path := s.cfg.Node.IPCEndpoint(); path != "" {
		listener, server, err := gethrpc.StartBoundedIPC(path, []gethrpc.API{
			{Namespace: "eth", Service: replayingAPI{replay.Progress}},
			{Namespace: "web3", Service: replayingProgram{replay.Progress}},
		})
		if note(err); err == nil {
			closers.Add(func() error {
				server.Stop()
				return listener.Close()
			})
		}
	}
	return func() { note(closers.Close()) }
}

// clientAddresses returns the addresses of the endpoints for clients.
func (s *nodeStart) clientAddresses() (addresses []string) {
	cfg := &s.cfg.Node
	if cfg.HTTPHost != "" && cfg.HTTPPort != 0 {
		addresses = append(addresses, net.JoinHostPort(cfg.HTTPHost, strconv.Itoa(cfg.HTTPPort)))
	}
	if cfg.WSHost != "" && cfg.WSPort != 0 && (cfg.HTTPHost == "" || cfg.WSPort != cfg.HTTPPort) {
		addresses = append(addresses, net.JoinHostPort(cfg.WSHost, strconv.Itoa(cfg.WSPort)))
	}
	return addresses
}

// serveUntil serves an address until closers closes it.
func serveUntil(closers *start.Closers, address string, handler http.Handler) error {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	server := door.NewServer(handler)
	listener = gethrpc.Bounded(server, listener)
	go func() {
		if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			log.Error("Endpoint failed while stored blocks are executed again", "address", address, "err", err)
		}
	}()
	closers.Add(server.Close)
	return nil
}

// replayingAPI is what the IPC endpoint offers meanwhile.
type replayingAPI struct{ progress func() (current, last uint64) }

// Syncing implements eth_syncing.
func (a replayingAPI) Syncing() map[string]hexutil.Uint64 {
	current, last := a.progress()
	return map[string]hexutil.Uint64{"currentBlock": hexutil.Uint64(current), "highestBlock": hexutil.Uint64(last)}
}

// replayingProgram refuses what gwon status and other programs of operators ask first.
type replayingProgram struct{ progress func() (current, last uint64) }

// ClientVersion implements web3_clientVersion.
func (p replayingProgram) ClientVersion() (string, error) { return "", replayingError(p.progress) }

func replayingError(progress func() (current, last uint64)) error {
	current, last := progress()
	return fmt.Errorf("the node executes stored blocks again after a crash, %d of %d: ask again later", current, last)
}

// replayingCalls answers eth_syncing, and any other call with an error that names the progress.
func replayingCalls(progress func() (current, last uint64)) http.Handler {
	type call struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
	}
	api := replayingAPI{progress}
	one := func(c call) map[string]any {
		if c.ID == nil {
			c.ID = json.RawMessage("null")
		}
		reply := map[string]any{"jsonrpc": "2.0", "id": c.ID}
		if c.Method == "eth_syncing" {
			reply["result"] = api.Syncing()
		} else {
			reply["error"] = map[string]any{"code": gethrpc.CodeDefault, "message": replayingError(progress).Error()}
		}
		return reply
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var body json.RawMessage
		if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, door.SmallBody)).Decode(&body); err != nil {
			http.Error(w, "the node executes stored blocks again: ask again later", http.StatusServiceUnavailable)
			return
		}
		var single call
		var batch []call
		var reply any
		switch {
		case json.Unmarshal(body, &single) == nil:
			reply = one(single)
		case json.Unmarshal(body, &batch) == nil && len(batch) <= replayingBatch:
			replies := make([]map[string]any, len(batch))
			for i, c := range batch {
				replies[i] = one(c)
			}
			reply = replies
		default:
			http.Error(w, fmt.Sprintf("want a call, or a batch of at most %d", replayingBatch), http.StatusBadRequest)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		if err := json.NewEncoder(w).Encode(reply); err != nil {
			log.Debug("Client gone", "err", err)
		}
	})
}
