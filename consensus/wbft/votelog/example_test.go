// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package votelog_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/ethereum/go-ethereum/common"

	"gwon/consensus/wbft/votelog"
)

// A key never signs two blocks in one view, also after a restart.
//
// spec: wbft 9.1 no. 3
func Example() {
	dir, err := os.MkdirTemp("", "votelog")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = os.RemoveAll(dir) }()
	path := filepath.Join(dir, "votes.log")
	owner := votelog.Owner{Validator: common.Address{1}, Genesis: common.Hash{2}, ChainID: 8283}

	log, err := votelog.Open(path, owner)
	if err != nil {
		fmt.Println(err)
		return
	}
	vote := votelog.Record{Code: votelog.Prepare, Sequence: 7, Digest: common.Hash{3}, Payload: []byte("a PREPARE")}
	fmt.Println("first vote:", log.Write([]votelog.Record{vote}, nil))
	fmt.Println("close:", log.Close())

	log, err = votelog.Open(path, owner)
	if err != nil {
		fmt.Println(err)
		return
	}
	vote.Digest = common.Hash{4}
	err = log.Write([]votelog.Record{vote}, nil)
	fmt.Println("another block refused:", errors.Is(err, votelog.ErrConflict))
	fmt.Println("close:", log.Close())
	// Output:
	// first vote: <nil>
	// close: <nil>
	// another block refused: true
	// close: <nil>
}
