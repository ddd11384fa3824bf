// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package signer

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/binary"
	"encoding/pem"
	"errors"
	"io"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/crypto/ecies"
	"github.com/ethereum/go-ethereum/log"
	"github.com/ethereum/go-ethereum/p2p/discover/v4wire"
	"github.com/ethereum/go-ethereum/p2p/enode"
	"github.com/ethereum/go-ethereum/p2p/enr"
	"github.com/ethereum/go-ethereum/rlp"

	"gwon/consensus/wbft/bls"
	"gwon/consensus/wbft/messages"
	"gwon/consensus/wbft/signer/remote"
	"gwon/consensus/wbft/signer/wire"
	"gwon/consensus/wbft/signing"
	"gwon/consensus/wbft/votelog"
	"gwon/internal/expect"
	"gwon/internal/must"
)

// runningServer is a server at a socket.
type runningServer struct {
	*bed
	socket string
	server *Server
	cancel context.CancelFunc
	done   chan error
}

func startServer(t *testing.T) *runningServer {
	t.Helper()
	dir := t.TempDir()
	s := &runningServer{bed: newBed(t, dir, votelog.OS{}), socket: filepath.Join(dir, "s")}
	must.Do(t, s.guard.close())
	s.run(t)
	t.Cleanup(s.stop)
	return s
}

// run opens the vote log again and answers.
func (s *runningServer) run(t *testing.T) {
	t.Helper()
	votes := must.Get(votelog.Open(s.path, s.owner))(t)
	s.server = must.Get(NewServer(ServerConfig{Key: s.key, Owner: s.owner, Votes: votes}))(t)
	listener := must.Get(ListenSocket(s.socket))(t)
	var ctx context.Context
	ctx, s.cancel = context.WithCancel(context.Background())
	s.done = make(chan error, 1)
	go func(server *Server) { s.done <- server.Serve(ctx, listener) }(s.server)
}

// serveTLS answers over TLS too until the test ends, and returns the address.
func (s *runningServer) serveTLS(t *testing.T, own *wire.Credentials) (address string) {
	t.Helper()
	listener := must.Get(listenTLS("127.0.0.1:0", own, time.Minute))(t)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- s.server.Serve(ctx, listener) }()
	t.Cleanup(func() {
		cancel()
		must.Do(t, <-done)
	})
	return listener.(*pinned).Addr().String()
}

func (s *runningServer) stop() {
	if s.server == nil {
		return
	}
	s.cancel()
	if err := errors.Join(<-s.done, s.server.Close()); err != nil {
		s.t.Fatal(err)
	}
	s.server = nil
}

func (s *runningServer) client(t *testing.T) *remote.Client {
	t.Helper()
	c := must.Get(remote.NewClient(t.Context(), remote.ClientConfig{Address: s.socket, Patience: time.Minute}))(t)
	t.Cleanup(func() { must.Do(t, c.Close()) })
	return c
}

// await waits until a condition holds, within a minute.
func await(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !holds(); time.Sleep(time.Millisecond) {
		must.That(t, !time.Now().After(end), "not within a minute: %s", what)
	}
}

// A node without a key signs what a node with the key would, and opens the vote log that it finds at the signer.
func TestClientSigns(t *testing.T) {
	s := startServer(t)
	c := s.client(t)
	votes := must.Get(c.OpenVotes(s.owner))(t)
	secret := must.Get(bls.DeriveKey(s.key))(t)
	asked, own := intent(messages.CodeCommit, 20, 0, 1), intent(messages.CodeCommit, 20, 0, 1)
	asked.Lock = []byte("certificate")
	must.Do(t, c.Sign(asked))
	must.Do(t, signing.WithKeys(s.key, secret)(own))
	expect.That(t, string(asked.Message.Encode()) == string(own.Message.Encode()),
		"%x, want %x", asked.Message.Encode(), own.Message.Encode())
	must.Do(t, votes.Write(
		[]votelog.Record{{Code: messages.CodeCommit, Sequence: 20, Digest: signing.Subject(own.Message)}},
		[]votelog.Lock{{Sequence: 20, Certificate: asked.Lock}},
	))
	expect.That(t, votes.Knows(20) && !votes.Knows(21), "the log does not know what was signed")
	must.Do(t, votes.SetOrigin(votelog.Origin{Since: 7}))

	again := must.Get(c.OpenVotes(s.owner))(t)
	found := again.Sequences()
	if len(found) != 1 || len(found[0].Records) != 1 || found[0].Lock == nil ||
		string(found[0].Lock.Certificate) != "certificate" ||
		string(found[0].Records[0].Payload) != string(own.Message.Encode()) || again.Origin().Since != 7 {
		t.Errorf("found %+v, origin %+v", found, again.Origin())
	}
	var refusal *wire.Refusal
	err := c.Sign(intent(messages.CodeCommit, 20, 0, 2))
	expect.That(t, errors.As(err, &refusal) && !errors.Is(err, signing.ErrAway), "contradiction: %v", err)
	s.owner.ChainID++
	expect.Says(t, expect.Err(c.OpenVotes(s.owner)), "--validator.signer of the right", "vote log of another chain")
}

// The reveal of a block is the key's.
func TestClientReveals(t *testing.T) {
	s := startServer(t)
	c := s.client(t)
	reveal := must.Get(c.RandaoReveal(big.NewInt(8283), 5))(t)
	want := must.Get(s.server.guard.reveal(5))(t)
	expect.That(t, string(reveal) == string(want), "%x, want %x", reveal, want)
	expect.Refused(t, expect.Err(c.RandaoReveal(big.NewInt(8282), 5)), "a reveal of another chain")
}

// A handle of the key makes handshakes, node records and packets as the key does.
// spec: network 2.1
func TestHandle(t *testing.T) {
	s := startServer(t)
	c := s.client(t)
	crypto.SetHolder(c)
	handle := c.Handle()
	remote := must.Get(crypto.GenerateKey())(t)

	shared := must.Get(ecies.ImportECDSA(handle).GenerateShared(ecies.ImportECDSAPublic(&remote.PublicKey), 16, 16))(t)
	want := must.Get(ecies.ImportECDSA(s.key).GenerateShared(ecies.ImportECDSAPublic(&remote.PublicKey), 16, 16))(t)
	expect.That(t, string(shared) == string(want), "shared secret %x, want %x", shared, want)
	secret := must.Get(ecies.Encrypt(zeros{}, ecies.ImportECDSAPublic(&handle.PublicKey), []byte("hello"), nil, nil))(t)
	text, err := ecies.ImportECDSA(handle).Decrypt(secret, nil, nil)
	expect.That(t, err == nil && string(text) == "hello", "decrypted %q: %v", text, err)

	var record enr.Record
	record.Set(enr.TCP(30303))
	must.Do(t, enode.SignV4(&record, handle))
	expect.Error(t, expect.Err(enode.New(enode.ValidSchemes, &record)), nil, "node record")
	packet, _, err := v4wire.Encode(handle, &v4wire.Findnode{Expiration: 1})
	must.Do(t, err)
	_, from, _, err := v4wire.Decode(packet)
	expect.That(t, err == nil && from == v4wire.EncodePubkey(&s.key.PublicKey), "packet of %x: %v", from, err)

	// Without the signer the last record stays, and everything else fails.
	s.stop()
	await(t, "a packet that cannot be signed", func() bool {
		_, _, err := v4wire.Encode(handle, &v4wire.Findnode{Expiration: 1})
		return errors.Is(err, signing.ErrAway)
	})
	var next enr.Record
	next.SetSeq(9)
	must.Do(t, enode.SignV4(&next, handle))
	node, err := enode.New(enode.ValidSchemes, &next)
	expect.That(t, err == nil && node.TCP() == 30303, "record without the signer: %v, %v", node, err)
	_, err = ecies.ImportECDSA(handle).GenerateShared(ecies.ImportECDSAPublic(&remote.PublicKey), 16, 16)
	expect.That(t, err != nil, "a secret without the signer")
}

type zeros struct{}

func (zeros) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = 1
	}
	return len(b), nil
}

// A signer that cannot write its vote log is away: the node goes on without it, says why, and signs again when the
// signer has been started again.
func TestSignerWithoutDiskIsAway(t *testing.T) {
	s := startServer(t)
	c := s.client(t)
	votes := must.Get(c.OpenVotes(s.owner))(t)
	must.Do(t, c.Sign(intent(messages.CodePrepare, 20, 0, 1)))
	must.Do(t, s.server.guard.votes.Close()) // a write fails from now on
	expect.Error(t, c.Sign(intent(messages.CodeCommit, 20, 0, 1)), signing.ErrAway, "COMMIT")
	lock := votelog.Lock{Sequence: 20, Certificate: []byte("c")}
	expect.Error(t, votes.Write(nil, []votelog.Lock{lock}), signing.ErrAway, "lock")
	await(t, "the reason", func() bool { return strings.Contains(c.Away(), "until gwon-signer is started again") })
	status, err := Ask(s.socket)
	expect.That(t, err == nil && strings.Contains(status.Broken, "mend the disk"), "status %+v, %v", status, err)
	s.stop()
	s.run(t)
	await(t, "a signature", func() bool { return c.Sign(intent(messages.CodeCommit, 20, 0, 1)) == nil })
}

// A lock of a sequence in which the signer has signed nothing is not kept, and does not end the node.
func TestLockWithoutMessage(t *testing.T) {
	s := startServer(t)
	votes := must.Get(s.client(t).OpenVotes(s.owner))(t)
	lock := votelog.Lock{Sequence: 20, Certificate: []byte("c")}
	expect.Error(t, votes.Write(nil, []votelog.Lock{lock}), signing.ErrAway, "Write")
}

// A signer that ends is connected again by itself, and knows what it has signed before.
func TestClientConnectsAgain(t *testing.T) {
	s := startServer(t)
	c := s.client(t)
	must.Do(t, c.Sign(intent(messages.CodePrepare, 20, 0, 1)))
	s.stop()
	if err := c.Sign(intent(messages.CodePrepare, 21, 0, 1)); !errors.Is(err, signing.ErrAway) || c.Away() == "" {
		t.Errorf("without a signer: %v, away %q", err, c.Away())
	}
	s.run(t)
	await(t, "a signature", func() bool { return c.Sign(intent(messages.CodePrepare, 21, 0, 1)) == nil })
	expect.Equal(t, c.Away(), "", "away")
	var refusal *wire.Refusal
	err := c.Sign(intent(messages.CodePrepare, 20, 0, 2))
	expect.That(t, errors.As(err, &refusal), "contradiction of an earlier process: %v", err)
}

// A signer that comes back with an older copy of its vote log signs nothing for a node that has a vote which the copy
// lacks, and says what to do. With the newest log it signs again.
func TestOlderVoteLogIsNamed(t *testing.T) {
	s := startServer(t)
	c := s.client(t)
	must.Get(c.OpenVotes(s.owner))(t)
	must.Do(t, c.Sign(intent(messages.CodeCommit, 20, 0, 1)))
	copyLog := func(from, to string) {
		content := must.Get(os.ReadFile(from))(t)
		must.Do(t, os.WriteFile(to, content, 0o600))
	}
	older, newest := s.path+".older", s.path+".newest"
	copyLog(s.path, older)
	must.Do(t, c.Sign(intent(messages.CodeCommit, 21, 0, 1)))
	s.stop()
	copyLog(s.path, newest)
	copyLog(older, s.path)
	s.run(t)
	signs := func(block byte) error { return c.Sign(intent(messages.CodeCommit, 21, 0, block)) }
	await(t, "the older log is named", func() bool {
		err := signs(2)
		return err != nil && strings.Contains(err.Error(), "an older copy: it lacks 1 votes of sequence 21")
	})
	expect.Error(t, signs(2), signing.ErrAway, "a vote that may contradict one of sequence 21")
	s.stop()
	copyLog(newest, s.path)
	s.run(t)
	await(t, "the newest log is taken", func() bool { return signs(1) == nil })
}

// One node has the right to sign. Another one gets it when the first has ended, or when the operator takes it away.
func TestOneNodeSigns(t *testing.T) {
	s := startServer(t)
	first := s.client(t)
	_, err := remote.NewClient(t.Context(), remote.ClientConfig{Address: s.socket, Patience: time.Second})
	expect.That(t, err != nil && strings.Contains(err.Error(), "another node has the right to sign"),
		"second node: %v", err)
	status := must.Get(Ask(s.socket))(t)
	expect.That(t, strings.Contains(status.Node, "process") && status.Address == s.owner.Validator.Hex(),
		"status %+v", status)
	must.Do(t, Release(s.socket))
	second := s.client(t)
	must.Do(t, second.Sign(intent(messages.CodePrepare, 20, 0, 1)))
	await(t, "the first node knows why", func() bool {
		return errors.Is(first.Sign(intent(messages.CodePrepare, 20, 0, 1)), signing.ErrAway) &&
			strings.Contains(first.Away(), "was taken from this process")
	})
}

// A node on another machine has the certificate of the credentials, and another certificate is refused.
func TestTLS(t *testing.T) {
	s := startServer(t)
	dir, foreign := t.TempDir(), t.TempDir()
	node := must.Get(WriteCredentials(dir))(t)
	stranger := must.Get(WriteCredentials(foreign))(t)
	own := must.Get(wire.ReadCredentials(dir))(t)
	address := s.serveTLS(t, own)
	credentials := must.Get(wire.ReadCredentials(node))(t)
	c, err := remote.NewClient(t.Context(),
		remote.ClientConfig{Address: address, Credentials: credentials, Patience: time.Minute})
	must.Do(t, err)
	must.Do(t, c.Sign(intent(messages.CodePrepare, 20, 0, 1)))
	must.Do(t, c.Close())

	other := must.Get(wire.ReadCredentials(stranger))(t)
	wrong := remote.ClientConfig{Address: address, Credentials: other, Patience: time.Second}
	expect.Refused(t, expect.Err(remote.NewClient(t.Context(), wrong)), "a node with other credentials")
	wrong.Credentials = nil
	expect.Refused(t, expect.Err(remote.NewClient(t.Context(), wrong)), "a node without credentials")
	must.Do(t, os.Chmod(node, 0o644)) //nolint:gosec // it is refused
	expect.Refused(t, expect.Err(wire.ReadCredentials(node)), "credentials that others can read")
}

// Strangers who only connect, from one address or many, push no node out of its handshake: neither one whose address is
// known, from which they come, nor one whose address is new. A link that exists goes on.
func TestStrangersKeepNoNodeOut(t *testing.T) {
	local := func(last byte) *net.Dialer { // each address of 127.0.0.0/8 is this machine
		return &net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, last)}}
	}
	for _, test := range []struct {
		name  string
		known bool             // the node has had a link from its address
		from  func(i int) byte // addresses of the strangers; the node has 1
	}{
		{"one address, new node", false, func(int) byte { return 2 }},
		{"some addresses, new node", false, func(i int) byte { return byte(2 + i%20) }},
		{"many addresses, known node", true, func(i int) byte { return byte(2 + i%250) }},
	} {
		t.Run(test.name, func(t *testing.T) {
			s, dir := startServer(t), t.TempDir()
			file := must.Get(WriteCredentials(dir))(t)
			own := must.Get(wire.ReadCredentials(dir))(t)
			address := s.serveTLS(t, own)
			node := must.Get(wire.ReadCredentials(file))(t)
			if test.known {
				c, err := remote.NewClient(t.Context(),
					remote.ClientConfig{Address: address, Credentials: node, Patience: time.Minute})
				must.Do(t, err)
				defer func() { must.Do(t, errors.Join(c.Sign(intent(messages.CodeCommit, 20, 0, 1)), c.Close())) }()
			}
			waiting, err := local(1).DialContext(t.Context(), "tcp", address) // its handshake has not begun
			must.Do(t, err)
			defer waiting.Close() //nolint:errcheck // the test is over
			const strangers, kept = 400, maxShaking
			ended := make(chan struct{}, strangers)
			for i := range strangers {
				c := must.Get(local(test.from(i)).DialContext(t.Context(), "tcp", address))(t)
				defer c.Close() //nolint:errcheck // the test is over
				go func() {
					_, _ = c.Read(make([]byte, 1)) // the signer ends it
					ended <- struct{}{}
				}()
			}
			for range strangers - kept {
				<-ended // so that all of them have arrived
			}
			link := tls.Client(waiting, node.Config())
			must.Do(t, link.SetDeadline(time.Now().Add(time.Minute)))
			greeting := &wire.Hello{Version: wire.Version, Role: wire.RoleVotes}
			if _, err := wire.Call(link, wire.KindHello, greeting, messages.MaxSmall); err != nil &&
				!strings.Contains(err.Error(), "another node has the right") {
				t.Errorf("the node beside strangers: %v", err)
			}
		})
	}
}

// The status has what a registration of the key needs, since the key itself is nowhere else.
func TestStatusRegisters(t *testing.T) {
	s := startServer(t)
	status := must.Get(Ask(s.socket))(t)
	key := must.Get(hexutil.Decode(status.BLS))(t)
	possession := must.Get(hexutil.Decode(status.Possession))(t)
	public := must.Get(bls.ParsePublicKey(key))(t)
	expect.That(t, bls.VerifyPossession(public, possession) && status.Address == s.owner.Validator.Hex(), "%+v", status)
}

// Connections that do not greet keep neither the node nor the operator out, and do not end those that did.
func TestSilentConnectionsMakeRoom(t *testing.T) {
	s := startServer(t)
	node := s.client(t)
	for range 3 * maxConnections {
		stranger, end := net.Pipe()
		t.Cleanup(func() { _ = stranger.Close() })
		s.server.Accept(end, Peer{Name: "stranger"})
	}
	own, end := net.Pipe()
	defer own.Close() //nolint:errcheck // the test is over
	s.server.Accept(end, Peer{Name: "operator", Operator: true})
	_, err := wire.Call(own, wire.KindHello, &wire.Hello{Version: wire.Version, Role: wire.RoleControl}, messages.MaxSmall)
	expect.That(t, err == nil, "the operator beside silent connections: %v", err)
	must.Do(t, node.Sign(intent(messages.CodePrepare, 20, 0, 1)))
}

// What no node of this version sends ends its connection, and a role has only its requests.
func TestServerRefusesFrames(t *testing.T) {
	s := startServer(t)
	greet := func(c net.Conn, role uint64) {
		must.Get(wire.Call(c, wire.KindHello, &wire.Hello{Version: wire.Version, Role: role}, messages.MaxSmall))(t)
	}
	for name, send := range map[string]func(net.Conn){
		"request before the greeting": func(c net.Conn) {
			must.Do(t, wire.WriteFrame(c, &wire.Request{Kind: wire.KindState, Body: rlp.EmptyList}))
		},
		"unknown role": func(c net.Conn) {
			_, _ = wire.Call(c, wire.KindHello, &wire.Hello{Version: wire.Version, Role: 9}, messages.MaxSmall)
		},
		"huge frame": func(c net.Conn) { _, _ = c.Write(binary.BigEndian.AppendUint32(nil, wire.MaxRequest+1)) },
		"large frame of a greeting": func(c net.Conn) {
			_, _ = c.Write(binary.BigEndian.AppendUint32(nil, messages.MaxSmall+1))
		},
		"empty frame": func(c net.Conn) { _, _ = c.Write(make([]byte, wire.HeaderSize)) },
		"not RLP":     func(c net.Conn) { _, _ = c.Write([]byte{0, 0, 0, 2, 0xff, 0xff}) },
		"vote by the role of peers": func(c net.Conn) {
			greet(c, wire.RolePeers)
			r, err := wire.RequestOf(intent(messages.CodePrepare, 20, 0, 1))
			must.Do(t, err)
			_, err = wire.Call(c, wire.KindSign, r, messages.MaxSmall)
			expect.Refused(t, err, "signed")
		},
		"bytes behind a body": func(c net.Conn) {
			greet(c, wire.RoleVotes)
			must.Do(t, wire.WriteFrame(c, &struct{ A, B, C uint64 }{wire.KindState, 1, 2}))
		},
	} {
		t.Run(name, func(t *testing.T) {
			c := must.Get(net.Dial("unix", s.socket))(t)
			defer c.Close() //nolint:errcheck // the test is over
			send(c)
			must.Do(t, c.SetReadDeadline(time.Now().Add(time.Minute)))
			if n, err := c.Read(make([]byte, 1)); !errors.Is(err, io.EOF) && !errors.Is(err, net.ErrClosed) &&
				!strings.Contains(err.Error(), "reset") {
				t.Errorf("the connection goes on: %d bytes, %v", n, err)
			}
		})
	}
	status, err := Ask(s.socket)
	expect.That(t, err == nil && status.Signed == 0, "status %+v, %v", status, err)
}

// liar is a signer that answers the greeting and then lies.
func liar(t *testing.T, lie func(net.Conn)) *remote.Client {
	t.Helper()
	key := must.Get(crypto.GenerateKey())(t)
	socket := filepath.Join(t.TempDir(), "s")
	listener := must.Get(net.Listen("unix", socket))(t)
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			c, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close() //nolint:errcheck // a double
				var header [wire.HeaderSize]byte
				for greeted := false; ; greeted = true {
					if _, err := io.ReadFull(c, header[:]); err != nil {
						return
					}
					if err := wire.ReadFrame(c, header, wire.MaxRequest, new(wire.Request)); err != nil {
						return
					}
					if greeted {
						lie(c)
						return
					}
					body, err := rlp.EncodeToBytes(&wire.Identity{PublicKey: crypto.FromECDSAPub(&key.PublicKey), ChainID: 8283})
					if err != nil || wire.WriteFrame(c, &wire.Answer{Body: body}) != nil {
						return
					}
				}
			}()
		}
	}()
	c := must.Get(remote.NewClient(t.Context(), remote.ClientConfig{Address: socket, Patience: time.Minute}))(t)
	t.Cleanup(func() { must.Do(t, c.Close()) })
	return c
}

// A signer that lies costs a request, and gets no message with a wrong signature out of the node.
func TestClientOfALiar(t *testing.T) {
	answerWith := func(body any) func(net.Conn) {
		return func(c net.Conn) {
			encoded, err := rlp.EncodeToBytes(body)
			if err == nil {
				err = wire.WriteFrame(c, &wire.Answer{Body: encoded})
			}
			expect.That(t, err == nil, "%v", err)
		}
	}
	for name, lie := range map[string]func(net.Conn){
		"ends":              func(net.Conn) {},
		"half a header":     func(c net.Conn) { _, _ = c.Write([]byte{0, 0}) },
		"half a frame":      func(c net.Conn) { _, _ = c.Write([]byte{0, 0, 0, 9, 0xc0}) },
		"huge":              func(c net.Conn) { _, _ = c.Write([]byte{0xff, 0xff, 0xff, 0xff}) },
		"not RLP":           func(c net.Conn) { _, _ = c.Write([]byte{0, 0, 0, 1, 0xff}) },
		"silent":            func(c net.Conn) { _, _ = io.Copy(io.Discard, c) },
		"wrong body":        answerWith(&wire.Number{Number: 7}),
		"short seal":        answerWith(&wire.SignAnswer{Seal: make([]byte, 3), Signature: make([]byte, 65)}),
		"short signature":   answerWith(&wire.SignAnswer{Seal: make([]byte, 96), Signature: make([]byte, 3)}),
		"foreign signature": answerWith(&wire.SignAnswer{Seal: make([]byte, 96), Signature: foreignSignature(t)}),
	} {
		t.Run(name, func(t *testing.T) {
			c := liar(t, lie)
			expect.Refused(t, c.Sign(intent(messages.CodePrepare, 20, 0, 1)), "signed")
			if _, err := c.RandaoReveal(big.NewInt(8283), 1); err == nil && name != "wrong body" && name != "short seal" {
				t.Log("a reveal is checked by the chain")
			}
		})
	}
}

func foreignSignature(t *testing.T) []byte {
	key := must.Get(crypto.GenerateKey())(t)
	return must.Get(crypto.Sign(make([]byte, 32), key))(t)
}

// A request from outside is decoded strictly or refused, and never signs what the rules forbid.
func FuzzRequest(f *testing.F) {
	for _, code := range []uint64{
		messages.CodePrePrepare, messages.CodePrepare, messages.CodeCommit, messages.CodeRoundChange,
	} {
		r := must.Get(wire.RequestOf(intent(code, 20, 0, 1)))(f)
		body := must.Get(rlp.EncodeToBytes(r))(f)
		frame := must.Get(rlp.EncodeToBytes(&wire.Request{Kind: wire.KindSign, Body: body}))(f)
		f.Add(frame)
	}
	b := newBed(f, f.TempDir(), votelog.OS{})
	s := &Server{guard: b.guard, held: make(map[uint64]*conn)}
	f.Fuzz(func(t *testing.T, frame []byte) {
		r := new(wire.Request)
		if err := rlp.DecodeBytes(frame, r); err != nil {
			return
		}
		again, err := rlp.EncodeToBytes(r)
		must.That(t, err == nil && string(again) == string(frame), "another encoding is taken: %x, %v", again, err)
		for _, role := range []uint64{wire.RoleVotes, wire.RolePeers, wire.RoleControl} {
			_, _ = s.handle(&conn{role: role}, r) // it must not panic
		}
	})
}

// BenchmarkVote is a PREPARE signed by a key of this process with its vote log, and by a signer at a socket.
func BenchmarkVote(b *testing.B) {
	b.Run("own key", func(b *testing.B) {
		bed := newBed(b, b.TempDir(), votelog.OS{})
		secret := must.Get(bls.DeriveKey(bed.key))(b)
		sequence := uint64(0)
		for b.Loop() {
			sequence++
			in := intent(messages.CodePrepare, sequence, 0, 1)
			must.Do(b, signing.WithKeys(bed.key, secret)(in))
			must.Do(b, bed.guard.votes.Write([]votelog.Record{{
				Code: messages.CodePrepare, Sequence: sequence, Digest: signing.Subject(in.Message), Payload: in.Message.Encode(),
			}}, nil))
			bed.guard.votes.Prune(sequence)
		}
	})
	b.Run("signer", func(b *testing.B) {
		dir := b.TempDir()
		bed := newBed(b, dir, votelog.OS{})
		server := &Server{
			guard: bed.guard, held: make(map[uint64]*conn), banned: make(map[[wire.InstanceSize]byte]bool),
			open: make(map[*conn]struct{}),
		}
		listener := must.Get(ListenSocket(filepath.Join(dir, "s")))(b)
		ctx, cancel := context.WithCancel(b.Context())
		go server.Serve(ctx, listener) //nolint:errcheck // it ends with the benchmark
		defer cancel()
		c := must.Get(remote.NewClient(ctx, remote.ClientConfig{Address: filepath.Join(dir, "s"), Patience: time.Minute}))(b)
		defer c.Close() //nolint:errcheck // the benchmark is over
		sequence := uint64(0)
		for b.Loop() {
			sequence++
			must.Do(b, c.Sign(intent(messages.CodePrepare, sequence, 0, 1)))
			if sequence%16 == 0 {
				bed.guard.prune(sequence)
			}
		}
	})
}

// A certificate is compared whole and its dates mean nothing, so that no validator falls silent at an end of validity.
func TestTLSWithoutDates(t *testing.T) {
	var certificates, keys [2][]byte
	for i := range keys {
		public, private, err := ed25519.GenerateKey(rand.Reader)
		must.Do(t, err)
		past := x509.Certificate{SerialNumber: big.NewInt(1), NotBefore: time.Unix(0, 0), NotAfter: time.Unix(86400, 0)}
		der := must.Get(x509.CreateCertificate(rand.Reader, &past, &past, public, private))(t)
		certificates[i] = pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
		der = must.Get(x509.MarshalPKCS8PrivateKey(private))(t)
		keys[i] = pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})
	}
	end := func(own, other int) *wire.Credentials {
		return must.Get(wire.ParseCredentials(slices.Concat(certificates[own], keys[own], certificates[other])))(t)
	}
	s := startServer(t)
	c := must.Get(remote.NewClient(t.Context(), remote.ClientConfig{
		Address: s.serveTLS(t, end(0, 1)), Credentials: end(1, 0), Patience: time.Minute}))(t)
	must.Do(t, c.Sign(intent(messages.CodePrepare, 20, 0, 1)))
	must.Do(t, c.Close())
}

// logged collects the lines of a log.
type logged struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *logged) Write(line []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(line)
}

func (l *logged) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// The log and the status name the remedy of what has ended the connection: a signer that refuses does not begin to sign
// by itself, and one that is away does.
func TestLostConnectionNamesItsRemedy(t *testing.T) {
	const alone = "signing goes on when it answers again"
	for name, row := range map[string]struct {
		end           func(*testing.T, *runningServer)
		message, says string
	}{
		"released": {func(t *testing.T, s *runningServer) { must.Do(t, Release(s.socket)) },
			remote.RefusedMessage, "start it again to ask"},
		"without disk": {func(t *testing.T, s *runningServer) { must.Do(t, s.server.guard.votes.Close()) },
			remote.RefusedMessage, "mend the disk"},
		"ended": {func(_ *testing.T, s *runningServer) { s.stop() }, remote.AwayMessage, alone},
	} {
		t.Run(name, func(t *testing.T) {
			byItself := row.says == alone
			text := new(logged)
			expect.Log(t, log.LogfmtHandler(text))
			s := startServer(t)
			c := s.client(t)
			row.end(t, s)
			await(t, "the line", func() bool {
				if !byItself { // a node that signs nothing notices an end, too
					_ = c.Sign(intent(messages.CodePrepare, 20, 0, 1))
				}
				return c.Away() != "" && strings.Contains(text.String(), row.message)
			})
			lines := text.String()
			expect.That(t, strings.Contains(lines, row.says) && strings.Contains(lines, alone) == byItself, "log: %s", lines)
			away := c.Away()
			expect.That(t, strings.Contains(away, "cannot be reached") == byItself, "away: %s", away)
		})
	}
}

// The question whether the signer runs is for one that has not answered.
func TestStartAsksWhatItDoesNotKnow(t *testing.T) {
	const question = "is gwon-signer run active, and "
	s := startServer(t)
	s.client(t)
	for socket, asks := range map[string]string{
		s.socket: "", s.socket + ".none": question + "does its --peer", "127.0.0.1:1": question + "are the credentials",
	} {
		cfg := remote.ClientConfig{Address: socket, Patience: time.Second}
		if !strings.HasPrefix(socket, s.socket) {
			cfg.Credentials = new(wire.Credentials)
		}
		_, err := remote.NewClient(t.Context(), cfg)
		if err == nil || asks == "" && strings.Contains(err.Error(), question) || !strings.Contains(err.Error(), asks) {
			t.Errorf("%s: %v", socket, err)
		}
	}
}
