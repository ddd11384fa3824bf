// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package x402

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/rlp"
	"go.etcd.io/bbolt"
	bolterrors "go.etcd.io/bbolt/errors"
)

const (
	// RetainedDays is how long settlements and other transactions are found, and days are listed.
	RetainedDays = 30
	// SecondsADay is the length of a day.
	SecondsADay = 24 * 60 * 60
)

// Buckets of the file.
var (
	paymentsBucket = []byte("payments") // authorizer, nonce -> record
	daysBucket     = []byte("days")     // day, authorizer, nonce -> nothing
)

// paymentID is the authorizer and the nonce.
type paymentID [common.AddressLength + common.HashLength]byte

func (a *Authorization) id() (id paymentID) {
	copy(id[:], a.From[:])
	copy(id[common.AddressLength:], a.Nonce[:])
	return id
}

// record is what is known of a settlement.
type record struct {
	Struct      common.Hash // of the authorization
	Raw         []byte      // the transaction
	Day         uint64      // since 1970, UTC
	Done        bool        // what follows is final
	Transaction common.Hash
	Reason      string // empty for a success
	Text        string
	Call        []byte `rlp:"optional"` // of the transaction; records of earlier versions have none
}

// store keeps records in a file.
type store struct{ db *bbolt.DB }

// OpenFile opens a file of records, which a name says, and makes the buckets that it lacks. One process has it.
func OpenFile(path, name string, buckets ...[]byte) (*bbolt.DB, error) {
	db, err := bbolt.Open(path, 0o600, &bbolt.Options{
		Timeout: 2 * time.Second, NoFreelistSync: true, FreelistType: bbolt.FreelistMapType,
	})
	if errors.Is(err, bolterrors.ErrTimeout) {
		return nil, fmt.Errorf("%s in %s are in use: end the other gwon-pay sponsor, or name another directory in \"data\"",
			name, path)
	} else if err != nil {
		return nil, fmt.Errorf("open %s in %s: %w", name, path, err)
	}
	err = db.Update(func(tx *bbolt.Tx) error {
		for _, bucket := range buckets {
			if _, err := tx.CreateBucketIfNotExists(bucket); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, errors.Join(fmt.Errorf("create %s in %s: %w", name, path, err), db.Close())
	}
	return db, nil
}

func openStore(path string) (*store, error) {
	db, err := OpenFile(path, "records of x402", paymentsBucket, daysBucket)
	return &store{db}, err
}

func dayKey(day uint64, id paymentID) []byte {
	return append(binary.BigEndian.AppendUint64(nil, day), id[:]...)
}

// get returns the record of a payment, nil for none.
func (s *store) get(id paymentID) (r *record, err error) {
	err = s.db.View(func(tx *bbolt.Tx) error {
		value := tx.Bucket(paymentsBucket).Get(id[:])
		if value == nil {
			return nil
		}
		r = new(record)
		return rlp.DecodeBytes(value, r)
	})
	if err != nil {
		return nil, fmt.Errorf("read record of x402: %w", err)
	}
	return r, nil
}

// each calls f with every record.
func (s *store) each(f func(paymentID, *record)) error {
	err := s.db.View(func(tx *bbolt.Tx) error {
		return tx.Bucket(paymentsBucket).ForEach(func(k, v []byte) error {
			r := new(record)
			if err := rlp.DecodeBytes(v, r); err != nil {
				return err
			}
			f(paymentID(k), r)
			return nil
		})
	})
	if err != nil {
		return fmt.Errorf("read records of x402: %w", err)
	}
	return nil
}

// put writes a record, and removes some that are over for long. Writers of the same moment share one write.
func (s *store) put(id paymentID, r *record) error {
	value, err := rlp.EncodeToBytes(r)
	if err != nil {
		return err
	}
	err = s.db.Batch(func(tx *bbolt.Tx) error {
		if err := tx.Bucket(paymentsBucket).Put(id[:], value); err != nil {
			return err
		}
		if err := tx.Bucket(daysBucket).Put(dayKey(r.Day, id), nil); err != nil {
			return err
		}
		return forget(tx, r.Day)
	})
	if err != nil {
		return fmt.Errorf("write record of x402: %w", err)
	}
	return nil
}

func (s *store) remove(id paymentID, r *record) error {
	err := s.db.Batch(func(tx *bbolt.Tx) error {
		if err := tx.Bucket(daysBucket).Delete(dayKey(r.Day, id)); err != nil {
			return err
		}
		return tx.Bucket(paymentsBucket).Delete(id[:])
	})
	if err != nil {
		return fmt.Errorf("remove record of x402: %w", err)
	}
	return nil
}

// forget removes records that are older than RetainedDays, 100 in one write.
func forget(tx *bbolt.Tx, today uint64) error {
	if today < RetainedDays {
		return nil
	}
	first := binary.BigEndian.AppendUint64(nil, today-RetainedDays)
	days := tx.Bucket(daysBucket)
	for range 100 {
		k, _ := days.Cursor().First()
		if k == nil || bytes.Compare(k[:len(first)], first) >= 0 {
			return nil
		}
		id := bytes.Clone(k[len(first):])
		if err := days.Delete(bytes.Clone(k)); err != nil {
			return err
		}
		if err := tx.Bucket(paymentsBucket).Delete(id); err != nil {
			return err
		}
	}
	return nil
}
