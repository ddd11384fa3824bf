// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package rpc

import (
	"errors"
	"fmt"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	gethrpc "github.com/ethereum/go-ethereum/rpc"

	"gwon/consensus/wbft/validators"
)

// extraInfo is the consensus data of a block in the form of istanbul_getWbftExtraInfo (spec rpc 6.8). Addresses have
// the checksum of EIP-55; the gas tip is a decimal number of wei.
type extraInfo struct {
	VanityData        hexutil.Bytes `json:"vanityData"`
	RandaoReveal      hexutil.Bytes `json:"randaoReveal"`
	PrevRound         hexutil.Uint  `json:"prevRound"`
	PrevPreparedSeal  *sealInfo     `json:"prevPreparedSeal"`
	PrevCommittedSeal *sealInfo     `json:"prevCommittedSeal"`
	Round             hexutil.Uint  `json:"round"`
	PreparedSeal      *sealInfo     `json:"preparedSeal"`
	CommittedSeal     *sealInfo     `json:"committedSeal"`
	GasTip            string        `json:"gasTip"`
	EpochInfo         *epochInfo    `json:"epochInfo"`
}

type sealInfo struct {
	Sealers   []common.AddressEIP55 `json:"sealers"`
	Signature hexutil.Bytes         `json:"signature"`
}

type epochInfo struct {
	Candidates []candidateInfo `json:"candidates"`
	Validators []validatorInfo `json:"validators"`
}

type candidateInfo struct {
	Address   common.AddressEIP55 `json:"addr"`
	Diligence hexutil.Uint64      `json:"diligence"`
}

type validatorInfo struct {
	Index   hexutil.Uint        `json:"index"` // index in the candidates
	Address common.AddressEIP55 `json:"addr"`
	BLS     hexutil.Bytes       `json:"bls"`
}

// GetWbftExtraInfo returns the decoded extra data of a block (spec rpc 6.8). The block pending is the head.
func (s *istanbul) GetWbftExtraInfo(block gethrpc.BlockNumber) (*extraInfo, error) {
	if !s.chain.Config().IsAnzeon() {
		return nil, errors.New("block is not a wbft block")
	}
	header, err := sealedHeader(s.chain, &block)
	switch {
	case errors.Is(err, errUnknownBlock) && block >= 0:
		return nil, fmt.Errorf("block %d not found", block.Int64())
	case err != nil:
		return nil, err
	}
	extra, err := types.DecodeWBFTExtra(header.Extra)
	if err != nil {
		return nil, fmt.Errorf("extra data of block %d: %w", header.Number, err)
	}
	info := &extraInfo{
		VanityData:   extra.Vanity,
		RandaoReveal: extra.RandaoReveal,
		PrevRound:    hexutil.Uint(extra.PrevRound),
		Round:        hexutil.Uint(extra.Round),
		GasTip:       extra.GasTip.String(),
	}
	if info.EpochInfo, err = newEpochInfo(extra.EpochInfo); err != nil {
		return nil, fmt.Errorf("epoch info of block %d: %w", header.Number, err)
	}
	if err := s.addSeals(info, header, extra); err != nil {
		return nil, fmt.Errorf("seals of block %d: %w", header.Number, err)
	}
	return info, nil
}

// addSeals resolves the bitmaps of seals: the block's own with its validators, the late ones with the parent's.
func (s *istanbul) addSeals(info *extraInfo, header *types.Header, extra *types.WBFTExtra) error {
	if extra.PreparedSeal != nil || extra.CommittedSeal != nil {
		set, err := setFor(s.node, header)
		if err != nil {
			return err
		}
		if info.PreparedSeal, err = newSealInfo(set, extra.PreparedSeal); err != nil {
			return err
		}
		if info.CommittedSeal, err = newSealInfo(set, extra.CommittedSeal); err != nil {
			return err
		}
	}
	if extra.PrevPreparedSeal == nil && extra.PrevCommittedSeal == nil {
		return nil
	}
	parent := s.chain.GetHeader(header.ParentHash, header.Number.Uint64()-1)
	if parent == nil {
		return errUnknownBlock
	}
	set, err := setFor(s.node, parent)
	if err != nil {
		return err
	}
	if info.PrevPreparedSeal, err = newSealInfo(set, extra.PrevPreparedSeal); err != nil {
		return err
	}
	info.PrevCommittedSeal, err = newSealInfo(set, extra.PrevCommittedSeal)
	return err
}

func newSealInfo(set *validators.Set, seal *types.WBFTSeal) (*sealInfo, error) {
	if seal == nil {
		return nil, nil
	}
	addresses, err := sealers(set, seal)
	if err != nil {
		return nil, err
	}
	info := &sealInfo{Sealers: make([]common.AddressEIP55, len(addresses)), Signature: seal.Signature}
	for i, address := range addresses {
		info.Sealers[i] = common.AddressEIP55(address)
	}
	return info, nil
}

func newEpochInfo(epoch *types.EpochInfo) (*epochInfo, error) {
	if epoch == nil {
		return nil, nil
	}
	if len(epoch.Validators) != len(epoch.BLSPublicKeys) {
		return nil, fmt.Errorf("%d validators have %d BLS keys", len(epoch.Validators), len(epoch.BLSPublicKeys))
	}
	info := &epochInfo{
		Candidates: make([]candidateInfo, len(epoch.Candidates)),
		Validators: make([]validatorInfo, len(epoch.Validators)),
	}
	for i, c := range epoch.Candidates {
		info.Candidates[i] = candidateInfo{common.AddressEIP55(c.Address), hexutil.Uint64(c.Diligence)}
	}
	for i, index := range epoch.Validators {
		if uint64(index) >= uint64(len(info.Candidates)) {
			return nil, fmt.Errorf("validator %d is candidate %d of %d", i, index, len(info.Candidates))
		}
		info.Validators[i] = validatorInfo{hexutil.Uint(index), info.Candidates[index].Address, epoch.BLSPublicKeys[i]}
	}
	return info, nil
}
