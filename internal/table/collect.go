package table

import (
	"context"
	"slices"

	"orbitmc/internal/lists"
	"orbitmc/model"
)

// States are the states that a search has visited, packed by the packer of model.NewPacker: the first ones represent the
// start states, each other one a successor of its parent.
type States interface {
	Len() int64
	Member(i int64) []byte
	// Guess names the member that represents a state.
	Guess(s []byte) (i int64, perm model.ScalarPerm, ok bool)
	// Parent returns -1 for a start state.
	Parent(i int64) int64
}

// Source is what a table is made from.
type Source struct {
	Program *model.Program
	States  States
	Stopped string // why these are not all states, or one of each orbit; "": they are

	most    int64 // how many states are looked at; 0: all
	variant variant
}

// Collect makes the table of a controller; columns are guessed if there are none. If ctx ends early, it is that of the
// states looked at so far, and says so with the words that reason returns.
func Collect(ctx context.Context, src Source, want Spec, reason func() string) (*Table, error) {
	guessed := want.Columns == nil
	if guessed {
		if err := guess(ctx, src, &want, reason); err != nil {
			return nil, err
		}
	}
	x, err := resolve(src.Program.Model, want)
	if err != nil {
		return nil, err
	}
	t := collect(ctx, src, x, reason)
	t.Guessed = guessed
	return t, nil
}

// Check reports what is wrong with a Spec of a model.
func Check(m *model.Model, want Spec) error {
	_, err := resolve(m, want)
	return err
}

func collect(ctx context.Context, src Source, x *spec, reason func() string) *Table {
	m, typ := src.Program.Model, x.row.typ
	text := func(c *pattern) string { return c.text }
	t := &Table{Model: m.File, Row: x.row.text, Columns: lists.Map(x.columns, text), Channels: []string{}, Events: []Event{}, Cells: []*Cell{},
		Complete: src.Stopped == "", Stopped: src.Stopped, src: src, spec: x, takes: map[int]bool{}}
	for _, c := range x.channels {
		if !slices.ContainsFunc(x.columns, func(d *pattern) bool { return d.path == c.path }) {
			t.Channels = append(t.Channels, c.text)
		}
	}
	for v := typ.Lo; v <= typ.Hi; v++ {
		t.Rows = append(t.Rows, typ.Format(v))
	}
	o := newObserver(src.Program, x)
	o.variant = src.variant
	into := collector{Table: t, events: map[string]*Event{}, cells: map[[2]string]*Cell{}, outcomes: map[[3]string]*Outcome{}}
	packer, s := model.NewPacker(m), make(model.State, m.Leaves())
	for all := src.States.Len(); t.States < all; t.States++ {
		if ctx.Err() != nil {
			t.Complete, t.Stopped = false, reason()
			break
		}
		if src.most > 0 && t.States == src.most {
			t.Complete, t.Stopped = false, "a sample"
			break
		}
		packer.Unpack(src.States.Member(t.States), s)
		o.observe(s, into.add)
	}
	into.finish()
	return t
}

// collector makes a table of what happens.
type collector struct {
	*Table
	events   map[string]*Event      // by name
	cells    map[[2]string]*Cell    // by row and column
	outcomes map[[3]string]*Outcome // ... and key
}

// add adds what happens in the state at hand.
func (co *collector) add(h *happening) {
	e := co.events[h.column]
	if e == nil {
		e = &Event{Name: h.column, Message: h.message != nil, order: h.order}
		if !e.Message {
			e.Line = h.rule.Pos.Line
		}
		co.events[h.column] = e
	}
	e.own = e.own || !h.outside || h.changed
	if e.Message && h.changed {
		co.takes[h.message.column] = true
	}
	if !slices.Contains(co.Rows, h.row) { // undefined
		co.Rows = append(co.Rows, h.row)
	}
	at, key := [2]string{h.row, h.column}, h.key()
	c := co.cells[at]
	if c == nil {
		c = &Cell{Row: h.row, Column: h.column}
		co.cells[at] = c
	}
	out := co.outcomes[[3]string{h.row, h.column, key}]
	if out == nil {
		copied := h.Outcome
		out = &copied
		out.first, out.is = co.States, key
		if h.rule != nil {
			out.Rule, out.Line = ruleName(h.rule), h.rule.Pos.Line
		}
		co.outcomes[[3]string{h.row, h.column, key}] = out
		c.Outcomes = append(c.Outcomes, out)
	}
	for i := range out.Sends {
		out.Sends[i].meet(h.Sends[i])
	}
	out.Count++
}

// key tells outcomes of a cell apart.
func (o *Outcome) key() string {
	text := o.Kind + "|" + o.Next + "|" + o.at.String()
	for _, d := range o.Sends {
		text += "|" + d.Type + ">" + d.To
		if d.other != "" {
			text += "?"
		}
	}
	return text
}

// finish sorts the table and says the rest of it.
func (co *collector) finish() {
	for _, c := range co.cells {
		if co.events[c.Column].own {
			co.Cells = append(co.Cells, c)
		}
	}
	for _, e := range co.events {
		if e.own {
			co.Events = append(co.Events, *e)
		}
	}
	for _, out := range co.outcomes {
		out.Depth = len(co.chain(out.first))
		if out.Kind == "stall" {
			out.Depth--
		}
		for i := range out.Sends {
			if d := &out.Sends[i]; d.other != "" {
				d.To = append(d.names, d.other)[0]
			}
		}
	}
	co.sort()
}
