// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package notify

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"gwon/internal/expect"
	"gwon/internal/must"
)

// block returns the block of code of docs/develop/notify.md that begins with a text.
func codeBlock(t *testing.T, start string) string {
	t.Helper()
	page := must.Get(os.ReadFile(filepath.Join("..", "..", "docs", "develop", "notify.md")))(t)
	for _, found := range regexp.MustCompile("(?ms)^```[a-z]*\n(.*?)^```").FindAllStringSubmatch(string(page), -1) {
		if strings.HasPrefix(found[1], start) {
			return found[1]
		}
	}
	t.Fatalf("docs/develop/notify.md has no block that begins with %q", start)
	return ""
}

// The documented commands make a configuration that is accepted, and the documented receiver accepts what is signed,
// once, and nothing else.
func TestDocumentedReceiver(t *testing.T) {
	for _, tool := range []string{"node", "openssl"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("%s is not installed", tool)
		}
	}
	directory := t.TempDir()
	listener := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
	port := fmt.Sprint(listener.Addr().(*net.TCPAddr).Port)
	must.Do(t, listener.Close())

	// The commands, without the program that follows them.
	setup, _, _ := strings.Cut(codeBlock(t, "mkdir"), "gwon-pay notify check")
	shell := exec.CommandContext(t.Context(), "sh", "-euc", strings.ReplaceAll(setup, ":3000", ":"+port))
	shell.Dir = directory
	out, err := shell.CombinedOutput()
	must.That(t, err == nil, "%v: %s", err, out)
	directory = filepath.Join(directory, "notify")
	config := must.Get(LoadConfig(filepath.Join(directory, "notify.toml")))(t)

	script := strings.ReplaceAll(codeBlock(t, "// receiver.mjs"), "listen(3000,", "listen("+port+",")
	must.Do(t, os.WriteFile(filepath.Join(directory, "receiver.mjs"), []byte(script), 0o600))
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	node := exec.CommandContext(ctx, "node", "receiver.mjs")
	node.Dir, node.Stderr = directory, os.Stderr
	output := must.Get(node.StdoutPipe())(t)
	must.Do(t, node.Start())
	defer func() {
		_ = node.Process.Kill()
		_ = node.Wait() // it was killed
	}()
	lines := bufio.NewScanner(output)

	c := newChain(5, 1)
	for len(c.wanted(In, account(4))) == 0 {
		c.grow()
	}
	config.Node = c.serve(t).URL
	w := &config.Webhook[0]
	w.Addresses, w.Start, w.start = []common.Address{account(4)}, "0", new(uint64)
	s := must.Get(New(config))(t)
	defer func() { expect.Error(t, s.Close(), nil, "Close") }()
	ended := make(chan error, 1)
	serving, stop := context.WithCancel(ctx)
	go func() { ended <- s.Run(serving) }()
	want := "paid 0.00000000000000009 WKRC to " + account(4).Hex() // 90 wei
	if !lines.Scan() || !strings.HasSuffix(strings.ToLower(lines.Text()), strings.ToLower(want)) {
		t.Errorf("the receiver printed %q", lines.Text())
	}
	// A request that is cut off does not end the program.
	cut := must.Get(net.Dial("tcp", "127.0.0.1:"+port))(t)
	fmt.Fprint(cut, "POST /transfers HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n{")
	must.Do(t, cut.Close())
	stop()
	err = <-ended
	expect.That(t, err == nil, "%v", err)
	for name, row := range map[string]struct {
		signature string
		want      int
	}{
		"no signature":     {"", http.StatusUnauthorized},
		"another secret":   {Sign([]byte(testSecret), []byte(`{"transfers":[]}`), time.Now()), http.StatusUnauthorized},
		"an old request":   {Sign(w.secret, []byte(`{"transfers":[]}`), time.Now().Add(-time.Hour)), http.StatusUnauthorized},
		"another body":     {Sign(w.secret, []byte(`{}`), time.Now()), http.StatusUnauthorized},
		"a signed request": {Sign(w.secret, []byte(`{"transfers":[]}`), time.Now()), http.StatusNoContent},
	} {
		t.Run(name, func(t *testing.T) {
			body := strings.NewReader(`{"transfers":[]}`)
			request := must.Get(http.NewRequestWithContext(ctx, http.MethodPost, w.URL, body))(t)
			request.Header.Set(SignatureHeader, row.signature)
			answer := must.Get(http.DefaultClient.Do(request))(t)
			must.Do(t, answer.Body.Close())
			expect.Equal(t, answer.StatusCode, row.want, "status")
		})
	}
}

// The kiosk of the documentation is a configuration.
func TestDocumentedKiosk(t *testing.T) {
	directory := t.TempDir()
	kiosk := codeBlock(t, `node = "http://127.0.0.1:8545"`)
	for name, content := range map[string]string{"secret": testSecret, "notify.toml": kiosk} {
		must.Do(t, os.WriteFile(filepath.Join(directory, name), []byte(content), 0o600))
	}
	c := must.Get(LoadConfig(filepath.Join(directory, "notify.toml")))(t)
	f := c.Webhook[0].Event[0]
	expect.That(t, f.event.signature == "PaymentSettled(address,bytes32,uint256)" && len(f.topics[0]) == 1 &&
		f.topics[1] == nil, "%s, topics %v", f.event.signature, f.topics)
}
