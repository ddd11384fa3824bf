// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package notify

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strconv"
	"time"

	"github.com/ethereum/go-ethereum/log"

	"gwon/internal/dial"
	"gwon/internal/follow"
)

const (
	deliveryTimeout = 15 * time.Second
	maxAnswer       = 4096 // bytes that are read of a receiver's answer

	maxDelivery = 4 << 20  // bytes of a delivery
	usualBody   = 64 << 10 // bytes that any receiver takes
	maxTries    = 4        // failures in a row, some 10 s, after which a notice goes alone, and waits if it fails

	maxRefused = 100 // notices in a row that a receiver may refuse without a pause: anybody can send them

	// SignatureHeader carries "t=<Unix seconds>,v1=<hex>": the HMAC-SHA256 of "<Unix seconds>.<body>" with the secret.
	SignatureHeader = "Gwon-Signature"
)

// unwanted are the answers with which receivers refuse a body and not all of them.
var unwanted = []int{http.StatusBadRequest, http.StatusRequestEntityTooLarge, http.StatusUnprocessableEntity,
	http.StatusRequestHeaderFieldsTooLarge}

// Delivery is the body of a request to a webhook. It has either transfers or events, in the order of the chain.
type Delivery struct {
	Webhook   string      `json:"webhook"` // its label
	ChainID   uint64      `json:"chainId"`
	Transfers []*Transfer `json:"transfers,omitempty"`
	Events    []*Event    `json:"events,omitempty"`
}

// Sign returns the signature of a body at a time, as it stands in SignatureHeader.
func Sign(secret, body []byte, at time.Time) string {
	seconds := strconv.FormatInt(at.Unix(), 10)
	mac := hmac.New(sha256.New, secret)
	mac.Write([]byte(seconds + "."))
	mac.Write(body)
	return "t=" + seconds + ",v1=" + hex.EncodeToString(mac.Sum(nil))
}

// newDeliverer returns a client that follows no redirect: the body is meant for the configured address only.
func newDeliverer() *http.Client {
	return &http.Client{
		Timeout:       deliveryTimeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// encode returns the body of a delivery.
func encode(label string, chainID uint64, notices []notice) ([]byte, error) {
	delivery := Delivery{Webhook: label, ChainID: chainID}
	for _, n := range notices {
		n.deliver(&delivery)
	}
	return json.Marshal(delivery)
}

func (t *Transfer) deliver(d *Delivery) { d.Transfers = append(d.Transfers, t) }
func (e *Event) deliver(d *Delivery)    { d.Events = append(d.Events, e) }

// refusedError is the status of an answer that does not accept a delivery.
type refusedError struct {
	status int
	text   string
}

// Error implements error.
func (e *refusedError) Error() string { return e.text }

// statusOf returns the status of the answer, 0 for none.
func statusOf(err error) int {
	if refused, ok := errors.AsType[*refusedError](err); ok {
		return refused.status
	}
	return 0
}

// post posts a body to a webhook. A status of 200 to 299 accepts it; everything else is an error.
func (w *Webhook) post(ctx context.Context, client *http.Client, body []byte) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, w.URL, bytes.NewReader(body))
	if err != nil {
		return dial.Bare(err)
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("User-Agent", "gwon-notify")
	request.Header.Set(SignatureHeader, Sign(w.secret, body, time.Now()))
	if len(body) > usualBody {
		request.Header.Set("Expect", "100-continue") // a receiver says that it is too large before it is sent
	}
	answer, err := client.Do(request)
	if err != nil {
		return dial.Bare(err)
	}
	// Read to its end, an answer leaves the connection for the next delivery.
	text, err := io.ReadAll(io.LimitReader(answer.Body, maxAnswer))
	err = errors.Join(err, answer.Body.Close())
	if answer.StatusCode < 200 || answer.StatusCode > 299 {
		return &refusedError{answer.StatusCode, fmt.Sprintf("the receiver answered %s: %.100q", answer.Status, text)}
	}
	return err
}

// isUnwanted reports whether a receiver works, and refuses what it was sent.
func isUnwanted(err error) bool { return slices.Contains(unwanted, statusOf(err)) }

// send delivers some of the first notices, and returns the number of those that the answer is about. A receiver that
// does not take their bytes, or refuses them, gets fewer of them, then one, and that one without its data. One that
// fails alone is given so for any reason.
func (s *Service) send(ctx context.Context, w *webhook, part []notice, alone bool) (int, error) {
	for short := false; ; {
		body, err := encode(w.Label, w.cursor.ChainID, part)
		if err != nil {
			return 0, err
		}
		fits, refused := len(body) < w.limit || short, true
		if fits {
			if err = w.post(ctx, s.client, body); err == nil {
				w.limit = min(w.limit+w.limit/8+1024, maxDelivery+1)
				w.taken(part)
				return len(part), nil
			}
			if statusOf(err) == http.StatusRequestEntityTooLarge && !short {
				w.limit = min(w.limit, len(body))
				continue
			}
			refused = alone || isUnwanted(err)
		}
		switch {
		case refused && len(part) > 1:
			part = part[:len(part)/2]
		case refused && !short && (!fits || len(body) > usualBody) && ctx.Err() == nil:
			part, short = []notice{part[0].shortened(len(body))}, true
		default:
			return len(part), err
		}
	}
}

// taken notes that the receiver works. What was the first to fail since it took something before may be refused. Where
// another one failed for the first time, the receiver was away.
func (w *webhook) taken(part []notice) {
	delivered := "Transfers delivered"
	if len(w.Event) > 0 {
		delivered = "Events delivered"
	}
	log.Info(delivered, "webhook", w.Label, "count", len(part), "block", part[0].place().Block)
	w.report.delivered(len(part))
	w.tries = max(0, w.tries-1) // the next one may be like those that failed
	w.chain.Pause, w.again = minPause, time.Time{}
	for _, l := range w.waiting {
		if l.failed && w.failures == 1 {
			l.strikes++
		}
		l.failed, l.tried = false, false
	}
	w.failures = 0
}

// retry sends what waits again, the first one and then those in turn, until as many failed as the pause has seconds.
func (s *Service) retry(ctx context.Context, w *webhook) error {
	if time.Now().Before(w.again) {
		return nil
	}
	var failure error
	failures := w.patience()
	if len(w.waiting) > 0 {
		w.waiting[0].tried = false
	}
	for failures > 0 && ctx.Err() == nil {
		i := slices.IndexFunc(w.waiting, func(l *waiting) bool { return !l.tried })
		if i < 0 {
			for _, l := range w.waiting {
				l.tried = false
			}
			break
		}
		l := w.waiting[i]
		letter, err := readLetter(l.path)
		if err != nil {
			return fmt.Errorf("%w: %w", errState, err)
		}
		if letter.ChainID != w.cursor.ChainID {
			return fmt.Errorf("%w: %s waits since chain %d, and the node has chain %d: move it away", follow.ErrOtherChain,
				l.path, letter.ChainID, w.cursor.ChainID)
		}
		w.waiting = slices.Delete(w.waiting, i, i+1)
		_, err = s.send(ctx, w, []notice{letter.notice()}, true)
		switch {
		case err == nil:
			if err := os.Remove(l.path); err != nil {
				return fmt.Errorf("%w: %w", errState, err)
			}
		case errors.Is(err, errState):
			return err
		case w.failures == 0 && l.strikes >= maxStrikes:
			l.last, w.failures = err, 1
			if err := s.store.setAside(w, l); err != nil {
				return err
			}
			failures--
		default:
			failure, l.last, l.tried = err, err, true
			l.failed = l.failed || w.failures == 0
			w.failures = max(w.failures, 1) // again and again, it is one
			w.waiting = slices.Insert(w.waiting, i, l)
			failures--
		}
	}
	if failure != nil && ctx.Err() == nil {
		wait := w.chain.Rest()
		w.again = time.Now().Add(wait)
		w.report.failed(failure)
		log.Warn("Notices wait", "webhook", w.Label, "count", len(w.waiting), "retry", wait.Round(time.Second),
			"err", failure)
	}
	return nil
}

// patience returns how many notices may fail in a row, each alone, before a pause: one for each of its seconds.
func (w *webhook) patience() int { return int(w.chain.Pause / time.Second) }

// isExhausted reports whether that many have failed, or more where a receiver that works refuses the last one.
func (w *webhook) isExhausted(failures int, last error) bool {
	return failures >= w.patience() && (failures >= maxRefused || !isUnwanted(last))
}
