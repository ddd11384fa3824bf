// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package nodestart

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/ethereum/go-ethereum/cmd/utils"
	"github.com/ethereum/go-ethereum/log"

	"gwon/cmd/internal/keys"
	"gwon/internal/start"
)

// openNodeKey gives the node its key. A data directory without one gets a new key when the node is made.
func (s *nodeStart) openNodeKey(closers *start.Closers) error {
	if s.cfg.Gwon.Signer != "" && s.Chain == nil {
		return s.openSigner(closers)
	}
	given, digits := s.ctx.String(utils.NodeKeyFileFlag.Name), s.ctx.String(utils.NodeKeyHexFlag.Name)
	switch {
	case given != "" && digits != "":
		return fmt.Errorf("--%s and --%s exclude each other", utils.NodeKeyFileFlag.Name, utils.NodeKeyHexFlag.Name)
	case digits != "" || s.Chain != nil || s.cfg.Node.DataDir == "" && given == "":
		return nil
	}
	file, err := keys.NodeKeyAt(s.ctx, s.cfg.Node.DataDir)
	if err != nil {
		return err
	}
	if _, err := os.Lstat(file); errors.Is(err, fs.ErrNotExist) && given == "" {
		if s.cfg.Gwon.Mine {
			log.Warn("The node key is new, and that of no validator before a vote", "file", file,
				"remedy", "a validator of the genesis block stops here, and puts its key there first")
		}
		return nil
	}
	key, err := keys.ReadNodeKey(s.ctx, file)
	if err != nil {
		return err
	}
	s.cfg.Node.P2P.PrivateKey = key
	return nil
}
