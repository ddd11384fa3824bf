// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package notify

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/log"

	"gwon/internal/atomicfile"
)

// maxLetters bounds the letters of one webhook. With as many its deliveries wait: that many refusals are a fault of the
// receiver, and a letter that is dropped is a payment that is lost.
const maxLetters = 10_000

// Omitted stands for the data of an event.
type Omitted struct {
	Bytes int         `json:"bytes"`
	Hash  common.Hash `json:"hash"`  // keccak256 of the data
	Fetch string      `json:"fetch"` // how a node is asked for it
}

func (t *Transfer) shortened(sent int) notice {
	short := *t
	short.omitProof(sent)
	return &short
}

func (e *Event) shortened(sent int) notice {
	short := *e
	short.omitProof(sent)
	if len(e.Data) > 0 {
		short.Data, short.Arguments = hexutil.Bytes{}, nil
		short.DataOmitted = &Omitted{len(e.Data), crypto.Keccak256Hash(e.Data),
			fmt.Sprintf("log %d of eth_getTransactionReceipt %v", e.LogIndex, e.Transaction)}
		short.Undecoded = fmt.Sprintf("the receiver does not take %d bytes: dataOmitted says how to fetch the data", sent)
	}
	return &short
}

func (p *Place) omitProof(sent int) {
	if p.Proof != nil {
		p.Proof, p.ProofError = nil, fmt.Sprintf("the receiver does not take %d bytes: ask istanbul_getReceiptProof", sent)
	}
}

// Letter is a notice that its receiver has refused for good.
type Letter struct {
	ChainID  uint64    `json:"chainId"`
	Time     time.Time `json:"time"`
	Reason   string    `json:"reason"`
	Transfer *Transfer `json:"transfer,omitempty"`
	Event    *Event    `json:"event,omitempty"`

	webhook *Webhook
	path    string
}

func (l *Letter) notice() notice {
	if l.Event != nil {
		return l.Event
	}
	return l.Transfer
}

// ID returns the ID of the notice.
func (l *Letter) ID() string { return l.notice().place().ID }

// String returns the letter on one line.
func (l *Letter) String() string {
	p := l.notice().place()
	return fmt.Sprintf("%s %s block %d log %d, %s: %s", l.webhook.Label, p.ID, p.Block, p.LogIndex,
		l.Time.UTC().Format(time.RFC3339), l.Reason)
}

// lettersOf returns the directory of the letters of a webhook.
func lettersOf(state, label string) string { return filepath.Join(state, "letters", label) }

// count returns the number of letters of a webhook.
func (s *store) count(label string) (int, error) {
	files, err := os.ReadDir(lettersOf(s.directory, label))
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return len(files), err
}

// setAside keeps a notice as a letter. After a crash it may be kept again, under the same name.
func (s *store) setAside(w *webhook, n notice, reason error) error {
	count, err := s.count(w.Label)
	if err != nil {
		return err
	}
	if count >= maxLetters {
		return fmt.Errorf("%w: %d notices are set aside, as many as are kept: mend the receiver, then run gwon-pay notify "+
			"letters --send", reason, count)
	}
	letter := Letter{ChainID: w.cursor.ChainID, Time: time.Now(), Reason: reason.Error()}
	switch n := n.(type) {
	case *Transfer:
		letter.Transfer = n
	case *Event:
		letter.Event = n
	}
	text, err := json.Marshal(letter)
	if err != nil {
		return err
	}
	directory, p := lettersOf(s.directory, w.Label), n.place()
	if err := os.MkdirAll(directory, 0o700); err != nil {
		return err
	}
	name := fmt.Sprintf("%020d-%010d.json", p.Block, p.LogIndex)
	if err := atomicfile.Write(filepath.Join(directory, name), text, 0o600); err != nil {
		return err
	}
	w.report.letters.Inc(1)
	log.Error("Notice set aside", "webhook", w.Label, "id", p.ID, "block", p.Block, "err", reason)
	return nil
}

// Letters returns the notices of a configuration that were set aside, in order. The service may run.
func Letters(config *Config) (letters []*Letter, err error) {
	for i := range config.Webhook {
		w := &config.Webhook[i]
		paths, err := filepath.Glob(filepath.Join(lettersOf(config.State, w.Label), "*.json"))
		if err != nil {
			return nil, err
		}
		for _, path := range paths {
			text, err := os.ReadFile(path)
			if err != nil {
				return nil, err
			}
			l := &Letter{webhook: w, path: path}
			if err := json.Unmarshal(text, l); err != nil || l.Transfer == nil && l.Event == nil {
				return nil, fmt.Errorf("letter %s is damaged: restore it, or delete it: %w", path, err)
			}
			letters = append(letters, l)
		}
	}
	return letters, nil
}

// Send delivers a letter, and removes it when the receiver has taken it.
func (l *Letter) Send(ctx context.Context) error {
	body, err := encode(l.webhook.Label, l.ChainID, []notice{l.notice()})
	if err != nil {
		return err
	}
	if err := l.webhook.post(ctx, newDeliverer(), body); err != nil {
		return err
	}
	return l.Remove()
}

// Remove forgets a letter.
func (l *Letter) Remove() error { return os.Remove(l.path) }
