package certify

import (
	"context"

	"orbitmc/internal/lists"
	"orbitmc/sat"
	"orbitmc/sat/checked"
	"orbitmc/sat/gophersat"
)

// decider decides a formula that grows.
type decider struct {
	f       *formula
	solver  *checked.Solver // nil: gophersat decides, each time from scratch
	vars    int             // of f that the solver has
	clauses int
	model   []bool // of gophersat: by variable
}

func (v *variant) decider(f *formula) *decider {
	d := &decider{f: f}
	if !v.gophersat {
		d.solver = checked.New()
	}
	return d
}

// by names what refutes.
func (v *variant) by() string {
	if v.gophersat {
		return "gophersat"
	}
	return "LRAT proofs"
}

// solve decides the formula under assumptions. With a focus, the answer sat.Sat is about
// its variables only, see sat.Focuser.
func (d *decider) solve(ctx context.Context, in *focus, assumptions ...sat.Lit) (sat.Status, error) {
	if d.solver == nil {
		answer, err := gophersat.Check(ctx, &d.f.CNF, assumptions...)
		d.model = answer.Model
		return answer.Status, err
	}
	for ; d.vars < d.f.NumVars; d.vars++ {
		d.solver.NewVar()
	}
	for ; d.clauses < len(d.f.Clauses); d.clauses++ {
		d.solver.Add(d.f.Clauses[d.clauses]...)
	}
	if in != nil {
		d.solver.Focus(in.leaves, in.gates)
	}
	return d.solver.Solve(ctx, assumptions...)
}

// value returns the value of l in the model. Without a value, l is false if it is positive.
func (d *decider) value(l sat.Lit) bool {
	if d.solver == nil {
		return d.model[l.Var()] != l.Neg()
	}
	return d.solver.Value(l)
}

// values returns the values of all variables.
func (d *decider) values() []bool {
	if d.solver == nil {
		return d.model
	}
	model := make([]bool, d.f.NumVars+1)
	for v := 1; v <= d.f.NumVars; v++ {
		model[v] = d.solver.Value(sat.MkLit(v, false))
	}
	return model
}

// decide decides a formula once.
func (c *Checker) decide(f *formula) (sat.Status, error) {
	c.queries++
	return c.variant.decider(f).solve(c.ctx, nil)
}

// focus is the part of a formula that a query is about.
type focus struct {
	*formula
	query         uint32
	in            []uint32  // by variable: the last query that is about it
	leaves, gates []sat.Lit // variables of the query
	todo          []sat.Lit
	bundles       [][]*bundle // by variable
}

// bundle is some clauses that a query is about if it is about all variables of support.
type bundle struct {
	span
	support, have int
	query         uint32 // that have is of
}

// span is clauses first to last-1 of a formula.
type span struct{ first, last int }

// begin begins a query about nothing.
func (f *focus) begin() {
	f.query++
	f.leaves, f.gates = f.leaves[:0], f.gates[:0]
}

// mark has the query be about a literal, the gates below it, and the bundles whose variables
// it is about then.
func (f *focus) mark(l sat.Lit) {
	for len(f.in) <= f.NumVars {
		f.in = append(f.in, 0)
	}
	f.todo = append(f.todo, l)
	for len(f.todo) > 0 {
		v := f.todo[len(f.todo)-1].Var()
		f.todo = f.todo[:len(f.todo)-1]
		if f.in[v] == f.query {
			continue
		}
		f.in[v] = f.query
		if g := f.gate[v]; g[0] != 0 {
			f.gates = append(f.gates, sat.MkLit(v, false))
			f.todo = append(f.todo, g[0], g[1])
		} else {
			f.leaves = append(f.leaves, sat.MkLit(v, false))
		}
		if v >= len(f.bundles) {
			continue
		}
		for _, p := range f.bundles[v] {
			if p.query != f.query {
				p.query, p.have = f.query, 0
			}
			if p.have++; p.have == p.support {
				f.todo = f.append(f.todo, p.span)
			}
		}
	}
}

// append appends the literals of some clauses.
func (f *focus) append(to []sat.Lit, s span) []sat.Lit {
	for _, c := range f.Clauses[s.first:s.last] {
		to = append(to, c...)
	}
	return to
}

func (f *focus) markSpan(s span) {
	for _, c := range f.Clauses[s.first:s.last] {
		for _, l := range c {
			f.mark(l)
		}
	}
}

// holds reports whether the query is about l, which is a literal or 0.
func (f *focus) holds(l sat.Lit) bool {
	return l != 0 && l.Var() < len(f.in) && f.in[l.Var()] == f.query
}

// about reports whether the query is about all variables of some clauses.
func (f *focus) about(s span) bool {
	for _, c := range f.Clauses[s.first:s.last] {
		for _, l := range c {
			if !f.holds(l) {
				return false
			}
		}
	}
	return true
}

// addBundle says that a query about the variables of support is about some clauses.
func (f *focus) addBundle(s span, support []sat.Lit) {
	p := &bundle{span: s}
	own := lists.SetOf(support, sat.Lit.Var)
	p.support = len(own)
	inner := false
	for _, c := range f.Clauses[s.first:s.last] {
		for _, l := range c {
			inner = inner || !own[l.Var()]
		}
	}
	if !inner {
		return
	}
	for _, l := range support {
		v := l.Var()
		for len(f.bundles) <= v {
			f.bundles = append(f.bundles, nil)
		}
		if own[v] {
			own[v] = false
			f.bundles[v] = append(f.bundles[v], p)
		}
	}
}
