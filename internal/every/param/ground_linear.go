package param

import (
	"encoding/binary"

	"orbitmc/internal/lists"
	"orbitmc/sat"
	"orbitmc/sat/linear"
)

// This file decides what conditions say of integers: a literal stands for each inequality, and a
// model of the clauses whose inequalities have no solution is excluded by a clause.

// numbers are the integers of a grounding, and inequalities about them.
type numbers struct {
	vars  map[string]int // by key
	lits  map[string]sat.Lit
	atoms map[sat.Lit]linear.Inequality // by literal without sign: its negation is that the sum is at least 1
	gates map[sat.Lit]gate              // by literal
}

// gate is what a literal implies: all of some literals, or one of them.
type gate struct {
	all  bool
	kids []sat.Lit
}

func newNumbers() *numbers {
	return &numbers{vars: make(map[string]int), lits: make(map[string]sat.Lit), atoms: make(map[sat.Lit]linear.Inequality), gates: make(map[sat.Lit]gate)}
}

// atMost encodes that a sum is at most 0, or its negation. Where a pointer in it leads nowhere, it
// is true.
func (g *grounding) atMost(t Term, neg bool) sat.Lit {
	k, parts := g.c.Addends(t)
	coef := make(map[int]int64)
	var next func(i int) sat.Lit
	next = func(i int) sat.Lit {
		if i == len(parts) {
			l := g.inequality(k, coef)
			if neg {
				return l.Not()
			}
			return l
		}
		p := parts[i]
		with := func(key []byte) sat.Lit {
			v, ok := g.ints.vars[string(key)]
			if !ok {
				v = len(g.ints.vars)
				g.ints.vars[string(key)] = v
			}
			coef[v] += p.Coef
			l := next(i + 1)
			coef[v] -= p.Coef
			return l
		}
		fam, _, args := g.c.Applied(p.T)
		if fam == nil {
			key := binary.AppendVarint([]byte{'t'}, int64(p.T))
			for _, v := range g.c.FreeIn(p.T) {
				key = binary.AppendVarint(key, int64(g.env[v]))
			}
			return with(key)
		}
		return g.at(args, func(at []int) sat.Lit {
			key := binary.AppendVarint([]byte{'f'}, int64(fam.number))
			for _, e := range at {
				key = binary.AppendVarint(key, int64(e))
			}
			return with(key)
		})
	}
	return next(0)
}

// inequality returns the literal of an inequality.
func (g *grounding) inequality(k int64, coef map[int]int64) sat.Lit {
	q := linear.Of(k, coef)
	switch {
	case len(q.Parts) == 0 && k <= 0:
		return g.yes
	case len(q.Parts) == 0:
		return g.yes.Not()
	}
	neg := q.Parts[0].Coef < 0
	if neg {
		q = q.Not()
	}
	key := binary.AppendVarint(nil, q.K)
	for _, p := range q.Parts {
		key = binary.AppendVarint(binary.AppendVarint(key, p.Coef), int64(p.Var))
	}
	l, ok := g.ints.lits[string(key)]
	if !ok {
		l = g.s.NewVar()
		g.ints.lits[string(key)], g.ints.atoms[l] = l, q
	}
	if neg {
		return l.Not()
	}
	return l
}

// contradiction returns a clause that is true of all integers, and false in the model at hand; nil
// if the inequalities that make the roots true have a solution. The roots are true in the model.
func (g *grounding) contradiction(roots []sat.Lit) []sat.Lit {
	if len(g.ints.atoms) == 0 {
		return nil
	}
	var all []linear.Inequality
	var lits []sat.Lit
	seen := make(map[sat.Lit]bool)
	var visit func(l sat.Lit)
	visit = func(l sat.Lit) {
		if seen[l] {
			return
		}
		seen[l] = true
		pos := l
		if l.Neg() {
			pos = l.Not()
		}
		if q, ok := g.ints.atoms[pos]; ok {
			if l.Neg() {
				q = q.Not()
			}
			all, lits = append(all, q), append(lits, l)
			return
		}
		k := g.ints.gates[l]
		for _, kid := range k.kids {
			if k.all || g.s.Value(kid) {
				visit(kid)
				if !k.all {
					return
				}
			}
		}
	}
	for _, l := range roots {
		visit(l)
	}
	_, why := linear.Solve(len(g.ints.vars), all)
	return lists.Map(why, func(m linear.Multiple) sat.Lit { return lits[m.Index].Not() })
}
