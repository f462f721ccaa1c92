package certify

import (
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"orbitmc/internal/every/param"
	"orbitmc/internal/lists"
	"orbitmc/sat"
)

// This file refutes conditions, at all sizes that matter to them in one query (docs/theory/every-n.md). A query begins
// without the invariant. Where a model of the conditions breaks an instance of the invariant, this instance is added, until
// there is no model.

// instance is a part of the invariant for some components: a disjunction. inside says that it is in a ∀.
type instance struct {
	parts  []part
	inside bool
}

// part is a formula with the values of its variables.
type part struct {
	f   param.Formula
	env map[param.Term]int
}

// refuteAll refutes the conditions about a step, those with the same limits together, at all sizes that matter to one of them.
func (e *everyCheck) refuteAll(s *sides, names []int) error {
	for i, size := range s.limits {
		if slices.ContainsFunc(s.limits[:i], func(l []int) bool { return slices.Equal(l, size) }) {
			continue
		}
		var conds []*param.Condition
		sure := slices.Clone(size)
		for j, d := range s.conds {
			if !slices.Equal(s.limits[j], size) {
				continue
			}
			conds = append(conds, d)
			for n, smaller := range s.fused[j] {
				if smaller {
					sure[n] = max(e.c.Sorts[n].Least, names[n])
				}
			}
		}
		if err := e.refuteAt(sure, size, s.params, conds); err != nil {
			return err
		}
	}
	return nil
}

// refuteAt refutes conditions at the sizes from sure to size, for all choices of the parameters up to a renaming of components.
func (e *everyCheck) refuteAt(sure, size []int, params []param.Term, conds []*param.Condition) error {
	e.known = nil
	values := maps.Clone(e.names)
	first := make([]int, len(size)) // that has no name
	for n := range e.names {
		first[e.c.Sort(n)]++
	}
	var choose func(i int) error
	choose = func(i int) error {
		if i == len(params) {
			return e.refute(sure, size, params, values, conds)
		}
		sort := e.c.Sort(params[i])
		next := first[sort]
		for _, p := range params[:i] {
			if e.c.Sort(p) == sort {
				next = max(next, values[p]+1)
			}
		}
		for v := 0; v <= next && v < size[sort]; v++ {
			values[params[i]] = v
			if err := choose(i + 1); err != nil {
				return err
			}
		}
		return nil
	}
	return choose(0)
}

// refute refutes some conditions at once: that one of them has a model.
func (e *everyCheck) refute(sure, size []int, params []param.Term, values map[param.Term]int, conds []*param.Condition) error {
	q := &everyQuery{everyCheck: e, f: newFormula(), sure: sure, size: size, params: params, rows: make(map[string]*row), known: make(map[string]sat.Lit), ints: inequalities{vars: make(map[string]int), lits: make(map[string]sat.Lit)}}
	q.components()
	lits := q.literals()
	for _, p := range params {
		q.f.add(q.exists(e.c.Sort(p), values[p]))
	}
	var any []sat.Lit
	for _, d := range conds {
		all := lits.formula(part{d.F, values}, false)
		for _, t := range slices.Concat(e.fixed(d.F), d.Total) {
			all = q.f.and(all, lits.leads(t, values))
		}
		any = append(any, all)
	}
	q.f.add(any...)
	q.params = nil // of the invariant
	clear(q.known)
	if !conds[0].Alone {
		for _, t := range e.total {
			q.f.add(lits.leads(t, e.names))
		}
		for _, i := range e.known {
			q.use(i)
		}
	}
	d := sound().decider(q.f)
	for {
		if err := e.ctx.Err(); err != nil {
			return err
		}
		e.spend(q.f.literals())
		status, err := d.solve(e.ctx, nil)
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
			return errors.New("a condition about a start state has a model: " + e.c.Name(conds[0]))
		}
		broken := false
		for _, j := range e.c.Conjuncts {
			q.breaks(part{j.F, maps.Clone(e.names)}, func(i instance) {
				broken = true
				e.known = append(e.known, i)
				q.use(i)
			})
		}
		if !broken {
			return fmt.Errorf("a condition has a model of at most %v components: %s, or another one about it", size, e.c.Name(conds[0]))
		}
	}
}

func (q *everyQuery) use(i instance) {
	clause := lists.Map(i.parts, func(p part) sat.Lit { return q.literals().formula(p, i.inside) })
	for _, p := range i.parts {
		for _, v := range slices.Sorted(maps.Keys(p.env)) {
			if is := q.exists(q.c.Sort(v), p.env[v]); is != verum {
				clause = append(clause, is.Not()) // it says nothing of components that are not there
			}
		}
	}
	q.f.add(clause...)
}

// everyQuery is one query: conditions in clauses, for components of given numbers.
type everyQuery struct {
	*everyCheck
	f      *formula
	sure   []int // by sort: components that are there in any case
	size   []int // and those that may be
	there  [][]sat.Lit
	params []param.Term
	in     scope // of the formula at hand
	rows   map[string]*row
	known  map[string]sat.Lit // by key: literals of formulas
	model  []bool
	ints   inequalities
}

// components makes literals for components that may be there: with each those before it are.
func (q *everyQuery) components() {
	for i, n := range q.size {
		q.there = append(q.there, nil)
		before := verum
		for range n - q.sure[i] {
			is := q.f.fresh()
			q.f.add(is.Not(), before)
			q.there[i], before = append(q.there[i], is), is
		}
	}
}

// exists is that a component is there.
func (q *everyQuery) exists(sort, e int) sat.Lit {
	if e < q.sure[sort] {
		return verum
	}
	return q.there[sort][e-q.sure[sort]]
}

// inThere reports whether a component is there in the model.
func (q *everyQuery) inThere(sort, e int) bool {
	is := q.exists(sort, e)
	return is == verum || q.val(is)
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
				for e := range q.size[o.Sort] {
					r.edges[i] = append(r.edges[i], q.f.fresh())
					q.f.add(r.edges[i][e].Not(), q.exists(o.Sort, e))
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

// reading is formulas as literals of a query, or as their truth in its model.
type reading[T comparable] struct {
	*everyQuery
	yes    T
	not    func(T) T
	and    func(a, b T) T
	option func(fam *param.Family, at []int, opt int) T   // a family holds an option
	edges  func(fam *param.Family, at []int, opt int) []T // by component: it leads there, if it holds the option
	atMost func(s total) T                                // a sum is at most 0
	exists func(sort, e int) T                            // a component is there
	known  map[string]T                                   // by key: formulas; nil: they are not kept
}

// literals reads formulas as literals: each implies its formula.
func (q *everyQuery) literals() *reading[sat.Lit] {
	return &reading[sat.Lit]{
		everyQuery: q, yes: verum, not: sat.Lit.Not, and: q.f.and, atMost: q.inequality, exists: q.exists, known: q.known,
		option: func(fam *param.Family, at []int, opt int) sat.Lit { return q.row(fam, at, true).opts[opt] },
		edges:  func(fam *param.Family, at []int, opt int) []sat.Lit { return q.row(fam, at, true).edges[opt] },
	}
}

// inModel reads formulas as their truth in the model. What no clause mentions is the first option, if it is
// defined, and leads nowhere.
func (q *everyQuery) inModel() *reading[bool] {
	known := func(fam *param.Family, at []int) *row {
		if r := q.row(fam, at, false); r != nil && r.opts[0].Var() < len(q.model) {
			return r
		}
		return nil
	}
	return &reading[bool]{
		everyQuery: q, yes: true, not: func(x bool) bool { return !x }, and: func(a, b bool) bool { return a && b }, atMost: q.compares, exists: q.inThere,
		option: func(fam *param.Family, at []int, opt int) bool {
			if r := known(fam, at); r != nil {
				return q.val(r.opts[opt])
			}
			return fam.Defined && opt == 0
		},
		edges: func(fam *param.Family, at []int, opt int) []bool {
			to := make([]bool, q.size[fam.Opts[opt].Sort])
			if r := known(fam, at); r != nil {
				for e, l := range r.edges[opt] {
					to[e] = q.val(l)
				}
			}
			return to
		},
	}
}

// conj is the conjunction of what f gives for 0..n-1.
func (r *reading[T]) conj(n int, f func(i int) T) T {
	all := r.yes
	for i := 0; i < n && all != r.not(r.yes); i++ {
		all = r.and(all, f(i))
	}
	return all
}

// disj is the disjunction of what f gives for 0..n-1.
func (r *reading[T]) disj(n int, f func(i int) T) T {
	return r.not(r.conj(n, func(i int) T { return r.not(f(i)) }))
}

// implies is that a implies what f gives.
func (r *reading[T]) implies(a T, f func() T) T {
	if a == r.not(r.yes) {
		return r.yes
	}
	return r.not(r.and(a, r.not(f())))
}

// signed is x, or its negation if neg.
func (r *reading[T]) signed(x T, neg bool) T {
	if neg {
		return r.not(x)
	}
	return x
}

// key names a formula with the values of its variables.
func (r *reading[T]) key(p part, inside bool) string {
	key := binary.AppendVarint(nil, int64(p.f))
	for _, v := range r.c.Node(p.f).Free {
		key = binary.AppendVarint(key, int64(p.env[v]))
		if x, ok := r.in.of(v); ok {
			key = append(append(key, x.term...), ';')
		}
	}
	return string(strconv.AppendBool(key, inside))
}

// formula reads a formula; inside says that it is in a ∀.
func (r *reading[T]) formula(p part, inside bool) T {
	if n := r.c.Node(p.f); r.known == nil || n.Kind != param.And && n.Kind != param.All {
		return r.read(p, inside)
	}
	key := r.key(p, inside)
	x, ok := r.known[key]
	if !ok {
		x = r.read(p, inside)
		r.known[key] = x
	}
	return x
}

func (r *reading[T]) read(p part, inside bool) T {
	n, neg := r.c.Node(p.f), p.f.Negated()
	fold := r.conj
	if neg {
		fold = r.disj
	}
	switch n.Kind {
	case param.Constant:
		return r.signed(r.yes, neg)
	case param.And:
		return fold(len(n.Kids), func(i int) T { return r.formula(part{flip(n.Kids[i], p.f), p.env}, inside) })
	case param.All:
		outer := r.in
		picked := neg && inside && !r.subset(n.Free, r.params) // by others
		if picked {
			in, ok := r.picks(p.f, r.in, r.params)
			if !ok {
				return r.yes // weaker
			}
			r.in = in
		}
		var demands []param.Term
		if neg && !picked {
			demands = r.demands(p.f)
		}
		old, had := p.env[n.Var]
		defer func() {
			r.in = outer
			if p.env[n.Var] = old; !had {
				delete(p.env, n.Var)
			}
		}()
		return fold(r.size[r.c.Sort(n.Var)], func(e int) T {
			p.env[n.Var] = e
			there := r.exists(r.c.Sort(n.Var), e)
			of := func() T { return r.formula(part{flip(n.Kids[0], p.f), p.env}, !neg || picked) }
			if !neg {
				return r.implies(there, of)
			}
			is := r.and(there, of())
			for _, t := range demands {
				is = r.and(is, r.leads(t, p.env))
			}
			return is
		})
	case param.AtMost:
		return r.compare(n.Args[0], p.env, neg)
	case param.Equal:
		return r.edgesOf(n.Args[0], p.env, func(a []T) T {
			return r.edgesOf(n.Args[1], p.env, func(b []T) T { return r.equal(a, b, neg) })
		})
	}
	return r.wherever(n.Args, p.env, func(at []int) T { return r.signed(r.option(n.Fam, at, n.Opt), neg) })
}

// equal says that two terms are the same component, or, if neg, that they are not. Of two
// pointers that lead nowhere both are said.
func (r *reading[T]) equal(a, b []T, neg bool) T {
	return r.conj(len(a), func(e int) T {
		both := r.not(r.and(a[e], b[e]))
		if neg {
			return both
		}
		return r.and(r.not(r.and(a[e], both)), r.not(r.and(b[e], both)))
	})
}

// edgesOf calls f with what says which component a term is.
func (r *reading[T]) edgesOf(t param.Term, env map[param.Term]int, f func(edges []T) T) T {
	fam, opt, args := r.c.Applied(t)
	if fam != nil {
		return r.wherever(args, env, func(at []int) T { return f(r.edges(fam, at, opt)) })
	}
	edges := lists.Make(r.size[r.c.Sort(t)], func(e int) T { return r.signed(r.yes, e != env[t]) })
	return f(edges)
}

// wherever is the conjunction of f over all components that terms may lead to. Of a pointer
// that leads nowhere nothing is said.
func (r *reading[T]) wherever(ts []param.Term, env map[param.Term]int, f func(at []int) T) T {
	if len(ts) == 0 {
		return f(nil)
	}
	next := func(e int) T {
		return r.wherever(ts[1:], env, func(at []int) T { return f(append([]int{e}, at...)) })
	}
	fam, opt, args := r.c.Applied(ts[0])
	if fam == nil {
		return next(env[ts[0]])
	}
	return r.wherever(args, env, func(at []int) T {
		edges := r.edges(fam, at, opt)
		return r.conj(len(edges), func(e int) T { return r.implies(edges[e], func() T { return next(e) }) })
	})
}

// leads says that a pointer leads to a component, if it is what its family holds.
func (r *reading[T]) leads(t param.Term, env map[param.Term]int) T {
	fam, opt, args := r.c.Applied(t)
	return r.wherever(args, env, func(at []int) T {
		edges := r.edges(fam, at, opt)
		somewhere := r.disj(len(edges), func(e int) T { return edges[e] })
		return r.implies(r.option(fam, at, opt), func() T { return somewhere })
	})
}

func (q *everyQuery) val(l sat.Lit) bool { return q.model[l.Var()] != l.Neg() }

// holds reports whether a formula holds in the model.
func (q *everyQuery) holds(p part, inside bool) bool { return q.inModel().formula(p, inside) }

func with(env map[param.Term]int, v param.Term, e int) map[param.Term]int {
	out := maps.Clone(env)
	out[v] = e
	return out
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
			if q.inThere(q.c.Sort(n.Var), e) && !q.holds(part{n.Kids[0], env}, true) {
				yield(instance{q.broken(part{n.Kids[0], env}), true})
			}
		}
	case !q.holds(p, false):
		yield(instance{[]part{p}, false})
	}
}

// broken returns a disjunction that follows from a formula inside a ∀, and that is false in the
// model as the formula is.
func (q *everyQuery) broken(p part) []part {
	n := q.c.Node(p.f)
	switch {
	case n.Kind == param.And && p.f.Negated():
		var out []part
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
			if env := with(p.env, n.Var, e); q.inThere(q.c.Sort(n.Var), e) && !q.holds(part{n.Kids[0], env}, true) {
				return q.broken(part{n.Kids[0], env})
			}
		}
	}
	return []part{p}
}
