package param

import (
	"fmt"
	"slices"

	"orbitmc/model"
)

// This file holds what an expression may evaluate to: values under conditions.

// Const is a value of no free class: a number, if Type is nil, or a value of Type.
type Const struct {
	Type *model.Type
	N    int64

	// Last is the constant that is the size of the class whose greatest value the number is; ""
	// for a number that is the same at all sizes.
	Last string

	// Size is what the number is at every size, if it depends on a constant that is left open.
	Size model.Size
}

func (c Const) String() string {
	switch {
	case c.Last != "":
		return "the last of " + c.Last
	case c.Type == nil:
		return fmt.Sprint(c.N)
	}
	return c.Type.Format(c.N)
}

type valueKind uint8

const (
	undefined valueKind = iota
	constant
	component
	integer // a number that depends on the state or on a constant that is left open
)

// single is one value.
type single struct {
	kind  valueKind
	c     Const
	class int // sort of a component, or of an integer
	t     Term
}

// valueCase is a value and when it is taken.
type valueCase struct {
	cond Formula
	single
}

// value is a list of cases. At most one condition holds; one does unless an error was noted.
type value []valueCase

// add adds a case.
func (l *Logic) add(v value, cond Formula, s single) value {
	if cond == False {
		return v
	}
	for i := range v {
		if v[i].single == s {
			v[i].cond = l.Or(v[i].cond, cond)
			return v
		}
	}
	return append(v, valueCase{cond, s})
}

// under adds the cases of w to v, each under a condition.
func (l *Logic) under(v value, cond Formula, w value) value {
	for _, c := range w {
		v = l.add(v, l.And(cond, c.cond), c.single)
	}
	return v
}

// undef returns when v is undefined.
func (v value) undef() Formula {
	for _, c := range v {
		if c.kind == undefined {
			return c.cond
		}
	}
	return False
}

// onlyUndefined returns the case that v is undefined.
func (v value) onlyUndefined() value {
	if u := v.undef(); u != False {
		return value{{u, single{kind: undefined}}}
	}
	return nil
}

// defined returns v without the case that it is undefined.
func (v value) defined() value {
	var out value
	for _, c := range v {
		if c.kind != undefined {
			out = append(out, c)
		}
	}
	return out
}

// number returns a value as an integer; ok is false if it is no number.
func (l *Logic) number(s single) (t Term, ok bool) {
	switch {
	case s.kind == integer:
		return s.t, true
	case s.kind == constant && s.c.Size.Const != "":
		return l.size(s.c.Size), true
	case s.kind == constant && s.c.Type == nil:
		return l.Number(s.c.N), true
	}
	return 0, false
}

// ofNumber returns an integer as a value.
func (l *Logic) ofNumber(t Term) single {
	if k, parts := l.Addends(t); len(parts) == 0 {
		return number(k)
	}
	return single{kind: integer, class: Ints, t: t}
}

// same says when two values are equal; what is undefined equals what is undefined.
func (l *Logic) same(v, w value) Formula {
	f := False
	for _, a := range v {
		for _, b := range w {
			eq := False
			m, ok := l.number(a.single)
			n, too := l.number(b.single)
			switch {
			case ok && too:
				eq = l.SameNumber(m, n)
			case a.kind != b.kind || a.class != b.class:
			case a.kind == component:
				eq = l.Equal(a.t, b.t)
			case a.single == b.single:
				eq = True
			}
			if eq != False {
				f = l.Or(f, l.And(a.cond, b.cond, eq))
			}
		}
	}
	return f
}

// substitute replaces variables in a value.
func (l *Logic) substitute(v value, by map[Term]Term) value {
	if len(by) == 0 {
		return v
	}
	s := substitution{l: l, by: by, done: make(map[Formula]Formula)}
	var out value
	for _, c := range v {
		x := c.single
		if x.kind == component || x.kind == integer {
			x.t = s.term(x.t)
		}
		out = l.add(out, s.formula(c.cond), x)
	}
	return out
}

// mentions reports whether a variable occurs in v.
func (l *Logic) mentions(v value, t Term) bool {
	return slices.ContainsFunc(v, func(c valueCase) bool {
		return slices.Contains(l.Node(c.cond).Free, t) || (c.kind == component || c.kind == integer) && slices.Contains(l.terms[c.t].free, t)
	})
}
