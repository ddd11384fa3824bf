// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package notify

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/log"
	"github.com/ethereum/go-ethereum/rpc"
	"golang.org/x/sync/errgroup"

	"gwon/consensus/finality/remotestate"
	"gwon/internal/dial"
	"gwon/internal/follow"
)

const (
	pollInterval = time.Second / 2 // half of the block period: a notice comes within a block's time

	// behindFor is how long a node may lack blocks before that is a failure: behind a load balancer another one has them.
	behindFor = 10 * time.Second

	minPause = time.Second // after a failure; doubled with each further one
	maxPause = 5 * time.Minute

	maxSpan    = 512      // blocks of a round; halved where a node refuses them
	wantedSize = 8 << 20  // bytes of what a round finds, about which it ends
	mostAnswer = 64 << 20 // bytes of an answer; the receipts of a block have a bound by its gas

	maxTransfers = 100 // in one delivery, of transfers or events
	maxProven    = 20  // in one delivery with proofs
)

// Service delivers the transfers of a configuration.
type Service struct {
	config   *Config
	store    *store
	source   source
	client   *http.Client
	webhooks []*webhook
}

// webhook is one receiver with its progress.
type webhook struct {
	*Webhook
	chain  follow.Follower[common.Hash] // its pause is also that of the receiver
	cursor cursor
	found  bool      // a node has had the chain of the cursor
	behind time.Time // of the first answer that lacks a block since the last whole round; else zero
	saved  uint64    // Next of the cursor on disk
	span   uint64
	report progress

	refused int // answers in a row that had no proof

	limit int // bytes of a delivery: as many, or more, were too many

	tries    int        // deliveries in vain, less those that were taken since
	failures int        // since something was taken, those of what waited before as one
	again    time.Time  // when what waits is sent again
	waiting  []*waiting // in the order of the chain
}

// New connects to the node, whose answers are believed, and locks the cursors. It waits for no answer of the node.
func New(config *Config) (*Service, error) {
	client, err := dial.Open(context.Background(), config.Node, dial.Options{Most: mostAnswer})
	if err != nil {
		return nil, err
	}
	return open(config, node{client})
}

// NewProven locks the cursors. Nothing is delivered that the reader has not proven. The service closes the reader.
func NewProven(config *Config, reader *remotestate.Reader) (*Service, error) {
	return open(config, &proven{reader: reader, tip: remotestate.NewTip(reader)})
}

func open(config *Config, from source) (*Service, error) {
	store, err := openStore(config.State)
	if err != nil {
		return nil, errors.Join(err, from.close())
	}
	s := &Service{config: config, store: store, source: from, client: newDeliverer()}
	strays, err := config.Strays()
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	for _, stray := range strays {
		log.Warn("State of a label that no webhook has", "found", stray)
	}
	for i := range config.Webhook {
		w := &config.Webhook[i]
		made := newWebhook(w, from)
		paths, err := list(waitingOf(config.State, w.Label))
		if err != nil {
			return nil, errors.Join(err, s.Close())
		}
		for _, path := range paths {
			made.waiting = append(made.waiting, &waiting{path: path})
		}
		s.webhooks = append(s.webhooks, made)
	}
	return s, nil
}

func newWebhook(w *Webhook, from source) *webhook {
	made := &webhook{Webhook: w, span: 16, limit: maxDelivery + 1, report: newProgress(w.Label)}
	made.chain = follow.Follower[common.Hash]{
		Block: from.block, Every: pollInterval, Pause: minPause, Most: maxPause,
		Final: func(err error) bool {
			return errors.Is(err, follow.ErrOtherChain) || errors.Is(err, errState) || remotestate.Fatal(err)
		},
		Report: func(err error, rest time.Duration) {
			log.Warn("Delivery delayed", "webhook", w.Label, "block", made.cursor.Next, "retry", rest.Round(time.Second),
				"err", err)
		},
	}
	return made
}

// Close releases the cursors and the connection. Run must have ended.
func (s *Service) Close() error {
	return errors.Join(s.source.close(), s.store.close())
}

// Run serves all webhooks until ctx ends. It tries again where node or receivers fail; the error is another one.
func (s *Service) Run(ctx context.Context) error {
	group, ctx := errgroup.WithContext(ctx)
	for _, w := range s.webhooks {
		group.Go(func() error {
			err := w.chain.Run(ctx, func(ctx context.Context) (bool, error) { return s.round(ctx, w) })
			if err != nil {
				return fmt.Errorf("webhook %q: %w", w.Label, err)
			}
			return nil
		})
	}
	return group.Wait()
}

// round delivers the next blocks of a webhook. It reports whether there are more already.
func (s *Service) round(ctx context.Context, w *webhook) (more bool, err error) {
	more, err = s.deliverNext(ctx, w)
	switch {
	case errors.Is(err, follow.ErrBehind) && w.found:
		w.behind = cmp.Or(w.behind, time.Now())
		if time.Since(w.behind) < behindFor {
			return false, nil
		}
	case err == nil:
		w.behind = time.Time{}
	}
	switch {
	case err != nil && ctx.Err() == nil:
		w.report.failed(err)
	case err == nil && len(w.waiting) == 0:
		w.chain.Pause = minPause
		w.report.succeeded(time.Now())
	}
	return more, err
}

func (s *Service) deliverNext(ctx context.Context, w *webhook) (more bool, err error) {
	query, cancel := context.WithTimeout(ctx, dial.Timeout)
	defer cancel()
	if err := s.open(query, w); err != nil {
		return false, err
	}
	head, err := w.chain.Look(query, follow.Place{Number: w.cursor.Seen, Hash: w.cursor.Hash, Genesis: w.cursor.Genesis})
	if err != nil {
		return false, fmt.Errorf("node: %w", err)
	}
	if !w.found {
		log.Info("Webhook served", "webhook", w.Label, "block", w.cursor.Next, "wants", w.Wanted())
		w.found = true
	}
	w.report.head(head, &w.cursor)
	if err := s.retry(ctx, w); err != nil {
		return false, err
	}
	newest := uint64(head.Number)
	if w.Proof && newest > 0 {
		newest-- // a proof is made with the child of the block
	}
	if newest < w.cursor.Next {
		return false, nil
	}
	last := min(newest, w.cursor.Next+w.span-1)
	notices, end, err := s.source.notices(ctx, w.Webhook, w.cursor.Next, last)
	switch {
	case err != nil && w.span > 1:
		w.span = max(1, (last-w.cursor.Next+1)/2)
		if tooMany(err) {
			return true, nil
		}
		return false, fmt.Errorf("node: %w", err)
	case err != nil:
		return false, fmt.Errorf("node: %w", err)
	case sizeOf(notices) < wantedSize/4:
		w.span = min(2*w.span, maxSpan)
	}
	if err := s.deliverAll(ctx, w, notices); err != nil {
		return false, err
	}
	if err := s.advance(w, end); err != nil {
		return false, err
	}
	w.report.head(head, &w.cursor)
	return newest >= w.cursor.Next, nil
}

// tooMany reports whether an error may be one of too many blocks at once.
func tooMany(err error) bool {
	return errors.As(err, new(rpc.Error)) || errors.Is(err, dial.ErrLarge) || errors.Is(err, context.DeadlineExceeded)
}

// open loads the cursor of a webhook, or makes one at its start. A cursor is of one chain.
func (s *Service) open(ctx context.Context, w *webhook) error {
	if w.cursor.ChainID != 0 {
		return nil
	}
	chainID, err := s.source.chainID(ctx)
	if err != nil {
		return fmt.Errorf("node: %w", err)
	}
	if s.config.Chain != 0 && chainID != s.config.Chain {
		return fmt.Errorf("%w: it has chain %d, and the configuration wants chain %d", follow.ErrOtherChain, chainID,
			s.config.Chain)
	}
	genesis, err := s.source.genesis(ctx)
	if err != nil {
		return fmt.Errorf("node: genesis block: %w", err)
	}
	stored, err := s.store.load(w.Label)
	switch {
	case err != nil:
		return fmt.Errorf("%w: %w", errState, err)
	case stored != nil && stored.ChainID != chainID:
		return fmt.Errorf("%w: cursor %s is of chain %d, and the node has chain %d", follow.ErrOtherChain,
			s.store.path(w.Label), stored.ChainID, chainID)
	case stored != nil:
		if stored.Genesis == (common.Hash{}) {
			stored.Genesis = genesis
		}
		w.cursor, w.saved = *stored, stored.Next
		return nil
	}
	number := rpc.LatestBlockNumber
	if w.start != nil {
		number = rpc.BlockNumber(*w.start - min(*w.start, 1)) //nolint:gosec // of a block
	}
	b, err := s.source.block(ctx, number)
	if err != nil {
		return fmt.Errorf("node: %w", err)
	}
	if b == nil {
		return fmt.Errorf("node: it does not have block %v yet, where the webhook starts", number)
	}
	first := cursor{Next: uint64(b.Number) + 1, Seen: uint64(b.Number), Hash: b.Hash, ChainID: chainID, Genesis: genesis}
	if w.start != nil {
		first.Next = *w.start
	}
	return s.save(w, first)
}

func sizeOf(notices []notice) (size int) {
	for _, n := range notices {
		size += n.place().size
	}
	return size
}

// deliverAll delivers notices in order and moves the cursor behind each delivery. One that fails alone waits, so that
// those behind it do not. Where too many fail in a row the receiver is away, and all of them pause.
func (s *Service) deliverAll(ctx context.Context, w *webhook, notices []notice) error {
	notices = slices.DeleteFunc(notices, func(n notice) bool {
		return n.place().Block == w.cursor.Next && n.place().LogIndex < w.cursor.Index
	})
	most, made := maxTransfers, make(map[common.Hash]*Place)
	if w.Proof {
		most = maxProven
	}
	for failures := 0; len(notices) > 0; {
		alone := w.tries >= maxTries || len(w.waiting) > 0
		if alone {
			most = 1
		}
		part := notices[:min(most, len(notices))]
		if w.Proof {
			if err := s.prove(ctx, w, part, made); err != nil {
				return fmt.Errorf("node: %w", err)
			}
		}
		n, failure := s.send(ctx, w, part, alone)
		if failure != nil {
			w.failures++
		}
		switch {
		case failure == nil:
			failures = 0
		case n != 1 || ctx.Err() != nil || errors.Is(failure, errState) ||
			!alone && !isUnwanted(failure):
			w.tries++
			return fmt.Errorf("receiver: %w", failure)
		default:
			if err := s.store.keep(w, part[0], failure); err != nil {
				return err
			}
			failures++
		}
		notices = notices[n:]
		last := part[n-1].place()
		next := w.cursor
		next.Next, next.Index = last.Block, last.LogIndex+1
		if err := s.save(w, next); err != nil {
			return err
		}
		if failure != nil && w.isExhausted(failures, failure) {
			return fmt.Errorf("receiver: %w", failure)
		}
	}
	return nil
}

// advance moves the cursor behind a block that is served whole. Each 600 blocks without transfers are saved.
func (s *Service) advance(w *webhook, end *block) error {
	next := w.cursor
	next.Next, next.Index, next.Seen, next.Hash = uint64(end.Number)+1, 0, uint64(end.Number), end.Hash
	if w.cursor.Index == 0 && next.Next-w.saved < 600 {
		w.cursor = next
		return nil
	}
	return s.save(w, next)
}

// errState reports that a cursor cannot be read or written. Without it a restart would repeat deliveries.
var errState = errors.New("state")

func (s *Service) save(w *webhook, c cursor) error {
	if err := s.store.save(w.Label, c); err != nil {
		return fmt.Errorf("%w: %w", errState, err)
	}
	w.cursor, w.saved = c, c.Next
	return nil
}
