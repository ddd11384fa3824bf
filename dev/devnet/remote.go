// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package devnet

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"

	"gwon/internal/door"
)

// remote is the file by which another terminal finds a running network. A reader of the file can stop its nodes.
type remote struct {
	URL   string `json:"url"`
	Token string `json:"token"`
}

// maxAnswer bounds what is read of an answer, in bytes.
const maxAnswer = 1 << 20

// remoteTimeout is how long a request may take: longer than a node may take to stop.
const remoteTimeout = stopTimeout + 10*time.Second

// Serve answers other terminals until the returned function is called.
func (n *Network) Serve(c *Control) (end func() error, err error) {
	token := rand.Text()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("open the network's control port: %w", err)
	}
	text, err := json.Marshal(remote{"http://" + listener.Addr().String(), token})
	if err != nil {
		return nil, errors.Join(fmt.Errorf("encode control file: %w", err), listener.Close())
	}
	if err := os.Remove(n.path(controlFile)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, errors.Join(fmt.Errorf("remove the control file of an earlier run: %w", err), listener.Close())
	}
	if err := writeMissing(n.path(controlFile), append(text, '\n'), 0o600); err != nil {
		return nil, errors.Join(err, listener.Close())
	}
	server := door.NewServer(c.handler(token))
	server.WriteTimeout = time.Minute                            // a node is started meanwhile
	go func() { _ = server.Serve(door.ForOperator(listener)) }() // ends when it is closed
	return func() error { return errors.Join(server.Close(), os.Remove(n.path(controlFile))) }, nil
}

func (c *Control) handler(token string) http.Handler {
	mux := http.NewServeMux()
	answer := func(w http.ResponseWriter, result any, err error) {
		if err != nil {
			http.Error(w, err.Error(), http.StatusConflict)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(result) // the other terminal is gone when it fails
	}
	mux.HandleFunc("GET /nodes", func(w http.ResponseWriter, _ *http.Request) {
		states, err := c.States()
		answer(w, states, err)
	})
	mux.HandleFunc("GET /network", func(w http.ResponseWriter, _ *http.Request) {
		info, err := c.Info()
		answer(w, info, err)
	})
	for path, act := range map[string]func(string) error{"start": c.Start, "stop": c.Stop} {
		mux.HandleFunc("POST /nodes/{node}/"+path, func(w http.ResponseWriter, r *http.Request) {
			if err := act(r.PathValue("node")); err != nil {
				answer(w, nil, err)
				return
			}
			states, err := c.States()
			answer(w, states, err)
		})
	}
	want := []byte("Bearer " + token)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if subtle.ConstantTimeCompare([]byte(r.Header.Get("Authorization")), want) != 1 {
			http.Error(w, "the token of the control file is missing", http.StatusUnauthorized)
			return
		}
		mux.ServeHTTP(w, r)
	})
}

// Ask sends an action to the network that runs in dir: "start" or "stop" of a node, by number or name, or "" for its
// state. It returns the resulting state.
func Ask(ctx context.Context, dir, action, node string) (states []NodeState, err error) {
	method, path := http.MethodGet, "/nodes"
	if action != "" {
		method, path = http.MethodPost, path+"/"+url.PathEscape(node)+"/"+action
	}
	err = ask(ctx, dir, method, path, &states)
	return states, err
}

// AskInfo describes the network that runs in dir.
func AskInfo(ctx context.Context, dir string) (*Info, error) {
	info := new(Info)
	return info, ask(ctx, dir, http.MethodGet, "/network", info)
}

// isLocked reports whether a process runs a network in dir. Its control file is there from its first blocks to its end.
func isLocked(dir string) bool {
	path := filepath.Join(dir, lockFile)
	if _, err := os.Stat(path); err != nil {
		return false
	}
	lock := flock.New(path)
	free, err := lock.TryRLock()
	_ = lock.Close() // it was only asked for
	return err == nil && !free
}

// ask sends a request to the network that runs in dir, and decodes its answer.
func ask(ctx context.Context, dir, method, path string, result any) error {
	text, err := os.ReadFile(filepath.Join(dir, controlFile))
	if errors.Is(err, fs.ErrNotExist) {
		if isLocked(dir) {
			return fmt.Errorf("the gwon-dev devnet of %s is starting or ending: try again in some seconds", dir)
		}
		return fmt.Errorf("no gwon-dev devnet runs in %s: start one, or name its directory with --datadir", dir)
	}
	if err != nil {
		return fmt.Errorf("read control file: %w", err)
	}
	var at remote
	if err := json.Unmarshal(text, &at); err != nil {
		return fmt.Errorf("control file %s: %w", filepath.Join(dir, controlFile), err)
	}
	ctx, cancel := context.WithTimeout(ctx, remoteTimeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, method, at.URL+path, nil)
	if err != nil {
		return fmt.Errorf("ask the network: %w", err)
	}
	request.Header.Set("Authorization", "Bearer "+at.Token)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return fmt.Errorf("the gwon-dev devnet of %s does not answer; does it still run? %w", dir, err)
	}
	defer response.Body.Close() //nolint:errcheck // it was only read
	body, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer))
	if err != nil {
		return fmt.Errorf("answer of the network: %w", err)
	}
	if response.StatusCode != http.StatusOK {
		return errors.New(string(bytes.TrimSpace(body)))
	}
	if err := json.Unmarshal(body, result); err != nil {
		return fmt.Errorf("answer of the network: %w", err)
	}
	return nil
}
