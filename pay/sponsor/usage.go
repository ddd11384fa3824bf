// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package sponsor

import (
	"bytes"
	"math/big"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"go.etcd.io/bbolt"

	"gwon/pay/sponsor/x402"
)

// Usage is what a key has used. Amounts are wei, in decimal digits.
type Usage struct {
	Label    string     `json:"label"`
	Spent    string     `json:"spent"`
	Reserved string     `json:"reserved"`
	Count    uint64     `json:"count"`
	Left     string     `json:"left,omitempty"`      // of max_total
	LeftDay  string     `json:"leftToday,omitempty"` // of max_per_day
	Days     []DayUsage `json:"days"`
}

// DayUsage is what a key has used on a day, in UTC.
type DayUsage struct {
	Day       string                   `json:"day"`
	Spent     string                   `json:"spent"`
	Reserved  string                   `json:"reserved"`
	Count     uint64                   `json:"count"`
	Contracts map[string]ContractUsage `json:"contracts"` // by address; "0x" for contract creations
}

// ContractUsage is what a key has used for one recipient on a day.
type ContractUsage struct {
	Spent    string `json:"spent"`
	Reserved string `json:"reserved"`
	Count    uint64 `json:"count"`
}

// Usage returns what a key has used in the days that the books list.
func (b *Books) Usage(k *Key, now time.Time) (*Usage, error) {
	u := &Usage{Label: k.Label, Days: []DayUsage{}}
	err := b.db.View(func(tx *bbolt.Tx) error {
		total, err := readTally(tx, tallyName(totalKind, k.Label))
		if err != nil {
			return err
		}
		u.Spent, u.Reserved, u.Count = total.Spent.String(), total.Reserved.String(), total.Count
		u.Left = left(k.MaxTotal, total)
		today := dayOf(now)
		for d := today - min(today, x402.RetainedDays); d <= today; d++ {
			t, err := readTally(tx, tallyName(dayKind, dayText(d), k.Label))
			if err != nil {
				return err
			}
			if d == today {
				u.LeftDay = left(k.MaxPerDay, t)
			}
			if t.Count == 0 {
				continue
			}
			contracts, err := contractUsage(tx, tallyName(contractKind, dayText(d), k.Label, ""))
			if err != nil {
				return err
			}
			u.Days = append(u.Days, DayUsage{dayDate(d), t.Spent.String(), t.Reserved.String(), t.Count, contracts})
		}
		return nil
	})
	return u, err
}

func left(limit *Amount, t *tally) string {
	if limit == nil {
		return ""
	}
	n := new(big.Int).Sub(limit.int(), t.Spent)
	if n.Sub(n, t.Reserved).Sign() < 0 {
		return "0" // the limit was lowered
	}
	return n.String()
}

// contractUsage returns what the recipients of a day have used, 1,000 of them at most.
func contractUsage(tx *bbolt.Tx, prefix []byte) (map[string]ContractUsage, error) {
	all := make(map[string]ContractUsage)
	cursor := tx.Bucket(talliesBucket).Cursor()
	for k, _ := cursor.Seek(prefix); bytes.HasPrefix(k, prefix) && len(all) < 1000; k, _ = cursor.Next() {
		t, err := readTally(tx, k)
		if err != nil {
			return nil, err
		}
		name := string(k[len(prefix):])
		if common.IsHexAddress(name) {
			name = common.HexToAddress(name).Hex()
		}
		all[name] = ContractUsage{t.Spent.String(), t.Reserved.String(), t.Count}
	}
	return all, nil
}
