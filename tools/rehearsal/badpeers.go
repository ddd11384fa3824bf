// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package main

import (
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/ethereum/go-ethereum/core/rawdb"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/ethdb/pebble"
	"github.com/ethereum/go-ethereum/p2p/enode"
	"github.com/ethereum/go-ethereum/rlp"
)

const (
	lieEvery  = 97       // blocks from one that the liar serves wrongly to the next
	slowBytes = 32 << 10 // a second, in each direction, of the slow peer
	slowRead  = 4 << 10  // passed at a time
	slowDelay = 40 * time.Millisecond
)

// badPeers has new nodes sync from two peers, of which the first one named lies or is slow.
func (r *rehearsal) badPeers() (err error) {
	if err := os.CopyFS(r.path("liar"), os.DirFS(r.path("full"))); err != nil {
		return err
	}
	lies, err := tamper(r.path("liar"), r.blocks)
	if err != nil {
		return fmt.Errorf("the liar's database: %w", err)
	}
	fmt.Fprintf(os.Stderr, "the liar has %d wrong blocks\n", lies)
	whole, err := r.start("chain/node")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, whole.stop()) }()
	liar, err := r.start("liar")
	if err != nil {
		return err
	}
	honest := whole.enode
	whole.enode = liar.enode + " " + honest
	err = r.sync("full sync, one of two peers lies", "beside-liar", whole, 0, "--syncmode", "full")
	if err = errors.Join(err, liar.stop()); err != nil {
		return err
	}

	slow, err := r.start("full") // without a fault
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, slow.stop()) }()
	through, end, err := slowly(slow.enode)
	if err != nil {
		return err
	}
	defer end()
	whole.enode = through + " " + honest
	return r.sync("full sync, one of two peers slow", "beside-slow", whole, 0, "--syncmode", "full")
}

// tamper replaces headers and bodies in the newer half of the chain of a node that does not run, and returns how many.
func tamper(dir string, blocks uint64) (lies int, err error) {
	found, err := filepath.Glob(filepath.Join(dir, "*", "chaindata"))
	if err != nil || len(found) != 1 {
		return 0, errors.Join(fmt.Errorf("chaindata below %s: %v", dir, found), err)
	}
	store, err := pebble.New(found[0], 16, 16, "", false)
	if err != nil {
		return 0, err
	}
	db, err := rawdb.Open(store, rawdb.OpenOptions{Ancient: filepath.Join(found[0], "ancient")})
	if err != nil {
		return 0, errors.Join(err, store.Close())
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	frozen, err := db.Ancients()
	if err != nil {
		return 0, err
	}
	for number := max(blocks/2, frozen); number+1000 < blocks; number += lieEvery {
		hash := rawdb.ReadCanonicalHash(db, number)
		header := rawdb.ReadHeader(db, hash, number)
		if header == nil {
			return lies, fmt.Errorf("no header of block %d", number)
		}
		prefix, content := byte('h'), any(header)
		if lies%2 == 0 {
			header.GasUsed++
		} else {
			tx := types.NewTx(&types.LegacyTx{Nonce: number, Gas: 21_000})
			prefix, content = 'b', &types.Body{Transactions: types.Transactions{tx}}
		}
		encoded, err := rlp.EncodeToBytes(content)
		if err != nil {
			return lies, err
		}
		key := append(binary.BigEndian.AppendUint64([]byte{prefix}, number), hash.Bytes()...)
		if err := db.Put(key, encoded); err != nil {
			return lies, err
		}
		lies++
	}
	if lies == 0 {
		return 0, errors.New("all blocks are in the ancient store, where none can be replaced")
	}
	return lies, nil
}

// slowly returns the URL of a node behind a line that passes few bytes a second, and a function that ends the line.
func slowly(url string) (through string, end func(), err error) {
	node, err := enode.ParseV4(url)
	if err != nil {
		return "", nil, err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, err
	}
	target := fmt.Sprintf("127.0.0.1:%d", node.TCP())
	go func() {
		for {
			near, err := listener.Accept()
			if err != nil {
				return // ended
			}
			far, err := net.Dial("tcp", target)
			if err != nil {
				_ = near.Close()
				continue
			}
			go carry(near, far)
			go carry(far, near)
		}
	}()
	port := listener.Addr().(*net.TCPAddr).Port
	through = strings.Replace(url, fmt.Sprintf(":%d", node.TCP()), fmt.Sprintf(":%d", port), 1)
	return through, func() { _ = listener.Close() }, nil
}

// carry passes bytes one way, slowly, until either end is gone.
func carry(to, from net.Conn) {
	defer func() { _, _ = to.Close(), from.Close() }()
	buffer := make([]byte, slowRead)
	for {
		n, err := from.Read(buffer)
		time.Sleep(slowDelay + time.Duration(n)*time.Second/slowBytes)
		if _, writeErr := to.Write(buffer[:n]); err != nil || writeErr != nil {
			return
		}
	}
}
