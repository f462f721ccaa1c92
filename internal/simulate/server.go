package simulate

import (
	"bufio"
	"cmp"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"io"
	"net"
	"net/textproto"
	"strconv"
	"strings"
	"sync"
	"time"

	"orbitmc/internal/lists"
	"orbitmc/internal/task"
	"orbitmc/internal/trace"
)

//go:embed panel.html
var panelText string

//go:embed panel.css
var panelStyle string

//go:embed panel.js
var panelScript string

// panel is what the template sees.
type panel struct {
	Title   string
	Netlist bool
}

// answer is what the page shows once a command was carried out.
type answer struct {
	Said     string   `json:"said"`
	Run      []string `json:"run"`
	At       int      `json:"at"` // -1: no start state is chosen
	Loop     int      `json:"loop"`
	Moves    []Move   `json:"moves"`
	Props    []Prop   `json:"props"`
	View     any      `json:"view"`
	Sequence string   `json:"sequence"`
}

// Serve answers requests on l until ctx ends. Below /TOKEN/ are the page; do, which carries out the command that is posted; and
// trace, the run up to here as save writes it. All else is refused, and so is whoever asks by a name of the host that is not
// loopback.
func (s *Session) Serve(ctx context.Context, l net.Listener, token string) error {
	s.quiet = true
	s.Save = func(string, func(io.Writer) error) error {
		return errors.New("a page writes no files; it has a link for that")
	}
	var mu sync.Mutex
	return serve(ctx, l, func(ctx context.Context, r request) (kind, body string, err error) {
		host, _, err := net.SplitHostPort(r.host)
		if ip := net.ParseIP(host); err != nil || host != "localhost" && (ip == nil || !ip.IsLoopback()) {
			return "", "", status(403)
		}
		path, ok := strings.CutPrefix(r.path, "/"+token+"/")
		if method := map[string]string{"": "GET", "do": "POST", "trace": "GET"}[path]; !ok || method == "" {
			return "", "", status(404)
		} else if r.method != method {
			return "", "", status(405)
		}
		mu.Lock()
		defer mu.Unlock()
		defer task.Recover(&err)
		var b, said strings.Builder
		switch path {
		case "trace":
			if s.at < 0 {
				return "", "", errNone
			}
			write, err := s.sys.save(s.here())
			if err == nil {
				err = write(&b)
			}
			return "text/plain", b.String(), err
		case "do":
			s.Do(ctx, &said, r.body)
		}
		v, err := s.view()
		if err != nil {
			return "", "", err
		}
		if path == "" {
			_, netlist := s.sys.(*netlist)
			if err := template.Must(template.New("panel").Parse(panelText)).Execute(&said, panel{v.Title, netlist}); err != nil {
				return "", "", err
			}
			err = v.WritePanel(&b, trace.Panel{HTML: template.HTML(said.String()), Style: template.CSS(panelStyle), Script: template.JS(panelScript)})
			return "text/html", b.String(), err
		}
		a := answer{Said: said.String(), Run: lists.Make(len(s.run), s.title), At: s.at, Loop: s.loop, Moves: s.moves()}
		if s.at >= 0 {
			a.Props = s.sys.props(s.here())
		}
		a.View, a.Sequence = v.Live()
		err = json.NewEncoder(&b).Encode(a)
		return "application/json", b.String(), err
	})
}

// view returns the view of the whole run, also if it is empty.
func (s *Session) view() (*trace.View, error) {
	if len(s.run) == 0 {
		return &trace.View{Title: s.file, Loop: -1}, nil
	}
	v, err := s.sys.view(s.run)
	if err == nil && v.Kind == "run" {
		v.Verb, v.Loop = "", s.loop
	}
	return v, err
}

// What follows is a server for one page: a request of HTTP/1.1 (RFC 9112) on each connection, GET or POST with a length. It
// links nothing of net/http, which was an eighth of the program.

// Bounds, on bytes, and on the time in which a request is to arrive or an answer to leave.
const (
	mostHead, mostBody = 1 << 14, 1 << 16
	mostWait           = 10 * time.Second
)

type request struct{ method, host, path, body string }

// status is that of a refusal.
type status int

func (s status) Error() string {
	return map[status]string{400: "want a request of HTTP/1.1, its body with a length", 403: "not by this name", 404: "not found",
		405: "not by this method", 413: "too long a body", 431: "too long a head"}[s]
}

// readRequest reads a request; its path is without a query.
func readRequest(from io.Reader) (request, error) {
	limited := &io.LimitedReader{R: from, N: mostHead}
	b := bufio.NewReader(limited)
	in := textproto.NewReader(b)
	line, err := in.ReadLine()
	header, wrong := in.ReadMIMEHeader()
	words, length := strings.Split(line, " "), header["Content-Length"]
	n, number := strconv.ParseUint(cmp.Or(header.Get("Content-Length"), "0"), 10, 63)
	switch {
	case (err != nil || wrong != nil) && limited.N == 0:
		return request{}, status(431)
	case cmp.Or(err, wrong, number) != nil || len(words) != 3 || !strings.HasPrefix(words[1], "/") || words[2] != "HTTP/1.1" && words[2] != "HTTP/1.0",
		len(header["Host"]) != 1 || len(length) > 1 || header["Transfer-Encoding"] != nil:
		return request{}, status(400)
	case n > mostBody:
		return request{}, status(413)
	}
	limited.N += int64(n)
	body := make([]byte, n)
	_, err = io.ReadFull(b, body)
	path, _, _ := strings.Cut(words[1], "?")
	return request{words[0], header.Get("Host"), path, string(body)}, err
}

// serve answers requests until ctx ends. That of an answer ends also where nobody waits for it.
func serve(ctx context.Context, l net.Listener, answer func(context.Context, request) (kind, body string, err error)) error {
	defer context.AfterFunc(ctx, func() { l.Close() })()
	var all sync.WaitGroup
	defer all.Wait()
	for {
		conn, err := l.Accept()
		if err != nil {
			return map[bool]error{false: err}[ctx.Err() != nil]
		}
		all.Go(func() {
			defer conn.Close()
			defer context.AfterFunc(ctx, func() { conn.Close() })()
			conn.SetDeadline(time.Now().Add(mostWait))
			kind, body, gone := "", "", make(chan bool)
			r, err := readRequest(conn)
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
			code := 200
			if err != nil {
				s, ok := err.(status)
				code, kind, body = map[bool]int{true: int(s), false: 400}[ok], "text/plain", err.Error()+"\n"
			}
			fmt.Fprintf(conn, "HTTP/1.1 %d \r\nConnection: close\r\nContent-Type: %s; charset=utf-8\r\nContent-Length: %d\r\nCache-Control: no-store\r\nReferrer-Policy: no-referrer\r\n"+
				"X-Content-Type-Options: nosniff\r\nContent-Security-Policy: default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; connect-src 'self'; "+
				"img-src data:; frame-ancestors 'self'\r\n\r\n%s", code, kind, len(body), body)
			if tcp, ok := conn.(*net.TCPConn); ok { // so that the answer arrives also if not all of the request was read
				tcp.CloseWrite()
				<-gone
			}
		})
	}
}
