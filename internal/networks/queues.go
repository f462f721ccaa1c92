package networks

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"orbitmc/internal/lists"
	"orbitmc/model"
)

// This file reads the queues off a state, and follows runs.

// code is a rewritten model that was compiled.
type code struct {
	ctx context.Context
	*rewriter
	program *model.Program
	machine *model.Machine
	leaves  []model.Leaf
	packer  *model.Packer
	netVar  *model.Var     // as the program has it
	inBox   map[int]string // by leaf of a box: its place, whatever its network; "" for the field that is its network
}

func newCode(ctx context.Context, w *rewriter, p *model.Program) *code {
	c := &code{ctx: ctx, rewriter: w, program: p, machine: p.NewMachine(), leaves: p.Model.AllLeaves(), inBox: map[int]string{},
		packer: model.NewPacker(p.Model), netVar: variable(p.Model, w.net.Name)}
	for _, v := range w.boxes {
		dims := w.boxOf(v)
		for i := range v.Type.Leaves {
			l := c.leaves[v.Offset+i]
			at := []string{v.Name}
			for k, d := range l.Indices[:len(dims)] {
				if w.vc < 0 || dims[k] != w.record.Fields[w.vc].Type {
					at = append(at, fmt.Sprint(d.Value))
				}
			}
			if i%w.record.Leaves == w.fieldAt(w.vc) {
				at = []string{""}
			}
			c.inBox[v.Offset+i] = strings.Join(at, ",")
		}
	}
	return c
}

// fieldAt is where a field is among the leaves of a message; -1 for no field.
func (re *rewriter) fieldAt(field int) int {
	if field < 0 {
		return -1
	}
	return re.record.Fields[field].Offset
}

// message is one in a state.
type message struct {
	set    int // which multiset of the network; -1: a box
	box    int // leaf at which its box begins
	leaves model.State
	place  int
	queue  string
}

// messages returns those in the network and in boxes.
func (c *code) messages(s model.State) (out []message) {
	stride, slots, shared := 1+c.element.Leaves, int(c.set.Index.Card()), c.shared()
	for i := range c.net.Type.Leaves / stride {
		at := c.net.Offset + i*stride
		if s[at] == model.Undef {
			continue
		}
		m := message{set: i / slots, leaves: s[at+1 : at+1+c.record.Leaves]}
		if c.fifo() {
			m.place = int(s[at+stride-1])
		}
		var key []int64
		if c.assigned != nil {
			key = append(key, s[c.assigned.Offset+int(c.kindOf(m))])
		}
		if c.Order != "network" {
			set := m.set
			for i, d := range slices.Backward(c.dims) {
				if !slices.Contains(shared, i) {
					key = append(key, int64(set)%d.Card())
				}
				set /= int(d.Card())
			}
			key = append(key, c.destination(m))
			if c.Order == "pair" {
				key = append(key, c.sender(m))
			}
		}
		m.queue = fmt.Sprint(key)
		out = append(out, m)
	}
	for _, v := range c.boxes {
		for at := v.Offset; at < v.Offset+v.Type.Leaves; at += c.record.Leaves {
			m := message{set: -1, box: at, leaves: s[at : at+c.record.Leaves], queue: fmt.Sprint("box ", at)}
			if c.kindOf(m) != model.Undef {
				out = append(out, m)
			}
		}
	}
	return out
}

func (c *code) kindOf(m message) int64 { return m.leaves[c.fieldAt(c.kind)] }

func (c *code) kindName(m message) string { return c.kindType().Format(c.kindOf(m)) }

func (c *code) destination(m message) int64 {
	if c.dest.field < 0 {
		return 0
	}
	return m.leaves[c.fieldAt(c.dest.field)]
}

func (c *code) sender(m message) int64 {
	if who, ok := c.by[c.kindOf(m)]; ok {
		return who
	}
	if c.source.field < 0 {
		return 0
	}
	return m.leaves[c.fieldAt(c.source.field)]
}

// text names a message: its type, from whom and to whom.
func (c *code) text(m message) string {
	out := c.kindName(m)
	if m.set < 0 {
		name := c.leaves[m.box].Name
		return out + " in " + name[:strings.LastIndex(name, ".")]
	}
	if c.source != nowhere {
		out += " from " + c.component(m, c.source, c.sender(m))
	}
	if c.dest != nowhere {
		out += " to " + c.component(m, c.dest, c.destination(m))
	}
	return out
}

// chosenText names the message that an instance chooses, "" if it is about none.
func (c *code) chosenText(s model.State, ch model.Choice) (text string) {
	for i := range ch.Params {
		base, stride, ok := c.program.Chosen(s, ch, i)
		if at := base + int(ch.Params[i])*stride; ok && c.leaves[at].Var == c.netVar {
			set := (at - c.net.Offset) / stride / int(c.set.Index.Card())
			text += ": " + c.text(message{set: set, leaves: s[at+1 : at+1+c.record.Leaves]})
		}
	}
	return text
}

// component names the source or destination of a message.
func (c *code) component(m message, x where, v int64) string {
	if x.dim >= 0 {
		d := c.leaves[c.net.Offset+m.set*int(c.set.Index.Card())*(1+c.element.Leaves)].Indices[x.dim]
		return d.Type.Format(d.Value)
	}
	return c.record.Fields[x.field].Type.Format(v)
}

// queuesOf returns the contents of each queue that is not empty, front first.
func (c *code) queuesOf(s model.State) map[string][]message {
	out := map[string][]message{}
	for _, m := range c.messages(s) {
		out[m.queue] = append(out[m.queue], m)
	}
	for _, q := range out {
		slices.SortFunc(q, func(a, b message) int { return cmp.Or(a.place-b.place, slices.Compare(a.leaves, b.leaves)) })
	}
	return out
}

// served reports whether a step takes a message of a queue and does not put it back to where it was.
func (c *code) served(before, after []message) bool {
	same := func(x, y message) bool { return slices.Equal(x.leaves, y.leaves) }
	if c.fifo() {
		return len(after) < len(before) || !slices.EqualFunc(before, after[:len(before)], same)
	}
	return slices.ContainsFunc(before, func(m message) bool {
		is := func(x message) bool { return same(x, m) }
		return lists.Count(after, is) < lists.Count(before, is)
	})
}

func (c *code) key(s model.State) string { return string(c.packer.Pack(nil, s)) }

// mostFollowed is how many states are visited from one in which messages wait.
const mostFollowed = 100_000

// stuck returns the messages at the front of queues that no run from s serves; known is false if there are too many
// states to tell, or the context ends. A plain deadlock has none.
func (c *code) stuck(s model.State, most int) (waiting []message, known bool) {
	left := c.queuesOf(s)
	_, all := lists.Orbit(s, c.key, most, func(u model.State) (out []model.State) {
		if len(left) == 0 || c.ctx.Err() != nil {
			return nil
		}
		before := c.queuesOf(u)
		c.machine.Successors(u, func(_ model.Choice, next model.State, v *model.Violation) bool {
			if v == nil && !slices.Equal(next, u) {
				after := c.queuesOf(next)
				maps.DeleteFunc(left, func(q string, _ []message) bool { return c.served(before[q], after[q]) })
				out = append(out, slices.Clone(next))
			}
			return len(left) > 0
		})
		return out
	})
	if (!all || c.ctx.Err() != nil) && len(left) > 0 {
		return nil, false
	}
	return lists.Map(lists.Values(left), func(q []message) message { return q[0] }), true
}

// deepen returns a run from s to the first state in which some message is stuck; none if there is none, or known is false, as it is if the context ends.
func (c *code) deepen(s model.State, most int) (steps []model.TraceStep, known bool) {
	type node struct {
		step   model.TraceStep // from the parent
		parent int
		next   []int
		queues map[string][]message
		good   map[string]bool // queues that some run from here serves
	}
	var nodes []*node
	numbers := map[string]int{}
	number := func(step model.TraceStep, parent int) int {
		j := lists.Number(numbers, c.key(step.State))
		if j == len(nodes) {
			step = model.TraceStep{Choice: step.Choice.Clone(), State: slices.Clone(step.State)}
			nodes = append(nodes, &node{step: step, parent: parent, queues: c.queuesOf(step.State), good: map[string]bool{}})
		}
		return j
	}
	number(model.TraceStep{State: s}, -1)
	for i := 0; i < len(nodes); i++ {
		if len(nodes) > most || c.ctx.Err() != nil {
			return nil, false
		}
		n := nodes[i]
		c.machine.Successors(n.step.State, func(ch model.Choice, u model.State, v *model.Violation) bool {
			if v == nil {
				n.next = append(n.next, number(model.TraceStep{Choice: ch, State: u}, i))
				after := nodes[n.next[len(n.next)-1]].queues
				for q := range n.queues {
					if c.served(n.queues[q], after[q]) {
						n.good[q] = true
					}
				}
			}
			return true
		})
	}
	for again := true; again; {
		again = false
		for _, n := range slices.Backward(nodes) {
			before := len(n.good)
			for _, j := range n.next {
				maps.Copy(n.good, nodes[j].good)
			}
			again = again || len(n.good) > before
		}
	}
	for i, n := range nodes {
		for q := range n.queues {
			if !n.good[q] {
				for ; i > 0; i = nodes[i].parent {
					steps = append(steps, nodes[i].step)
				}
				slices.Reverse(steps)
				return steps, true
			}
		}
	}
	return nil, true
}

// concludes says of which property a run to a state in which messages wait is a counterexample.
func (c *code) concludes(t *model.Trace, waiting []message) {
	t.Violation = nil
	switch i := slices.IndexFunc(waiting, func(m message) bool { return m.set >= 0 }); {
	case c.machine.Deadlocked(t.End()):
		t.Prop = c.program.Model.DeadlockProp().Index
	case i >= 0:
		t.Prop = c.mapping + 1
	default: // they are in boxes
		in := c.leaves[waiting[0].box].Var.Name
		t.Prop = c.mapping + 2 + slices.IndexFunc(c.boxes, func(v *model.Var) bool { return v.Name == in })
	}
}

// image is a state without what depends on the assignment: networks, places in queues, and in which order messages are kept.
func (c *code) image(s model.State) string {
	var messages, rest []string
	for _, m := range c.messages(s) {
		leaves := slices.Clone(m.leaves)
		if c.vc >= 0 {
			leaves[c.fieldAt(c.vc)] = 0
		}
		at := fmt.Sprint(m.set)
		if m.set < 0 {
			at = c.inBox[m.box]
		}
		messages = append(messages, fmt.Sprint(at, leaves))
	}
	slices.Sort(messages)
	for i, v := range s {
		in := c.leaves[i].Var
		_, box := c.inBox[i]
		if !box && in != c.netVar && (c.assigned == nil || in.Name != c.assigned.Name) {
			rest = append(rest, fmt.Sprint(v))
		}
	}
	return strings.Join(messages, ";") + "|" + strings.Join(rest, ",")
}
