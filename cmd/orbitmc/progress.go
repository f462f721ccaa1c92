package main

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/urfave/cli/v2"

	"orbitmc/mc"
	"orbitmc/portfolio"
)

// progressFlag says when progress is shown.
func progressFlag() cli.Flag {
	return &cli.StringFlag{Name: "progress", Value: "auto", Usage: "`WHEN` to show progress on stderr: auto (on a terminal; default), always or never"}
}

// progress shows events on stderr: on a terminal one line that is rewritten,
// otherwise (with --progress always) a line for each event.
type progress struct {
	mu    sync.Mutex
	w     io.Writer // nil means silent
	tty   bool
	lines map[string]string // latest by engine
	began time.Time
	last  time.Time
}

func newProgress(c *cli.Context) *progress {
	p := &progress{lines: make(map[string]string), began: time.Now()}
	f, ok := c.App.ErrWriter.(*os.File)
	if ok {
		st, err := f.Stat()
		p.tty = err == nil && st.Mode()&os.ModeCharDevice != 0
	}
	switch mode := c.String("progress"); {
	case mode == "always" || mode == "auto" && p.tty:
		p.w = c.App.ErrWriter
	}
	return p
}

// phase shows what is done before engines run. A nil progress is silent.
func (p *progress) phase(what string) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.w == nil:
	case p.tty:
		fmt.Fprintf(p.w, "\r\x1b[K%6.1f s | %s", time.Since(p.began).Seconds(), what)
	default:
		fmt.Fprintf(p.w, "%s\n", what)
	}
}

func (p *progress) event(e mc.Event) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.w == nil {
		return
	}
	line := portfolio.Progress(e)
	p.lines[e.Engine] = line
	switch {
	case !p.tty:
		fmt.Fprintf(p.w, "%s\n", line)
	case time.Since(p.last) > 100*time.Millisecond:
		p.last = time.Now()
		fmt.Fprintf(p.w, "\r\x1b[K%6.1f s", time.Since(p.began).Seconds())
		for _, name := range portfolio.Names() {
			if l, ok := p.lines[name]; ok {
				fmt.Fprintf(p.w, " | %s", l)
			}
		}
	}
}

// done wipes the line of a terminal. Nothing is shown after it.
func (p *progress) done() {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.w != nil && p.tty {
		fmt.Fprint(p.w, "\r\x1b[K")
	}
	p.w = nil
}
