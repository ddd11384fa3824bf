// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package sponsor

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/log"

	"gwon/internal/atomicfile"
	"gwon/pay/txsign"
)

// auditLine is one line of the audit log. Amounts are coins, as "1.5 WKRC".
type auditLine struct {
	Time       string          `json:"time"`
	Event      string          `json:"event"` // reserved, refused, settled, released, paid
	Label      string          `json:"label"`
	Client     string          `json:"client,omitempty"` // address of the connection
	Sender     *common.Address `json:"sender,omitempty"`
	SenderHash common.Hash     `json:"senderTransactionHash,omitzero"`
	Hash       *common.Hash    `json:"transactionHash,omitempty"`
	To         *common.Address `json:"to,omitempty"`
	Payer      *common.Address `json:"payer,omitempty"`
	Cost       string          `json:"maxCost,omitempty"`
	Amount     string          `json:"amount,omitempty"` // of a payment by x402
	Fee        string          `json:"fee,omitempty"`
	Rule       string          `json:"rule,omitempty"`
	Reason     string          `json:"reason,omitempty"`
}

// reservedLine is the line of a reservation.
func reservedLine(w *want, r *reservation) auditLine {
	line := auditLine{Event: "reserved", Label: r.Label, Client: w.client, Sender: &w.sender, SenderHash: w.hash,
		Payer: &r.Payer, Cost: txsign.FormatCoins(r.Cost)}
	if len(r.To) > 0 {
		to := common.BytesToAddress(r.To)
		line.To = &to
	}
	return line
}

// closedLines are the lines of what a block has ended, once where a write of the books is repeated after them.
func (b *Books) closedLines(ends []closed) []auditLine {
	var lines []auditLine
	for _, e := range ends {
		if b.audited[e.hash] {
			continue
		}
		b.audited[e.hash] = true
		lines = append(lines, closedLine(&e))
	}
	return lines
}

// moveLines are the lines of payers' own transactions that a block has.
func moveLines(nonces []used) (lines []auditLine) {
	for _, u := range nonces {
		if u.moved != nil {
			lines = append(lines, auditLine{Event: "coins", Sender: &u.moved.from.address, To: &u.moved.to.address,
				Hash: &u.hash, Fee: txsign.FormatCoins(u.fee)})
		}
	}
	return lines
}

func closedLine(e *closed) auditLine {
	line := auditLine{Event: "released", Label: e.reserved.Label, SenderHash: e.hash, Payer: &e.reserved.Payer,
		Cost: txsign.FormatCoins(e.reserved.Cost)}
	if e.onChain != (common.Hash{}) {
		line.Event, line.Hash, line.Fee = "settled", &e.onChain, txsign.FormatCoins(e.fee)
		if e.left {
			line.Reason = "a payer that was left has got coins and paid"
		}
	}
	return line
}

// errAudit is the error of a decision that has no line: it is not made.
var errAudit = errors.New("audit log not written: free space on its disk")

// auditLog is a file of JSON lines.
type auditLog struct {
	path string
	mu   sync.Mutex
	file *os.File
	err  error // of the last write
	cut  bool  // the last line has no end
}

func openAudit(path string) (*auditLog, error) {
	a := &auditLog{path: path}
	return a, a.reopen()
}

// reopen opens the file by its name again, after it was moved away for instance.
func (a *auditLog) reopen() error {
	file, err := atomicfile.AppendLines(a.path, func(line []byte, _ bool) bool {
		return bytes.HasPrefix(line, []byte(`{"time":`))
	})
	if err != nil {
		return fmt.Errorf("open audit log: %w", err)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	old := a.file
	a.file, a.err, a.cut = file, nil, false
	if old == nil {
		return nil
	}
	return old.Close()
}

// write appends lines by one call of the system: all of them, or none where the error is errAudit.
func (a *auditLog) write(lines ...auditLine) error {
	if len(lines) == 0 {
		return nil
	}
	var all []byte
	now := time.Now().UTC().Format(time.RFC3339Nano)
	for _, line := range lines {
		line.Time = now
		text, err := json.Marshal(line)
		if err != nil {
			return fmt.Errorf("%w: %w", errAudit, err)
		}
		all = append(append(all, text...), '\n')
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	err := a.append(all)
	if err != nil && a.err == nil {
		log.Error("Audit log not written", "file", a.path, "err", err)
	}
	if a.err = err; err != nil {
		return fmt.Errorf("%w: %w", errAudit, err)
	}
	return nil
}

// append takes back what a full disk has cut off. Where it cannot, the next write ends the line.
func (a *auditLog) append(text []byte) error {
	if a.cut {
		text = append([]byte{'\n'}, text...)
	}
	n, err := a.file.Write(text)
	if err == nil {
		a.cut = false
	}
	if err == nil || n == 0 {
		return err
	}
	info, failed := a.file.Stat()
	if failed == nil {
		failed = a.file.Truncate(info.Size() - int64(n))
	}
	a.cut = a.cut || failed != nil
	return errors.Join(err, failed)
}

// ready returns the error of the last write, nil when all is well.
func (a *auditLog) ready() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.err
}

func (a *auditLog) close() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.file.Close()
}
