// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package settings

import (
	"fmt"
	"time"

	"github.com/ethereum/go-ethereum/cmd/utils"
	"github.com/urfave/cli/v2"
)

// categoryHealth is that of the thresholds of readiness on the help page.
const categoryHealth = "HEALTH"

// Thresholds of readiness.
var (
	HealthHeadAgeFlag = &cli.DurationFlag{
		Name:     "health.headage",
		Usage:    "Age of the newest block above which /readyz fails (0 = five block periods and the timeout of one round)",
		Category: categoryHealth,
	}
	HealthPeersFlag = &cli.IntFlag{
		Name:     "health.peers",
		Usage:    "Connected peers below which /readyz fails, except where the node is the only validator (0 = off)",
		Value:    1,
		Category: categoryHealth,
	}
	HealthDiskFlag = &cli.Uint64Flag{
		Name:     "health.disk",
		Usage:    "Free disk space in MB below which /readyz fails (0 = twice that at which the node stops)",
		Category: categoryHealth,
	}
)

// CheckHealthFlags refuses thresholds that no node can meet.
func CheckHealthFlags(ctx *cli.Context) error {
	if age := ctx.Duration(HealthHeadAgeFlag.Name); age != 0 && age < time.Second {
		return fmt.Errorf("--%s %v is shorter than any block period: give 1s or more", HealthHeadAgeFlag.Name, age)
	}
	peers, most := ctx.Int(HealthPeersFlag.Name), ctx.Int(utils.MaxPeersFlag.Name)
	if peers < 0 {
		return fmt.Errorf("--%s %d: give 0 or more", HealthPeersFlag.Name, peers)
	}
	if ctx.IsSet(HealthPeersFlag.Name) && peers > most {
		return fmt.Errorf("--%s %d is above --%s %d: give less", HealthPeersFlag.Name, peers, utils.MaxPeersFlag.Name, most)
	}
	return nil
}
