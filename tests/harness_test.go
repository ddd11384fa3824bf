// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

//go:build nodes

package tests

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/big"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/ethclient"
	gethrpc "github.com/ethereum/go-ethereum/rpc"

	"gwon/dev/devnet"
	"gwon/internal/expect"
	"gwon/internal/must"
)

const (
	chainID         = 8283
	networkAccounts = 8
	pollInterval    = 50 * time.Millisecond
	patience        = 90 * time.Second // for anything a healthy network does within seconds
)

// binaries names a directory with the programs gwon, gwon-dev, gwon-pay, gwon-signer and gwon-faulty of this commit, so
// that the tests need not build them. make test sets it.
const binaries = "GWON_TEST_BINARIES"

// binary is the path of the program gwon under test. The others lie beside it.
var binary string

// programs are the programs under test.
var programs = []string{"gwon", "gwon-dev", "gwon-pay", "gwon-signer"}

// programPath returns the path of a program under test.
func programPath(name string) string { return filepath.Join(filepath.Dir(binary), name) }

func TestMain(m *testing.M) {
	os.Exit(run(m))
}

func run(m *testing.M) int {
	dir := os.Getenv(binaries)
	if dir == "" {
		var err error
		if dir, err = os.MkdirTemp("", "gwon-binary-"); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		defer func() { _ = os.RemoveAll(dir) }()
		for _, name := range programs {
			if err := buildProgram(filepath.Join(dir, name), name, ""); err != nil {
				fmt.Fprintln(os.Stderr, err)
				return 1
			}
		}
	}
	binary = filepath.Join(dir, "gwon")
	if err := allowParallel(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	code := m.Run()
	if err := shared.stop(); err != nil {
		fmt.Fprintln(os.Stderr, "stop the shared node:", err)
		return 1
	}
	return code
}

// buildProgram builds a program with one more build tag than make uses, or with none more.
func buildProgram(path, name, tag string) error {
	build := exec.Command("go", "build", "-trimpath", "-tags", "netgo,osusergo,"+tag, "-o", path, "gwon/cmd/"+name)
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("build %s: %w\n%s", filepath.Base(path), err, out)
	}
	return nil
}

// At most networksPerCore networks for each core run at once, and no more than maxNetworks. They mostly wait for the
// next block: a test uses a seventh of a core.
const (
	networksPerCore = 4
	maxNetworks     = 10
)

// allowParallel sets how many tests with t.Parallel run at once, each with its network, unless -parallel sets a number.
// Tests that doc.go names run before them, one by one.
func allowParallel() error {
	flag.Parse()
	given := false
	flag.Visit(func(f *flag.Flag) { given = given || f.Name == "test.parallel" })
	if given {
		return nil
	}
	return flag.Set("test.parallel", strconv.Itoa(min(networksPerCore*runtime.GOMAXPROCS(0), maxNetworks)))
}

// testTime is how long a test lasts: what the environment variable says, such as 10m, or else the usual time.
func testTime(t *testing.T, variable string, usual time.Duration) time.Duration {
	t.Helper()
	text := os.Getenv(variable)
	if text == "" {
		return usual
	}
	lasts, err := time.ParseDuration(text)
	must.That(t, err == nil, "%s: %v", variable, err)
	return lasts
}

// testCount is how often a test does something: what the environment variable says, or else as often as make test does.
func testCount(t *testing.T, variable string, usual int) int {
	t.Helper()
	if text := os.Getenv(variable); text != "" {
		return must.Get(strconv.Atoi(text))(t)
	}
	return usual
}

// workDir makes a directory that is removed when the test passes and kept when it fails.
func workDir(t testing.TB) string {
	t.Helper()
	dir := must.Get(os.MkdirTemp("", "gwon-test-"))(t)
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("files of the nodes are in %s", dir)
			showLogs(t, dir)
			return
		}
		expect.Error(t, os.RemoveAll(dir), nil, "os.RemoveAll")
	})
	return dir
}

// showLogs prints the end of every node log below dir.
func showLogs(t testing.TB, dir string) {
	const lines = 40
	files, err := filepath.Glob(filepath.Join(dir, "*", "gwon.log"))
	if err != nil {
		t.Log(err)
		return
	}
	deeper, err := filepath.Glob(filepath.Join(dir, "*", "*", "gwon.log"))
	if err != nil {
		t.Log(err)
		return
	}
	files = append(files, deeper...)
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Log(err)
			continue
		}
		all := strings.Split(strings.TrimSpace(string(text)), "\n")
		t.Logf("end of %s:\n%s", file, strings.Join(all[max(0, len(all)-lines):], "\n"))
	}
}

// cluster is a network of validators whose processes a test starts and stops one by one.
type cluster struct {
	network    *devnet.Network
	supervisor *devnet.Supervisor
	processes  map[*devnet.Node]*devnet.Process
}

// newCluster prepares a network of n validators in dir and writes every genesis block. No node runs yet.
func newCluster(dir string, n int) (*cluster, error) { return newAgedCluster(dir, n, 0) }

// agedCluster is newAgedCluster in a directory of the test, and is closed with it.
func agedCluster(tb testing.TB, n int, age time.Duration) *cluster {
	tb.Helper()
	c := must.Get(newAgedCluster(workDir(tb), n, age))(tb)
	tb.Cleanup(func() { expect.Error(tb, c.close(), nil, "c.close") })
	return c
}

// newAgedCluster is newCluster with a genesis block that has this age.
func newAgedCluster(dir string, n int, age time.Duration) (*cluster, error) {
	network, err := devnet.Prepare(devnet.Options{
		Dir: dir, Validators: n, Accounts: networkAccounts, ChainID: chainID, Period: time.Second,
	})
	if err != nil {
		return nil, err
	}
	if err := ageGenesis(network, age); err != nil {
		return nil, errors.Join(err, network.Close())
	}
	c := &cluster{network, devnet.NewSupervisor(binary, nil, false, false), make(map[*devnet.Node]*devnet.Process)}
	for _, node := range network.Nodes {
		if err := c.supervisor.Init(context.Background(), node); err != nil {
			return nil, errors.Join(err, c.close())
		}
	}
	return c, nil
}

// prepareCluster returns a network of n validators whose processes do not run yet. It lives as long as the test.
func prepareCluster(t testing.TB, n int) *cluster {
	t.Helper()
	c := must.Get(newCluster(workDir(t), n))(t)
	t.Cleanup(func() { expect.Error(t, c.close(), nil, "c.close") })
	return c
}

// startCluster returns a running network of n validators that lives as long as the test.
func startCluster(t *testing.T, n int) *cluster {
	t.Helper()
	c := prepareCluster(t, n)
	for i := range c.network.Nodes {
		c.start(t, i)
	}
	return c
}

// close ends every process, by its own id, and frees the directory.
func (c *cluster) close() error {
	var errs []error
	for _, p := range c.processes {
		errs = append(errs, p.Stop())
	}
	c.supervisor.Close()
	return errors.Join(append(errs, c.network.Close())...)
}

func (c *cluster) node(i int) *devnet.Node { return c.network.Nodes[i] }

func (c *cluster) start(t testing.TB, i int, extra ...string) {
	t.Helper()
	p := must.Get(c.supervisor.Start(c.node(i), extra...))(t)
	c.processes[c.node(i)] = p
}

func (c *cluster) kill(t testing.TB, i int) {
	t.Helper()
	must.Do(t, c.processes[c.node(i)].Kill())
	delete(c.processes, c.node(i))
}

func (c *cluster) stop(t testing.TB, i int) {
	t.Helper()
	must.Do(t, c.processes[c.node(i)].Stop())
	delete(c.processes, c.node(i))
}

// running returns the indexes of the nodes that run.
func (c *cluster) running() []int {
	var list []int
	for i, n := range c.network.Nodes {
		if c.processes[n] != nil {
			list = append(list, i)
		}
	}
	return list
}

// call asks node i.
func (c *cluster) call(i int, result any, method string, args ...any) error {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	client, err := gethrpc.DialContext(ctx, c.node(i).HTTP())
	if err != nil {
		return err
	}
	defer client.Close()
	return client.CallContext(ctx, result, method, args...)
}

// must asks node i and fails the test when it does not answer well.
func (c *cluster) must(t testing.TB, i int, result any, method string, args ...any) {
	t.Helper()
	if err := c.call(i, result, method, args...); err != nil {
		t.Fatalf("%s: %s: %v", c.node(i).Name, method, err)
	}
}

// asker is a cluster, or what has one.
type asker interface {
	must(t testing.TB, i int, result any, method string, args ...any)
}

// get returns what node i answers to a call.
func get[T any](t testing.TB, c asker, i int, method string, args ...any) (answer T) {
	t.Helper()
	c.must(t, i, &answer, method, args...)
	return answer
}

// await polls until cond answers true. cond also says what it saw, for the failure message. It fails at once when a
// process that should run has ended.
func (c *cluster) await(t testing.TB, what string, cond func() (bool, string)) {
	t.Helper()
	deadline := time.Now().Add(patience)
	for {
		ok, seen := cond()
		if ok {
			return
		}
		for _, p := range c.processes {
			select {
			case <-p.Done():
				t.Fatalf("waiting for %s: %v", what, p.Err())
			default:
			}
		}
		must.That(t, !time.Now().After(deadline), "%s did not happen within %v; last seen: %s", what, patience, seen)
		time.Sleep(pollInterval)
	}
}

// head returns the number of node i's newest block.
func (c *cluster) head(i int) (uint64, error) {
	var number hexutil.Uint64
	err := c.call(i, &number, "eth_blockNumber")
	return uint64(number), err
}

// awaitHead waits until every named node has block number or a later one.
func (c *cluster) awaitHead(t testing.TB, number uint64, nodes ...int) {
	t.Helper()
	for _, i := range nodes {
		c.await(t, fmt.Sprintf("block %d on %s", number, c.node(i).Name), func() (bool, string) {
			head, err := c.head(i)
			return err == nil && head >= number, fmt.Sprintf("head %d, error %v", head, err)
		})
	}
}

// block is what the tests look at in a block.
type block struct {
	Number       hexutil.Uint64 `json:"number"`
	Hash         common.Hash    `json:"hash"`
	ParentHash   common.Hash    `json:"parentHash"`
	StateRoot    common.Hash    `json:"stateRoot"`
	Miner        common.Address `json:"miner"`
	Time         hexutil.Uint64 `json:"timestamp"`
	Difficulty   *hexutil.Big   `json:"difficulty"`
	TotalDiff    *hexutil.Big   `json:"totalDifficulty"`
	BaseFee      *hexutil.Big   `json:"baseFeePerGas"`
	GasLimit     hexutil.Uint64 `json:"gasLimit"`
	Transactions []common.Hash  `json:"transactions"`
}

func (c *cluster) block(t testing.TB, i int, number any) *block {
	t.Helper()
	if n, ok := number.(uint64); ok {
		number = hexutil.Uint64(n)
	}
	b := get[*block](t, c, i, "eth_getBlockByNumber", number, false)
	if b == nil {
		t.Fatalf("%s has no block %v", c.node(i).Name, number)
	}
	return b
}

// chain returns node i's blocks 0 to number.
func (c *cluster) chain(t testing.TB, i int, number uint64) []*block {
	t.Helper()
	const batch = 200
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	client := must.Get(gethrpc.DialContext(ctx, c.node(i).HTTP()))(t)
	defer client.Close()
	blocks := make([]*block, number+1)
	var calls []gethrpc.BatchElem
	for n := range blocks {
		calls = append(calls, gethrpc.BatchElem{
			Method: "eth_getBlockByNumber", Args: []any{hexutil.Uint64(n), false}, Result: &blocks[n],
		})
	}
	for part := range slices.Chunk(calls, batch) {
		if err := client.BatchCallContext(ctx, part); err != nil {
			t.Fatalf("%s: %v", c.node(i).Name, err)
		}
		for _, call := range part {
			if call.Error != nil {
				t.Fatalf("%s: block %v: %v", c.node(i).Name, call.Args[0], call.Error)
			}
		}
	}
	if missing := slices.Index(blocks, nil); missing >= 0 {
		t.Fatalf("%s has no block %d", c.node(i).Name, missing)
	}
	return blocks
}

// sameChain checks that all running nodes agree on every block up to number.
func (c *cluster) sameChain(t testing.TB, number uint64) {
	t.Helper()
	nodes := c.running()
	c.awaitHead(t, number, nodes...)
	first := c.chain(t, nodes[0], number)
	for _, i := range nodes[1:] {
		for n, other := range c.chain(t, i, number) {
			if other.Hash != first[n].Hash || other.StateRoot != first[n].StateRoot {
				t.Fatalf("fork at block %d: %s has %v, %s has %v", n, c.node(nodes[0]).Name, first[n].Hash, c.node(i).Name,
					other.Hash)
			}
		}
	}
}

// judge checks what nodes promise whatever was done to them before: all that run get one chain up to a block, none of
// them has stopped sealing, and no validator has contradicted itself.
func (c *cluster) judge(t *testing.T, number uint64, nodes ...int) {
	t.Helper()
	c.sameChain(t, number)
	for _, i := range nodes {
		c.accuse(t, i) // none
		var status consensusStatus
		if c.must(t, i, &status, "istanbul_consensusStatus"); status != (consensusStatus{}) {
			t.Errorf("%s has stopped: %+v", c.node(i).Name, status)
		}
	}
}

// receipt waits for the receipt of a transaction on node i.
func (c *cluster) receipt(t testing.TB, i int, hash common.Hash) *types.Receipt {
	t.Helper()
	var r *types.Receipt
	c.await(t, fmt.Sprintf("receipt of %v", hash), func() (bool, string) {
		err := c.call(i, &r, "eth_getTransactionReceipt", hash)
		return err == nil && r != nil, fmt.Sprint(err)
	})
	return r
}

func (c *cluster) balance(t testing.TB, i int, address common.Address, tag any) *big.Int {
	t.Helper()
	b := get[hexutil.Big](t, c, i, "eth_getBalance", address, tag)
	return b.ToInt()
}

// fees returns the least tip and a fee cap that lasts for a while.
func (c *cluster) fees(t testing.TB, i int) (tip, feeCap *big.Int) {
	t.Helper()
	client := must.Get(ethclient.Dial(c.node(i).HTTP()))(t)
	defer client.Close()
	tip = must.Get(client.SuggestGasTipCap(context.Background()))(t)
	base := c.block(t, i, "latest").BaseFee.ToInt()
	return tip, new(big.Int).Add(tip, new(big.Int).Mul(base, big.NewInt(2)))
}

// shared is a network of one validator that all tests use which only read or send transactions of their own accounts.
var shared sharedNode

type sharedNode struct {
	once    sync.Once
	dir     string
	cluster *cluster
	err     error
}

// oneNode returns the shared node, which seals blocks.
func oneNode(t *testing.T) *cluster {
	t.Helper()
	shared.once.Do(func() {
		if shared.dir, shared.err = os.MkdirTemp("", "gwon-test-"); shared.err != nil {
			return
		}
		if shared.cluster, shared.err = newCluster(shared.dir, 1); shared.err != nil {
			return
		}
		shared.cluster.network.Archive = true // tests ask for its first state, however late they run
		node := shared.cluster.node(0)
		var p *devnet.Process
		if p, shared.err = shared.cluster.supervisor.Start(node); shared.err == nil {
			shared.cluster.processes[node] = p
		}
	})
	must.Do(t, shared.err)
	t.Cleanup(func() {
		if t.Failed() {
			showLogs(t, shared.dir)
		}
	})
	shared.cluster.awaitHead(t, 1, 0)
	return shared.cluster
}

func (s *sharedNode) stop() error {
	var err error
	if s.cluster != nil {
		err = s.cluster.close()
	}
	if s.dir != "" {
		err = errors.Join(err, os.RemoveAll(s.dir))
	}
	return err
}

// reply is a JSON-RPC answer as it stands on the wire.
type reply struct {
	Status int             `json:"-"` // HTTP
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Code    int             `json:"code"`
		Message string          `json:"message"`
		Data    json.RawMessage `json:"data"`
	} `json:"error"`
}

// post sends one JSON-RPC request with the given params, a JSON array.
func post(t testing.TB, url, method, params string) *reply {
	t.Helper()
	return postWith(t, url, "", method, params)
}

// postWith is post with a token.
func postWith(t testing.TB, url, token, method, params string) *reply {
	t.Helper()
	body := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q,"params":%s}`, method, params)
	request := must.Get(http.NewRequest(http.MethodPost, url, strings.NewReader(body)))(t)
	request.Header.Set("Content-Type", "application/json")
	if token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	answer := must.Get(http.DefaultClient.Do(request))(t)
	defer func() { _ = answer.Body.Close() }()
	text := must.Get(io.ReadAll(answer.Body))(t)
	r := &reply{Status: answer.StatusCode}
	must.Do(t, json.Unmarshal(text, r), method, string(text))
	return r
}

// gwon runs the binary to its end and returns what it printed. The environment has no GWON_ variables and no home of
// a user.
func gwon(t testing.TB, home string, args ...string) (stdout, stderr string, err error) {
	t.Helper()
	return gwonFor(t, patience, home, args...)
}

// gwonFor is gwon for commands that may take longer.
func gwonFor(t testing.TB, limit time.Duration, home string, args ...string) (stdout, stderr string, err error) {
	t.Helper()
	return runFor(limit, binary, home, args...)
}

// gwonDev is gwon for gwon-dev.
func gwonDev(t testing.TB, home string, args ...string) (stdout, stderr string, err error) {
	t.Helper()
	return runFor(patience, programPath("gwon-dev"), home, args...)
}

// runFor runs a program to its end, for at most the limit.
func runFor(limit time.Duration, path, home string, args ...string) (stdout, stderr string, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Env = environment(home)
	var out, errs strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &errs
	err = cmd.Run()
	return out.String(), errs.String(), err
}

func environment(home string) []string {
	env := slices.DeleteFunc(os.Environ(), func(v string) bool {
		return strings.HasPrefix(v, "GWON_") || strings.HasPrefix(v, "HOME=")
	})
	return append(env, "HOME="+home)
}

// needTools skips a test on a machine that lacks a program of the shell's.
func needTools(t *testing.T, tools ...string) {
	t.Helper()
	for _, tool := range tools {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skip(err)
		}
	}
}
