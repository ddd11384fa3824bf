// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package load

import (
	"bufio"
	"context"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/ethereum/go-ethereum/core/types"
)

const (
	maxAnswer = 64 << 10         // bytes of an answer to a submission
	maxIdle   = 30 * time.Second // for which a connection is kept unused; servers close theirs after a minute or two
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
	reader  *bufio.Reader
	used    time.Time // when conn was last used
	request []byte
}

// newPoster returns nil for an endpoint that is not plain HTTP or that is reached through a proxy.
func newPoster(endpoint string) *poster {
	target, err := http.NewRequest(http.MethodPost, endpoint, nil)
	if err != nil || target.URL.Scheme != "http" {
		return nil
	}
	if proxy, err := http.ProxyFromEnvironment(target); err != nil || proxy != nil {
		return nil
	}
	p := &poster{address: target.URL.Host}
	if target.URL.Port() == "" {
		p.address = net.JoinHostPort(target.URL.Hostname(), "80")
	}
	p.head = fmt.Appendf(nil, "POST %s HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\n", target.URL.RequestURI(), target.URL.Host)
	if target.URL.User != nil {
		p.head = fmt.Appendf(p.head, "Authorization: Basic %s\r\n", credentials(target.URL.User))
	}
	p.head = append(p.head, "Content-Length: "...)
	return p
}

func credentials(user *url.Userinfo) string {
	password, _ := user.Password()
	return base64.StdEncoding.EncodeToString([]byte(user.Username() + ":" + password))
}

// answerError is an error that a node has answered with.
type answerError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

func (e *answerError) Error() string  { return e.Message }
func (e *answerError) ErrorCode() int { return e.Code }

// SendTransaction submits a transaction and returns the node's error, or what went wrong on the way; nothing is sent twice.
func (p *poster) SendTransaction(ctx context.Context, tx *types.Transaction) error {
	data, err := tx.MarshalBinary()
	if err != nil {
		return err
	}
	if p.conn != nil && time.Since(p.used) > maxIdle {
		p.close()
	}
	if p.conn == nil {
		if p.conn, err = new(net.Dialer).DialContext(ctx, "tcp", p.address); err != nil {
			return err
		}
		p.reader = bufio.NewReader(p.conn)
	}
	kept, err := p.exchange(ctx, data)
	if p.used = time.Now(); !kept {
		p.close()
	}
	return err
}

// exchange submits a transaction's bytes over the connection and tells whether it can be used again.
func (p *poster) exchange(ctx context.Context, data []byte) (kept bool, err error) {
	const before, after = `{"jsonrpc":"2.0","id":1,"method":"eth_sendRawTransaction","params":["0x`, `"]}`
	request := append(p.request[:0], p.head...)
	request = strconv.AppendInt(request, int64(len(before)+hex.EncodedLen(len(data))+len(after)), 10)
	request = append(request, "\r\n\r\n"+before...)
	request = hex.AppendEncode(request, data)
	request = append(request, after...)
	p.request = request
	deadline, _ := ctx.Deadline()
	if err := p.conn.SetDeadline(deadline); err != nil {
		return false, err
	}
	if _, err := p.conn.Write(request); err != nil {
		return false, err
	}
	response, err := http.ReadResponse(p.reader, nil)
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, response.Body.Close()) }()
	body, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer+1))
	if err != nil {
		return false, err
	}
	if len(body) > maxAnswer {
		return false, fmt.Errorf("an answer of more than %d bytes", maxAnswer)
	}
	kept = !response.Close
	if response.StatusCode != http.StatusOK {
		return kept, fmt.Errorf("%s: %s", response.Status, body)
	}
	var answer struct {
		Result json.RawMessage `json:"result"`
		Error  *answerError    `json:"error"`
	}
	switch err := json.Unmarshal(body, &answer); {
	case err != nil:
		return kept, fmt.Errorf("an answer that is no JSON-RPC: %w", err)
	case answer.Error != nil:
		return kept, answer.Error
	case answer.Result == nil:
		return kept, errors.New("an answer with neither result nor error")
	}
	return kept, nil
}

func (p *poster) close() {
	if p.conn != nil {
		_ = p.conn.Close() // nothing is under way on it
		p.conn = nil
	}
}
