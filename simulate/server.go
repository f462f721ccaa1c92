package simulate

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"html/template"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"

	"orbitmc/internal/lists"
	"orbitmc/task"
	"orbitmc/trace"
)

//go:embed panel.html
var panelText string

//go:embed panel.css
var panelStyle string

//go:embed panel.js
var panelScript string

var panelTemplate = template.Must(template.New("panel").Parse(panelText))

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

// Handler serves the session below /TOKEN/: the page; do, which carries out the command that is posted; and trace, the run up to
// here as save writes it. All else is refused, and so is whoever asks for it by a name of the host that is not loopback.
func (s *Session) Handler(token string) http.Handler {
	s.quiet = true
	s.Save = func(string, func(io.Writer) error) error {
		return errors.New("a page writes no files; it has a link for that")
	}
	var mu sync.Mutex
	mux := http.NewServeMux()
	handle := func(pattern, kind string, f func(w io.Writer, r *http.Request) error) {
		method, path, _ := strings.Cut(pattern, " ")
		mux.HandleFunc(method+" /"+token+"/"+path, func(w http.ResponseWriter, r *http.Request) {
			mu.Lock()
			defer mu.Unlock()
			var b bytes.Buffer
			err := func() (err error) {
				defer task.Recover(&err)
				return f(&b, r)
			}()
			if err != nil {
				http.Error(w, err.Error(), http.StatusBadRequest)
				return
			}
			w.Header().Set("Content-Type", kind)
			w.Write(b.Bytes())
		})
	}
	handle("GET {$}", "text/html; charset=utf-8", func(w io.Writer, _ *http.Request) error {
		v, err := s.view()
		if err != nil {
			return err
		}
		var panel strings.Builder
		if err := panelTemplate.Execute(&panel, v.Title); err != nil {
			return err
		}
		return v.WritePanel(w, trace.Panel{HTML: template.HTML(panel.String()), Style: template.CSS(panelStyle), Script: template.JS(panelScript)})
	})
	handle("POST do", "application/json", func(w io.Writer, r *http.Request) error {
		line, err := io.ReadAll(http.MaxBytesReader(nil, r.Body, 1<<16))
		if err != nil {
			return err
		}
		var said strings.Builder
		s.Do(r.Context(), &said, string(line))
		v, err := s.view()
		if err != nil {
			return err
		}
		a := answer{Said: said.String(), Run: lists.Make(len(s.run), s.title), At: s.at, Loop: s.loop, Moves: s.moves()}
		if s.at >= 0 {
			a.Props = s.sys.props(s.here())
		}
		a.View, a.Sequence = v.Live()
		return json.NewEncoder(w).Encode(a)
	})
	handle("GET trace", "text/plain; charset=utf-8", func(w io.Writer, _ *http.Request) error {
		if s.at < 0 {
			return errNone
		}
		write, err := s.sys.save(s.here())
		if err != nil {
			return err
		}
		return write(w)
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host, _, err := net.SplitHostPort(r.Host)
		if ip := net.ParseIP(host); err != nil || host != "localhost" && (ip == nil || !ip.IsLoopback()) {
			http.Error(w, "not by this name", http.StatusForbidden)
			return
		}
		for name, value := range map[string]string{"Cache-Control": "no-store", "Referrer-Policy": "no-referrer", "X-Content-Type-Options": "nosniff",
			"Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; connect-src 'self'; img-src data:; frame-ancestors 'self'"} {
			w.Header().Set(name, value)
		}
		mux.ServeHTTP(w, r)
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
