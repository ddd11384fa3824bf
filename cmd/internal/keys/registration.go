// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package keys

import (
	"fmt"

	"github.com/ethereum/go-ethereum/cmd/utils"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/urfave/cli/v2"

	"gwon/cmd/internal/settings"
)

var (
	validatorFlag = &cli.StringFlag{Name: "validator",
		Usage: "Address of the validator, with --bls-key and --pop, where its node key is on another machine"}
	blsKeyFlag     = &cli.StringFlag{Name: "bls-key", Usage: "BLS public key, from gwon validator show"}
	possessionFlag = &cli.StringFlag{Name: "pop", Usage: "Proof of possession, from gwon validator show"}
)

// RegistrationFlags name the key of a validator that is to be registered.
var RegistrationFlags = []cli.Flag{utils.NodeKeyFileFlag, settings.NodeKeyPasswordFlag, validatorFlag, blsKeyFlag,
	possessionFlag}

// Registration returns address, BLS public key and proof of possession of the validator that flags name.
func Registration(ctx *cli.Context) (sealer common.Address, key, possession []byte, err error) {
	if !ctx.IsSet(validatorFlag.Name) {
		file, err := NodeKeyFile(ctx)
		if err != nil {
			return sealer, nil, nil, err
		}
		secret, err := ReadNodeKey(ctx, file)
		if err != nil {
			return sealer, nil, nil, err
		}
		identity, err := Identify(secret, file)
		if err != nil {
			return sealer, nil, nil, err
		}
		return identity.Address, identity.BLSPublicKey, identity.ProofOfPossession, nil
	}
	if sealer, err = ParseAddress(ctx.String(validatorFlag.Name)); err != nil {
		return sealer, nil, nil, err
	}
	for _, part := range []struct {
		flag *cli.StringFlag
		to   *[]byte
	}{{blsKeyFlag, &key}, {possessionFlag, &possession}} {
		if *part.to, err = hexutil.Decode(ctx.String(part.flag.Name)); err != nil {
			return sealer, nil, nil, fmt.Errorf("--%s: %w", part.flag.Name, err)
		}
	}
	return sealer, key, possession, nil
}
