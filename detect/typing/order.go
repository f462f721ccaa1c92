package typing

import (
	"fmt"
	"slices"

	"orbitmc/internal/lists"
	"orbitmc/model"
)

// This file decides whether the order of the turns of loops, counts and quantifiers
// over a class matters. It does not if any two different turns commute from every
// state: neither reads or writes what the other one writes, or both write the same
// value, both add to a number in the same direction, or both put elements into a
// multiset. Errors commute if all belong to one property; otherwise their properties are a
// joint set. A quantifier, or a loop that returns, stops early and must not err at all.

// order looks at the loops of a unit.
func (a *analysis) order(u *unit) {
	seen := make(map[any]bool)
	visit := func(n any) {
		if seen[n] {
			return
		}
		seen[n] = true
		switch n := n.(type) {
		case *model.For:
			if a.classes(n.Var) != nil {
				a.loop(u, n)
			}
		case *model.Quant:
			var stops any
			if !n.Counts {
				stops = n
			}
			a.operands(u, a.newTurn(u, n.Var), n.Body, n.Pos, stops)
		}
	}
	u.inspect(visit)
	if u.prop == nil {
		return
	}
	w := a.newTurn(u, nil)
	w.cond++ // whatever errs counts
	w.eval(u.cond, false)
	u.kinds = w.kinds
	if w.failed != nil {
		for i := range a.m.Props {
			u.kinds[i] = true
		}
	}
	var stops any // the parameters are quantifiers, too
	if u.prop.Kind != model.Liveness {
		stops = u.prop
	}
	for i, p := range u.params {
		w := a.newTurn(u, p.Var)
		for _, q := range u.params[i+1:] {
			w.inner[q.Var] = true
		}
		if i+1 < len(u.params) {
			w.cond++
		}
		a.operands(u, w, u.cond, u.prop.Pos, stops)
	}
}

// operands looks at the operands of a quantifier, each of which is a turn. stops is what may stop early, the
// quantifier or the property of which it is a parameter; nil: all operands are evaluated.
func (a *analysis) operands(u *unit, w *turn, operand model.Expr, pos model.Pos, stops any) {
	if a.classes(w.v) == nil {
		return
	}
	w.eval(operand, false)
	a.blame(u, w.v, w.pure())
	if stops == nil {
		a.mix(u, w.v, w, pos)
	} else {
		a.stop(u, w.v, w, pos, stops)
	}
}

// classes returns the classes of the values of a loop variable.
func (a *analysis) classes(v *model.Var) (cs []int) {
	if v.Type.Simple() {
		cs = classesOf(v.Type)
	}
	return cs
}

// blame records an obstacle for the classes of a loop variable. Slots are moved under
// every class.
func (a *analysis) blame(u *unit, v *model.Var, o *Obstacle) {
	if o == nil {
		return
	}
	if v.Type.Slots {
		u.all = append(u.all, *o)
		return
	}
	for _, c := range a.classes(v) {
		u.own[c] = append(u.own[c], *o)
	}
}

// pure says what a turn that must not write writes.
func (tu *turn) pure() *Obstacle {
	if tu.failed != nil {
		return tu.failed
	}
	for _, x := range tu.accs {
		if x.kind == write || x.kind == add || x.kind == insert {
			return &Obstacle{Pos: x.pos, Reason: fmt.Sprintf("a condition writes %v", x.p)}
		}
	}
	return nil
}

// stops says that turns may err while an earlier one decides.
func (tu *turn) stops(pos model.Pos) *Obstacle {
	if len(tu.kinds) == 0 {
		return nil
	}
	return &Obstacle{Pos: pos, Reason: "what stops early may err behind that"}
}

// stop looks at a quantifier, or the parameters of a property, that stop at the first turn
// that decides. If turns may err, all are to be evaluated (model.Strict), as of a count. What is hit
// on the way would not be the same.
func (a *analysis) stop(u *unit, v *model.Var, w *turn, pos model.Pos, strict any) {
	o := w.stops(pos)
	if o == nil {
		return
	}
	for k := range w.kinds {
		if k < 0 {
			a.blame(u, v, o)
			return
		}
	}
	if !v.Type.Slots {
		o.strict = strict
	}
	a.blame(u, v, o)
	a.mix(u, v, w, pos)
}

// mix joins the kinds of errors of a turn.
func (a *analysis) mix(u *unit, v *model.Var, w *turn, pos model.Pos) {
	if len(w.kinds) < 2 {
		return
	}
	for k := range w.kinds {
		if k < 0 {
			a.blame(u, v, &Obstacle{Pos: pos, Reason: "an assumption fails, a cover is hit or an error occurs, whichever is first"})
			return
		}
	}
	a.join(w.kinds)
}

// loop looks at a for statement.
func (a *analysis) loop(u *unit, s *model.For) {
	w := a.newTurn(u, s.Var)
	w.exec(s.Body)
	if w.failed != nil {
		a.blame(u, s.Var, w.failed)
		return
	}
	if len(w.returns) > 0 {
		switch o := w.pure(); {
		case o != nil:
			o.Reason = fmt.Sprintf("a loop that returns, and %s", o.Reason)
			a.blame(u, s.Var, o)
		case len(w.returns) > 1:
			a.blame(u, s.Var, &Obstacle{Pos: s.Pos, Reason: "a loop returns several values"})
		default:
			a.blame(u, s.Var, w.stops(s.Pos))
		}
		return
	}
	a.mix(u, s.Var, w, s.Pos)
	var left []access // what the last turn leaves behind
	for i, x := range w.accs {
		for _, y := range w.accs[i:] {
			switch a.conflict(x, y) {
			case commute:
			case lastCounts:
				for _, z := range []access{x, y} {
					at := slices.IndexFunc(left, func(l access) bool { return l.p.root == z.p.root && slices.Equal(l.p.sels, z.p.sels) })
					if at < 0 {
						left = append(left, z)
					} else {
						left[at] = z
					}
				}
			default:
				pos := y.pos
				if x.kind != read && y.kind == read {
					pos = x.pos
				}
				meet := fmt.Sprintf("turns of the loop at %v meet in %v", s.Pos, x.p)
				if other := y.p.String(); other != x.p.String() {
					meet += " and " + other
				}
				a.blame(u, s.Var, &Obstacle{Pos: pos, Reason: meet})
				return
			}
		}
	}
	slices.SortStableFunc(left, func(x, y access) int { return x.pos.Compare(y.pos) })
	for _, x := range left {
		path, _ := x.p.path()
		if !a.deadAfter(u, s, x.p.root, path, x.p.t, make(map[*unit]bool)) {
			a.blame(u, s.Var, &Obstacle{Pos: x.pos, Reason: fmt.Sprintf("what the last turn leaves in %v may be read after the loop at %v", x.p, s.Pos)})
			return
		}
	}
}

type relation uint8

const (
	clash      relation = iota
	commute             // the two may change places
	lastCounts          // they may, but for what is left behind
)

// conflict says how an access of one turn and one of another go together.
func (a *analysis) conflict(x, y access) relation {
	if x.kind > y.kind {
		x, y = y, x
	}
	looks := func(z access) bool { return z.kind == read || z.kind == present }
	if looks(x) && looks(y) {
		return commute
	}
	if x.kind == write && x.removes && y.kind == insert && a.meet(x.p.root, y.p.root) {
		return clash // whether there is room
	}
	if !a.touch(x, y) {
		return commute
	}
	switch {
	case x.kind == write && y.kind == write:
		if x.value != "" && x.value == y.value {
			return commute
		}
		if x.tracked && y.tracked && x.p.root == y.p.root {
			return lastCounts
		}
	case x.kind == add && y.kind == add && x.sign == y.sign, x.kind == insert && y.kind == insert:
		return commute
	}
	return clash
}

// touch reports whether an access of one turn and one of another may be to a common
// leaf.
func (a *analysis) touch(x, y access) bool {
	if x.p.root == y.p.root {
		for i := range min(len(x.p.sels), len(y.p.sels)) {
			s, t := x.p.sels[i], y.p.sels[i]
			switch {
			case s.kind != t.kind:
			case s.kind == byOwn:
				return false
			case (s.kind == byField || s.kind == byConst) && s.k != t.k:
				return false
			}
		}
		return true
	}
	if !a.meet(x.p.root, y.p.root) {
		return false
	}
	for _, z := range [][2]access{{x, y}, {y, x}} {
		if z[0].kind == insert || z[0].kind == present {
			// It touches slots, not what is in those that hold an element.
			t := z[0].p.t
			if z[0].kind == present && z[1].kind != insert {
				continue
			}
			return slices.Contains(through(z[1].p), t) || holds(z[1].p.t, t)
		}
	}
	for _, z := range [][2]access{{x, y}, {y, x}} {
		for _, set := range through(z[0].p) { // in an element, where the other one must be, too
			if !slices.Contains(z[1].p.sets, set) && !holds(z[1].p.t, set) {
				return false
			}
		}
	}
	return overlap(x.p.t, y.p.t)
}

// through returns the multiset types that the indices of a place go through.
func through(p place) (sets []*model.Type) {
	t := p.root.Type
	for _, s := range p.sels {
		switch {
		case s.kind == byField:
			t = t.Fields[s.k].Type
			continue
		case t.Kind == model.Multiset:
			sets = append(sets, t)
		}
		t = t.Elem
	}
	return sets
}

// holds reports whether a multiset type occurs in t.
func holds(t, set *model.Type) bool {
	return t.Has(func(s *model.Type) bool { return s == set })
}

// starting reports whether a unit may run in a start state, where nothing is known to
// be defined.
func (a *analysis) starting(u *unit) bool {
	if a.started == nil {
		a.started = make(map[*unit]bool)
		starts := lists.Where(a.units, func(x *unit) bool { return x.start })
		for _, x := range a.reach(starts) {
			a.started[x] = true
		}
	}
	return a.started[u]
}

func (u *unit) pos() model.Pos {
	switch {
	case u.proc != nil:
		return u.proc.Pos
	case u.rule != nil:
		return u.rule.Pos
	}
	return u.prop.Pos
}
