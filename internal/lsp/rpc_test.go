package lsp

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"time"
)

// framed puts headers before messages.
func framed(messages ...string) string {
	var b strings.Builder
	for i, m := range messages {
		fmt.Fprintf(&b, "%s: %d\r\nContent-Type: x\r\n\r\n%s", []string{"Content-Length", "content-length"}[i%2], len(m), m)
	}
	return b.String()
}

type lockedBuffer struct {
	mu sync.Mutex
	bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.Buffer.Write(p)
}

// TestRPC sends requests, notifications and what is neither: notifications come in order, a request that
// waits does not hold up others, and can be cancelled.
func TestRPC(t *testing.T) {
	var out lockedBuffer
	var order []string
	c := &conn{w: &out, cancel: make(map[string]context.CancelFunc)}
	c.methods = map[string]method{
		"note": handle(func(_ context.Context, p struct{ Text string }) (any, error) {
			order = append(order, p.Text)
			return nil, nil
		}),
		"add":  handle(func(_ context.Context, p []int) (any, error) { return p[0] + p[1], nil }),
		"none": handle(func(context.Context, any) (any, error) { return nil, nil }),
		"fail": handle(func(context.Context, any) (any, error) { return nil, errors.New("it <fails>") }),
		"bad":  handle(func(context.Context, any) (any, error) { return nil, failure(invalidRequest, "no %d", 1) }),
		"wait": handle(func(context.Context, any) (any, error) {
			return later(func(ctx context.Context) (any, error) { <-ctx.Done(); return nil, ctx.Err() }), nil
		}),
		"stop": handle(func(_ context.Context, p cancelParams) (any, error) { c.stop(p.ID); return nil, nil }),
	}
	r, w := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- c.serve(context.Background(), r) }()
	// ask sends messages, and waits for something in the output.
	ask := func(want string, messages ...string) {
		t.Helper()
		io.WriteString(w, framed(messages...))
		for range 2000 {
			out.mu.Lock()
			got := out.String()
			out.mu.Unlock()
			if strings.Contains(got, want) {
				return
			}
			time.Sleep(time.Millisecond)
		}
		t.Fatalf("no %s in %s", want, out.String())
	}
	ask(`{"jsonrpc":"2.0","id":"w","error":{"code":-32800,"message":"cancelled"}}`,
		`{"jsonrpc":"2.0","id":"w","method":"wait"}`, `{"jsonrpc":"2.0","method":"note","params":{"Text":"a"}}`,
		`{"jsonrpc":"2.0","method":"note","params":{"Text":"b"}}`, `{"jsonrpc":"2.0","method":"nobody"}`, `{"jsonrpc":"2.0","method":"note","params":[1]}`,
		`{"jsonrpc":"2.0","id":7,"result":1}`, `{"jsonrpc":"2.0","method":"stop","params":{"id":"w"}}`)
	for want, m := range map[string]string{
		`"id":1,"result":5}`: `{"jsonrpc":"2.0","id":1,"method":"add","params":[2,3]}`, `"id":2,"result":null}`: `{"jsonrpc":"2.0","id":2,"method":"none"}`,
		`"id":3,"error":{"code":-32603,"message":"it \u003cfails\u003e"}}`: `{"jsonrpc":"2.0","id":3,"method":"fail"}`,
		`"id":4,"error":{"code":-32600,"message":"no 1"}}`:                 `{"jsonrpc":"2.0","id":4,"method":"bad"}`,
		`"id":5,"error":{"code":-32601,`:                                   `{"jsonrpc":"2.0","id":5,"method":"nobody"}`,
		`"id":6,"error":{"code":-32602,`:                                   `{"jsonrpc":"2.0","id":6,"method":"add","params":{"a":1}}`,
		`"id":null,"error":{"code":-32700,`:                                `{"jsonrpc":`,
	} {
		ask(want, m)
	}
	w.Close()
	if err := <-ended; err != nil || strings.Join(order, "") != "ab" {
		t.Errorf("%v, %q", err, order)
	}
	in := bufio.NewReader(&out)
	for n := 0; ; n++ {
		length, err := header(in)
		if errors.Is(err, io.EOF) && n == 8 {
			break
		}
		if err != nil {
			t.Fatalf("message %d: %v", n, err)
		}
		io.CopyN(io.Discard, in, int64(length))
	}
	for text, want := range map[string]string{
		"": "", "Content-Length: 5\r\n\r\n{}": "unexpected EOF", "Content-Length": "unexpected EOF", "A: b\r\n\r\n": "no Content-Length",
		"Content-Length: -1\r\n\r\n": `says "Content-Length: -1"`, "Content-Length: x\r\n\r\n": "says", "Content-Length: 99999999999\r\n\r\n": "says", "Content-Length: 2\r\n": "unexpected EOF",
	} {
		err := (&conn{w: io.Discard}).serve(context.Background(), strings.NewReader(text))
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}
