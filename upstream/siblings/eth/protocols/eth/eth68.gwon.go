// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package eth

import (
	"errors"
	"fmt"
	"math/big"
	"slices"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/forkid"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/p2p"
	"github.com/ethereum/go-ethereum/params"
	"github.com/ethereum/go-ethereum/rlp"
)

// ETH68 is the only version an Anzeon chain speaks: the last one with block propagation and total difficulty
// (spec network 2 and 5 no. 1).
const ETH68 = 68

// Length68 is the number of messages: 0x00 to 0x10.
const Length68 = 17

func init() {
	ProtocolVersions = append(ProtocolVersions, ETH68)
	protocolLengths[ETH68] = Length68
}

// MaxTotalDifficultyBits bounds every total difficulty a peer may claim (spec network 2.1).
const MaxTotalDifficultyBits = 100

// MaxMessage bounds a message in bytes (spec network 2.1, 2.3).
const MaxMessage = maxMessageSize

// ErrForkID is the error of a handshake with a peer whose fork id does not fit (spec network 2.1).
var ErrForkID = errForkIDRejected

// IsForeign reports whether a handshake failed because the peer's network is another one, by its ID, genesis or forks.
func IsForeign(err error) bool {
	return errors.Is(err, errNetworkIDMismatch) || errors.Is(err, errGenesisMismatch) || errors.Is(err, errForkIDRejected)
}

var errTotalDifficulty = errors.New("total difficulty is missing or longer than 100 bits")

// StatusPacket68 is the first message in both directions (spec network 2.1).
type StatusPacket68 struct {
	ProtocolVersion uint32
	NetworkID       uint64
	TD              *big.Int    // total difficulty of Head: that of genesis plus the number of Head
	Head            common.Hash // newest block whose state is present
	Genesis         common.Hash
	ForkID          forkid.ID
}

// Name implements Packet.
func (*StatusPacket68) Name() string { return "Status" }

// Kind implements Packet.
func (*StatusPacket68) Kind() byte { return StatusMsg }

// BlockAnnouncement is one item of a NewBlockHashesPacket.
type BlockAnnouncement struct {
	Hash   common.Hash
	Number uint64
}

// NewBlockHashesPacket announces blocks that the receiver may fetch (spec network 2.2, message 0x01).
type NewBlockHashesPacket []BlockAnnouncement

// Name implements Packet.
func (*NewBlockHashesPacket) Name() string { return "NewBlockHashes" }

// Kind implements Packet.
func (*NewBlockHashesPacket) Kind() byte { return NewBlockHashesMsg }

// NewBlockPacket carries a whole block with its seals (spec network 2.2, message 0x07). The block is still encoded: the
// backend judges its header before it decodes transactions, of which ten bytes become 400 in memory.
type NewBlockPacket struct {
	Block rlp.RawValue
	TD    *big.Int // total difficulty of Block, its own difficulty included
}

// Name implements Packet.
func (*NewBlockPacket) Name() string { return "NewBlock" }

// Kind implements Packet.
func (*NewBlockPacket) Kind() byte { return NewBlockMsg }

func checkTotalDifficulty(td *big.Int) error {
	if td == nil || td.BitLen() > MaxTotalDifficultyBits {
		return errTotalDifficulty
	}
	return nil
}

// eth68 has no BlockRangeUpdate: code 0x11 lies beyond the length of the protocol.
var eth68 = map[uint64]msgHandler{
	NewBlockHashesMsg:             atMost("NewBlockHashes", maxBlocksAnnounced, handleNewBlockHashes),
	TransactionsMsg:               handleTransactions68,
	GetBlockHeadersMsg:            atMost("GetBlockHeaders", maxQuery, handleGetBlockHeaders),
	BlockHeadersMsg:               handleBlockHeaders68,
	GetBlockBodiesMsg:             atMost("GetBlockBodies", maxQuery, handleGetBlockBodies68),
	BlockBodiesMsg:                handleBlockBodies68,
	NewBlockMsg:                   handleNewBlock,
	NewPooledTransactionHashesMsg: atMost("NewPooledTransactionHashes", maxAnnounced, handleNewPooledTransactionHashes),
	GetPooledTransactionsMsg:      atMost("GetPooledTransactions", maxQuery, handleGetPooledTransactions),
	PooledTransactionsMsg:         atMost("PooledTransactions", maxPooledTransactions, handlePooledTransactions),
	GetReceiptsMsg:                atMost("GetReceipts", maxQuery, handleGetReceipts68),
	ReceiptsMsg:                   handleReceipts68,
}

// offeredVersions returns the versions a node of the chain announces: 68 alone on an Anzeon chain, upstream's own on
// others.
func offeredVersions(config *params.ChainConfig) []uint {
	if config.IsAnzeon() {
		return []uint{ETH68}
	}
	return slices.DeleteFunc(slices.Clone(ProtocolVersions), func(v uint) bool { return v == ETH68 })
}

func handleNewBlockHashes(backend Backend, msg Decoder, peer *Peer) error {
	packet := new(NewBlockHashesPacket)
	if err := msg.Decode(packet); err != nil {
		return fmt.Errorf("NewBlockHashes: %w", err)
	}
	return backend.Handle(peer, packet)
}

func handleNewBlock(backend Backend, msg Decoder, peer *Peer) error {
	packet := new(NewBlockPacket)
	if err := msg.Decode(packet); err != nil {
		return fmt.Errorf("NewBlock: %w", err)
	}
	if err := checkTotalDifficulty(packet.TD); err != nil {
		return fmt.Errorf("NewBlock: %w", err)
	}
	return backend.Handle(peer, packet)
}

// currentBlocker is implemented by block chains beyond forkid.Blockchain. After a crash the newest header may be ahead
// of the newest block with state, and only the latter may be claimed.
type currentBlocker interface{ CurrentBlock() *types.Header }

// handshake68 exchanges Status messages within five seconds and checks that of the peer (spec network 2.1).
func (p *Peer) handshake68(networkID uint64, chain forkid.Blockchain) error {
	genesis, head := chain.Genesis(), chain.CurrentHeader()
	if c, ok := chain.(currentBlocker); ok {
		head = c.CurrentBlock()
	}
	var (
		status = StatusPacket68{
			ProtocolVersion: ETH68,
			NetworkID:       networkID,
			TD:              new(big.Int).Add(genesis.Difficulty(), head.Number),
			Head:            head.Hash(),
			Genesis:         genesis.Hash(),
			ForkID:          forkid.NewID(chain.Config(), genesis, head.Number.Uint64(), head.Time),
		}
		theirs = new(StatusPacket68)
		filter = forkid.NewFilter(chain)
		errc   = make(chan error, 2)
	)
	go func() { errc <- p2p.Send(p.rw, StatusMsg, &status) }()
	go func() { errc <- p.readStatus68(theirs, &status, filter) }()
	err := waitForHandshake(errc, p)
	if err == nil {
		p.rw = &greeted{p.rw, theirs}
	}
	return err
}

// greeted is the connection of a peer after the handshake, with its Status: a Peer has no field for it.
type greeted struct {
	p2p.MsgReadWriter
	status *StatusPacket68
}

// readStatus68 reads the peer's Status and compares it with ours.
func (p *Peer) readStatus68(status, ours *StatusPacket68, filter forkid.Filter) error {
	if err := p.readStatusMsg(status); err != nil {
		return err
	}
	switch {
	case status.NetworkID != ours.NetworkID:
		return fmt.Errorf("%w: %d at the peer, %d here", errNetworkIDMismatch, status.NetworkID, ours.NetworkID)
	case status.ProtocolVersion != ETH68:
		return fmt.Errorf("%w: %d (!= %d)", errProtocolVersionMismatch, status.ProtocolVersion, ETH68)
	case status.Genesis != ours.Genesis:
		return fmt.Errorf("%w: %#x at the peer, %#x here", errGenesisMismatch, status.Genesis, ours.Genesis)
	}
	if err := filter(status.ForkID); err != nil {
		return fmt.Errorf("%w: %w", errForkIDRejected, err)
	}
	return checkTotalDifficulty(status.TD)
}

// Status68 returns the peer's Status, or nil before the handshake and on other versions. It must not be changed.
func (p *Peer) Status68() *StatusPacket68 {
	if c, ok := p.rw.(*greeted); ok {
		return c.status
	}
	return nil
}

// SendNewBlock sends a whole block. It blocks until the message is written, so it wants a goroutine of the peer's own.
func (p *Peer) SendNewBlock(block *types.Block, td *big.Int) error {
	return p2p.Send(p.rw, NewBlockMsg, []any{block, td})
}

// SendNewBlockHashes announces blocks. It blocks like SendNewBlock. The lists are parallel.
func (p *Peer) SendNewBlockHashes(hashes []common.Hash, numbers []uint64) error {
	if len(hashes) != len(numbers) {
		return fmt.Errorf("announcing blocks: %d hashes but %d numbers", len(hashes), len(numbers))
	}
	packet := make(NewBlockHashesPacket, len(hashes))
	for i := range hashes {
		packet[i] = BlockAnnouncement{hashes[i], numbers[i]}
	}
	return p2p.Send(p.rw, NewBlockHashesMsg, packet)
}
