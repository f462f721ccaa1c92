package param

import (
	"context"
	"encoding/binary"
	"slices"

	"orbitmc/internal/lists"
	"orbitmc/internal/pace"
	"orbitmc/sat"
)

// This file writes conditions as clauses, for sorts of given sizes, or for all sizes up to these. A formula is encoded
// one way only: its literal implies it.

// grounding is a set of conditions over sorts of given sizes. Of components behind the first few of a sort it may be open
// whether they are there; quantifiers are about those that are, and pointers lead to these.
type grounding struct {
	ctx    context.Context // where it ended, formulas are left out
	c      *Conditions
	s      sat.Solver
	size   []int       // by sort: components that may be there
	sure   []int       // by sort: how many are
	there  [][]sat.Lit // by sort: of those that may not be
	params []Term
	env    map[Term]int
	by     map[Term]*choice // variables of ∃ inside a ∀
	atoms  map[string]sat.Lit
	rows   map[string]bool // families at arguments whose options, or edges, exclude each other
	done   map[string]sat.Lit
	yes    sat.Lit
	key    []byte
	ints   *numbers
	gates  int // that were made
}

func newGrounding(ctx context.Context, c *Conditions, s sat.Solver, sure, size []int) *grounding {
	g := &grounding{ctx: ctx, c: c, s: s, sure: sure, size: size, env: make(map[Term]int), atoms: make(map[string]sat.Lit), rows: make(map[string]bool), done: make(map[string]sat.Lit), ints: newNumbers()}
	g.yes = s.NewVar()
	s.Add(g.yes)
	for i, n := range size {
		g.there = append(g.there, nil)
		for e := sure[i]; e < n; e++ {
			l := s.NewVar()
			s.Add(l.Not(), g.exists(i, e-1))
			g.there[i] = append(g.there[i], l)
		}
	}
	return g
}

// exists is the literal that a component is there. If it is, so are those before it.
func (g *grounding) exists(sort, e int) sat.Lit {
	if e < g.sure[sort] {
		return g.yes
	}
	return g.there[sort][e-g.sure[sort]]
}

// begin sets the free variables of the formulas that follow, and their values. Components with
// names are the first ones of their sorts.
func (g *grounding) begin(params []Term, values []int) {
	g.params = params
	g.by = nil
	clear(g.env)
	clear(g.done)
	next := make([]int, len(g.size))
	for _, n := range g.c.Names {
		g.env[n.Term] = next[n.Sort]
		next[n.Sort]++
	}
	for i, v := range params {
		g.env[v] = values[i]
	}
}

// assert returns a literal that implies f, that its parameters are there, and that its pointers outside of every ∀ lead
// to components, and those of total.
func (g *grounding) assert(f Formula, total ...Term) sat.Lit {
	kids := []sat.Lit{g.formula(f, false)}
	for _, v := range g.params {
		kids = append(kids, g.exists(g.c.Sort(v), g.env[v]))
	}
	terms := slices.Clone(total)
	for t := range g.c.ground(f) {
		terms = append(terms, t)
	}
	slices.Sort(terms)
	for _, t := range terms {
		kids = append(kids, g.total(t))
	}
	return g.and(kids)
}

// and returns a literal that implies all of ls.
func (g *grounding) and(ls []sat.Lit) sat.Lit { return g.gate(ls, true) }

// or returns a literal that implies one of ls.
func (g *grounding) or(ls []sat.Lit) sat.Lit { return g.gate(ls, false) }

// gate returns a literal that implies all of ls, or one of them.
func (g *grounding) gate(ls []sat.Lit, all bool) sat.Lit {
	none, decides := g.yes, g.yes.Not()
	if !all {
		none, decides = decides, none
	}
	slices.Sort(ls)
	ls = slices.Compact(ls)
	kept := ls[:0]
	for i, l := range ls {
		if l == decides || !all && i > 0 && ls[i-1] == l.Not() {
			return decides
		}
		if l != none {
			kept = append(kept, l)
		}
	}
	switch len(kept) {
	case 0:
		return none
	case 1:
		return kept[0]
	}
	if g.gates++; g.gates%someNodes == 0 {
		pace.LimitOf(g.ctx).Spend(someNodes * perNode) // one grounding may be large
	}
	v := g.s.NewVar()
	if all {
		for _, l := range kept {
			g.s.Add(v.Not(), l)
		}
	} else {
		g.s.Add(append([]sat.Lit{v.Not()}, kept...)...)
	}
	if g.c.integers {
		g.ints.gates[v] = gate{all, slices.Clone(kept)}
	}
	return v
}

// formula encodes f in the environment; under says that it is in the scope of a ∀.
func (g *grounding) formula(f Formula, under bool) sat.Lit {
	n := g.c.Node(f)
	by := g.by
	switch n.Kind {
	case Constant:
		if f == True {
			return g.yes
		}
		return g.yes.Not()
	case Is, Equal:
		return g.literal(n, f.Negated())
	case AtMost:
		return g.atMost(n.Args[0], f.Negated())
	case All:
		if g.ctx.Err() != nil {
			return g.yes
		}
		if f.Negated() && under && !g.c.rules.nested {
			if under = !g.c.closed(n, g.params); under {
				x, ok := g.c.choose(n, f, by, g.params)
				if !ok {
					return g.yes
				}
				by = bind(by, n.Var, x)
			} else {
				by = nil
			}
		}
	}
	defined := f
	if g.c.rules.signs {
		defined &^= 1
	}
	g.key = binary.AppendVarint(g.key[:0], int64(defined))
	for _, v := range n.Free {
		g.key = binary.AppendVarint(g.key, int64(g.env[v]))
		if y := g.by[v]; y != nil { // decides what else may be chosen
			g.key = append(append(g.key, y.text...), ';')
		}
	}
	if under {
		g.key = append(g.key, 'u')
	}
	key := string(g.key)
	if l, ok := g.done[key]; ok {
		return l
	}
	var kids []sat.Lit
	var out sat.Lit
	switch {
	case n.Kind == And:
		for _, k := range n.Kids {
			kids = append(kids, g.formula(k^f&1, under))
		}
	default:
		var terms []Term
		switch {
		case !f.Negated():
			under = true
		case !under || g.c.rules.nested:
			terms = g.c.termsOf(n)
		}
		old, had := g.env[n.Var]
		outer := g.by
		g.by = by
		for e := range g.size[g.c.Sort(n.Var)] {
			g.env[n.Var] = e
			kid := g.formula(n.Kids[0]^f&1, under)
			if terms != nil {
				all := append([]sat.Lit{kid}, lists.Map(terms, g.total)...)
				kid = g.and(all)
			}
			if is := g.exists(g.c.Sort(n.Var), e); f.Negated() {
				kid = g.and([]sat.Lit{kid, is})
			} else if !g.c.rules.absent {
				kid = g.or([]sat.Lit{kid, is.Not()})
			}
			kids = append(kids, kid)
		}
		g.by = outer
		if had {
			g.env[n.Var] = old
		} else {
			delete(g.env, n.Var)
		}
	}
	if f.Negated() {
		out = g.or(kids)
	} else {
		out = g.and(kids)
	}
	g.done[key] = out
	return out
}

// literal encodes an atom or its negation. Where a pointer in it leads nowhere, it is true.
func (g *grounding) literal(n *Node, neg bool) sat.Lit {
	sign := func(l sat.Lit) sat.Lit {
		if neg {
			return l.Not()
		}
		return l
	}
	if n.Kind == Is {
		return g.at(n.Args, func(args []int) sat.Lit { return sign(g.is(n.Fam, n.Opt, args)) })
	}
	a, b := n.Args[0], n.Args[1]
	fa, oa, aa := g.c.Applied(a)
	fb, ob, ab := g.c.Applied(b)
	if fa == nil {
		fa, oa, aa, fb, a, b = fb, ob, ab, fa, b, a
	}
	switch {
	case fa == nil:
		if (g.env[a] == g.env[b]) != neg {
			return g.yes
		}
		return g.yes.Not()
	case fb == nil:
		return g.at(aa, func(args []int) sat.Lit { return sign(g.edge(fa, oa, args, g.env[b])) })
	}
	return g.at(aa, func(p []int) sat.Lit {
		p = slices.Clone(p)
		return g.at(ab, func(q []int) sat.Lit {
			var all []sat.Lit
			for y := range g.size[g.c.Sort(a)] {
				l, m := g.edge(fa, oa, p, y), g.edge(fb, ob, q, y)
				if neg {
					all = append(all, g.or([]sat.Lit{l.Not(), m.Not()}))
				} else {
					all = append(all, g.or([]sat.Lit{l.Not(), m}), g.or([]sat.Lit{l, m.Not()}))
				}
			}
			return g.and(all)
		})
	})
}

// at encodes what f says of the components that terms are: of each that they may be, if they
// lead there.
func (g *grounding) at(ts []Term, f func(elems []int) sat.Lit) sat.Lit {
	elems := make([]int, len(ts))
	var next func(i int) sat.Lit
	next = func(i int) sat.Lit {
		if i == len(ts) {
			return f(elems)
		}
		fam, opt, args := g.c.Applied(ts[i])
		if fam == nil {
			elems[i] = g.env[ts[i]]
			return next(i + 1)
		}
		return g.at(args, func(at []int) sat.Lit {
			at = slices.Clone(at)
			var all []sat.Lit
			for y := range g.size[g.c.Sort(ts[i])] {
				elems[i] = y
				all = append(all, g.or([]sat.Lit{g.edge(fam, opt, at, y).Not(), next(i + 1)}))
			}
			return g.and(all)
		})
	}
	return next(0)
}

// total says that a pointer leads to a component, if it is what its family holds.
func (g *grounding) total(t Term) sat.Lit {
	fam, opt, args := g.c.Applied(t)
	return g.at(args, func(at []int) sat.Lit {
		some := []sat.Lit{g.is(fam, opt, at).Not()}
		for y := range g.size[g.c.Sort(t)] {
			some = append(some, g.edge(fam, opt, at, y))
		}
		return g.or(some)
	})
}

func (g *grounding) atom(fam *Family, opt int, args []int, to int) sat.Lit {
	k := g.keyOf(args, fam.number, opt, to)
	l, ok := g.atoms[string(k)]
	if !ok {
		l = g.s.NewVar()
		g.atoms[string(k)] = l
	}
	return l
}

// keyOf returns numbers and arguments as a key, which the next call overwrites.
func (g *grounding) keyOf(args []int, numbers ...int) []byte {
	g.key = g.key[:0]
	for _, list := range [][]int{numbers, args} {
		for _, n := range list {
			g.key = binary.AppendVarint(g.key, int64(n))
		}
	}
	return g.key
}

// once reports whether a row is asked for the first time.
func (g *grounding) once(fam *Family, part int, args []int) bool {
	k := g.keyOf(args, fam.number, part)
	if g.rows[string(k)] {
		return false
	}
	g.rows[string(k)] = true
	return true
}

// is is the literal that a family holds an option.
func (g *grounding) is(fam *Family, opt int, args []int) sat.Lit {
	if fam.Defined {
		switch len(fam.Opts) {
		case 1:
			return g.yes
		case 2:
			l := g.atom(fam, 1, args, -1)
			if opt == 0 {
				return l.Not()
			}
			return l
		}
	}
	l := g.atom(fam, opt, args, -1)
	if g.once(fam, 0, args) {
		all := lists.Make(len(fam.Opts), func(i int) sat.Lit { return g.atom(fam, i, args, -1) })
		g.exclusive(all)
		if fam.Defined {
			g.s.Add(all...)
		}
	}
	return l
}

// edge is the literal that a pointer leads to a component.
func (g *grounding) edge(fam *Family, opt int, args []int, to int) sat.Lit {
	l := g.atom(fam, opt, args, to)
	if g.once(fam, -1-opt, args) {
		all := lists.Make(g.size[fam.Opts[opt].Sort], func(y int) sat.Lit { return g.atom(fam, opt, args, y) })
		g.exclusive(all)
		for y, l := range all {
			if is := g.exists(fam.Opts[opt].Sort, y); is != g.yes {
				g.s.Add(l.Not(), is)
			}
		}
		if g.c.rules.total {
			g.s.Add(all...)
		}
	}
	return l
}

func (g *grounding) exclusive(ls []sat.Lit) {
	for i, l := range ls {
		for _, m := range ls[:i] {
			g.s.Add(l.Not(), m.Not())
		}
	}
}
