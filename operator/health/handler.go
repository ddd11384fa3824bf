// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package health

import (
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"strings"
)

// Paths of the probes.
const (
	LivePath  = "/livez"
	ReadyPath = "/readyz"
)

// withheld stands in place of a detail that the asker may not see.
const withheld = "detail withheld, ask on the machine itself"

// LiveHandler answers whether the process is alive: 200, or 503 when it is stuck.
func (c *Checker) LiveHandler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if c.Alive() {
			answer(w, http.StatusOK, "alive\n")
			return
		}
		answer(w, http.StatusServiceUnavailable, "stuck\n")
	})
}

// ReadyHandler answers whether the node is ready: 200, or 503 with the names of what fails. With the query "verbose"
// each criterion has a line, and each note. The figures in them are for those whom details, which may be nil for
// everybody, lets see them.
func (c *Checker) ReadyHandler(details func(*http.Request) bool) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		criteria, ready := c.Ready()
		var text strings.Builder
		if r.URL.Query().Has("verbose") {
			all := details == nil || details(r)
			writeCriteria(&text, criteria, all)
			for _, note := range c.Notes() {
				if all {
					fmt.Fprintf(&text, "[ ] %s: %s\n", note.Name, note.Text)
				}
			}
		}
		status := http.StatusOK
		if ready {
			text.WriteString("ready\n")
		} else {
			status = http.StatusServiceUnavailable
			text.WriteString("not ready" + failing(criteria) + "\n")
		}
		answer(w, status, text.String())
	})
}

// writeCriteria writes a line for each criterion.
func writeCriteria(text *strings.Builder, criteria []Criterion, details bool) {
	for _, criterion := range criteria {
		mark, detail := "[+]", "ok"
		if !criterion.OK {
			mark, detail = "[-]", withheld
		}
		if details {
			detail = criterion.Detail
		}
		fmt.Fprintf(text, "%s %s: %s\n", mark, criterion.Name, detail)
	}
}

// failing returns the names of the criteria that fail, with a colon in front.
func failing(criteria []Criterion) string {
	var names []string
	for _, criterion := range criteria {
		if !criterion.OK {
			names = append(names, criterion.Name)
		}
	}
	if len(names) == 0 {
		return ": no state yet, or none for a while"
	}
	return ": " + strings.Join(names, ", ")
}

func answer(w http.ResponseWriter, status int, text string) {
	header := w.Header()
	header.Set("Content-Type", "text/plain; charset=utf-8")
	header.Set("Cache-Control", "no-store")
	header.Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	fmt.Fprint(w, text)
}

// Local reports whether a request comes from this machine, directly and addressed to it: no proxy has passed it on, and
// no web page under a foreign name has sent it.
func Local(r *http.Request) bool {
	for _, name := range []string{"Forwarded", "X-Forwarded-For", "X-Real-Ip", "Via"} {
		if r.Header.Get(name) != "" {
			return false
		}
	}
	from, err := netip.ParseAddrPort(r.RemoteAddr)
	return err == nil && from.Addr().Unmap().IsLoopback() && loopbackHost(r.Host)
}

// loopbackHost reports whether the header Host names this machine. It is empty for HTTP 1.0.
func loopbackHost(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	if host == "" || strings.EqualFold(host, "localhost") {
		return true
	}
	address, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return err == nil && address.IsLoopback()
}
