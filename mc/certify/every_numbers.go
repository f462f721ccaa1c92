package certify

import (
	"errors"
	"fmt"
	"math/big"
	"slices"

	"orbitmc/param"
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

// sum calls then with the sum that an integer is, wherever its pointers lead.
func (q *everyQuery) sum(t param.Term, env map[param.Term]int, through func(ts []param.Term, f func(at []int)), then func(s total)) {
	k, parts := q.c.Addends(t)
	s := total{k, make(map[int]int64)}
	var next func(i int)
	next = func(i int) {
		if i == len(parts) {
			then(s)
			return
		}
		p := parts[i]
		with := func(key string) {
			v, ok := q.ints.vars[key]
			if !ok {
				v = len(q.ints.vars)
				q.ints.vars[key] = v
			}
			s.coef[v] += p.Coef
			next(i + 1)
			s.coef[v] -= p.Coef
		}
		if fam, _, args := q.c.Applied(p.T); fam != nil {
			through(args, func(at []int) { with(fmt.Sprint(fam.Name, at)) })
			return
		}
		key := fmt.Sprint(p.T)
		for _, v := range q.c.FreeIn(p.T) {
			key += fmt.Sprint(" ", env[v])
		}
		with(key)
	}
	next(0)
}

// atMost returns a literal that says that an integer is at most 0, or that it is not.
func (q *everyQuery) atMost(t param.Term, env map[param.Term]int, neg bool) sat.Lit {
	all := verum
	var conds []sat.Lit // that the pointers lead there
	through := func(ts []param.Term, f func(at []int)) {
		q.paths(ts, env, func(cond sat.Lit, at []int) {
			conds = append(conds, cond)
			f(at)
			conds = conds[:len(conds)-1]
		})
	}
	q.sum(t, env, through, func(s total) {
		l := q.inequality(s)
		if neg {
			l = l.Not()
		}
		there := verum
		for _, c := range conds {
			there = q.f.and(there, c)
		}
		all = q.f.and(all, q.f.and(there, l.Not()).Not())
	})
	return all
}

// paths calls f for all components that terms may lead to, with the literal that they do.
func (q *everyQuery) paths(ts []param.Term, env map[param.Term]int, f func(cond sat.Lit, at []int)) {
	if len(ts) == 0 {
		f(verum, nil)
		return
	}
	rest := func(cond sat.Lit, e int) {
		q.paths(ts[1:], env, func(c sat.Lit, at []int) { f(q.f.and(cond, c), append([]int{e}, at...)) })
	}
	fam, opt, args := q.c.Applied(ts[0])
	if fam == nil {
		rest(verum, env[ts[0]])
		return
	}
	q.paths(args, env, func(cond sat.Lit, at []int) {
		for e, l := range q.row(fam, at, true).edges[opt] {
			rest(q.f.and(cond, l), e)
		}
	})
}

func (q *everyQuery) inequality(s total) sat.Lit {
	in := linear.Inequality{K: s.k}
	for v, c := range s.coef {
		if c != 0 {
			in.Parts = append(in.Parts, linear.Addend{Coef: c, Var: v})
		}
	}
	if len(in.Parts) == 0 {
		if s.k <= 0 {
			return verum
		}
		return verum.Not()
	}
	slices.SortFunc(in.Parts, func(a, b linear.Addend) int { return a.Var - b.Var })
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
		if !q.val(l) { // of integers: at least 1
			l = l.Not()
			out := linear.Inequality{K: 1 - in.K}
			for _, p := range in.Parts {
				out.Parts = append(out.Parts, linear.Addend{Coef: -p.Coef, Var: p.Var})
			}
			in = out
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
	var clause []sat.Lit
	for _, m := range why {
		clause = append(clause, lits[m.Index].Not())
	}
	q.f.add(clause...)
	return true, nil
}

// compares reports whether an integer is at most 0 in the model, or not, wherever its pointers lead. What
// no clause mentions is 0.
func (q *everyQuery) compares(t param.Term, env map[param.Term]int, neg bool) bool {
	is := true
	through := func(ts []param.Term, f func(at []int)) {
		q.everywhere(ts, env, func(at []int) bool { f(at); return true })
	}
	q.sum(t, env, through, func(s total) {
		sum := new(big.Rat).SetInt64(s.k)
		for v, c := range s.coef {
			if v < len(q.ints.values) {
				sum.Add(sum, new(big.Rat).Mul(new(big.Rat).SetInt64(c), q.ints.values[v]))
			}
		}
		is = is && (sum.Sign() <= 0) != neg
	})
	return is
}
