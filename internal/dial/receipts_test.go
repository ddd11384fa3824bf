// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package dial

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/rpc"

	"gwon/internal/must"
)

const (
	blockGas = 21_000_000 // a fifth of the limit of a block, with a fifth of the largest answer
	logGas   = 379        // of a log without topics and data: two pushes and LOG0
)

// emptyLog is a log with what package types asks for.
const emptyLog = `{"address":"0x0000000000000000000000000000000000000000","topics":[],"data":"0x","transactionHash":` +
	`"0x0000000000000000000000000000000000000000000000000000000000000000"}`

// writeLogs writes an answer with one receipt of some empty logs, as a node of gwon writes them.
func writeLogs(w http.ResponseWriter, count int) {
	out := bufio.NewWriter(w)
	defer out.Flush() //nolint:errcheck // the reader may have left
	fmt.Fprint(out, `{"jsonrpc":"2.0","id":1,"result":[{"status":"0x1","logs":[`)
	hash := "0x" + strings.Repeat("ab", 32)
	for i := range count {
		fmt.Fprintf(out, `%s{"address":"0x%s","topics":[],"data":"0x","blockNumber":"0xabcdef","transactionHash":"%s",`+
			`"transactionIndex":"0x0","blockHash":"%s","blockTimestamp":"0x68e79ff5","logIndex":"%#x","removed":false}`,
			[]string{",", ""}[(count-i)/count], strings.Repeat("cd", 20), hash, hash, i)
	}
	fmt.Fprint(out, `],"gasUsed":"0x63f1940"}]}`)
}

// The largest answer that the gas of a block allows is within the bound, and is read without being held.
func TestLargestReceiptsAreRead(t *testing.T) {
	const count = blockGas / logGas
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { writeLogs(w, count) }))
	t.Cleanup(server.Close)
	client := must.Get(Open(t.Context(), server.URL, Options{Most: 1000}))(t)
	t.Cleanup(client.Close)
	var before, most runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	found := 0
	objects, err := client.Receipts(t.Context(), 1, blockGas, func(at int, l *types.Log) error {
		if at != 0 || l.Index != uint(found) {
			return fmt.Errorf("log %d of receipt %d", l.Index, at)
		}
		if found++; found == count {
			runtime.GC()
			runtime.ReadMemStats(&most)
		}
		return nil
	})
	if err != nil || found != count || len(objects) != 1 || !strings.Contains(string(objects[0]), `"0x63f1940"`) {
		t.Fatalf("%d of %d logs, %s, %v", found, count, objects, err)
	}
	if grown := int64(most.HeapAlloc) - int64(before.HeapAlloc); grown > 4<<20 {
		t.Errorf("%d bytes are held for an answer that is passed on", grown)
	}
}

// What is no list of receipts is an error, and so is what has more bytes than the gas allows.
func TestOtherAnswersAreRefused(t *testing.T) {
	stop := errors.New("stop")
	for _, test := range []struct{ name, text, want string }{
		{"a refusal", `{"jsonrpc":"2.0","id":1,"error":{"code":-32003,"message":"too large"}}`, "too large"},
		{"no answer", `{"jsonrpc":"2.0","id":1}`, errForm.Error()},
		{"an object", `{"result":{}}`, errForm.Error()},
		{"a list", `[]`, errForm.Error()},
		{"logs that are none", `{"result":[{"logs":7}]}`, errForm.Error()},
		{"a log that is none", `{"result":[{"logs":[{}]}]}`, "missing required field"},
		{"an end", `{"result":[{"logs":[`, io.ErrUnexpectedEOF.Error()},
		{"too many bytes", `{"result":["` + strings.Repeat("0", 1<<20+2*1000+1) + `"]}`, ErrLarge.Error()},
		{"an error of the reader", `{"result":[{"logs":[` + emptyLog + `]}]}`, stop.Error()},
	} {
		t.Run(test.name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				fmt.Fprint(w, test.text)
			}))
			defer server.Close()
			client, err := Open(t.Context(), server.URL, Options{})
			must.Do(t, err)
			defer client.Close()
			_, err = client.Receipts(t.Context(), 1, 1000, func(int, *types.Log) error { return stop })
			var refused rpc.Error
			isRefusal := test.name == "a refusal"
			if err == nil || !strings.Contains(err.Error(), test.want) || errors.As(err, &refused) != isRefusal {
				t.Errorf("%v, want %q", err, test.want)
			}
		})
	}
}

// Another transport than HTTP has the same receipts.
func TestReceiptsOverOtherTransports(t *testing.T) {
	server := rpc.NewServer()
	t.Cleanup(server.Stop)
	must.Do(t, server.RegisterName("eth", receiptsService{}))
	client := &Client{Client: rpc.DialInProc(server)}
	t.Cleanup(client.Close)
	logs := 0
	objects, err := client.Receipts(t.Context(), 1, 0, func(int, *types.Log) error { logs++; return nil })
	if err != nil || logs != 3 || len(objects) != 2 || strings.Contains(string(objects[1]), "topics") {
		t.Errorf("%d logs, %s, %v", logs, objects, err)
	}
}

type receiptsService struct{}

func (receiptsService) GetBlockReceipts(string) json.RawMessage {
	return json.RawMessage(`[{"logs":[` + emptyLog + `]},{"type":"0x2","logs":[` + emptyLog + `,` + emptyLog + `]}]`)
}
