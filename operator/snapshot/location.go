// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package snapshot

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"gwon/internal/atomicfile"
	"gwon/internal/dial"
)

const (
	// attempts is how often a file is asked for while the server fails. The pause between two doubles from firstPause on.
	attempts     = 5
	firstPause   = time.Second
	maxRedirects = 5
	slowest      = 16 << 10 // bytes a second that a server sends of a file
)

// Location is where the files of a snapshot are: a directory, or a static HTTP server.
type Location struct {
	dir    string
	base   *url.URL // nil for a directory
	client *http.Client
	pause  time.Duration
	quiet  time.Duration
}

// NewLocation reads the name of a directory or an HTTP URL.
func NewLocation(name string) (*Location, error) {
	if !strings.Contains(name, "://") {
		return &Location{dir: name}, nil
	}
	base, err := url.Parse(name)
	if err != nil || base.Scheme != "http" && base.Scheme != "https" || base.Host == "" {
		return nil, fmt.Errorf("%s is no URL of an HTTP server: give http://HOST/PATH, https://HOST/PATH, or a directory",
			dial.Shown(name))
	}
	transport := &http.Transport{
		Proxy:       http.ProxyFromEnvironment,
		DialContext: (&net.Dialer{Timeout: dial.Timeout}).DialContext, TLSHandshakeTimeout: dial.Timeout,
		ResponseHeaderTimeout: dial.Timeout,
		DisableCompression:    true, // lengths are those of the files
		MaxIdleConnsPerHost:   parallel,
	}
	redirect := func(_ *http.Request, via []*http.Request) error {
		if len(via) > maxRedirects {
			return errors.New("too many redirects")
		}
		return nil
	}
	client := &http.Client{Transport: transport, CheckRedirect: redirect}
	return &Location{base: base, client: client, pause: firstPause, quiet: dial.Timeout}, nil
}

// String returns the name of the location.
func (l *Location) String() string {
	if l.base == nil {
		return l.dir
	}
	return dial.Shown(l.base.String())
}

// manifest returns the manifest as it is there.
func (l *Location) manifest(ctx context.Context) (raw []byte, err error) {
	if l.base == nil {
		raw, err = atomicfile.Read(filepath.Join(l.dir, ManifestName))
	} else {
		err = l.retry(ctx, func() error {
			var body strings.Builder
			if err := l.get(ctx, ManifestName, 0, maxManifest+1, &body); err != nil {
				return err
			}
			raw = []byte(body.String())
			return nil
		})
	}
	switch {
	case errors.Is(err, os.ErrNotExist) || errors.Is(err, errNotFound):
		return nil, fmt.Errorf("there is no %s at %v: name the directory or URL that holds one, of a finished snapshot",
			ManifestName, l)
	case err != nil:
		return nil, fmt.Errorf("read %s of %v: %w", ManifestName, l, err)
	case len(raw) > maxManifest:
		return nil, fmt.Errorf("%s of %v has more than %d bytes: take another snapshot", ManifestName, l, maxManifest)
	}
	return raw, nil
}

// chunk returns the path of a file that has passed checkFile. A downloaded one is in work, and continues what is there.
func (l *Location) chunk(ctx context.Context, work, name string, c Chunk) (path string, err error) {
	if l.base == nil {
		path = filepath.Join(l.dir, name)
		if err := checkFile(path, c); err != nil {
			return "", fmt.Errorf("%s: %w: the snapshot is damaged, take another one", path, err)
		}
		return path, nil
	}
	path = filepath.Join(work, name)
	if err := checkFile(path, c); err == nil {
		return path, nil
	}
	// A file that was continued may have another beginning than the server's: it is downloaded from the start once.
	for range 2 {
		if err = l.retry(ctx, func() error { return l.download(ctx, path+partialSuffix, name, c) }); err != nil {
			break
		}
		if err = checkFile(path+partialSuffix, c); err == nil {
			return path, atomicfile.Replace(path+partialSuffix, path)
		}
		if err := os.Remove(path + partialSuffix); err != nil {
			return "", err
		}
	}
	if errors.Is(err, errChunk) || errors.Is(err, errNotFound) {
		return "", fmt.Errorf("%s of %v: %w: take another server; what is fetched already is kept", name, l, err)
	}
	return "", fmt.Errorf("%s of %v: %w: run the command again to go on", name, l, err)
}

// retry calls get until it succeeds, or fails in a way that time does not mend, or has failed too often.
func (l *Location) retry(ctx context.Context, get func() error) (err error) {
	pause := l.pause
	for i := range attempts {
		if i > 0 {
			select {
			case <-time.After(pause):
			case <-ctx.Done():
				return ctx.Err()
			}
			pause *= 2
		}
		err = get()
		var final *finalError
		if err == nil || ctx.Err() != nil || errors.As(err, &final) {
			return err
		}
	}
	return fmt.Errorf("%w, in each of %d attempts", err, attempts)
}

// finalError is a failure that another attempt does not mend.
type finalError struct{ error }

// Unwrap returns the cause.
func (e *finalError) Unwrap() error { return e.error }

var errNotFound = errors.New("the server does not have it")

// download completes a file, of which a part may be there.
func (l *Location) download(ctx context.Context, path, name string, c Chunk) (err error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, fileMode)
	if err != nil {
		return &finalError{err}
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	have, err := file.Seek(0, io.SeekEnd)
	if err != nil {
		return &finalError{err}
	}
	if uint64(have) > c.Size {
		have = 0
	}
	if uint64(have) < c.Size {
		out := &resumedFile{file: file, have: have}
		if err := l.get(ctx, name, have, int64(c.Size), out); err != nil {
			return err
		}
		if have = out.have; uint64(have) < c.Size {
			return fmt.Errorf("%w: the answer ends after %d of %d bytes", io.ErrUnexpectedEOF, have, c.Size)
		}
	}
	if err := file.Truncate(have); err != nil {
		return &finalError{err}
	}
	return file.Sync()
}

// resumedFile is written from an offset on.
type resumedFile struct {
	file *os.File
	have int64
}

// Write implements io.Writer.
func (r *resumedFile) Write(p []byte) (int, error) {
	n, err := r.file.WriteAt(p, r.have)
	r.have += int64(n)
	if err != nil {
		err = &finalError{err}
	}
	return n, err
}

// restart implements restarter.
func (r *resumedFile) restart() { r.have = 0 }

// restarter takes what a server sends that does not continue a file.
type restarter interface{ restart() }

// get writes a file of the server to out, from an offset up to an end, behind which nothing is read. A server that
// knows no ranges sends the whole file.
func (l *Location) get(ctx context.Context, name string, from, end int64, out io.Writer) (err error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, l.base.JoinPath(name).String(), nil)
	if err != nil {
		return &finalError{err}
	}
	if from > 0 {
		request.Header.Set("Range", fmt.Sprintf("bytes=%d-", from))
	}
	answer, err := l.client.Do(request)
	if err != nil {
		return dial.Bare(err)
	}
	defer func() {
		if closing := answer.Body.Close(); err == nil && closing != nil {
			err = closing
		}
	}()
	switch {
	case answer.StatusCode == http.StatusNotFound:
		return &finalError{errNotFound}
	case answer.StatusCode == http.StatusRequestedRangeNotSatisfiable:
		return &finalError{fmt.Errorf("the server has %d bytes of it at most, the manifest says %d", from, end)}
	case answer.StatusCode == http.StatusPartialContent && from > 0:
		if want := fmt.Sprintf("bytes %d-", from); !strings.HasPrefix(answer.Header.Get("Content-Range"), want) {
			return &finalError{fmt.Errorf("asked for %s..., the server sends %q", want, answer.Header.Get("Content-Range"))}
		}
	case answer.StatusCode == http.StatusOK:
		from = 0
		if r, ok := out.(restarter); ok {
			r.restart()
		}
	default:
		return fmt.Errorf("the server answers %q", answer.Status)
	}
	least := int(slowest * l.quiet.Seconds())
	alarm := time.AfterFunc(l.quiet, func() {
		cancel(fmt.Errorf("the server has sent less than %d bytes in %v", least, l.quiet))
	})
	defer alarm.Stop()
	sent := 0
	body := readerFunc(func(p []byte) (int, error) {
		n, err := answer.Body.Read(p)
		if sent += n; sent >= least {
			sent = 0
			alarm.Reset(l.quiet)
		}
		return n, err
	})
	if _, err := io.Copy(out, io.LimitReader(body, end-from)); err != nil {
		if cause := context.Cause(ctx); cause != nil {
			return cause
		}
		return err
	}
	return nil
}

type readerFunc func([]byte) (int, error)

// Read implements io.Reader.
func (f readerFunc) Read(p []byte) (int, error) { return f(p) }
