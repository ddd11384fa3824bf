// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package rpc

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"

	gethrpc "github.com/ethereum/go-ethereum/rpc"
)

// storedDocument is a document in JSON whose parts are not decoded.
type storedDocument struct {
	OpenRPC    json.RawMessage   `json:"openrpc"`
	Info       json.RawMessage   `json:"info"`
	Methods    []json.RawMessage `json:"methods"`
	Components json.RawMessage   `json:"components"`
}

// indexDocument returns a document and the names of its methods.
func indexDocument(document []byte) (all storedDocument, names []string, err error) {
	if err := json.Unmarshal(document, &all); err != nil {
		return all, nil, fmt.Errorf("read the description of methods: %w", err)
	}
	for _, m := range all.Methods {
		var method struct {
			Name string `json:"name"`
		}
		if err := json.Unmarshal(m, &method); err != nil {
			return all, nil, fmt.Errorf("read the description of a method: %w", err)
		}
		names = append(names, method.Name)
	}
	return all, names, nil
}

// Describer returns what answers rpc.discover: the document, in JSON, with the methods that the caller can use.
func Describer(document []byte) gethrpc.Describer {
	var (
		once  sync.Once
		all   storedDocument
		names []string
		err   error
	)
	return func(ctx context.Context, methods []gethrpc.Method, kinds map[string][]string) (any, error) {
		if once.Do(func() { all, names, err = indexDocument(document) }); err != nil {
			return nil, err
		}
		open := make(map[string]bool, len(methods))
		for _, m := range methods {
			open[m.Name] = Serves(ctx, m)
		}
		if gethrpc.PeerInfoFromContext(ctx).Transport != "http" {
			for namespace := range kinds {
				open[namespace+"_subscribe"], open[namespace+"_unsubscribe"] = true, true
			}
		}
		part := storedDocument{OpenRPC: all.OpenRPC, Info: all.Info, Methods: []json.RawMessage{}, Components: all.Components}
		for i, m := range all.Methods {
			if open[names[i]] {
				part.Methods = append(part.Methods, m)
			}
		}
		return part, nil
	}
}
