// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package notify

import (
	"bytes"
	"errors"
	"fmt"
	"math/big"
	"net/url"
	"path/filepath"
	"reflect"
	"regexp"
	"strconv"
	"strings"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/common/math"
	"github.com/naoina/toml"

	"gwon/internal/atomicfile"
	"gwon/internal/dial"
	"gwon/internal/secretfile"
	"gwon/internal/tomltext"
	"gwon/internal/txobject"
)

const (
	maxWebhooks  = 100
	maxAddresses = 10_000 // of one webhook
	minSecret    = 16     // bytes

	labelSize = 40
)

// coin is the contract whose log has the transfers of the base coin (spec system-contracts 2).
var coin = common.HexToAddress("0x1000")

var labelPattern = regexp.MustCompile(`^[a-z0-9][a-z0-9-]*$`)

// Direction says which transfers of a watched address are delivered.
type Direction string

// Directions of a transfer as seen from a watched address.
const (
	In   Direction = "in"
	Out  Direction = "out"
	Both Direction = "both"
)

// Config is the content of notify.toml.
type Config struct {
	// Node is the URL of a node's JSON-RPC: http, https, ws, wss, or the path of an IPC socket.
	Node string
	// Chain is the ID of the chain that the node has to have; 0 for any.
	Chain uint64
	// State is the directory of the cursors. A relative path starts at the directory of the file.
	State string
	// Listen is the address of /livez, /readyz, /status and /metrics, or empty for none.
	Listen string
	// Webhook is the list of receivers.
	Webhook []Webhook
}

// Webhook is one receiver and what is delivered to it.
type Webhook struct {
	// Label names the webhook in files, logs and metrics: lower-case letters, digits and hyphens.
	Label string
	// URL receives the deliveries by POST.
	URL string
	// SecretFile holds the key of the signatures, 16 to 4,096 bytes without the line ends around them.
	SecretFile string
	// Addresses are watched for transfers.
	Addresses txobject.Addresses
	// Direction is in, out or both; in is the default.
	Direction Direction
	// Contract is the ERC-20 contract whose transfers are delivered; the coin is the default.
	Contract *txobject.Address
	// MinValue is the smallest value of a transfer that is delivered, in the smallest unit of the contract; 1 is the
	// default. Everybody can send less than what a receiver wants.
	MinValue string
	// Contracts and Event ask for events of contracts, in the place of transfers.
	Contracts txobject.Addresses
	Event     []EventFilter
	// Proof has each transfer or event delivered with a proof of its receipt. Trusted is the block that proofs start
	// from, which the receiver trusts: a number, a hash, or "earliest", which is the default.
	Proof   bool
	Trusted string
	// Start is the first block when the webhook has no cursor yet: a number, or "latest", which is the default.
	Start string

	secret  []byte
	start   *uint64 // nil for the latest block
	minimum big.Int
}

// LoadConfig reads and checks a file and the secrets that it names. Errors name the file, and the line or webhook.
func LoadConfig(path string) (*Config, error) {
	text, err := atomicfile.Read(path)
	if err != nil {
		return nil, err
	}
	var c Config
	dialect := toml.DefaultConfig
	dialect.MissingField = missingKey
	table, err := tomltext.Parse(text)
	if err == nil {
		err = dialect.UnmarshalTable(table, &c)
	}
	if err != nil {
		return nil, tomltext.Explain(path, text, err, "docs/develop/notify.md")
	}
	if err := c.check(filepath.Dir(path)); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return &c, nil
}

func missingKey(_ reflect.Type, key string) error {
	if key == "zero_transfers" {
		return errors.New(`zero_transfers is not a key any more: give min_value = "0" in its place`)
	}
	return fmt.Errorf("%.80q is no key here: docs/develop/notify.md lists them", key)
}

// check completes and checks the configuration. Relative paths start at directory.
func (c *Config) check(directory string) error {
	switch {
	case c.Node == "":
		return errors.New(`node is missing: give the URL of a node, such as node = "http://127.0.0.1:8545"`)
	case c.State == "":
		return errors.New(`state is missing: give the directory of the cursors, such as state = "notify-state"`)
	case len(c.Webhook) == 0:
		return errors.New("there is no [[webhook]]: give at least one")
	case len(c.Webhook) > maxWebhooks:
		return fmt.Errorf("%d webhooks, at most %d: run a second process with the others", len(c.Webhook), maxWebhooks)
	}
	for node := range strings.SplitSeq(c.Node, ",") { // several with --proven
		if err := dial.Check(strings.TrimSpace(node)); err != nil {
			return fmt.Errorf("node: %w", err)
		}
	}
	if err := dial.CheckListen(c.Listen); err != nil && c.Listen != "" {
		return fmt.Errorf("listen: %w", err)
	}
	c.State = beside(directory, c.State)
	labels := make(map[string]bool)
	for i := range c.Webhook {
		w := &c.Webhook[i]
		if err := w.check(directory); err != nil {
			return fmt.Errorf("webhook %d (%q): %w", i+1, w.Label, err)
		}
		if labels[w.Label] {
			return fmt.Errorf("webhook %d: the label %q is used twice: cursors are named by labels", i+1, w.Label)
		}
		labels[w.Label] = true
	}
	return nil
}

func (w *Webhook) check(directory string) error {
	if !labelPattern.MatchString(w.Label) || len(w.Label) > labelSize {
		return fmt.Errorf("label must be 1 to %d lower-case letters, digits and hyphens", labelSize)
	}
	target, err := url.Parse(w.URL)
	if err != nil || target.Scheme != "http" && target.Scheme != "https" || target.Host == "" {
		return fmt.Errorf("url %q is not an http or https URL", dial.Shown(w.URL))
	}
	if len(w.Event) > 0 {
		err = w.checkEvents(directory)
	} else {
		err = w.checkTransfers()
	}
	if err != nil {
		return err
	}
	if w.Trusted == "" {
		w.Trusted = "earliest"
	} else if err := w.checkTrusted(); err != nil {
		return err
	}
	if w.Start != "" && w.Start != "latest" {
		number, err := strconv.ParseUint(w.Start, 10, 64)
		if err != nil {
			return fmt.Errorf(`start %q is not "latest" or the number of a block`, w.Start)
		}
		w.start = &number
	}
	w.secret, err = readSecret(beside(directory, w.SecretFile))
	return err
}

func (w *Webhook) checkTransfers() error {
	switch {
	case len(w.Contracts) > 0:
		return errors.New("contracts goes with events: add a [[webhook.event]], or give one contract for its transfers")
	case len(w.Addresses) == 0:
		return errors.New("addresses is empty: list the addresses to watch, or add a [[webhook.event]]")
	case len(w.Addresses) > maxAddresses:
		return fmt.Errorf("%d addresses, at most %d: use several webhooks", len(w.Addresses), maxAddresses)
	}
	switch w.Direction {
	case "":
		w.Direction = In
	case In, Out, Both:
	default:
		return fmt.Errorf(`direction %q is not "in", "out" or "both"`, w.Direction)
	}
	if w.Contract == nil {
		w.Contract = (*txobject.Address)(&coin)
	}
	if w.MinValue == "" {
		w.MinValue = "1"
	}
	_, ok := w.minimum.SetString(w.MinValue, 10)
	if !ok || w.minimum.Sign() < 0 || w.minimum.Cmp(math.MaxBig256) > 0 {
		return fmt.Errorf("min_value %.80q is not a decimal number, in the smallest unit of the contract", w.MinValue)
	}
	return nil
}

func (w *Webhook) checkEvents(directory string) error {
	switch {
	case len(w.Addresses) > 0 || w.Direction != "" || w.Contract != nil || w.MinValue != "":
		return errors.New("addresses, direction, contract and min_value go with transfers: use another webhook for them")
	case len(w.Contracts) == 0:
		return errors.New("contracts is empty: list the contracts whose events are wanted")
	case len(w.Contracts) > maxContracts:
		return fmt.Errorf("%d contracts, at most %d: use several webhooks", len(w.Contracts), maxContracts)
	case len(w.Event) > maxEvents:
		return fmt.Errorf("%d events, at most %d: use several webhooks", len(w.Event), maxEvents)
	}
	for i := range w.Event {
		if err := w.Event[i].check(directory); err != nil {
			return fmt.Errorf("event %d: %w", i+1, err)
		}
	}
	return nil
}

func (w *Webhook) checkTrusted() error {
	if !w.Proof {
		return errors.New("trusted is the block that proofs start from: set proof = true with it")
	}
	if number, err := strconv.ParseUint(w.Trusted, 10, 64); err == nil {
		w.Trusted = hexutil.EncodeUint64(number)
		return nil
	}
	hash, err := hexutil.Decode(w.Trusted)
	if w.Trusted != "earliest" && (err != nil || len(hash) != common.HashLength) {
		return fmt.Errorf(`trusted %.80q is not the number or the hash of a block, or "earliest"`, w.Trusted)
	}
	return nil
}

// readSecret reads a key that only its owner can read.
func readSecret(path string) ([]byte, error) {
	secret, err := secretfile.Read(path)
	if err != nil {
		return nil, fmt.Errorf("secret_file: %w", err)
	}
	secret = bytes.Trim(secret, "\r\n")
	if len(secret) < minSecret {
		return nil, fmt.Errorf("secret_file %s has %d bytes, at least %d are needed: make one with openssl rand -hex 32",
			path, len(secret), minSecret)
	}
	return secret, nil
}

// Wanted says what a webhook receives, such as "transfers (in) of 2 addresses".
func (w *Webhook) Wanted() string {
	if len(w.Event) > 0 {
		return counted(len(w.Event), "event", "s") + " of " + counted(len(w.Contracts), "contract", "s")
	}
	return fmt.Sprintf("transfers (%s) of %s", w.Direction, counted(len(w.Addresses), "address", "es"))
}

func counted(n int, noun, plural string) string {
	if n == 1 {
		plural = ""
	}
	return fmt.Sprintf("%d %s%s", n, noun, plural)
}

// beside returns a path that starts at directory unless it is absolute.
func beside(directory, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(directory, path)
}
