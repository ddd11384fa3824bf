// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package web

import (
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"

	"github.com/ethereum/go-ethereum/common"

	"gwon/internal/dial"
)

var (
	numberForm  = regexp.MustCompile(`^[0-9]{1,18}$`)
	hashForm    = regexp.MustCompile(`^(0x)?[0-9a-fA-F]{64}$`)
	addressForm = regexp.MustCompile(`^(0x)?[0-9a-fA-F]{40}$`)
)

// search answers the view of what a person looks for: the number or hash of a block, the hash of a transaction, an
// address, or the name of an account or contract.
func (s *Server) search(r *http.Request) (any, error) {
	ctx, text := r.Context(), strings.ReplaceAll(strings.TrimSpace(r.PathValue("text")), ",", "")
	to := func(kind string, id any) (any, error) {
		return map[string]string{"to": fmt.Sprintf("/%s/%v", kind, id)}, nil
	}
	switch {
	case numberForm.MatchString(text):
		number, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			return nil, badRequest("%s is no number of a block: %v", text, err)
		}
		return to("block", number)
	case hashForm.MatchString(text):
		hash := common.HexToHash(text)
		var b *dial.Head
		if err := s.call(ctx, &b, "eth_getBlockByHash", hash, false); err != nil {
			return nil, err
		}
		if b != nil {
			return to("block", uint64(b.Number))
		}
		return to("tx", hash.Hex())
	case addressForm.MatchString(text):
		address, err := parseAddress("0x" + strings.TrimPrefix(text, "0x"))
		if err != nil {
			return nil, err
		}
		return to("account", address.Hex())
	}
	own, _, _, err := s.ownContracts(ctx)
	if err != nil {
		return nil, err
	}
	for _, p := range s.people() {
		if strings.EqualFold(p.Name, text) {
			return to("account", p.Address.Hex())
		}
	}
	for address, name := range s.o.Book.Names() {
		if strings.EqualFold(name, text) {
			return to("account", address.Hex())
		}
	}
	for i := len(own) - 1; i >= 0; i-- { // the newest of a name
		if strings.EqualFold(own[i].Name, text) {
			return to("account", own[i].Address.Hex())
		}
	}
	return nil, notFound("Nothing is named %.80q here: give the number or hash of a block, the hash of a transaction, "+
		"an address, or the name of an account or contract.", text)
}
