// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package diagnosis

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"
	gethrpc "github.com/ethereum/go-ethereum/rpc"
	"github.com/urfave/cli/v2"

	"gwon/cmd/internal/apptest"
	"gwon/cmd/internal/datadir"
	"gwon/cmd/internal/keys"
	"gwon/cmd/internal/program"
	"gwon/cmd/internal/settings"
	"gwon/consensus/wbft/keylock"
	"gwon/consensus/wbft/votelog"
	"gwon/internal/expect"
	"gwon/internal/must"
	"gwon/internal/nodekey"
	"gwon/operator/doctor"
	"gwon/params"
)

// The ports of the doctor are those that the flags open.
func TestNodePorts(t *testing.T) {
	cfg := settings.Default()
	cfg.Node.P2P.ListenAddr, cfg.Node.P2P.NoDiscovery = ":1", true
	cfg.Node.HTTPHost, cfg.Node.HTTPPort = "127.0.0.1", 2
	cfg.Node.WSHost, cfg.Node.WSPort = "127.0.0.1", 2
	cfg.Metrics.Enabled, cfg.Metrics.HTTP, cfg.Metrics.Port = true, "127.0.0.1", 3
	cfg.Gwon.Profile, cfg.Gwon.OperatorPort = settings.ProfileOperator, 4
	var got []string
	for _, p := range nodePorts(&cfg) {
		got = append(got, p.Network+" "+p.Address+" "+p.Flag)
	}
	want := []string{
		"tcp :1 port",
		"tcp 127.0.0.1:2 http.port",
		"tcp 127.0.0.1:4 rpc.operator.port",
		"tcp 127.0.0.1:3 metrics.port",
	}
	expect.Slice(t, got, want, "ports")
	cfg.Node.P2P.NoDiscovery = false
	if got := nodePorts(&cfg)[1]; got.Network != "udp" || got.Address != ":1" {
		t.Errorf("discovery: %+v", got)
	}
}

// A key that another process validates with is found.
func TestCheckKeyLock(t *testing.T) {
	key := must.Get(crypto.GenerateKey())(t)
	file := filepath.Join(t.TempDir(), "nodekey")
	must.Do(t, crypto.SaveECDSA(file, key))
	genesis := common.Hash{1}
	expect.Error(t, expect.Err(checkKeyLock(nodeKey{file: file}, genesis)), nil, "free")
	lock := must.Get(keylock.Acquire(crypto.PubkeyToAddress(key.PublicKey), genesis))(t)
	defer lock.Close() //nolint:errcheck // the test ends
	expect.Says(t, expect.Err(checkKeyLock(nodeKey{file: file}, genesis)), "in use by another process", "taken")
}

// A vote log that is damaged ends with a remedy; none is well.
func TestCheckVotes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "votes.log")
	expect.Contains(t, must.Get(checkVotes(path, nodeKey{}, common.Hash{}))(t), "no vote log", "absent")
	must.Do(t, os.WriteFile(path, []byte(strings.Repeat("x", 200)), 0o600))
	expect.Says(t, expect.Err(checkVotes(path, nodeKey{}, common.Hash{})), "votes-lost.md", "damaged")
}

// The votes of another key or of another chain are found, with what to do.
func TestForeignVotes(t *testing.T) {
	digits := []string{strings.Repeat("1", 64), strings.Repeat("2", 64)}
	dir := t.TempDir()
	var files []string
	for i, text := range digits {
		files = append(files, apptest.WriteFile(t, filepath.Join(dir, strconv.Itoa(i)), text))
	}
	address := must.Get(nodeKey{file: files[0]}.address())(t)
	path, genesis := filepath.Join(dir, "votes.log"), common.Hash{1}
	log, err := votelog.Open(path, votelog.Owner{Validator: address, Genesis: genesis})
	if err == nil {
		err = log.Close()
	}
	must.Do(t, err)
	for _, row := range []struct {
		name    string
		key     nodeKey
		genesis common.Hash
		want    []string // in the error; none for no error
	}{
		{"own", nodeKey{file: files[0]}, genesis, nil},
		{"own without chain", nodeKey{file: files[0]}, common.Hash{}, nil},
		{"own digits", nodeKey{file: files[1], digits: digits[0]}, genesis, nil},
		{"another key", nodeKey{file: files[1]}, genesis, []string{path, address.Hex(), "restore the node key of",
			"docs/operate/validator.md"}},
		{"other digits", nodeKey{file: files[0], digits: digits[1]}, genesis, []string{"restore the node key of"}},
		{"no key", nodeKey{file: filepath.Join(dir, "none")}, genesis, []string{"there is no node key", address.Hex()}},
		{"another chain", nodeKey{file: files[0]}, common.Hash{2}, []string{genesis.Hex(), common.Hash{2}.Hex(),
			"make a new key"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			_, err := checkVotes(path, row.key, row.genesis)
			if err == nil && len(row.want) > 0 || err != nil && row.want == nil {
				t.Errorf("error %v", err)
			}
			for _, want := range row.want {
				expect.That(t, err == nil || strings.Contains(err.Error(), want), "no %q in %v", want, err)
			}
		})
	}
}

// A chain that is not that of the flags is found, with both hashes.
func TestCheckNetwork(t *testing.T) {
	mainnet, _ := params.NetworkByName("mainnet")
	testnet, _ := params.NetworkByName("testnet")
	own := common.Hash{1}
	file := apptest.TempFile(t, "[Eth]\nNetworkId = 8283\n")
	for _, row := range []struct {
		name    string
		genesis common.Hash
		args    string
		want    []string // in the error; none for no error
	}{
		{"no chain", common.Hash{}, "--testnet", nil},
		{"testnet", testnet.GenesisHash, "--testnet", nil},
		{"testnet without flag", testnet.GenesisHash, "", nil},
		{"own", own, "--networkid 5", nil},
		{"testnet asked, mainnet stored", mainnet.GenesisHash, "--testnet",
			[]string{mainnet.GenesisHash.Hex(), testnet.GenesisHash.Hex(), "--testnet", "another --datadir"}},
		{"mainnet asked, own stored", own, "--mainnet", []string{own.Hex(), mainnet.GenesisHash.Hex()}},
		{"ID of the testnet, own stored", own, "--networkid 8283", []string{own.Hex(), testnet.GenesisHash.Hex()}},
		{"ID of the testnet, mainnet stored", mainnet.GenesisHash, "--networkid 8283",
			[]string{mainnet.GenesisHash.Hex(), "8283", "--networkid"}},
		{"file of the testnet, own stored", own, "--config " + file, []string{own.Hex(), testnet.GenesisHash.Hex()}},
		{"other ID, testnet stored", testnet.GenesisHash, "--networkid 5", []string{testnet.GenesisHash.Hex(), "not 5"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			err := apptest.RunWithFlags(t, newApp(), func(ctx *cli.Context) error {
				cfg, err := doctorConfig(ctx)
				if err != nil {
					return err
				}
				_, err = checkNetwork(ctx, cfg, &datadir.StoredChain{Genesis: row.genesis})
				return err
			}, strings.Fields(row.args)...)
			if err == nil && len(row.want) > 0 || err != nil && row.want == nil {
				t.Errorf("error %v", err)
			}
			for _, want := range row.want {
				expect.That(t, err == nil || strings.Contains(err.Error(), want), "no %q in %v", want, err)
			}
		})
	}
}

// headerFake answers for the genesis block of a running node.
type headerFake struct{ genesis *common.Hash }

// GetHeaderByNumber implements eth_getHeaderByNumber.
func (f headerFake) GetHeaderByNumber(number string) (any, error) {
	if number != "0x0" || f.genesis == nil {
		return nil, errors.New("CLOSED")
	}
	return map[string]any{"hash": f.genesis}, nil
}

// The chain of a running node is compared, too. One that does not name it is not held for another.
func TestNetworkOfRunningNode(t *testing.T) {
	for _, row := range []struct {
		name    string
		genesis *common.Hash
		level   string
		text    string
	}{
		{"another", &common.Hash{1}, doctor.Bad, "not that of --testnet"},
		{"unknown", nil, doctor.OK, "does not name its genesis block: eth_getHeaderByNumber: CLOSED"},
	} {
		t.Run(row.name, func(t *testing.T) {
			server := gethrpc.NewServer()
			defer server.Stop()
			must.Do(t, server.RegisterName("eth", headerFake{row.genesis}))
			client := gethrpc.DialInProc(server)
			defer client.Close()
			expect.Error(t, apptest.RunWithFlags(t, newApp(), func(ctx *cli.Context) error {
				cfg, err := doctorConfig(ctx)
				if err != nil {
					return err
				}
				got := doctor.Examine(t.Context(), runningChecks(ctx, cfg, client)[:1])
				expect.That(t, len(got) == 1 && got[0].Level == row.level && strings.Contains(got[0].Text, row.text),
					"%+v, want %s with %q", got, row.level, row.text)
				return nil
			}, "--testnet"), nil, "error")
		})
	}
}

// The command line of a node can stand behind gwon doctor as it is.
func TestDoctorTakesNodeFlags(t *testing.T) {
	for _, flag := range newApp().Flags {
		name := flag.Names()[0]
		same := func(f cli.Flag) bool { return f.Names()[0] == name }
		expect.That(t, name == program.HelpAllFlag.Name || slices.ContainsFunc(DoctorCommand.Flags, same),
			"gwon doctor refuses --%s", name)
	}
	out, err := run(t, "doctor", "--datadir", t.TempDir(), "--verbosity", "5", "--log.format", "json", "--pprof",
		"--pprof.port", "1", "--nat", "foo", "--syncmode", "light")
	expect.That(t, program.StatusOf(err) == 1 && strings.Count(out, "\n") == 2 &&
		strings.Contains(out, `bad  config  --syncmode "light" is not possible: give full or snap`) &&
		strings.Contains(out, `bad  config  --nat "foo" is not possible: give any, none`), "error %v, output %q", err, out)
}

// The password of the node key is tried as a start does.
func TestDoctorTriesPassword(t *testing.T) {
	dir := t.TempDir()
	right := apptest.WriteFile(t, filepath.Join(dir, "right"), "fine weather\n")
	wrong := apptest.WriteFile(t, filepath.Join(dir, "wrong"), "rain\n")
	key := must.Get(crypto.GenerateKey())(t)
	content := must.Get(keys.EncryptNodeKey(key, "fine weather", true))(t)
	encrypted := filepath.Join(dir, "data")
	apptest.WriteFile(t, filepath.Join(encrypted, program.Name, keys.EncryptedFile), string(content))
	for name, row := range map[string]struct{ data, password, want string }{
		"right":  {encrypted, right, "ok    password   the node key can be opened\n"},
		"wrong":  {encrypted, wrong, "bad   password   the password does not open the node key"},
		"none":   {encrypted, filepath.Join(dir, "none"), "bad   password   read password of the node key"},
		"no key": {filepath.Join(dir, "empty"), right, "ok    password   there is no node key yet"},
	} {
		t.Run(name, func(t *testing.T) {
			out, _ := run(t, "doctor", "--mine", "--datadir", row.data, "--port", "0", "--nodiscover",
				"--nodekey.password", row.password)
			expect.Contains(t, out, row.want, "output")
		})
	}
}

// A flag without effect is a warning of its own.
func TestDoctorWarnsOfUselessFlags(t *testing.T) {
	out, _ := run(t, "doctor", "--datadir", t.TempDir(), "--port", "0", "--nodiscover", "--http.port", "1")
	expect.Contains(t, out, "warn  config     --http.port: no effect, add --http\n", "output")
}

// A configuration that cannot be used is the only finding, and a bad one.
func TestDoctorConfig(t *testing.T) {
	out, err := run(t, "doctor", "--datadir", t.TempDir(), "--config", filepath.Join(t.TempDir(), "none"))
	expect.That(t, program.StatusOf(err) == 1 && strings.HasPrefix(out, "bad  config  open configuration file") &&
		strings.Count(out, "\n") == 1, "error %v, output %q", err, out)
}

// With a signer the node has no key, and the signer is connected to but not asked. spec: wbft 9.1
func TestCheckSigner(t *testing.T) {
	dir, socket := t.TempDir(), filepath.Join(t.TempDir(), "signer.sock")
	cfg := new(settings.Config)
	cfg.Node.DataDir, cfg.Gwon.Signer = dir, socket
	expect.Says(t, expect.Err(checkSigner(cfg)), "start gwon-signer run", "away")
	listener := must.Get(net.Listen("unix", socket))(t)
	defer listener.Close() //nolint:errcheck // the test ends
	expect.Contains(t, must.Get(checkSigner(cfg))(t), "can be reached", "reachable")
	key := filepath.Join(dir, program.Name, "nodekey")
	must.Do(t, errors.Join(os.MkdirAll(filepath.Dir(key), 0o700), os.WriteFile(key, nil, 0o600)))
	expect.Says(t, expect.Err(checkSigner(cfg)), "gwon-signer init", "a key besides")
	cfg.Gwon.Signer, cfg.Node.DataDir = "127.0.0.1:1", t.TempDir()
	expect.Says(t, expect.Err(checkSigner(cfg)), "credentials", "without credentials")
}

func newApp() *cli.App {
	return settings.NewApp([]*cli.Command{DoctorCommand})
}

func run(t *testing.T, args ...string) (string, error) {
	t.Helper()
	return apptest.Run(t, newApp(), args...)
}

// A key that a move has left under another name is a finding, for a node with its own key and with a signer.
func TestDoctorSeesMovingKey(t *testing.T) {
	for _, name := range []string{keys.PlainFile, keys.EncryptedFile} {
		for _, more := range [][]string{nil, {"--validator.signer", "/none/socket"}} {
			dir := t.TempDir()
			apptest.WriteFile(t, filepath.Join(dir, program.Name, name+nodekey.MovingSuffix), strings.Repeat("1", 64))
			out, err := run(t, append([]string{"doctor", "--datadir", dir, "--port", "0", "--nodiscover"}, more...)...)
			expect.That(t, program.StatusOf(err) == 1 && strings.Contains(out, "ok   config") &&
				strings.Contains(out, "bad  key") && strings.Contains(out, "gwon-signer init"),
				"%s %v: error %v, output %q", name, more, err, out)
		}
	}
}

// What another user's files refuse is no damage: no row speaks of a backup or of lost votes.
func TestDoctorOfAnotherUser(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("needs a file whose reading fails")
	}
	dir, cure := t.TempDir(), "this user may not use it"
	names := []string{keys.PlainFile, "votes.log", "password"}
	rows := []string{"bad   key", "bad   votes", "bad   password"}
	if os.Getuid() == 0 { // whom nothing is refused; and no vote log is a link
		cure, names, rows = "the disk fails", []string{keys.PlainFile, "password"}, []string{"bad   key", "bad   password"}
	}
	for _, name := range names {
		file := apptest.WriteFile(t, filepath.Join(dir, program.Name, name), "x")
		if os.Getuid() != 0 {
			must.Do(t, os.Chmod(file, 0o000))
			continue
		}
		must.Do(t, errors.Join(os.Remove(file), os.Symlink("/proc/self/mem", file))) // whose reading fails for root
	}
	out, err := run(t, "doctor", "--datadir", dir, "--port", "0", "--nodiscover", "--nodekey.password",
		filepath.Join(dir, program.Name, "password"))
	for _, row := range rows {
		_, line, _ := strings.Cut(out, row)
		expect.That(t, strings.Contains(strings.Split(line, "\n")[0], cure), "%s: error %v, output %q", row, err, out)
	}
	expect.That(t, !strings.Contains(out, "backup") && !strings.Contains(out, "votes-lost"), "output %q", out)
}
