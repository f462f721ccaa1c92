package main

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// TestServe: simulate --serve listens on this machine only, at an address with a token that is new each time, and ends with
// status 0 where its context does.
func TestServe(t *testing.T) {
	seen := map[string]bool{}
	for range 2 {
		ctx, cancel := context.WithCancel(t.Context())
		r, w := io.Pipe()
		code := make(chan int, 1)
		go func() {
			code <- newProgram().run(ctx, []string{"orbitmc", "simulate", "../../benchmarks/murphi/mutex_sem.m", "--serve"}, w, io.Discard)
			w.Close()
		}()
		address, err := bufio.NewReader(r).ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		address = strings.TrimSpace(address)
		u, err := url.Parse(address)
		if err != nil || !net.ParseIP(u.Hostname()).IsLoopback() || len(u.Path) < 20 || seen[u.Path] {
			t.Errorf("the address is %s", address)
		}
		seen[u.Path] = true
		for at, want := range map[string]int{address: 200, "http://" + u.Host + "/": 404, "http://" + u.Host + "/do": 404} {
			resp, err := http.Get(at)
			if err != nil {
				t.Fatal(err)
			}
			resp.Body.Close()
			if resp.StatusCode != want {
				t.Errorf("%s: status %d, want %d", at, resp.StatusCode, want)
			}
		}
		cancel()
		if got := <-code; got != exitHolds {
			t.Errorf("exit status %d", got)
		}
	}
}
