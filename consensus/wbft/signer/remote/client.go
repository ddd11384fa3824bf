// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package remote

import (
	"context"
	"crypto/ecdsa"
	"crypto/rand"
	"errors"
	"fmt"
	"math/big"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/log"
	"github.com/ethereum/go-ethereum/metrics"
	"github.com/ethereum/go-ethereum/rlp"

	"gwon/consensus/wbft/messages"
	"gwon/consensus/wbft/signer/wire"
	"gwon/consensus/wbft/signing"
)

const (
	stateTimeout = 30 * time.Second // of a request at the start, which may answer with megabytes

	// refusalPatience is the time in which a signer has to notice the end of an earlier process of the node.
	refusalPatience = 3 * time.Second

	firstPause = 50 * time.Millisecond // between two attempts to connect
	lastPause  = 5 * time.Second
)

var (
	awayGauge    = metrics.NewRegisteredGauge("wbft/signer/away", nil)
	refusedMeter = metrics.NewRegisteredMeter("wbft/signer/refused", nil)
	signTimer    = metrics.NewRegisteredTimer("wbft/signer/sign", nil)
)

// Log messages of a node whose signer cannot be reached, or answers and signs nothing for this node.
const (
	AwayMessage    = "THIS VALIDATOR SIGNS NOTHING: ITS SIGNER CANNOT BE REACHED"
	RefusedMessage = "THIS VALIDATOR SIGNS NOTHING: ITS SIGNER REFUSES"
)

// ClientConfig holds the settings of a Client.
type ClientConfig struct {
	Address     string            // path of a socket, or host and port
	Credentials *wire.Credentials // for host and port
	// Patience is the time in which the first connection has to succeed.
	Patience time.Duration
	// Dial replaces the connection to Address, for simulations; nil for none.
	Dial func() (net.Conn, error)
}

// Client is the key of a node in a signer. It connects again by itself. It is safe for concurrent use.
type Client struct {
	cfg      ClientConfig
	instance [wire.InstanceSize]byte
	identity wire.Identity
	public   *ecdsa.PublicKey
	address  common.Address

	votes, peers *link
	log          *remoteVotes // nil until OpenVotes
	logMu        sync.Mutex

	released atomic.Pointer[wire.Refusal] // for as long as the process lives: a restart of the signer forgets it

	cancel  context.CancelFunc
	workers sync.WaitGroup
}

// link is one connection to the signer, with one request at a time.
type link struct {
	client *Client
	role   uint64
	away   atomic.Pointer[failure] // why there is no connection
	lost   chan struct{}           // wakes the goroutine that connects

	turn chan struct{} // has a token while a request, or the exchange of the connection, is under way
	conn net.Conn      // nil without a connection; of the holder of the token
}

// failure is why there is no connection. The signer has answered where it refuses, or the node refuses what it says.
type failure struct {
	err      error
	answered bool
}

func (c *Client) newLink(role uint64) *link {
	return &link{client: c, role: role, lost: make(chan struct{}, 1), turn: make(chan struct{}, 1)}
}

// take waits for the turn. Waits are for a channel and not for a mutex, so that simulated time passes meanwhile.
func (l *link) take()     { l.turn <- struct{}{} }
func (l *link) giveBack() { <-l.turn }

// NewClient connects to a signer. Close ends the client.
func NewClient(ctx context.Context, cfg ClientConfig) (*Client, error) {
	c := &Client{cfg: cfg}
	if _, err := rand.Read(c.instance[:]); err != nil {
		return nil, fmt.Errorf("draw an identifier: %w", err)
	}
	c.votes, c.peers = c.newLink(wire.RoleVotes), c.newLink(wire.RolePeers)
	first, end := context.WithTimeout(ctx, cfg.Patience)
	defer end()
	for _, l := range []*link{c.votes, c.peers} {
		if err := l.connectWithin(first, time.Now().Add(refusalPatience)); err != nil {
			if f := l.away.Load(); f != nil && !f.answered {
				question := "does its --peer name the user of this node"
				if cfg.Credentials != nil {
					question = "are the credentials here and there one pair, and is no firewall between them"
				}
				err = fmt.Errorf("%w: is gwon-signer run active, and %s?", err, question)
			}
			return nil, errors.Join(fmt.Errorf("signer at %s: %w", cfg.Address, err), c.votes.close(), c.peers.close())
		}
	}
	awayGauge.Update(0)
	running, cancel := context.WithCancel(context.Background())
	c.cancel = cancel
	for _, l := range []*link{c.votes, c.peers} {
		c.workers.Go(func() { l.keep(running) })
	}
	return c, nil
}

// Close ends the connections.
func (c *Client) Close() error {
	c.cancel()
	err := errors.Join(c.votes.close(), c.peers.close())
	c.workers.Wait()
	return err
}

// Handle returns a key that only names the signer's: it has the public key and no secret.
func (c *Client) Handle() *ecdsa.PrivateKey {
	return &ecdsa.PrivateKey{PublicKey: *c.public, D: new(big.Int)} //nolint:staticcheck // crypto.HolderOf knows it by D
}

// Address returns the address of the validator.
func (c *Client) Address() common.Address { return c.address }

// Away returns why the signer signs nothing for this node, or "".
func (c *Client) Away() string {
	switch f := c.votes.away.Load(); {
	case f == nil:
		return ""
	case f.answered:
		return "the signer answers, and nothing is signed: " + f.err.Error()
	default:
		return "the signer cannot be reached, so that nothing is signed: " + f.err.Error()
	}
}

// Sign implements wbft.Key.
func (c *Client) Sign(in signing.Intent) error {
	start := time.Now()
	r, err := wire.RequestOf(in)
	if err != nil {
		return err
	}
	out, err := ask[wire.SignAnswer](c.votes, wire.KindSign, r, wire.CallTimeout)
	if err != nil {
		return err
	}
	if err := out.PutInto(in.Message); err != nil {
		return err
	}
	if signer, err := in.Message.Signer(); err != nil || signer != c.address {
		return errors.Join(fmt.Errorf("the signer answered with a signature of %v, want one of %v", signer, c.address), err)
	}
	c.logMu.Lock()
	if c.log != nil {
		c.log.noteSigned(in)
	}
	c.logMu.Unlock()
	signTimer.UpdateSince(start)
	return nil
}

// RandaoReveal implements wbft.Key.
func (c *Client) RandaoReveal(chainID *big.Int, block uint64) ([]byte, error) {
	if !chainID.IsUint64() || chainID.Uint64() != c.identity.ChainID {
		return nil, fmt.Errorf("the signer signs for chain %d, and this one is %v", c.identity.ChainID, chainID)
	}
	out, err := ask[wire.Content](c.votes, wire.KindReveal, &wire.Number{Number: block}, wire.CallTimeout)
	if err != nil {
		return nil, err
	}
	return out.Content, nil
}

// SharedX implements crypto.Holder.
func (c *Client) SharedX(remote *ecdsa.PublicKey) (*big.Int, error) {
	point := &wire.Content{Content: crypto.FromECDSAPub(remote)}
	out, err := ask[wire.Content](c.peers, wire.KindShared, point, wire.CallTimeout)
	if err != nil {
		return nil, err
	}
	if len(out.Content) != 32 {
		return nil, fmt.Errorf("the signer answered with a secret of %d bytes, want 32", len(out.Content))
	}
	return new(big.Int).SetBytes(out.Content), nil
}

// SignRecord implements crypto.Holder.
func (c *Client) SignRecord(record []byte) ([]byte, error) { return c.signFor(wire.KindRecord, record) }

// SignPacket implements crypto.Holder.
func (c *Client) SignPacket(packet []byte) ([]byte, error) { return c.signFor(wire.KindPacket, packet) }

func (c *Client) signFor(kind uint64, b []byte) ([]byte, error) {
	out, err := ask[wire.Content](c.peers, kind, &wire.Content{Content: b}, wire.CallTimeout)
	if err != nil {
		return nil, err
	}
	if len(out.Content) != crypto.SignatureLength {
		return nil, fmt.Errorf("the signer answered with a signature of %d bytes, want %d", len(out.Content),
			crypto.SignatureLength)
	}
	return out.Content, nil
}

// ask sends a request and decodes the answer. Errors of the connection wrap signing.ErrAway.
func ask[T any](l *link, kind uint64, body any, timeout time.Duration) (*T, error) {
	raw, err := l.call(kind, body, timeout)
	if err != nil {
		return nil, err
	}
	out := new(T)
	if err := rlp.DecodeBytes(raw, out); err != nil {
		return nil, fmt.Errorf("answer of the signer: %w", err)
	}
	return out, nil
}

// call sends a request. A connection with an error is given up.
func (l *link) call(kind uint64, body any, timeout time.Duration) (rlp.RawValue, error) {
	l.take()
	defer l.giveBack()
	if l.conn == nil {
		reason := "no connection"
		if f := l.away.Load(); f != nil {
			reason = f.err.Error()
		}
		return nil, fmt.Errorf("%w: %s", signing.ErrAway, reason)
	}
	err := l.conn.SetDeadline(time.Now().Add(timeout))
	var raw rlp.RawValue
	if err == nil {
		raw, err = wire.Call(l.conn, kind, body, wire.MaxAnswer)
	}
	if err == nil || errors.As(err, new(*wire.Refusal)) {
		if err != nil {
			refusedMeter.Mark(1)
		}
		return raw, err
	}
	l.lose(err)
	return nil, fmt.Errorf("%w: %w", signing.ErrAway, err)
}

// lose gives the connection up. The caller has the turn.
func (l *link) lose(err error) {
	l.away.Store(&failure{err: err})
	_ = l.conn.Close() // it has failed already
	l.conn = nil
	if l.role == wire.RoleVotes {
		awayGauge.Update(1)
		log.Warn("Connection to the signer lost", "signer", l.client.cfg.Address, "err", err)
	}
	select {
	case l.lost <- struct{}{}:
	default:
	}
}

// keep connects again whenever the connection was lost. That of votes is tried while it is idle: a validator that waits
// signs nothing, and would not notice its end.
func (l *link) keep(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-l.lost:
		case <-time.After(lastPause):
			if l.role == wire.RoleVotes {
				_, _ = l.call(wire.KindSequence, &wire.Number{}, wire.CallTimeout) // its error leads to l.lost
			}
			continue
		}
		if err := l.connectWithin(ctx, time.Time{}); err != nil {
			return // ctx has ended
		}
		if l.role == wire.RoleVotes {
			awayGauge.Update(0)
			log.Info("Signer connected again", "signer", l.client.cfg.Address)
		}
	}
}

// connectWithin tries to connect until ctx ends, or until the signer refuses it after a time that is not zero. It
// returns the last failure then. Pauses double.
func (l *link) connectWithin(ctx context.Context, refusedAfter time.Time) error {
	told := ""
	for pause := firstPause; ; pause = min(2*pause, lastPause) {
		answered, err := l.connect()
		if err == nil {
			return nil
		}
		l.away.Store(&failure{err, answered})
		if l.role == wire.RoleVotes && refusedAfter.IsZero() {
			told = l.tell(told, answered, err)
		} else if l.role == wire.RoleVotes && pause == firstPause {
			log.Warn("Signer not reached yet, waiting", "signer", l.client.cfg.Address, "atMost", l.client.cfg.Patience,
				"err", err)
		}
		if errors.As(err, new(*wire.Refusal)) && !refusedAfter.IsZero() && time.Now().After(refusedAfter) {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(pause):
		}
	}
}

// tell logs why nothing is signed: once that the signer does not answer, and each reason of one that does. told is the
// reason before, and the result the one now.
func (l *link) tell(told string, answered bool, err error) string {
	address, reason := l.client.cfg.Address, AwayMessage
	if answered {
		reason = err.Error()
	}
	switch {
	case reason == told:
	case answered:
		log.Error(RefusedMessage, "signer", address, "err", err)
	default:
		log.Error(AwayMessage, "signer", address, "err", err, "remedy", "signing goes on when it answers again")
	}
	return reason
}

// connect makes the connection and asks for the role. answered reports whether the signer has answered, so that what
// fails needs another remedy than a connection.
func (l *link) connect() (answered bool, err error) {
	c := l.client
	if refusal := c.released.Load(); refusal != nil {
		return true, refusal
	}
	conn, err := c.dial()
	if err != nil {
		return false, err
	}
	var id wire.Identity
	if err = conn.SetDeadline(time.Now().Add(wire.CallTimeout)); err == nil {
		var raw rlp.RawValue
		h := wire.Hello{Version: wire.Version, Role: l.role, Instance: c.instance}
		if raw, err = wire.Call(conn, wire.KindHello, &h, messages.MaxSmall); err == nil {
			err = rlp.DecodeBytes(raw, &id)
		}
	}
	refusal, refused := errors.AsType[*wire.Refusal](err)
	if refused && strings.HasPrefix(refusal.Reason, wire.Released) {
		c.released.Store(refusal)
	}
	answered = err == nil || refused
	if err == nil {
		err = c.identify(&id)
	}
	if err == nil && l.role == wire.RoleVotes {
		err = c.checkLog(conn)
	}
	if err != nil {
		return answered, errors.Join(err, conn.Close())
	}
	l.take()
	l.conn = conn
	l.giveBack()
	l.away.Store(nil)
	return true, nil
}

// errOlderLog is wrapped by the error of a signer that has come back without votes that this node has from it.
var errOlderLog = errors.New("the vote log of the signer is an older copy")

// checkLog refuses a signer whose vote log lacks a vote that this node has from it: it could contradict that vote. A
// node that is started again waits until the votes that are lost cannot matter.
func (c *Client) checkLog(conn net.Conn) error {
	c.logMu.Lock()
	defer c.logMu.Unlock()
	if c.log == nil {
		return nil
	}
	sequence, signed := c.log.newest()
	if len(signed) == 0 {
		return nil
	}
	raw, err := wire.Call(conn, wire.KindSequence, &wire.Number{Number: sequence}, wire.MaxAnswer)
	if err != nil {
		return err
	}
	var has wire.SequenceAnswer
	if err := rlp.DecodeBytes(raw, &has); err != nil {
		return fmt.Errorf("answer of the signer: %w", err)
	}
	for _, r := range has.Records {
		delete(signed, signedKey{r.Code, r.Sequence, r.Round})
	}
	if len(signed) > 0 {
		return fmt.Errorf("%w: it lacks %d votes of sequence %d: put the newest log back, or start this node again, which "+
			"then waits (docs/operate/runbooks/votes-lost.md)", errOlderLog, len(signed), sequence)
	}
	return nil
}

func (c *Client) dial() (net.Conn, error) {
	if c.cfg.Dial != nil {
		return c.cfg.Dial()
	}
	return wire.Dial(c.cfg.Address, c.cfg.Credentials)
}

// identify takes the identity of the signer, which must stay the same.
func (c *Client) identify(id *wire.Identity) error {
	public, err := crypto.UnmarshalPubkey(id.PublicKey)
	if err != nil {
		return fmt.Errorf("key of the signer: %w", err)
	}
	if c.public == nil {
		c.public, c.address, c.identity = public, crypto.PubkeyToAddress(*public), *id
		return nil
	}
	if !public.Equal(c.public) || id.Genesis != c.identity.Genesis || id.ChainID != c.identity.ChainID {
		return fmt.Errorf("the signer is now that of validator %v: start the node again if that is meant",
			crypto.PubkeyToAddress(*public))
	}
	return nil
}

// close ends the connection.
func (l *link) close() error {
	l.take()
	defer l.giveBack()
	if l.conn == nil {
		return nil
	}
	err := l.conn.Close()
	l.conn = nil
	return err
}
