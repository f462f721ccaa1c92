package encode

import (
	"encoding/binary"
	"maps"

	"orbitmc/aig"
	"orbitmc/internal/lists"
	"orbitmc/model"
)

// Calls are inlined. A recursive call is inlined until its path condition folds
// to false, or up to the depth at which it is a run-time error.

// The path conditions of the body of a call count from its beginning, so the
// result does not depend on the place of the call. A function that writes
// nothing, and is called before the body of the rule wrote anything, as in
// guards, is executed once for the same arguments.

// outcome is what a call did, apart from writes.
type outcome struct {
	result       value
	whole        []*code
	errs, covers map[int]aig.Lit // by property
	pc           aig.Lit         // it returns, if it is cut; errors are in errs
	cut          bool
	read         []int // leaves of the state
}

// call runs a procedure or function and returns its result, as a value if that is
// simple and leaf by leaf if not.
func (x *exec) call(p *model.Proc, args []model.Expr, pos model.Pos) (result value, whole []*code) {
	x.pos = pos
	x.checkBudget()
	// The arguments first, then their places: an argument may call p.
	passed := make([]argument, len(p.Params))
	for i, a := range p.Params {
		passed[i] = x.argument(a, args[i])
	}
	if x.recursive[p.Index] && x.open == model.MaxRecursion {
		x.runtime(aig.True)
	}
	if x.dead() {
		return x.anything(p.Result)
	}
	key := ""
	if x.memo != nil && x.dirty == 0 && x.open == 0 && p.Result != nil {
		key = x.key(p, passed)
		if o, ok := x.memo[key]; ok {
			for _, leaf := range o.read {
				x.read[leaf] = true
				x.watch.look(leaf)
			}
			return x.apply(o, p)
		}
	}
	var before []bool
	if key != "" {
		before = x.read
		x.read = make([]bool, len(before))
	}
	mark, inserted := len(x.trail), x.inserted
	x.inserted = false
	o := x.invoke(p, passed)
	if key != "" {
		for leaf, is := range x.read {
			if is {
				o.read = append(o.read, leaf)
				before[leaf] = true
			}
		}
		x.read = before
		if len(x.trail) == mark && !x.inserted { // each element that is added has a target of its own
			x.memo[key] = o
		}
	}
	x.inserted = x.inserted || inserted
	return x.apply(o, p)
}

// invoke runs the body of a call.
func (x *exec) invoke(p *model.Proc, passed []argument) *outcome {
	if x.recursive[p.Index] {
		x.open++
		defer func() { x.open-- }()
	}
	here, errs, covers, chosen := x.path, x.errs, x.covers, x.chosen
	x.path = path{pc: aig.True, inserts: here.inserts, changed: here.changed}
	x.errs, x.covers, x.chosen = make(map[int][]aig.Lit), make(map[int][]aig.Lit), nil
	top := len(x.regions) - 1
	wasCut := x.regions[top].cut
	x.regions[top].cut = false

	before := x.path
	outer := x.enter(p)
	var vars []*model.Var
	var saved [][]place
	names := maps.Clone(x.names)
	bind := func(v *model.Var, ps []place, inside []place) {
		vars, saved = append(vars, v), append(saved, x.where[v])
		x.refer(v, ps, inside)
	}
	for i, a := range p.Params {
		bind(a.Var, x.pass(a.Var.Type, passed[i]), passed[i].inside)
	}
	for _, v := range p.Locals {
		bind(v, x.local(v.Type), nil)
	}
	x.run(p.Body)
	switch {
	case x.dead():
	case p.Result != nil:
		x.runtime(aig.True)
	default:
		x.exit(value{}, nil)
	}
	for i, v := range vars {
		x.where[v] = saved[i]
	}
	x.names = names
	o := &outcome{}
	o.result, o.whole = x.leave(outer, before)
	o.pc, o.cut = x.pc, x.regions[top].cut
	o.errs, o.covers = x.anyOf(x.errs), x.anyOf(x.covers)
	for _, c := range x.chosen {
		chosen = append(chosen, c.under(x.g, here.pc))
	}
	here.inserts, here.changed = x.inserts, x.changed
	x.path, x.errs, x.covers, x.chosen = here, errs, covers, chosen
	x.regions[top].cut = wasCut
	return o
}

func (a arith) anyOf(ls map[int][]aig.Lit) map[int]aig.Lit {
	out := make(map[int]aig.Lit, len(ls))
	for p, l := range lists.InOrder(ls) {
		out[p] = a.g.OrN(l)
	}
	return out
}

// apply goes on behind a call.
func (x *exec) apply(o *outcome, p *model.Proc) (value, []*code) {
	ok := aig.True
	if len(o.covers) > 0 {
		ok = x.g.And(x.pc, x.anyFailed().Not())
	}
	for q, l := range lists.InOrder(o.covers) {
		x.covers[q] = append(x.covers[q], x.g.And(ok, l))
	}
	x.failAll(o.errs)
	if o.cut {
		x.cut(o.pc)
	}
	if x.dead() {
		return x.anything(p.Result)
	}
	return o.result, o.whole
}

// argument is the value of an argument, or the places it denotes.
type argument struct {
	places []place // by reference
	inside []place // in elements of these multisets
	codes  []*code // by value
}

// key identifies a call by what it depends on, apart from the state.
func (x *exec) key(p *model.Proc, passed []argument) string {
	key := binary.AppendUvarint(nil, uint64(p.Index))
	code := func(c *code) {
		key = binary.AppendUvarint(key, uint64(c.def))
		for _, l := range c.bits {
			key = binary.AppendUvarint(key, uint64(l))
		}
		key = binary.AppendVarint(binary.AppendVarint(key, c.lo), c.hi)
	}
	for i, a := range passed {
		for _, c := range a.codes {
			code(c)
		}
		for _, at := range a.places {
			key = binary.AppendUvarint(key, uint64(at.cond))
			if at.leaf < len(x.read) {
				key = binary.AppendUvarint(key, uint64(at.leaf))
				continue
			}
			key = binary.AppendUvarint(key, uint64(len(x.read))) // a local: what it holds
			for k := range p.Params[i].Var.Type.Leaves {
				code(x.content(at.leaf + k))
			}
		}
		key = append(key, '.')
	}
	return string(key)
}

func (x *exec) argument(a *model.Formal, arg model.Expr) argument {
	t := a.Var.Type
	switch {
	case a.ByRef:
		return argument{places: x.places(arg), inside: x.inside}
	case t.Simple():
		v := x.checked(x.needUnless(a.CopiesUndefined(arg, x.m.Dialect), arg), t)
		return argument{codes: []*code{layoutOf(t).toCode(x.arith, v)}}
	}
	return argument{codes: x.whole(arg)()}
}

// pass gives a parameter of type t its place.
func (x *exec) pass(t *model.Type, a argument) []place {
	if a.places != nil {
		return a.places
	}
	ps := x.local(t)
	for k, c := range a.codes {
		x.write(ps[0].leaf+k, aig.True, c)
	}
	return ps
}

// local makes room for a local variable of type t.
func (x *exec) local(t *model.Type) []place {
	return []place{{aig.True, x.push(lists.Memo(x.layouts, t, layoutsOf))}}
}

// name binds the variable of an alias; the function it returns ends that.
func (x *exec) name(v *model.Var, e model.Expr) (end func()) {
	end = keep(x.where, v)
	switch {
	case v.Kind == model.RefVar:
		ps := x.places(e)
		x.refer(v, ps, x.inside)
	case v.Type.Kind == model.Integer:
		val := x.need(e)
		end = keep(x.bound, v)
		x.bound[v] = val
	case v.Type.Simple():
		may := (&model.Assign{LHS: &model.Ref{Var: v}, RHS: e}).CopiesUndefined(x.m.Dialect)
		val := x.checked(x.needUnless(may, e), v.Type)
		ps := x.local(v.Type)
		x.write(ps[0].leaf, aig.True, x.lay[ps[0].leaf].toCode(x.arith, val))
		x.where[v] = ps
		if v.Type.Slots {
			x.names[v] = x.names[slotVar(e)]
		}
	default:
		cs := x.whole(e)()
		ps := x.local(v.Type)
		for k, c := range cs {
			x.write(ps[0].leaf+k, aig.True, c)
		}
		x.where[v] = ps
	}
	return end
}

// keep returns what makes the entry of a map as it is now.
func keep[K comparable, V any](m map[K]V, k K) (restore func()) {
	v, ok := m[k]
	return func() {
		delete(m, k)
		if ok {
			m[k] = v
		}
	}
}

func (x *exec) returnStmt(s *model.Return) {
	if s.X == nil {
		x.exit(value{}, nil)
		return
	}
	t := x.act.proc.Result
	var v value
	var cs []*code
	if t.Simple() {
		v = x.needUnless(s.CopiesUndefined(x.m.Dialect), s.X)
		if s.ChecksRange(x.m.Dialect) {
			v = x.checked(v, t)
		}
	} else {
		cs = x.whole(s.X)()
	}
	if !x.dead() {
		x.exit(v, cs)
	}
}

// anything is the result of a call that is never used, of type t, which may be nil.
func (x *exec) anything(t *model.Type) (value, []*code) {
	switch {
	case t == nil:
		return value{}, nil
	case !t.Simple():
		return value{}, lists.Map(layoutsOf(t), x.none)
	case abstract(t):
		return hotConstant(0, int(t.Card())), nil
	}
	return constant(t.Lo), nil
}

// recursive finds the procedures that may call themselves.
func recursive(m *model.Model) []bool {
	reached := m.Reached()
	return lists.Make(len(reached), func(i int) bool { return reached[i][i] })
}
