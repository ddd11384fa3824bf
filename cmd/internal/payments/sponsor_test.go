// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package payments

import (
	"encoding/json"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/holiman/uint256"
	"github.com/urfave/cli/v2"

	"gwon/cmd/internal/apptest"
	"gwon/internal/door"
	"gwon/internal/expect"
	"gwon/internal/must"
	"gwon/pay/sponsor"
)

const checkedPolicy = `[[payer]]
address = "0x178fefBBf63c0F2F45B25D8ea0918178d50Cb084"
key_file = "payer.key"
[[key]]
label = "shop"
max_total = "100 WKRC"
[[key.contract]]
address = "0x0000000000000000000000000000000000001000"
selectors = ["approve(address,uint256)", "post(string)"]
`

// Connections that say nothing have a bound, and take no file from the operator's endpoint.
func TestSilentConnections(t *testing.T) {
	silent := func(address string) net.Conn {
		conn := must.Get(net.Dial("tcp", address))(t)
		t.Cleanup(func() { _ = conn.Close() })
		return conn
	}
	handler := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
	const most = 2
	server := &http.Server{Handler: handler, ReadHeaderTimeout: time.Minute}
	running := must.Get(serveAll(
		endpoint{"listen", "127.0.0.1:0", server, func(l net.Listener) net.Listener {
			return door.Listener(l, door.NewAccount(door.Bound{Own: most, Sum: most}))
		}}, endpoint{"metrics", "", nil, nil},
	))(t)
	address := running.address.String()
	for range most {
		silent(address)
	}
	answer, err := http.Get(running.URL())
	if err == nil {
		_ = answer.Body.Close()
		t.Errorf("a connection beyond the bound is answered with %s", answer.Status)
	}
	for _, server := range running.servers {
		_ = server.Close()
	}
}

// Access lists, bytes behind the arguments and authorizations are refused by default, and the check says why.
func TestCheckExplainsWhatIsAdded(t *testing.T) {
	dir := t.TempDir()
	config := filepath.Join(dir, "sponsor.toml")
	must.Do(t, os.WriteFile(config, []byte(checkedPolicy), 0o600))
	key := must.Get(crypto.GenerateKey())(t)
	chainID, coin := big.NewInt(8283), common.HexToAddress("0x1000")
	call := func(function string, words int) []byte {
		return append(crypto.Keccak256([]byte(function))[:4], make([]byte, 32*words)...)
	}
	text := call("post(string)", 3)
	text[4+31], text[4+63] = 32, 5
	dynamic := func(data []byte, list types.AccessList) types.TxData {
		return &types.DynamicFeeTx{
			ChainID: chainID, To: &coin, Gas: 60_000, GasFeeCap: big.NewInt(1e13), GasTipCap: big.NewInt(1), Data: data,
			AccessList: list,
		}
	}
	authorization := must.Get(types.SignSetCode(key, types.SetCodeAuthorization{Address: coin}))(t)
	const approve = "approve(address,uint256)"
	for name, row := range map[string]struct {
		tx   types.TxData
		want string // a line of the output, empty where all is allowed
	}{
		"a call":              {dynamic(call(approve, 2), nil), ""},
		"a text":              {dynamic(text, nil), ""},
		"bytes behind":        {dynamic(append(call(approve, 2), 0), nil), `NO +extra_data +68 bytes +69 bytes`},
		"bytes behind a text": {dynamic(append(text, 0), nil), `NO +extra_data +100 bytes +101 bytes +the call data`},
		"an access list": {dynamic(call(approve, 2), types.AccessList{{StorageKeys: []common.Hash{{}}}}),
			`NO +access_list +0 +2 accounts and keys +this key sponsors no access lists`},
		"an authorization": {&types.SetCodeTx{
			ChainID: uint256.MustFromBig(chainID), To: coin, Data: call(approve, 2), GasFeeCap: uint256.NewInt(1e13),
			AuthList: []types.SetCodeAuthorization{authorization},
		}, `NO +type +0x2 +0x4 +type is 0x4: a fee payer can be added to transactions of type 0x2 alone`},
	} {
		t.Run(name, func(t *testing.T) {
			tx := must.Get(types.SignNewTx(key, types.NewAnzeonSigner(chainID), row.tx))(t)
			raw := must.Get(tx.MarshalBinary())(t)
			app := &cli.App{Name: "gwon", Commands: []*cli.Command{SponsorCommand}}
			output, err := apptest.Run(t, app, "sponsor", "check", config, hexutil.Encode(raw))
			explained := regexp.MustCompile(row.want).MatchString(output)
			if row.want == "" && err != nil || row.want != "" && (err == nil || !explained) {
				t.Errorf("error %v, output\n%s", err, output)
			}
			output, _ = apptest.Run(t, app, "sponsor", "check", "--json", config, hexutil.Encode(raw))
			var verdicts []struct{ Findings []sponsor.Finding }
			must.Do(t, json.Unmarshal([]byte(output), &verdicts))
			for _, f := range verdicts[0].Findings {
				expect.Equal(t, f.Allowed, f.Text == "", "%+v: a reason belongs to what is refused", f)
			}
		})
	}
}
