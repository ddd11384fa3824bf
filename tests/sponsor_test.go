// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

//go:build nodes && unix

package tests

import (
	"bufio"
	"context"
	"crypto/ecdsa"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"math/big"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/crypto"
	gethrpc "github.com/ethereum/go-ethereum/rpc"

	"gwon/internal/expect"
	"gwon/internal/must"
)

const allPolicy = `[[key]]
label = "all"
any_target = true
value_allowed = true
max_total = "1000000 WKRC"
max_fee_per_gas = "100000000 gwei"
`

// sponsorProcess is a running gwon-pay sponsor.
type sponsorProcess struct {
	cmd   *exec.Cmd
	url   string
	ended chan error
}

var sponsorURL = regexp.MustCompile(`Sponsor started.* url=(\S+)`)

// writeSponsorConfig writes sponsor.toml with one payer of a devnet in front of node 0.
func writeSponsorConfig(t testing.TB, c *cluster, dir string, payer *ecdsa.PrivateKey, policies string) string {
	t.Helper()
	key := hex.EncodeToString(crypto.FromECDSA(payer))
	must.Do(t, os.WriteFile(filepath.Join(dir, "payer.key"), []byte(key), 0o600))
	path := filepath.Join(dir, "sponsor.toml")
	text := fmt.Sprintf("listen = \"127.0.0.1:0\"\nnode = %q\nrate_per_key = 100000.0\nrate_per_address = 100000.0\n"+
		"[[payer]]\naddress = %q\nkey_file = \"payer.key\"\n%s",
		c.node(0).HTTP(), crypto.PubkeyToAddress(payer.PublicKey).Hex(), policies)
	must.Do(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

// startSponsor starts gwon-pay sponsor and waits until it serves.
func startSponsor(t testing.TB, config string) *sponsorProcess {
	t.Helper()
	p := &sponsorProcess{
		cmd: exec.Command(programPath("gwon-pay"), "sponsor", "--config", config), ended: make(chan error, 1),
	}
	p.cmd.Env = environment(filepath.Dir(config))
	stderr := must.Get(p.cmd.StderrPipe())(t)
	must.Do(t, p.cmd.Start())
	started := make(chan string, 1)
	go func() {
		lines := bufio.NewScanner(stderr)
		for lines.Scan() {
			if m := sponsorURL.FindStringSubmatch(lines.Text()); m != nil {
				started <- m[1]
				continue
			}
			t.Log("sponsor:", lines.Text())
		}
		close(started)
		p.ended <- p.cmd.Wait()
	}()
	t.Cleanup(func() {
		if p.cmd.ProcessState == nil {
			p.kill(t)
		}
	})
	url, ok := <-started
	must.That(t, ok, "the sponsor ended before it served")
	p.url = url
	return p
}

func (p *sponsorProcess) kill(t testing.TB) {
	t.Helper()
	must.Do(t, p.cmd.Process.Kill())
	<-p.ended //nolint:errcheck // a kill ends it with an error
}

// stop ends the sponsor as an operator does.
func (p *sponsorProcess) stop(t testing.TB) {
	t.Helper()
	must.Do(t, p.cmd.Process.Signal(syscall.SIGTERM))
	expect.Error(t, <-p.ended, nil, "sponsor ended with")
}

type sponsorUsage struct {
	Spent, Reserved string
	Count           uint64
}

func (p *sponsorProcess) usage(t testing.TB) (u sponsorUsage) {
	t.Helper()
	request := must.Get(http.NewRequestWithContext(context.Background(), http.MethodGet, p.url+"/usage", nil))(t)
	response := must.Get(http.DefaultClient.Do(request))(t)
	defer func() { _ = response.Body.Close() }() // what counts is what was read
	body := must.Get(io.ReadAll(response.Body))(t)
	must.Do(t, json.Unmarshal(body, &u), string(body))
	return u
}

// feesOnChain sums what an account has paid for others, in all blocks.
func (c *cluster) feesOnChain(t testing.TB, payer common.Address) (sum *big.Int, count uint64) {
	t.Helper()
	head := get[hexutil.Uint64](t, c, 0, "eth_blockNumber")
	sum = new(big.Int)
	for n := range head + 1 {
		var receipts []struct {
			FeePayer          *common.Address
			GasUsed           hexutil.Uint64
			EffectiveGasPrice *hexutil.Big
		}
		c.must(t, 0, &receipts, "eth_getBlockReceipts", n)
		for _, r := range receipts {
			if r.FeePayer != nil && *r.FeePayer == payer {
				count++
				sum.Add(sum, new(big.Int).Mul(r.EffectiveGasPrice.ToInt(), big.NewInt(int64(r.GasUsed))))
			}
		}
	}
	return sum, count
}

// TestSponsorSurvivesKills kills the sponsor again and again under load. Afterwards the books have to the wei what the
// payer has paid on the chain. GWON_TEST_SPONSOR_KILLS is the number of kills.
func TestSponsorSurvivesKills(t *testing.T) {
	t.Parallel()
	kills := testCount(t, "GWON_TEST_SPONSOR_KILLS", 4)
	c := startCluster(t, 1)
	c.awaitHead(t, 1, 0)
	payer := c.network.Accounts[3]
	config := writeSponsorConfig(t, c, workDir(t), payer.Key(), allPolicy)
	tip, feeCap := c.fees(t, 0)
	feeCap.Mul(feeCap, big.NewInt(100)) // the base fee may rise in a long run
	p := startSponsor(t, config)
	var url atomic.Pointer[string]
	url.Store(&p.url)
	until, stop := context.WithCancel(t.Context())
	var senders sync.WaitGroup
	var answered atomic.Uint64
	for range 8 {
		key, sender := emptyAccount(t)
		senders.Go(func() {
			nonce := uint64(0)
			for until.Err() == nil {
				raw := transfer(t, key, nonce, common.Address{0xaa}, new(big.Int), tip, feeCap)
				if submitThrough(until, *url.Load(), raw) == nil {
					answered.Add(1)
					nonce++
					continue
				}
				// The answer was lost: what the node has decides how to go on.
				var pending hexutil.Uint64
				if c.call(0, &pending, "eth_getTransactionCount", sender, "pending") == nil {
					nonce = max(nonce, uint64(pending))
				}
			}
		})
	}
	for range kills {
		before := answered.Load()
		c.await(t, "transactions before the next kill", func() (bool, string) {
			return answered.Load() >= before+uint64(rand.IntN(60))+1, fmt.Sprint(answered.Load())
		})
		p.kill(t)
		p = startSponsor(t, config)
		url.Store(&p.url)
	}
	stop()
	senders.Wait()
	c.await(t, "the end of all reservations", func() (bool, string) {
		u := p.usage(t)
		return u.Reserved == "0", fmt.Sprintf("%+v", u)
	})
	u := p.usage(t)
	sum, count := c.feesOnChain(t, payer.Address)
	expect.That(t, u.Spent == sum.String() && u.Count == count && count >= uint64(kills),
		"books have %s wei in %d transactions, the chain %v in %d", u.Spent, u.Count, sum, count)
	t.Logf("%d kills, %d transactions, %v wei in books and chain", kills, count, sum)
	p.stop(t)
}

// submitThrough submits by one HTTP connection of its own, so that no request waits for a process that is gone.
func submitThrough(ctx context.Context, url string, raw []byte) error {
	client, err := gethrpc.DialContext(ctx, url)
	if err != nil {
		return err
	}
	defer client.Close()
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	var hash common.Hash
	return client.CallContext(ctx, &hash, "eth_sendRawTransaction", hexutil.Bytes(raw))
}
