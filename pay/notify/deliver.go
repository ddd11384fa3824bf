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
	"slices"
	"strconv"
	"time"

	"github.com/ethereum/go-ethereum/log"

	"gwon/internal/dial"
)

const (
	deliveryTimeout = 15 * time.Second
	maxAnswer       = 4096 // bytes that are read of a receiver's answer

	maxDelivery = 4 << 20  // bytes of a delivery
	usualBody   = 64 << 10 // bytes that any receiver takes
	maxTries    = 10       // failures in a row, some 10 minutes, after which a notice goes alone and short

	// SignatureHeader carries "t=<Unix seconds>,v1=<hex>": the HMAC-SHA256 of "<Unix seconds>.<body>" with the secret.
	SignatureHeader = "Gwon-Signature"
)

// unwanted are the answers with which receivers refuse a body and not all of them.
var unwanted = []int{http.StatusBadRequest, http.StatusUnprocessableEntity, http.StatusRequestHeaderFieldsTooLarge}

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
		switch n := n.(type) {
		case *Transfer:
			delivery.Transfers = append(delivery.Transfers, n)
		case *Event:
			delivery.Events = append(delivery.Events, n)
		}
	}
	return json.Marshal(delivery)
}

// refusedError is the status of an answer that does not accept a delivery.
type refusedError struct {
	status int
	text   string
}

// Error implements error.
func (e *refusedError) Error() string { return e.text }

// statusOf returns the status of the answer, 0 for none.
func statusOf(err error) int {
	var refused *refusedError
	if errors.As(err, &refused) {
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

// send delivers some of the first notices, and returns those that are done with. A receiver that does not take their
// bytes, or refuses them, gets fewer of them, then one, short if it is too large. One that refuses this one for good
// has it set aside, so that what follows does not wait.
func (s *Service) send(ctx context.Context, w *webhook, part []notice) ([]notice, error) {
	delivered := "Transfers delivered"
	if len(w.Event) > 0 {
		delivered = "Events delivered"
	}
	if w.tries >= maxTries {
		part = part[:1]
	}
	for short := false; ; {
		body, err := encode(w.Label, w.cursor.ChainID, part)
		if err != nil {
			return nil, err
		}
		tooLarge := len(body) >= w.limit || w.tries >= maxTries && len(body) > usualBody
		switch {
		case tooLarge && len(part) > 1:
			part = part[:len(part)/2]
			continue
		case tooLarge && !short:
			part, short = []notice{part[0].shortened(len(body))}, true
			continue
		}
		err = w.post(ctx, s.client, body)
		switch status := statusOf(err); {
		case err == nil:
			w.limit, w.tries = min(w.limit+w.limit/8+1024, maxDelivery+1), 0
			w.report.delivered(len(part))
			log.Info(delivered, "webhook", w.Label, "count", len(part), "block", part[0].place().Block)
			return part, nil
		case status == http.StatusRequestEntityTooLarge && !short:
			w.limit = min(w.limit, len(body))
			continue
		case slices.Contains(unwanted, status) && len(part) > 1:
			part = part[:len(part)/2]
			continue
		case status == http.StatusRequestEntityTooLarge, w.tries >= maxTries && slices.Contains(unwanted, status):
			if err = s.store.setAside(w, part[0], err); err == nil { // the tries remain: the next one may be like it
				return part, nil
			}
		}
		w.tries++
		return nil, err
	}
}
