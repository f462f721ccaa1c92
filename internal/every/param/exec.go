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

func (e *Refusal) Error() string { return fmt.Sprintf("%s:%v: %s", e.File, e.Pos, e.Msg) }

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
func (x *run) live() Formula { return x.And(x.pc, x.returned.Not()) }

// fail notes that prop is violated where cond holds.
func (x *run) fail(prop int, cond Formula) {
	if cond != False {
		x.errs[prop] = append(x.errs[prop], x.And(x.live(), cond))
	}
}

// anyErr says when anything errs.
func (x *run) anyErr() Formula { return x.Or(slices.Concat(x.errs...)...) }

// within runs f where also cond holds.
func (x *run) within(cond Formula, f func()) {
	outer := x.pc
	x.pc = x.And(outer, cond)
	f()
	x.pc = outer
}

// forAny runs f, in which v is an arbitrary component; errors for any value of v count.
func (x *run) forAny(v Term, f func()) {
	outer := x.errs
	x.errs = make([][]Formula, len(outer))
	f()
	for p, e := range x.errs {
		outer[p] = append(outer[p], x.Exists(v, x.Or(e...)))
	}
	x.errs = outer
}

// bound binds a variable to a value.
func bound(s single) binding { return binding{val: value{{True, s}}} }

// bind runs f with a variable bound.
func (x *run) bind(v *model.Var, b binding, f func()) {
	old, had := x.env[v]
	x.env[v] = b
	f()
	if had {
		x.env[v] = old
	} else {
		delete(x.env, v)
	}
}

// Families.

func (x *run) family(p place) *Family {
	return x.familyOf(p.inst, p.path, p.t, p.args)
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
func (x *run) leavesOf(t *model.Type, pos model.Pos) []rel {
	switch t.Kind {
	case model.Record:
		var all []rel
		for _, f := range t.Fields {
			for _, r := range x.leavesOf(f.Type, pos) {
				all = append(all, rel{"." + f.Name + r.path, r.t, r.args})
			}
		}
		return all
	case model.Array:
		var all []rel
		for _, o := range x.enumerated(t.Index, pos).opts {
			var args []Term
			if o.Sort >= 0 {
				args = []Term{x.Fresh(o.Sort)}
			}
			for _, r := range x.leavesOf(t.Elem, pos) {
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
func (x *run) leaf(fam *Family, inst *instance, args []Term, pos model.Pos) value {
	out, rest, low := x.written(fam, args, pos)
	if rest != False {
		low = -1
		if x.start || !inst.state {
			out = x.add(out, rest, single{kind: undefined})
		} else {
			out = x.under(out, rest, x.before(fam, args))
		}
	}
	x.log = append(x.log, access{fam: fam, args: args, low: low, pos: pos})
	return out
}

// written returns what was written to a family at args, when nothing was, and the first write on which that depends.
func (x *run) written(fam *Family, args []Term, pos model.Pos) (out value, rest Formula, low int) {
	rest, low = True, -1
	ws := x.writes[fam]
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
				s := substitution{l: x.Logic, by: by}
				t = s.term(a)
			}
			eqs = append(eqs, x.Equal(t, args[k]))
		}
		fits := x.And(append(eqs, x.Substitute(w.guard, by))...)
		m = x.And(rest, fits)
		if m == False {
			continue
		}
		if w.settled {
			refuse(pos, "%s is read after the loop at %v, where its value depends on the order of the components", fam.Name, w.pos)
		}
		out = x.under(out, m, x.substitute(w.val, by))
		rest = x.And(rest, fits.Not())
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
func (x *run) load(ps places, pos model.Pos) value {
	var v value
	for _, p := range ps {
		v = x.under(v, p.cond, x.leaf(x.family(p), p.inst, p.args, pos))
	}
	return v
}

// store writes a value to a leaf for all values of the variables bound.
func (x *run) store(p place, bound []Term, v value, pos model.Pos) {
	if p.inst.id < x.frozen {
		refuse(pos, "%s is changed by an expression that is evaluated for each component", p.inst.v.Name)
	}
	guard := x.And(x.live(), p.cond)
	if guard == False {
		return
	}
	fam := x.family(p)
	if fam.Defined && v.undef() != False {
		x.mark(fam)
	}
	if len(x.writes[fam]) == 0 {
		x.order = append(x.order, fam)
	}
	x.writes[fam] = append(x.writes[fam], write{guard: guard, args: p.args, bound: bound, val: v, pos: pos})
	x.log = append(x.log, access{fam: fam, args: p.args, written: true, pos: pos})
}

// storeAll writes an expression of simple type, or a value of any type, to a designator.
func (x *run) storeAll(dst places, v value, pos model.Pos) {
	for _, p := range dst {
		x.store(p, nil, v, pos)
	}
}

// copyAll copies what is not of simple type, leaf by leaf.
func (x *run) copyAll(dst, src places, pos model.Pos) {
	if len(dst) == 0 || len(src) == 0 {
		return
	}
	to, from := x.leavesOf(dst[0].t, pos), x.leavesOf(src[0].t, pos)
	for i, r := range to {
		if a, b := x.valuesOf(r.t, pos), x.valuesOf(from[i].t, pos); a.lo != b.lo || a.top != b.top || !slices.Equal(a.opts, b.opts) {
			refuse(pos, "values of %v become values of %v", from[i].t, r.t)
		}
		s := rel{from[i].path, from[i].t, r.args}
		var v value
		for _, p := range src {
			q := p.extend(s)
			v = x.under(v, p.cond, x.leaf(x.family(q), q.inst, q.args, pos))
		}
		for _, p := range dst {
			x.store(p.extend(r), r.args, v, pos)
		}
	}
}

// Designators.

// place returns what a designator stands for.
func (x *run) place(e model.Expr) places {
	switch e := e.(type) {
	case *model.Ref:
		b, ok := x.env[e.Var]
		switch {
		case ok && b.inst != nil:
			return places{{True, b.inst, "", e.Var.Type, nil}}
		case ok && b.at != nil:
			return b.at
		case e.Var.Kind == model.StateVar:
			return places{{True, x.stateOf(e.Var), "", e.Var.Type, nil}}
		}
		refuse(e.Pos, "%s is no place", e.Var.Name)
	case *model.FieldSel:
		f := e.X.Type().Fields[e.Field]
		var out places
		for _, p := range x.place(e.X) {
			out = append(out, place{p.cond, p.inst, p.path + "." + f.Name, f.Type, p.args})
		}
		return out
	case *model.IndexSel:
		t := e.X.Type()
		if t.Kind == model.Multiset {
			refuse(e.Pos, "multisets are not proved for every size")
		}
		base := x.place(e.X)
		typed := x.enumerated(t.Index, e.Pos)
		index := x.ofType(x.defined(e.Index), typed, e.Pos)
		var out places
		outside := False
		for _, c := range index {
			o, ok := x.optionFor(typed, c.single, e.Pos)
			if !ok {
				outside = x.Or(outside, c.cond)
				continue
			}
			var args []Term
			if c.kind == component {
				args = []Term{c.t}
			}
			for _, p := range base {
				if cond := x.And(p.cond, c.cond); cond != False {
					out = append(out, place{cond, p.inst, p.path + step(typed.opts[o]), t.Elem, slices.Concat(p.args, args)})
				}
			}
		}
		x.fail(x.runtime, outside)
		return out
	case *model.Let:
		var out places
		x.name(e.Var, e.X, e.Pos, func() { out = x.place(e.Body) })
		return out
	case *model.CallExpr:
		inst := x.call(e.Proc, e.Args, e.Pos)
		return places{{True, inst, "", e.Proc.Result, nil}}
	}
	refuse(e.Position(), "this is no place")
	return nil
}

// ofType returns v as what a type has: numbers as components, if it is a class of numbers, and
// integers as their values, if it has these.
func (x *run) ofType(v value, typed *valueType, pos model.Pos) value {
	if len(typed.opts) == 1 && typed.opts[0].Sort >= 0 {
		return x.named(v, typed.opts[0].Sort, pos)
	}
	var out value
	for _, c := range v {
		t, ok := x.number(c.single)
		if !ok || c.fixed() || typed.integers() {
			out = x.add(out, c.cond, c.single)
			continue
		}
		rest, none := c.cond, int64(0)
		for _, o := range typed.opts {
			if o.Sort < 0 && o.Const.Type == nil {
				is := x.SameNumber(t, x.Number(o.Const.N))
				out = x.add(out, x.And(c.cond, is), number(o.Const.N))
				rest, none = x.And(rest, is.Not()), min(none, o.Const.N)
			}
		}
		out = x.add(out, rest, number(none-1)) // a number that the type has not
	}
	return out
}

// optionFor returns the option of a type that a value is.
func (x *run) optionFor(typed *valueType, s single, pos model.Pos) (int, bool) {
	t, isNumber := x.number(s)
	for i, o := range typed.opts {
		switch {
		case isNumber && o.Sort == Ints:
			return i, true
		case isNumber && !s.fixed():
			refuse(pos, "the value of %s counts here", x.text(t))
		case isNumber && o.Sort >= 0 && x.sorts[o.Sort].Numbers:
			refuse(pos, "%d is a particular component of a free class, %s", s.c.N, x.sorts[o.Sort].Name)
		case s.kind == component && o.Sort == Ints:
			refuse(pos, "%s of a free class is used as a number", x.sorts[s.class].Name)
		case s.kind == component && o.Sort == s.class && o.Sort >= 0:
			return i, true
		case s.kind == constant && o.Sort < 0 && o.Const == s.c:
			return i, true
		}
	}
	return 0, false
}

// Statements.

func (x *run) block(stmts []model.Stmt) {
	for _, s := range stmts {
		if x.live() == False {
			return
		}
		x.stmt(s)
	}
}

func (x *run) stmt(s model.Stmt) {
	switch s := s.(type) {
	case *model.Assign:
		x.assign(s)
	case *model.If:
		x.ifs(s.Clauses, s.Else)
	case *model.Switch:
		x.switchStmt(s)
	case *model.For:
		x.each(s.Var, s.Domain, s.Pos, func(v Term, free bool) {
			if free {
				x.loop(v, s, func() { x.block(s.Body) })
			} else {
				x.block(s.Body)
			}
		})
	case *model.Undefine:
		for _, p := range x.place(s.X) {
			for _, r := range x.leavesOf(s.X.Type(), s.Pos) {
				x.store(p.extend(r), r.args, value{{True, single{kind: undefined}}}, s.Pos)
			}
		}
	case *model.Clear:
		for _, p := range x.place(s.X) {
			for _, r := range x.leavesOf(s.X.Type(), s.Pos) {
				typed := x.valuesOf(r.t, s.Pos)
				o := typed.opts[0]
				least := single{kind: constant, c: o.Const}
				switch {
				case typed.integers():
					least.c = Const{N: typed.lo}
				case o.Sort >= 0 && x.sorts[o.Sort].Numbers:
					least = single{kind: component, class: o.Sort, t: x.component(o.Sort, Const{N: x.sorts[o.Sort].Lo}, s.Pos)}
				case o.Sort >= 0:
					refuse(s.Pos, "clear sets %s to a particular component of a free class", p.inst.v.Name+p.path+r.path)
				}
				x.store(p.extend(r), r.args, value{{True, least}}, s.Pos)
			}
		}
	case *model.Alias:
		x.name(s.Var, s.X, s.Pos, func() { x.block(s.Body) })
	case *model.Call:
		x.call(s.Proc, s.Args, s.Pos)
	case *model.Return:
		x.ret(s)
	case *model.Assert:
		bad := True
		if s.Cond != nil {
			bad = x.bool(s.Cond).Not()
		}
		x.fail(s.Prop, bad)
	case *model.Put:
		switch {
		case s.X == nil:
		case model.Designator(s.X):
			if r, ok := s.X.(*model.Ref); !ok || r.Var.Kind != model.BoundVar {
				x.place(s.X)
			}
		default:
			x.eval(s.X)
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

// assign is an assignment. The place comes first, as in the interpreter.
func (x *run) assign(s *model.Assign) {
	if x.adds(s) {
		return
	}
	dst := x.place(s.LHS)
	if !s.LHS.Type().Simple() {
		x.copyAll(dst, x.place(s.RHS), s.Pos)
		return
	}
	x.storeAll(dst, x.fit(x.maybe(s.RHS, s.CopiesUndefined(x.m.Dialect)), s.LHS.Type(), true, s.Pos), s.Pos)
}

// fit returns the cases of a value that are values of type t; numbers outside it are errors if
// checked.
func (x *run) fit(v value, t *model.Type, checked bool, pos model.Pos) value {
	typed := x.valuesOf(t, pos)
	var out value
	outside := False
	for _, c := range x.ofType(v, typed, pos) {
		if c.kind == undefined {
			out = x.add(out, c.cond, c.single)
		} else if _, ok := x.optionFor(typed, c.single, pos); ok {
			out = x.add(out, c.cond, c.single)
			if typed.integers() {
				n, _ := x.number(c.single)
				outside = x.Or(outside, x.And(c.cond, x.And(x.LessEq(x.Number(typed.lo), n), x.LessEq(n, x.size(typed.top))).Not()))
			}
		} else {
			outside = x.Or(outside, c.cond)
		}
	}
	if !checked && x.And(x.live(), outside) != False {
		refuse(pos, "a number outside its type is not proved for every size")
	}
	x.fail(x.runtime, outside)
	return out
}

func (x *run) ifs(clauses []model.Clause, els []model.Stmt) {
	if len(clauses) == 0 {
		x.block(els)
		return
	}
	c := x.bool(clauses[0].Cond)
	x.branch(c, func() { x.block(clauses[0].Body) }, func() { x.ifs(clauses[1:], els) })
}

// branch runs then where c holds and els elsewhere.
func (x *run) branch(c Formula, then, els func()) {
	if x.And(x.live(), c) != False {
		x.within(c, then)
	}
	if x.And(x.live(), c.Not()) != False {
		x.within(c.Not(), els)
	}
}

func (x *run) switchStmt(s *model.Switch) {
	v := x.operand(s.X)
	var next func(i int, j int)
	next = func(i, j int) {
		switch {
		case i == len(s.Cases):
			x.block(s.Else)
		case j == len(s.Cases[i].Values):
			next(i+1, 0)
		default:
			w := x.defined(s.Cases[i].Values[j])
			c := x.equal(v, w, s.Cases[i].Values[j].Position())
			x.branch(c, func() { x.block(s.Cases[i].Body) }, func() { next(i, j+1) })
		}
	}
	next(0, 0)
}

// name gives an expression a name in f.
func (x *run) name(v *model.Var, e model.Expr, pos model.Pos, f func()) {
	if v.Kind == model.RefVar {
		x.bind(v, binding{at: x.referred(v, e)}, f)
		return
	}
	x.bind(v, binding{inst: x.local(v)}, func() {
		x.assign(&model.Assign{LHS: &model.Ref{Var: v, Pos: pos}, RHS: e, Pos: pos})
		f()
	})
}

// referred returns the place that a variable names; where it is always an error, a place that is never there.
func (x *run) referred(v *model.Var, e model.Expr) places {
	if at := x.place(e); len(at) > 0 {
		return at
	}
	return places{{False, x.local(v), "", v.Type, nil}}
}

// Calls.

func (x *run) local(v *model.Var) *instance {
	x.instances++
	return &instance{v: v, id: x.instances}
}

// call runs a procedure and returns where its result is.
func (x *run) call(p *model.Proc, args []model.Expr, pos model.Pos) *instance {
	if x.calls++; x.calls > maxCalls {
		refuse(pos, "%s is called recursively", p.Name)
	}
	env := make(map[*model.Var]binding)
	for i, f := range p.Params {
		t := f.Var.Type
		switch {
		case f.ByRef:
			env[f.Var] = binding{at: x.referred(f.Var, args[i])}
		case !t.Simple():
			src := x.place(args[i])
			inst := x.local(f.Var)
			env[f.Var] = binding{inst: inst}
			x.copyAll(places{{True, inst, "", t, nil}}, src, pos)
		default:
			v := x.fit(x.maybe(args[i], f.CopiesUndefined(args[i], x.m.Dialect)), t, true, args[i].Position())
			inst := x.local(f.Var)
			env[f.Var] = binding{inst: inst}
			x.store(place{True, inst, "", t, nil}, nil, v, pos)
		}
	}
	for _, v := range p.Locals {
		env[v] = binding{inst: x.local(v)}
	}
	outer, returned, result, outerPC := x.env, x.returned, x.result, x.pc
	x.env, x.result = env, nil
	x.pc = x.And(x.pc, returned.Not())
	pc := x.pc
	x.returned = False
	if p.Result != nil {
		x.result = x.local(&model.Var{Name: p.Name, Kind: model.LocalVar, Type: p.Result, Pos: p.Pos})
	}
	inst := x.result
	x.block(p.Body)
	x.pc = pc
	if p.Result != nil {
		x.fail(x.runtime, True)
	}
	x.env, x.returned, x.result, x.pc = outer, returned, result, outerPC
	x.calls--
	return inst
}

func (x *run) ret(s *model.Return) {
	if s.X != nil {
		t := x.result.v.Type
		dst := places{{True, x.result, "", t, nil}}
		if t.Simple() {
			v := x.maybe(s.X, s.CopiesUndefined(x.m.Dialect))
			x.storeAll(dst, x.fit(v, t, s.ChecksRange(x.m.Dialect), s.Pos), s.Pos)
		} else {
			x.copyAll(dst, x.place(s.X), s.Pos)
		}
	}
	x.returned = x.Or(x.returned, x.pc)
}

// path writes a family for messages.
func (f *Family) String() string {
	return strings.NewReplacer("#", "").Replace(f.Name)
}
