package promela

import (
	"cmp"
	"slices"
)

// Channels that are made in structs. A variable that is such a struct gets a variable more for each
// field, out of sight: an array of all channels of the field. A reference to the field is one to this array.

// makes returns the channels of the fields of a variable, which it notes.
func (s *sym) makes() []*sym {
	var all []*sym
	var visit func(t typ, n int, array bool, path []*sym)
	visit = func(t typ, n int, array bool, path []*sym) {
		if t.base != bStruct {
			return
		}
		for _, f := range t.of.fields {
			n, array, path := n*f.n, array || f.array, append(path[:len(path):len(path)], f)
			if f.ch == nil {
				visit(f.typ, n, array, path)
				continue
			}
			if n > maxElements {
				fail(s.at, "%s has %d channels; the most is %d", s.name, n, maxElements)
			}
			c := &sym{name: s.name, at: s.at, typ: f.typ, n: n, array: array, proc: s.proc, ch: f.ch, in: true}
			for _, f := range path {
				c.name += "." + f.name
			}
			s.made = append(s.made, &made{path, c})
			all = append(all, c)
		}
	}
	visit(s.typ, s.n, s.array, nil)
	return all
}

// hollow reports whether a variable is a struct of nothing but channels that it is made with.
func (s *sym) hollow() bool { return s.typ.base == bStruct && len(s.typ.of.stored()) == 0 }

// stored lists the fields that are kept in a variable: channels are no part of it.
func (t *typedef) stored() []*sym {
	return slices.DeleteFunc(slices.Clone(t.fields), func(f *sym) bool { return f.ch != nil || f.hollow() })
}

// channels returns a variable, or the channels that it stands for if it is a field that is made with
// some.
func channels(e *expr) *expr {
	if e.op != opVar {
		return e
	}
next:
	for _, m := range e.sym.made {
		var guards, x *expr
		v := e
		for i := -1; ; i++ { // each part of the variable, with its index
			if i >= 0 {
				if v = v.y; v == nil || v.sym != m.path[i] {
					continue next
				}
			}
			if v.sym.array {
				k, n := cmp.Or(v.x, &expr{op: opConst, at: v.at}), &expr{op: opConst, at: v.at, val: int64(v.sym.n)}
				if x == nil {
					x = k
				} else {
					x = fold(x, "*", n)
					x = fold(x, "+", k)
					in := fold(fold(k, ">=", &expr{op: opConst, at: v.at}), "&&", fold(k, "<", n))
					if guards != nil {
						in = fold(guards, "&&", in)
					}
					guards = in
				}
			}
			if i == len(m.path)-1 {
				break
			}
		}
		if guards != nil {
			out := &expr{op: opConst, at: e.at, val: -1}
			if v, ok := constant(guards); !ok {
				x = &expr{op: opCond, at: e.at, x: guards, y: x, z: out}
			} else if v == 0 {
				x = out
			}
		}
		return &expr{op: opVar, at: e.at, sym: m.chans, x: x, as: e}
	}
	return e
}

// fold applies an operator, at once if its operands are constant.
func fold(x *expr, op string, y *expr) *expr {
	e := &expr{op: opBinary, at: x.at, text: op, x: x, y: y}
	if v, ok := constant(e); ok {
		return &expr{op: opConst, at: x.at, val: v}
	}
	return e
}
