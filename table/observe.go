package table

import (
	"fmt"
	"slices"
	"strings"

	"orbitmc/internal/lists"
	"orbitmc/model"
)

// observer finds what happens in states.
type observer struct {
	*spec
	p       *model.Program
	machine *model.Machine
	walker  *model.Walker
	idle    map[string]int64 // by path of a channel: the value that is no message, as most places have it in the first start state
	scalars []model.Leaf
	at      []int         // of scalars: their leaves
	names   []model.Leaf  // of all leaves
	wheres  map[int]where // by leaf of a message: its receiver

	nameless *strings.Replacer // of components by their types: which of them errs is not the same in all images of a state

	groups  map[string]int // numbers of multisets, queues and other places
	fired   int            // instances so far
	put     []int          // by leaf: the last instance that wrote it
	read    []int
	chosen  []int // by presence leaf: the last instance that chose the element
	variant variant
}

// variant leaves steps out, for tests.
type variant struct {
	oneRow   bool // the component has one value only
	noStalls bool
}

type where struct {
	leaf int
	typ  *model.Type
}

func newObserver(p *model.Program, s *spec) *observer {
	o := &observer{spec: s, p: p, machine: p.NewMachine(), walker: model.NewWalker(p.Model), names: p.Model.AllLeaves(), wheres: map[int]where{}, groups: map[string]int{}, idle: map[string]int64{}}
	for _, by := range []*[]int{&o.put, &o.read, &o.chosen} {
		*by = make([]int, len(o.names))
	}
	for n, c := range s.channels {
		o.group(n, c)
	}
	for _, c := range s.columns {
		o.group(slices.IndexFunc(s.channels, func(d *pattern) bool { return d.path == c.path }), c.pattern)
	}
	o.machine.Starts(func(_ model.Choice, st model.State, _ *model.Violation) bool {
		for _, c := range s.channels {
			if st != nil {
				o.idle[c.path] = usual(lists.Map(c.places, func(p place) int64 { return st[p.leaf] }))
			}
		}
		return st == nil
	})
	for i, l := range o.names {
		if len(l.Indices) == 0 && l.Type.Kind != model.Range && l.Type.Kind != model.Bool {
			o.scalars, o.at = append(o.scalars, l), append(o.at, i)
		}
	}
	var names []string
	for _, y := range p.Model.Scalarsets {
		for v := y.Hi; v >= y.Lo && y.Kind == model.Scalarset && !y.Slots; v-- {
			names = append(names, y.Format(v), y.String())
		}
	}
	o.nameless = strings.NewReplacer(names...)
	for _, c := range s.columns {
		for i := range c.places {
			if c.where != nil {
				o.wheres[c.places[i].leaf] = where{c.where.places[i].leaf, c.where.typ}
			}
		}
	}
	return o
}

// usual returns the value that is there most often, the least of several. It is that of all images of a state.
func usual(values []int64) int64 {
	slices.Sort(values)
	best, most := values[0], 0
	for i := 0; i < len(values); {
		n := i
		for n < len(values) && values[n] == values[i] {
			n++
		}
		if n-i > most {
			best, most = values[i], n-i
		}
		i = n
	}
	return best
}

// group numbers the multisets, queues and other places of a channel.
func (o *observer) group(channel int, c *pattern) {
	for i := range c.places {
		p := &c.places[i]
		name := fmt.Sprint(channel, p.indices)
		if p.whole() {
			name = fmt.Sprint(channel, p.indices[:min(1, len(p.indices))])
		}
		if _, ok := o.groups[name]; !ok {
			o.groups[name] = len(o.groups)
		}
		p.group = o.groups[name]
	}
}

// whole reports whether a message is all of the record, as an element of a multiset or queue is.
func (p *place) whole() bool { return p.present >= 0 || p.queue }

// message is one in a state.
type message struct {
	name    string
	values  []int64 // of the leaves that make it up
	to      value   // receiver; its part is nil if that is not known
	counted bool    // it is a number
	order   [2]int  // of its column
	number  int     // index in Spec.Columns
	*place

	rows []int // for which components it is: numbers of places of the row
	done bool  // some instance takes it
}

// message returns the message in a place of a state; ok is false if there is none.
func (o *observer) message(c *pattern, number int, p *place, s model.State) (x message, ok bool) {
	v := s[p.leaf]
	if v == model.Undef || p.present >= 0 && s[p.present] == model.Undef || p.present < 0 && v == o.idle[c.path] {
		return x, false
	}
	x = message{name: c.path, place: p, counted: c.typ.Numeric(), order: [2]int{len(o.p.Model.Rules) + number, 0}, number: number}
	if c.typ.Kind == model.Enum {
		x.name, x.order = c.typ.Format(v), [2]int{len(o.p.Model.Rules), int(v)}
	}
	if x.values = s[p.leaf : p.leaf+1]; p.whole() {
		x.values = s[p.from:p.end]
	}
	if w, ok := o.wheres[p.leaf]; ok {
		x.to = valueOf(w.typ, s[w.leaf])
	} else if len(p.indices) > 0 {
		x.to = p.indices[0]
	}
	return x, true
}

// all returns the messages of a state, whose values are part of it.
func (o *observer) all(s model.State) (all []message) {
	for n, c := range o.channels {
		for i := range c.places {
			if x, ok := o.message(c, n, &c.places[i], s); ok {
				all = append(all, x)
			}
		}
	}
	return all
}

// pending returns the messages to the controller.
func (o *observer) pending(s model.State) (all []*message) {
	for n, c := range o.columns {
		for i := range c.places {
			x, ok := o.message(c.pattern, n, &c.places[i], s)
			if !ok {
				continue
			}
			for k, row := range o.row.places {
				to := true
				for _, q := range c.share {
					to = to && x.names[q[0]] == row.names[q[1]]
				}
				if c.where != nil {
					want := c.to
					if c.is >= 0 {
						want = row.names[c.is]
					}
					to = to && valueOf(c.where.typ, s[c.where.places[i].leaf]) == want
				}
				if to {
					x.rows = append(x.rows, k)
				}
			}
			if len(x.rows) > 0 {
				all = append(all, &x)
			}
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

// happening is something that happens in a cell.
type happening struct {
	row, column string
	message     bool
	order       [2]int      // of the column
	number      int         // of a message: the index of its column in Spec.Columns
	rule        *model.Rule // nil: a stall
	choice      model.Choice
	outside     bool // the rule is about other components; changed says whether the row changes
	changed     bool
	Outcome
}

// observe tells what happens in a state.
func (o *observer) observe(s model.State, tell func(h *happening)) {
	pending, before := o.pending(s), o.all(s)
	rows := o.row.places
	if o.variant.oneRow {
		rows = rows[:1]
	}
	o.machine.Successors(s, func(ch model.Choice, next model.State, v *model.Violation) bool {
		o.fire(s, ch)
		var sent, taken []message
		if next != nil {
			after := o.all(next)
			sent, taken = added(before, after), added(after, before)
		}
		r := o.p.Model.Rules[ch.Rule]
		for k := range rows {
			row := &rows[k]
			h := &happening{row: o.row.typ.Format(s[row.leaf]), rule: r, choice: ch, order: [2]int{r.Index, 0}}
			if v != nil {
				h.Kind, h.Error, h.at = "error", o.nameless.Replace(v.Message), v.Pos
			} else {
				h.Kind, h.Next, h.changed = "step", o.row.typ.Format(next[row.leaf]), s[row.leaf] != next[row.leaf]
			}
			role, about := o.about(r, ch, row)
			handled := false
			for _, x := range pending {
				if !slices.Contains(x.rows, k) || !about && !x.chosenBy(o) && o.componentParams(r, row) > 0 || !x.touched(o) {
					continue
				}
				if len(row.names) > 1 && !o.wrote(row.leaf) && !o.looked(row.leaf) { // it may be about another address
					continue
				}
				handled = true
				gone := slices.ContainsFunc(taken, func(y message) bool { return y.same(x) })
				// A message that stays where it is, and is read only, may still have an effect.
				if v == nil && !h.changed && (gone && x.putBack(s, sent) || !gone && (len(sent) == 0 || o.wrote(x.leaf))) {
					continue
				}
				x.done = true
				g := *h
				g.column, g.message, g.order, g.number, g.Sends = x.name, true, x.order, x.number, o.sends(s, r, ch, row, x, sent)
				tell(&g)
			}
			h.column = ruleName(r) + role
			switch {
			case handled || about && !o.wrote(row.leaf) && !o.looked(row.leaf):
			case about:
				h.Sends = o.sends(s, r, ch, row, nil, sent)
				tell(h)
			case v == nil && len(row.names) > 0:
				h.outside, h.order[1] = true, 1
				if o.componentParams(r, row) > 0 {
					h.column = ruleName(r) + " (other)"
				}
				tell(h)
			}
		}
		return true
	})
	if o.variant.noStalls {
		return
	}
	for _, x := range pending {
		// One of several equal elements of a multiset may have been tried, and not the others.
		taken := slices.ContainsFunc(pending, func(y *message) bool {
			return y.done && y.same(x)
		})
		for _, k := range x.rows {
			if !taken && k < len(rows) {
				tell(&happening{row: o.row.typ.Format(s[rows[k].leaf]), column: x.name, message: true, order: x.order, number: x.number, Outcome: Outcome{Kind: "stall"}})
			}
		}
	}
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

// wrote and looked report whether the instance at hand wrote a leaf, or read it.
func (o *observer) wrote(leaf int) bool  { return o.put[leaf] == o.fired }
func (o *observer) looked(leaf int) bool { return o.read[leaf] == o.fired }

// chosenBy reports whether the instance at hand chose the message in its multiset.
func (x *message) chosenBy(o *observer) bool { return x.present >= 0 && o.chosen[x.present] == o.fired }

// touched reports whether the instance at hand is about a message.
func (x *message) touched(o *observer) bool {
	if x.present >= 0 {
		return x.chosenBy(o) || o.wrote(x.present)
	}
	return o.wrote(x.leaf) || o.looked(x.leaf)
}

// same reports whether two messages of one place cannot be told apart.
func (x *message) same(y *message) bool {
	return x.group == y.group && x.name == y.name && slices.Equal(x.values, y.values)
}

// putBack reports whether a message is sent again to where it was.
func (x *message) putBack(s model.State, sent []message) bool {
	return slices.ContainsFunc(sent, func(y message) bool {
		return y.to == x.to && y.name == x.name && slices.Equal(y.values, s[x.from:x.end])
	})
}

// about reports whether an instance has the component of a row, the value of its first name, among its parameters, and by
// which of several.
func (o *observer) about(r *model.Rule, ch model.Choice, row *place) (role string, ok bool) {
	if len(row.names) == 0 {
		return "", true
	}
	for i, q := range r.Params {
		if valueOf(q.Var.Type, ch.Params[i]) != row.names[0] {
			continue
		}
		if o.componentParams(r, row) > 1 {
			role = fmt.Sprintf(" (%s)", q.Var.Name)
		}
		return role, true
	}
	return "", false
}

// componentParams counts the parameters of a rule that may be the component of a row.
func (o *observer) componentParams(r *model.Rule, row *place) (n int) {
	for _, q := range r.Params {
		for _, t := range q.Var.Type.Alternatives() {
			if valueOf(t, t.Lo).part == row.names[0].part {
				n++
			}
		}
	}
	return n
}

func ruleName(r *model.Rule) string {
	if r.Name == "" {
		return fmt.Sprintf("rule@%d", r.Pos.Line)
	}
	return r.Name
}

// sends says what is sent, and to whom, by an instance that handles message x, or none.
func (o *observer) sends(s model.State, r *model.Rule, ch model.Choice, row *place, x *message, sent []message) (all []Send) {
	for _, y := range sent {
		d := Send{Type: y.name}
		switch {
		case y.to.part == nil:
		case y.to.part.Kind == model.Enum && !y.to.part.Classed():
			d.To = y.to.part.Format(y.to.v)
		case len(row.names) > 0 && y.to == row.names[0] && y.present < 0:
		case len(row.names) > 0 && y.to == row.names[0]:
			d.To = "itself"
		default:
			d.names, d.other = o.called(s, r, ch, x, y.to), y.to.part.String()
		}
		if i := slices.IndexFunc(all, func(e Send) bool { return e.same(d) }); i >= 0 {
			all[i].meet(d)
		} else {
			all = append(all, d)
		}
	}
	slices.SortStableFunc(all, func(a, b Send) int { return strings.Compare(a.Type+a.To, b.Type+b.To) })
	return all
}

// called returns the names that a component has: in the message at hand, in the state, and as a parameter of the rule.
func (o *observer) called(s model.State, r *model.Rule, ch model.Choice, x *message, who value) (names []string) {
	if x != nil {
		for i := x.from; i < x.end; i++ {
			name := o.names[i].Name
			if name = name[strings.LastIndexAny(name, ".]})")+1:]; name != "" && valueOf(o.names[i].Type, s[i]) == who {
				names = append(names, name)
			}
		}
	}
	for i, l := range o.scalars {
		if valueOf(l.Type, s[o.at[i]]) == who {
			names = append(names, l.Name)
		}
	}
	for i, q := range r.Params {
		if valueOf(q.Var.Type, ch.Params[i]) == who {
			names = append(names, q.Var.Name)
		}
	}
	return names
}

// same reports whether two sends have one type and, if that is known, one receiver.
func (d Send) same(e Send) bool {
	return d.Type == e.Type && d.To == e.To && (d.other == "") == (e.other == "")
}

// meet leaves the names that the receiver of e has, too.
func (d *Send) meet(e Send) {
	d.names = slices.DeleteFunc(slices.Clone(d.names), func(n string) bool { return !slices.Contains(e.names, n) })
}
