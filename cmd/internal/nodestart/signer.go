// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package nodestart

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/ethereum/go-ethereum/cmd/utils"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/log"

	"gwon/cmd/internal/keys"
	"gwon/cmd/internal/program"
	"gwon/cmd/internal/settings"
	"gwon/consensus/wbft"
	"gwon/consensus/wbft/signer/remote"
	"gwon/consensus/wbft/signer/wire"
	"gwon/internal/start"
)

// openSigner connects the node to the process that has its key. The node itself must have none.
func (s *nodeStart) openSigner(closers *start.Closers) error {
	if err := s.refuseTwoKeys(); err != nil {
		return err
	}
	own := &s.cfg.Gwon
	credentials, err := SignerCredentials(s.cfg)
	if err != nil {
		return err
	}
	// Both may start with the machine.
	cfg := remote.ClientConfig{Address: own.Signer, Credentials: credentials, Patience: 30 * time.Second}
	client, err := remote.NewClient(s.ctx.Context, cfg)
	if err != nil {
		return err
	}
	closers.Add(client.Close)
	crypto.SetHolder(client)
	s.cfg.Node.P2P.PrivateKey = client.Handle()
	s.signer = client
	log.Info("Signer connected", "signer", own.Signer, "validator", client.Address())
	return nil
}

// refuseTwoKeys refuses a signer besides a key or a vote log of this node, and what needs a key in this process.
func (s *nodeStart) refuseTwoKeys() error {
	flag := settings.SignerFlag.Name
	for _, other := range []string{
		utils.NodeKeyFileFlag.Name, utils.NodeKeyHexFlag.Name, settings.NodeKeyPasswordFlag.Name,
	} {
		if s.ctx.IsSet(other) {
			return fmt.Errorf("--%s and --%s exclude each other: the signer has the key", flag, other)
		}
	}
	if s.cfg.Node.P2P.DiscoveryV5 {
		return fmt.Errorf("--%s needs a key in the node: leave it out with --%s", utils.DiscoveryV5Flag.Name, flag)
	}
	if s.cfg.Node.DataDir == "" {
		return nil
	}
	return RefuseBesideSigner(s.cfg.Node.DataDir)
}

// RefuseBesideSigner returns an error if a data directory has a key or a vote log, which a signer has instead.
func RefuseBesideSigner(dataDir string) error {
	key, err := keys.NodeKeyIn(dataDir)
	if err != nil {
		return err
	}
	for _, file := range []string{key, filepath.Join(dataDir, program.Name, wbft.VoteLogFile)} {
		switch _, err := os.Lstat(file); {
		case err == nil:
			return fmt.Errorf("--%s is given, and %s exists: move key and vote log with gwon-signer init, or move a key that "+
				"is not the validator's away", settings.SignerFlag.Name, file)
		case !errors.Is(err, fs.ErrNotExist):
			return fmt.Errorf("look for a key of the node: %w", err)
		}
	}
	return nil
}

// SignerCredentials reads the credentials for the signer of a configuration, nil for one at a socket.
func SignerCredentials(cfg *settings.Config) (*wire.Credentials, error) {
	own := &cfg.Gwon
	if wire.IsSocket(own.Signer) != (own.SignerCredentials == "") {
		return nil, fmt.Errorf("--%s is for a signer at a host and port, and needed there; --%s %s",
			settings.SignerCredentialsFlag.Name, settings.SignerFlag.Name, own.Signer)
	}
	if own.SignerCredentials == "" {
		return nil, nil
	}
	return wire.ReadCredentials(own.SignerCredentials)
}
