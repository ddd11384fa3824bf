// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package web

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"sync"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"

	"gwon/dev/inspect"
	"gwon/internal/dial"
)

// maxRows bounds the rows of a list of the page: blocks, transactions, transfers, contracts and senders.
const maxRows = 100

// summary is a block in a list.
type summary struct {
	Number     uint64           `json:"number"`
	Hash       common.Hash      `json:"hash"`
	Time       uint64           `json:"time"` // seconds since 1970
	Interval   uint64           `json:"interval"`
	Proposer   common.Address   `json:"proposer"`
	Round      uint64           `json:"round"`
	Validators []common.Address `json:"validators"`
	Sealed     []bool           `json:"sealed"` // by validator; late seals included
	Complete   bool             `json:"complete"`
	GasUsed    uint64           `json:"gasUsed"`
	GasLimit   uint64           `json:"gasLimit"`
	Count      int              `json:"transactions"`
	Size       uint64           `json:"size"`
}

// extra is the part of istanbul_getWbftExtraInfo that is shown.
type extra struct {
	Round     hexutil.Uint `json:"round"`
	Committed *seal        `json:"committedSeal"`
	Late      *seal        `json:"prevCommittedSeal"`
	GasTip    string       `json:"gasTip"`
}

type seal struct {
	Sealers []common.Address `json:"sealers"`
}

func (s *seal) has(a common.Address) bool { return s != nil && slices.Contains(s.Sealers, a) }

// blockCache keeps summaries by number. A summary is complete once the next block has brought late seals.
type blockCache struct {
	mu   sync.Mutex
	list map[uint64]*summary
}

func (c *blockCache) get(number uint64, hash common.Hash) *summary {
	c.mu.Lock()
	defer c.mu.Unlock()
	if s := c.list[number]; s != nil && s.Complete && s.Hash == hash {
		return s
	}
	return nil
}

func (c *blockCache) put(s *summary) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.list == nil || len(c.list) >= 1024 {
		c.list = make(map[uint64]*summary)
	}
	c.list[s.Number] = s
}

// call asks the own node.
func (s *Server) call(ctx context.Context, result any, method string, args ...any) error {
	if err := s.o.Client.CallContext(ctx, result, method, args...); err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	return nil
}

func (s *Server) head(ctx context.Context) (uint64, error) {
	var number hexutil.Uint64
	err := s.call(ctx, &number, "eth_blockNumber")
	return uint64(number), err
}

// raw returns a block, nil when there is none.
func (s *Server) raw(ctx context.Context, number uint64) (*dial.Head, error) {
	var b *dial.Head
	err := s.call(ctx, &b, "eth_getBlockByNumber", hexutil.Uint64(number), false)
	return b, err
}

// summarize describes a block. head is the newest one: above it there are no late seals yet.
func (s *Server) summarize(ctx context.Context, number, head uint64) (*summary, error) {
	b, err := s.raw(ctx, number)
	if err != nil || b == nil {
		return nil, err
	}
	if known := s.blocks.get(number, b.Hash); known != nil {
		return known, nil
	}
	sum := &summary{
		Number: number, Hash: b.Hash, Time: uint64(b.Timestamp), Proposer: b.Miner, GasUsed: uint64(b.GasUsed),
		GasLimit: uint64(b.GasLimit), Count: len(b.Transactions), Size: uint64(b.Size), Complete: number < head,
		Validators: []common.Address{}, Sealed: []bool{},
	}
	if number == 0 {
		sum.Complete = true
		s.blocks.put(sum)
		return sum, nil
	}
	parent, err := s.raw(ctx, number-1)
	if err != nil {
		return nil, err
	}
	if parent != nil && number > 1 {
		sum.Interval = sum.Time - uint64(parent.Timestamp)
	}
	if err := s.addSeals(ctx, sum); err != nil {
		return nil, err
	}
	s.blocks.put(sum)
	return sum, nil
}

func (s *Server) addSeals(ctx context.Context, sum *summary) error {
	if err := s.call(ctx, &sum.Validators, "istanbul_getValidators", hexutil.Uint64(sum.Number)); err != nil {
		return err
	}
	var own, next extra
	if err := s.call(ctx, &own, "istanbul_getWbftExtraInfo", hexutil.Uint64(sum.Number)); err != nil {
		return err
	}
	if sum.Complete {
		if err := s.call(ctx, &next, "istanbul_getWbftExtraInfo", hexutil.Uint64(sum.Number+1)); err != nil {
			return err
		}
	}
	sum.Round = uint64(own.Round)
	sum.Sealed = make([]bool, len(sum.Validators))
	for i, v := range sum.Validators {
		sum.Sealed[i] = own.Committed.has(v) || next.Late.has(v)
	}
	return nil
}

// recent returns the summaries of count blocks up to a number, the newest first.
func (s *Server) recent(ctx context.Context, to, head uint64, count int) ([]*summary, error) {
	list := make([]*summary, 0, count)
	for n := to; len(list) < count; n-- {
		sum, err := s.summarize(ctx, n, head)
		if err != nil {
			return nil, err
		}
		if sum != nil {
			list = append(list, sum)
		}
		if n == 0 {
			break
		}
	}
	return list, nil
}

// listBlocks answers the blocks below "before", the newest ones by default.
func (s *Server) listBlocks(r *http.Request) (any, error) {
	head, err := s.head(r.Context())
	if err != nil {
		return nil, err
	}
	to, count := head, 25
	if text := r.URL.Query().Get("before"); text != "" {
		before, err := strconv.ParseUint(text, 10, 63)
		if err != nil || before == 0 {
			return nil, badRequest("before is %.40q: give the number of a block above 0", text)
		}
		to = min(head, before-1)
	}
	if text := r.URL.Query().Get("count"); text != "" {
		if count, err = strconv.Atoi(text); err != nil || count < 1 || count > maxRows {
			return nil, badRequest("count is %.40q: give 1 to %d", text, maxRows)
		}
	}
	list, err := s.recent(r.Context(), to, head, count)
	if err != nil {
		return nil, err
	}
	return map[string]any{"head": head, "blocks": list}, nil
}

// block answers a block with its transactions.
func (s *Server) block(r *http.Request) (any, error) {
	number, err := strconv.ParseUint(r.PathValue("number"), 10, 63)
	if err != nil {
		return nil, badRequest("%.40q is no number of a block", r.PathValue("number"))
	}
	head, err := s.head(r.Context())
	if err != nil {
		return nil, err
	}
	if number > head {
		return nil, notFound("Block %d does not exist yet: the newest block is %d.", number, head)
	}
	sum, err := s.summarize(r.Context(), number, head)
	if err != nil {
		return nil, err
	}
	b, err := s.inspect.Block(r.Context(), number, maxRows)
	if err != nil {
		return nil, err
	}
	if sum == nil || b == nil {
		return nil, notFound("The node does not have block %d.", number)
	}
	var gasTip string
	if number > 0 {
		var own extra
		if err := s.call(r.Context(), &own, "istanbul_getWbftExtraInfo", hexutil.Uint64(number)); err != nil {
			return nil, err
		}
		gasTip = own.GasTip
	}
	return struct {
		*inspect.Block
		Summary *summary `json:"summary"`
		GasTip  string   `json:"gasTip"`
		Head    uint64   `json:"head"`
	}{b, sum, gasTip, head}, nil
}

// transaction answers a transaction with its tree of calls.
func (s *Server) transaction(r *http.Request) (any, error) {
	text := r.PathValue("hash")
	hash, err := hexutil.Decode(text)
	if err != nil || len(hash) != common.HashLength {
		return nil, badRequest("%.80q is no hash of a transaction: 0x and 64 hexadecimal digits", text)
	}
	t, err := s.inspect.Transaction(r.Context(), common.BytesToHash(hash), inspect.Options{Trace: true})
	if err != nil {
		return nil, err
	}
	return struct {
		*inspect.Transaction
		TypeName string `json:"typeName"`
	}{t, t.TypeName()}, nil
}
