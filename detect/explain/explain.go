package explain

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"orbitmc/detect"
	"orbitmc/model"
)

// This file writes a refutation as text. The text names the leaves of the state that matter: a
// leaf matters if the witness shows no difference once this leaf alone has another value.

// Undecided returns the refutation of a move of which it is open whether it keeps a
// function, of the model if prop is -1, otherwise of that property.
func (re *Refuter) Undecided(mv *Move, prop int, function string) detect.Refutation {
	r := detect.Refutation{Perm: mv.Perm.Name, Prop: prop, What: function, Undecided: true}
	means := "within the budget"
	if re.Verify.NewProver == nil {
		means = "by structure"
	}
	r.Text = fmt.Sprintf("%s is not verified %s as a symmetry of %s: %s is open", r.Perm, means, re.subject(prop), function)
	return r
}

// subject names the system or a property.
func (re *Refuter) subject(prop int) string {
	if prop < 0 {
		return "the model"
	}
	p := re.Model.Props[prop]
	return fmt.Sprintf("%v %q", p.Kind, p.Name)
}

// explain reports a check that failed, as x shows, or, if that is nil, because of
// function.
func (re *Refuter) explain(mv *Move, prop int, function string, x *witness) detect.Refutation {
	r := detect.Refutation{Perm: mv.Perm.Name, Prop: prop, What: function}
	head := fmt.Sprintf("%s is no symmetry of %s", r.Perm, re.subject(prop))
	if x == nil {
		r.Text = fmt.Sprintf("%s: %s differs; the interpreter does not show it", head, function)
		return r
	}
	r.State, r.Reachable = x.s, x.reachable
	e := &explanation{m: re.Model, w: re.world, t: mv, prop: prop, x: x}
	e.want, e.got = re.world.outcomes(mv, prop, x)
	lines := []string{head}
	switch {
	case x.start:
		r.Rule, r.Choice = re.Model.Starts[x.ch.Rule], x.ch
	case x.hasChoice:
		r.Rule, r.Choice = re.Model.Rules[x.ch.Rule], x.ch
	default:
		r.Pos = re.Model.Props[prop].Pos
	}
	if r.Rule != nil {
		r.Pos = r.Rule.Pos
		where := ""
		if loop, own := suspect(r.Rule, mv.Class); loop != nil {
			r.Pos = loop.Pos
			where = fmt.Sprintf(", probably its loop over %v%s", loop.Domain.Type, loop.Pos.At())
			if own && prop < 0 && mv.Swap != nil {
				r.Order = re.world.orders(loop, *mv.Swap, x)
			}
		}
		name := cmp.Or(r.Rule.Name, fmt.Sprintf("@%d", r.Rule.Pos.Line))
		kind := "rule"
		if x.start {
			kind = "start state"
		}
		lines[0] += fmt.Sprintf(": %s %q", kind, name)
		if r.Rule.Pos != (model.Pos{}) {
			lines[0] += fmt.Sprintf(" at %s:%v", re.Model.File, r.Rule.Pos)
		}
		lines[0] += where
	} else if r.Pos != (model.Pos{}) {
		lines[0] += fmt.Sprintf(", declared at %s:%v", re.Model.File, r.Pos)
	}
	r.What = e.what()
	if x.s != nil {
		lines = append(lines, e.state())
	}
	lines = append(lines, e.results(mv.Perm.Name)...)
	if r.Order != "" {
		lines = append(lines, fmt.Sprintf("the order of the loop at %v matters: %s", r.Pos, r.Order))
	}
	r.Text = strings.Join(lines, "\n  ")
	return r
}

// explanation describes one witness.
type explanation struct {
	m         *model.Model
	w         *world
	t         *Move
	prop      int
	x         *witness
	want, got outcome
}

// what names what is not kept.
func (e *explanation) what() string {
	switch {
	case e.prop >= 0:
		return fmt.Sprintf("%v %q", e.m.Props[e.prop].Kind, e.m.Props[e.prop].Name)
	case e.want.state == nil || e.got.state == nil:
		return "start state"
	}
	leaf := "next of "
	if e.x.start {
		leaf = "reset of "
	}
	for i, v := range e.got.state {
		if v != e.want.state[i] {
			return leaf + e.w.leaves[i].Name
		}
	}
	panic("detect: the witness shows no difference")
}

// state describes the leaves of the witness that matter.
func (e *explanation) state() string {
	kind := "well-formed (perhaps unreachable)"
	if e.x.reachable {
		kind = "reachable"
	}
	var changed, same []string
	for i, l := range e.w.leaves {
		if !e.matters(i, l.Type) {
			continue
		}
		part := fmt.Sprintf("%s = %s", l.Name, l.Type.Format(e.x.s[i]))
		if len(e.w.states) > 0 && e.x.s[i] == e.w.states[0][i] {
			same = append(same, part)
		} else {
			changed = append(changed, part)
		}
	}
	text := "in a " + kind + " state"
	switch {
	case len(changed)+len(same) == 0:
		return text + ", no single leaf of which matters,"
	case len(changed) == 0:
		return text + " with " + list(same)
	case len(same) == 0:
		return text + " with " + list(changed)
	}
	return fmt.Sprintf("%s with %s, and as at the start %s", text, list(changed), list(same))
}

// matters reports whether some other value of leaf i makes the witness none.
func (e *explanation) matters(i int, t *model.Type) bool {
	const most = 16 // values tried of a large type
	y := *e.x
	y.s = slices.Clone(e.x.s)
	values := []int64{model.Undef, t.Hi}
	for v := t.Lo; v < t.Hi && len(values) < most; v++ {
		values = append(values, v)
	}
	for _, v := range values {
		y.s[i] = v
		if v != e.x.s[i] && !e.w.differs(e.t, e.prop, &y) {
			return true
		}
	}
	return false
}

// results says what the witness gives and what its image gives.
func (e *explanation) results(moved string) []string {
	if e.t.Swap != nil {
		moved = strings.Replace(moved, " <-> ", " and ", 1) + " exchanged"
	}
	if !e.x.hasChoice {
		holds := map[bool]string{true: "holds", false: "is violated"}
		return []string{fmt.Sprintf("it %s, but with %s it %s", holds[e.want.holds], moved, holds[e.got.holds])}
	}
	perm := e.t.Values
	inst, image := e.x.ch, model.Choice{}
	format := e.m.FormatChoice
	if e.x.start {
		format = e.m.FormatStart
		image = e.w.p.PermStart(perm, inst)
	} else {
		image = e.w.p.PermStep(perm, e.x.s, e.w.p.Image(perm, e.x.s), inst)
	}
	// e.want is what the witness gives, already permuted.
	plain := e.want
	plain.state = e.w.p.Image(e.t.Back, e.want.state)
	var here, there []int // leaves that differ, before and after the exchange
	if e.prop < 0 && e.want.state != nil && e.got.state != nil {
		for i := range e.got.state {
			if e.want.state[i] != e.got.state[i] {
				there = append(there, i)
				here = append(here, e.source(i))
			}
		}
		slices.Sort(here)
	}
	second := fmt.Sprintf("with %s, %s %s", moved, format(image), e.describe(e.got, there))
	if len(there) > 0 {
		second += " instead of " + e.values(e.want.state, there, true)
	}
	return []string{fmt.Sprintf("%s %s", format(inst), e.describe(plain, here)), second}
}

// source returns the leaf that e.t moves to place i.
func (e *explanation) source(i int) int {
	back := e.t.Back
	for _, d := range e.w.leaves[i].Indices {
		if class, v, ok := d.Type.Element(d.Value); ok && back[class] != nil {
			i += int(d.Type.Image(d.Value, v, int64(back[class][v]))-d.Value) * d.Stride
		}
	}
	return i
}

// describe says what an instance does; leaves are those of interest.
func (e *explanation) describe(o outcome, leaves []int) string {
	switch {
	case o.disabled:
		return "is not enabled"
	case o.err != nil:
		p := e.m.Props[o.err.Prop]
		in := ""
		if o.err.InGuard {
			in = " in its guard"
		}
		return fmt.Sprintf("violates %v %q at %v%s", p.Kind, p.Name, o.err.Pos, in)
	case len(leaves) == 0:
		return "is fired without error"
	}
	return "gives " + e.values(o.state, leaves, false)
}

// values lists leaves of s: "a = 1, b = 2", or the values alone.
func (e *explanation) values(s model.State, leaves []int, alone bool) string {
	var parts []string
	for _, i := range leaves {
		l := e.w.leaves[i]
		v := l.Type.Format(s[i])
		if !alone || len(leaves) > 1 {
			v = l.Name + " = " + v
		}
		parts = append(parts, v)
	}
	return list(parts)
}

// list joins parts; of many it gives the first and the number of the others.
func list(parts []string) string {
	const most = 6
	if n := len(parts); n > most {
		return fmt.Sprintf("%s and %d more", strings.Join(parts[:most], ", "), n-most)
	}
	return strings.Join(parts, ", ")
}
