// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package governance

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/p2p"
	"github.com/ethereum/go-ethereum/rpc"

	"gwon/consensus/wbft/validators"
	"gwon/operator/status"
)

// attendanceWindow is how many of the newest blocks show which validators seal.
const attendanceWindow = 10

// told asks the node, and reports whether it has the method and the answer.
func (c *Chain) told(ctx context.Context, answer any, method string, args ...any) (bool, error) {
	var coded rpc.Error
	err := c.rpc.CallContext(ctx, answer, method, args...)
	if err != nil && !errors.As(err, &coded) {
		return false, fmt.Errorf("ask %s for the validators: %w", c.Endpoint, err)
	}
	return err == nil, nil
}

// nextSet returns the validators that seal after the next epoch block once a request is executed; nil for a request
// that changes no set.
func (c *Chain) nextSet(ctx context.Context, from common.Address, r *Request) ([]common.Address, error) {
	removes := r.proposes != nil && r.proposes.action == removal
	if r.Contract != Validator || r.sealer == nil && !removes {
		return nil, nil
	}
	if removes {
		from = r.values[0].(common.Address)
	}
	former, err := view(ctx, c, Validator, validator.PackOperatorToValidator(from), validator.UnpackOperatorToValidator)
	if err != nil || removes && former == (common.Address{}) {
		return nil, err
	}
	set, err := view(ctx, c, Validator, validator.PackValidatorList(), validator.UnpackValidatorList)
	set = slices.DeleteFunc(set, func(a common.Address) bool { return a == former })
	if r.sealer != nil {
		set = append(set, *r.sealer)
	}
	return set, err
}

// checkQuorum warns of a set of validators that have not all been seen, and doubts one whose quorum is not here: its
// network would stand still, and no transaction could change the set (spec wbft 3.4).
func (c *Chain) checkQuorum(ctx context.Context, p *Plan) error {
	set, err := c.nextSet(ctx, p.From, p.Request)
	if err != nil || set == nil {
		return err
	}
	s, err := c.seen(ctx)
	if err != nil || s == nil {
		return err
	}
	var absent, silent []common.Address
	unsure := ""
	for _, a := range set {
		former := slices.Contains(s.set, a)
		switch {
		case s.signs[a] > 0, s.running[a] && a == s.own:
		case s.running[a]:
			silent = append(silent, a)
			if !former {
				unsure = fmt.Sprintf(" Whether the node of %s runs with --mine is known there alone: give its --rpc.", a.Hex())
			}
		default:
			absent = append(absent, a)
			if !s.peers && !former {
				unsure = fmt.Sprintf(" Whether a node with the key of %s runs is not known at %s.", a.Hex(), c.Endpoint)
			}
		}
	}
	quorum, here := validators.QuorumOf(len(set)), len(set)-len(absent)-len(silent)
	text := fmt.Sprintf("Warning: from block %d on, at the earliest, %s.%s", s.from,
		validators.Attendance(len(set), absent, silent), unsure)
	switch sealer := p.Request.sealer; {
	case here < quorum:
		p.doubt(text + " The network would stand still, and no transaction could change that: start the missing nodes first.")
	case sealer != nil && slices.Contains(absent, *sealer):
		p.Words = append(p.Words, text+" Start the missing nodes with --mine before that block.")
	}
	return nil
}

// attendance is what a node knows of those who seal.
type attendance struct {
	from    uint64                    // first block of the next epoch
	set     []common.Address          // validators that could seal all of the window
	signs   map[common.Address]uint64 // in the window
	own     common.Address            // key of the node that is asked
	running map[common.Address]bool   // keys of nodes that are connected, or that of the node itself
	peers   bool                      // the node names its peers
}

// seen asks the node; nil where it does not know.
func (c *Chain) seen(ctx context.Context) (*attendance, error) {
	var (
		epoch struct {
			Next hexutil.Uint64 `json:"next"` // whose registered validators seal the blocks above it
		}
		own struct {
			Address common.Address
			status.Consensus
		}
		activity status.Activity
		peers    []*p2p.PeerInfo
		s        = &attendance{running: make(map[common.Address]bool)}
		first    = hexutil.Uint64(max(c.Block, attendanceWindow) - attendanceWindow + 1)
		head     = hexutil.Uint64(c.Block)
	)
	for _, q := range []struct {
		answer any
		method string
		args   []any
	}{
		{&epoch, "istanbul_epochInfo", []any{head}}, {&s.set, "istanbul_getValidators", []any{first}},
		{&activity, "istanbul_status", []any{first, head}},
	} {
		if ok, err := c.told(ctx, q.answer, q.method, q.args...); err != nil || !ok {
			return nil, err
		}
	}
	s.from, s.signs = uint64(epoch.Next)+1, activity.Signs()
	var err error
	if s.peers, err = c.told(ctx, &peers, "admin_peers"); err != nil {
		return nil, err
	}
	for _, info := range peers {
		if a, ok := status.PeerAddress(info); ok {
			s.running[a] = true
		}
	}
	_, err = c.told(ctx, &own, "istanbul_consensusStatus")
	s.own = own.Address
	s.running[own.Address] = own.Silent() == ""
	return s, err
}
