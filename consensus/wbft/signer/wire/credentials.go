// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package wire

import (
	"bytes"
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
	"os"
	"path/filepath"
	"strings"
	"time"

	"gwon/internal/secretfile"
)

// CredentialsName is the file of the signer's own credentials in its directory.
const CredentialsName = "signer.pem"

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

// Config returns TLS 1.3 with the pinned certificate of the other end.
func (c *Credentials) Config() *tls.Config {
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

// ReadCredentials reads a file of WriteCredentials, or the signer's own in a directory.
func ReadCredentials(path string) (*Credentials, error) {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		path = filepath.Join(path, CredentialsName)
	}
	text, err := secretfile.Read(path)
	if err != nil {
		return nil, fmt.Errorf("credentials of the signer: %w", err)
	}
	return ParseCredentials(text)
}

// IsSocket reports whether an address is the path of a Unix socket, and not host and port.
func IsSocket(address string) bool { return strings.Contains(address, "/") }

// Dial connects to a signer. Socket paths need no credentials.
func Dial(address string, credentials *Credentials) (net.Conn, error) {
	dialer := &net.Dialer{Timeout: 5 * time.Second}
	if IsSocket(address) {
		return dialer.Dial("unix", address)
	}
	if credentials == nil {
		return nil, fmt.Errorf("the signer at %s needs credentials: give the file of gwon-signer init --tls", address)
	}
	return tls.DialWithDialer(dialer, "tcp", address, credentials.Config())
}
