// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package notify

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/rpc"

	"gwon/internal/follow"
	"gwon/internal/must"
	"gwon/params"
)

// quiet is a node without payments. It has the blocks up to head, and the logs of those up to known.
type quiet struct {
	chain, head, known uint64
	sealed             time.Time // of its newest block
}

func (q *quiet) chainID(context.Context) (uint64, error)      { return q.chain, nil }
func (q *quiet) genesis(context.Context) (common.Hash, error) { return common.Hash{1}, nil }
func (q *quiet) close() error                                 { return nil }

func (q *quiet) block(_ context.Context, number rpc.BlockNumber) (*block, error) {
	if number == rpc.LatestBlockNumber {
		number = rpc.BlockNumber(q.head) //nolint:gosec // small
	}
	b := &block{Number: hexutil.Uint64(number), Hash: common.Hash{1, byte(number)}} //nolint:gosec // small
	b.Timestamp = hexutil.Uint64(q.sealed.Unix())                                   //nolint:gosec // positive
	if uint64(b.Number) > q.head {
		return nil, nil
	}
	return b, nil
}

func (q *quiet) notices(ctx context.Context, _ *Webhook, _, last uint64) ([]notice, *block, error) {
	if last > q.known {
		return nil, nil, follow.ErrBehind
	}
	end, err := q.block(ctx, rpc.BlockNumber(last)) //nolint:gosec // small
	return nil, end, err
}

func (q *quiet) receiptProof(context.Context, *Place, string) (json.RawMessage, error) {
	return nil, nil
}

// A webhook that is not served up to the newest block of its network is not ready, whatever the node answers, and says
// why. What a balancer mends in seconds is no failure.
func TestReadiness(t *testing.T) {
	const head = 110
	for name, row := range map[string]struct {
		chain  uint64
		until  time.Duration // until the webhook is not ready; 0 where it stays so
		reason string
		change func(*quiet)
	}{
		"a node that was restored": {testChain, behindFor, "the node is behind", func(q *quiet) { q.head = 10 }},
		"a node without the logs":  {testChain, behindFor, "the node is behind", func(q *quiet) { q.head++ }},
		"a node that stands still": {testChain, time.Minute, "1m1s old", func(*quiet) {}},
		"a node that syncs": {testChain, time.Second, "old", func(q *quiet) {
			q.sealed = q.sealed.Add(-time.Hour)
		}},
		"a developer chain that stands still":    {params.DevChainID, 0, "", func(*quiet) {}},
		"a developer chain at its genesis block": {params.DevChainID, 0, "", func(q *quiet) { q.head = 0 }},
	} {
		t.Run(name, func(t *testing.T) {
			_, config := newReceiver(t, "unused", Webhook{Addresses: []common.Address{account(3)}})
			synctest.Test(t, func(t *testing.T) {
				q := &quiet{chain: row.chain, head: head, known: head, sealed: time.Now()}
				if row.until == 0 {
					row.change(q)
				}
				s := must.Get(open(config, q))(t)
				ctx, cancel := context.WithCancel(t.Context())
				ended := make(chan error, 1)
				go func() { ended <- s.Run(ctx) }()
				ready := func() (bool, string) {
					answer := httptest.NewRecorder()
					s.Handler().ServeHTTP(answer, httptest.NewRequest(http.MethodGet, "/readyz", nil))
					return answer.Code == http.StatusOK, answer.Body.String()
				}
				if is, text := ready(); is {
					t.Errorf("ready before the first answer: %s", text)
				}
				time.Sleep(pollInterval / 2)
				if is, text := ready(); !is {
					t.Errorf("not ready: %s", text)
				}
				failures := s.webhooks[0].report.failures.Snapshot().Count()
				if row.until == 0 {
					time.Sleep(time.Hour)
					if is, text := ready(); !is {
						t.Errorf("not ready: %s", text)
					}
				} else {
					row.change(q)
					time.Sleep(row.until - time.Second)
					if is, text := ready(); !is && row.until > time.Second {
						t.Errorf("not ready after %v: %s", row.until-time.Second, text)
					}
					time.Sleep(2*time.Second - pollInterval/2)
					if is, text := ready(); is || !strings.Contains(text, row.reason) {
						t.Errorf("ready %t after %v: %s", is, row.until+time.Second, text)
					}
					if failed := s.webhooks[0].report.failures.Snapshot().Count() > failures; failed != (row.until == behindFor) {
						t.Errorf("a failure is counted: %t", failed)
					}
					q.head, q.known, q.sealed = head+1, head+1, time.Now()
					time.Sleep(10 * time.Second)
					if is, text := ready(); !is {
						t.Errorf("not ready when the node is back: %s", text)
					}
				}
				cancel()
				must.Do(t, <-ended)
				must.Do(t, s.Close())
			})
		})
	}
}
