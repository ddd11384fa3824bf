// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package signer

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"net"
	"net/netip"
	"slices"
	"sync"
	"time"

	"github.com/ethereum/go-ethereum/log"
	"golang.org/x/time/rate"
)

const maxShaking = 64 // handshakes under way

// Credentials are what one end of a TLS connection has: its own key and certificate, and the only certificate that it
// takes from the other end.
type Credentials struct {
	own  tls.Certificate
	peer []byte // DER
}

// NewCredentials returns the two ends of a new pair in PEM: certificate, key and the other end's certificate.
func NewCredentials() (server, node []byte, err error) {
	certificates, keys := make([][]byte, 2), make([][]byte, 2)
	for i, name := range []string{"gwon-signer", "gwon"} {
		if certificates[i], keys[i], err = newCertificate(name); err != nil {
			return nil, nil, err
		}
	}
	end := func(own, other int) []byte {
		out := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: certificates[own]})
		out = append(out, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: keys[own]})...)
		return append(out, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: certificates[other]})...)
	}
	return end(0, 1), end(1, 0), nil
}

// newCertificate returns a certificate that its own key has signed, and that key in PKCS 8. It is pinned, so that its
// names and dates mean nothing.
func newCertificate(name string) (certificate, key []byte, err error) {
	public, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return nil, nil, fmt.Errorf("generate key: %w", err)
	}
	template := x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name},
		NotBefore: time.Unix(0, 0), NotAfter: time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC),
	}
	if certificate, err = x509.CreateCertificate(rand.Reader, &template, &template, public, private); err != nil {
		return nil, nil, fmt.Errorf("make certificate: %w", err)
	}
	if key, err = x509.MarshalPKCS8PrivateKey(private); err != nil {
		return nil, nil, fmt.Errorf("encode key: %w", err)
	}
	return certificate, key, nil
}

// ParseCredentials reads one end of NewCredentials.
func ParseCredentials(text []byte) (*Credentials, error) {
	var blocks []*pem.Block
	for rest := text; ; {
		var block *pem.Block
		if block, rest = pem.Decode(rest); block == nil {
			break
		}
		blocks = append(blocks, block)
	}
	if len(blocks) != 3 || blocks[0].Type != "CERTIFICATE" || blocks[1].Type != "PRIVATE KEY" ||
		blocks[2].Type != "CERTIFICATE" {
		return nil, errors.New("not the credentials of a signer: want certificate, key and certificate, as gwon-signer " +
			"init --tls writes them")
	}
	own, err := tls.X509KeyPair(pem.EncodeToMemory(blocks[0]), pem.EncodeToMemory(blocks[1]))
	if err != nil {
		return nil, fmt.Errorf("credentials of a signer: %w", err)
	}
	return &Credentials{own, blocks[2].Bytes}, nil
}

// config returns TLS 1.3 with the pinned certificate of the other end.
func (c *Credentials) config() *tls.Config {
	return &tls.Config{
		MinVersion: tls.VersionTLS13, Certificates: []tls.Certificate{c.own}, ClientAuth: tls.RequireAnyClientCert,
		InsecureSkipVerify: true, //nolint:gosec // VerifyConnection compares the whole certificate
		VerifyConnection: func(state tls.ConnectionState) error {
			if len(state.PeerCertificates) == 0 || !bytes.Equal(state.PeerCertificates[0].Raw, c.peer) {
				return errors.New("the other end has another certificate than the one in the credentials")
			}
			return nil
		},
		SessionTicketsDisabled: true,
	}
}

// pinned is a TCP listener with TLS. Connections whose handshake is under way have places of their own, so that a
// stranger, who never ends one, takes no room from a node.
type pinned struct {
	net.Listener
	config  *tls.Config
	timeout time.Duration // of a handshake
	ready   chan net.Conn // after the handshake
	failed  chan error    // of the listener
	ctx     context.Context
	stop    context.CancelFunc
	work    sync.WaitGroup
	refused rate.Sometimes // lines of the log

	mu      sync.Mutex
	shaking []shaking           // in the order of arrival
	known   map[netip.Addr]bool // that have ended a handshake
}

// shaking is a connection whose handshake is under way.
type shaking struct {
	net.Conn
	from netip.Addr
}

// ListenTLS listens at host and port for the node with the other end of the credentials.
func ListenTLS(address string, credentials *Credentials) (Listener, error) {
	return listenTLS(address, credentials, 2*time.Second)
}

func listenTLS(address string, credentials *Credentials, timeout time.Duration) (Listener, error) {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return nil, fmt.Errorf("listen: %w", err)
	}
	p := &pinned{Listener: listener, config: credentials.config(), timeout: timeout, ready: make(chan net.Conn),
		failed: make(chan error), known: make(map[netip.Addr]bool), refused: rate.Sometimes{Interval: time.Minute}}
	p.ctx, p.stop = context.WithCancel(context.Background())
	p.work.Go(p.admit)
	return p, nil
}

// Accept implements Listener. The other end has the credentials.
func (p *pinned) Accept() (net.Conn, Peer, error) {
	select {
	case conn := <-p.ready:
		return conn, Peer{Name: "node at " + conn.RemoteAddr().String()}, nil
	case err := <-p.failed:
		return nil, Peer{}, err
	case <-p.ctx.Done():
		return nil, Peer{}, net.ErrClosed
	}
}

// Close implements Listener. It ends handshakes that are under way.
func (p *pinned) Close() error {
	p.stop()
	err := p.Listener.Close()
	p.mu.Lock()
	for _, s := range p.shaking {
		_ = s.Close() // its goroutine ends
	}
	p.mu.Unlock()
	p.work.Wait()
	return err
}

// admit begins a handshake with each connection until the listener is closed.
func (p *pinned) admit() {
	for p.ctx.Err() == nil {
		conn, err := p.Listener.Accept()
		if err != nil {
			select {
			case p.failed <- err: // Serve waits before it accepts again
			case <-p.ctx.Done():
			}
			continue
		}
		s := shaking{conn, networkOf(conn.RemoteAddr())}
		if loser := p.enter(s); loser.Conn != nil {
			_ = loser.Close() // it was told nothing
		}
		p.work.Go(func() { p.shake(s) })
	}
}

// networkOf returns the address of the other end, of which IPv6 gives one host a /64.
func networkOf(address net.Addr) netip.Addr {
	tcp, _ := address.(*net.TCPAddr)
	from := tcp.AddrPort().Addr().Unmap()
	if prefix, err := from.Prefix(64); err == nil && from.Is6() {
		return prefix.Addr()
	}
	return from
}

// enter gives a connection a place, and returns the one that loses its place then, if any. The address that has the
// most places loses its oldest one, so that a flood from one address pushes itself out. An address that is known loses
// none to one that is not.
func (p *pinned) enter(s shaking) (loser shaking) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ctx.Err() != nil {
		return s
	}
	p.shaking = append(p.shaking, s)
	if len(p.shaking) <= maxShaking {
		return loser
	}
	places, most := make(map[netip.Addr]int), 0
	for _, other := range p.shaking {
		if p.known[s.from] || !p.known[other.from] {
			places[other.from]++
			most = max(most, places[other.from])
		}
	}
	at := slices.IndexFunc(p.shaking, func(other shaking) bool { return places[other.from] == most })
	loser = p.shaking[at]
	p.shaking = slices.Delete(p.shaking, at, at+1)
	return loser
}

// leave frees the place of a connection, and notes the address of one that has the credentials.
func (p *pinned) leave(s shaking, proven bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.shaking = slices.DeleteFunc(p.shaking, func(other shaking) bool { return other == s })
	if !proven {
		return
	}
	if len(p.known) >= 8 {
		clear(p.known)
	}
	p.known[s.from] = true
}

// shake ends the handshake of a connection, and hands it out if the other end has the credentials.
func (p *pinned) shake(s shaking) {
	conn := tls.Server(s.Conn, p.config)
	err := conn.SetDeadline(time.Now().Add(p.timeout))
	if err == nil {
		err = conn.Handshake()
	}
	p.leave(s, err == nil)
	if err == nil {
		select {
		case p.ready <- conn:
			return
		case <-p.ctx.Done():
		}
	} else {
		p.refused.Do(func() { log.Warn("Connection refused", "from", s.RemoteAddr(), "err", err) })
	}
	_ = conn.Close() // the other end has proven nothing, or the signer ends
}

// Dial connects to a signer. Socket paths need no credentials.
func Dial(address string, credentials *Credentials) (net.Conn, error) {
	dialer := &net.Dialer{Timeout: 5 * time.Second}
	if IsSocket(address) {
		return dialer.Dial("unix", address)
	}
	if credentials == nil {
		return nil, fmt.Errorf("the signer at %s needs credentials: give the file of gwon-signer init --tls", address)
	}
	return tls.DialWithDialer(dialer, "tcp", address, credentials.config())
}
