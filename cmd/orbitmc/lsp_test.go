package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// TestLSP replays sessions of an editor, recorded in testdata/lsp. A line "> MESSAGE" is sent to
// `orbitmc lsp`, lines "< MESSAGE" are what it sends until the next line ">", in this order.
// In a message, FILE(name) is the text of a file of benchmarks, as a string of JSON, and lines
// that begin with # are remarks. With -update the answers are recorded anew.
func TestLSP(t *testing.T) {
	sessions, err := filepath.Glob("testdata/lsp/*.session")
	if err != nil || len(sessions) < 2 {
		t.Fatal(sessions, err)
	}
	for _, file := range sessions {
		t.Run(filepath.Base(file), func(t *testing.T) { replaySession(t, file) })
	}
}

func replaySession(t *testing.T, file string) {
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	c := startLSP(t)
	var record strings.Builder
	lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	for i := 0; i < len(lines); {
		line := lines[i]
		i++
		sent, ok := strings.CutPrefix(line, "> ")
		fmt.Fprintln(&record, line)
		if !ok {
			if line != "" && line[0] != '#' {
				t.Fatalf("%s:%d: %q", file, i, line)
			}
			continue
		}
		c.send(t, expand(t, sent))
		for i < len(lines) && strings.HasPrefix(lines[i], "< ") {
			want := lines[i][2:]
			i++
			if *update {
				continue
			}
			got, ok := c.receive(time.Minute)
			if !ok {
				t.Fatalf("%s:%d: no answer, want %s", file, i, want)
			}
			if !sameJSON(t, got, want) {
				t.Fatalf("%s:%d: it sends\n%s\nwant\n%s", file, i, got, want)
			}
		}
		if *update {
			for wait := 30 * time.Second; ; wait = time.Second {
				if !strings.Contains(sent, `"id"`) && !strings.Contains(sent, "did") {
					wait = time.Second / 10
				}
				got, ok := c.receive(wait)
				if !ok {
					break
				}
				fmt.Fprintln(&record, "< "+got)
				if strings.Contains(got, `"id"`) || strings.Contains(sent, `"didOpen`) {
					break
				}
			}
		}
	}
	if got, ok := c.receive(time.Second / 10); ok {
		t.Errorf("%s: more is sent: %s", file, got)
	}
	c.end(t)
	if *update {
		if err := os.WriteFile(file, []byte(record.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// expand replaces FILE(name).
func expand(t *testing.T, message string) string {
	before, rest, ok := strings.Cut(message, "FILE(")
	if !ok {
		return message
	}
	name, after, _ := strings.Cut(rest, ")")
	text, err := os.ReadFile(filepath.Join("../../benchmarks", name))
	if err != nil {
		t.Fatal(err)
	}
	quoted, _ := json.Marshal(string(text))
	return before + string(quoted) + expand(t, after)
}

// sameJSON compares messages; a string that ends in "…" stands for those that begin so.
func sameJSON(t *testing.T, got, want string) bool {
	var g, w any
	if err := json.Unmarshal([]byte(got), &g); err != nil {
		t.Fatalf("%v: %s", err, got)
	}
	if err := json.Unmarshal([]byte(want), &w); err != nil {
		t.Fatalf("%v: %s", err, want)
	}
	return alike(g, w)
}

func alike(g, w any) bool {
	switch w := w.(type) {
	case string:
		got, ok := g.(string)
		begin, open := strings.CutSuffix(w, "…")
		return ok && (got == w || open && strings.HasPrefix(got, begin))
	case []any:
		got, ok := g.([]any)
		return ok && slices.EqualFunc(got, w, alike)
	case map[string]any:
		got, ok := g.(map[string]any)
		return ok && maps.EqualFunc(got, w, alike)
	}
	return g == w
}

type lspClient struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out chan string
}

func startLSP(t *testing.T) *lspClient {
	cmd := exec.Command("orbitmc", "lsp")
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill() })
	c := &lspClient{cmd, in, make(chan string, 100)}
	go func() {
		r := bufio.NewReader(out)
		for {
			length := 0
			for {
				line, err := r.ReadString('\n')
				if err != nil {
					return
				}
				line = strings.TrimSpace(line)
				if line == "" {
					break
				}
				if v, ok := strings.CutPrefix(line, "Content-Length: "); ok {
					length, _ = strconv.Atoi(v)
				}
			}
			body := make([]byte, length)
			if _, err := io.ReadFull(r, body); err != nil {
				return
			}
			c.out <- string(body)
		}
	}()
	return c
}

func (c *lspClient) send(t *testing.T, message string) {
	if _, err := fmt.Fprintf(c.in, "Content-Length: %d\r\n\r\n%s", len(message), message); err != nil {
		t.Fatal(err)
	}
}

// end waits for the end of the server, which was told to exit.
func (c *lspClient) end(t *testing.T) {
	late := time.AfterFunc(time.Minute, func() { c.cmd.Process.Kill() })
	defer late.Stop()
	if err := c.cmd.Wait(); err != nil {
		t.Errorf("it ends with %v", err)
	}
}

// TestLSPWhileChecking: a check that goes on does not keep the server from answering, and ends when
// it is cancelled.
func TestLSPWhileChecking(t *testing.T) {
	c := startLSP(t)
	for _, m := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{},"initializationOptions":{"defines":["NODE_NUM=9","DATA_NUM=2"],"timeout":"10m"}}}`,
		`{"jsonrpc":"2.0","method":"textDocument/didOpen","params":{"textDocument":{"uri":"file:///none/f.m","languageId":"murphi","version":1,"text":FILE(murphi/flash_data.m)}}}`,
	} {
		c.send(t, expand(t, m))
		if got, ok := c.receive(time.Minute); !ok {
			t.Fatalf("no answer to %.80s", m)
		} else if strings.Contains(got, "error") || strings.Contains(got, "severity") {
			t.Fatal(got)
		}
	}
	c.send(t, `{"jsonrpc":"2.0","id":2,"method":"workspace/executeCommand","params":{"command":"orbitmc.check","arguments":["file:///none/f.m"]}}`)
	time.Sleep(200 * time.Millisecond)
	c.send(t, `{"jsonrpc":"2.0","method":"textDocument/didChange","params":{"textDocument":{"uri":"file:///none/f.m","version":2},"contentChanges":[{"text":"var x"}]}}`)
	if got, ok := c.receive(time.Minute); !ok || !strings.Contains(got, `"version":2`) {
		t.Errorf("of the change it sends %q", got)
	}
	c.send(t, `{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":2}}`)
	if got, ok := c.receive(time.Minute); !ok || !strings.Contains(got, `"id":2,"error"`) {
		t.Errorf("the check ends with %q", got)
	}
	c.send(t, `{"jsonrpc":"2.0","id":3,"method":"shutdown"}`)
	if got, ok := c.receive(time.Minute); !ok || !strings.Contains(got, `"id":3,"result":null`) {
		t.Errorf("shutdown: %q", got)
	}
	c.send(t, `{"jsonrpc":"2.0","method":"exit"}`)
	c.end(t)
}

// TestLSPOneWrite: messages that come together are answered in their order.
func TestLSPOneWrite(t *testing.T) {
	c := startLSP(t)
	var all strings.Builder
	for _, m := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{},"initializationOptions":{"patience":"1m"}}}`,
		`{"jsonrpc":"2.0","method":"textDocument/didOpen","params":{"textDocument":{"uri":"file:///none/g.m","languageId":"murphi","version":1,"text":FILE(murphi/german.m)}}}`,
		`{"jsonrpc":"2.0","id":2,"method":"textDocument/codeAction","params":{"textDocument":{"uri":"file:///none/g.m"},"range":{"start":{"line":0,"character":0},"end":{"line":0,"character":0}}}}`,
		`{"jsonrpc":"2.0","id":3,"method":"shutdown"}`,
		`{"jsonrpc":"2.0","method":"exit"}`,
	} {
		m = expand(t, m)
		fmt.Fprintf(&all, "Content-Length: %d\r\n\r\n%s", len(m), m)
	}
	if _, err := io.WriteString(c.in, all.String()); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"id":1,"result"`, "publishDiagnostics", `"id":2,"result"`, `"id":3,"result"`} {
		if got, ok := c.receive(time.Minute); !ok || !strings.Contains(got, want) {
			t.Fatalf("it sends %q, want %s", got, want)
		}
	}
	c.end(t)
}

// receive returns the next message, or false if none comes in time.
func (c *lspClient) receive(wait time.Duration) (string, bool) {
	select {
	case m := <-c.out:
		return m, true
	case <-time.After(wait):
		return "", false
	}
}
