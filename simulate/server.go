package simulate

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"html/template"
	"io"
	"net"
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

// Serve answers requests on l until ctx ends. Below /TOKEN/ are the page; do, which carries out the command that is posted; and
// trace, the run up to here as save writes it. All else is refused, and so is whoever asks by a name of the host that is not
// loopback.
func (s *Session) Serve(ctx context.Context, l net.Listener, token string) error {
	s.quiet = true
	s.Save = func(string, func(io.Writer) error) error {
		return errors.New("a page writes no files; it has a link for that")
	}
	var mu sync.Mutex
	return serve(ctx, l, func(ctx context.Context, r request) (kind string, body []byte, err error) {
		host, _, err := net.SplitHostPort(r.host)
		if ip := net.ParseIP(host); err != nil || host != "localhost" && (ip == nil || !ip.IsLoopback()) {
			return "", nil, &refusal{403, "not by this name"}
		}
		path, ok := strings.CutPrefix(r.path, "/"+token+"/")
		if method := map[string]string{"": "GET", "do": "POST", "trace": "GET"}[path]; !ok || method == "" {
			return "", nil, &refusal{404, "not found"}
		} else if r.method != method {
			return "", nil, &refusal{405, "want " + method}
		}
		mu.Lock()
		defer mu.Unlock()
		defer task.Recover(&err)
		var b bytes.Buffer
		switch path {
		case "do":
			kind, err = "application/json", s.serveDo(ctx, &b, r.body)
		case "trace":
			kind, err = "text/plain; charset=utf-8", s.write(&b)
		default:
			kind, err = "text/html; charset=utf-8", s.servePage(&b)
		}
		return kind, b.Bytes(), err
	})
}

func (s *Session) servePage(w io.Writer) error {
	v, err := s.view()
	if err != nil {
		return err
	}
	var panel strings.Builder
	if err := panelTemplate.Execute(&panel, v.Title); err != nil {
		return err
	}
	return v.WritePanel(w, trace.Panel{HTML: template.HTML(panel.String()), Style: template.CSS(panelStyle), Script: template.JS(panelScript)})
}

func (s *Session) serveDo(ctx context.Context, w io.Writer, line string) error {
	var said strings.Builder
	s.Do(ctx, &said, line)
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
}

// write writes the run up to here.
func (s *Session) write(w io.Writer) error {
	if s.at < 0 {
		return errNone
	}
	write, err := s.sys.save(s.here())
	if err != nil {
		return err
	}
	return write(w)
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
