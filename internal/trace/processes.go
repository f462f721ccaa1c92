package trace

import (
	"fmt"
	"slices"
	"strings"

	"orbitmc/internal/prog"
	"orbitmc/model"
)

// This file is about programs: the components are the processes, and messages are what they send
// through channels. A channel that holds messages is a queue of the state; its length says whether a step
// sends or receives. A rendezvous is one step of two processes.

func processes(c *cast, p *prog.Program) *cast {
	q := &cast{m: c.m, leaves: c.leaves, channel: map[string]bool{}, home: "shared", homely: c.homely,
		lane: make([]string, len(c.leaves)), stem: make([]string, len(c.leaves))}
	for i, l := range q.leaves {
		for _, r := range p.Protos {
			if r.Var != nil && r.Var.Name == l.Var.Name && len(l.Indices) > 0 {
				q.lane[i], q.stem[i] = processName(l.Indices[0].Value, r.Name), l.Var.Name
			}
		}
	}
	for pid := range int64(256) {
		for _, r := range p.Protos {
			if r.Var != nil && pid >= r.Var.Type.Index.Lo && pid <= r.Var.Type.Index.Hi {
				q.names = append(q.names, processName(pid, r.Name))
			}
		}
	}
	return q
}

func processName(pid int64, proto string) string { return fmt.Sprintf("%d %s", pid, proto) }

// process returns who takes a step.
func (v *viewer) process(ch model.Choice) string {
	e := v.src.Prog.Edges[ch.Rule]
	if len(e.Actors) == 0 || len(ch.Params) == 0 {
		return ""
	}
	return processName(ch.Params[0], v.src.Prog.Protos[e.Actors[0]].Name)
}

// exchangeOf notes the messages of step k of a program.
func (v *viewer) exchangeOf(k int, ch model.Choice, s, next model.State, changes []Change) {
	e, p := v.src.Prog.Edges[ch.Rule], &v.play
	name := func(i int) string { return processName(ch.Params[i], v.src.Prog.Protos[e.Actors[i]].Name) }
	if len(e.Actors) > 1 && len(ch.Params) > 1 {
		p.sent = append(p.sent, message{from: name(0), to: name(1), text: v.handed(e.Parts, name(1), next), sent: k, received: k})
		return
	}
	for _, c := range changes {
		cell, x := v.view.Cells[c.Cell], v.shows[c.Cell]
		if x.t.Shown != model.AsQueue || cell.Lane != "" {
			continue
		}
		channel := cell.Name
		from, to := s[x.at], next[x.at]
		for ; from < to; from++ {
			p.pending[channel] = append(p.pending[channel], len(p.sent))
			text := operation(e.Parts, "!")
			if m, ok := strings.CutPrefix(elements(c.New), elements(c.Old)); ok {
				text = channel + "!" + strings.TrimLeft(m, "][; ")
			}
			p.sent = append(p.sent, message{from: name(0), text: text, sent: k})
		}
		for ; from > to && len(p.pending[channel]) > 0; from-- {
			m := &p.sent[p.pending[channel][0]]
			m.received, m.to = k, name(0)
			p.pending[channel] = p.pending[channel][1:]
		}
	}
}

// handed says what a rendezvous passes: the channel without its index, and the values that the variables of the receiver have
// behind it. What is none of these, or is assigned to behind the receive, stands as it is written.
func (v *viewer) handed(parts []prog.Part, to string, next model.State) string {
	send, receive := operation(parts, "!"), slices.IndexFunc(parts, func(q prog.Part) bool { return strings.Contains(q.Text, "?") })
	channel, _, _ := strings.Cut(send, "!")
	if receive < 0 || channel == "" {
		return send
	}
	_, fields, _ := strings.Cut(parts[receive].Text, "?")
	values := strings.Split(fields, ",")
	for n, field := range values {
		field = strings.TrimSpace(field)
		later := slices.ContainsFunc(parts[receive+1:], func(q prog.Part) bool {
			rest, is := strings.CutPrefix(q.Text, field)
			return is && strings.IndexAny(strings.TrimSpace(rest)+" ", "=+-") == 0
		})
		for i, c := range v.view.Cells {
			if text := v.value(i, next); c.Lane == to && short(c.Row) == field && !later && text != "Undefined" {
				values[n] = text
			}
		}
	}
	channel, _, _ = strings.Cut(channel, "[")
	return strings.TrimSpace(channel) + "!" + strings.Join(values, ",")
}

// own gives the elements of arrays to processes. If of an array each process changes one element at most, and its number
// differs from the index by the same as with another one, or not at all, the element is its own. This is a guess, as in lanes.go;
// who changes several, such as init, does not count.
func (v *viewer) own(actors []string) {
	number := func(text string) (n int64) {
		fmt.Sscan(text, &n)
		return n
	}
	place := func(cell int) (array string, at int64, ok bool) {
		array, rest, ok := strings.Cut(v.view.Cells[cell].Name, "[")
		return array, number(rest), ok && v.view.Cells[cell].Lane == "" && v.shows[cell].t.Shown != model.AsQueue
	}
	who := map[int64]string{}
	for _, name := range append(slices.Clone(v.names), actors...) {
		who[number(name)] = name
	}
	type write struct {
		array   string
		pid, at int64
	}
	done, many, apart := map[write]bool{}, map[write]int{}, map[string][]int64{}
	for k, s := range v.view.Steps {
		for _, c := range s.Changes {
			if array, at, ok := place(c.Cell); ok && !done[write{array, number(actors[k]), at}] {
				done[write{array, number(actors[k]), at}] = true
				many[write{array, number(actors[k]), 0}]++
			}
		}
	}
	for w := range done {
		if many[write{w.array, w.pid, 0}] == 1 {
			apart[w.array] = append(apart[w.array], w.pid-w.at)
		}
	}
	for i := range v.view.Cells {
		array, at, ok := place(i)
		if d := slices.Compact(slices.Clone(apart[array])); ok && len(d) == 1 && (len(apart[array]) > 1 || d[0] == 0) && who[at+d[0]] != "" {
			c := &v.view.Cells[i]
			c.Lane, c.Row = who[at+d[0]], array+c.Name[strings.Index(c.Name, "]")+1:]
		}
	}
}

// elements returns what a queue holds, as it is shown, without brackets.
func elements(queue string) string { return strings.TrimSuffix(strings.TrimPrefix(queue, "["), "]") }

// operation returns the first statement of a step that has an operator in it.
func operation(parts []prog.Part, op string) string {
	for _, q := range parts {
		if strings.Contains(q.Text, op) {
			return q.Text
		}
	}
	return ""
}
