// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package notify

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"slices"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/rpc"

	"gwon/consensus/finality/remotestate"
	"gwon/internal/dial"
	"gwon/internal/follow"
)

const (
	maxTopics = 1000 // addresses in one query; nodes refuse more values of a topic
	maxBatch  = 100  // calls in one request; nodes refuse a thousand, hosted ones less
)

var transferTopic = crypto.Keccak256Hash([]byte("Transfer(address,address,uint256)"))

// block is a block as a source answers it.
type block = dial.Head

// Place is where a transfer or event is in the chain.
type Place struct {
	// ID is the same in every delivery of a log, and of no other log: block hash and log index.
	ID          string         `json:"id"`
	Block       uint64         `json:"block"`
	BlockHash   common.Hash    `json:"blockHash"`
	Timestamp   uint64         `json:"timestamp"` // of the block, Unix seconds
	Transaction common.Hash    `json:"transaction"`
	LogIndex    uint           `json:"logIndex"`
	Contract    common.Address `json:"contract"`
	// Proof is an answer of istanbul_getReceiptProof, if the webhook wants proofs. ProofError says why there is none.
	Proof      json.RawMessage `json:"proof,omitempty"`
	ProofError string          `json:"proofError,omitempty"`

	size int // about that of the JSON without the proof, in bytes; what is sent is measured
}

func (p *Place) place() *Place { return p }

// notice is what a webhook is told of a log.
type notice interface {
	place() *Place

	// shortened returns the notice without what makes it large. sent is the number of bytes with it.
	shortened(sent int) notice

	// deliver and keep add the notice to a delivery and to a letter.
	deliver(*Delivery)
	keep(*Letter)
}

// Transfer is one transfer of coins, in the form in which it is delivered.
type Transfer struct {
	Place
	From common.Address `json:"from"`
	To   common.Address `json:"to"`
	// Value is decimal, in the smallest unit of the contract: for the coin 10^18 are 1 WKRC.
	Value string `json:"value"`
	// Undecoded says why a log of the contract, under the name of a transfer, is none of ERC-20. Value is 0 then, and
	// DataOmitted stands for the data.
	Undecoded   string   `json:"undecoded,omitempty"`
	DataOmitted *Omitted `json:"dataOmitted,omitempty"`
}

// Event is one event of a contract, in the form in which it is delivered.
type Event struct {
	Place
	Topics []common.Hash `json:"topics"`
	Data   hexutil.Bytes `json:"data"`
	// Event is the event with its types, such as "Paid(address,uint256)".
	Event string `json:"event"`
	// Arguments are the values in the order of the event. Undecoded says why there are none: topics and data do not fit
	// the event that the webhook names.
	Arguments []Argument `json:"arguments,omitempty"`
	Undecoded string     `json:"undecoded,omitempty"`
	// DataOmitted says that the receiver did not take the event with its data. Data and arguments are empty then.
	DataOmitted *Omitted `json:"dataOmitted,omitempty"`
}

// source has the blocks and logs of a chain.
type source interface {
	chainID(ctx context.Context) (uint64, error)

	// genesis returns the hash of block 0, or zero where it is not known.
	genesis(ctx context.Context) (common.Hash, error)

	// block returns the block of a number, or the newest one, nil for one that is not there.
	block(ctx context.Context, number rpc.BlockNumber) (*block, error)

	// notices returns what a webhook is told of the blocks from first on, in order, and the last block that was read: at
	// most last. An error that fewer blocks may help is tooMany. No limit of a node keeps back a single block.
	notices(ctx context.Context, w *Webhook, first, last uint64) ([]notice, *block, error)

	// receiptProof returns the proof of a transaction for those who trust a block. A lasting error is an rpc.Error.
	receiptProof(ctx context.Context, at *Place, trusted string) (json.RawMessage, error)

	close() error
}

// node is a node whose answers are believed.
type node struct{ client *dial.Client }

func (s node) close() error {
	s.client.Close()
	return nil
}

func (s node) chainID(ctx context.Context) (uint64, error) {
	var id hexutil.Uint64
	err := s.client.CallContext(ctx, &id, "eth_chainId")
	return uint64(id), err
}

func (s node) genesis(ctx context.Context) (common.Hash, error) {
	b, err := s.block(ctx, 0)
	if err == nil && b == nil {
		err = follow.ErrBehind
	}
	if err != nil {
		return common.Hash{}, err
	}
	return b.Hash, nil
}

func (s node) block(ctx context.Context, number rpc.BlockNumber) (*block, error) {
	var b *block
	err := s.client.CallContext(ctx, &b, "eth_getBlockByNumber", number, false)
	return b, err
}

// notices asks for the logs of each block by its hash, where the bloom filter of its header does not exclude them. A
// node that lags behind others refuses a hash that it does not know; in a range of numbers it would find nothing.
func (s node) notices(ctx context.Context, w *Webhook, first, last uint64) (found []notice, end *block, err error) {
	headers, err := s.headers(ctx, first, min(last, first+maxBatch-1))
	if err != nil {
		return nil, nil, err
	}
	queries := w.queries()
	for part := range slices.Chunk(headers, max(1, maxBatch/len(queries))) {
		answers, err := s.logs(ctx, part, queries)
		if err != nil {
			return nil, nil, err
		}
		for _, end = range part {
			if found, err = s.addBlock(ctx, w, found, end, answers[end.Hash]); err != nil {
				return nil, nil, err
			}
			if sizeOf(found) > wantedSize {
				return inOrder(found), end, nil
			}
		}
	}
	return inOrder(found), end, nil
}

// headers returns the headers of a range of blocks.
func (s node) headers(ctx context.Context, first, last uint64) ([]*block, error) {
	headers := make([]*block, last-first+1)
	calls := make([]rpc.BatchElem, len(headers))
	for i := range headers {
		calls[i] = rpc.BatchElem{Method: "eth_getBlockByNumber", Args: []any{hexutil.Uint64(first + uint64(i)), false},
			Result: &headers[i]}
	}
	if err := s.ask(ctx, calls); err != nil {
		return nil, err
	}
	for i, b := range headers {
		switch number := first + uint64(i); {
		case calls[i].Error != nil:
			return nil, fmt.Errorf("%s: %w", calls[i].Method, calls[i].Error)
		case b == nil:
			return nil, follow.ErrBehind
		case uint64(b.Number) != number:
			return nil, fmt.Errorf("the node answered block %d where %d was asked for", b.Number, number)
		}
	}
	return headers, nil
}

// ask makes calls in one request. An endpoint may divide it among nodes.
func (s node) ask(ctx context.Context, calls []rpc.BatchElem) error {
	if len(calls) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, dial.Timeout)
	defer cancel()
	return s.client.BatchCallContext(ctx, calls)
}

// logAnswer is the answer to one query about one block.
type logAnswer struct {
	event *EventFilter
	logs  []types.Log // nil where the node has refused
	err   error
}

// logs asks for the logs of blocks, and returns the answers by the hash of the block.
func (s node) logs(ctx context.Context, blocks []*block, queries []logQuery) (map[common.Hash][]*logAnswer, error) {
	answers := make(map[common.Hash][]*logAnswer)
	var list []*logAnswer
	var calls []rpc.BatchElem
	for _, b := range blocks {
		for _, q := range queries {
			wanted, possible := q.Criteria, true
			if b.Bloom != nil {
				wanted, possible = q.Within(*b.Bloom)
			}
			if !possible {
				continue
			}
			a := &logAnswer{event: q.event}
			list, answers[b.Hash] = append(list, a), append(answers[b.Hash], a)
			calls = append(calls, rpc.BatchElem{Method: "eth_getLogs", Result: &a.logs, Args: []any{map[string]any{
				"blockHash": b.Hash, "address": wanted.Addresses, "topics": wanted.Topics,
			}}})
		}
	}
	err := s.ask(ctx, calls)
	if err != nil && (len(blocks) > 1 || !tooMany(err) || ctx.Err() != nil) {
		return nil, err
	}
	for i, a := range list {
		a.err = cmp.Or(err, calls[i].Error)
	}
	return answers, nil
}

// addBlock adds what the webhook is told of a block. A node that refuses its logs is asked for its receipts.
func (s node) addBlock(
	ctx context.Context, w *Webhook, found []notice, b *block, answers []*logAnswer,
) (_ []notice, err error) {
	for _, a := range answers {
		switch {
		case tooMany(a.err):
			if found, err = s.addReceipts(ctx, w, found, b); err != nil {
				err = fmt.Errorf("receipts of block %d: %w", b.Number, err)
			}
			return found, err
		case a.err != nil:
			return nil, fmt.Errorf("eth_getLogs: %w", a.err)
		case a.logs == nil: // null
			return nil, follow.ErrBehind
		}
		for _, l := range a.logs {
			if l.BlockHash != b.Hash || l.BlockNumber != uint64(b.Number) || l.Removed {
				return nil, fmt.Errorf("log %d of block %d: %w", l.Index, l.BlockNumber, errUnasked)
			}
			l.BlockTimestamp = uint64(b.Timestamp) // logs of go-stablenet have none
			if found, err = w.add(found, &l, a.event); err != nil {
				return nil, err
			}
		}
	}
	return found, nil
}

// addReceipts reads the receipts of a block, of which only the wanted logs are kept.
func (s node) addReceipts(ctx context.Context, w *Webhook, found []notice, b *block) ([]notice, error) {
	used := uint64(b.GasUsed)
	ctx, cancel := context.WithTimeout(ctx, dial.TimeFor(dial.Timeout, used))
	defer cancel()
	queries := w.queries()
	receipts, err := s.client.Receipts(ctx, uint64(b.Number), used, func(_ int, l *types.Log) (err error) {
		if l.BlockHash != b.Hash {
			return fmt.Errorf("log %d of block %v: %w", l.Index, l.BlockHash, errUnasked)
		}
		l.BlockTimestamp = uint64(b.Timestamp)
		for _, q := range queries {
			if q.Match(l) && err == nil {
				found, err = w.add(found, l, q.event)
			}
		}
		return err
	})
	if err == nil && len(receipts) == 0 && used > 0 {
		err = follow.ErrBehind
	}
	return found, err
}

// inOrder returns notices in the order of the chain, each once: a transfer between two watched addresses answers
// several queries, as does an event that two filters match.
func inOrder(found []notice) []notice {
	slices.SortStableFunc(found, func(x, y notice) int {
		a, b := x.place(), y.place()
		return cmp.Or(cmp.Compare(a.Block, b.Block), cmp.Compare(a.LogIndex, b.LogIndex))
	})
	return slices.CompactFunc(found, func(a, b notice) bool { return a.place().ID == b.place().ID })
}

// logQuery is one query of logs.
type logQuery struct {
	remotestate.Criteria
	event *EventFilter // nil for transfers
}

// queries returns the queries of a webhook.
func (w *Webhook) queries() (list []logQuery) {
	for i := range w.Event {
		f := &w.Event[i]
		topics := append([][]common.Hash{{f.event.topic}}, f.topics...)
		for len(topics) > 1 && topics[len(topics)-1] == nil {
			topics = topics[:len(topics)-1] // a position is asked for only if it matters: logs may have fewer
		}
		list = append(list, logQuery{remotestate.Criteria{Addresses: w.Contracts, Topics: topics}, f})
	}
	for _, topics := range w.topics() {
		contract := []common.Address{common.Address(*w.Contract)}
		list = append(list, logQuery{remotestate.Criteria{Addresses: contract, Topics: topics}, nil})
	}
	return list
}

// topics returns the topic filters of transfers, each with at most maxTopics addresses.
func (w *Webhook) topics() (filters [][][]common.Hash) {
	for part := range slices.Chunk(w.Addresses, maxTopics) {
		watched := make([]common.Hash, len(part))
		for i, address := range part {
			watched[i] = common.BytesToHash(address[:])
		}
		if w.Direction != In {
			filters = append(filters, [][]common.Hash{{transferTopic}, watched})
		}
		if w.Direction != Out {
			filters = append(filters, [][]common.Hash{{transferTopic}, nil, watched})
		}
	}
	return filters
}

// errUnasked reports a log that no query asked for.
var errUnasked = errors.New("the node answered a log that was not asked for")

// add adds what the webhook is told of a log.
func (w *Webhook) add(found []notice, l *types.Log, filter *EventFilter) ([]notice, error) {
	n, err := w.read(l, filter)
	if err != nil {
		return nil, fmt.Errorf("log %d of block %d: %w", l.Index, l.BlockNumber, err)
	}
	if n != nil {
		found = append(found, n)
	}
	return found, nil
}

// read checks a log against the question and returns what the webhook is told, nil for a transfer of less
// than it wants.
func (w *Webhook) read(l *types.Log, filter *EventFilter) (notice, error) {
	place := Place{
		ID:    fmt.Sprintf("%v-%d", l.BlockHash, l.Index),
		Block: l.BlockNumber, BlockHash: l.BlockHash, Timestamp: l.BlockTimestamp,
		Transaction: l.TxHash, LogIndex: l.Index, Contract: l.Address, size: placeSize + 8*len(l.Data),
	}
	if filter != nil {
		if !slices.Contains(w.Contracts, l.Address) || !filter.matches(l) {
			return nil, errUnasked
		}
		return filter.event.notice(place, l), nil
	}
	if l.Address != common.Address(*w.Contract) || len(l.Topics) == 0 || l.Topics[0] != transferTopic {
		return nil, errUnasked
	}
	transfer := &Transfer{Place: place, Value: "0"}
	for i, to := range []*common.Address{&transfer.From, &transfer.To} {
		if len(l.Topics) > i+1 {
			*to = common.BytesToAddress(l.Topics[i+1][:])
		}
	}
	if len(l.Topics) != 3 || len(l.Data) != 32 {
		transfer.Undecoded = fmt.Sprintf("not a transfer of ERC-20: %d topics, %d bytes", len(l.Topics), len(l.Data))
		transfer.DataOmitted, transfer.size = place.omit(l.Data), placeSize
		return transfer, nil
	}
	value := new(big.Int).SetBytes(l.Data)
	if value.Cmp(&w.minimum) < 0 {
		return nil, nil
	}
	transfer.Value = value.String()
	return transfer, nil
}

// placeSize is about the size of a notice without data, in bytes of JSON. A byte of data takes up to eight: twice in
// hexadecimal, and 78 digits for a word that is an integer.
const placeSize = 1024

// notice returns an event as it is delivered. Topics and data that do not fit it are delivered as they are.
func (e *event) notice(place Place, l *types.Log) *Event {
	n := &Event{Place: place, Topics: l.Topics, Data: l.Data, Event: e.signature}
	if n.Data == nil {
		n.Data = hexutil.Bytes{}
	}
	var err error
	if n.Arguments, err = e.decode(l); err != nil {
		n.Undecoded = err.Error()
	}
	return n
}
