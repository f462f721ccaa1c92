package prog

import (
	"bytes"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"orbitmc/model"
	"orbitmc/model/traces"
)

// WriteTrace writes a trace as model.WriteTrace does in one of our own styles, which it reads back. Below each step
// it says which processes take which statements, and at the end of a deadlock where all
// processes are.
func (p *Program) WriteTrace(w io.Writer, t *model.Trace, style traces.Style) error {
	var plain bytes.Buffer
	if err := traces.Write(&plain, p.Model, t, style); err != nil {
		return err
	}
	var b bytes.Buffer
	n := 0
	for line := range strings.Lines(plain.String()) {
		b.WriteString(line)
		if strings.HasPrefix(line, fmt.Sprintf("step %d: rule ", n+1)) {
			for _, line := range p.Parts(t.Steps[n].Choice) {
				fmt.Fprintf(&b, "  %s\n", line)
			}
			n++
		}
	}
	if t.Prop >= 0 && p.Model.Props[t.Prop].Kind == model.Deadlock {
		for _, line := range p.Places(t.End()) {
			fmt.Fprintf(&b, "  %s\n", line)
		}
	}
	_, err := w.Write(b.Bytes())
	return err
}

// Parts says which processes take which statements in a step, those of a loop once for all its turns.
func (p *Program) Parts(ch model.Choice) (lines []string) {
	e := p.Edges[ch.Rule]
	for i, q := range e.Parts {
		what := q.Text
		if i > 0 && i == len(e.Parts)-e.Turns {
			what = "a loop that begins with " + what
		} else if i > len(e.Parts)-e.Turns {
			break
		}
		lines = append(lines, fmt.Sprintf("%s %s:%d [%s]", Process(ch.Params[q.Actor], p.Protos[e.Actors[q.Actor]].Name), filepath.Base(q.File), q.Pos.Line, what))
	}
	return lines
}

// Process names a process.
func Process(pid int64, proto string) string { return fmt.Sprintf("proc %d (%s)", pid, proto) }

// Who names the processes that take part in a step, the one that begins it first.
func (p *Program) Who(ch model.Choice) (all []string) {
	if e := p.Edges[ch.Rule]; e.Kind == Step {
		for i, k := range e.Actors {
			all = append(all, Process(ch.Params[i], p.Protos[k].Name))
		}
	}
	return all
}

// Places says where the processes are in a state.
func (p *Program) Places(s model.State) (lines []string) {
	const most = 255 // process numbers
	for pid := range int64(most) {
		for i := range p.Protos {
			if q := &p.Protos[i]; q.Location(s, pid) > 0 {
				l := q.loc(q.Location(s, pid))
				end := ""
				if l.End {
					end = ", a valid end"
				}
				lines = append(lines, fmt.Sprintf("%s is at %s:%d%s", Process(pid, q.Name), filepath.Base(l.File), l.Pos.Line, end))
			}
		}
	}
	return lines
}
