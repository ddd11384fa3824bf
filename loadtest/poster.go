// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package loadtest

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"time"

	"github.com/ethereum/go-ethereum/core/types"
)

const (
	maxAnswer  = 128 << 10             // bytes of an answer to a submission, with its headers
	maxShown   = 200                   // bytes of one that is no JSON-RPC, in the error that says so
	maxInterim = 5                     // answers of status 1xx before the one that counts
	unwatched  = 10 * time.Millisecond // after which a connection is looked at before it is used again
)

// submitter submits a transaction.
type submitter interface {
	SendTransaction(ctx context.Context, tx *types.Transaction) error
}

// poster submits to a node over one HTTP connection, which it keeps, one transaction at a time. Package net/http's client has two goroutines for
// each connection and hands every request and answer over between them; with it the generator cost as much as one of the nodes that it
// shares a machine with.
type poster struct {
	address string // host and port
	head    []byte // of every request, up to the length of its body
	conn    net.Conn
	limited io.LimitedReader // what may still be read of conn for one answer
	reader  *bufio.Reader    // of limited
	used    time.Time        // when conn was last used
	id      int64            // of the last request
	request []byte
}

// newPoster returns nil for an endpoint that is not plain HTTP, or that proxy says is reached in another way.
func newPoster(endpoint string, proxy func(*http.Request) (*url.URL, error)) *poster {
	target, err := http.NewRequest(http.MethodPost, endpoint, nil)
	if err != nil || target.URL.Scheme != "http" {
		return nil
	}
	if by, err := proxy(target); err != nil || by != nil {
		return nil
	}
	p := &poster{address: target.URL.Host}
	if target.URL.Port() == "" {
		p.address = net.JoinHostPort(target.URL.Hostname(), "80")
	}
	target.Header.Set("Accept", "application/json")
	target.Header.Set("Content-Type", "application/json")
	if user := target.URL.User; user != nil {
		password, _ := user.Password()
		target.SetBasicAuth(user.Username(), password)
	}
	var head bytes.Buffer
	fmt.Fprintf(&head, "POST %s HTTP/1.1\r\nHost: %s\r\n", target.URL.RequestURI(), zone.ReplaceAllString(target.URL.Host, "]"))
	if err := target.Header.Write(&head); err != nil {
		return nil
	}
	head.WriteString("Content-Length: ")
	p.head = head.Bytes()
	return p
}

// zone is that of an IPv6 address, which means nothing to the server.
var zone = regexp.MustCompile(`%[^\]]*\]`)

// answerError is an error that a node has answered with.
type answerError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

func (e *answerError) Error() string {
	return cmp.Or(e.Message, fmt.Sprintf("json-rpc error %d", e.Code))
}
func (e *answerError) ErrorCode() int { return e.Code }

// SendTransaction submits a transaction and returns the node's error, or what went wrong on the way; nothing is sent twice.
func (p *poster) SendTransaction(ctx context.Context, tx *types.Transaction) error {
	data, err := tx.MarshalBinary()
	if err != nil {
		return err
	}
	// What has ended, or says something unasked, would answer the wrong question or none.
	if p.conn != nil && time.Since(p.used) > unwatched && !silent(p.conn) {
		p.close()
	}
	if p.conn == nil {
		if p.conn, err = new(net.Dialer).DialContext(ctx, "tcp", p.address); err != nil {
			return fmt.Errorf("submit: %w", err)
		}
		p.limited.R = p.conn
		p.reader = bufio.NewReader(&p.limited)
	}
	answer, kept, err := p.exchange(ctx, data)
	if p.used = time.Now(); !kept || err != nil || p.reader.Buffered() > 0 {
		p.close()
	}
	if err != nil {
		return fmt.Errorf("submit to %s: %w", p.address, err)
	}
	return answer
}

// exchange submits a transaction's bytes over the connection and returns what the node has answered with. It tells whether the connection can be
// used again.
func (p *poster) exchange(ctx context.Context, data []byte) (answer error, kept bool, err error) {
	p.id++
	p.limited.N = maxAnswer
	deadline, _ := ctx.Deadline()
	if err := p.conn.SetDeadline(deadline); err != nil {
		return nil, false, err
	}
	if err := p.write(data); err != nil {
		return nil, false, err
	}
	response, err := http.ReadResponse(p.reader, nil)
	for n := 0; err == nil && response.StatusCode < 200; n++ {
		if response.StatusCode == http.StatusSwitchingProtocols || n == maxInterim {
			return nil, false, errors.New(response.Status)
		}
		response, err = http.ReadResponse(p.reader, nil)
	}
	var body []byte
	if err == nil {
		body, err = io.ReadAll(response.Body) // to its end, so that there is nothing to close
	}
	switch {
	case p.limited.N <= 0:
		return nil, false, fmt.Errorf("an answer of more than %d bytes", maxAnswer)
	case err != nil:
		return nil, false, err
	case response.StatusCode >= 300 && response.StatusCode < 400:
		return nil, false, fmt.Errorf("%s: the endpoint is %s", response.Status, response.Header.Get("Location"))
	case response.StatusCode >= 300:
		return fmt.Errorf("%s: %.*s", response.Status, maxShown, body), !response.Close, nil
	}
	answer, err = p.judge(body)
	return answer, !response.Close, err
}

func (p *poster) write(data []byte) error {
	const before, between, after = `{"jsonrpc":"2.0","id":`, `,"method":"eth_sendRawTransaction","params":["0x`, `"]}`
	id := strconv.AppendInt(make([]byte, 0, 20), p.id, 10)
	request := append(p.request[:0], p.head...)
	request = strconv.AppendInt(request, int64(len(before)+len(id)+len(between)+hex.EncodedLen(len(data))+len(after)), 10)
	request = append(request, "\r\n\r\n"+before...)
	request = append(request, id...)
	request = append(request, between...)
	request = hex.AppendEncode(request, data)
	request = append(request, after...)
	p.request = request
	_, err := p.conn.Write(request)
	return err
}

// judge returns the node's error in the answer to the last request, or err when it is none to that.
func (p *poster) judge(body []byte) (answer, err error) {
	var message struct {
		ID     *int64          `json:"id"`
		Result json.RawMessage `json:"result"`
		Error  *answerError    `json:"error"`
	}
	switch err := json.Unmarshal(body, &message); {
	case err != nil:
		return nil, fmt.Errorf("an answer that is no JSON-RPC: %.*s", maxShown, body)
	case message.ID != nil && *message.ID != p.id, message.ID == nil && message.Error == nil:
		return nil, errors.New("an answer to another request")
	case message.Error != nil:
		return message.Error, nil
	case message.Result == nil:
		return nil, errors.New("an answer with neither result nor error")
	}
	return nil, nil
}

func (p *poster) close() {
	if p.conn != nil {
		_ = p.conn.Close() // nothing is under way on it
		p.conn = nil
	}
}
