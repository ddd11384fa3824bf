// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package notify

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/ethereum/go-ethereum/metrics"
	"github.com/ethereum/go-ethereum/metrics/prometheus"
)

// Progress is the state of a webhook as /status tells it.
type Progress struct {
	Webhook   string    `json:"webhook"`
	Head      uint64    `json:"head"` // of the node; 0 before its first answer
	Next      uint64    `json:"next"` // first block that is not delivered whole
	Delivered uint64    `json:"delivered"`
	Letters   int       `json:"letters"`         // notices that are set aside
	Dropped   uint64    `json:"dropped"`         // letters that gave their place to newer ones since the start
	Waiting   int       `json:"waiting"`         // notices that failed, and are sent again
	Success   time.Time `json:"lastSuccess"`     // of a delivery, or of a round in which nothing waited
	Error     string    `json:"error,omitempty"` // of the last round
}

// lag returns the number of blocks behind the head.
func (p *Progress) lag() uint64 { return p.Head + 1 - min(p.Next, p.Head+1) }

// ready reports whether the webhook is served: connected, without an error, and at most 60 blocks behind the head.
func (p *Progress) ready() bool { return p.Head > 0 && p.Error == "" && p.lag() <= 60 }

// progress is a Progress with its lock and metrics.
type progress struct {
	mu  *sync.Mutex
	now *Progress

	lag      *metrics.Gauge
	letters  *metrics.Gauge
	drops    *metrics.Counter
	count    *metrics.Counter
	failures *metrics.Counter
}

// registry has the metrics of this package alone, and not those of a node, which geth registers.
var registry = metrics.NewRegistry()

func newProgress(label string) progress {
	name := "notify/" + strings.ReplaceAll(label, "-", "_") // no hyphens for Prometheus
	return progress{
		mu: new(sync.Mutex), now: &Progress{Webhook: label},
		lag:      metrics.GetOrRegisterGauge(name+"/lag", registry),
		letters:  metrics.GetOrRegisterGauge(name+"/letters", registry),
		drops:    metrics.GetOrRegisterCounter(name+"/dropped", registry),
		count:    metrics.GetOrRegisterCounter(name+"/delivered", registry),
		failures: metrics.GetOrRegisterCounter(name+"/failures", registry),
	}
}

func (p progress) update(change func(*Progress)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	change(p.now)
}

func (p progress) head(head, next uint64) {
	p.update(func(now *Progress) {
		now.Head, now.Next = head, next
		p.lag.Update(int64(min(now.lag(), 1<<62))) //nolint:gosec // bounded
	})
}

func (p progress) delivered(n int) {
	p.count.Inc(int64(n))
	p.update(func(now *Progress) {
		now.Delivered += uint64(n) //nolint:gosec // a count
		now.Success = time.Now()
	})
}

func (p progress) dropped() {
	p.drops.Inc(1)
	p.update(func(now *Progress) { now.Dropped++ })
}

func (p progress) failed(err error) {
	p.failures.Inc(1)
	p.update(func(now *Progress) { now.Error = err.Error() })
}

func (p progress) succeeded(at time.Time) {
	p.update(func(now *Progress) { now.Error, now.Success = "", at })
}

func (p progress) read() (now Progress) {
	p.update(func(last *Progress) { now = *last })
	return now
}

// Status returns the progress of each webhook, in the order of the configuration, and sets the metrics of letters.
func (s *Service) Status() []Progress {
	all := make([]Progress, len(s.webhooks))
	for i, w := range s.webhooks {
		all[i] = w.report.read()
		letters, aside := list(lettersOf(s.store.directory, w.Label))
		waiting, again := list(waitingOf(s.store.directory, w.Label))
		all[i].Letters, all[i].Waiting = len(letters), len(waiting)
		w.report.letters.Update(int64(len(letters)))
		if err := errors.Join(aside, again); err != nil {
			all[i].Error = err.Error()
		}
	}
	return all
}

// Handler answers /livez, /readyz, /status and /metrics.
func (s *Service) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /livez", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "ok") })
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, _ *http.Request) {
		text := "ok\n"
		for _, p := range s.Status() {
			if !p.ready() {
				w.WriteHeader(http.StatusServiceUnavailable)
				text = fmt.Sprintf("webhook %s is %d blocks behind: %s\n", p.Webhook, p.lag(), p.Error)
				break
			}
		}
		fmt.Fprint(w, text)
	})
	mux.HandleFunc("GET /status", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(s.Status()) // fails only when the reader has left
	})
	mux.HandleFunc("GET /metrics", func(w http.ResponseWriter, r *http.Request) {
		s.Status() // letters leave by another process
		prometheus.Handler(registry).ServeHTTP(w, r)
	})
	return mux
}
