package simulate

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/textproto"
	"strconv"
	"strings"
	"sync"
	"time"
)

// This file holds a server for one page: a request of HTTP/1.1 (RFC 9112) on each connection, GET or POST with a length. It
// links nothing of net/http, which is a sixth of a program.

// Bounds, on bytes, on the time in which a request is to arrive or an answer to leave, and on connections at a time.
const (
	mostHead, mostBody = 1 << 14, 1 << 16
	mostWait           = 10 * time.Second
	mostConnections    = 16
)

type request struct{ method, host, path, body string }

// refusal is the status of an answer, and what it says.
type refusal struct {
	status int
	text   string
}

func (r *refusal) Error() string { return r.text }

// readRequest reads a request; its path is without a query.
func readRequest(from io.Reader) (r request, err error) {
	head := &io.LimitedReader{R: from, N: mostHead}
	b := bufio.NewReader(head)
	in := textproto.NewReader(b)
	line, err := in.ReadLine()
	header, headerErr := in.ReadMIMEHeader()
	if err != nil || headerErr != nil {
		if head.N == 0 {
			return r, &refusal{431, "the request has too long a head"}
		}
		return r, &refusal{400, "no request of HTTP"}
	}
	words := strings.Split(line, " ")
	if len(words) != 3 || !strings.HasPrefix(words[1], "/") || len(header["Host"]) != 1 {
		return r, &refusal{400, "no request of HTTP/1.1"}
	}
	if words[2] != "HTTP/1.1" && words[2] != "HTTP/1.0" {
		return r, &refusal{505, "want HTTP/1.1"}
	}
	r.method, r.host = words[0], header.Get("Host")
	r.path, _, _ = strings.Cut(words[1], "?")
	if header["Transfer-Encoding"] != nil || len(header["Content-Length"]) > 1 {
		return r, &refusal{411, "want a body with one length"}
	}
	if length := header.Get("Content-Length"); length != "" {
		n, err := strconv.ParseUint(length, 10, 63)
		if err != nil {
			return r, &refusal{400, "want a number as length"}
		}
		if n > mostBody {
			return r, &refusal{413, "the request has too long a body"}
		}
		head.N += int64(n)
		body := make([]byte, n)
		if _, err := io.ReadFull(b, body); err != nil {
			return r, &refusal{400, "the request has too short a body"}
		}
		r.body = string(body)
	}
	return r, nil
}

// serve answers requests until ctx ends. That of an answer ends also where nobody waits for it.
func serve(ctx context.Context, l net.Listener, answer func(context.Context, request) (kind string, body []byte, err error)) error {
	defer context.AfterFunc(ctx, func() { l.Close() })()
	var all sync.WaitGroup
	defer all.Wait()
	room := make(chan bool, mostConnections)
	for {
		room <- true
		conn, err := l.Accept()
		if ctx.Err() != nil {
			if err == nil {
				conn.Close()
			}
			return nil
		} else if err != nil {
			return err
		}
		all.Go(func() {
			defer func() { <-room }()
			defer conn.Close()
			defer context.AfterFunc(ctx, func() { conn.Close() })()
			conn.SetDeadline(time.Now().Add(mostWait))
			r, err := readRequest(conn)
			status, kind, body, gone := 200, "", []byte(nil), make(chan bool)
			ctx, cancel := context.WithCancel(ctx)
			defer cancel()
			go func() { // what follows the request, up to its end
				defer close(gone)
				io.Copy(io.Discard, conn)
				cancel()
			}()
			if err == nil {
				conn.SetDeadline(time.Time{})
				kind, body, err = answer(ctx, r)
				conn.SetDeadline(time.Now().Add(mostWait))
			}
			if err != nil {
				status, kind, body = 400, "text/plain; charset=utf-8", []byte(err.Error()+"\n")
				if r, ok := err.(*refusal); ok {
					status = r.status
				}
			}
			fmt.Fprintf(conn, "HTTP/1.1 %d \r\nConnection: close\r\nContent-Type: %s\r\nContent-Length: %d\r\nCache-Control: no-store\r\nReferrer-Policy: no-referrer\r\nX-Content-Type-Options: nosniff\r\n"+
				"Content-Security-Policy: default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; connect-src 'self'; img-src data:; frame-ancestors 'self'\r\n\r\n%s", status, kind, len(body), body)
			if tcp, ok := conn.(*net.TCPConn); ok { // so that the answer arrives also if not all of the request was read
				tcp.CloseWrite()
				<-gone
			}
		})
	}
}
