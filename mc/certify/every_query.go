package certify

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"orbitmc/param"
	"orbitmc/sat"
)

// This file refutes conditions at one size. A query begins without the invariant. Where a model of the
// conditions breaks an instance of the invariant, this instance is added, until there is no model.

// instance is a part of the invariant for some components: a disjunction.
type instance []part

// part is a formula with the values of its variables.
type part struct {
	f   param.Formula
	env map[param.Term]int
}

// refuteAt refutes the conditions about a step at a size, for all choices of the parameters up
// to a renaming of components.
func (k *everyCheck) refuteAt(size []int, s *sides) error {
	var conds []*param.Condition
	for i, d := range s.conds {
		fits := true
		for j, n := range size {
			fits = fits && n <= s.limits[i][j]
		}
		if fits {
			conds = append(conds, d)
		}
	}
	if conds == nil {
		return nil
	}
	k.known = nil
	values := maps.Clone(k.names)
	first := make([]int, len(size)) // that has no name
	for n := range k.names {
		first[k.c.Sort(n)]++
	}
	var choose func(i int) error
	choose = func(i int) error {
		if i == len(s.params) {
			return k.refute(size, s.params, values, conds)
		}
		sort := k.c.Sort(s.params[i])
		next := first[sort]
		for _, p := range s.params[:i] {
			if k.c.Sort(p) == sort {
				next = max(next, values[p]+1)
			}
		}
		for v := 0; v <= next && v < size[sort]; v++ {
			values[s.params[i]] = v
			if err := choose(i + 1); err != nil {
				return err
			}
		}
		return nil
	}
	return choose(0)
}

// refute refutes some conditions at once: that one of them has a model.
func (k *everyCheck) refute(size []int, params []param.Term, values map[param.Term]int, conds []*param.Condition) error {
	q := &everyQuery{everyCheck: k, f: newFormula(), size: size, params: params, rows: make(map[string]*row), ints: inequalities{vars: make(map[string]int), lits: make(map[string]sat.Lit)}}
	var any []sat.Lit
	for _, d := range conds {
		all := q.encode(part{d.F, values}, false)
		for _, t := range slices.Concat(k.fixed(d.F), d.Total) {
			all = q.f.and(all, q.leads(t, values))
		}
		any = append(any, all)
	}
	q.f.add(any...)
	q.params = nil // of the invariant
	if !conds[0].Alone {
		for _, t := range k.total {
			q.f.add(q.leads(t, k.names))
		}
		for _, i := range k.known {
			q.use(i)
		}
	}
	d := defaultSteps().decider(q.f)
	for {
		if err := k.ctx.Err(); err != nil {
			return err
		}
		k.spend(q.f.literals())
		status, err := d.solve(k.ctx, nil)
		if err != nil {
			return err
		}
		if status == sat.Unsat {
			return nil
		}
		q.model = d.values()
		if again, err := q.exclude(); again || err != nil {
			if err != nil {
				return err
			}
			continue
		}
		if conds[0].Alone {
			return errors.New("a condition about a start state has a model: " + k.c.Name(conds[0]))
		}
		broken := false
		for _, j := range k.c.Conjuncts {
			q.breaks(part{j.F, maps.Clone(k.names)}, func(i instance) {
				broken = true
				k.known = append(k.known, i)
				q.use(i)
			})
		}
		if !broken {
			return fmt.Errorf("a condition has a model of size %v: %s, or another one about it", size, k.c.Name(conds[0]))
		}
	}
}

func (q *everyQuery) use(i instance) {
	var clause []sat.Lit
	for _, p := range i {
		clause = append(clause, q.encode(p, false))
	}
	q.f.add(clause...)
}

// everyQuery is one query: conditions in clauses, for components of given numbers.
type everyQuery struct {
	*everyCheck
	f      *formula
	size   []int
	params []param.Term
	rows   map[string]*row
	model  []bool
	ints   inequalities
}

// row is what a family holds for some arguments: an option, and components.
type row struct {
	opts  []sat.Lit
	edges map[int][]sat.Lit // by option
}

func (q *everyQuery) row(fam *param.Family, args []int, create bool) *row {
	key := fmt.Sprint(fam.Name, args)
	r := q.rows[key]
	if r == nil && create {
		r = &row{edges: make(map[int][]sat.Lit)}
		q.rows[key] = r
		for range fam.Opts {
			r.opts = append(r.opts, q.f.fresh())
		}
		q.atMostOne(r.opts)
		if fam.Defined {
			q.f.add(r.opts...)
		}
		for i, o := range fam.Opts {
			if o.Sort >= 0 {
				for range q.size[o.Sort] {
					r.edges[i] = append(r.edges[i], q.f.fresh())
				}
				q.atMostOne(r.edges[i])
			}
		}
	}
	return r
}

func (q *everyQuery) atMostOne(ls []sat.Lit) {
	for i := range ls {
		for j := range i {
			q.f.add(ls[i].Not(), ls[j].Not())
		}
	}
}

// conj and disj are conjunctions and disjunctions of what f gives for 0..n-1.
func (q *everyQuery) conj(n int, f func(i int) sat.Lit) sat.Lit {
	all := verum
	for i := range n {
		if all = q.f.and(all, f(i)); all == verum.Not() {
			break
		}
	}
	return all
}

func (q *everyQuery) disj(n int, f func(i int) sat.Lit) sat.Lit {
	return q.conj(n, func(i int) sat.Lit { return f(i).Not() }).Not()
}

func with(env map[param.Term]int, v param.Term, e int) map[param.Term]int {
	out := map[param.Term]int{v: e}
	for w, x := range env {
		if w != v {
			out[w] = x
		}
	}
	return out
}

// encode returns a literal for a formula; inside says that it is in a ∀.
func (q *everyQuery) encode(p part, inside bool) sat.Lit {
	n := q.c.Node(p.f)
	neg := p.f.Negated()
	switch n.Kind {
	case param.And:
		if neg {
			return q.disj(len(n.Kids), func(i int) sat.Lit { return q.encode(part{n.Kids[i].Not(), p.env}, inside) })
		}
		return q.conj(len(n.Kids), func(i int) sat.Lit { return q.encode(part{n.Kids[i], p.env}, inside) })
	case param.All:
		size := q.size[q.c.Sort(n.Var)]
		if !neg {
			return q.conj(size, func(e int) sat.Lit { return q.encode(part{n.Kids[0], with(p.env, n.Var, e)}, true) })
		}
		if inside && !q.subset(n.Free, q.params) {
			return verum // weaker
		}
		return q.disj(size, func(e int) sat.Lit {
			env := with(p.env, n.Var, e)
			l := q.encode(part{n.Kids[0].Not(), env}, false)
			for _, t := range q.demands(p.f) {
				l = q.f.and(l, q.leads(t, env))
			}
			return l
		})
	case param.Constant:
		if neg {
			return verum.Not()
		}
		return verum
	}
	if n.Kind == param.AtMost {
		return q.atMost(n.Args[0], p.env, neg)
	}
	if n.Kind == param.Equal {
		return q.edgesOf(n.Args[0], p.env, func(a []sat.Lit) sat.Lit {
			return q.edgesOf(n.Args[1], p.env, func(b []sat.Lit) sat.Lit { return q.equal(a, b, neg) })
		})
	}
	return q.wherever(n.Args, p.env, func(at []int) sat.Lit {
		l := q.row(n.Fam, at, true).opts[n.Opt]
		if neg {
			return l.Not()
		}
		return l
	})
}

// equal says that two terms are the same component, or, if neg, that they are not. Of two
// pointers that lead nowhere both are said.
func (q *everyQuery) equal(a, b []sat.Lit, neg bool) sat.Lit {
	return q.conj(len(a), func(e int) sat.Lit {
		both := q.f.and(a[e], b[e])
		if neg {
			return both.Not()
		}
		return q.f.and(q.f.and(a[e], both.Not()).Not(), q.f.and(b[e], both.Not()).Not())
	})
}

// edgesOf calls f with literals that say which component a term is.
func (q *everyQuery) edgesOf(t param.Term, env map[param.Term]int, f func(edges []sat.Lit) sat.Lit) sat.Lit {
	fam, opt, args := q.c.Applied(t)
	if fam != nil {
		return q.wherever(args, env, func(at []int) sat.Lit { return f(q.row(fam, at, true).edges[opt]) })
	}
	edges := make([]sat.Lit, q.size[q.c.Sort(t)])
	for e := range edges {
		edges[e] = verum
		if e != env[t] {
			edges[e] = verum.Not()
		}
	}
	return f(edges)
}

// wherever is the conjunction of f over all components that terms may lead to. Of a pointer
// that leads nowhere nothing is said.
func (q *everyQuery) wherever(ts []param.Term, env map[param.Term]int, f func(at []int) sat.Lit) sat.Lit {
	if len(ts) == 0 {
		return f(nil)
	}
	first, rest := ts[0], ts[1:]
	next := func(e int) sat.Lit {
		return q.wherever(rest, env, func(at []int) sat.Lit { return f(append([]int{e}, at...)) })
	}
	fam, opt, args := q.c.Applied(first)
	if fam == nil {
		return next(env[first])
	}
	return q.wherever(args, env, func(at []int) sat.Lit {
		edges := q.row(fam, at, true).edges[opt]
		return q.conj(len(edges), func(e int) sat.Lit {
			return q.f.and(edges[e], next(e).Not()).Not()
		})
	})
}

// leads says that a pointer leads to a component, if it is what its family holds.
func (q *everyQuery) leads(t param.Term, env map[param.Term]int) sat.Lit {
	fam, opt, args := q.c.Applied(t)
	return q.wherever(args, env, func(at []int) sat.Lit {
		r := q.row(fam, at, true)
		somewhere := q.disj(len(r.edges[opt]), func(e int) sat.Lit { return r.edges[opt][e] })
		return q.f.and(r.opts[opt], somewhere.Not()).Not()
	})
}

func (q *everyQuery) val(l sat.Lit) bool { return q.model[l.Var()] != l.Neg() }

// holds evaluates a formula in the model. What no clause mentions is the first option, if it is
// defined, and leads nowhere.
func (q *everyQuery) holds(p part, inside bool) bool {
	n := q.c.Node(p.f)
	neg := p.f.Negated()
	switch n.Kind {
	case param.Constant:
		return !neg
	case param.And:
		for _, kid := range n.Kids {
			if q.holds(part{flip(kid, p.f), p.env}, inside) == neg {
				return neg
			}
		}
		return !neg
	case param.All:
		if neg && inside && !q.subset(n.Free, q.params) {
			return true
		}
		old, had := p.env[n.Var]
		defer func() {
			if had {
				p.env[n.Var] = old
			} else {
				delete(p.env, n.Var)
			}
		}()
		for e := range q.size[q.c.Sort(n.Var)] {
			p.env[n.Var] = e
			is := q.holds(part{flip(n.Kids[0], p.f), p.env}, !neg)
			for _, t := range q.demandsOf(p.f, neg) {
				is = is && q.goes(t, p.env)
			}
			if is == neg {
				return neg
			}
		}
		return !neg
	}
	if n.Kind == param.AtMost {
		return q.compares(n.Args[0], p.env, neg)
	}
	if n.Kind == param.Equal {
		return q.leadsTo(n.Args[0], p.env, func(a []int) bool {
			return q.leadsTo(n.Args[1], p.env, func(b []int) bool {
				if neg { // at most one component each
					return len(a) == 0 || len(b) == 0 || a[0] != b[0]
				}
				return slices.Equal(a, b)
			})
		})
	}
	return q.everywhere(n.Args, p.env, func(at []int) bool {
		return q.option(n.Fam, at, n.Opt) != neg
	})
}

func (q *everyQuery) demandsOf(f param.Formula, some bool) []param.Term {
	if some {
		return q.demands(f)
	}
	return nil
}

func (q *everyQuery) option(fam *param.Family, at []int, opt int) bool {
	r := q.row(fam, at, false)
	if r == nil || r.opts[0].Var() >= len(q.model) {
		return fam.Defined && opt == 0
	}
	return q.val(r.opts[opt])
}

// targets returns where an option of a row leads.
func (q *everyQuery) targets(fam *param.Family, at []int, opt int) (out []int) {
	r := q.row(fam, at, false)
	if r == nil || r.opts[0].Var() >= len(q.model) {
		return nil
	}
	for e, l := range r.edges[opt] {
		if q.val(l) {
			out = append(out, e)
		}
	}
	return out
}

// leadsTo calls f with the components that a term is: one, or none.
func (q *everyQuery) leadsTo(t param.Term, env map[param.Term]int, f func(to []int) bool) bool {
	fam, opt, args := q.c.Applied(t)
	if fam == nil {
		return f([]int{env[t]})
	}
	return q.everywhere(args, env, func(at []int) bool { return f(q.targets(fam, at, opt)) })
}

func (q *everyQuery) everywhere(ts []param.Term, env map[param.Term]int, f func(at []int) bool) bool {
	if len(ts) == 0 {
		return f(nil)
	}
	next := func(e int) bool {
		return q.everywhere(ts[1:], env, func(at []int) bool { return f(append([]int{e}, at...)) })
	}
	fam, opt, args := q.c.Applied(ts[0])
	if fam == nil {
		return next(env[ts[0]])
	}
	return q.everywhere(args, env, func(at []int) bool {
		for _, e := range q.targets(fam, at, opt) {
			if !next(e) {
				return false
			}
		}
		return true
	})
}

func (q *everyQuery) goes(t param.Term, env map[param.Term]int) bool {
	fam, opt, args := q.c.Applied(t)
	return q.everywhere(args, env, func(at []int) bool {
		return !q.option(fam, at, opt) || len(q.targets(fam, at, opt)) > 0
	})
}

// breaks calls yield with instances of a conjunct of the invariant that the model breaks.
func (q *everyQuery) breaks(p part, yield func(instance)) {
	n := q.c.Node(p.f)
	switch {
	case n.Kind == param.And && !p.f.Negated():
		for _, kid := range n.Kids {
			q.breaks(part{kid, p.env}, yield)
		}
	case n.Kind == param.All && !p.f.Negated():
		for e := range q.size[q.c.Sort(n.Var)] {
			env := with(p.env, n.Var, e)
			if !q.holds(part{n.Kids[0], env}, true) {
				yield(q.broken(part{n.Kids[0], env}))
			}
		}
	case !q.holds(p, false):
		yield(instance{p})
	}
}

// broken returns a disjunction that follows from a formula inside a ∀, and that is false in the
// model as the formula is.
func (q *everyQuery) broken(p part) instance {
	n := q.c.Node(p.f)
	switch {
	case n.Kind == param.And && p.f.Negated():
		var out instance
		for _, kid := range n.Kids {
			out = append(out, q.broken(part{kid.Not(), p.env})...)
		}
		return out
	case n.Kind == param.And:
		for _, kid := range n.Kids {
			if !q.holds(part{kid, p.env}, true) {
				return q.broken(part{kid, p.env})
			}
		}
	case n.Kind == param.All && !p.f.Negated():
		for e := range q.size[q.c.Sort(n.Var)] {
			if env := with(p.env, n.Var, e); !q.holds(part{n.Kids[0], env}, true) {
				return q.broken(part{n.Kids[0], env})
			}
		}
	}
	return instance{p}
}
