// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package inspect

import (
	"context"
	"fmt"
	"math/big"
	"strings"
	"unicode"

	"github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
)

// maxLooks is the number of contracts of one transaction that a node is asked about.
const maxLooks = 64

// look remembers the contracts of one transaction.
type look struct {
	ctx    context.Context
	i      *Inspector
	known  map[common.Address]*Interface
	code   map[common.Address]bool
	tokens map[common.Address]token
}

// token is how amounts of a token are shown.
type token struct {
	symbol   string
	decimals int
}

func (i *Inspector) newLook(ctx context.Context) *look {
	return &look{
		ctx, i, make(map[common.Address]*Interface), make(map[common.Address]bool), make(map[common.Address]token),
	}
}

// at returns the interface at an address, nil for none, and whether there is code.
func (l *look) at(a common.Address) (known *Interface, isCode bool) {
	if known := l.i.book.At(a); known != nil {
		return known, true
	}
	if isCode, asked := l.code[a]; asked {
		return l.known[a], isCode
	}
	if l.i.source == nil || len(l.code) >= maxLooks {
		return nil, false
	}
	code := l.codeAt(a)
	if to, ok := delegate(code); ok {
		code = l.codeAt(to)
	}
	l.code[a] = len(code) > 0
	if known = l.i.book.ByCode(code); known != nil {
		l.known[a] = known
	}
	return known, len(code) > 0
}

// codeAt returns the code of an account. A node that cannot tell has none: only names are lost by that.
func (l *look) codeAt(a common.Address) []byte {
	var code hexutil.Bytes
	if err := l.i.source.CallContext(l.ctx, &code, "eth_getCode", a, "latest"); err != nil {
		return nil
	}
	return code
}

// Selectors of an ERC-20 token.
const (
	symbolSelector   = "0x95d89b41"
	decimalsSelector = "0x313ce567"
)

// maxSymbol is the number of characters of a symbol that are shown.
const maxSymbol = 16

// token asks a contract for its symbol and decimals. Answers are those of a stranger, and are bounded.
func (l *look) token(a common.Address, o Options) token {
	if t, ok := l.tokens[a]; ok {
		return t
	}
	t := token{symbol: "units of " + a.Hex()}
	if !o.NoTokenNames && l.i.source != nil && len(l.tokens) < maxLooks {
		if symbol := l.askText(a); symbol != "" {
			t.symbol = symbol
		}
		answer := l.ask(a, decimalsSelector)
		// More than 36 decimals make no sense.
		if n := new(big.Int).SetBytes(answer); len(answer) == common.HashLength && n.Cmp(big.NewInt(36)) <= 0 {
			t.decimals = int(n.Int64())
		}
	}
	l.tokens[a] = t
	return t
}

// ask calls a function without arguments. A contract that refuses has no answer: only names are lost by that.
func (l *look) ask(a common.Address, selector string) (answer hexutil.Bytes) {
	err := l.i.source.CallContext(l.ctx, &answer, "eth_call", map[string]any{"to": a, "input": selector}, "latest")
	if err != nil {
		return nil
	}
	return answer
}

func (l *look) askText(a common.Address) string {
	list, err := rules.Decode(abi.Arguments{{Type: abi.Type{T: abi.StringTy}}}, l.ask(a, symbolSelector))
	if err != nil {
		return ""
	}
	text, _ := list[0].Value.(string)
	text = strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, text)
	if runes := []rune(text); len(runes) > maxSymbol {
		text = string(runes[:maxSymbol])
	}
	return text
}

func (l *look) symbol(a common.Address, o Options) string { return l.token(a, o).symbol }

func (l *look) tokenAmount(a common.Address, n *big.Int, o Options) string {
	t := l.token(a, o)
	return fmt.Sprintf("%s %s", decimal(n, t.decimals), t.symbol)
}
