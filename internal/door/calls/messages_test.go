// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package calls

import (
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	gethrpc "github.com/ethereum/go-ethereum/rpc"
	"github.com/gorilla/websocket"

	"gwon/internal/expect"
	"gwon/internal/must"
)

// holder is a service whose calls last until they may end.
type holder struct{ running, end chan struct{} }

func (h holder) Hold(string) {
	h.running <- struct{}{}
	<-h.end
}

func (holder) Now() int { return 1 }

// Each message of a WebSocket counts until its own calls have ended, also beside others, and none outlives its
// connection. spec: rpc 9.6
func TestMessagesCountUntilTheirCallsHaveEnded(t *testing.T) {
	const size = 1 << 20
	long := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"t_hold","params":["%s"]}`, strings.Repeat("a", size))
	const short, answer = `{"jsonrpc":"2.0","id":1,"method":"t_now"}`, `{"jsonrpc":"2.0","id":1,"result":1}`
	for name, row := range map[string]struct {
		sent []string
		held int // calls of long messages
	}{
		"calls":                      {[]string{long, long, long}, 3},
		"a short call before each":   {[]string{short, long, short, long, short, long}, 3},
		"a short call after each":    {[]string{long, short, long, short, long, short}, 3},
		"answers before calls":       {[]string{answer, answer, answer, long, short, long, short}, 2},
		"a long answer":              {[]string{strings.Replace(answer, ":1}", `:"`+strings.Repeat("a", size)+`"}`, 1)}, 0},
		"batches":                    {[]string{"[" + answer + "]", "[" + short + "," + long + "]", "[]"}, 1},
		"no JSON ends a connection":  {[]string{long, "xx"}, 1},
		"null, a number and a batch": {[]string{"null", "7", "[1,2]", long}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			d := New(Limits{})
			gethrpc.SetDoor(d)
			defer gethrpc.SetDoor(nil)
			service := holder{make(chan struct{}), make(chan struct{})}
			server := gethrpc.NewServer()
			must.Do(t, server.RegisterName("t", service))
			web := httptest.NewServer(gethrpc.Gated(server.WebsocketHandler([]string{"*"})))
			defer web.Close()
			conn, answered, err := websocket.DefaultDialer.Dial("ws"+strings.TrimPrefix(web.URL, "http"), nil)
			must.Do(t, err)
			_ = answered.Body.Close()
			for _, message := range row.sent {
				must.Do(t, conn.WriteMessage(websocket.TextMessage, []byte(message)))
			}
			for range row.held {
				<-service.running
			}
			all, _ := d.resources[gethrpc.Reading].Taken()
			expect.That(t, all >= row.held*size, "%d bytes are counted while %d calls of %d bytes run", all, row.held, size)
			must.Do(t, conn.Close())
			close(service.end)
			for begun := time.Now(); ; time.Sleep(time.Millisecond) {
				all, owners := d.resources[gethrpc.Reading].Taken()
				if all == 0 && owners == 0 {
					break
				}
				must.That(t, time.Since(begun) <= 20*time.Second, "%d bytes of %d owners are counted in the end", all, owners)
			}
		})
	}
}
