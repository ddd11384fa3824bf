// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package devchain

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"

	"gwon/consensus/wbft/validators"
)

const (
	// maxMined is the most blocks that one call mines.
	maxMined = 100_000

	// sealedLast is how many blocks at the end of a call have seals over themselves. Two BLS signatures take three
	// quarters of the time for an empty block.
	sealedLast = 16
)

// standInDigest is what the validator has signed in blocks that have no seals over themselves.
var standInDigest = crypto.Keccak256Hash([]byte("gwon developer chain: a block without seals"))

// standInFor returns what stands for each of the two seals of a block.
func (c *Chain) standInFor(sealer int) *types.WBFTSeal {
	return &types.WBFTSeal{Sealers: validators.EncodeSealers([]int{sealer}), Signature: c.standIn}
}

// verifyStandIns checks that a block has the stand-ins of the only validator.
func (c *Chain) verifyStandIns(set *validators.Set, sealed *types.WBFTExtra) error {
	index, ok := set.Index(c.validator)
	if !ok || set.Quorum() > 1 {
		return fmt.Errorf("stand-ins for the seals of %d validators", set.Quorum())
	}
	want := c.standInFor(index)
	for _, have := range []*types.WBFTSeal{sealed.PreparedSeal, sealed.CommittedSeal} {
		if sealed.Round != 0 || have == nil || !bytes.Equal(have.Sealers, want.Sealers) ||
			!bytes.Equal(have.Signature, want.Signature) {
			return errors.New("the seals are not the stand-ins that the vanity names")
		}
	}
	return nil
}

// spacing is how mine puts the timestamps of blocks apart.
type spacing struct {
	step  uint64 // seconds; 0 has each block take the next timestamp
	clock bool   // the clock moves by step before each block; otherwise only later blocks are step after their parent
}

// checkSpan refuses blocks whose timestamps would go beyond the last one that is possible.
func (c *Chain) checkSpan(blocks uint64, apart spacing) error {
	moves := blocks - 1 // the first block takes the next timestamp
	if apart.clock {
		moves = blocks
	}
	from, step := max(c.nextTime(), c.clock()), max(apart.step, c.settings.Load().step, 1)
	if left := max(from, maxTimestamp) - from; moves > left/step {
		return invalid("expected blocks times seconds of at most %d, with which timestamps stay up to %d, got %d times %d",
			left, maxTimestamp, blocks, step)
	}
	return nil
}

// mine seals blocks, all but the last ones with stand-ins for seals. It returns when they are in the chain and on disk,
// or when ctx ends. The lock is held.
func (c *Chain) mine(ctx context.Context, blocks uint64, apart spacing) error {
	if blocks > maxMined {
		return invalid("expected at most %d blocks, got %d: call the method again for more", maxMined, blocks)
	}
	if blocks == 0 {
		return nil
	}
	if err := c.checkSpan(blocks, apart); err != nil {
		return err
	}
	defer c.hasty.Store(false)
	first := true
	timestamp := func(parent uint64) uint64 {
		if apart.clock {
			c.advance(parent, apart.step)
		} else if apart.step != 0 && !first {
			return parent + apart.step
		}
		return c.nextTimeAfter(parent)
	}
	for left := blocks; left > 0; first = false {
		c.hasty.Store(left > sealedLast)
		if err := ctx.Err(); err != nil {
			return errors.Join(fmt.Errorf("%d of %d blocks were mined: %w", blocks-left, blocks, err), c.chain.AnnounceHead())
		}
		if left > sealedLast && !first {
			made, err := c.repeat(left-sealedLast, timestamp)
			if err != nil {
				return errors.Join(err, c.chain.AnnounceHead())
			}
			if left -= made; made > 0 {
				continue
			}
		}
		if _, err := c.seal(timestamp(c.chain.CurrentBlock().Time), true); err != nil {
			return errors.Join(err, c.chain.AnnounceHead())
		}
		left--
	}
	c.advance(c.chain.CurrentBlock().Time, 0)
	return nil
}
