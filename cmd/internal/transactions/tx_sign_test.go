// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package transactions

import (
	"math/big"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/urfave/cli/v2"

	"gwon/cmd/internal/apptest"
	"gwon/internal/expect"
	"gwon/internal/must"
	"gwon/pay/txrequest"
	"gwon/pay/txsign"
)

// TestWhoPaid: a transaction that a sponsor has completed was not paid by its sender, whichever client gives the
// receipt.
// spec: transactions 1.2
func TestWhoPaid(t *testing.T) {
	sender, payer := common.Address{1}, common.Address{2}
	for _, tt := range []struct {
		name    string
		signed  txsign.Signed
		receipt txrequest.Receipt
		want    string
	}{
		{"sender", txsign.Signed{Sender: sender}, txrequest.Receipt{Type: types.DynamicFeeTxType}, sender.Hex()},
		{
			"cosigned", txsign.Signed{Sender: sender, FeePayer: &payer},
			txrequest.Receipt{Type: types.FeeDelegateTxType}, payer.Hex(),
		},
		{
			"sponsored", txsign.Signed{Sender: sender},
			txrequest.Receipt{Type: types.FeeDelegateTxType, FeePayer: &payer}, payer.Hex(),
		},
		{
			"sponsored, go-stablenet", txsign.Signed{Sender: sender},
			txrequest.Receipt{Type: types.FeeDelegateTxType}, "a fee payer",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.receipt.EffectiveGasPrice = (*hexutil.Big)(big.NewInt(1))
			var out strings.Builder
			must.Do(t, printReceipt(&out, &tt.signed, &tt.receipt))
			expect.That(t, strings.Contains(out.String(), "paid by "+tt.want+"."), "%q, want %s", out.String(), tt.want)
		})
	}
}

// A fee without a unit is not taken for wei.
func TestFeesNeedUnits(t *testing.T) {
	app := &cli.App{Name: "gwon-dev", Commands: []*cli.Command{Command}}
	for _, flag := range []string{"--fee-cap", "--tip"} {
		_, err := apptest.Run(t, app, "tx", "sign", flag, "70000")
		expect.Says(t, err, flag+`: "70000" has no unit`, "without a unit")
		_, err = apptest.Run(t, app, "tx", "sign", flag, "70000 gwei")
		expect.Says(t, err, "chainid", "with a unit")
	}
}
