package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/urfave/cli/v2"
	"golang.org/x/term"

	"orbitmc/internal/portfolio"
	"orbitmc/mc"
)

// This file shows on stderr how far a command is.

// progressFlag says when progress is shown.
func progressFlag() cli.Flag {
	return &cli.StringFlag{Name: "progress", Value: "auto", Usage: "`WHEN` to show progress on stderr: auto (on a terminal; default), always or never"}
}

// progress shows the phase and what engines last reported. On a terminal these are lines
// that are drawn again and again, a line for each engine, since the clock runs while an
// engine is silent. Otherwise (with --progress always) each report is a line. A nil progress
// is silent.
type progress struct {
	mu    sync.Mutex
	w     io.Writer // nil means silent
	tty   bool
	width func() int // of the terminal, in columns
	began time.Time
	ended chan struct{} // stops what draws; nil if nothing does

	events bool // each report is a JSON object

	what   string            // the phase; "" is none
	told   time.Time         // when a phase was last printed, without a terminal
	said   jsonEvent         // what was last printed, without a terminal
	at     time.Time         // and when
	lines  map[string]string // latest by engine
	shown  map[string]shown  // by engine, without a terminal
	height int               // lines on the terminal
}

// shown is the last report of an engine that was printed.
type shown struct {
	depth int
	at    time.Time
}

const (
	redrawInterval = 100 * time.Millisecond
	silence        = 1800 * time.Millisecond // after which the last line is printed again, without a terminal
	phaseInterval  = time.Second             // between two lines about one phase, or one depth of an engine, without a terminal
)

func newProgress(c *cli.Context) *progress {
	p := &progress{lines: make(map[string]string), shown: make(map[string]shown), began: time.Now()}
	f, ok := c.App.ErrWriter.(*os.File)
	p.events = c.Bool("json-events")
	p.tty = ok && term.IsTerminal(int(f.Fd())) && !p.events
	if mode := c.String("progress"); !p.events && (mode == "never" || mode != "always" && !p.tty) {
		return p
	}
	p.w = c.App.ErrWriter
	p.width = func() int {
		width, _, err := term.GetSize(int(f.Fd()))
		if err != nil || width <= 0 {
			return 80
		}
		return width
	}
	ended := make(chan struct{})
	p.ended = ended
	go func() {
		for {
			select {
			case <-ended:
				return
			case <-time.After(redrawInterval):
			}
			p.mu.Lock()
			p.draw()
			p.mu.Unlock()
		}
	}()
	return p
}

// phase says what is done before engines run or beside them: a title and, after a comma, how
// far it is. "" is nothing.
func (p *progress) phase(what string) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	before, _, _ := strings.Cut(p.what, ",")
	title, _, counted := strings.Cut(what, ",")
	p.what = what
	if p.w == nil || p.tty || what == "" || counted && title == before && time.Since(p.told) < phaseInterval {
		return
	}
	p.told = time.Now()
	p.say(jsonEvent{Event: "phase", Text: what})
}

// say prints what happened.
func (p *progress) say(e jsonEvent) {
	p.said, p.at = e, time.Now()
	if p.events {
		p.emit(e)
	} else {
		fmt.Fprintf(p.w, "%s\n", e.Text)
	}
}

// jsonEvent is a line of --json-events.
type jsonEvent struct {
	Event  string    `json:"event" enum:"phase progress"`
	Time   float64   `json:"time_s"` // since the start
	Text   string    `json:"text"`
	Engine string    `json:"engine,omitempty"`
	Depth  *int      `json:"depth,omitempty"` // finished without a violation of an open property
	Stats  *mc.Stats `json:"stats,omitempty"`

	Search *mc.Search `json:"search,omitempty"` // explicit search
}

// emit writes an event. Those who do not read them do not stop the search.
func (p *progress) emit(e jsonEvent) {
	e.Time = time.Since(p.began).Seconds()
	if line, err := json.Marshal(e); err == nil {
		fmt.Fprintf(p.w, "%s\n", line)
	}
}

// last returns the phase that was shown last, which work that was left behind may still change.
func (p *progress) last() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.what
}

// event shows what an engine reports.
func (p *progress) event(e mc.Event) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.lines[e.Engine] = portfolio.Progress(e)
	if p.w == nil || p.tty {
		return
	}
	if last, ok := p.shown[e.Engine]; !ok || last.depth != e.Depth || time.Since(last.at) >= phaseInterval {
		p.shown[e.Engine] = shown{e.Depth, time.Now()}
		p.say(jsonEvent{Event: "progress", Engine: e.Engine, Depth: &e.Depth, Text: p.lines[e.Engine], Stats: &e.Stats, Search: e.Search})
	}
}

// draw says again what was said last, where nothing was for a while, or rewrites the lines of a terminal, each cut to its width: a longer one would wrap, and
// could not be found again.
func (p *progress) draw() {
	switch {
	case p.w == nil:
		return
	case !p.tty:
		if said := p.said; said.Text != "" && time.Since(p.at) > silence {
			now := said
			now.Text += fmt.Sprintf(" (at %.0f s)", time.Since(p.began).Seconds())
			p.say(now)
			p.said = said
		}
		return
	}
	lines := []string{fmt.Sprintf("%6.1f s  %s", time.Since(p.began).Seconds(), p.what)}
	for _, kind := range portfolio.Kinds {
		if l, ok := p.lines[kind.Name]; ok {
			lines = append(lines, "  "+l)
		}
	}
	width := p.width() - 1
	for i, l := range lines {
		lines[i] = l[:min(len(l), max(width, 0))]
	}
	p.wipe()
	io.WriteString(p.w, strings.Join(lines, "\n"))
	p.height = len(lines)
}

// wipe clears what draw wrote.
func (p *progress) wipe() {
	if p.height > 1 {
		fmt.Fprintf(p.w, "\x1b[%dA", p.height-1)
	}
	io.WriteString(p.w, "\r\x1b[J")
	p.height = 0
}

// done wipes the terminal. Nothing is shown after it.
func (p *progress) done() {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.w != nil && p.tty {
		p.wipe()
	}
	if p.w = nil; p.ended != nil {
		close(p.ended)
		p.ended = nil
	}
}
