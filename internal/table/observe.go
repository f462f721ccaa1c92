package table

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"orbitmc/internal/lists"
	"orbitmc/model"
	"orbitmc/model/reference"
)

// observer finds what happens in states.
type observer struct {
	*spec
	p       *model.Program
	machine *model.Machine
	walker  *reference.Walker
	idle    map[string]int64 // by path of a channel: the value that is no message, as most places have it in the first start state
	leaves  []model.Leaf
	kinds   map[string]bool // names of columns of messages
	scalars []int           // leaves without indices that may name a component
	roles   []int           // by rule: how many parameters may be the component of a row

	nameless *strings.Replacer // of components by their types: which of them errs is not the same in all images of a state

	fired             int   // instances so far
	put, read, chosen []int // by leaf: the last instance that wrote it, read it, and chose the element of a multiset with this presence
	variant           variant
}

// variant leaves steps out, for tests.
type variant struct {
	oneRow   bool // the component has one value only
	noStalls bool
}

func newObserver(p *model.Program, s *spec) *observer {
	o := &observer{spec: s, p: p, machine: p.NewMachine(), walker: reference.NewWalker(p.Model), leaves: p.Model.AllLeaves(), idle: map[string]int64{}, kinds: map[string]bool{}}
	for _, by := range []*[]int{&o.put, &o.read, &o.chosen} {
		*by = make([]int, len(o.leaves))
	}
	o.machine.Starts(func(_ model.Choice, st model.State, _ *model.Violation) bool {
		for _, c := range s.channels {
			if st != nil {
				o.idle[c.path] = usual(lists.Map(c.places, func(p place) int64 { return st[p.leaf] }))
			}
		}
		return st == nil
	})
	o.roles = lists.Map(p.Model.Rules, o.componentParams)
	for i, l := range o.leaves {
		if len(l.Indices) == 0 && l.Type.Kind != model.Range && l.Type.Kind != model.Bool {
			o.scalars = append(o.scalars, i)
		}
	}
	for _, c := range s.columns {
		o.kinds[c.path] = true
		for v := c.typ.Lo; v <= c.typ.Hi && c.typ.Kind == model.Enum; v++ {
			o.kinds[c.typ.Format(v)] = true
		}
	}
	var names []string
	for _, y := range p.Model.Scalarsets {
		for v := y.Hi; v >= y.Lo && !y.Slots; v-- {
			if y.Numeric() {
				names = append(names, "["+y.Format(v)+"]", "[_]")
			} else {
				names = append(names, y.Format(v), y.String())
			}
		}
	}
	o.nameless = strings.NewReplacer(names...)
	return o
}

// usual returns the value that is there most often, the least of several. It is that of all images of a state.
func usual(values []int64) int64 {
	count := map[int64]int{}
	for _, v := range values {
		count[v]++
	}
	return slices.MinFunc(values, func(a, b int64) int { return cmp.Or(count[b]-count[a], cmp.Compare(a, b)) })
}

// message is one in a state.
type message struct {
	name    string
	values  []int64 // of the leaves that make it up
	to      value   // receiver; its part is nil if that is not known
	counted bool    // it is a number
	order   [2]int  // of its column
	*place

	rows   []int // for which components it is: numbers of places of the row
	column int   // by which of Spec.Columns
	done   bool  // some instance takes it
}

// messages returns the messages of a state, whose values are part of it.
func (o *observer) messages(s model.State) (all []message) {
	for n, c := range o.channels {
		for i := range c.places {
			p := &c.places[i]
			v := s[p.leaf]
			if v == model.Undef || p.present >= 0 && s[p.present] == model.Undef || p.present < 0 && v == o.idle[c.path] {
				continue
			}
			x := message{name: c.path, place: p, counted: c.typ.Numeric(), order: [2]int{len(o.p.Model.Rules) + n, 0}, values: s[p.leaf : p.leaf+1]}
			if c.typ.Kind == model.Enum {
				x.name, x.order = c.typ.Format(v), [2]int{len(o.p.Model.Rules), int(v)}
			}
			if p.whole() {
				x.values = s[p.from:p.end]
			}
			if p.receiver >= 0 {
				x.to = valueOf(o.leaves[p.receiver].Type, s[p.receiver])
			} else if !c.addressed {
				x.to = p.index()
			}
			for _, r := range p.readers {
				if r.where < 0 || valueOf(o.leaves[r.where].Type, s[r.where]) == r.want {
					x.rows, x.column = append(x.rows, r.row), r.column
				}
			}
			all = append(all, x)
		}
	}
	return all
}

// added returns the messages that are after a step and were not before.
func added(before, after []message) (all []message) {
	used := make([]bool, len(before))
	for _, x := range after {
		i := 0
		for ; i < len(before); i++ {
			b := &before[i]
			if !used[i] && (b.same(&x) || b.group == x.group && x.counted && !x.whole() && b.values[0] > x.values[0]) {
				break
			}
		}
		if i < len(before) {
			used[i] = true
		} else {
			all = append(all, x)
		}
	}
	return all
}

// step is a rule instance in a state, and what it does to messages.
type step struct {
	state, next model.State // next is nil if there is an error
	rule        *model.Rule
	choice      model.Choice
	err         *model.Violation
	sent, taken []message
}

// happening is something that happens in a cell.
type happening struct {
	row, column string
	order       [2]int   // of the column
	message     *message // nil: an event
	rule        *model.Rule
	choice      model.Choice // none for a stall, whose rule is nil
	outside     bool         // the instance is about other components, or does not look at the state; changed says whether the row changes
	changed     bool
	Outcome
}

// observe tells what happens in a state.
func (o *observer) observe(s model.State, tell func(h *happening)) {
	before := o.messages(s)
	rows := o.row.places
	if o.variant.oneRow {
		rows = rows[:1]
	}
	o.machine.Successors(s, func(ch model.Choice, next model.State, v *model.Violation) bool {
		o.fire(s, ch)
		x := &step{state: s, next: next, rule: o.p.Model.Rules[ch.Rule], choice: ch, err: v}
		if next != nil {
			after := o.messages(next)
			x.sent, x.taken = added(before, after), added(after, before)
		}
		for k := range rows {
			o.observeRow(x, k, before, tell)
		}
		return true
	})
	for i := range before {
		x := &before[i]
		// One of several equal elements of a multiset may have been tried, and not the others.
		if o.variant.noStalls || slices.ContainsFunc(before, func(y message) bool { return y.done && y.same(x) }) {
			continue
		}
		for _, k := range x.rows {
			if k < len(rows) {
				tell(&happening{row: o.row.typ.Format(s[rows[k].leaf]), column: x.name, message: x, order: x.order, Outcome: Outcome{Kind: "stall"}})
			}
		}
	}
}

// observeRow tells what a step does in the row of a component.
func (o *observer) observeRow(x *step, k int, before []message, tell func(h *happening)) {
	row := &o.row.places[k]
	h := &happening{row: o.row.typ.Format(x.state[row.leaf]), rule: x.rule, choice: x.choice, order: [2]int{x.rule.Index, 0}}
	if x.err != nil {
		h.Kind, h.Error, h.at = "error", o.nameless.Replace(x.err.Message), x.err.Pos
	} else {
		h.Kind, h.Next, h.changed = "step", o.row.typ.Format(x.next[row.leaf]), x.state[row.leaf] != x.next[row.leaf]
	}
	role, about := o.about(x, row)
	looks := o.put[row.leaf] == o.fired || o.read[row.leaf] == o.fired
	if about && !looks && len(row.names) > 1 { // it may be about another address
		return
	}
	handled := o.handled(x, k, about, looks, before)
	for _, m := range handled {
		if x.err == nil && !h.changed && x.onlyPutsBack(m) {
			continue
		}
		m.done = true
		g := *h
		g.column, g.message, g.order, g.Sends = m.name, m, m.order, o.sends(x, row, m)
		tell(&g)
	}
	h.column, h.outside = o.eventName(x.rule)+role, !about || !looks
	switch {
	case len(handled) > 0:
	case about:
		h.Sends = o.sends(x, row, nil)
		tell(h)
	case x.err == nil:
		h.order[1] = 1
		if o.roles[x.rule.Index] > 0 {
			h.column += " (other)"
		}
		tell(h)
	}
}

// handled returns the messages to a component that a step is about: those that it takes away. If there are none, a message
// that it writes again or, in a multiset, has chosen; or has read, if it changes nothing, or errs.
func (o *observer) handled(x *step, k int, about, looks bool, before []message) (all []*message) {
	row := &o.row.places[k]
	var gone []*message
	for i := range before {
		m := &before[i]
		if !slices.Contains(m.rows, k) || len(row.names) > 1 && !looks {
			continue
		}
		chosen, put, read := false, o.put[m.leaf] == o.fired, o.read[m.leaf] == o.fired
		if m.present >= 0 {
			chosen, put = o.chosen[m.present] == o.fired, o.put[m.present] == o.fired
		}
		switch {
		case (chosen || put) && x.takes(m):
			gone = append(gone, m)
		case put && m.counted: // others add to the number
		case chosen, read && slices.Equal(x.state, x.next), (put || x.err != nil && read) && (about || o.roles[x.rule.Index] == 0 || x.err != nil && looks):
			all = append(all, m)
		}
	}
	if len(gone) > 0 {
		return gone
	}
	return all
}

// fire notes what an instance reads, writes and chooses.
func (o *observer) fire(s model.State, ch model.Choice) {
	o.fired++
	r := o.p.Model.Rules[ch.Rule]
	w := o.walker.Fire(s, r, ch.Params)
	for _, i := range w.Reads {
		o.read[i] = o.fired
	}
	for _, i := range w.Writes {
		o.put[i] = o.fired
	}
	for i := range r.Params {
		if base, stride, ok := o.p.Chosen(s, ch, i); ok {
			o.chosen[base+int(ch.Params[i])*stride] = o.fired
		}
	}
}

// same reports whether two messages of one place cannot be told apart.
func (m *message) same(y *message) bool {
	return m.group == y.group && m.name == y.name && slices.Equal(m.values, y.values)
}

// takes reports whether a message is not there any more after a step.
func (s *step) takes(m *message) bool {
	return slices.ContainsFunc(s.taken, func(y message) bool { return y.same(m) })
}

// onlyPutsBack reports whether all that a step does with messages is to leave m where it is, or to send it again to where it was.
func (s *step) onlyPutsBack(m *message) bool {
	if !s.takes(m) {
		return len(s.sent) == 0
	}
	return len(s.sent) == 1 && s.sent[0].to == m.to && s.sent[0].name == m.name && slices.Equal(s.sent[0].values, s.state[m.from:m.end])
}

// about reports whether an instance has the component of a row, the value of its first name, among its parameters, and by
// which of several.
func (o *observer) about(x *step, row *place) (role string, ok bool) {
	if len(row.names) == 0 {
		return "", true
	}
	for i, q := range x.rule.Params {
		if valueOf(q.Var.Type, x.choice.Params[i]) != row.names[0] {
			continue
		}
		if o.roles[x.rule.Index] > 1 {
			role = fmt.Sprintf(" (%s)", q.Var.Name)
		}
		return role, true
	}
	return "", false
}

// componentParams counts the parameters of a rule that may be the component of some row.
func (o *observer) componentParams(r *model.Rule) (n int) {
	for _, q := range r.Params {
		if slices.ContainsFunc(q.Var.Type.Alternatives(), func(t *model.Type) bool {
			return slices.ContainsFunc(o.row.places, func(p place) bool { return len(p.names) > 0 && valueOf(t, t.Lo).part == p.names[0].part })
		}) {
			n++
		}
	}
	return n
}

// eventName returns the name of the column of a rule, which is not that of a message.
func (o *observer) eventName(r *model.Rule) string {
	if o.kinds[r.Name] {
		return "rule " + r.Name
	}
	return ruleName(r)
}

func ruleName(r *model.Rule) string {
	if r.Name == "" {
		return fmt.Sprintf("rule@%d", r.Pos.Line)
	}
	return r.Name
}

// sends says what is sent, and to whom, by an instance that handles message x, or none.
func (o *observer) sends(x *step, row *place, m *message) (all []Send) {
	for _, y := range x.sent {
		d := Send{Type: y.name}
		switch {
		case y.to.part == nil:
		case y.to.part.Kind == model.Enum && !y.to.part.Classed():
			d.To = y.to.part.Format(y.to.v)
		case len(row.names) > 0 && y.to == row.names[0] && y.present < 0 && y.receiver < 0: // its own channel
		case len(row.names) > 0 && y.to == row.names[0]:
			d.To = "itself"
		default:
			d.names, d.other = o.called(x, m, y.to), y.to.part.String()
		}
		if i := slices.IndexFunc(all, func(e Send) bool { return e.same(d) }); i >= 0 {
			all[i].meet(d)
		} else {
			all = append(all, d)
		}
	}
	slices.SortFunc(all, func(a, b Send) int {
		return slices.Compare([]string{a.Type, a.To, a.other}, []string{b.Type, b.To, b.other})
	})
	return all
}

// called returns the names that a component has: in the message at hand, in the state, and as a parameter of the rule.
func (o *observer) called(x *step, m *message, who value) (names []string) {
	is := func(leaf int) bool { return valueOf(o.leaves[leaf].Type, x.state[leaf]) == who }
	if m != nil {
		for i := m.from; i < m.end; i++ {
			name := o.leaves[i].Name
			if name = name[strings.LastIndexAny(name, ".]})")+1:]; name != "" && is(i) {
				names = append(names, name)
			}
		}
	}
	for _, i := range o.scalars {
		if is(i) {
			names = append(names, o.leaves[i].Name)
		}
	}
	for i, q := range x.rule.Params {
		if valueOf(q.Var.Type, x.choice.Params[i]) == who {
			names = append(names, q.Var.Name)
		}
	}
	return names
}

// same reports whether two sends have one type and, if that is known, one receiver.
func (s Send) same(e Send) bool {
	return s.Type == e.Type && s.To == e.To && (s.other == "") == (e.other == "")
}

// meet leaves the names that the receiver of e has, too.
func (s *Send) meet(e Send) {
	s.names = slices.DeleteFunc(slices.Clone(s.names), func(n string) bool { return !slices.Contains(e.names, n) })
}
