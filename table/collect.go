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

// Collect makes the table of a controller. If ctx ends early, it is that of the states looked at so far, and says
// so with the words that reason returns.
func Collect(ctx context.Context, src Source, want Spec, reason func() string) (*Table, error) {
	x, err := resolve(src.Program.Model, want)
	if err != nil {
		return nil, err
	}
	return collect(ctx, src, x, reason), nil
}

// Check reports what is wrong with a Spec of a model.
func Check(m *model.Model, want Spec) error {
	_, err := resolve(m, want)
	return err
}

func collect(ctx context.Context, src Source, x *spec, reason func() string) *Table {
	m := src.Program.Model
	t := &Table{Model: m.File, Row: x.row.text, Columns: []string{}, Channels: []string{}, Events: []Event{}, Cells: []*Cell{},
		Complete: src.Stopped == "", Stopped: src.Stopped, src: src, spec: x, takes: map[int]bool{}}
	for _, c := range x.columns {
		t.Columns = append(t.Columns, c.text)
	}
	for _, c := range x.channels {
		if !slices.ContainsFunc(x.columns, func(d *column) bool { return d.path == c.path }) {
			t.Channels = append(t.Channels, c.text)
		}
	}
	typ := x.row.typ
	for v := typ.Lo; v <= typ.Hi; v++ {
		t.Rows = append(t.Rows, typ.Format(v))
	}
	o := newObserver(src.Program, x)
	o.variant = src.variant
	packer, s := model.NewPacker(m), make(model.State, m.Leaves())
	cells, outcomes := map[[2]string]*Cell{}, map[[3]string]*Outcome{}
	heads, all := map[string]*head{}, src.States.Len()
	for ; t.States < all; t.States++ {
		if src.most > 0 && t.States == src.most {
			t.Complete, t.Stopped = false, "a sample"
			break
		}
		if ctx.Err() != nil {
			t.Complete, t.Stopped = false, reason()
			break
		}
		packer.Unpack(src.States.Member(t.States), s)
		o.observe(s, func(h *happening) {
			e := heads[h.column]
			if e == nil {
				e = &head{Event: Event{Name: h.column, Message: h.message != nil}, order: h.order}
				if heads[h.column] = e; h.rule != nil && h.message == nil {
					e.Line = h.rule.Pos.Line
				}
			}
			e.own = e.own || !h.outside || h.changed
			if h.message != nil && h.changed {
				t.takes[h.message.column] = true
			}
			if !slices.Contains(t.Rows, h.row) {
				t.Rows = append(t.Rows, h.row)
			}
			c := cells[[2]string{h.row, h.column}]
			if c == nil {
				c = &Cell{Row: h.row, Column: h.column}
				cells[[2]string{h.row, h.column}] = c
				t.Cells = append(t.Cells, c)
			}
			key := h.key()
			out := outcomes[[3]string{h.row, h.column, key}]
			if out == nil {
				copied := h.Outcome
				out = &copied
				out.first, out.is = t.States, key
				if h.rule != nil {
					out.Rule, out.Line = ruleName(h.rule), h.rule.Pos.Line
				}
				outcomes[[3]string{h.row, h.column, key}] = out
				c.Outcomes = append(c.Outcomes, out)
			}
			for i := range out.Sends {
				out.Sends[i].meet(h.Sends[i])
			}
			out.Count++
		})
	}
	t.Cells = lists.Where(t.Cells, func(c *Cell) bool { return heads[c.Column].own })
	t.finish(heads)
	return t
}

// head is a column while a table is made.
type head struct {
	Event
	order [2]int
	own   bool // some instance is about the component, or changes its state
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

// finish sorts a table and says the rest of it.
func (t *Table) finish(heads map[string]*head) {
	order := lists.Where(sortedHeads(heads), func(h *head) bool { return h.own })
	t.rank = map[string]int{}
	for i, h := range order {
		t.rank[h.Name] = i
		t.Events = append(t.Events, h.Event)
	}
	for _, c := range t.Cells {
		for _, out := range c.Outcomes {
			out.Depth = t.depth(out.first)
			if out.Kind != "stall" {
				out.Depth++
			}
			for i := range out.Sends {
				if d := &out.Sends[i]; d.other != "" {
					d.To = append(slices.Clone(d.names), d.other)[0]
				}
			}
		}
	}
	t.sort()
}

func sortedHeads(heads map[string]*head) (all []*head) {
	for _, h := range heads {
		all = append(all, h)
	}
	slices.SortFunc(all, func(a, b *head) int {
		if c := slices.Compare(a.order[:], b.order[:]); c != 0 {
			return c
		}
		return slices.Compare([]string{a.Name}, []string{b.Name})
	})
	return all
}

// depth returns how many steps lead to a member.
func (t *Table) depth(i int64) (n int) {
	for i = t.src.States.Parent(i); i >= 0; i = t.src.States.Parent(i) {
		n++
	}
	return n
}
