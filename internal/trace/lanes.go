package trace

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"orbitmc/internal/lists"
	"orbitmc/model"
)

// This file finds out who does what. The components are the values of the type that most rules
// have as parameter and that some array of the state has as index; where that is part of a union,
// the other values of the union are components, too. What has no such index belongs to none: it is the
// home of a protocol, or shared memory.
//
// A rule is local if its guard reads nothing but arrays over components. If some array belongs to local
// rules alone (the caches), then all other rules act for the home, and arrays that both touch are
// channels. Otherwise the first parameter acts. Who takes an element out of a multiset of a component
// acts for it.

// cast is the components of a model.
type cast struct {
	m     *model.Model
	names []string // of processes
	base  *model.Type
	kinds []*model.Type // base, and what is in a union with it
	home  string        // name of the lane of what belongs to no component

	leaves  []model.Leaf
	lane    []string // by leaf
	stem    []string // by leaf: its name up to the index of the component; "" if there is none
	homely  []bool   // by rule: acts for the home
	channel map[string]bool
}

// sameType reports whether two types have the same values; ranges are compared by bounds.
func sameType(t, u *model.Type) bool {
	return t == u || t.Kind == model.Range && u.Kind == model.Range && t.Lo == u.Lo && t.Hi == u.Hi
}

func newCast(m *model.Model) *cast {
	c := &cast{m: m, leaves: m.AllLeaves(), channel: map[string]bool{}, home: "home"}
	c.lane, c.stem, c.homely = make([]string, len(c.leaves)), make([]string, len(c.leaves)), make([]bool, len(m.Rules))
	var indices []*model.Type
	for _, l := range c.leaves {
		for _, d := range l.Indices {
			for _, t := range d.Type.Alternatives() {
				if !t.Slots && !slices.Contains(indices, t) {
					indices = append(indices, t)
				}
			}
		}
	}
	best := 0
	for _, t := range indices {
		n := 0
		for _, r := range m.Rules {
			if slices.ContainsFunc(r.Params, func(p *model.Param) bool {
				return slices.ContainsFunc(p.Var.Type.Alternatives(), func(u *model.Type) bool { return sameType(t, u) && t.Kind != model.Enum })
			}) {
				n++
			}
		}
		if n > best {
			best, c.base = n, t
		}
	}
	if c.base == nil {
		return c
	}
	c.kinds = []*model.Type{c.base}
	join := func(t *model.Type) {
		if t.Kind == model.Union && slices.ContainsFunc(t.Parts, func(u *model.Type) bool { return sameType(c.base, u) }) {
			for _, u := range t.Parts {
				if !slices.ContainsFunc(c.kinds, func(k *model.Type) bool { return sameType(k, u) }) {
					c.kinds = append(c.kinds, u)
				}
			}
		}
	}
	for _, l := range c.leaves {
		join(l.Type)
		for _, d := range l.Indices {
			join(d.Type)
		}
	}
	if len(c.kinds) == 2 && c.kinds[1].Kind == model.Enum && c.kinds[1].Card() == 1 {
		c.home = c.kinds[1].Format(c.kinds[1].Lo)
	}
	for i, l := range c.leaves {
		c.lane[i], c.stem[i] = c.place(l)
	}
	c.divide()
	return c
}

// name returns the component that a value is; ok is false if it is none.
func (c *cast) name(t *model.Type, v int64) (name string, ok bool) {
	if v == model.Undef || c.base == nil {
		return "", false
	}
	t, v = t.Part(v)
	if t.Slots || !slices.ContainsFunc(c.kinds, func(k *model.Type) bool { return sameType(k, t) }) {
		return "", false
	}
	if t.Kind == model.Range {
		if c.base.Name == "" {
			return "#" + t.Format(v), true
		}
		return c.base.Name + " " + t.Format(v), true
	}
	return t.Format(v), true
}

// place returns the component that a leaf belongs to, and what it is there.
func (c *cast) place(l model.Leaf) (lane, stem string) {
	at := 0
	for _, d := range l.Indices {
		brackets := "[%s]"
		if d.Type.Slots {
			brackets = "{%s}"
		}
		text := fmt.Sprintf(brackets, d.Type.Format(d.Value))
		k := strings.Index(l.Name[at:], text)
		if k < 0 {
			return "", ""
		}
		if name, ok := c.name(d.Type, d.Value); ok {
			return name, l.Name[:at+k]
		}
		at += k + len(text)
	}
	return "", ""
}

// divide finds the rules that act for the home, and the channels.
func (c *cast) divide() {
	type use struct{ local, homely bool }
	arrays := map[string]*use{}
	touched := make([]map[string]bool, len(c.m.Rules))
	for i, r := range c.m.Rules {
		touched[i] = map[string]bool{}
		global := false
		if r.Guard != nil {
			global = c.touches(r.Guard, touched[i])
		}
		c.touches(r.Body, touched[i])
		c.homely[i] = global || !slices.ContainsFunc(r.Params, c.isComponent)
	}
	for i := range c.m.Rules {
		for stem := range touched[i] {
			u := lists.Memo(arrays, stem, func(string) *use { return &use{} })
			u.local = u.local || !c.homely[i]
			u.homely = u.homely || c.homely[i]
		}
	}
	private := false
	for _, u := range arrays {
		private = private || u.local && !u.homely
	}
	for i, r := range c.m.Rules {
		if !private {
			c.homely[i] = !slices.ContainsFunc(r.Params, c.isComponent)
		}
	}
	for stem, u := range arrays {
		c.channel[stem] = private && u.local && u.homely
	}
}

func (c *cast) isComponent(p *model.Param) bool {
	_, ok := c.name(p.Var.Type, p.Var.Type.Lo)
	return ok
}

// touches adds the arrays over components in a syntax tree, and in what it calls. It reports whether
// there is anything of the state that is in no such array and no multiset.
func (c *cast) touches(n any, stems map[string]bool) (global bool) {
	inner := map[model.Expr]bool{}
	model.InspectCalls(n, func(n any) {
		switch n := n.(type) {
		case *model.FieldSel:
			inner[n.X] = true
		case *model.IndexSel:
			inner[n.X] = true
		}
		if e, ok := n.(model.Expr); ok && !inner[e] {
			stem, within, state := c.stemOf(e)
			if within {
				stems[stem] = true
			} else if state {
				global = global || !slices.ContainsFunc(slices.Collect(model.Within(e)), isSet)
			}
		}
	})
	return global
}

func isSet(e model.Expr) bool { return e.Type().Kind == model.Multiset }

// stemOf returns what an array of components is called that a designator goes into; state says that it
// is part of the state at all.
func (c *cast) stemOf(e model.Expr) (stem string, within, state bool) {
	switch e := e.(type) {
	case *model.Ref:
		return e.Var.Name, false, e.Var.Kind == model.StateVar
	case *model.FieldSel:
		stem, within, state = c.stemOf(e.X)
		if !within {
			stem += "." + e.X.Type().Fields[e.Field].Name
		}
	case *model.IndexSel:
		stem, within, state = c.stemOf(e.X)
		t := e.X.Type()
		if state && !within && t.Kind == model.Array {
			_, within = c.name(t.Index, t.Index.Lo)
		}
	}
	return stem, within && state, state
}

// destination is what fields are called that say where a message goes.
var destination = regexp.MustCompile(`(?i)^(dst|dest|destination|to|target|rcv|receiver)$`)

// player follows who acts, and the messages on their way.
type player struct {
	*cast
	free    bool              // the first state is any
	rest    map[string]string // by row of a channel: the value of its first enum that stands for nothing
	pending map[string][]int  // by row of a channel, or multiset and element: messages not yet received
	sent    []message
}

type message struct {
	from, to, text string
	sent, received int
	cells          []int
	blind          bool
}

// element is an element of a multiset that a step took out or put in.
type exchange struct {
	cell, lane, text string
	fields           []field
}

type field struct{ name, component string }

// actor returns who acts in a step that takes out some elements.
func (p *player) actor(ch model.Choice, gone []exchange) string {
	if p.base == nil {
		return ""
	}
	for _, x := range gone {
		if x.lane != "" {
			return x.lane
		}
		for _, f := range x.fields {
			if destination.MatchString(f.name) {
				return f.component
			}
		}
	}
	if !p.homely[ch.Rule] {
		for i, q := range p.m.Rules[ch.Rule].Params {
			if name, ok := p.name(q.Var.Type, ch.Params[i]); ok {
				return name
			}
		}
	}
	return p.home
}

// label returns the leaf of a row of a channel that says what is in it: the first enum, else the first.
func (p *player) label(row []int) int {
	for _, i := range row {
		if p.leaves[i].Type.Kind == model.Enum {
			return i
		}
	}
	return row[0]
}

// row returns the leaves that have the same stem and component as a leaf.
func (p *player) row(leaf int) (all []int) {
	for i := range p.leaves {
		if p.stem[i] == p.stem[leaf] && p.lane[i] == p.lane[leaf] && !p.inSet(i) {
			all = append(all, i)
		}
	}
	return all
}

func (p *player) inSet(leaf int) bool { return p.leaves[leaf].Slot >= 0 }

// step notes the messages of step k by an actor, from the changed leaves outside of multisets and the
// exchanged elements.
func (p *player) step(k int, actor string, old, s model.State, changed []int, gone, added []exchange) {
	receive := func(key string) {
		if q := p.pending[key]; len(q) > 0 {
			p.sent[q[0]].received = k
			p.pending[key] = q[1:]
		}
	}
	send := func(key, to, text string) {
		if to != "" && to != actor {
			p.pending[key] = append(p.pending[key], len(p.sent))
			p.sent = append(p.sent, message{from: actor, to: to, text: text, sent: k})
		}
	}
	for _, x := range gone {
		receive(x.cell + " " + x.text)
	}
	for _, x := range added {
		to := x.lane
		for _, f := range x.fields {
			if to == "" && destination.MatchString(f.name) {
				to = f.component
			}
		}
		for _, f := range x.fields {
			if to == "" && f.component != actor {
				to = f.component
			}
		}
		send(x.cell+" "+x.text, to, x.text)
	}
	done := map[string]bool{}
	for _, i := range changed {
		row := p.stem[i] + "[" + p.lane[i] + "]"
		if p.lane[i] == "" || done[row] {
			continue
		}
		done[row] = true
		leaves := p.row(i)
		l := p.label(leaves)
		value := func(s model.State) string { return p.leaves[l].Type.Format(s[l]) }
		switch {
		case p.channel[p.stem[i]]:
			if _, ok := p.rest[row]; !ok {
				p.rest[row] = value(old)
				if t := p.leaves[l].Type; p.free && t.Kind == model.Enum {
					p.rest[row] = t.Format(t.Lo)
				}
			}
			if old[l] == s[l] {
				continue
			}
			receive(row)
			to := p.lane[i]
			if to == actor {
				to = p.home
			}
			if value(s) != p.rest[row] {
				send(row, to, value(s))
			}
		case p.lane[i] != actor && actor != p.home:
			p.sent = append(p.sent, message{from: actor, to: p.lane[i], text: short(p.stem[i]) + " := " + value(s), sent: k, received: k})
		}
	}
}

// short returns the last part of a name.
func short(name string) string { return name[strings.LastIndex(name, ".")+1:] }
