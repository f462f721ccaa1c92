package certify

import (
	"errors"
	"fmt"
	"math/big"

	"orbitmc/internal/every/param"
	"orbitmc/internal/lists"
	"orbitmc/sat"
	"orbitmc/sat/linear"
)

// This file is about the integers of a proof for every size. A variable stands for each
// inequality of a query. A clause that excludes some of them is added only if positive multiples of
// them are seen to add up to a false one.

// inequalities are those of a query.
type inequalities struct {
	vars   map[string]int // by key of an integer
	lits   map[string]sat.Lit
	order  []sat.Lit // not negated: that the sum is at most 0
	sums   []linear.Inequality
	values []*big.Rat // in the model, by variable
}

// total is a sum under construction: by variable.
type total struct {
	k    int64
	coef map[int]int64
}

// compare reads that an integer is at most 0, or, if neg, that it is not, wherever its pointers lead.
func (r *reading[T]) compare(t param.Term, env map[param.Term]int, neg bool) T {
	k, parts := r.c.Addends(t)
	s := total{k, make(map[int]int64)}
	var next func(i int) T
	next = func(i int) T {
		if i == len(parts) {
			return r.signed(r.atMost(s), neg)
		}
		p := parts[i]
		with := func(key string) T {
			v := lists.Number(r.ints.vars, key)
			s.coef[v] += p.Coef
			x := next(i + 1)
			s.coef[v] -= p.Coef
			return x
		}
		if fam, _, args := r.c.Applied(p.T); fam != nil {
			return r.wherever(args, env, func(at []int) T { return with(fmt.Sprint(fam.Name, at)) })
		}
		key := fmt.Sprint(p.T)
		for _, v := range r.c.FreeIn(p.T) {
			key += fmt.Sprint(" ", env[v])
		}
		return with(key)
	}
	return next(0)
}

// inequality returns a literal that says that a sum is at most 0.
func (q *everyQuery) inequality(s total) sat.Lit {
	in := linear.Of(s.k, s.coef)
	if len(in.Parts) == 0 {
		if s.k <= 0 {
			return verum
		}
		return verum.Not()
	}
	key := fmt.Sprint(in)
	l, ok := q.ints.lits[key]
	if !ok {
		l = q.f.fresh()
		q.ints.lits[key] = l
		q.ints.order, q.ints.sums = append(q.ints.order, l), append(q.ints.sums, in)
	}
	return l
}

// exclude adds a clause if the inequalities of the model have no solution, and reports whether it did.
func (q *everyQuery) exclude() (bool, error) {
	var all []linear.Inequality
	var lits []sat.Lit
	for i, l := range q.ints.order {
		in := q.ints.sums[i]
		if !q.val(l) {
			l, in = l.Not(), in.Not()
		}
		all, lits = append(all, in), append(lits, l)
	}
	values, why := linear.Solve(len(q.ints.vars), all)
	if why == nil {
		q.ints.values = values
		return false, nil
	}
	if !linear.Contradicts(why, all) {
		return false, errors.New("multiples of inequalities do not add up to a false one")
	}
	clause := lists.Map(why, func(m linear.Multiple) sat.Lit { return lits[m.Index].Not() })
	q.f.add(clause...)
	return true, nil
}

// compares reports whether a sum is at most 0 in the model. What no clause mentions is 0.
func (q *everyQuery) compares(s total) bool {
	sum := new(big.Rat).SetInt64(s.k)
	for v, c := range s.coef {
		if v < len(q.ints.values) {
			sum.Add(sum, new(big.Rat).Mul(new(big.Rat).SetInt64(c), q.ints.values[v]))
		}
	}
	return sum.Sign() <= 0
}
