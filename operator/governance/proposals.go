// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package governance

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/ethereum/go-ethereum/common"
	"golang.org/x/sync/errgroup"

	"gwon/internal/dial"
	"gwon/params"
)

// Body is the governance of a contract: its members, quorum and proposals.
type Body struct {
	Contract     string           `json:"contract"`
	Address      common.Address   `json:"address"`
	HasCode      bool             `json:"hasCode"` // the fields below need code
	Members      []common.Address `json:"members"`
	Quorum       uint32           `json:"quorum"`
	Expiry       *big.Int         `json:"proposalExpirySeconds"`
	MaxProposals *big.Int         `json:"maxOpenProposalsPerMember"`
	Proposals    *big.Int         `json:"proposals"` // number of proposals so far

	contract Contract
	version  *big.Int // version of the member list
}

// body reads the governance of a contract with code.
func (c *Chain) body(ctx context.Context, k Contract) (*Body, error) {
	b := &Body{Contract: k.Name, Address: c.Addresses.of(k), HasCode: true, contract: k}
	var err error
	if b.version, err = view(ctx, c, k, base.PackMemberVersion(), base.UnpackMemberVersion); err != nil {
		return nil, err
	}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(atOnce)
	group.Go(func() (err error) { b.Members, err = c.members(ctx, k, b.version); return })
	group.Go(func() (err error) { b.Quorum, err = view(ctx, c, k, base.PackQuorum(), base.UnpackQuorum); return })
	group.Go(func() (err error) {
		b.Expiry, err = view(ctx, c, k, base.PackProposalExpiry(), base.UnpackProposalExpiry)
		return
	})
	group.Go(func() (err error) {
		b.MaxProposals, err = view(ctx, c, k, base.PackMaxActiveProposalsPerMember(), base.UnpackMaxActiveProposalsPerMember)
		return
	})
	group.Go(func() (err error) {
		b.Proposals, err = view(ctx, c, k, base.PackCurrentProposalId(), base.UnpackCurrentProposalId)
		return
	})
	return b, group.Wait()
}

// needMember returns an error unless an address is a member.
func (b *Body) needMember(a common.Address) error {
	if slices.Contains(b.Members, a) {
		return nil
	}
	return fmt.Errorf("%s is no member of %s; its members are %s", a.Hex(), b.contract.title, listOf(b.Members))
}

// members reads one version of the member list.
func (c *Chain) members(ctx context.Context, k Contract, version *big.Int) ([]common.Address, error) {
	count, err := view(ctx, c, k, base.PackGetMemberCount(version), base.UnpackGetMemberCount)
	if err != nil {
		return nil, err
	}
	if count.Cmp(big.NewInt(params.MaxGovernanceMembers)) > 0 {
		return nil, fmt.Errorf("%s at %v says that it has %v members: it is no such contract", k.title,
			c.Addresses.of(k), count)
	}
	list := make([]common.Address, count.Uint64())
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(atOnce)
	for i := range list {
		group.Go(func() (err error) {
			list[i], err = view(ctx, c, k, base.PackGetMemberAt(version, big.NewInt(int64(i))), base.UnpackGetMemberAt)
			return
		})
	}
	return list, group.Wait()
}

// The states of a proposal (spec system-contracts 1.2).
const (
	voting   = 1
	approved = 2
)

var statusNames = []string{"none", "voting", "approved", "executed", "canceled", "expired", "failed", "rejected"}

// Proposal is a proposal as a contract stores it. Times are in seconds since 1970.
type Proposal struct {
	ID          ID             `json:"id"`
	Contract    common.Address `json:"contract"`
	Action      string         `json:"action"`
	Description string         `json:"description"` // follows "to" in sentences
	Proposer    common.Address `json:"proposer"`
	Status      string         `json:"status"` // also expired if the contract does not know yet
	Open        bool           `json:"open"`
	// expired and still counted as open: gwon gov expire closes it
	Unclosed   bool             `json:"unclosed,omitempty"`
	Approvals  uint32           `json:"approvals"`
	Rejections uint32           `json:"rejections"`
	Required   uint32           `json:"requiredApprovals"`
	CreatedAt  uint64           `json:"createdAt"`
	ExpiresAt  uint64           `json:"expiresAt"`
	ExecutedAt uint64           `json:"executedAt,omitempty"`
	Members    []common.Address `json:"members,omitempty"` // members with a vote; not read for lists of proposals
	// members that voted for or against; not read for lists of proposals
	Voted []common.Address `json:"voted,omitempty"`

	status   uint8
	version  *big.Int
	kind     *Kind // of its action; nil for one that is not known
	values   []any // of the action
	callData []byte
	size     uint64 // size of the action's arguments in words of 32 bytes
}

// Proposal reads a proposal with its votes.
func (c *Chain) Proposal(ctx context.Context, id ID) (*Proposal, error) {
	ctx, cancel := context.WithTimeout(ctx, dial.Timeout)
	defer cancel()
	if err := c.needCode(ctx, id.Contract); err != nil {
		return nil, err
	}
	expiry, err := view(ctx, c, id.Contract, base.PackProposalExpiry(), base.UnpackProposalExpiry)
	if err != nil {
		return nil, err
	}
	p, bitmap, err := c.proposal(ctx, id, expiry)
	if err != nil {
		return nil, err
	}
	if p.Members, err = c.members(ctx, id.Contract, p.version); err != nil {
		return nil, err
	}
	p.Voted = []common.Address{}
	for i, m := range p.Members {
		if bitmap.Bit(i) == 1 {
			p.Voted = append(p.Voted, m)
		}
	}
	return p, nil
}

// proposal reads a proposal of a contract with code, and the votes as a bitmap of members.
func (c *Chain) proposal(ctx context.Context, id ID, expiry *big.Int) (*Proposal, *big.Int, error) {
	raw, err := view(ctx, c, id.Contract, base.PackGetProposal(id.number()), base.UnpackGetProposal)
	if refusal, ok := errors.AsType[*Refusal](err); ok && refusal.Name == "InvalidProposal" {
		last, countErr := view(ctx, c, id.Contract, base.PackCurrentProposalId(), base.UnpackCurrentProposalId)
		switch {
		case countErr != nil:
			return nil, nil, countErr
		case last.Sign() == 0:
			return nil, nil, fmt.Errorf("there is no proposal %v: %s has none yet", id, id.Contract.title)
		default:
			return nil, nil, fmt.Errorf("there is no proposal %v: the last one of %s is %v", id, id.Contract.title, last)
		}
	}
	if err != nil {
		return nil, nil, err
	}
	p := &Proposal{
		ID: id, Contract: c.Addresses.of(id.Contract), Proposer: raw.Proposer, Approvals: raw.Approved,
		Rejections: raw.Rejected,
		Required:   raw.RequiredApprovals, CreatedAt: seconds(raw.CreatedAt), ExecutedAt: seconds(raw.ExecutedAt),
		ExpiresAt: seconds(new(big.Int).Add(raw.CreatedAt, expiry)), status: raw.Status, version: raw.MemberVersion,
		callData: raw.CallData, size: uint64(len(raw.CallData)) / 32,
	}
	p.Action, p.Description, p.kind, p.values = describeAction(id.Contract, raw.ActionType, raw.CallData)
	if int(raw.Status) >= len(statusNames) {
		return nil, nil, fmt.Errorf("%s says that %v has the status %d, which does not exist", id.Contract.title, id,
			raw.Status)
	}
	p.Status = statusNames[raw.Status]
	if p.Open = raw.Status == voting || raw.Status == approved; p.Open && c.Time > p.ExpiresAt {
		p.Open, p.Status, p.Unclosed = false, "expired", true
	}
	return p, raw.VotedBitmap, nil
}

// seconds converts a contract's time and limits it to 64 bits.
func seconds(n *big.Int) uint64 {
	if !n.IsUint64() {
		return 1<<64 - 1
	}
	return n.Uint64()
}

// over returns the reason why a proposal cannot be voted on; empty if it can.
func (p *Proposal) over() string {
	switch {
	case p.Open:
		return ""
	case p.Unclosed:
		frees := "its place"
		if p.ID.Contract == Minter {
			frees = "its place and its deposit or withdrawal"
		}
		return fmt.Sprintf("proposal %v has expired at %s: gwon gov expire %v closes it and frees %s, then it can be made "+
			"again", p.ID,
			formatTime(p.ExpiresAt), p.ID, frees)
	case p.Status == "expired":
		return fmt.Sprintf("proposal %v has expired: it has to be made again", p.ID)
	case p.Status == "executed":
		return fmt.Sprintf("proposal %v was executed at %s", p.ID, formatTime(p.ExecutedAt))
	default:
		return fmt.Sprintf("proposal %v is over: it is %s", p.ID, p.Status)
	}
}

// Proposals reads the newest proposals of every governance, at most limit of each, newest first. The result older
// counts the omitted ones of each. Without all, only proposals that are open or not yet closed are returned.
func (c *Chain) Proposals(ctx context.Context, of []Contract, all bool,
	limit uint64) (list []*Proposal, older map[string]uint64, err error) {
	ctx, cancel := context.WithTimeout(ctx, dial.Timeout)
	defer cancel()
	list, older = []*Proposal{}, make(map[string]uint64)
	for _, k := range of {
		if ok, err := c.hasCode(ctx, k); err != nil || !ok && len(of) > 1 {
			if err != nil {
				return nil, nil, err
			}
			continue
		}
		if err := c.needCode(ctx, k); err != nil {
			return nil, nil, err
		}
		count, err := view(ctx, c, k, base.PackCurrentProposalId(), base.UnpackCurrentProposalId)
		if err != nil {
			return nil, nil, err
		}
		expiry, err := view(ctx, c, k, base.PackProposalExpiry(), base.UnpackProposalExpiry)
		if err != nil {
			return nil, nil, err
		}
		last := seconds(count)
		found := make([]*Proposal, min(last, limit))
		group, groupCtx := errgroup.WithContext(ctx)
		group.SetLimit(atOnce)
		for i := range found {
			group.Go(func() (err error) {
				found[i], _, err = c.proposal(groupCtx, ID{k, last - uint64(i)}, expiry)
				return
			})
		}
		if err := group.Wait(); err != nil {
			return nil, nil, err
		}
		if last > limit {
			older[k.Name] = last - limit
		}
		list = append(list, slices.DeleteFunc(found, func(p *Proposal) bool { return !all && !p.Open && !p.Unclosed })...)
	}
	return list, older, nil
}

// Resolve lists the proposals that a number without a contract may mean. Other errors are returned unchanged.
func (c *Chain) Resolve(ctx context.Context, err error) error {
	var bare *bareNumberError
	if !errors.As(err, &bare) {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, dial.Timeout)
	defer cancel()
	var choices []string
	for _, k := range Governances {
		if p, _, err := c.proposal(ctx, ID{k, bare.number}, new(big.Int)); err == nil {
			choices = append(choices, fmt.Sprintf("%v (to %s)", p.ID, p.Description))
		}
	}
	if len(choices) == 0 {
		return err
	}
	return fmt.Errorf("%d alone names no proposal, each contract counts from 1. It could be %s", bare.number,
		strings.Join(choices, "; or "))
}
