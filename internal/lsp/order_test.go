package lsp

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestMain lets the test be the program that checks: it waits to be ended.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "check" {
		time.Sleep(time.Minute)
		os.Exit(2)
	}
	os.Exit(m.Run())
}

// TestOneWrite sends a whole session in one write: each message is answered, in order, and what takes time when it is
// over or when the session ends, as cancelled.
func TestOneWrite(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	const doc = `{"uri":"file:///none/m.m"}`
	at := func(id int, method string) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"textDocument/%s","params":{"textDocument":%s,"position":{"line":0,"character":4},"newName":"z","context":{"includeDeclaration":true}}}`, id, method, doc)
	}
	session := []string{
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{}}}`,
		`{"jsonrpc":"2.0","method":"initialized","params":{}}`,
		`{"jsonrpc":"2.0","method":"textDocument/didOpen","params":{"textDocument":{"uri":"file:///none/m.m","languageId":"murphi","version":1,"text":"var x: boolean;\nstartstate x := true end;\nrule x := y; end;\n"}}}`,
		at(2, "definition"), at(3, "references"), at(4, "hover"),
		`{"jsonrpc":"2.0","method":"textDocument/didChange","params":{"textDocument":{"uri":"file:///none/m.m","version":2},"contentChanges":[{"text":"var x: boolean;\nstartstate x := true; end;\nrule x := !x; end;\n"}]}}`,
		at(5, "rename"), at(6, "formatting"), at(7, "codeAction"),
		`{"jsonrpc":"2.0","id":8,"method":"nobody"}`,
		`{"jsonrpc":"2.0","id":9,"method":"workspace/executeCommand","params":{"command":"orbitmc.check","arguments":["file:///none/m.m"]}}`,
		`{"jsonrpc":"2.0","id":10,"method":"shutdown"}`,
	}
	want := []string{"1", "v1", "2", "3", "4", "v2", "5", "6", "7", "8", "10", "9"}
	const exit = `{"jsonrpc":"2.0","method":"exit"}`
	for name, text := range map[string]string{
		"end":  framed(session...),
		"exit": framed(append(slices.Clone(session), exit)...),
		"more": framed(append(slices.Clone(session), exit, at(11, "hover"))...),
	} {
		for range 50 {
			var out strings.Builder
			if err := (&Server{Program: self}).Serve(t.Context(), strings.NewReader(text), &out); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if got := order(t, out.String()); !slices.Equal(got, want) {
				t.Fatalf("%s: in order it sends %v, want %v", name, got, want)
			}
		}
	}
}

// order returns what messages are about, in order: the number of a request, or v and the version of a document.
func order(t *testing.T, text string) (all []string) {
	in := bufio.NewReader(strings.NewReader(text))
	for {
		n, err := header(in)
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		body := make([]byte, n)
		if _, err := io.ReadFull(in, body); err != nil {
			t.Fatal(err)
		}
		var m struct {
			ID     json.RawMessage
			Params struct{ Version int }
		}
		if err := json.Unmarshal(body, &m); err != nil {
			t.Fatal(err)
		}
		if about := string(m.ID); about != "" {
			all = append(all, about)
		} else {
			all = append(all, fmt.Sprint("v", m.Params.Version))
		}
	}
}

// TestInterrupted: the server ends with its context, although input may still come.
func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	r, w := io.Pipe()
	defer w.Close()
	ended := make(chan error, 1)
	go func() { ended <- (&Server{Program: "none"}).Serve(ctx, r, io.Discard) }()
	io.WriteString(w, framed(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}`))
	cancel()
	select {
	case err := <-ended:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(time.Minute):
		t.Error("it goes on")
	}
}
