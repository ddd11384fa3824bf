// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package validatorpeers

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/p2p/enode"

	"gwon/internal/atomicfile"
)

const (
	// FileName is the name of the file in the data directory.
	FileName = "validator-nodes.json"

	// maxKnownNodes limits the file. It exceeds the largest set, because a node that was offline knows an old one.
	maxKnownNodes = 256
)

// nodeFile stores the addresses of nodes for the next start, as a JSON list of enode URLs. An empty path stores
// nothing.
type nodeFile struct{ path string }

// read returns the nodes in the file; none without a file.
func (f *nodeFile) read() ([]*enode.Node, error) {
	if f.path == "" {
		return nil, nil
	}
	text, err := atomicfile.Read(f.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	var urls []string
	if err := json.Unmarshal(text, &urls); err != nil {
		return nil, err
	}
	nodes := make([]*enode.Node, 0, len(urls))
	for i, url := range urls {
		n, err := enode.ParseV4(url)
		if err != nil {
			return nil, fmt.Errorf("entry %d: %w", i, err)
		}
		nodes = append(nodes, n)
	}
	return nodes[:min(len(nodes), maxKnownNodes)], nil
}

// write replaces the file. When there are too many nodes, it removes unwanted ones from file and map.
func (f *nodeFile) write(nodes map[common.Address]*enode.Node, wanted func(enode.ID) bool) error {
	maps.DeleteFunc(nodes, func(_ common.Address, n *enode.Node) bool {
		return len(nodes) > maxKnownNodes && !wanted(n.ID())
	})
	if f.path == "" {
		return nil
	}
	urls := make([]string, 0, len(nodes))
	for _, n := range nodes {
		urls = append(urls, n.URLv4())
	}
	slices.Sort(urls)
	return atomicfile.WriteJSON(f.path, urls[:min(len(urls), maxKnownNodes)], 0o600)
}
