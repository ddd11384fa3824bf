// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package sim

import (
	"context"
	"errors"
	"math/big"
	"net"
	"sync"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"gwon/consensus/wbft/signer"
	"gwon/consensus/wbft/signer/remote"
	"gwon/consensus/wbft/signing"
	"gwon/consensus/wbft/votelog"
)

// keeper is the key of a node with a signer. The real server and client talk over a pipe, and the vote log is the
// signer's, on the disk of the node. Both end with the process.
type keeper struct {
	process *process

	mu     sync.Mutex
	server *signer.Server
	client *remote.Client
}

// Address implements wbft.Key.
func (k *keeper) Address() common.Address { return k.process.node.address }

// Sign implements wbft.Key.
func (k *keeper) Sign(in signing.Intent) error {
	client := k.connected()
	if client == nil {
		return signing.ErrAway
	}
	return client.Sign(in)
}

// RandaoReveal implements wbft.Key.
func (k *keeper) RandaoReveal(chainID *big.Int, number uint64) ([]byte, error) {
	client := k.connected()
	if client == nil {
		return nil, signing.ErrAway
	}
	return client.RandaoReveal(chainID, number)
}

// Away implements wbft.Keeper.
func (k *keeper) Away() string { return "" }

func (k *keeper) connected() *remote.Client {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.client
}

// OpenVotes implements wbft.Keeper: it starts the signer.
func (k *keeper) OpenVotes(owner votelog.Owner) (votelog.Votes, error) {
	n := k.process.node
	votes, err := votelog.OpenOn(mount{n.disk, k.process}, voteLogPath, owner)
	if err != nil {
		return nil, err
	}
	server, err := signer.NewServer(signer.ServerConfig{Key: n.key, Owner: owner, Votes: votes, Resume: true})
	if err != nil {
		return nil, errors.Join(err, votes.Close())
	}
	client, err := remote.NewClient(context.Background(), remote.ClientConfig{Patience: time.Second,
		Dial: func() (net.Conn, error) {
			near, far := net.Pipe()
			server.Accept(far, signer.Peer{Name: n.String()})
			return near, nil
		}})
	if err != nil {
		return nil, errors.Join(err, server.Close())
	}
	log, err := client.OpenVotes(owner)
	if err != nil {
		return nil, errors.Join(err, client.Close(), server.Close())
	}
	k.mu.Lock()
	k.server, k.client = server, client
	k.mu.Unlock()
	return &kept{log, k}, nil
}

// kept is the vote log of a driver that ends its signer.
type kept struct {
	votelog.Votes
	keeper *keeper
}

// Close implements votelog.Votes.
func (v *kept) Close() error {
	k := v.keeper
	k.mu.Lock()
	server, client := k.server, k.client
	k.server, k.client = nil, nil
	k.mu.Unlock()
	if client == nil {
		return nil
	}
	return errors.Join(v.Votes.Close(), client.Close(), server.Close())
}
