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
	"slices"
	"strings"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/log"

	"gwon/internal/atomicfile"
)

const (
	// maxLetters bounds the letters of one webhook, and those that wait. Above it the oldest one that the receiver itself
	// has refused gives its place: strangers send what is refused, and the chain still has it.
	maxLetters = 10_000
	maxStrikes = 2 // times that a notice alone failed between two that were taken; at the next one it is set aside
)

// waiting is a letter that is sent again by the service: its receiver may be away.
type waiting struct {
	path    string
	last    error // nil before the first try
	failed  bool  // as the first one since the receiver has taken something
	tried   bool  // in this turn
	strikes int
}

// Omitted stands for the data of a log.
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
		short.Data, short.Arguments, short.DataOmitted = hexutil.Bytes{}, nil, e.omit(e.Data)
		short.Undecoded = fmt.Sprintf("the receiver does not take %d bytes: dataOmitted says how to fetch the data", sent)
	}
	return &short
}

// omit returns what stands for the data of a log.
func (p *Place) omit(data []byte) *Omitted {
	return &Omitted{len(data), crypto.Keccak256Hash(data),
		fmt.Sprintf("log %d of eth_getTransactionReceipt %v", p.LogIndex, p.Transaction)}
}

func (p *Place) omitProof(sent int) {
	if p.Proof != nil {
		p.Proof, p.ProofError = nil, fmt.Sprintf("the receiver does not take %d bytes: ask istanbul_getReceiptProof", sent)
	}
}

// Letter is a notice that its receiver did not take.
type Letter struct {
	ChainID  uint64    `json:"chainId"`
	Time     time.Time `json:"time"`
	Reason   string    `json:"reason"`
	Transfer *Transfer `json:"transfer,omitempty"`
	Event    *Event    `json:"event,omitempty"`

	webhook *Webhook // with the label alone where the configuration does not have it
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

// Label returns the label of the webhook that the letter is for.
func (l *Letter) Label() string { return l.webhook.Label }

// String returns the letter on one line.
func (l *Letter) String() string {
	p := l.notice().place()
	return fmt.Sprintf("%s %s block %d log %d, %s: %s", l.webhook.Label, p.ID, p.Block, p.LogIndex,
		l.Time.UTC().Format(time.RFC3339), l.Reason)
}

// lettersOf returns the directory of the letters of a webhook, waitingOf that of those that the service sends again.
func lettersOf(state, label string) string { return filepath.Join(state, "letters", label) }
func waitingOf(state, label string) string { return filepath.Join(state, "waiting", label) }

// list returns the paths of the letters in a directory, in order, without what a crash left of a write.
func list(directory string) (paths []string, err error) {
	files, err := os.ReadDir(directory)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	for _, file := range files {
		if atomicfile.PartialOf(file.Name()) == "" {
			paths = append(paths, filepath.Join(directory, file.Name()))
		}
	}
	return paths, err
}

// letter returns the content of a letter with a notice.
func (w *webhook) letter(n notice, reason error) ([]byte, error) {
	l := Letter{ChainID: w.cursor.ChainID, Time: time.Now(), Reason: reason.Error()}
	n.keep(&l)
	return json.Marshal(l)
}

func (t *Transfer) keep(l *Letter) { l.Transfer = t }
func (e *Event) keep(l *Letter)    { l.Event = e }

// keep writes a notice as a letter that waits. After a crash it may be written again, under the same name. Where as
// many wait as are kept, the oldest one that was refused is set aside. Without any the receiver is away.
func (s *store) keep(w *webhook, n notice, reason error) error {
	full, refused := len(w.waiting) >= maxLetters, isUnwanted(reason)
	if full && !refused && !slices.ContainsFunc(w.waiting, (*waiting).isRefused) {
		return fmt.Errorf("receiver: %w: %d notices wait, as many as are kept: mend the receiver", reason, len(w.waiting))
	}
	text, err := w.letter(n, reason)
	if len(text) > usualBody && len(w.waiting) >= 100 { // as many are kept with what makes them large
		text, err = w.letter(n.shortened(len(text)), reason)
	}
	if err != nil {
		return err
	}
	directory, p := waitingOf(s.directory, w.Label), n.place()
	l := &waiting{path: filepath.Join(directory, fmt.Sprintf("%020d-%010d.json", p.Block, p.LogIndex)),
		last: reason}
	err = os.MkdirAll(directory, 0o700)
	if err == nil {
		err = atomicfile.Write(l.path, text, 0o600)
	}
	if err != nil {
		return fmt.Errorf("%w: %w", errState, err)
	}
	if !slices.ContainsFunc(w.waiting, func(other *waiting) bool { return other.path == l.path }) {
		w.waiting = append(w.waiting, l)
	}
	log.Warn("Notice delayed", "webhook", w.Label, "id", p.ID, "block", p.Block, "err", reason)
	if !full {
		return nil
	}
	i := slices.IndexFunc(w.waiting, (*waiting).isRefused)
	l = w.waiting[i]
	w.waiting = slices.Delete(w.waiting, i, i+1)
	return s.setAside(w, l)
}

// isRefused reports whether the receiver itself refused the notice at the last time.
func (l *waiting) isRefused() bool { return isUnwanted(l.last) }

// setAside makes a letter that waits one for the operator. Where there are as many as are kept, the oldest one is
// dropped: the receiver has refused all of them.
func (s *store) setAside(w *webhook, l *waiting) error {
	directory := lettersOf(s.directory, w.Label)
	kept, err := list(directory)
	if err == nil {
		err = os.MkdirAll(directory, 0o700)
	}
	if err == nil {
		err = atomicfile.Replace(l.path, filepath.Join(directory, filepath.Base(l.path)))
	}
	if err != nil {
		return fmt.Errorf("%w: %w", errState, err)
	}
	log.Error("Notice set aside", "webhook", w.Label, "letter", filepath.Base(l.path), "err", l.last)
	for ; len(kept) >= maxLetters; kept = kept[1:] {
		if err := os.Remove(kept[0]); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("%w: %w", errState, err)
		}
		w.report.dropped()
		log.Error("Oldest letter dropped", "webhook", w.Label, "letter", filepath.Base(kept[0]))
	}
	return nil
}

// readLetter reads the file of a letter.
func readLetter(path string) (*Letter, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	l := &Letter{path: path}
	if err := json.Unmarshal(text, l); err != nil || l.Transfer == nil && l.Event == nil {
		return nil, errors.Join(fmt.Errorf("letter %s is damaged: restore it, or delete it", path), err)
	}
	return l, nil
}

// Letters returns the notices of a configuration that were set aside, in order, and behind them those of labels that
// it does not have, which no service sends. The service may run.
func Letters(config *Config) (letters []*Letter, err error) {
	read := func(w *Webhook, paths []string) error {
		for _, path := range paths {
			l, err := readLetter(path)
			if errors.Is(err, fs.ErrNotExist) {
				continue // it has ended meanwhile
			} else if err != nil {
				return err
			}
			l.webhook = w
			letters = append(letters, l)
		}
		return nil
	}
	for i := range config.Webhook {
		w := &config.Webhook[i]
		paths, err := list(lettersOf(config.State, w.Label))
		if err = errors.Join(err, read(w, paths)); err != nil {
			return nil, err
		}
	}
	err = config.eachStray(func(directory string, paths []string) error {
		return read(&Webhook{Label: filepath.Base(directory)}, paths)
	})
	return letters, err
}

// Strays names what the directory of the state has for labels that the configuration does not have, with the remedy.
func (c *Config) Strays() (strays []string, err error) {
	files, err := list(c.State)
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		name := filepath.Base(file)
		label, isCursor := strings.CutSuffix(name, ".json")
		if !isCursor || !labelPattern.MatchString(label) || c.webhook(label) != nil {
			continue
		}
		stored, err := (&store{directory: c.State}).load(label)
		if err != nil {
			strays = append(strays, fmt.Sprintf("cursor %s belongs to no webhook: %v", name, err))
		} else if stored != nil {
			strays = append(strays, fmt.Sprintf("cursor %s belongs to no webhook: it stopped at block %d: give the label %s "+
				"back, or remove %s", name, stored.Next, label, file))
		}
	}
	err = c.eachStray(func(directory string, paths []string) error {
		strays = append(strays, fmt.Sprintf("%s in %s: give their label back, send them with gwon-pay notify letters --send "+
			"--to LABEL, or --remove them", counted(len(paths), "notice", "s"), directory))
		return nil
	})
	return strays, err
}

// eachStray calls f with each directory of letters of a label that the configuration does not have.
func (c *Config) eachStray(f func(directory string, paths []string) error) error {
	for _, directory := range []string{lettersOf(c.State, ""), waitingOf(c.State, "")} {
		labels, err := list(directory)
		if err != nil {
			return err
		}
		for _, path := range labels {
			label := filepath.Base(path)
			if !labelPattern.MatchString(label) || c.webhook(label) != nil {
				continue
			}
			inside, err := list(path)
			if err == nil && len(inside) > 0 {
				err = f(path, inside)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// webhook returns the webhook of a label, nil for none.
func (c *Config) webhook(label string) *Webhook {
	i := slices.IndexFunc(c.Webhook, func(w Webhook) bool { return w.Label == label })
	if i < 0 {
		return nil
	}
	return &c.Webhook[i]
}

// Direct has a letter whose label the configuration does not have sent to a webhook of it.
func (l *Letter) Direct(config *Config, label string) error {
	w := config.webhook(label)
	if w == nil {
		return fmt.Errorf("no webhook has the label %.80q: give one of the configuration", label)
	}
	if l.webhook.URL == "" {
		l.webhook = w
	}
	return nil
}

// Send delivers a letter, short where it is large and the receiver does not take it. It is removed then.
func (l *Letter) Send(ctx context.Context) error {
	if l.webhook.URL == "" {
		return fmt.Errorf("no webhook has the label %q: name the one that gets its notices with --to, or --remove them",
			l.webhook.Label)
	}
	body, err := encode(l.webhook.Label, l.ChainID, []notice{l.notice()})
	if err == nil {
		err = l.webhook.post(ctx, newDeliverer(), body)
	}
	if err != nil && len(body) > usualBody {
		if body, err = encode(l.webhook.Label, l.ChainID, []notice{l.notice().shortened(len(body))}); err == nil {
			err = l.webhook.post(ctx, newDeliverer(), body)
		}
	}
	if err != nil {
		return err
	}
	return l.Remove()
}

// Remove forgets a letter.
func (l *Letter) Remove() error { return os.Remove(l.path) }
