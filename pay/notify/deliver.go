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
	"net/url"
	"strconv"
	"time"
)

const (
	deliveryTimeout = 15 * time.Second
	maxAnswer       = 4096 // bytes that are read of a receiver's answer

	// SignatureHeader carries "t=<Unix seconds>,v1=<hex>": the HMAC-SHA256 of "<Unix seconds>.<body>" with the secret.
	SignatureHeader = "Gwon-Signature"
)

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

// deliver posts notices to a webhook. A status of 200 to 299 accepts them; everything else is an error.
func deliver(ctx context.Context, client *http.Client, w *Webhook, chainID uint64, notices []notice) error {
	delivery := Delivery{Webhook: w.Label, ChainID: chainID}
	for _, n := range notices {
		switch n := n.(type) {
		case *Transfer:
			delivery.Transfers = append(delivery.Transfers, n)
		case *Event:
			delivery.Events = append(delivery.Events, n)
		}
	}
	body, err := json.Marshal(delivery)
	if err != nil {
		return err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, w.URL, bytes.NewReader(body))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("User-Agent", "gwon-notify")
	request.Header.Set(SignatureHeader, Sign(w.secret, body, time.Now()))
	answer, err := client.Do(request)
	if err != nil {
		var failed *url.Error
		if errors.As(err, &failed) {
			return failed.Err // without the URL: its path may be a secret, and /status and the log show the error
		}
		return err
	}
	// Read to its end, an answer leaves the connection for the next delivery.
	text, err := io.ReadAll(io.LimitReader(answer.Body, maxAnswer))
	err = errors.Join(err, answer.Body.Close())
	if answer.StatusCode < 200 || answer.StatusCode > 299 {
		return fmt.Errorf("the receiver answered %s: %.100q", answer.Status, text)
	}
	return err
}
