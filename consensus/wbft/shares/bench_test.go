// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package shares

import (
	"context"
	"fmt"
	"net"
	"net/rpc"
	"path/filepath"
	"testing"
	"time"

	"gwon/consensus/wbft/bls"
	"gwon/consensus/wbft/internal/scheme"
	"gwon/consensus/wbft/messages"
	"gwon/consensus/wbft/signer"
	"gwon/consensus/wbft/signing"
	"gwon/consensus/wbft/votelog"
)

// quickDisk syncs nothing, so that a benchmark shows all but the disk.
type quickDisk struct{ votelog.OS }

type quickFile struct{ votelog.File }

// Sync implements votelog.File.
func (quickFile) Sync() error { return nil }

// Create implements votelog.Disk.
func (d quickDisk) Create(path string) (votelog.File, error) {
	f, err := d.OS.Create(path)
	return quickFile{f}, err
}

// Open implements votelog.Disk.
func (d quickDisk) Open(path string) (votelog.File, error) {
	f, err := d.OS.Open(path)
	return quickFile{f}, err
}

// Remote is a cosigner behind net/rpc, for the benchmark alone.
type Remote struct{ cosigner *Cosigner }

// Approve is Cosigner.Approve.
func (r Remote) Approve(request *Request, part *[]byte) (err error) {
	*part, err = r.cosigner.Approve(request)
	return err
}

// socket is the way to a Remote.
type socket struct {
	way
	client *rpc.Client
}

// Approve implements Endpoint.
func (s *socket) Approve(_ context.Context, r *Request) (part []byte, err error) {
	return part, s.client.Call("Remote.Approve", r, &part)
}

// dial serves a cosigner at a socket and connects to it.
func (b *bed) dial(t *testing.B, i int) *socket {
	path := filepath.Join(b.dir, fmt.Sprint("s", i))
	listener, err := net.Listen("unix", path)
	must(t, err)
	server := rpc.NewServer()
	must(t, server.Register(Remote{b.cosigners[i]}))
	go func() {
		if conn, err := listener.Accept(); err == nil {
			server.ServeConn(conn)
		}
	}()
	client, err := rpc.Dial("unix", path)
	must(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	t.Cleanup(func() { _ = client.Close() })
	return &socket{way: way{bed: b, index: i}, client: client}
}

// BenchmarkVote is a PREPARE signed by keys of this process, by gwon-signer at a socket, and by two of three cosigners
// at sockets. All vote logs are on one disk, and all processes are this one.
func BenchmarkVote(b *testing.B) {
	for name, disk := range map[string]votelog.Disk{"disk": votelog.OS{}, "no disk": quickDisk{}} {
		b.Run(name+"/own key", func(b *testing.B) { ownKey(b, disk) })
		b.Run(name+"/one signer", func(b *testing.B) { oneSigner(b, disk) })
		b.Run(name+"/two of three", func(b *testing.B) { twoOfThree(b, disk) })
	}
}

func openLog(b *testing.B, bed *bed, disk votelog.Disk) *votelog.Log {
	votes, err := votelog.OpenOn(disk, filepath.Join(bed.dir, "own.log"), bed.owner)
	must(b, err)
	return votes
}

func ownKey(b *testing.B, disk votelog.Disk) {
	bed := newBed(b, b.TempDir(), files)
	votes := openLog(b, bed, disk)
	sequence := uint64(0)
	for b.Loop() {
		sequence++
		in := intent(messages.CodePrepare, sequence, 0, 1)
		must(b, signing.WithKeys(bed.key, bed.seals)(in))
		must(b, votes.Write([]votelog.Record{{
			Code: messages.CodePrepare, Sequence: sequence, Digest: signing.Subject(in.Message), Payload: in.Message.Encode(),
		}}, nil))
		votes.Prune(sequence)
	}
}

func oneSigner(b *testing.B, disk votelog.Disk) {
	bed := newBed(b, b.TempDir(), files)
	votes := openLog(b, bed, disk)
	server, err := signer.NewServer(signer.ServerConfig{Key: bed.key, Owner: bed.owner, Votes: votes})
	must(b, err)
	listener, err := signer.ListenSocket(filepath.Join(bed.dir, "s"))
	must(b, err)
	go server.Serve(b.Context(), listener) //nolint:errcheck // it ends with the benchmark
	c, err := signer.NewClient(b.Context(),
		signer.ClientConfig{Address: filepath.Join(bed.dir, "s"), Patience: time.Minute})
	must(b, err)
	defer c.Close() //nolint:errcheck // the benchmark is over
	sequence := uint64(0)
	for b.Loop() {
		sequence++
		must(b, c.Sign(intent(messages.CodePrepare, sequence, 0, 1)))
		votes.Prune(sequence - 1)
	}
}

func twoOfThree(b *testing.B, disk votelog.Disk) {
	bed := newBed(b, b.TempDir(), func(int) votelog.Disk { return disk })
	cfg := Config{Owner: bed.owner, Key: bed.key, Seals: bed.seals.PublicKey(), Threshold: 2, Timeout: time.Minute}
	for i, share := range bed.shares {
		cfg.Members = append(cfg.Members,
			Member{Index: share.Index, Public: share.Key.PublicKey(), Endpoint: bed.dial(b, i)})
	}
	c, err := NewCommittee(cfg)
	must(b, err)
	sequence := uint64(0)
	for b.Loop() {
		sequence++
		must(b, c.Sign(intent(messages.CodePrepare, sequence, 0, 1)))
		if sequence%64 == 0 {
			for _, cosigner := range bed.cosigners {
				must(b, cosigner.Prune(sequence))
			}
		}
	}
	c.Close()
}

// BenchmarkParts is what the curve costs a node: to put two parts together, to verify the seal, and to find the wrong
// part if that fails. A seal of the whole key is the measure.
func BenchmarkParts(b *testing.B) {
	bed := newBed(b, b.TempDir(), files)
	message := make([]byte, 32)
	var parts []scheme.Part
	for _, share := range bed.shares[:2] {
		seal, err := scheme.ParseSignature(share.Key.Sign(message))
		must(b, err)
		parts = append(parts, scheme.Part{Index: share.Index, Seal: seal})
	}
	whole, err := scheme.Combine(parts)
	must(b, err)
	for name, f := range map[string]func(){
		"seal":    func() { bed.seals.Sign(message) },
		"combine": func() { _, _ = scheme.Combine(parts) },
		"verify":  func() { bls.Verify(bed.seals.PublicKey(), message, whole) },
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				f()
			}
		})
	}
}
