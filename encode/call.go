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
func (ex *exec) call(p *model.Proc, args []model.Expr, pos model.Pos) (result value, whole []*code) {
	ex.pos = pos
	ex.checkBudget()
	// The arguments first, then their places: an argument may call p.
	passed := make([]argument, len(p.Params))
	for i, a := range p.Params {
		passed[i] = ex.argument(a, args[i])
	}
	if ex.recursive[p.Index] && ex.open == model.MaxRecursion {
		ex.runtime(aig.True)
	}
	if ex.dead() {
		return ex.anything(p.Result)
	}
	key := ""
	if ex.memo != nil && ex.dirty == 0 && ex.open == 0 && p.Result != nil {
		key = ex.key(p, passed)
		if o, ok := ex.memo[key]; ok {
			for _, leaf := range o.read {
				ex.read[leaf] = true
				ex.watch.look(leaf)
			}
			return ex.apply(o, p)
		}
	}
	var before []bool
	if key != "" {
		before = ex.read
		ex.read = make([]bool, len(before))
	}
	mark, inserted := len(ex.trail), ex.inserted
	ex.inserted = false
	o := ex.invoke(p, passed)
	if key != "" {
		for leaf, is := range ex.read {
			if is {
				o.read = append(o.read, leaf)
				before[leaf] = true
			}
		}
		ex.read = before
		if len(ex.trail) == mark && !ex.inserted { // each element that is added has a target of its own
			ex.memo[key] = o
		}
	}
	ex.inserted = ex.inserted || inserted
	return ex.apply(o, p)
}

// invoke runs the body of a call.
func (ex *exec) invoke(p *model.Proc, passed []argument) *outcome {
	if ex.recursive[p.Index] {
		ex.open++
		defer func() { ex.open-- }()
	}
	here, errs, covers, chosen := ex.path, ex.errs, ex.covers, ex.chosen
	ex.path = path{pc: aig.True, inserts: here.inserts, changed: here.changed}
	ex.errs, ex.covers, ex.chosen = make(map[int][]aig.Lit), make(map[int][]aig.Lit), nil
	top := len(ex.regions) - 1
	wasCut := ex.regions[top].cut
	ex.regions[top].cut = false

	before := ex.path
	outer := ex.enter(p)
	var vars []*model.Var
	var saved [][]place
	names := maps.Clone(ex.names)
	bind := func(v *model.Var, ps []place, inside []place) {
		vars, saved = append(vars, v), append(saved, ex.where[v])
		ex.refer(v, ps, inside)
	}
	for i, a := range p.Params {
		bind(a.Var, ex.pass(a.Var.Type, passed[i]), passed[i].inside)
	}
	for _, v := range p.Locals {
		bind(v, ex.local(v.Type), nil)
	}
	ex.run(p.Body)
	switch {
	case ex.dead():
	case p.Result != nil:
		ex.runtime(aig.True)
	default:
		ex.exit(value{}, nil)
	}
	for i, v := range vars {
		ex.where[v] = saved[i]
	}
	ex.names = names
	o := &outcome{}
	o.result, o.whole = ex.leave(outer, before)
	o.pc, o.cut = ex.pc, ex.regions[top].cut
	o.errs, o.covers = ex.anyOf(ex.errs), ex.anyOf(ex.covers)
	for _, c := range ex.chosen {
		chosen = append(chosen, c.under(ex.g, here.pc))
	}
	here.inserts, here.changed = ex.inserts, ex.changed
	ex.path, ex.errs, ex.covers, ex.chosen = here, errs, covers, chosen
	ex.regions[top].cut = wasCut
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
func (ex *exec) apply(o *outcome, p *model.Proc) (value, []*code) {
	ok := aig.True
	if len(o.covers) > 0 {
		ok = ex.g.And(ex.pc, ex.anyFailed().Not())
	}
	for q, l := range lists.InOrder(o.covers) {
		ex.covers[q] = append(ex.covers[q], ex.g.And(ok, l))
	}
	ex.failAll(o.errs)
	if o.cut {
		ex.cut(o.pc)
	}
	if ex.dead() {
		return ex.anything(p.Result)
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
func (ex *exec) key(p *model.Proc, passed []argument) string {
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
			if at.leaf < len(ex.read) {
				key = binary.AppendUvarint(key, uint64(at.leaf))
				continue
			}
			key = binary.AppendUvarint(key, uint64(len(ex.read))) // a local: what it holds
			for k := range p.Params[i].Var.Type.Leaves {
				code(ex.content(at.leaf + k))
			}
		}
		key = append(key, '.')
	}
	return string(key)
}

func (ex *exec) argument(a *model.Formal, arg model.Expr) argument {
	t := a.Var.Type
	switch {
	case a.ByRef:
		return argument{places: ex.places(arg), inside: ex.inside}
	case t.Simple():
		v := ex.checked(ex.needUnless(a.CopiesUndefined(arg, ex.m.Dialect), arg), t)
		return argument{codes: []*code{layoutOf(t).toCode(ex.arith, v)}}
	}
	return argument{codes: ex.whole(arg)()}
}

// pass gives a parameter of type t its place.
func (ex *exec) pass(t *model.Type, a argument) []place {
	if a.places != nil {
		return a.places
	}
	ps := ex.local(t)
	for k, c := range a.codes {
		ex.write(ps[0].leaf+k, aig.True, c)
	}
	return ps
}

// local makes room for a local variable of type t.
func (ex *exec) local(t *model.Type) []place {
	return []place{{aig.True, ex.push(lists.Memo(ex.layouts, t, layoutsOf))}}
}

// name binds the variable of an alias; the function it returns ends that.
func (ex *exec) name(v *model.Var, e model.Expr) (end func()) {
	end = keep(ex.where, v)
	switch {
	case v.Kind == model.RefVar:
		ps := ex.places(e)
		ex.refer(v, ps, ex.inside)
	case v.Type.Kind == model.Integer:
		val := ex.need(e)
		end = keep(ex.bound, v)
		ex.bound[v] = val
	case v.Type.Simple():
		may := (&model.Assign{LHS: &model.Ref{Var: v}, RHS: e}).CopiesUndefined(ex.m.Dialect)
		val := ex.checked(ex.needUnless(may, e), v.Type)
		ps := ex.local(v.Type)
		ex.write(ps[0].leaf, aig.True, ex.lay[ps[0].leaf].toCode(ex.arith, val))
		ex.where[v] = ps
		if v.Type.Slots {
			ex.names[v] = ex.names[slotVar(e)]
		}
	default:
		cs := ex.whole(e)()
		ps := ex.local(v.Type)
		for k, c := range cs {
			ex.write(ps[0].leaf+k, aig.True, c)
		}
		ex.where[v] = ps
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

func (ex *exec) returnStmt(s *model.Return) {
	if s.X == nil {
		ex.exit(value{}, nil)
		return
	}
	t := ex.act.proc.Result
	var v value
	var cs []*code
	if t.Simple() {
		v = ex.needUnless(s.CopiesUndefined(ex.m.Dialect), s.X)
		if s.ChecksRange(ex.m.Dialect) {
			v = ex.checked(v, t)
		}
	} else {
		cs = ex.whole(s.X)()
	}
	if !ex.dead() {
		ex.exit(v, cs)
	}
}

// anything is the result of a call that is never used, of type t, which may be nil.
func (ex *exec) anything(t *model.Type) (value, []*code) {
	switch {
	case t == nil:
		return value{}, nil
	case !t.Simple():
		return value{}, lists.Map(layoutsOf(t), ex.none)
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
