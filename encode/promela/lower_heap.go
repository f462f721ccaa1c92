package promela

import (
	"cmp"
	"slices"

	"orbitmc/internal/lists"
	"orbitmc/model"
)

// Lowering: references and the heap. Objects of a type are the elements 1 to n of an array over their numbers, each with
// a bit that says whether it is used; one that is not has all fields 0. A reference is such a number, and null is 0, an object
// that is never used. So nothing is undefined, and a reference that was followed wrongly is seen by the bit.
//
// new takes any object that is not used and to which there is no reference: a parameter of the rule. Objects are
// then interchangeable, which is found and verified as for processes. An object that was deleted is not used again as
// long as a reference to it is left, so that following it is seen to be an error.

// object returns the element of a number.
func (l *lowering) object(d *typedef, number model.Expr) model.Expr {
	return at(ref(l.pools[d]), number)
}

// used tests whether a reference is to an object.
func (l *lowering) used(d *typedef, number model.Expr) model.Expr { return sel(l.object(d, number), 0) }

// heap makes the variables of objects.
func (l *lowering) heap(structs map[*typedef]*model.Type) {
	l.pools = map[*typedef]*model.Var{}
	for _, d := range l.f.pools {
		t := l.symType(&sym{typ: typ{base: bStruct, of: d}}, structs)
		names, types := []string{"_used"}, []*model.Type{model.BoolType}
		for _, f := range t.Fields {
			names, types = append(names, f.Name), append(types, f.Type)
		}
		if l.holds(d) {
			names, types = append(names, "_holds"), append(types, arrayOf(rangeType(0, int64(maxSlot(l.f))), model.BoolType))
		}
		l.pools[d] = l.addVar(d.name, arrayOf(rangeType(0, int64(d.pool)), recordOf(names, types)), d.at)
	}
	l.p.DSPIN = len(l.pools) > 0 || l.f.syncs
}

// nulls makes all references null of a process that is not there. They are not undefined, as all else of it is: what
// looks for references need not ask who is there, and typing sees that it cannot err.
func (l *lowering) nulls(v *env) (body []model.Stmt) {
	for _, s := range v.q.locals {
		if f, ok := v.q.fields[s]; ok && s.refers() {
			body = append(body, l.first(s, sel(v.me(), f), nil)...)
		}
	}
	return body
}

// zeroes notes that fields are 0 where there is no object.
func zeroes(fields []*sym) {
	for _, s := range fields {
		if s.typ.base == bStruct {
			zeroes(s.typ.of.fields)
		} else {
			s.cell.join(0, 0)
		}
	}
}

func (s *sym) element() *sym {
	one := *s
	one.array = false
	return &one
}

// followable tests whether all references that a statement follows are to objects; nil: surely.
func (l *lowering) followable(s *stmt, v *env) model.Expr {
	if len(l.pools) == 0 {
		return nil
	}
	var xs []model.Expr
	if s.kind != sPriority {
		for _, e := range append([]*expr{s.lhs, s.e, s.ch}, s.args...) {
			xs = append(xs, l.sound(e, v))
		}
	}
	if s.kind == sDelete {
		xs = append(xs, l.used(s.e.leaf().sym.typ.of, l.place(s.e, v)))
	}
	if !slices.ContainsFunc(xs, func(x model.Expr) bool { return x != nil }) {
		return nil
	}
	return all(xs...)
}

// sound tests whether all references that e follows are to objects; nil: it follows none.
func (l *lowering) sound(e *expr, v *env) model.Expr {
	return l.throughout(e, v, (*expr).followsAny, func(e *expr) model.Expr {
		var xs []model.Expr
		for x := e; x != nil; x = x.y {
			xs = append(xs, l.sound(x.x, v))
			if x.isFollowed() {
				xs = append(xs, l.used(x.sym.typ.of, l.place(until(e, x), v)))
			}
		}
		return all(xs...)
	})
}

// throughout is the conjunction of what each says of the variables and polls in e; nil: nothing. What is not evaluated
// does not matter, so each is asked only where concerns holds.
func (l *lowering) throughout(e *expr, v *env, concerns func(*expr) bool, each func(*expr) model.Expr) model.Expr {
	if e == nil || !concerns(e) {
		return nil
	}
	in := func(e *expr) model.Expr { return l.throughout(e, v, concerns, each) }
	switch {
	case e.op == opBinary && (e.text == "&&" || e.text == "||"):
		x, y := in(e.x), in(e.y)
		if y != nil {
			c := l.cond(e.x, v)
			if e.text == "&&" {
				c = not(c)
			}
			y = some(c, y)
		}
		return all(x, y)
	case e.op == opCond:
		y, z := cmp.Or(in(e.y), truthOf(true)), cmp.Or(in(e.z), truthOf(true))
		return all(in(e.x), choose(l.cond(e.x, v), y, z))
	case e.op == opVar:
		return each(e)
	}
	xs := lists.Map(e.parts(), in)
	if e.op == opPoll {
		xs = append(xs, each(e))
	}
	return all(xs...)
}

// followsAny reports whether something in e follows a reference.
func (e *expr) followsAny() bool { return e.any((*expr).isFollowed) }

// badReference is the action of a statement that follows null, or what was deleted.
func (l *lowering) badReference(is model.Expr, s *stmt) *action {
	return l.fault(is, s, "reference use", "a reference is null, or its object was deleted")
}

// news returns the ways of r = new T.
func (l *lowering) news(s *stmt, v *env) []*action {
	d := s.e.of
	t := l.pools[d].Type.Index
	domain := model.Domain{Type: t, From: num(1), To: num(t.Hi)}
	o := bound("object", t, s.at)
	a := &action{object: &model.Param{Var: o, Domain: domain}, guard: []model.Expr{l.free(d, ref(o))}}
	if l.f.opt.FirstFree {
		a.guard = append(a.guard, not(among("before", domain, func(k model.Expr) model.Expr {
			return all(bin(model.Lt, k, ref(o)), l.free(d, k))
		})))
	}
	a.body = append(a.body, assign(l.used(d, ref(o)), truthOf(true), s.at))
	for _, f := range d.fields {
		a.body = append(a.body, l.first(f, sel(l.object(d, ref(o)), f.field+1), v)...)
	}
	a.body = append(a.body, l.lets(assign(l.place(s.lhs, v), ref(o), s.at)))
	full := not(among("object", domain, func(k model.Expr) model.Expr { return l.free(d, k) }))
	return []*action{a, l.fault(full, s, HeapFull, "the heap holds no more")}
}

// deletes is delete r. The number is kept, as r may be in the object.
func (l *lowering) deletes(s *stmt, v *env) *action {
	d := s.e.leaf().sym.typ.of
	t := local("deleted", l.pools[d].Type.Index)
	a := &action{locals: []*model.Var{t}, body: []model.Stmt{assign(ref(t), l.place(s.e, v), s.at)}}
	a.body = append(a.body, l.empty(d, l.object(d, ref(t)))...)
	l.lets(a.body[0])
	return a
}

// free tests whether new may take an object: it is not used, and there is no reference to it.
func (l *lowering) free(d *typedef, o model.Expr) model.Expr {
	counts := func(*typedef, model.Expr) model.Expr { return truthOf(true) }
	return all(not(l.used(d, o)), not(some(l.held(d, o), l.inObjects(d, o, counts))))
}

// held tests whether there is a reference to an object in a variable.
func (l *lowering) held(d *typedef, o model.Expr) model.Expr {
	var ways []model.Expr
	for _, s := range l.f.globals {
		if v := l.vars[s]; v != nil {
			ways = append(ways, names(s, ref(v), d, o))
		}
	}
	for _, q := range l.present() {
		ways = append(ways, q.some(func(w *env) model.Expr {
			var own []model.Expr
			for _, s := range q.locals {
				if f, ok := q.fields[s]; ok {
					own = append(own, names(s, sel(w.me(), f), d, o))
				}
			}
			return some(own...)
		}))
	}
	return some(ways...)
}

// inObjects tests whether there is a reference to an object in one that counts.
func (l *lowering) inObjects(d *typedef, o model.Expr, counts func(c *typedef, k model.Expr) model.Expr) model.Expr {
	return someOf(l.f.pools, func(c *typedef) model.Expr {
		return exists("k", l.pools[c].Type.Index, func(k model.Expr) model.Expr {
			x := someOf(c.fields, func(f *sym) model.Expr { return names(f, sel(l.object(c, k), f.field+1), d, o) })
			if isFalse(x) {
				return x
			}
			return all(counts(c, k), x)
		})
	})
}

// names tests whether a variable, or something in it, is a reference to an object.
func names(s *sym, x model.Expr, d *typedef, o model.Expr) model.Expr {
	if s.array {
		return exists("i", x.Type().Index, func(i model.Expr) model.Expr { return names(s.element(), at(x, i), d, o) })
	}
	switch s.typ.base {
	case bRef:
		if s.typ.of == d {
			return eq(x, o)
		}
	case bStruct:
		return someOf(s.typ.of.stored(), func(f *sym) model.Expr { return names(f, sel(x, f.field), d, o) })
	}
	return truthOf(false)
}

// HeapFull is the property that is violated where the heap holds no more objects. That says nothing of the
// program.
const HeapFull = "heap size"

// IsBound reports whether a property is about what the model has room for, and not about the program.
func IsBound(property string) bool { return slices.Contains([]string{NoRoom, HeapFull}, property) }
