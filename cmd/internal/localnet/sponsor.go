// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package localnet

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"github.com/ethereum/go-ethereum/crypto"

	"gwon/cmd/internal/payments"
	"gwon/dev/devnet"
	"gwon/internal/atomicfile"
	"gwon/internal/wellknown"
	"gwon/pay/sponsor"
)

const (
	devnetSponsorPort = 1000 // above the port of the first validator
)

// devnetSponsorText is the configuration of a development network's sponsor. The directory keeps it, as an example.
const devnetSponsorText = `listen = "127.0.0.1:%d"
node = %q
data = "books"
name = "gwon devnet"
cors = %s
rate_per_key = 100000.0
rate_per_address = 100000.0

[x402]
enabled = true
any_pay_to = true

[[payer]]
address = %q
key_file = "payer.key"

[[key]]
label = "all"
any_target = true
value_allowed = true
access_list = true
extra_data = true
sign = true
max_total = "1000000000 WKRC"
`

// startSponsor starts the sponsor of a network that has an account for it. The network goes on without one.
func (w *devnetWatcher) startSponsor() {
	if len(w.network.Accounts) < wellknown.Funded {
		return
	}
	payer := w.network.Accounts[wellknown.Funded-1]
	port := 0
	if first := w.network.Nodes[0].HTTPPort; !w.freePorts && first+devnetSponsorPort <= 65535 {
		port = first + devnetSponsorPort
	}
	url, end, err := w.runSponsor(payer, port)
	if errors.Is(err, syscall.EADDRINUSE) {
		url, end, err = w.runSponsor(payer, 0)
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "No sponsored RPC: %v\n", err)
		return
	}
	w.network.Sponsor, w.sponsor = &devnet.SponsorInfo{RPC: url, Payer: payer.Address}, end
}

func (w *devnetWatcher) runSponsor(payer devnet.Account, port int) (url string, end func() error, err error) {
	dir := filepath.Join(w.network.Dir, devnet.SponsorDir)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", nil, fmt.Errorf("make its directory: %w", err)
	}
	path := filepath.Join(dir, "sponsor.toml")
	text := fmt.Sprintf(devnetSponsorText, port, w.network.Nodes[0].HTTP(), tomlList(devnet.LocalOrigins()),
		payer.Address.Hex())
	if err := atomicfile.Write(path, []byte(text), 0o600); err != nil {
		return "", nil, err
	}
	key := hex.EncodeToString(crypto.FromECDSA(payer.Key()))
	if err := atomicfile.Write(filepath.Join(dir, "payer.key"), []byte(key), 0o600); err != nil {
		return "", nil, err
	}
	config, err := sponsor.LoadConfig(path)
	if err != nil {
		return "", nil, err
	}
	ctx, cancel := context.WithTimeout(w.until, payments.SponsorStartTimeout)
	defer cancel()
	s, err := sponsor.New(ctx, config)
	if err != nil {
		return "", nil, err
	}
	running, err := payments.ServeSponsor(s, config)
	if err != nil {
		return "", nil, errors.Join(err, s.Close())
	}
	context.AfterFunc(w.until, s.StopFollowing) // before the nodes end, which would be reported
	return running.URL(), func() error { return errors.Join(running.Close(), s.Close()) }, nil
}

// tomlList writes texts as an array of TOML, whose strings are quoted as in Go.
func tomlList(texts []string) string {
	quoted := make([]string, len(texts))
	for i, text := range texts {
		quoted[i] = strconv.Quote(text)
	}
	return "[" + strings.Join(quoted, ", ") + "]"
}
