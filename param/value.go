package param

import (
	"fmt"

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
)

// single is one value.
type single struct {
	kind  valueKind
	c     Const
	class int // sort of a component
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

// same says when two values are equal; what is undefined equals what is undefined.
func (l *Logic) same(v, w value) Formula {
	f := False
	for _, a := range v {
		for _, b := range w {
			eq := False
			switch {
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
		if x.kind == component {
			x.t = s.term(x.t)
		}
		out = l.add(out, s.formula(c.cond), x)
	}
	return out
}

// mentions reports whether a variable occurs in v.
func (l *Logic) mentions(v value, t Term) bool {
	in := func(ts []Term) bool {
		for _, x := range ts {
			if x == t {
				return true
			}
		}
		return false
	}
	for _, c := range v {
		if in(l.Node(c.cond).Free) || c.kind == component && in(l.terms[c.t].free) {
			return true
		}
	}
	return false
}
