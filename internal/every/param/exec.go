package param

import (
	"fmt"
	"slices"
	"strings"

	"orbitmc/internal/lists"
	"orbitmc/model"
)

// This file runs rules on a symbolic state. Each family of leaves is a function; what a rule
// writes is kept as a list of writes, of which the last one that fits a leaf counts. All
// conditions are about the state before the rule, as reads are resolved at once.
//
// A loop over a free class runs its body once, for an arbitrary component. That is right if the
// iterations do not affect each other; loop.go decides it.

// Refusal says why a model is outside what is proved for every size.
type Refusal struct {
	File string
	Pos  model.Pos
	Msg  string
}

func (r *Refusal) Error() string { return fmt.Sprintf("%s:%v: %s", r.File, r.Pos, r.Msg) }

func refuse(pos model.Pos, format string, args ...any) {
	panic(&Refusal{Pos: pos, Msg: fmt.Sprintf(format, args...)})
}

// maxCases is the largest number of values of a type, and of cases of a number.
const maxCases = 128

// maxCalls is how deep calls may nest.
const maxCalls = 40

// instance is a variable with a place of its own: a state variable, or a local one of one call.
type instance struct {
	v     *model.Var
	id    int
	state bool
}

// place is what a designator stands for, in one case. A component that is an index is an
// argument, and "[]" in the path.
type place struct {
	cond Formula
	inst *instance
	path string
	t    *model.Type
	args []Term
}

// places is a designator: cases as those of a value.
type places []place

// binding is what a variable stands for: exactly one of the fields is set.
type binding struct {
	val  value // of a bound variable
	at   places
	inst *instance
}

// write is a write of a family: at args, for all values of the variables bound, each of which is
// one of args.
type write struct {
	guard   Formula
	args    []Term
	bound   []Term
	val     value
	pos     model.Pos
	settled bool // reading it is refused: its value depends on the order of a loop
}

// access is a read or write of a family.
type access struct {
	fam     *Family
	args    []Term
	low     int // the first write of the family that a read depends on; -1: the state before
	written bool
	pos     model.Pos
}

// run is one run of a rule, a start state or a property.
type run struct {
	*encoder
	start    bool // there is no state before
	pc       Formula
	returned Formula
	errs     [][]Formula // by property: when it is violated by an assertion or error; any of these
	env      map[*model.Var]binding
	writes   map[*Family][]write
	order    []*Family // keys of writes, in order
	log      []access
	frozen   int // instances before this one must not be written
	calls    int
	result   *instance // of the function at hand
	runtime  int
	sums     []*summed // by loops around what is at hand
	loops    int       // over free classes, around what is at hand
	lasts    *[]Term   // by loop that its last iteration decides, the last component; nil: these are refused
}

func (e *encoder) newRun(start bool) *run {
	x := &run{encoder: e, start: start, pc: True, returned: False, env: make(map[*model.Var]binding), writes: make(map[*Family][]write), runtime: e.m.Runtime().Index}
	x.errs = make([][]Formula, len(e.m.Props))
	return x
}

// live says when the statement or expression at hand is reached.
func (ru *run) live() Formula { return ru.And(ru.pc, ru.returned.Not()) }

// fail notes that prop is violated where cond holds.
func (ru *run) fail(prop int, cond Formula) {
	if cond != False {
		ru.errs[prop] = append(ru.errs[prop], ru.And(ru.live(), cond))
	}
}

// anyErr says when anything errs.
func (ru *run) anyErr() Formula { return ru.Or(slices.Concat(ru.errs...)...) }

// within runs f where also cond holds.
func (ru *run) within(cond Formula, f func()) {
	outer := ru.pc
	ru.pc = ru.And(outer, cond)
	f()
	ru.pc = outer
}

// forAny runs f, in which v is an arbitrary component; errors for any value of v count.
func (ru *run) forAny(v Term, f func()) {
	outer := ru.errs
	ru.errs = make([][]Formula, len(outer))
	f()
	for p, e := range ru.errs {
		outer[p] = append(outer[p], ru.Exists(v, ru.Or(e...)))
	}
	ru.errs = outer
}

// bound binds a variable to a value.
func bound(s single) binding { return binding{val: value{{True, s}}} }

// bind runs f with a variable bound.
func (ru *run) bind(v *model.Var, b binding, f func()) {
	old, had := ru.env[v]
	ru.env[v] = b
	f()
	if had {
		ru.env[v] = old
	} else {
		delete(ru.env, v)
	}
}

// Families.

func (ru *run) family(p place) *Family {
	return ru.familyOf(p.inst, p.path, p.t, p.args)
}

func (e *encoder) familyOf(inst *instance, path string, t *model.Type, args []Term) *Family {
	key := familyKey{inst, path}
	fam, ok := e.families[key]
	if !ok {
		typed := e.valuesOf(t, inst.v.Pos)
		fam = &Family{Name: inst.v.Name + path, Opts: typed.opts, typed: typed, inst: inst, number: len(e.families) + 1}
		fam.Defined = inst.state && !e.undefined[fam.Name]
		fam.Args = append(fam.Args, lists.Map(args, e.Sort)...)
		e.families[key] = fam
		if inst.state {
			e.state = append(e.state, fam)
		}
	}
	return fam
}

// rel is a leaf of a type: what is to be added to a place.
type rel struct {
	path string
	t    *model.Type
	args []Term
}

// leavesOf returns the leaves of a type, with fresh variables for components.
func (ru *run) leavesOf(t *model.Type, pos model.Pos) []rel {
	switch t.Kind {
	case model.Record:
		var all []rel
		for _, f := range t.Fields {
			for _, r := range ru.leavesOf(f.Type, pos) {
				all = append(all, rel{"." + f.Name + r.path, r.t, r.args})
			}
		}
		return all
	case model.Array:
		var all []rel
		for _, o := range ru.enumerated(t.Index, pos).opts {
			var args []Term
			if o.Sort >= 0 {
				args = []Term{ru.Fresh(o.Sort)}
			}
			for _, r := range ru.leavesOf(t.Elem, pos) {
				all = append(all, rel{step(o) + r.path, r.t, slices.Concat(args, r.args)})
			}
		}
		return all
	case model.Multiset:
		refuse(pos, "multisets are not proved for every size")
	}
	return []rel{{t: t}}
}

// step is an index in a path.
func step(o Option) string {
	if o.Sort >= 0 {
		return fmt.Sprintf("[#%d]", o.Sort)
	}
	return "[" + o.Const.String() + "]"
}

func (p place) extend(r rel) place {
	return place{p.cond, p.inst, p.path + r.path, r.t, slices.Concat(p.args, r.args)}
}

// Reads and writes of leaves.

// leaf returns what a family holds at args.
func (ru *run) leaf(fam *Family, inst *instance, args []Term, pos model.Pos) value {
	out, rest, low := ru.written(fam, args, pos)
	if rest != False {
		low = -1
		if ru.start || !inst.state {
			out = ru.add(out, rest, single{kind: undefined})
		} else {
			out = ru.under(out, rest, ru.before(fam, args))
		}
	}
	ru.log = append(ru.log, access{fam: fam, args: args, low: low, pos: pos})
	return out
}

// written returns what was written to a family at args, when nothing was, and the first write on which that depends.
func (ru *run) written(fam *Family, args []Term, pos model.Pos) (out value, rest Formula, low int) {
	rest, low = True, -1
	ws := ru.writes[fam]
	for i := len(ws) - 1; i >= 0 && rest != False; i-- {
		w := &ws[i]
		by := make(map[Term]Term, len(w.bound))
		m := rest
		for k, a := range w.args {
			if _, done := by[a]; !done && slices.Contains(w.bound, a) {
				by[a] = args[k]
			}
		}
		var eqs []Formula
		for k, a := range w.args {
			t := a
			if len(by) > 0 {
				s := substitution{l: ru.Logic, by: by}
				t = s.term(a)
			}
			eqs = append(eqs, ru.Equal(t, args[k]))
		}
		fits := ru.And(append(eqs, ru.Substitute(w.guard, by))...)
		m = ru.And(rest, fits)
		if m == False {
			continue
		}
		if w.settled {
			refuse(pos, "%s is read after the loop at %v, where its value depends on the order of the components", fam.Name, w.pos)
		}
		out = ru.under(out, m, ru.substitute(w.val, by))
		rest = ru.And(rest, fits.Not())
		low = i
	}
	return out, rest, low
}

// before returns what a family holds at args in the state before.
func (e *encoder) before(fam *Family, args []Term) value {
	var v value
	all := False
	for i, o := range fam.Opts {
		is := e.Is(fam, i, args)
		all = e.Or(all, is)
		if o.Sort == Ints {
			v = e.add(v, is, e.ofNumber(e.Sum(0, Addend{1, e.App(fam, i, args)})))
		} else if o.Sort < 0 {
			v = e.add(v, is, single{kind: constant, c: o.Const})
		} else {
			v = e.add(v, is, single{kind: component, class: o.Sort, t: e.App(fam, i, args)})
		}
	}
	if !fam.Defined {
		v = e.add(v, all.Not(), single{kind: undefined})
	}
	return v
}

// load returns the value of a designator of simple type, undefined or not.
func (ru *run) load(ps places, pos model.Pos) value {
	var v value
	for _, p := range ps {
		v = ru.under(v, p.cond, ru.leaf(ru.family(p), p.inst, p.args, pos))
	}
	return v
}

// store writes a value to a leaf for all values of the variables bound.
func (ru *run) store(p place, bound []Term, v value, pos model.Pos) {
	if p.inst.id < ru.frozen {
		refuse(pos, "%s is changed by an expression that is evaluated for each component", p.inst.v.Name)
	}
	guard := ru.And(ru.live(), p.cond)
	if guard == False {
		return
	}
	fam := ru.family(p)
	if fam.Defined && v.undef() != False {
		ru.mark(fam)
	}
	if len(ru.writes[fam]) == 0 {
		ru.order = append(ru.order, fam)
	}
	ru.writes[fam] = append(ru.writes[fam], write{guard: guard, args: p.args, bound: bound, val: v, pos: pos})
	ru.log = append(ru.log, access{fam: fam, args: p.args, written: true, pos: pos})
}

// storeAll writes an expression of simple type, or a value of any type, to a designator.
func (ru *run) storeAll(dst places, v value, pos model.Pos) {
	for _, p := range dst {
		ru.store(p, nil, v, pos)
	}
}

// copyAll copies what is not of simple type, leaf by leaf.
func (ru *run) copyAll(dst, src places, pos model.Pos) {
	if len(dst) == 0 || len(src) == 0 {
		return
	}
	to, from := ru.leavesOf(dst[0].t, pos), ru.leavesOf(src[0].t, pos)
	for i, r := range to {
		if a, b := ru.valuesOf(r.t, pos), ru.valuesOf(from[i].t, pos); a.lo != b.lo || a.top != b.top || !slices.Equal(a.opts, b.opts) {
			refuse(pos, "values of %v become values of %v", from[i].t, r.t)
		}
		s := rel{from[i].path, from[i].t, r.args}
		var v value
		for _, p := range src {
			q := p.extend(s)
			v = ru.under(v, p.cond, ru.leaf(ru.family(q), q.inst, q.args, pos))
		}
		for _, p := range dst {
			ru.store(p.extend(r), r.args, v, pos)
		}
	}
}

// Designators.

// place returns what a designator stands for.
func (ru *run) place(e model.Expr) places {
	switch e := e.(type) {
	case *model.Ref:
		b, ok := ru.env[e.Var]
		switch {
		case ok && b.inst != nil:
			return places{{True, b.inst, "", e.Var.Type, nil}}
		case ok && b.at != nil:
			return b.at
		case e.Var.Kind == model.StateVar:
			return places{{True, ru.stateOf(e.Var), "", e.Var.Type, nil}}
		}
		refuse(e.Pos, "%s is no place", e.Var.Name)
	case *model.FieldSel:
		f := e.X.Type().Fields[e.Field]
		var out places
		for _, p := range ru.place(e.X) {
			out = append(out, place{p.cond, p.inst, p.path + "." + f.Name, f.Type, p.args})
		}
		return out
	case *model.IndexSel:
		t := e.X.Type()
		if t.Kind == model.Multiset {
			refuse(e.Pos, "multisets are not proved for every size")
		}
		base := ru.place(e.X)
		typed := ru.enumerated(t.Index, e.Pos)
		index := ru.ofType(ru.defined(e.Index), typed, e.Pos)
		var out places
		outside := False
		for _, c := range index {
			o, ok := ru.optionFor(typed, c.single, e.Pos)
			if !ok {
				outside = ru.Or(outside, c.cond)
				continue
			}
			var args []Term
			if c.kind == component {
				args = []Term{c.t}
			}
			for _, p := range base {
				if cond := ru.And(p.cond, c.cond); cond != False {
					out = append(out, place{cond, p.inst, p.path + step(typed.opts[o]), t.Elem, slices.Concat(p.args, args)})
				}
			}
		}
		ru.fail(ru.runtime, outside)
		return out
	case *model.Let:
		var out places
		ru.name(e.Var, e.X, e.Pos, func() { out = ru.place(e.Body) })
		return out
	case *model.CallExpr:
		inst := ru.call(e.Proc, e.Args, e.Pos)
		return places{{True, inst, "", e.Proc.Result, nil}}
	}
	refuse(e.Position(), "this is no place")
	return nil
}

// ofType returns v as what a type has: numbers as components, if it is a class of numbers, and
// integers as their values, if it has these.
func (ru *run) ofType(v value, typed *valueType, pos model.Pos) value {
	if len(typed.opts) == 1 && typed.opts[0].Sort >= 0 {
		return ru.named(v, typed.opts[0].Sort, pos)
	}
	var out value
	for _, c := range v {
		t, ok := ru.number(c.single)
		if !ok || c.fixed() || typed.integers() {
			out = ru.add(out, c.cond, c.single)
			continue
		}
		rest, none := c.cond, int64(0)
		for _, o := range typed.opts {
			if o.Sort < 0 && o.Const.Type == nil {
				is := ru.SameNumber(t, ru.Number(o.Const.N))
				out = ru.add(out, ru.And(c.cond, is), number(o.Const.N))
				rest, none = ru.And(rest, is.Not()), min(none, o.Const.N)
			}
		}
		out = ru.add(out, rest, number(none-1)) // a number that the type has not
	}
	return out
}

// optionFor returns the option of a type that a value is.
func (ru *run) optionFor(typed *valueType, s single, pos model.Pos) (int, bool) {
	t, isNumber := ru.number(s)
	for i, o := range typed.opts {
		switch {
		case isNumber && o.Sort == Ints:
			return i, true
		case isNumber && !s.fixed():
			refuse(pos, "the value of %s counts here", ru.text(t))
		case isNumber && o.Sort >= 0 && ru.sorts[o.Sort].Numbers:
			refuse(pos, "%d is a particular component of a free class, %s", s.c.N, ru.sorts[o.Sort].Name)
		case s.kind == component && o.Sort == Ints:
			refuse(pos, "%s of a free class is used as a number", ru.sorts[s.class].Name)
		case s.kind == component && o.Sort == s.class && o.Sort >= 0:
			return i, true
		case s.kind == constant && o.Sort < 0 && o.Const == s.c:
			return i, true
		}
	}
	return 0, false
}

// Statements.

func (ru *run) block(stmts []model.Stmt) {
	for _, s := range stmts {
		if ru.live() == False {
			return
		}
		ru.stmt(s)
	}
}

func (ru *run) stmt(s model.Stmt) {
	switch s := s.(type) {
	case *model.Assign:
		ru.assign(s)
	case *model.If:
		ru.ifs(s.Clauses, s.Else)
	case *model.For:
		ru.each(s.Var, s.Domain, s.Pos, func(v Term, free bool) {
			if free {
				ru.loop(v, s, func() { ru.block(s.Body) })
			} else {
				ru.block(s.Body)
			}
		})
	case *model.Reset:
		for _, p := range ru.place(s.X) {
			for _, r := range ru.leavesOf(s.X.Type(), s.Pos) {
				v := single{kind: undefined}
				if s.Least {
					v = ru.least(p.extend(r), s.Pos)
				}
				ru.store(p.extend(r), r.args, value{{True, v}}, s.Pos)
			}
		}
	case *model.Alias:
		ru.name(s.Var, s.X, s.Pos, func() { ru.block(s.Body) })
	case *model.Call:
		ru.call(s.Proc, s.Args, s.Pos)
	case *model.Return:
		ru.ret(s)
	case *model.Assert:
		bad := True
		if s.Cond != nil {
			bad = ru.bool(s.Cond).Not()
		}
		ru.fail(s.Prop, bad)
	case *model.Put:
		switch {
		case s.X == nil:
		case model.Designator(s.X):
			if r, ok := s.X.(*model.Ref); !ok || r.Var.Kind != model.BoundVar {
				ru.place(s.X)
			}
		default:
			ru.eval(s.X)
		}
	case *model.While:
		refuse(s.Pos, "while statements are not proved for every size")
	case *model.Insert, *model.Remove:
		refuse(s.Position(), "multisets are not proved for every size")
	case *model.Assume:
		refuse(s.Pos, "assumptions are not proved for every size")
	case *model.CoverStmt:
		refuse(s.Pos, "cover properties are not proved for every size")
	default:
		refuse(s.Position(), "this statement is not proved for every size")
	}
}

// least returns the least value of a leaf.
func (ru *run) least(p place, pos model.Pos) single {
	typed := ru.valuesOf(p.t, pos)
	o := typed.opts[0]
	switch {
	case typed.integers():
		return number(typed.lo)
	case o.Sort >= 0 && ru.sorts[o.Sort].Numbers:
		return single{kind: component, class: o.Sort, t: ru.component(o.Sort, Const{N: ru.sorts[o.Sort].Lo}, pos)}
	case o.Sort >= 0:
		refuse(pos, "clear sets %s to a particular component of a free class", p.inst.v.Name+p.path)
	}
	return single{kind: constant, c: o.Const}
}

// assign is an assignment. The place comes first, as in the interpreter.
func (ru *run) assign(s *model.Assign) {
	if ru.adds(s) {
		return
	}
	dst := ru.place(s.LHS)
	if !s.LHS.Type().Simple() {
		ru.copyAll(dst, ru.place(s.RHS), s.Pos)
		return
	}
	ru.storeAll(dst, ru.fit(ru.maybe(s.RHS, s.CopiesUndefined(ru.m.Dialect)), s.LHS.Type(), true, s.Pos), s.Pos)
}

// fit returns the cases of a value that are values of type t; numbers outside it are errors if
// checked.
func (ru *run) fit(v value, t *model.Type, checked bool, pos model.Pos) value {
	typed := ru.valuesOf(t, pos)
	var out value
	outside := False
	for _, c := range ru.ofType(v, typed, pos) {
		if c.kind == undefined {
			out = ru.add(out, c.cond, c.single)
		} else if _, ok := ru.optionFor(typed, c.single, pos); ok {
			out = ru.add(out, c.cond, c.single)
			if typed.integers() {
				n, _ := ru.number(c.single)
				outside = ru.Or(outside, ru.And(c.cond, ru.And(ru.LessEq(ru.Number(typed.lo), n), ru.LessEq(n, ru.size(typed.top))).Not()))
			}
		} else {
			outside = ru.Or(outside, c.cond)
		}
	}
	if !checked && ru.And(ru.live(), outside) != False {
		refuse(pos, "a number outside its type is not proved for every size")
	}
	ru.fail(ru.runtime, outside)
	return out
}

func (ru *run) ifs(clauses []model.Clause, els []model.Stmt) {
	if len(clauses) == 0 {
		ru.block(els)
		return
	}
	c := ru.bool(clauses[0].Cond)
	ru.branch(c, func() { ru.block(clauses[0].Body) }, func() { ru.ifs(clauses[1:], els) })
}

// branch runs then where c holds and els elsewhere.
func (ru *run) branch(c Formula, then, els func()) {
	if ru.And(ru.live(), c) != False {
		ru.within(c, then)
	}
	if ru.And(ru.live(), c.Not()) != False {
		ru.within(c.Not(), els)
	}
}

// name gives an expression a name in f.
func (ru *run) name(v *model.Var, e model.Expr, pos model.Pos, f func()) {
	if v.Kind == model.RefVar {
		ru.bind(v, binding{at: ru.referred(v, e)}, f)
		return
	}
	if v.Type.Kind == model.Integer { // it is never assigned, and has no range
		ru.bind(v, binding{val: ru.defined(e)}, f)
		return
	}
	ru.bind(v, binding{inst: ru.local(v)}, func() {
		ru.assign(&model.Assign{LHS: &model.Ref{Var: v, Pos: pos}, RHS: e, Pos: pos})
		f()
	})
}

// referred returns the place that a variable names; where it is always an error, a place that is never there.
func (ru *run) referred(v *model.Var, e model.Expr) places {
	if at := ru.place(e); len(at) > 0 {
		return at
	}
	return places{{False, ru.local(v), "", v.Type, nil}}
}

// Calls.

func (ru *run) local(v *model.Var) *instance {
	ru.instances++
	return &instance{v: v, id: ru.instances}
}

// call runs a procedure and returns where its result is.
func (ru *run) call(p *model.Proc, args []model.Expr, pos model.Pos) *instance {
	if ru.calls++; ru.calls > maxCalls {
		refuse(pos, "%s is called recursively", p.Name)
	}
	env := make(map[*model.Var]binding)
	for i, f := range p.Params {
		t := f.Var.Type
		switch {
		case f.ByRef:
			env[f.Var] = binding{at: ru.referred(f.Var, args[i])}
		case !t.Simple():
			src := ru.place(args[i])
			inst := ru.local(f.Var)
			env[f.Var] = binding{inst: inst}
			ru.copyAll(places{{True, inst, "", t, nil}}, src, pos)
		default:
			v := ru.fit(ru.maybe(args[i], f.CopiesUndefined(args[i], ru.m.Dialect)), t, true, args[i].Position())
			inst := ru.local(f.Var)
			env[f.Var] = binding{inst: inst}
			ru.store(place{True, inst, "", t, nil}, nil, v, pos)
		}
	}
	for _, v := range p.Locals {
		env[v] = binding{inst: ru.local(v)}
	}
	outer, returned, result, outerPC := ru.env, ru.returned, ru.result, ru.pc
	ru.env, ru.result = env, nil
	ru.pc = ru.And(ru.pc, returned.Not())
	pc := ru.pc
	ru.returned = False
	if p.Result != nil {
		ru.result = ru.local(&model.Var{Name: p.Name, Kind: model.LocalVar, Type: p.Result, Pos: p.Pos})
	}
	inst := ru.result
	ru.block(p.Body)
	ru.pc = pc
	if p.Result != nil {
		ru.fail(ru.runtime, True)
	}
	ru.env, ru.returned, ru.result, ru.pc = outer, returned, result, outerPC
	ru.calls--
	return inst
}

func (ru *run) ret(s *model.Return) {
	if s.X != nil {
		t := ru.result.v.Type
		dst := places{{True, ru.result, "", t, nil}}
		if t.Simple() {
			v := ru.maybe(s.X, s.CopiesUndefined(ru.m.Dialect))
			ru.storeAll(dst, ru.fit(v, t, s.ChecksRange(ru.m.Dialect), s.Pos), s.Pos)
		} else {
			ru.copyAll(dst, ru.place(s.X), s.Pos)
		}
	}
	ru.returned = ru.Or(ru.returned, ru.pc)
}

// path writes a family for messages.
func (f *Family) String() string {
	return strings.NewReplacer("#", "").Replace(f.Name)
}
