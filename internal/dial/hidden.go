// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package dial

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
)

// ErrLarge means that an answer has more bytes than allowed.
var ErrLarge = errors.New("answer too large")

// Shown returns an endpoint as texts name it: scheme and host of a URL, whose user, path and query may be keys, or the
// path of a socket, which begins with /, ., ~ or, of a Windows pipe, \, or ends with .ipc. Anything else is a URL that
// lacks its scheme.
func Shown(endpoint string) string {
	scheme, _, isURL := strings.Cut(endpoint, "://")
	if !isURL {
		if endpoint == "" || strings.ContainsRune(`/.~\`, rune(endpoint[0])) || strings.HasSuffix(endpoint, ".ipc") {
			return endpoint
		}
		end := strings.IndexAny(endpoint+"/", "/?#")
		if strings.Contains(endpoint[end:], "@") {
			return "..." // what stands around it may be of a password or of a path
		}
		return endpoint[strings.LastIndexByte(endpoint[:end], '@')+1 : end]
	}
	parsed, err := url.Parse(endpoint)
	if err != nil {
		return scheme + "://..."
	}
	return parsed.Scheme + "://" + parsed.Host
}

// Bare returns the cause of an error of package http without the URL, which may have a key.
func Bare(err error) error {
	if failed, ok := errors.AsType[*url.Error](err); ok {
		return failed.Err
	}
	return err
}

// transport sends requests to a target that the client, and with it its errors, knows by scheme and host alone. It
// bounds answers.
type transport struct {
	inner  http.RoundTripper
	target *url.URL
	most   int64
}

// RoundTrip implements http.RoundTripper.
func (t transport) RoundTrip(given *http.Request) (*http.Response, error) {
	request := given.Clone(given.Context())
	request.URL, request.Host = t.target, t.target.Host
	if user := t.target.User; user != nil {
		password, _ := user.Password()
		request.SetBasicAuth(user.Username(), password)
	}
	response, err := t.inner.RoundTrip(request)
	if err != nil {
		return nil, Bare(err)
	}
	most := t.most
	if own, set := given.Context().Value(mostKey{}).(int64); set {
		most = own
	}
	switch status := response.StatusCode; {
	case status >= 300 && status < 400:
		elsewhere := "nowhere"
		if to, err := response.Location(); err == nil {
			elsewhere = Shown(to.String())
		}
		_ = response.Body.Close() // nothing of it counts
		return nil, fmt.Errorf("it redirects to %.200s, which is not followed: give the URL that is meant", elsewhere)
	case status < 200 || status > 299: // what else it says may repeat the URL, and becomes a part of an error
		_ = response.Body.Close()
		response.Body, response.Status = http.NoBody, fmt.Sprintf("%d %s", status, http.StatusText(status))
	default:
		response.Body = &boundedBody{ReadCloser: response.Body, most: most, left: most}
	}
	return response, nil
}

type mostKey struct{}

// WithMost returns a context whose questions over HTTP have another bound for the bytes of an answer.
func WithMost(ctx context.Context, most int64) context.Context {
	return context.WithValue(ctx, mostKey{}, most)
}

type boundedBody struct {
	io.ReadCloser
	most, left int64
}

// Read implements io.Reader.
func (b *boundedBody) Read(into []byte) (int, error) {
	if int64(len(into)) > b.left+1 {
		into = into[:b.left+1]
	}
	n, err := b.ReadCloser.Read(into)
	if b.left -= int64(n); b.left < 0 {
		return 0, fmt.Errorf("%w: more than %d bytes", ErrLarge, b.most)
	}
	return n, err
}
